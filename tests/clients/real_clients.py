"""The client programs that servers are installed into, and how each shows the result.

`connected` and `failed` are patterns of what a program prints; KEY in them means the key of
the server. A program that only takes turns shows a connected server by offering its tools to the
model; some of those go on silently when the server has failed, and have no pattern for it.
"""

import re
from dataclasses import dataclass

from external.python_sdks import FASTMCP
from tests.clients import environments as installed
from tests.clients import own_settings, starts
from tests.clients.own_settings import OwnSettings, nothing
from tests.clients.starts import Place, Starting, simply


@dataclass(frozen=True)
class RealClient:
    """A client program: what Paddock calls it, and what its commands print."""

    id: str
    look: Starting | None = None
    connected: str = ""
    failed: str = ""
    turn: Starting | None = None
    call: Starting | None = None
    """Prints what the tool gives, for programs that call one without a model."""
    own_settings: OwnSettings = nothing
    options: tuple[str, ...] = ()
    """What `paddock install` is reported beside the names; HOME and WORK means folders."""
    known_as: str = ""
    """Another client, whose files it reads too."""
    has_headers: bool = True
    """Whether it can be reported to send headers over HTTP."""
    is_quick: bool = False

    def says_connected(self, output: str, key: str) -> bool:
        """Whether what the program printed means that the server is connected."""
        return bool(re.search(self.connected.replace("KEY", key), _plain(output)))

    def says_failed(self, output: str, key: str) -> bool:
        """Whether what the program printed means that the server is not connected."""
        return bool(self.failed and re.search(self.failed.replace("KEY", key), _plain(output)))

    def install_command(self, place: Place) -> list[str]:
        """What `paddock` is reported to install the server of a place."""
        return ["install", *self._words(place)]

    def uninstall_command(self, place: Place) -> list[str]:
        """What `paddock` is reported to take the server out again."""
        return ["uninstall", *self._words(place)]

    def _words(self, place: Place) -> list[str]:
        folders = {"HOME": str(place.home), "WORK": str(place.work)}
        options = [re.sub("HOME|WORK", lambda name: folders[name[0]], one) for one in self.options]
        return [self.known_as or self.id, place.key, *options]


