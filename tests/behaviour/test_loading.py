"""Answer first, load later: `paddock serve` and the module behind it."""

import os
from pathlib import Path

import pytest

from tests.behaviour.process import serve_command
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Start


class Held:
    """A served program whose module does not finish loading before it is let go."""

    def __init__(self, start: Start, era: str, after: str) -> None:
        self.gate = start.directory / "gate"
        os.mkfifo(self.gate)
        program = start.directory / "held.py"
        program.write_text(
            "from paddock import Server\n"
            "server = Server('held', version='1', instructions='Wait')\n"
            f"open({str(self.gate)!r}).close()\n"
            f"{after}\n",
            encoding="utf-8",
        )
        self.process = start.command(serve_command(program))
        self.line = self.process.connect(era)

    def let_go(self) -> None:
        with self.gate.open("w"):
            pass


TOOL = """
@server.tool
def hi() -> str:
    return "hello"
"""


def test_the_handshake_is_answered_while_the_module_is_loading(start: Start, era: str) -> None:
    held = Held(start, era, TOOL)
    line = held.line
    if era == SESSION:
        answer = line.open()["result"]
        assert answer["serverInfo"] == {"name": "held", "version": "1"}
        assert line.ask("ping")["result"] == {}
    else:
        answer = line.ask("server/discover")["result"]
    assert answer["instructions"] == "Wait"
    listed, called = line.request("tools/list"), line.begin_call("hi")
    assert line.heard() == []
    held.let_go()
    assert [tool["name"] for tool in line.answer(listed)["result"]["tools"]] == ["hi"]
    assert line.answer(called)["result"]["content"][0]["text"] == "hello"


def test_a_request_cancelled_while_the_module_is_loading_is_not_answered(
    start: Start, era: str
) -> None:
    held = Held(start, era, TOOL)
    line = held.line
    if era == SESSION:
        line.open()
    cancelled, kept = line.begin_call("hi"), line.begin_call("hi")
    line.cancel(cancelled)
    assert line.heard() == []
    held.let_go()
    assert "result" in line.answer(kept)
    assert line.close() == []


def test_a_listener_may_begin_while_the_module_is_loading(start: Start) -> None:
    held = Held(start, STATELESS, TOOL + "server.tool(lambda: '', name='later')\n")
    line = held.line
    request_id = line.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    line.notification("notifications/subscriptions/acknowledged")
    held.let_go()
    assert len(line.result("tools/list")["tools"]) == 2
    line.close()
    assert "result" in line.answer(request_id)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("raise LookupError('no such thing')", "no such thing"),
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
        ("raise SystemExit('leaving')", "leaving"),
        ("del server", "no server"),
    ],
)
def test_a_module_that_fails_to_load_is_reported_to_the_client_and_on_standard_error(
    start: Start, era: str, after: str, said: str
) -> None:
    held = Held(start, era, after)
    line = held.line
    if era == SESSION:
        line.open()
    listed = line.request("tools/list")
    held.let_go()
    error = line.answer(listed)["error"]
    assert error["code"] == -32603
    assert said in error["message"]
    assert said in line.error("tools/call", {"name": "hi"})["message"]
    assert line.heard() == []
    line.close()
    assert held.process.wait() == 0
    assert said in held.process.stderr


def test_a_module_with_a_syntax_error_is_reported_to_the_client(start: Start, era: str) -> None:
    process = start("def broken(:\n", is_served=True)
    line = process.connect(era)
    if era == SESSION:
        line.open()
    message = line.error("tools/list")["message"]
    assert "SyntaxError" in message
    assert ":1" in message
    line.close()
    assert process.wait() == 0


def test_an_object_of_a_module_is_served_by_its_name(start: Start) -> None:
    program = start.directory / "several.py"
    program.write_text(
        "from paddock import Server\n"
        "one = Server('one')\n"
        "two = Server('two')\n"
        "def made():\n"
        "    return Server('made')\n",
        encoding="utf-8",
    )
    for name in ("one", "two", "made"):
        process = start.command([*serve_command(program)[:-1], f"{program}:{name}"])
        line = process.connect()
        assert line.open()["result"]["serverInfo"]["name"] == name
        line.close()
        assert process.wait() == 0


def test_a_directory_is_served(start: Start, tmp_path: Path) -> None:
    tools = tmp_path / "served" / "tools"
    tools.mkdir(parents=True)
    (tools / "hi.py").write_text("def hi() -> str:\n    return 'hello'\n", encoding="utf-8")
    (tools / "bad.py").write_text("def bad(:\n", encoding="utf-8")
    process = start.command(serve_command(tmp_path / "served"))
    line = process.connect(STATELESS)
    assert line.text("hi") == "hello"
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["hi"]
    line.close()
    assert process.wait() == 0
    assert "bad.py" in process.stderr


def test_what_is_not_a_file_is_refused_with_a_reason(start: Start) -> None:
    process = start.command(serve_command(start.directory / "nowhere.py"))
    assert process.wait() == 2
    assert "nowhere.py" in process.stderr
    assert "Traceback" not in process.stderr
