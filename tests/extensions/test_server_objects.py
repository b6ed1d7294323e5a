"""A `Server` that an extension makes in Python is served as it is, under its full name."""

from pathlib import Path

import pytest

from paddock import get_server
from paddock.testing import connect
from tests.command_line.program import Program
from tests.extensions import samples
from tests.extensions.conftest import put_on_path

FILES = {
    "paddock.toml": 'publisher = "acme"\nservers = ["SO", "Table", "Versioned"]',
    "agenttools/servers/SO.py": """
        from contextlib import contextmanager
        from paddock import Context, Server, Tool

        @contextmanager
        def life(server):
            yield {"opened": server.name}

        server = Server(
            "SO",
            title="An object",
            website_url="https://example.org",
            icons=[{"src": "https://example.org/icon.png"}],
            lifespan=life,
            mask_errors=True,
            page_size=1,
            capabilities={"tools": {}},
        )

        @server.tool
        def state(ctx: Context) -> str:
            return str(ctx.state)

        @server.tool
        def fail() -> str:
            raise ValueError("a secret")
        """,
    "agenttools/servers/Versioned.py": """
        from paddock import Server
        server = Server("V", version="7.1")
        """,
    "agenttools/servers/Table.py": """
        from paddock import Tool

        def start() -> None: ...
        def plain() -> str: return ""
        def inner() -> str: return ""

        server = {
            "tools": [Tool("made", plain), plain, {"name": "table", "function": inner}],
            "initialization": start,
            "note": start,
        }
        """,
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "site"
    samples.put(place, "objects", FILES, "2.5")
    put_on_path(monkeypatch, place)
    return place


def test_all_that_the_object_says_holds(site: Path) -> None:
    server = get_server("acme/objects/SO").load()
    assert (server.name, server.metadata.version) == ("acme/objects/SO", "2.5")
    assert (server.metadata.website_url, server.page_size) == ("https://example.org", 1)
    assert server.metadata.capabilities == {"tools": {}}
    with connect(server) as peer:
        assert peer.call("state").text == "{'opened': 'acme/objects/SO'}"
        assert "a secret" not in str(peer.call("fail"))


def test_a_version_of_its_own_counts(site: Path) -> None:
    assert get_server("acme/objects/Versioned").version == "7.1"
    assert get_server("acme/objects/Versioned").load().metadata.version == "7.1"


def test_clients_of_the_program_see_the_same(site: Path, tmp_path: Path) -> None:
    paddock = Program(tmp_path)
    assert paddock("call", "acme/objects/SO", "state").out == "{'opened': 'acme/objects/SO'}\n"
    told = paddock("inspect", "acme/objects/SO", "--json").json
    assert "https://example.org/icon.png" in str(told)


def test_what_is_made_of_objects_is_shown_by_their_names(site: Path, tmp_path: Path) -> None:
    paddock = Program(tmp_path)
    shown = paddock("show", "acme/objects/Table", "--json")
    assert shown.code == 0, shown.err
    module = shown.json["initialization"].rpartition(":")[0]
    assert module.endswith("agenttools/servers/Table.py")
    assert shown.json["initialization"] == shown.json["note"] == f"{module}:start"
    tools = ["made", f"{module}:plain", {"name": "table", "function": f"{module}:inner"}]
    assert shown.json["tools"] == tools
    said = paddock("show", "acme/objects/Table").out
    assert f"initialization  {module}:start\n" in said
    assert paddock("show", "acme/objects/SO").code == 0
