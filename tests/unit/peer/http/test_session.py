"""Sessions over HTTP."""

import threading
from collections.abc import Callable

import pytest

from paddock import ConnectError, connect
from paddock.peer.errors import HttpError
from tests.unit.peer.http.web import (
    SESSION,
    STATELESS,
    Asked,
    Handler,
    Web,
    in_session,
    one_after_the_other,
)

Serve = Callable[[dict[str, Handler]], Web]

PATIENCE = 10.0
ERA = "2025-11-25"


@pytest.mark.parametrize(
    "refuse",
    [
        lambda asked: asked.fail(-32601, "No such method"),
        lambda asked: asked.fail(-32600, "Missing session ID", 400),
        lambda asked: asked.body(
            b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No session"}}', 400
        ),
        lambda asked: asked.body(
            b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"?"}}',
            400,
            Mcp_Session_Id="not-for-us",
        ),
        lambda asked: asked.body(b"<h1>Bad Request</h1>", 400, "text/html"),
        lambda asked: asked.body(b"<h1>Not Found</h1>", 404, "text/html"),
        lambda asked: asked.body(b"", 405),
        lambda asked: asked.body(b"", 406),
        lambda asked: asked.body(b"oh no", 500, "text/plain"),
        lambda asked: asked.reply({**STATELESS, "supportedVersions": ["2031-01-01"]}),
        lambda asked: asked.body(b"", 202),
    ],
)
def test_a_server_that_refuses_the_first_request_is_offered_a_session(
    serve: Serve, refuse: Handler
) -> None:
    web = serve({**in_session(), "server/discover": refuse})
    with connect(web.url) as peer:
        assert peer.protocol_version == ERA
        assert peer.call("count").text == "done"


def test_a_server_that_names_a_version_of_ours_is_asked_again_in_it(serve: Serve) -> None:
    refusal = {"supported": ["2031-01-01", "2026-07-28"], "requested": "2026-07-28"}
    web = serve(
        {
            "server/discover": one_after_the_other(
                [
                    lambda asked: asked.fail(-32022, "Unsupported", 400, data=refusal),
                    lambda asked: asked.reply(STATELESS),
                ]
            )
        }
    )
    with connect(web.url) as peer:
        assert peer.protocol_version == "2026-07-28"
    assert web.methods() == ["server/discover"] * 2


def test_the_era_that_was_asked_for_is_the_only_one_that_is_tried(serve: Serve) -> None:
    web = serve({"server/discover": lambda asked: asked.body(b"", 404)})
    with pytest.raises(HttpError):
        connect(web.url, era="2026-07-28")
    assert web.methods() == ["server/discover"]


def test_a_page_of_the_web_is_no_endpoint(serve: Serve) -> None:
    page: Handler = lambda asked: asked.body(b"<h1>Welcome</h1>", 200, "text/html")  # noqa: E731 - twice
    web = serve({"server/discover": page, "initialize": page})
    with pytest.raises(HttpError) as caught:
        connect(web.url)
    assert (caught.value.status, caught.value.hint) == (
        200,
        "is this the URL of an MCP endpoint, and its path right?",
    )


def test_a_session_is_named_in_every_request_and_ended(serve: Serve) -> None:
    web = serve(in_session())
    with connect(web.url, era=ERA) as peer:
        peer.call("count")
        peer.call("count")
    named = [
        (
            asked.method,
            asked.headers.get("mcp-session-id"),
            asked.headers.get("mcp-protocol-version"),
        )
        for asked in web.asked
        if asked.method != "GET"
    ]
    assert named == [
        ("initialize", None, None),
        ("notifications/initialized", "session-1", ERA),
        ("tools/call", "session-1", ERA),
        ("tools/call", "session-1", ERA),
        ("DELETE", "session-1", ERA),
    ]


def test_a_session_without_an_id_is_not_ended(serve: Serve) -> None:
    web = serve(in_session(X_Other="1"))
    with connect(web.url, era=ERA) as peer:
        peer.call("count")
    assert "DELETE" not in web.methods()


def test_what_the_server_says_between_requests_is_heard_and_answered(serve: Serve) -> None:
    answered = threading.Event()

    def stream(asked: Asked) -> None:
        asked.open_stream(
            'id: 1\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
            'data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}\n\n',
        )
        asked.wait_for_end()

    def take(asked: Asked) -> None:
        asked.accept()
        answered.set()

    heard = threading.Event()
    web = serve({**in_session(), "GET": stream, "POST": take})
    with connect(
        web.url, era=ERA, roots=["file:///here"], on_notification=lambda *_: heard.set()
    ) as peer:
        assert heard.wait(PATIENCE)
        assert answered.wait(PATIENCE)
        peer.call("count")
    (answer,) = web.of("POST")
    assert answer.message["result"] == {"roots": [{"uri": "file:///here"}]}
    assert answer.headers["mcp-session-id"] == "session-1"


