"""No message is lost when threads and the event loop take turns in reading a stream."""

import json
import threading

import pytest

from tests.behaviour.wire import STATELESS
from tests.conftest import Start

MIXED = """
    import asyncio
    import time

    from paddock import Server

    server = Server("mixed")

    @server.tool
    async def later(x: int) -> int:
        return x

    @server.tool
    def now(x: int, text: str = "") -> int:
        return x

    @server.tool
    async def block(seconds: float) -> str:
        time.sleep(seconds)
        return "blocked"

    @server.tool
    def long() -> str:
        return "x" * 1_000_000

    server.run()
"""


def test_reading_that_went_back_and_forth_has_one_reader(start: Start) -> None:
    process = start(MIXED)
    line = process.connect()
    line.open()
    for number in range(40):
        line.call("later", {"x": number})
    line.call("now", {"x": 1})
    # Longer than the guard of the event loop waits before it hands the reading back.
    threading.Event().wait(1.6)
    ids = [
        line.begin_call("now", {"x": number, "text": "x" * (200_000 if number % 3 == 0 else 10)})
        for number in range(300)
    ]
    for number, request_id in enumerate(ids):
        assert line.answer(request_id)["result"]["structuredContent"] == {"result": number}
    line.close()
    assert process.wait() == 0


def test_a_blocked_loop_does_not_keep_others_from_being_answered(start: Start) -> None:
    process = start(MIXED)
    line = process.connect()
    line.open()
    for number in range(40):
        line.call("later", {"x": number})
    blocked = line.begin_call("block", {"seconds": 1.5})
    assert line.call("now", {"x": 7})["structuredContent"] == {"result": 7}
    assert line.answer(blocked)["result"]["content"][0]["text"] == "blocked"
    line.close()
    assert process.wait() == 0


def test_an_answer_of_the_client_that_is_too_long_fails_only_the_question(start: Start) -> None:
    program = """
        from paddock import Context, Server

        server = Server("asking", max_message=100_000)

        @server.tool
        def ask(ctx: Context) -> str:
            return str(ctx.elicit("Say something", str).wait())

        server.run()
    """
    process = start(program)
    line = process.connect(capabilities={"elicitation": {}})
    line.open()
    call = line.begin_call("ask")
    question = line.take(lambda message: message.get("method") == "elicitation/create")
    line.reply(question, {"action": "accept", "content": {"value": "x" * 200_000}})
    result = line.answer(call)["result"]
    assert result["isError"]
    assert "longer than this server accepts" in result["content"][0]["text"]
    line.close()
    assert process.wait() == 0


@pytest.mark.parametrize("method", ["tools/list", "prompts/list"])
def test_an_item_that_fails_in_an_unforeseen_way_does_not_leave_a_list_unanswered(
    start: Start, method: str
) -> None:
    program = """
        from paddock import Server

        server = Server("faulty")

        @server.tool
        def wrong(x: "1/0") -> str:
            return ""

        @server.prompt
        def also_wrong(x: "1/0") -> str:
            return ""

        server.run()
    """
    process = start(program)
    line = process.connect(STATELESS)
    assert line.result(method)[method.partition("/")[0]] == []
    assert "result" in line.ask("server/discover")
    line.close()
    assert process.wait() == 0


def test_a_client_that_reads_slowly_after_hanging_up_gets_every_answer(start: Start) -> None:
    process = start(MIXED)
    line = process.connect()
    line.open()
    ids = [line.begin_call("long") for _ in range(20)]
    line.close()
    answers = {message["id"] for message in line.close() if "id" in message}
    assert answers == set(ids)
    assert process.wait() == 0


def test_a_request_nested_too_deeply_is_refused_with_its_id(start: Start) -> None:
    process = start(MIXED)
    line = process.connect()
    line.open()
    frame = {**line.frame("ping"), "id": 77}
    text = json.dumps(frame)[:-1] + ', "params": {"deep": ' + "[" * 40_000 + "]" * 40_000 + "}}"
    line.write(text.encode() + b"\n", recorded=frame)
    assert line.answer(77)["error"]["code"] == -32600
    line.close()
    assert process.wait() == 0
