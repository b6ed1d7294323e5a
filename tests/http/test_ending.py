"""Start and shutdown of an HTTP server: signals, `stop`, and requests in flight."""

import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import PaddockError, Server
from tests.conftest import Start
from tests.http.endpoint import Endpoint, call
from tests.http.hosting import Host, wait_until
from tests.http.raw import PATIENCE
from tests.ports import free_port

PROGRAM = """
import asyncio, pathlib, sys, time
from paddock import Context, Limits, Server

gate = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
server = Server("mortal")

@server.tool
async def wait(ctx: Context) -> str:
    ctx.progress(1)
    while not gate.exists():
        await asyncio.sleep(0.005)
    return "done after all"

@server.tool
def block(ctx: Context) -> str:
    ctx.progress(1)
    while not gate.exists():
        time.sleep(0.005)
    return "done after all"

@server.tool
def end() -> str:
    server.stop()
    return "ending"

if __name__ == "__main__":
    server.run(http=sys.argv[1], limits=Limits(drain_seconds=60))
"""


class Mortal:
    """A server process that is going to end."""

    def __init__(self, start: Start, directory: Path) -> None:
        program, self._gate = directory / "mortal.py", directory / "gate"
        program.write_text(PROGRAM, encoding="utf-8")
        self.endpoint = Endpoint(free_port())
        address = f"127.0.0.1:{self.endpoint.port}"
        command = [sys.executable, str(program), address, str(self._gate)]
        self.process = start.command(command)
        url = f"http://{address}/mcp"
        self.process.wait_for_stderr(f"Serving mortal at {url}\n")

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.process.send_signal(number)

    def open_gate(self) -> None:
        self._gate.touch()

    def wait_until_closed(self) -> None:
        """Wait until no one new is authorized."""
        wait_until(self._refuses)

    def _refuses(self) -> bool:
        try:
            self.endpoint.connect()
        except (ConnectionRefusedError, ConnectionResetError):  # at the very moment of closing
            return True
        except ConnectionError:
            return False  # it came between the last that was authorized and the end
        return False


@pytest.fixture
def mortal(start: Start, tmp_path: Path) -> Iterator[Mortal]:
    mortal = Mortal(start, tmp_path)
    yield mortal
    mortal.endpoint.hang_up()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_server(mortal: Mortal, number: int) -> None:
    idle = mortal.endpoint.connect()
    assert mortal.endpoint.ask("GET", {}, path="/health", connection=idle).json
    mortal.signal(number)
    assert mortal.process.wait() == 0
    assert idle.is_closed()


@pytest.mark.parametrize("tool", ["wait", "block"])
def test_what_is_under_way_is_answered_before_the_end(mortal: Mortal, tool: str) -> None:
    streams = [mortal.endpoint.post(call(tool, progressToken=1)) for _ in range(5)]
    session = mortal.endpoint.initialize()
    streams.append(session.call(tool, progressToken=1))
    for stream in streams:
        stream.message()
    mortal.signal()
    mortal.wait_until_closed()
    mortal.open_gate()
    for stream in streams:
        [answer] = stream.messages()
        assert answer["result"]["content"][0]["text"] == "done after all"
    assert mortal.process.wait() == 0


def test_streams_that_would_not_end_are_ended(mortal: Mortal) -> None:
    with mortal.endpoint.listening(toolsListChanged=True) as stream:
        session = mortal.endpoint.initialize()
        standing = session.listen()
        assert standing.event() is not None
        mortal.signal()
        assert stream.message()["result"]["resultType"] == "complete"
        assert stream.event() is None
        assert list(standing.events()) == []
        assert mortal.process.wait() == 0


def test_a_second_signal_ends_at_once(mortal: Mortal) -> None:
    stream = mortal.endpoint.post(call("wait", progressToken=1))
    stream.message()
    mortal.signal()
    mortal.wait_until_closed()
    mortal.signal()
    assert mortal.process.wait() == 0
    with pytest.raises(ConnectionError):
        stream.message()


def test_a_server_that_stops_itself_gives_its_last_answer(mortal: Mortal) -> None:
    assert mortal.endpoint.text(call("end")) == "ending"
    assert mortal.process.wait() == 0


def test_the_command_line_serves_and_ends(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "mortal.py"
    program.write_text(PROGRAM, encoding="utf-8")
    endpoint = Endpoint(free_port(), "/tools")
    address = f"127.0.0.1:{endpoint.port}"
    options = ["serve", str(program), "--http", address, "--path", "/tools"]
    process = start.command([sys.executable, "-m", "paddock", *options])
    process.wait_for_stderr(f"Serving mortal at http://{address}/tools\n")
    assert endpoint.text(call("end")) == "ending"
    assert process.wait() == 0
    endpoint.hang_up()


def test_a_port_that_is_taken_is_a_clear_error(start: Start, tmp_path: Path, host: Host) -> None:
    taken = host(Server("first")).port
    with pytest.raises(PaddockError, match=f"Cannot listen on 127.0.0.1:{taken}") as raised:
        Server("second").run(http=f"127.0.0.1:{taken}")
    assert raised.value.code == "listen"
    program = tmp_path / "mortal.py"
    program.write_text(PROGRAM, encoding="utf-8")
    options = ["serve", str(program), "--http", f"127.0.0.1:{taken}"]
    process = start.command([sys.executable, "-m", "paddock", *options])
    assert process.wait() == 2
    assert f"Cannot listen on 127.0.0.1:{taken}" in process.stderr
    assert "Traceback" not in process.stderr


def test_a_server_that_has_ended_can_be_run_again(host: Host) -> None:
    server = Server("phoenix")
    server.tool(lambda: "here", name="where")
    first = host(server)
    assert first.text(call("where")) == "here"
    host.stop()
    assert host(server).text(call("where")) == "here"


def test_while_it_ends_a_server_takes_nothing_new(host: Host) -> None:
    server, begun, go_on = Server("s"), threading.Event(), threading.Event()

    @server.tool
    def hold() -> str:
        begun.set()
        assert go_on.wait(PATIENCE)
        return "held"

    endpoint = host(server)
    texts: list[str] = []
    kept = endpoint.connect()
    assert endpoint.ask("GET", {}, path="/health", connection=kept).json
    holding = threading.Thread(target=lambda: texts.append(endpoint.text(call("hold"))))
    holding.start()
    assert begun.wait(PATIENCE)
    server.stop()
    assert kept.is_closed()
    go_on.set()
    holding.join(PATIENCE)
    assert texts == ["held"]
