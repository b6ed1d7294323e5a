"""How a server process ends: at once, with code 0, whatever is under way."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.behaviour.line import PATIENCE, Line
from tests.behaviour.process import ServerProcess
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Start

End = Callable[[ServerProcess], int]

INITIALIZE = {
    "protocolVersion": SESSION,
    "capabilities": {},
    "clientInfo": {"name": "line", "version": "1"},
}

BUSY = """
    import asyncio
    import subprocess
    import sys
    import threading
    import time
    from contextlib import contextmanager

    from paddock import Context, Server

    @contextmanager
    def lifespan(_server):
        yield
        print("lifespan left", file=sys.stderr, flush=True)

    server = Server("busy", lifespan=lifespan)

    @server.tool
    def idle(ctx: Context) -> str:
        return "idle"

    @server.tool
    def block(ctx: Context) -> None:
        ctx.progress(1)
        threading.Event().wait()

    @server.tool
    def spin(ctx: Context) -> None:
        ctx.progress(1)
        while True:
            pass

    @server.tool
    def stubborn(ctx: Context) -> None:
        ctx.progress(1)
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    @server.tool
    async def wait(ctx: Context) -> None:
        ctx.progress(1)
        await asyncio.Event().wait()

    @server.tool
    async def hog(ctx: Context) -> None:
        ctx.progress(1)
        time.sleep(600)

    @server.tool
    async def deaf(ctx: Context) -> None:
        ctx.progress(1)
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    @server.tool
    def ask(ctx: Context) -> str:
        ctx.progress(1)
        return str(ctx.elicit("Name?", str).wait())

    @server.tool
    def thread(ctx: Context) -> str:
        threading.Thread(target=threading.Event().wait).start()
        ctx.progress(1)
        return "started"

    server.run()
"""
TOOLS = ["idle", "block", "spin", "stubborn", "wait", "hog", "deaf", "thread"]


def begin(process: ServerProcess, tool: str) -> Line:
    """A line on which a tool is under way."""
    line = process.connect(STATELESS)
    if tool == "idle":
        line.call(tool)
    else:
        line.begin_call(tool, progressToken="t")
        line.notification("notifications/progress")
    return line


@pytest.mark.parametrize("tool", TOOLS)
def test_the_end_of_input_ends_the_process(start: Start, tool: str) -> None:
    process = start(BUSY)
    begin(process, tool)
    assert process.hang_up() == 0


@pytest.mark.parametrize("tool", TOOLS)
def test_a_termination_signal_ends_the_process(start: Start, tool: str) -> None:
    process = start(BUSY)
    begin(process, tool)
    assert process.terminate() == 0


@pytest.mark.parametrize("tool", ["idle", "block", "wait"])
def test_an_interrupt_signal_ends_the_process(start: Start, tool: str) -> None:
    process = start(BUSY)
    begin(process, tool)
    process.process.send_signal(signal.SIGINT)
    assert process.wait() == 0


@pytest.mark.parametrize("tool", ["idle", "spin", "wait"])
@pytest.mark.parametrize("end", [ServerProcess.hang_up, ServerProcess.terminate])
def test_the_lifespan_is_left_when_the_process_ends(start: Start, tool: str, end: End) -> None:
    process = start(BUSY)
    begin(process, tool)
    assert end(process) == 0
    assert "lifespan left" in process.stderr


@pytest.mark.parametrize("end", [ServerProcess.hang_up, ServerProcess.terminate])
def test_a_handler_that_waits_for_the_client_does_not_keep_the_process(
    start: Start, end: End
) -> None:
    process = start(BUSY)
    line = process.connect(capabilities={"elicitation": {}})
    line.open()
    line.begin_call("ask")
    line.question()
    assert end(process) == 0


@pytest.mark.parametrize("end", [ServerProcess.hang_up, ServerProcess.terminate])
def test_an_open_listener_is_reported_goodbye_when_the_process_ends(start: Start, end: End) -> None:
    process = start(BUSY)
    line = process.connect(STATELESS)
    request_id = line.request("subscriptions/listen", {"notifications": {}})
    line.notification("notifications/subscriptions/acknowledged")
    assert end(process) == 0
    line.notification("notifications/cancelled")
    assert "result" in line.answer(request_id)


def test_a_process_whose_input_is_closed_from_the_start_ends(start: Start) -> None:
    assert start(BUSY).hang_up() == 0


DEAF_CLIENT = """
    import asyncio

    from paddock import Context, Server

    server = Server("loud")

    @server.tool
    def plain() -> str:
        return "x" * 10_000_000

    @server.tool
    async def later() -> str:
        return "x" * 10_000_000

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("x" * 10_000_000, str).wait())

    server.run()
