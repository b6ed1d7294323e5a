import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock.client.callbacks import MAX_OPEN_REQUESTS, MAX_QUEUED_REQUESTS
from paddock.client.calls import MAX_INPUT_ROUNDS
from paddock.client.connect import connect
from paddock.client.connect_options import Json
from paddock.client.errors import AnswerError, CallCancelledError
from paddock.protocol.errors import ProtocolError

Script = Callable[[str], list[str]]

ASK = """
def ask(request, **more):
    question = {"method": "elicitation/create", "params": {"message": "Who?"}}
    reply(request, resultType="input_required", inputRequests={"who": question}, **more)

open_stateless()
"""


def test_questions_are_answered_by_repeating_the_request(script: Script) -> None:
    command = script(
        ASK
        + """
first = read()
ask(first, requestState="s1")
second = read()
assert second["id"] != first["id"]
ask(second, requestState="s2")
third = read()
say(third, json.dumps([second["params"], third["params"]]))
"""
    )
    names = iter(["Ada", "Grace"])
    asked: list[Json] = []

    def on_elicit(params: Json) -> Json:
        asked.append(params)
        return {"action": "accept", "content": {"name": next(names)}}

    with connect(command, on_elicit=on_elicit) as peer:
        second, third = json.loads(peer.call("greet", times=2).text)
    assert asked == [{"message": "Who?"}] * 2
    for params, name, state in ((second, "Ada", "s1"), (third, "Grace", "s2")):
        assert (params["name"], params["arguments"]) == ("greet", {"times": 2})
        assert params["requestState"] == state
        assert params["inputResponses"] == {
            "who": {"action": "accept", "content": {"name": name}},
        }


def test_the_number_of_rounds_is_bounded(script: Script) -> None:
    command = script(ASK + "while True: ask(read())")
    with (
        connect(command, on_elicit=lambda _: None, record=True) as peer,
        pytest.raises(AnswerError, match=f"more than {MAX_INPUT_ROUNDS} times"),
    ):
        peer.call("greet")
    assert len(peer.sent) == 2 + MAX_INPUT_ROUNDS


def test_an_exception_of_a_callback_reaches_the_caller(script: Script) -> None:
    def on_elicit(params: Json) -> Json:
        raise LookupError(params["message"])

    with (
        connect(script(ASK + "ask(read())"), on_elicit=on_elicit) as peer,
        pytest.raises(LookupError, match=r"Who\?"),
    ):
        peer.call("greet")


def test_a_question_without_a_callback_ends_the_call(script: Script) -> None:
    with (
        connect(script(ASK + "ask(read())")) as peer,
        pytest.raises(ProtocolError, match="does not support elicitation/create"),
    ):
        peer.call("greet")


@pytest.mark.parametrize("questions", ["3", '{"who": 3}', '{"who": {"params": {}}}'])
def test_a_malformed_question_is_an_error(script: Script, questions: str) -> None:
    answer = f"reply(read(), resultType='input_required', inputRequests={questions})"
    with (
        connect(script(f"open_stateless(); {answer}")) as peer,
        pytest.raises(AnswerError, match="inputRequests"),
    ):
        peer.call("greet")


def test_a_call_cancelled_while_a_question_is_open_is_not_repeated(script: Script) -> None:
    is_asked, may_answer = threading.Event(), threading.Event()

    def on_elicit(_: Json) -> None:
        is_asked.set()
        assert may_answer.wait(5)

    command = script(ASK + "ask(read()); reply(read(), n=2)")
    with connect(command, on_elicit=on_elicit, record=True) as peer:
        pending = peer.start("tools/call", {"name": "greet"})
        assert is_asked.wait(5)
        pending.cancel()
        may_answer.set()
        assert peer.request("tools/list") == {"n": 2}
        with pytest.raises(CallCancelledError):
            pending.result()
    methods = [json.loads(frame)["method"] for frame in peer.sent]
    assert methods == ["server/discover", "tools/call", "tools/list"]


QUESTIONS = """
open_session()
call = read()
answers = {}
for number, (method, params) in enumerate([
    ("elicitation/create", {"message": "Who?"}),
    ("sampling/createMessage", {"messages": []}),
    ("roots/list", {}),
    ("ping", {}),
    ("no/such", {}),
]):
    send(id=f"q{number}", method=method, params=params)
    answer = read()
    assert answer["id"] == f"q{number}"
    answers[method] = answer.get("result", answer.get("error"))
say(call, json.dumps(answers))
"""


