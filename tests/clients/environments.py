"""The programs that tests run, each in an environment of its own (`external.environments`)."""

import platform
from concurrent.futures import ThreadPoolExecutor

from external.conformance import CONFORMANCE
from external.environments import NodeEnvironment
from external.python_sdks import FASTMCP, OFFICIAL, OFFICIAL_V1


def _goose_package() -> str:
    """Goose comes as one package for each platform."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"@aaif/goose-binary-{platform.system().lower()}-{machine}"


TYPESCRIPT = NodeEnvironment("typescript-sdk", ("@modelcontextprotocol/client@2.4.0",))
TYPESCRIPT_HTTP = NodeEnvironment(
    "typescript-http",
    (
        "@modelcontextprotocol/server@2.4.0",
        "@modelcontextprotocol/node@2.1.2",
        "node@22.23.3",
        "zod@4.6.7",
    ),
)
INSPECTOR = NodeEnvironment("inspector", ("@modelcontextprotocol/inspector@2.12.0", "node@22.23.3"))
MCPB = NodeEnvironment("mcpb", ("@anthropic-ai/mcpb@2.1.2",))
CLAUDE = NodeEnvironment("claude", ("@anthropic-ai/claude-code@2.1.325",))
GEMINI = NodeEnvironment("gemini", ("@google/gemini-cli@0.61.0",))
CLINE = NodeEnvironment("cline", ("cline@3.0.65",))
COPILOT = NodeEnvironment("copilot", ("@github/copilot@1.0.102",))
GOOSE = NodeEnvironment("goose", (f"{_goose_package()}@1.52.0",))
ENVIRONMENTS = (
    OFFICIAL,
    OFFICIAL_V1,
    FASTMCP,
    TYPESCRIPT,
    TYPESCRIPT_HTTP,
    CONFORMANCE,
    INSPECTOR,
    MCPB,
    CLAUDE,
    GEMINI,
    CLINE,
    COPILOT,
    GOOSE,
)


def prepare_all() -> None:
    """Install whatever is missing of all of them, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda environment: environment.prepare(), ENVIRONMENTS):
            pass