"""


@pytest.mark.parametrize("end", [ServerProcess.hang_up, ServerProcess.terminate])
@pytest.mark.parametrize(
    ("tool", "is_listening"),
    [("plain", False), ("plain", True), ("later", False), ("later", True), ("ask", False)],
)
def test_a_client_that_never_reads_does_not_keep_the_process(
    start: Start, tool: str, end: End, *, is_listening: bool
) -> None:
    process = start(DEAF_CLIENT)
    line = process.connect(capabilities={"elicitation": {}})
    line.open()
    if is_listening:
        line.era = STATELESS
        line.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        line.notification("notifications/subscriptions/acknowledged")
        line.era = SESSION
    process.channel.stop_reading()
    line.begin_call(tool)
    process.channel.wait_for_output()
    assert end(process) == 0


LOADING = """
    import os
    import sys

    from paddock import Server

    server = Server("slow")
    print("loading", file=sys.stderr, flush=True)
    {wait}
"""
WAITS = {
    "blocked": "import threading; threading.Event().wait()",
    "spinning": "while True: pass",
    "sleeping": "import time; time.sleep(600)",
}


@pytest.mark.parametrize("wait", list(WAITS))
@pytest.mark.parametrize("end", [ServerProcess.hang_up, ServerProcess.terminate])
def test_a_process_ends_while_its_module_is_still_loading(
    start: Start, wait: str, end: End
) -> None:
    process = start(LOADING.format(wait=WAITS[wait]), is_served=True)
    line = process.connect()
    assert line.open()["result"]["serverInfo"]["name"] == "slow"
    line.request("tools/list")
    process.wait_for_stderr("loading")
    assert end(process) == 0


def test_a_server_that_is_reported_nothing_says_nothing(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from paddock import Server\nServer('s').run()\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], input=b"", capture_output=True, timeout=PATIENCE, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_termination_signal_is_never_lost(start: Start) -> None:
    """Whatever the main thread is doing: also when it is just about to wait."""
    for _ in range(15):
        process = start(BUSY)
        begin(process, "spin")
        assert process.terminate() == 0


def test_a_signal_right_after_the_first_answer_ends_with_code_0(start: Start) -> None:
    """The rest of the library is still being loaded then."""
    for _ in range(5):
        process = start("from paddock import Server\nServer('s').run()\n")
        line = process.connect()
        line.answer(line.request("initialize", INITIALIZE))
        assert process.terminate() == 0


def test_a_handler_can_stop_its_server(start: Start) -> None:
    program = """
        from paddock import Context, Server

        server = Server("s")

        @server.tool
        def leave() -> str:
            server.stop()
            return "bye"

        server.run()
        print("after run", flush=True)
    """
    process = start(program)
    line = process.connect()
    line.open()
    assert line.text("leave") == "bye"
    process.wait_for_stderr("after run")
    assert process.wait() == 0


def test_what_a_script_does_after_its_server_has_ended_is_its_own_business(start: Start) -> None:
    program = """
        import signal
        import sys
        import time

        from paddock import Server
        from paddock.serving import stdio

        stdio.STREAM_DRAIN_SECONDS = stdio.LIFESPAN_EXIT_SECONDS = 0.1
        Server("s").run()
        time.sleep(0.6)
        print("still here", file=sys.stderr, flush=True)
        signal.raise_signal(signal.SIGTERM)
        time.sleep(5)
    """
    process = start(program)
    process.connect().open()
    assert process.hang_up() == -signal.SIGTERM
    process.wait_for_stderr("still here")