def test_in_a_session_the_servers_requests_are_answered(script: Script, tmp_path: Path) -> None:
    with connect(
        script(QUESTIONS),
        on_elicit=lambda params: {"action": "accept", "content": {"asked": params["message"]}},
        on_sample=lambda _: "42",
        roots=["file:///data", tmp_path, {"uri": "file:///x", "name": "x"}],
    ) as peer:
        answers = json.loads(peer.call("ask").text)
    assert answers == {
        "elicitation/create": {"action": "accept", "content": {"asked": "Who?"}},
        "sampling/createMessage": {
            "role": "assistant",
            "content": {"type": "text", "text": "42"},
            "model": "paddock",
        },
        "roots/list": {
            "roots": [
                {"uri": "file:///data"},
                {"uri": tmp_path.as_uri()},
                {"uri": "file:///x", "name": "x"},
            ]
        },
        "ping": {},
        "no/such": {"code": -32601, "message": "This client does not support no/such"},
    }


def test_in_a_session_a_failing_callback_is_an_error_to_the_server(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda details: faults.append(details.exc_type))

    def on_elicit(_: Json) -> Json:
        raise LookupError("no one there")

    command = script("""
open_session()
call = read()
send(id=1, method="elicitation/create", params={})
say(call, json.dumps(read()["error"]))
""")
    with connect(command, on_elicit=on_elicit) as peer:
        error = json.loads(peer.call("ask").text)
    assert error == {"code": -32603, "message": "The client's callback failed: no one there"}
    assert faults == [LookupError]


def test_a_question_that_the_server_withdraws_is_not_answered(script: Script) -> None:
    is_withdrawn = threading.Event()

    def on_elicit(_: Json) -> Json:
        assert is_withdrawn.wait(5)
        return {"action": "cancel"}

    def on_notification(method: str, _: Json) -> None:
        if method == "notifications/cancelled":
            is_withdrawn.set()

    command = script("""
open_session()
call = read()
send(id="q", method="elicitation/create", params={})
send(method="notifications/cancelled", params={"requestId": "q"})
send(method="notifications/cancelled", params={"requestId": {}})
say(call, "done")
reply(read())
""")
    with connect(
        command, on_elicit=on_elicit, on_notification=on_notification, record=True
    ) as peer:
        assert peer.call("ask").text == "done"
        peer.ping()
    assert not [frame for frame in peer.sent if b'"q"' in frame]


def test_a_callback_may_call_the_server(script: Script) -> None:
    command = script("""
open_session()
call = read()
send(id="q", method="elicitation/create", params={})
say(read(), "Ada")
say(call, read()["result"]["content"]["name"])
""")

    def on_elicit(_: Json) -> Json:
        return {"action": "accept", "content": {"name": peer.call("whoami").text}}

    with connect(command, on_elicit=on_elicit) as peer:
        assert peer.call("greet").text == "Ada"


def test_without_a_session_the_servers_requests_are_not_answered(script: Script) -> None:
    command = script("""
open_stateless()
call = read()
send(id="q", method="ping")
say(call, "done")
say(read(), "still fine")
""")
    with connect(command, record=True) as peer:
        assert peer.call("a").text == "done"
        assert peer.call("b").text == "still fine"
    assert not [frame for frame in peer.sent if b'"q"' in frame]


FLOOD = """
open_session()
call = read()
for number in range({count}):
    send(id=f"q{{number}}", method="elicitation/create", params={{}})
send(id="sign", method="ping")
refused = [read() for _ in range({refused})]
sign = read()
assert all(answer["error"]["code"] == -32603 for answer in refused)
assert sign == {{"jsonrpc": "2.0", "id": "sign", "result": {{}}}}
say(call, "asked")
while True:
    read()
"""


def test_a_server_that_asks_too_much_is_reported_so_and_no_thread_is_made_for_it(
    script: Script,
) -> None:
    decide = threading.Event()

    def elicit(_: Json) -> None:
        assert decide.wait(20)

    command = script(FLOOD.format(count=MAX_OPEN_REQUESTS + MAX_QUEUED_REQUESTS + 50, refused=50))
    with connect(command, era="2025-11-25", on_elicit=elicit) as peer:
        assert peer.call("ask").text == "asked"
        names = [thread.name for thread in threading.enumerate()]
        decide.set()
    assert names.count("paddock-questions") == MAX_OPEN_REQUESTS