def test_the_stream_between_requests_goes_on_where_it_ended(serve: Serve) -> None:
    def ends(asked: Asked) -> None:
        asked.open_stream("id: 7\nretry: 1\ndata:\n\n")
        asked.end_stream()

    again = threading.Event()

    def lives(asked: Asked) -> None:
        asked.open_stream()
        again.set()
        asked.wait_for_end()

    web = serve({**in_session(), "GET": one_after_the_other([ends, lives])})
    with connect(web.url, era=ERA):
        assert again.wait(PATIENCE)
    assert [asked.headers.get("last-event-id") for asked in web.of("GET")] == [None, "7"]


def resumable(rest: Callable[[Asked, Asked], object]) -> dict[str, Handler]:
    """A server whose stream ends before the answer to a call; `rest` is what resuming gives."""
    calls: list[Asked] = []

    def call(asked: Asked) -> None:
        calls.append(asked)
        asked.open_stream("id: a1\nretry: 1\ndata:\n\n")
        asked.hang_up()

    def stream(asked: Asked) -> None:
        if "last-event-id" in asked.headers:
            rest(asked, calls[0])
        else:
            asked.body(b"", 405)

    return {**in_session(), "tools/call": call, "GET": stream}


DONE = {"content": [{"type": "text", "text": "done"}]}


def test_a_stream_that_breaks_before_the_answer_is_resumed(serve: Serve) -> None:
    turns: list[str] = []

    def rest(asked: Asked, call: Asked) -> None:
        turns.append(asked.headers["last-event-id"])
        if len(turns) == 1:
            asked.open_stream('id: a2\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n')
        else:
            asked.open_stream(call.result_event(DONE))
        asked.end_stream()

    web = serve(resumable(rest))
    with connect(web.url, era=ERA) as peer:
        assert peer.call("slow").text == "done"
    assert turns == ["a1", "a2"]
    assert len(web.of("tools/call")) == 1


def test_a_call_whose_stream_cannot_be_resumed_fails_and_is_not_repeated(serve: Serve) -> None:
    web = serve(resumable(lambda asked, _: asked.body(b"gone", 404, "text/plain")))
    with connect(web.url, era=ERA) as peer, pytest.raises(HttpError) as caught:
        peer.call("slow")
    assert caught.value.status == 404
    assert len(web.of("tools/call")) == 1


def test_an_answer_on_another_stream_is_the_answer(serve: Serve) -> None:
    """Some servers answer on the stream between requests what they were asked elsewhere."""
    waiting: list[Asked] = []
    called = threading.Event()

    def call(asked: Asked) -> None:
        waiting.append(asked)
        asked.open_stream(": nothing here\n\n")
        called.set()
        asked.wait_for_end()

    def stream(asked: Asked) -> None:
        asked.open_stream()
        assert called.wait(PATIENCE)
        asked.event(waiting[0].result_event(DONE))
        asked.wait_for_end()

    web = serve({**in_session(), "tools/call": call, "GET": stream})
    with connect(web.url, era=ERA) as peer:
        assert peer.call("odd").text == "done"


def forgetful(times: int) -> tuple[dict[str, Handler], list[str]]:
    """A server that loses its session so many times."""
    opened: list[str] = []

    def initialize(asked: Asked) -> None:
        opened.append(f"session-{len(opened) + 1}")
        asked.reply(SESSION, Mcp_Session_Id=opened[-1])

    def call(asked: Asked) -> None:
        if len(opened) <= times or asked.headers["mcp-session-id"] != opened[-1]:
            asked.fail(-32600, "Session not found", 404)
        else:
            asked.say("done")

    return {**in_session(), "initialize": initialize, "tools/call": call}, opened


def test_a_session_that_is_gone_is_opened_anew_and_the_request_repeated(serve: Serve) -> None:
    handlers, opened = forgetful(1)
    web = serve(handlers)
    with connect(web.url, era=ERA) as peer:
        waiting = [peer.start("tools/call", {"name": "count"}) for _ in range(5)]
        assert [call.result() for call in waiting] == [DONE] * 5
    assert opened == ["session-1", "session-2"]
    assert web.asked[-1].headers["mcp-session-id"] == "session-2"
    assert len(web.of("notifications/initialized")) == 2


def test_a_session_that_is_gone_again_is_an_error(serve: Serve) -> None:
    handlers, opened = forgetful(9)
    web = serve(handlers)
    with connect(web.url, era=ERA) as peer, pytest.raises(ConnectError):
        peer.call("count")
    assert len(opened) == 2


def test_cancelling_in_a_session_sends_a_message(serve: Serve) -> None:
    begun, told, ended = threading.Event(), threading.Event(), threading.Event()

    def call(asked: Asked) -> None:
        begun.set()
        if asked.wait_for_end():
            ended.set()

    def cancelled(asked: Asked) -> None:
        asked.accept()
        told.set()

    web = serve({**in_session(), "tools/call": call, "notifications/cancelled": cancelled})
    with connect(web.url, era=ERA) as peer:
        waiting = peer.start("tools/call", {"name": "slow"})
        assert begun.wait(PATIENCE)
        waiting.cancel()
        assert told.wait(PATIENCE)
        assert ended.wait(PATIENCE)
    (call_frame,) = web.of("tools/call")
    (notice,) = web.of("notifications/cancelled")
    assert notice.message["params"] == {"requestId": call_frame.message["id"]}
