"""How client programs are started: to show whether a server is connected, and to take a turn.

None of them needs an account: most show the state of their servers by themselves, and the others
talk to a model on this machine. Which servers they know is in their own files, and not said here.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from external.environments import NodeEnvironment, PythonEnvironment
from tests.clients import environments as installed
from tests.clients.programs import DRIVERS, inspector_launcher

QUESTION = "Are you ready?"
PATIENCE_MS = "60000"


@dataclass(frozen=True)
class Place:
    """Where a client lives: its home, the folder that it works in, its server's key, its model."""

    home: Path
    work: Path
    key: str
    model: str


@dataclass(frozen=True)
class Start:
    """How a program is started: its command and its environment, and what goes before."""

    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)
    before: Sequence[str] = ()


Starting = Callable[[Place], Start]


def simply(environment: NodeEnvironment | PythonEnvironment, *command: str) -> Starting:
    """The start of a program that needs nothing else; KEY means the server's key."""

    def start(place: Place) -> Start:
        program, *arguments = command
        parts = [argument.replace("KEY", place.key) for argument in arguments]
        return Start([*command_of(environment, program), *parts], path_of(environment))

    return start


def command_of(environment: NodeEnvironment | PythonEnvironment, name: str) -> list[str]:
    """The command of a program of an environment, which is installed if it is not there yet."""
    if isinstance(environment, NodeEnvironment):
        return [environment.executable(name)]
    python = environment.prepare()
    # The script names an interpreter too, but where the environment was when it was made.
    return [str(python), str(python.parent / name)]


def path_of(environment: NodeEnvironment | PythonEnvironment) -> dict[str, str]:
    """Where programs look for others, with the Node that they want first."""
    if isinstance(environment, NodeEnvironment) and environment.runtime:
        return {"PATH": f"{environment.runtime.bin()}{os.pathsep}{os.environ['PATH']}"}
    return {}


def claude_list(_place: Place) -> Start:
    """Claude Code's check of its servers."""
    return Start([installed.CLAUDE.executable("claude"), "mcp", "list"], _quiet_claude())


def claude(place: Place) -> Start:
    """Claude Code, configured to wait for its servers before the first turn."""
    program = installed.CLAUDE.executable("claude")
    environment = {
        **_quiet_claude(),
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": place.model,
        "ENABLE_TOOL_SEARCH": "false",
        "MCP_CONNECTION_NONBLOCKING": "false",
        "MCP_CONNECT_TIMEOUT_MS": PATIENCE_MS,
    }
    return Start([program, "-p", QUESTION, "--allowedTools", f"mcp__{place.key}"], environment)


def codex_status(place: Place) -> Start:
    """The status of a server, and the result of a call, from Codex's server for editors."""
    program = installed.CODEX.executable("codex")
    return Start([sys.executable, str(DRIVERS / "codex_app_server.py"), program, place.key])


def codex(place: Place) -> Start:
    """Codex, configured to wait for the server if it has it, and to do anything unasked."""
    table = f"mcp_servers.{place.key}"
    settings = (place.home / ".codex" / "config.toml").read_text(encoding="utf-8")
    waiting = ("-c", f"{table}.required=true") if table in settings else ()
    options = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", *waiting)
    return Start([installed.CODEX.executable("codex"), "exec", *options, QUESTION])


def gemini_list(_place: Place) -> Start:
    """Gemini CLI's check of its servers, which takes five seconds at most."""
    command = [installed.GEMINI.executable("gemini"), "mcp", "list"]
    return Start(command, {"GEMINI_CLI_TRUST_WORKSPACE": "true"})


def gemini(place: Place) -> Start:
    """Gemini CLI with a model of the user."""
    program = installed.GEMINI.executable("gemini")
    environment = {
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GOOGLE_GEMINI_BASE_URL": place.model,
    }
    options = ("-m", "gemini-2.5-flash", "--approval-mode", "yolo")
    return Start([program, "-p", QUESTION, *options], environment)


