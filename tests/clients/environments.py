"""The programs that tests run, each in an environment of its own (`external.environments`)."""

import platform
from concurrent.futures import ThreadPoolExecutor

from external.conformance import CONFORMANCE
from external.environments import NodeEnvironment, PythonEnvironment
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
NODE = NodeEnvironment("node", ("node@24.21.0",))
"""For the programs that want a newer Node than a machine may have."""
CODEX = NodeEnvironment("codex", ("@openai/codex@0.166.0",))
QWEN = NodeEnvironment("qwen", ("@qwen-code/qwen-code@0.24.4",), NODE)
OPENCODE = NodeEnvironment("opencode", ("opencode-ai@1.18.33",))
KILO = NodeEnvironment("kilo", ("@kilocode/cli@7.7.7",))
CONTINUE = NodeEnvironment("continue", ("@continuedev/cli@1.5.47",), NODE)
AMP = NodeEnvironment("amp", ("@ampcode/cli@0.0.1790142911-g7618fb",))
KIMI = NodeEnvironment("kimi", ("@moonshot-ai/kimi-code@2.1.0",), NODE)
DROID = NodeEnvironment("droid", ("droid@0.215.0",))
QODER = NodeEnvironment("qoder", ("@qoder-ai/qodercli@1.1.52",), NODE)
OPENCLAW = NodeEnvironment("openclaw", ("openclaw@2026.9.6",), NODE)
NANOCODER = NodeEnvironment("nanocoder", ("@nanocollective/nanocoder@1.30.0",), NODE)
MCPORTER = NodeEnvironment("mcporter", ("mcporter@0.12.3",), NODE)
CODE_SERVER = NodeEnvironment(
    "code-server",
    ("code-server@4.139.1",),
    NODE,
    # Its own script also builds what signs in with Kerberos, which needs headers of the system.
    (
        ("node_modules/code-server/lib/vscode", "install --omit=dev --ignore-scripts"),
        ("node_modules/code-server/lib/vscode", "rebuild @vscode/spdlog @vscode/native-watchdog"),
        ("node_modules/code-server/lib/vscode/extensions", "install --omit=dev --ignore-scripts"),
    ),
)
"""Visual Studio Code, as a program that a browser shows."""
BROWSER = NodeEnvironment(
    "browser", ("@sparticuz/chromium@153.0.0", "playwright-core@1.65.0"), NODE
)
HERMES = PythonEnvironment("hermes", ("hermes-agent==0.19.0", "mcp<2"))
GPTME = PythonEnvironment("gptme", ("gptme==0.35.1",))
MCP_CLI = PythonEnvironment("mcp-cli", ("mcp-cli==0.20.1",))
LLM = PythonEnvironment("llm", ("llm==0.36", "llm-tools-mcp==0.4", "mcp<2"))
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
    NODE,
    CODEX,
    QWEN,
    OPENCODE,
)
"""What `make test` needs; the rest is for `make clients`."""


def prepare_all() -> None:
    """Install whatever is missing of all of them, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda environment: environment.prepare(), ENVIRONMENTS):
            pass
