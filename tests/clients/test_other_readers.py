"""The files of clients that cannot be run here, read by programs that know them.

Claude Desktop, Cursor and Windsurf are applications with windows, from no package registry.
"""

from collections.abc import Iterator

import pytest

from external.python_sdks import FASTMCP
from tests.clients import environments as installed
from tests.clients import starts
from tests.clients.household import KEY, Household, household
from tests.clients.starts import Starting, simply

FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
}
WINDOWED = tuple(FILES)
DISCOVERY = """\
{
\t// off unless asked for
\t"chat.mcp.discovery.enabled": {
\t\t"claude-desktop": true,
\t\t"cursor-global": true,
\t\t"windsurf": true,
\t},
}
"""


def key_in(client: str) -> str:
    """What the server is called in a client; something else in each."""
    return f"of-{client}"


@pytest.fixture
def home() -> Iterator[Household]:
    """A home in which the server is in the files of all three."""
    with household() as found:
        for client in WINDOWED:
            found.paddock("install", client, found.place.key, "--name", key_in(client))
        found.forget()
        yield found


def listing(home: Household, starting: Starting) -> str:
    """What a program prints, once it has been seen to speak with the server."""
    ended = home.start(starting)
    assert ended.code == 0, ended.output + ended.errors
    assert "tools/list" in home.seen().methods
    home.forget()
    return ended.output


@pytest.mark.parametrize("client", WINDOWED)
def test_the_inspector_reads_the_file(home: Household, client: str) -> None:
    options = ("--server", key_in(client))
    found = listing(home, starts.inspector(FILES[client], "tools/list", *options))
    assert '"name": "ready"' in found


@pytest.mark.parametrize("client", ["claude-desktop", "cursor"])
def test_fastmcp_finds_the_server_in_the_file(home: Household, client: str) -> None:
    found = listing(home, simply(FASTMCP, "fastmcp", "list", key_in(client)))
    assert "ready()" in found


def test_fastmcp_reads_the_file_of_windsurf(home: Household) -> None:
    file = str(home.place.home / FILES["windsurf"])
    found = listing(home, simply(FASTMCP, "fastmcp", "list", file))
    assert "ready()" in found


@pytest.mark.every_client
def test_mcporter_finds_the_server_in_the_files(home: Household) -> None:
    found = listing(home, simply(installed.MCPORTER, "mcporter", "list"))
    for client in ("cursor", "windsurf"):
        assert f"- {key_in(client)} (1 tool, " in found


@pytest.mark.every_client
@pytest.mark.parametrize("client", WINDOWED)
def test_visual_studio_code_finds_the_server_in_the_file(home: Household, client: str) -> None:
    settings = home.place.home / ".config" / "Code" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(DISCOVERY, encoding="utf-8")
    found = listing(home, starts.vscode(key_in(client)))
    assert "Connection state: Running" in found
    assert "Discovered 1 tools" in found


def reach(client: str, starting: Starting) -> str:
    """What a program prints of a server over HTTP, after it has been seen to speak with it."""
    with household() as home, home.serving_http() as server:
        home.paddock("install", client, home.place.key, "--http", server.url)
        server.forget()
        ended = home.start(starting)
        assert "tools/list" in server.seen().methods, ended.output + ended.errors
        return ended.output


def test_fastmcp_reaches_a_server_over_http_by_the_file_of_cursor() -> None:
    assert "ready()" in reach("cursor", simply(FASTMCP, "fastmcp", "list", KEY))


@pytest.mark.every_client
@pytest.mark.parametrize("client", ["cursor", "windsurf"])
def test_mcporter_reaches_a_server_over_http_by_the_file(client: str) -> None:
    """Windsurf has its own word for the URL, which fastmcp does not know."""
    assert f"- {KEY} (1 tool, " in reach(client, simply(installed.MCPORTER, "mcporter", "list"))
