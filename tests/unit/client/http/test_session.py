"""Sessions over HTTP."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from paddock import ConnectError, PeerTimeoutError, connect
from paddock.client.errors import HttpError
from tests.unit.client.http.web import (
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


def test_a_server_that_leaves_the_first_request_open_is_not_left_with_it(serve: Serve) -> None:
    ended = threading.Event()

    def hang(asked: Asked) -> None:
        if asked.wait_for_end():
            ended.set()

    web = serve({**in_session(), "server/discover": hang})
    with connect(web.url, probe_timeout=0.1) as peer:
        assert peer.call("count").text == "done"
        assert ended.wait(PATIENCE / 2)


def test_nothing_is_left_of_a_session_that_was_refused(serve: Serve) -> None:
    """As the threads that are left after each test prove."""

    def refuse(asked: Asked) -> None:
        asked.open_stream('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
        asked.event(asked.result_event({"protocolVersion": "1999-01-01"}))
        asked.end_stream()

    web = serve({**in_session(), "initialize": refuse})
    with pytest.raises(ConnectError):
        connect(web.url, era=ERA, on_log=lambda _: None)


def test_a_server_that_names_a_version_of_paddock_is_asked_again_in_it(serve: Serve) -> None:
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


def test_a_page_of_the_web_is_not_an_endpoint(serve: Serve) -> None:
    page: Handler = lambda asked: asked.body(b"<h1>Welcome</h1>", 200, "text/html")  # noqa: E731 - twice
    web = serve({"server/discover": page, "initialize": page})
    with pytest.raises(HttpError) as caught:
        connect(web.url)
    assert (caught.value.status, caught.value.hint) == (
        200,
        "check that the URL and its path are those of an MCP endpoint",
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


@pytest.mark.parametrize("name", ["é1", "日本"])
def test_the_place_to_resume_at_is_named_as_the_server_named_it(serve: Serve, name: str) -> None:
    def call(asked: Asked) -> None:
        asked.open_stream(f"id: {name}\nretry: 1\ndata:\n\n")
        asked.hang_up()

    def rest(asked: Asked) -> None:
        if "last-event-id" in asked.headers:
            asked.open_stream(web.of("tools/call")[0].result_event(DONE))
            asked.end_stream()
        else:
            asked.body(b"", 405)

    web = serve({**in_session(), "tools/call": call, "GET": rest})
    with connect(web.url, era=ERA) as peer:
        assert peer.call("slow").text == "done"
    named = [asked.headers.get("last-event-id", "") for asked in web.of("GET")]
    assert name in [one.encode("latin-1").decode() for one in named]


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


def test_a_session_that_is_gone_is_opened_again_and_the_request_repeated(serve: Serve) -> None:
    handlers, opened = forgetful(1)
    web = serve(handlers)
    with connect(web.url, era=ERA) as peer:
        waiting = [peer.start("tools/call", {"name": "count"}) for _ in range(5)]
        assert [call.result() for call in waiting] == [DONE] * 5
    assert opened == ["session-1", "session-2"]
    assert web.asked[-1].headers["mcp-session-id"] == "session-2"
    assert len(web.of("notifications/initialized")) == 2


@pytest.mark.parametrize("status", [404, 429])
def test_who_only_listens_hears_a_server_that_was_started_again(serve: Serve, status: int) -> None:
    """It has forgotten the session, or needs some time."""
    opened: list[str] = []
    turns = iter(["ends", "fails", "lives"])
    heard = threading.Event()

    def initialize(asked: Asked) -> None:
        opened.append(f"session-{len(opened) + 1}")
        asked.reply(SESSION, Mcp_Session_Id=opened[-1])

    def stream(asked: Asked) -> None:
        turn = next(turns)
        if turn == "fails":
            asked.body(b"", status)
            return
        asked.open_stream("retry: 1\n\n")
        if turn == "ends":
            asked.end_stream()
            return
        asked.event('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
        asked.wait_for_end()

    web = serve({**in_session(), "initialize": initialize, "GET": stream})
    with connect(web.url, era=ERA, on_notification=lambda *_: heard.set()):
        assert heard.wait(PATIENCE)
    used = [asked.headers["mcp-session-id"] for asked in web.of("GET")]
    assert used == ["session-1", "session-1", "session-2" if status == 404 else "session-1"]


def test_a_server_without_a_stream_does_not_lose_its_session_for_it(serve: Serve) -> None:
    asked_for = threading.Event()

    def refuse(asked: Asked) -> None:
        asked.body(b"", 404)
        asked_for.set()

    web = serve({**in_session(), "GET": refuse})
    with connect(web.url, era=ERA) as peer:
        assert asked_for.wait(PATIENCE)
        peer.call("count")
    assert len(web.of("initialize")) == 1


def test_a_session_that_is_gone_again_is_an_error(serve: Serve) -> None:
    handlers, opened = forgetful(9)
    web = serve(handlers)
    with connect(web.url, era=ERA) as peer, pytest.raises(ConnectError):
        peer.call("count")
    assert len(opened) == 2


def test_a_session_is_opened_again_once_the_server_answers_again(serve: Serve) -> None:
    """It did not answer the first `initialize` after it had lost the session."""
    ended = threading.Event()

    def hang(asked: Asked) -> None:
        if asked.wait_for_end():
            ended.set()

    def call(asked: Asked) -> None:
        if asked.headers["mcp-session-id"] == "session-1":
            asked.fail(-32600, "Session not found", 404)
        else:
            asked.say("done")

    openings: list[Handler] = [
        lambda asked: asked.reply(SESSION, Mcp_Session_Id="session-1"),
        hang,
        lambda asked: asked.reply(SESSION, Mcp_Session_Id="session-2"),
    ]
    web = serve({**in_session(), "initialize": one_after_the_other(openings), "tools/call": call})
    with connect(web.url, era=ERA) as peer:
        with pytest.raises(PeerTimeoutError):
            peer.within(0.2).call("count")
        assert ended.wait(PATIENCE / 2)
        assert peer.call("count").text == "done"
    assert web.of("notifications/cancelled") == []


def test_opening_a_session_again_takes_no_longer_than_the_timeout_says(serve: Serve) -> None:
    """No one has cancelled the call for which it is opened."""
    openings: list[Handler] = [
        lambda asked: asked.reply(SESSION, Mcp_Session_Id="session-1"),
        *[Asked.wait_for_end] * 4,
    ]
    lost: Handler = lambda asked: asked.fail(-32600, "?", 404)  # noqa: E731 - shorter than a function
    web = serve({**in_session(), "initialize": one_after_the_other(openings), "tools/call": lost})
    with connect(web.url, era=ERA, timeout=0.2) as peer:
        waiting = peer.start("tools/call", {"name": "count"})
        with pytest.raises(ConnectError, match="did not open a new one"):
            waiting.result(PATIENCE)


def test_a_server_cannot_hold_up_the_end_of_its_session(serve: Serve) -> None:
    ended = threading.Event()

    def drip(asked: Asked) -> None:
        asked.raw(b"HTTP/1.1 200 OK\r\n")
        asked.connection.settimeout(0.1)
        for _ in range(200):
            with suppress(TimeoutError):
                if asked.connection.recv(1) == b"":
                    ended.set()
                    return
            asked.raw(b"X")

    web = serve({**in_session(), "DELETE": drip})
    connect(web.url, era=ERA).close()
    assert ended.wait(PATIENCE / 2)


def test_a_function_that_gives_no_token_cannot_hold_up_the_end(serve: Serve) -> None:
    """It is asked for another one, because the server refuses the end of the session."""
    asked_again, closed = threading.Event(), threading.Event()
    tokens = iter(["secret-1"])

    def token() -> str:
        for one in tokens:
            return one
        asked_again.set()
        closed.wait(2 * PATIENCE)
        raise LookupError

    web = serve({**in_session(), "DELETE": lambda asked: asked.body(b"", 401)})
    peer = connect(web.url, era=ERA, token=token)
    closing = threading.Thread(target=peer.close)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert asked_again.is_set()
    closed.set()


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