def _plain(output: str) -> str:
    """Without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", output)


REAL_CLIENTS = (
    RealClient(
        "claude-code",
        look=starts.claude_list,
        connected=r"KEY: .* - ✔ Connected",
        failed=r"KEY: .* - ✘ Failed to connect",
        turn=starts.claude,
        is_quick=True,
    ),
    RealClient(
        "codex",
        look=starts.codex_status,
        connected=r'KEY: ready[^"]*\n.*ready at last',
        failed=r"KEY: failed",
        turn=starts.codex,
        own_settings=own_settings.codex,
        is_quick=True,
    ),
    RealClient(
        "gemini-cli",
        look=starts.gemini_list,
        connected=r"✓ KEY: .* - Connected",
        failed=r"✗ KEY: .* - Disconnected",
        turn=starts.gemini,
        own_settings=own_settings.gemini,
        is_quick=True,
    ),
    RealClient(
        "qwen-code",
        look=simply(installed.QWEN, "qwen", "mcp", "list"),
        connected=r"✓ KEY: .* - Connected",
        failed=r"✗ KEY: .* - Disconnected",
        turn=starts.qwen,
        own_settings=own_settings.qwen,
        is_quick=True,
    ),
    RealClient(
        "opencode",
        look=simply(installed.OPENCODE, "opencode", "mcp", "list"),
        connected=r"✓ KEY connected",
        failed=r"✗ KEY failed",
        turn=simply(installed.OPENCODE, "opencode", "run", "-m", "fake/fake", starts.QUESTION),
        own_settings=own_settings.opencode,
        is_quick=True,
    ),
    RealClient(
        "goose",
        turn=starts.goose,
        failed=r"Failed to start extension .*KEY",
        is_quick=True,
    ),
    RealClient(
        "kilo-code",
        look=simply(installed.KILO, "kilo", "mcp", "list"),
        connected=r"✓ KEY connected",
        failed=r"✗ KEY failed",
        turn=simply(installed.KILO, "kilo", "run", "-m", "fake/fake", starts.QUESTION),
        own_settings=own_settings.kilo,
    ),
    RealClient("cline-cli", turn=starts.cline),
    RealClient(
        "continue",
        turn=starts.continuing,
        failed=r"MCP server\(s\) failed to load",
        own_settings=own_settings.continuing,
    ),
    RealClient(
        "amp",
        look=starts.amp_doctor,
        connected=r"KEY \(user settings\): connected \(1 tools: ready\)",
        failed=r"KEY \(user settings\): error",
    ),
    RealClient("copilot-cli", turn=starts.copilot),
    RealClient(
        "kimi-code",
        turn=simply(installed.KIMI, "kimi", "-p", starts.QUESTION),
        own_settings=own_settings.kimi,
    ),
    RealClient(
        "factory",
        look=simply(installed.DROID, "droid", "mcp", "list"),
        connected=r"KEY  \w+  connected  \[user\]",
        failed=r"KEY  \w+  failed",
        turn=starts.droid,
        own_settings=own_settings.droid,
    ),
    RealClient(
        "qoder",
        look=simply(installed.QODER, "qodercli", "mcp", "list"),
        connected=r"✓ KEY: .* - Connected",
        failed=r"✗ KEY: .* - Disconnected",
    ),
    RealClient(
        "openclaw",
        look=simply(installed.OPENCLAW, "openclaw", "mcp", "probe"),
        connected=r"- KEY: 1 tools",
        failed=r"! KEY: ",
    ),
    RealClient(
        "nanocoder",
        turn=starts.nanocoder,
        failed=r"MCP server failed: KEY",
        own_settings=own_settings.nanocoder,
        options=("--project", "WORK"),
    ),
    RealClient(
        "vscode",
        look=starts.vscode(),
        connected=r"Discovered 1 tools",
        failed=r"Connection state: Error",
    ),
    RealClient(
        "hermes",
        look=simply(installed.HERMES, "hermes", "mcp", "test", "KEY"),
        connected=r"✓ Connected",
        failed=r"✗ Connection failed",
    ),
    RealClient(
        "gptme",
        look=simply(installed.GPTME, "gptme-util", "mcp", "test", "KEY"),
        connected=r"Connected successfully",
        failed=r"❌ Connection failed",
        turn=starts.gptme,
    ),
    RealClient(
        "mcp-cli",
        look=simply(installed.MCP_CLI, "mcp-cli", "tools", "--server", "KEY"),
        connected=r"KEY\W+ready",
        failed=r"No tools available",
        call=simply(installed.MCP_CLI, "mcp-cli", "cmd", "--server", "KEY", "--tool", "ready"),
        options=("--project", "WORK"),
    ),
    RealClient(
        "llm",
        turn=simply(
            installed.LLM, "llm", "-m", "fake", "--key", "none", "-T", "MCP", starts.QUESTION
        ),
        failed=r"Failed to connect to the 'KEY' MCP server",
        own_settings=own_settings.llm,
        has_headers=False,
    ),
    RealClient(
        "inspector",
        look=starts.inspector("mcp.json", "tools/list"),
        connected=r'"name": "ready"',
        failed=r"Connection closed",
        call=starts.inspector("mcp.json", "tools/call", "--tool-name", "ready"),
        own_settings=own_settings.inspector,
        options=("--file", "HOME/mcp.json"),
        known_as="claude-code",
    ),
    RealClient(
        "mcporter",
        look=simply(installed.MCPORTER, "mcporter", "list"),
        connected=r"- KEY \(1 tool, ",
        failed=r"- KEY \(offline",
        call=simply(installed.MCPORTER, "mcporter", "call", "KEY.ready"),
    ),
    RealClient(
        "fastmcp",
        look=simply(FASTMCP, "fastmcp", "list", "KEY"),
        connected=r"Tools \(1\)\s+ready\(\)",
        failed=r"Error: ",
        call=simply(FASTMCP, "fastmcp", "call", "KEY", "ready"),
        known_as="cursor",
    ),
)
