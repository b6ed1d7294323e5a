"""Networks and servers that fail, and what is tried again."""

import threading
from collections.abc import Callable

import pytest

from paddock import ConnectError, Peer, PeerTimeoutError, connect
from paddock.client.calls import PendingCall
from paddock.client.errors import HttpError
from tests.ports import free_port
from tests.unit.client.http.web import Asked, Handler, Web, in_session, one_after_the_other

Serve = Callable[[dict[str, Handler]], Web]

PATIENCE = 10.0
TOOLS: Handler = lambda asked: asked.reply({"tools": []})  # noqa: E731 - a turn like the others


def test_a_server_that_is_not_there_is_an_error_that_says_where() -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp?key=secret"
    with pytest.raises(HttpError) as caught:
        connect(url)
    assert caught.value.message == f"Cannot reach {url.partition('?')[0]}: Connection refused"
    assert not caught.value.was_sent


@pytest.mark.parametrize(
    "url", ["http://", "http://user:secret@localhost/mcp", "http://exa mple/", "https://[::1/"]
)
def test_what_is_not_an_url_is_an_error_without_secrets(url: str) -> None:
    with pytest.raises(ConnectError) as caught:
        connect(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        Asked.reset,
        Asked.hang_up,
        lambda asked: asked.body(b"", 502),
        lambda asked: asked.body(b"later", 503, "text/plain", Retry_After="0"),
        lambda asked: asked.body(b"later", 429, "text/plain", Retry_After="0"),
        lambda asked: (
            asked.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{") or asked.reset()
        ),
    ],
)
def test_a_request_that_only_asks_is_sent_again(serve: Serve, fault: Handler) -> None:
    web = serve({"tools/list": one_after_the_other([fault, fault, TOOLS])})
    with connect(web.url) as peer:
        assert peer.tools() == []
    assert len(web.of("tools/list")) == 3


def test_requests_are_not_sent_again_without_end(serve: Serve) -> None:
    web = serve({"tools/list": lambda asked: asked.body(b"", 503, Retry_After="0")})
    with connect(web.url) as peer, pytest.raises(HttpError) as caught:
        peer.tools()
    assert caught.value.status == 503
    assert len(web.of("tools/list")) == 4


@pytest.mark.parametrize("fault", [Asked.reset, Asked.hang_up, lambda asked: asked.body(b"", 503)])
def test_a_call_that_may_have_been_carried_out_is_not_sent_again(
    serve: Serve, fault: Handler
) -> None:
    web = serve({"tools/call": fault})
    with connect(web.url) as peer, pytest.raises(HttpError) as caught:
        peer.call("pay")
    assert caught.value.was_sent
    assert len(web.of("tools/call")) == 1


def moved(serve: Serve, act: Handler) -> tuple[Web, Peer, PendingCall]:
    """A call that `act` sees on another connection than the one that it began on.

    The first connection has been used for something else when this returns.
    """
    refused, freed, acting = threading.Event(), threading.Event(), threading.Event()

    def refuse(asked: Asked) -> None:
        asked.body(b"", 429, Retry_After="1")
        refused.set()

    def begin(asked: Asked) -> None:
        acting.set()
        act(asked)

    def wait(asked: Asked) -> None:
        assert freed.wait(PATIENCE)
        asked.say("waited")

    turns = one_after_the_other([refuse, begin, begin])

    by_name: dict[str, Handler] = {"wait": wait, "pay": turns, "else": lambda a: a.say("done")}

    def call(asked: Asked) -> object:
        return by_name[asked.message["params"]["name"]](asked)

    web = serve({"tools/call": call})
    peer = connect(web.url)
    other = peer.start("tools/call", {"name": "wait"})
    paying = peer.start("tools/call", {"name": "pay"})
    assert refused.wait(PATIENCE)
    freed.set()
    other.result()  # its connection is used next
    assert acting.wait(PATIENCE)
    peer.call("else")
    return web, peer, paying


def test_a_call_that_has_moved_to_another_connection_is_not_sent_again(serve: Serve) -> None:
    finish = threading.Event()

    def act(asked: Asked) -> None:
        assert finish.wait(PATIENCE)
        asked.hang_up()

    web, peer, paying = moved(serve, act)
    with peer:
        finish.set()
        with pytest.raises(HttpError) as caught:
            paying.result()
    assert caught.value.was_sent
    names = [asked.message["params"]["name"] for asked in web.of("tools/call")]
    assert names.count("pay") == 2


def test_a_call_that_has_moved_to_another_connection_can_be_cancelled(serve: Serve) -> None:
    ended = threading.Event()

    def act(asked: Asked) -> None:
        if asked.wait_for_end():
            ended.set()

    _, peer, paying = moved(serve, act)
    with peer:
        paying.cancel()
        assert ended.wait(PATIENCE / 2)


