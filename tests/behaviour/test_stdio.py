"""A server as a process: its standard output is the protocol's alone."""

import json

import pytest

from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Start

HELLO = """
    from paddock import Server

    server = Server("hello", version="1.0")

    @server.tool
    def greet(name: str) -> str:
        return f"Hello {name}"

    @server.tool
    async def later(name: str) -> str:
        return f"Later {name}"

    if __name__ == "__main__":
        server.run()
"""


@pytest.mark.parametrize("is_served", [True, False])
def test_a_server_answers_on_its_standard_output(
    start: Start, era: str, *, is_served: bool
) -> None:
    process = start(HELLO, is_served=is_served)
    line = process.connect(era)
    if era == SESSION:
        assert line.open()["result"]["serverInfo"] == {"name": "hello", "version": "1.0"}
    else:
        assert line.ask("server/discover")["result"]["supportedVersions"] == [STATELESS]
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["greet", "later"]
    assert line.text("greet", {"name": "Ada"}) == "Hello Ada"
    assert line.text("later", {"name": "Ada"}) == "Later Ada"
    assert line.close() == []
    assert process.wait() == 0


def test_everything_said_before_the_server_is_ready_is_answered_in_the_end(start: Start) -> None:
    """As when a file of messages is piped into it."""
    process = start(HELLO, is_served=True)
    line = process.connect(STATELESS)
    for _ in range(3):
        line.request("server/discover")
        line.begin_call("greet", {"name": "Ada"})
        line.begin_call("later", {"name": "Ada"})
    answers = line.close()
    assert sorted(answer["id"] for answer in answers) == list(range(1, 10))
    assert all("result" in answer for answer in answers)
    assert process.wait() == 0


def test_a_handler_that_prints_does_not_spoil_the_protocol(start: Start, era: str) -> None:
    program = """
        import os
        import subprocess
        import sys

        from paddock import Server

        print("while loading")
        server = Server("noisy")

        @server.tool
        def noisy() -> str:
            print("printed by a handler")
            print("written to stdout", file=sys.stdout)
            sys.__stdout__.write("written to the first stdout\\n")
            sys.__stdout__.flush()
            os.write(1, b"written to descriptor one\\n")
            subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
            os.system("echo printed by a shell")
            return "quiet"

        @server.tool
        def curious() -> str:
            return repr(sys.stdin.read()) + repr(os.read(0, 10))

        server.run()
    """
    process = start(program, is_served=True)
    line = process.connect(era)
    if era == SESSION:
        line.open()
    assert line.text("noisy") == "quiet"
    assert line.text("curious") == "''b''"
    assert line.heard() == []
    assert line.close() == []
    assert process.wait() == 0
    for said in (
        "while loading",
        "printed by a handler",
        "written to stdout",
        "written to the first stdout",
        "written to descriptor one",
        "printed by a child",
        "printed by a shell",
    ):
        assert said in process.stderr


def test_a_program_that_prints_before_it_runs_its_server_does_not_spoil_the_protocol(
    start: Start,
) -> None:
    """Its output is still in the interpreter's buffer when the server takes the descriptor."""
    program = """
        from paddock import Server

        print("before")
        Server("late").run()
    """
    process = start(program)
    line = process.connect()
    assert line.open()["result"]["serverInfo"]["name"] == "late"
    assert line.close() == []
    assert process.wait() == 0


def test_a_failing_handler_leaves_its_traceback_on_standard_error(start: Start) -> None:
    program = """
        from paddock import Server

        server = Server("s")

        @server.tool
        def fail() -> str:
            raise LookupError("no such book")

        server.run()
    """
    process = start(program)
    line = process.connect(STATELESS)
    assert "no such book" in str(line.call("fail"))
    line.close()
    assert process.wait() == 0
    assert "Traceback" in process.stderr
    assert "LookupError: no such book" in process.stderr


def test_a_line_of_64_megabytes_passes(start: Start) -> None:
    program = """
        from paddock import Server

        server = Server("s")

        @server.tool
        def size(text: str) -> int:
            return len(text)

        @server.tool
        def echo(text: str) -> str:
            return text

        server.run()
    """
    process = start(program)
    line = process.connect(STATELESS)
    frame = line.frame("tools/call", {"name": "size", "arguments": {"text": "here"}})
    size = 64 * 1024 * 1024
    line.write(json.dumps(frame).replace("here", "x" * size).encode() + b"\n", recorded=frame)
    assert line.answer(frame["id"])["result"]["structuredContent"] == {"result": size}
    line.close()
    assert process.wait() == 0


LIMITED = """
    from paddock import Server

    server = Server("s", max_message=100_000)

    @server.tool
    def size(text: str) -> int:
        return len(text)

    server.run()
"""


@pytest.mark.parametrize("key", [7, "seven"])
@pytest.mark.parametrize("is_id_last", [True, False])
def test_a_line_beyond_the_limit_is_refused_with_its_id_and_the_connection_lives(
    start: Start, key: object, *, is_id_last: bool
) -> None:
    process = start(LIMITED)
    line = process.connect(STATELESS)
    assert line.call("size", {"text": "x" * 90_000})["structuredContent"] == {"result": 90_000}
    frame = line.frame("tools/call", {"name": "size", "arguments": {"text": "here"}})
    frame["id"] = key
    if is_id_last:
        frame["id"] = frame.pop("id")
    for size in (100_000, 1_000_000):
        text = json.dumps(frame).replace("here", "x" * size)
        line.write(text.encode() + b"\n", recorded=frame)
        assert line.answer(key)["error"]["code"] == -32600
    assert line.call("size", {"text": "x" * 90_000})["structuredContent"] == {"result": 90_000}
    assert line.heard() == []
    line.close()
    assert process.wait() == 0


def test_pipes_that_do_not_block_lose_nothing(start: Start) -> None:
    """As parents with an event loop of their own may hand them on."""
    program = """
        import os

        from paddock import Server

        server = Server("s")

        @server.tool
        def long() -> str:
            return "x" * 5_000_000

        for descriptor in (0, 1):
            os.set_blocking(descriptor, False)
        server.run()
    """
    process = start(program)
    line = process.connect(STATELESS)
    assert len(line.text("long")) == 5_000_000
    line.close()
    assert process.wait() == 0
