import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from paddock.client.connect import connect
from paddock.client.connect_options import Json
from paddock.errors import ConnectError

Script = Callable[[str], list[str]]

ME: Json = {"name": "tester", "version": "9"}


def methods(frames: list[bytes]) -> list[str]:
    return [json.loads(frame).get("method") for frame in frames]


def test_a_server_that_answers_the_probe_is_connected_to_without_a_session(script: Script) -> None:
    command = script("open_stateless(); say(read(), 'hello')")
    with connect(command, record=True, client_info=ME) as peer:
        assert peer.call("greet").text == "hello"
    assert peer.protocol_version == "2026-07-28"
    assert peer.server_info == {"name": "odd", "version": "1"}
    assert peer.instructions == "Be kind."
    assert methods(peer.sent) == ["server/discover", "tools/call"]
    assert json.loads(peer.sent[1])["params"]["_meta"] == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": ME,
    }


def test_a_server_that_refuses_the_probe_gets_a_session(script: Script) -> None:
    command = script("open_session(); say(read(), 'hello')")
    with connect(command, record=True) as peer:
        assert peer.call("greet", name="Ada").text == "hello"
    assert peer.protocol_version == "2025-11-25"
    assert peer.server_info == {"name": "odd", "version": "1"}
    assert peer.instructions == "Be kind."
    assert methods(peer.sent) == [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]
    params = json.loads(peer.sent[3])["params"]
    assert params == {"name": "greet", "arguments": {"name": "Ada"}}


def test_a_server_that_ignores_the_probe_gets_a_session(script: Script) -> None:
    command = script("read(); open_session('2024-11-05'); reply(read())")
    with connect(command, probe_timeout=0.01) as peer:
        peer.ping()
    assert peer.protocol_version == "2024-11-05"


def test_a_late_answer_to_the_probe_counts_when_there_is_no_session(script: Script) -> None:
    command = script("""
probe, request = read(), read()
reply(probe, resultType="complete", supportedVersions=["2026-07-28"], capabilities={})
fail(request, -32022, "No sessions here")
read()
""")
    with connect(command, probe_timeout=0.01) as peer:
        assert peer.protocol_version == "2026-07-28"


def test_a_server_of_another_stateless_version_gets_a_session(script: Script) -> None:
    command = script("reply(read(), supportedVersions=['2099-01-01']); open_session(); read()")
    with connect(command) as peer:
        assert peer.protocol_version == "2025-11-25"


@pytest.mark.parametrize("era", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_an_era_can_be_forced(script: Script, era: str) -> None:
    command = script(f"open_session('{era}'); read()")
    with connect(command, era=era, record=True, client_info=ME) as peer:
        assert peer.protocol_version == era
    assert methods(peer.sent) == ["initialize", "notifications/initialized"]
    assert json.loads(peer.sent[0])["params"] == {
        "protocolVersion": era,
        "capabilities": {},
        "clientInfo": ME,
    }


@pytest.mark.parametrize(
    ("era", "text", "expected"),
    [
        ("2025-06-18", "open_session('2025-11-25')", "2025-11-25"),
        ("2025-06-18", "open_session('1999-01-01')", "1999-01-01"),
        ("2026-07-28", "reply(read(), supportedVersions=[])", "does not support"),
        ("2026-07-28", "fail(read())", "No such method"),
        ("2025-06-18", "send(id=read()['id'], result=3)", "Expected an object"),
        (None, "fail(read()); fail(read(), -32603, 'Out of order')", "Out of order"),
        ("2020-02-02", "read()", "Unknown protocol version"),
    ],
)
def test_an_era_that_is_not_available_is_an_error(
    script: Script, era: str | None, text: str, expected: str
) -> None:
    with pytest.raises(ConnectError, match=expected):
        connect(script(text), era=era)


def test_a_server_that_dies_is_reported_with_its_exit_code_and_last_words(script: Script) -> None:
    command = script("read(); sys.stderr.write('first\\nno database\\n'); sys.exit(3)")
    with pytest.raises(ConnectError) as caught:
        connect(command, stderr="capture")
    assert caught.value.message == (
        "The server ended with exit code 3; the end of its standard error:\n  first\n  no database"
    )


def test_a_command_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ConnectError, match="Cannot start 'no-such-program --now'"):
        connect(["no-such-program", "--now"])


@pytest.mark.parametrize(
    ("era", "elicitation"),
    [("2026-07-28", {"form": {}, "url": {}}), ("2025-06-18", {})],
)
def test_capabilities_follow_from_the_callbacks(
    script: Script, era: str, elicitation: Json
) -> None:
    opening = "open_stateless()" if era == "2026-07-28" else f"open_session('{era}')"
    command = script(f"{opening}; read()")
    with connect(
        command, era=era, record=True, on_elicit=dict, on_sample=lambda _: "yes", roots=[]
    ) as peer:
        params = json.loads(peer.sent[0])["params"]
    declared = (
        params.get("capabilities") or params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    )
    assert declared == {"elicitation": elicitation, "sampling": {}, "roots": {}}


def test_capabilities_can_be_declared_by_hand(script: Script) -> None:
    command = script("open_session(); read()")
    declared: Json = {"experimental": {"x": {}}}
    with connect(command, era="2025-11-25", record=True, client_capabilities=declared) as peer:
        assert json.loads(peer.sent[0])["params"]["capabilities"] == declared


def test_we_say_who_we_are(script: Script) -> None:
    with connect(script("open_stateless(); read()"), record=True) as peer:
        meta = json.loads(peer.sent[0])["params"]["_meta"]
    assert meta["io.modelcontextprotocol/clientInfo"] == {
        "name": "paddock",
        "version": metadata.version("paddock"),
    }


def test_environment_and_directory_are_the_servers(script: Script, tmp_path: Path) -> None:
    command = script("import os; open_stateless(); say(read(), os.environ['WHO'] + os.getcwd())")
    with connect(command, env={"WHO": "Ada"}, cwd=tmp_path) as peer:
        assert peer.call("where").text == f"Ada{tmp_path.resolve()}"


def test_an_unknown_option_is_a_type_error(script: Script) -> None:
    with pytest.raises(TypeError, match="tmeout"):
        connect(script("read()"), tmeout=3)  # type: ignore[call-arg]  # what is tested
