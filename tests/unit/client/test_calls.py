import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from paddock.client.connect import connect
from paddock.client.connect_options import Transcript
from paddock.client.errors import (
    AnswerError,
    CallCancelledError,
    PeerError,
    PeerTimeoutError,
)
from paddock.errors import ConnectError

Script = Callable[[str], list[str]]


def test_an_error_is_raised_with_its_code_and_data(script: Script) -> None:
    command = script("open_stateless(); fail(read(), -32602, 'No such tool', data={'name': 'x'})")
    with connect(command) as peer, pytest.raises(PeerError, match="No such tool") as caught:
        peer.call("x")
    assert (caught.value.rpc_code, caught.value.data) == (-32602, {"name": "x"})


def test_lines_that_are_not_a_messages_are_skipped(script: Script) -> None:
    command = script("""
open_stateless()
request = read()
print("Loading the model...")
print()
print('{"jsonrpc": "2.0", "id": 999, "result": {}}')
print('{"jsonrpc": "2.0", "id": null, "error": {}}')
say(request, "hello")
""")
    with connect(command) as peer:
        assert peer.call("greet").text == "hello"


@pytest.mark.parametrize("value", [b'"\xff"', b"1e999"])
def test_an_answer_that_cannot_be_read_is_an_error_at_once(script: Script, value: bytes) -> None:
    command = script(f"""
open_stateless()
head = b'{{"jsonrpc": "2.0", "id": %d, "result": {{"x":' % read()["id"]
sys.stdout.buffer.write(head + bytes.fromhex("{value.hex()}") + b'}}}}\\n')
sys.stdout.buffer.flush()
read()
""")
    with connect(command) as peer, pytest.raises(AnswerError, match="cannot be read"):
        peer.call("count")


def test_who_watches_and_fails_does_not_end_the_connection(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda details: faults.append(details.exc_type))

    def watch(_: object) -> None:
        raise LookupError

    command = script("open_stateless(); say(read(), 'hello'); read()")
    with connect(command, record=Transcript(watch)) as peer:
        assert peer.call("greet").text == "hello"
    assert faults == [LookupError] * 4


def test_several_answers_may_come_as_one_array(script: Script) -> None:
    command = script("""
open_session("2025-03-26")
answers = [{"jsonrpc": "2.0", "id": read()["id"], "result": {"n": n}} for n in (1, 2)]
print(json.dumps(answers), flush=True)
""")
    with connect(command, era="2025-03-26") as peer:
        first, second = peer.start("a"), peer.start("b")
        assert [first.result(), second.result()] == [{"n": 1}, {"n": 2}]


def test_answers_find_their_callers_in_any_order(script: Script) -> None:
    command = script("""
open_stateless()
requests = [read() for _ in range(8)]
for request in reversed(requests):
    say(request, request["params"]["arguments"]["word"])
""")
    words = [f"word-{n}" for n in range(8)]
    with connect(command) as peer, ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda word: peer.call("echo", word=word).text, words)
        assert list(results) == words


def test_a_request_without_an_answer_times_out_and_is_cancelled(script: Script) -> None:
    command = script("""
open_stateless()
print("not a message", flush=True)
request, cancelled = read(), read()
assert cancelled["params"]["requestId"] == request["id"]
say(read(), cancelled["method"])
""")
    with connect(command) as peer:
        with pytest.raises(PeerTimeoutError) as caught:
            peer.within(0.01).call("slow")
        assert peer.call("what").text == "notifications/cancelled"
    assert caught.value.message == "No answer to tools/call within 0.01 s"


def test_a_timeout_says_what_else_the_server_has_printed(script: Script) -> None:
    command = script(
        "open_stateless(); request = read(); print('Hi!'); say(request, ''); read(), read()"
    )
    with connect(command) as peer:
        peer.call("talk")
        with pytest.raises(PeerTimeoutError) as caught:
            peer.request("silence", timeout=0.01)
    assert caught.value.hint == "the server also sent: Hi!"


def test_a_pending_call_can_be_waited_for_again(script: Script) -> None:
    command = script("open_stateless(); first = read(); read(); say(first, 'at last')")
    with connect(command) as peer:
        pending = peer.start("tools/call", {"name": "slow"})
        with pytest.raises(PeerTimeoutError):
            pending.result(0.01)
        assert not pending.is_done
        peer.notify("notifications/go")
        assert pending.result()["content"] == [{"type": "text", "text": "at last"}]