def qwen(place: Place) -> Start:
    """Qwen Code with a model of the user."""
    environment = {
        **path_of(installed.QWEN),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{place.model}/v1",
        "OPENAI_MODEL": "fake",
    }
    program = installed.QWEN.executable("qwen")
    return Start([program, "-p", QUESTION, "--approval-mode", "yolo"], environment)


def cline(place: Place) -> Start:
    """Cline, which gives a server three seconds for its first answer."""
    program, provider = installed.CLINE.executable("cline"), "openai-compatible"
    account = ["-p", provider, "-k", "none", "-m", "fake", "-b", f"{place.model}/v1"]
    return Start(
        [program, "--json", "-P", provider, "-m", "fake", QUESTION],
        {"CLINE_SESSION_BACKEND_MODE": "local"},  # or it leaves a process behind
        before=[program, "auth", *account],
    )


def continuing(place: Place) -> Start:
    """Continue's command line."""
    settings = str(place.home / ".continue" / "config.yaml")
    program = installed.CONTINUE.executable("cn")
    command = [program, "-p", QUESTION, "--auto", "--config", settings]
    return Start(command, path_of(installed.CONTINUE))


def amp_doctor(_place: Place) -> Start:
    """Amp's check of its servers; it only wants to see some key."""
    return Start([installed.AMP.executable("amp"), "mcp", "doctor"], {"AMP_API_KEY": "none"})


def copilot(place: Place) -> Start:
    """Copilot CLI with a model of the user."""
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{place.model}/v1",
        "COPILOT_MODEL": "fake",
    }
    program = installed.COPILOT.executable("copilot")
    return Start([program, "-p", QUESTION, "--allow-all-tools"], environment)


def goose(place: Place) -> Start:
    """Goose with a model of the user."""
    program = next((installed.GOOSE.prepare() / "node_modules" / "@aaif").glob("*/bin/goose"))
    environment = {
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_MODE": "auto",
        "GOOSE_MODEL": "fake",
        "GOOSE_PROVIDER": "openai",
        "OPENAI_API_KEY": "none",
        "OPENAI_HOST": place.model,
    }
    return Start([str(program), "run", "--no-session", "-t", QUESTION], environment)


def droid(_place: Place) -> Start:
    """Factory's Droid with a model of the user; it only wants to see some key."""
    options = ("-m", "custom:fake-0", "--skip-permissions-unsafe")
    command = [installed.DROID.executable("droid"), "exec", *options, QUESTION]
    return Start(command, {"FACTORY_API_KEY": "fk-none"})


def nanocoder(_place: Place) -> Start:
    """Nanocoder in a folder that it trusts."""
    options = ("--provider", "fake", "--model", "fake", "--mode", "yolo", "--trust-directory")
    program = installed.NANOCODER.executable("nanocoder")
    return Start([program, *options, "--plain", "run", QUESTION], path_of(installed.NANOCODER))


def gptme(place: Place) -> Start:
    """Gptme with a model of the user."""
    environment = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{place.model}/v1"}
    options = ("-n", "-m", "local/fake", "--tool-format", "tool", "--no-confirm")
    return Start([*command_of(installed.GPTME, "gptme"), *options, QUESTION], environment)


def vscode(*keys: str) -> Starting:
    """Visual Studio Code, configured to start servers; the installed one by default."""

    def start(place: Place) -> Start:
        folders = (installed.CODE_SERVER.prepare(), installed.BROWSER.prepare())
        packages = [str(folder / "node_modules") for folder in folders]
        driver = [installed.CODE_SERVER.node(), str(DRIVERS / "vscode.mjs"), *packages]
        return Start([*driver, str(place.work), *(keys or (place.key,))])

    return start


def inspector(settings: str, method: str, *options: str) -> Starting:
    """The Inspector's command line with a file of settings, which is named from the home."""

    def start(place: Place) -> Start:
        chosen = ["--config", str(place.home / settings), "--method", method, *options]
        server = [] if "--server" in options else ["--server", place.key]
        return Start([*inspector_launcher(), "--cli", *chosen, *server])

    return start


def _quiet_claude() -> dict[str, str]:
    return {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
