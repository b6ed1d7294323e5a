"""Calls that a server answers with tasks, which are followed to their end."""

import threading
from collections.abc import Callable

import pytest

from paddock import PeerTimeoutError, connect
from paddock.client.connect_options import Json
from paddock.client.errors import CallCancelledError
from tests.unit.client.http.web import Asked, Handler, Web

Serve = Callable[[dict[str, Handler]], Web]

PATIENCE = 10.0
WORKING: Json = {"taskId": "task-1", "status": "working", "ttlMs": None}
DONE: Json = {"content": [{"type": "text", "text": "done"}]}
COMPLETED: Json = {**WORKING, "status": "completed", "result": DONE}


def tasked(*, get: Handler, cancel: Handler | None = None, **named: object) -> dict[str, Handler]:
    """A server that makes a task of every call."""
    return {
        "tools/call": lambda asked: asked.reply({**WORKING, **named, "resultType": "task"}),
        "tasks/get": get,
        "tasks/cancel": cancel or (lambda asked: asked.reply({"resultType": "complete"})),
    }


def looks(**more: object) -> Handler:
    return lambda asked: asked.reply({**WORKING, **more, "resultType": "complete"})


def test_a_task_is_looked_at_no_more_often_than_the_server_says(serve: Serve) -> None:
    web = serve(tasked(get=looks(pollIntervalMs=60_000)))
    with connect(web.url, tasks=True) as peer, pytest.raises(PeerTimeoutError):
        peer.within(0.6).call("slow")
    assert len(web.of("tasks/get")) == 1


@pytest.mark.parametrize("interval", [0, -5, 10**30, "soon", None])
def test_no_interval_makes_a_task_be_looked_at_all_the_time(serve: Serve, interval: object) -> None:
    web = serve(tasked(get=looks(pollIntervalMs=interval)))
    with connect(web.url, tasks=True) as peer, pytest.raises(PeerTimeoutError):
        peer.within(0.5).call("slow")
    assert 1 <= len(web.of("tasks/get")) <= 10


def test_a_task_is_cancelled_without_waiting_for_the_server(serve: Serve) -> None:
    """Which has two chances to hold us up: how the task goes, and that it is to end."""
    looked, told, ended = threading.Event(), threading.Event(), threading.Event()

    def get(asked: Asked) -> None:
        looked.set()
        if asked.wait_for_end():
            ended.set()

    def cancel(asked: Asked) -> None:
        told.set()
        asked.wait_for_end()

    web = serve(tasked(get=get, cancel=cancel))
    with connect(web.url, tasks=True, timeout=PATIENCE) as peer:
        call = peer.start("tools/call", {"name": "slow"})
        assert looked.wait(PATIENCE)
        call.cancel()
        with pytest.raises(CallCancelledError):
            call.result(0)
        assert told.wait(PATIENCE / 2)
        assert ended.wait(PATIENCE / 2)


def test_a_call_that_takes_too_long_says_so_though_its_task_cannot_be_cancelled(
    serve: Serve,
) -> None:
    refuse: Handler = lambda asked: asked.fail(-32602, "No such task", 400)  # noqa: E731 - an argument
    web = serve(tasked(get=looks(), cancel=refuse))
    too_late = pytest.raises(PeerTimeoutError, match="No answer to tools/call within 0")
    with connect(web.url, tasks=True) as peer, too_late:
        peer.within(0.3).call("slow")
    assert len(web.of("tasks/cancel")) == 1


def test_questions_about_a_task_that_are_not_answered_are_given_up(serve: Serve) -> None:
    ended = threading.Event()

    def hang(asked: Asked) -> None:
        if asked.wait_for_end():
            ended.set()

    web = serve(tasked(get=hang))
    with connect(web.url, tasks=True) as peer:
        with pytest.raises(PeerTimeoutError):
            peer.within(0.3).start("tools/call", {"name": "slow"}).result(PATIENCE)
        assert ended.wait(PATIENCE / 2)


def test_a_task_is_cancelled_even_if_the_connection_is_closed_at_once(serve: Serve) -> None:
    looked = threading.Event()

    def get(asked: Asked) -> None:
        asked.reply({**WORKING, "resultType": "complete"})
        looked.set()

    web = serve(tasked(get=get))
    with connect(web.url, tasks=True) as peer:
        call = peer.start("tools/call", {"name": "slow"})
        assert looked.wait(PATIENCE)
        call.cancel()
    assert len(web.of("tasks/cancel")) == 1


def test_a_task_is_cancelled_when_its_question_cannot_be_answered(serve: Serve) -> None:
    told = threading.Event()

    def cancel(asked: Asked) -> None:
        asked.reply({"resultType": "complete"})
        told.set()

    def elicit(_: Json) -> Json:
        raise LookupError("no one is here")

    questions = {"q": {"method": "elicitation/create", "params": {}}}
    asking = looks(status="input_required", inputRequests=questions)
    web = serve(tasked(get=asking, cancel=cancel))
    with connect(web.url, tasks=True, on_elicit=elicit) as peer:
        with pytest.raises(LookupError):
            peer.call("ask")
        assert told.wait(PATIENCE)


def test_a_callback_may_call_what_becomes_a_task(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        if asked.message["params"]["name"] == "talk":
            said = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}'
            asked.open_stream(f"data: {said}\n\n", asked.result_event(DONE))
            asked.end_stream()
        else:
            asked.reply({**WORKING, "resultType": "task"})

    web = serve({**tasked(get=lambda asked: asked.reply(COMPLETED)), "tools/call": call})
    texts: list[str] = []
    with connect(
        web.url, tasks=True, timeout=PATIENCE, on_log=lambda _: texts.append(peer.call("t").text)
    ) as peer:
        peer.call("talk")
    assert texts == ["done"]


def test_a_question_about_a_task_asks_for_no_progress(serve: Serve) -> None:
    web = serve(tasked(get=lambda asked: asked.reply(COMPLETED)))
    with connect(web.url, tasks=True, on_progress=lambda _: None) as peer:
        assert peer.call("count").text == "done"
    (call,), (get,) = web.of("tools/call"), web.of("tasks/get")
    meta = call.message["params"]["_meta"]
    assert meta.pop("progressToken")
    assert get.message["params"]["_meta"] == meta