def test_a_call_that_the_server_has_no_time_for_is_sent_again(serve: Serve) -> None:
    busy: Handler = lambda asked: asked.body(b"", 429, Retry_After="0")  # noqa: E731 - a turn
    web = serve({"tools/call": one_after_the_other([busy, lambda asked: asked.say("done")])})
    with connect(web.url) as peer:
        assert peer.call("count").text == "done"


def test_a_server_that_wants_to_be_left_alone_for_long_is_not_waited_for(serve: Serve) -> None:
    web = serve({"tools/list": lambda asked: asked.body(b"", 429, Retry_After="3600")})
    with connect(web.url) as peer, pytest.raises(HttpError) as caught:
        peer.tools()
    assert caught.value.retry_after == 3600
    assert len(web.of("tools/list")) == 1


STRANGE_HEADERS = [
    (307, {"Location": "http://["}),
    (307, {"Location": "ftp://elsewhere/"}),
    (302, {"Location": "http://["}),
    (503, {"Retry_After": "\xb2"}),
    (503, {"Retry_After": "9" * 5000}),
    (503, {"Retry_After": "Mon, 01 Jan 0001 00:00:00 -0000"}),
]


@pytest.mark.parametrize(("status", "headers"), STRANGE_HEADERS)
def test_headers_that_make_no_sense_are_an_error_like_any_other(
    serve: Serve, status: int, headers: dict[str, str]
) -> None:
    web = serve({"tools/call": lambda asked: asked.body(b"", status, **headers)})
    with connect(web.url) as peer:
        for _ in range(3):
            with pytest.raises(HttpError) as caught:
                peer.call("count")
            assert caught.value.status == status
    assert len({asked.connection for asked in web.asked}) == 1


@pytest.mark.parametrize(("status", "headers"), STRANGE_HEADERS)
def test_headers_that_make_no_sense_do_not_silence_a_peer(
    serve: Serve, status: int, headers: dict[str, str]
) -> None:
    refuse: Handler = lambda asked: asked.body(b"", status, **headers)  # noqa: E731 - used once
    web = serve({**in_session(), "notifications/initialized": refuse})
    with connect(web.url, era="2025-11-25") as peer:
        assert peer.within(PATIENCE / 2).call("count").text == "done"


def test_a_time_to_wait_that_no_number_can_hold_does_not_end_a_stream(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        asked.open_stream(f"retry: {'9' * 5000}\n\n", asked.result_event({"content": []}))
        asked.end_stream()

    with connect(serve({"tools/call": call}).url) as peer:
        assert peer.call("count").content == []


def test_a_stateless_stream_that_breaks_before_the_answer_is_an_error(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        asked.open_stream("id: 1\ndata:\n\n")
        asked.end_stream()

    web = serve({"tools/call": call})
    with connect(web.url) as peer, pytest.raises(HttpError) as caught:
        peer.call("count")
    assert caught.value.hint == "the server may have executed tools/call; check before retrying"
    assert web.methods().count("GET") == 0


def test_a_server_that_does_not_answer_is_waited_for_as_long_as_the_timeout_says(
    serve: Serve,
) -> None:
    ended = threading.Event()

    def call(asked: Asked) -> None:
        if asked.wait_for_end():
            ended.set()

    web = serve({"tools/call": call})
    with connect(web.url) as peer:
        with pytest.raises(PeerTimeoutError):
            peer.within(0.1).call("slow")
        assert ended.wait(PATIENCE)


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_closing_ends_everything_that_is_under_way(serve: Serve, era: str) -> None:
    begun = threading.Barrier(9)

    def call(asked: Asked) -> None:
        if int(asked.message["params"]["name"]) % 2:
            asked.open_stream(": still here\n\n")
        begun.wait(PATIENCE)
        asked.wait_for_end()

    handlers = in_session() if era == "2025-11-25" else {}
    web = serve({**handlers, "tools/call": call})
    peer = connect(web.url, era=era)
    waiting = [peer.start("tools/call", {"name": str(number)}) for number in range(8)]
    begun.wait(PATIENCE)
    peer.close()
    for one in waiting:
        with pytest.raises(ConnectError):
            one.result()


def test_a_server_that_dies_fails_what_waits_and_what_follows(serve: Serve) -> None:
    web = serve({"tools/call": lambda asked: web.close()})
    with connect(web.url) as peer:
        with pytest.raises(HttpError):
            peer.call("die")
        with pytest.raises(HttpError) as caught:
            peer.call("anything")
    assert not caught.value.was_sent
