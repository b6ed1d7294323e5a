"""A server that takes its time to start answers handshakes and lists, and calls wait for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paddock import Server, create_server, get_server
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.testing import connect
from tests.http.endpoint import call, stateless
from tests.http.hosting import PADDOCK, UVICORN, Host

PROGRAM = """
import asyncio, pathlib, time
gate = pathlib.Path(__file__).with_name("gate")

def wait():
    while not gate.exists():
        time.sleep(0.01)

async def wait_async():
    while not gate.exists():
        await asyncio.sleep(0.01)

def fail():
    wait()
    raise OSError("no water")

def is_open() -> bool:
    return gate.exists()
"""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the initialization waits for."""
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    (tmp_path / "slow.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path / "gate"


def slow_server(gate: Path, function: str) -> Server:
    program = gate.with_name("slow.py")
    create_server("slow", tools=[f"{program}:is_open"], initialization=f"{program}:{function}")
    return get_server("slow").load()


@pytest.mark.parametrize("on", [PADDOCK, UVICORN])
@pytest.mark.parametrize("function", ["wait", "wait_async"])
def test_lists_are_answered_while_initialization_runs_and_calls_wait_for_it(
    host: Host, gate: Path, on: str, function: str, era: str
) -> None:
    endpoint = host(slow_server(gate, function), on)
    with connect(f"http://127.0.0.1:{endpoint.port}/mcp", era=era) as peer:
        assert [tool.name for tool in peer.tools()] == ["is_open"]
        called = peer.start("tools/call", {"name": "is_open", "arguments": {}})
        assert [tool.name for tool in peer.tools()] == ["is_open"]
        assert not called.is_done
        gate.touch()
        assert called.result()["structuredContent"] == {"result": True}
        assert peer.call("is_open").structured == {"result": True}


def test_a_failed_initialization_is_reported_by_calls_that_waited(host: Host, gate: Path) -> None:
    endpoint = host(slow_server(gate, "fail"))
    with connect(f"http://127.0.0.1:{endpoint.port}/mcp") as peer:
        called = peer.start("tools/call", {"name": "is_open", "arguments": {}})
        assert [tool.name for tool in peer.tools()] == ["is_open"]
        gate.touch()
        assert called.result()["isError"]
        text = "The server's initialization failed: OSError: no water"
        assert peer.call("is_open").text == text


def test_a_server_that_cannot_be_started_says_so_to_every_call(host: Host, gate: Path) -> None:
    @contextmanager
    def broken(_server: Server) -> Iterator[None]:
        raise OSError("no database")
        yield

    server = slow_server(gate, "wait")
    server.mount(Server("other", lifespan=broken))
    endpoint = host(server)
    waiting = endpoint.begin(call("is_open"))
    gate.touch()
    answer = waiting.answer()
    assert (answer.status, b"OSError: no database" in answer.body) == (500, True)
    assert endpoint.post(call("is_open")).status == 500
    assert endpoint.post(stateless("tools/list")).status == 200


def test_what_waits_when_the_server_ends_is_refused(host: Host, gate: Path) -> None:
    server = slow_server(gate, "wait")
    endpoint = host(server)
    waiting = endpoint.begin(call("is_open"))
    assert endpoint.post(stateless("tools/list")).status == 200
    server.stop()
    assert waiting.answer().status == 503
    gate.touch()