def test_a_cancelled_call_tells_the_server_why(script: Script) -> None:
    command = script("open_stateless(); first = read(); read(); say(first, 'too late'); read()")
    with connect(command, record=True) as peer:
        pending = peer.start("tools/call", {"name": "slow"})
        pending.cancel("changed my mind")
        with pytest.raises(CallCancelledError, match="changed my mind"):
            pending.result()
    assert json.loads(peer.sent[-1]) == {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 2, "reason": "changed my mind"},
    }


def test_cancelling_what_is_done_does_nothing(script: Script) -> None:
    command = script("open_stateless(); reply(read(), n=1); read()")
    with connect(command, record=True) as peer:
        pending = peer.start("tools/list")
        assert pending.result() == {"n": 1}
        pending.cancel()
        assert pending.result() == {"n": 1}
    assert len(peer.sent) == 2


def test_a_server_that_dies_in_a_call_is_reported_then_and_later(script: Script) -> None:
    command = script("open_stateless(); read(); sys.exit(7)")
    with connect(command) as peer:
        for _ in range(2):
            with pytest.raises(ConnectError, match="The server ended with exit code 7"):
                peer.call("die")


def test_closing_ends_the_wait_of_others(script: Script) -> None:
    peer = connect(script("open_stateless(); read(); read()"))
    pending = peer.start("tools/call", {"name": "slow"})
    peer.close()
    peer.close()
    with pytest.raises(ConnectError, match="The connection was closed"):
        pending.result()
    with pytest.raises(ConnectError, match="The connection was closed"):
        peer.call("again")


def test_a_server_that_does_not_read_cannot_hold_up_a_caller(script: Script) -> None:
    command = script("open_stateless(); time.sleep(600)")
    with connect(command) as peer, pytest.raises(PeerTimeoutError):
        peer.within(0.1).call("large", text="x" * 4_000_000)


def test_a_server_that_will_not_end_is_made_to(script: Script) -> None:
    command = script("""
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open_stateless()
while True:
    time.sleep(600)
""")
    peer = connect(command)
    peer.close()
    with pytest.raises(ConnectError):
        peer.call("again")


def test_a_large_answer_arrives_whole(script: Script) -> None:
    command = script("open_stateless(); say(read(), 'x' * 5_000_000)")
    with connect(command) as peer:
        assert len(peer.call("large").text) == 5_000_000


def test_lists_follow_all_pages(script: Script) -> None:
    command = script("""
open_stateless()
tool = {"inputSchema": {"type": "object"}}
request = read()
assert "cursor" not in request["params"]
reply(request, tools=[{"name": "a", **tool}], nextCursor="")
request = read()
assert request["params"]["cursor"] == ""
reply(request, tools=[{"name": "b", **tool}], nextCursor="2")
reply(read(), tools=[{"name": "c", **tool}])
""")
    with connect(command) as peer:
        assert [tool.name for tool in peer.tools()] == ["a", "b", "c"]


def test_a_list_that_never_ends_is_an_error(script: Script) -> None:
    command = script("""
open_stateless()
while True:
    reply(read(), prompts=[], nextCursor="1")
""")
    with connect(command) as peer, pytest.raises(AnswerError, match="twice"):
        peer.prompts()


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("send(id=read()['id'], result=[])", "Expected an object as the result"),
        ("send(id=read()['id'])", "Expected an object as the result"),
        ("reply(read(), tools=[{'name': 3}])", r"Expected `str`, got `int` - at `\$\[0\]\.name`"),
        ("reply(read())", "Expected `array`, got `null`"),
    ],
)
def test_an_answer_that_makes_no_sense_is_an_error(
    script: Script, answer: str, complaint: str
) -> None:
    with (
        connect(script(f"open_stateless(); {answer}; read()")) as peer,
        pytest.raises(AnswerError, match=complaint),
    ):
        peer.tools()


ENDLESS = """
open_stateless()
page = 0
while True:
    request = read()
    page += 1
    {pause}
    reply(request, tools=[], nextCursor=str(page))
"""


def test_lists_without_an_end_are_an_error(script: Script) -> None:
    command = script(ENDLESS.format(pause=""))
    with connect(command) as peer, pytest.raises(AnswerError, match="more than 1000 pages"):
        peer.tools()


def test_all_pages_of_a_list_have_to_come_within_the_timeout(script: Script) -> None:
    command = script(ENDLESS.format(pause="time.sleep(0.05)"))
    with connect(command) as peer, pytest.raises(PeerTimeoutError):
        peer.within(0.3).tools()
