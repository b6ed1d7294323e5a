"""The built-in servers for the Wolfram Language, which share one place in a client."""

import json
from pathlib import Path

import pytest

import paddock
from paddock import connect, default_servers, get_server
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE
from paddock.named_servers.installations import read_installations

SERVERS = ("Wolfram", "WolframLanguage", "WolframPacletDevelopment")


@pytest.fixture
def cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a client of a user who has nothing yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / ".cursor" / "mcp.json"


def installed(file: Path) -> dict[str, str]:
    """The servers in a client's file: the keys, and what is started."""
    entries = json.loads(file.read_text())["mcpServers"] if file.exists() else {}
    return {key: entry["args"][-1] for key, entry in entries.items()}


@pytest.mark.parametrize("name", SERVERS)
def test_they_are_built_in_and_work_without_an_engine(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENGINE_VARIABLE, "none")
    server = default_servers()[name]
    assert (server.name, server.key, server.location) == (name, "Wolfram", "built-in")
    assert server.instructions
    with connect(get_server(name).load()) as peer:
        assert [tool.name for tool in peer.tools()] == server.tool_names
        assert "Out[1]= {1}" in peer.call("WolframLanguageEvaluator", code="{1}").text


def test_each_has_the_tools_of_the_smaller_one() -> None:
    small, middle, large = (set(get_server(name).tool_names) for name in SERVERS)
    assert small - {"WolframAlpha", "WolframContext"} < middle < large


def test_a_client_has_one_of_them_at_most(cursor: Path) -> None:
    for name in SERVERS:
        paddock.install("cursor", name, check=False)
        assert installed(cursor) == {"Wolfram": name}
        assert [one.server for one in read_installations()] == [name]


@pytest.mark.parametrize("name", SERVERS)
def test_taking_out_any_takes_out_the_one_that_is_there(cursor: Path, name: str) -> None:
    paddock.install("cursor", "WolframLanguage", check=False)
    paddock.uninstall("cursor", name)
    assert installed(cursor) == {}
    assert read_installations() == []


def test_others_stay(cursor: Path) -> None:
    paddock.install("cursor", "Demo", check=False)
    paddock.install("cursor", "Wolfram", check=False)
    paddock.install("cursor", "WolframPacletDevelopment", check=False)
    assert installed(cursor) == {"Demo": "Demo", "Wolfram": "WolframPacletDevelopment"}
    paddock.uninstall("cursor", "Wolfram")
    assert installed(cursor) == {"Demo": "Demo"}
