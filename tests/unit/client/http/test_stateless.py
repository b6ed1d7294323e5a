"""Requests of the stateless era over HTTP."""

import logging
import threading
from collections.abc import Callable

import pytest

from paddock import PeerError, connect
from paddock.client.errors import AnswerError, CallCancelledError, HttpError
from tests.unit.client.http.web import Asked, Handler, Web, one_after_the_other, replies

Serve = Callable[[dict[str, Handler]], Web]

PATIENCE = 10.0


def tool(name: str, **properties: object) -> dict[str, object]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def test_every_request_repeats_its_version_method_and_name(serve: Serve) -> None:
    web = serve(
        {
            "prompts/get": lambda asked: asked.reply({"messages": []}),
            "resources/read": lambda asked: asked.reply({"contents": []}),
            "tasks/get": lambda asked: asked.reply({}),
        }
    )
    with connect(web.url) as peer:
        peer.call("count")
        peer.prompt("größe")
        peer.read("memo://rules")
        peer.request("tasks/get", {"taskId": "t-1"})
    names = ("mcp-protocol-version", "mcp-method", "mcp-name")
    sent = [tuple(asked.headers.get(name) for name in names) for asked in web.asked]
    version = "2026-07-28"
    assert sent == [
        (version, "server/discover", None),
        (version, "tools/list", None),
        (version, "tools/call", "count"),
        (version, "prompts/get", "=?base64?Z3LDtsOfZQ==?="),
        (version, "resources/read", "memo://rules"),
        (version, "tasks/get", "t-1"),
    ]
    assert {asked.headers["accept"] for asked in web.asked} == {
        "application/json, text/event-stream"
    }
    assert {asked.headers["content-type"] for asked in web.asked} == {"application/json"}
    assert not any("mcp-session-id" in asked.headers for asked in web.asked)


def test_a_call_repeats_the_arguments_that_the_tool_names(serve: Serve) -> None:
    region = {"type": "string", "x-mcp-header": "Region"}
    depth = {"type": "integer", "x-mcp-header": "Depth"}
    listed = tool("find", region=region, near={"type": "object", "properties": {"depth": depth}})
    pages = [{"tools": [tool("other")], "nextCursor": "2"}, {"tools": [listed]}]
    web = serve({"tools/list": replies(*pages)})
    with connect(web.url, record=True) as peer:
        peer.call("find", region=" nord", near={"depth": 3})
        peer.call("find", region=None)
    assert web.methods() == ["server/discover", "tools/list", "tools/list"] + ["tools/call"] * 2
    headers = [
        {name: value for name, value in call.headers.items() if name.startswith("mcp-param-")}
        for call in web.of("tools/call")
    ]
    assert headers == [{"mcp-param-region": "=?base64?IG5vcmQ=?=", "mcp-param-depth": "3"}, {}]
    assert any(b"tools/list" in frame for frame in peer.sent)


def test_a_tool_with_a_wrong_annotation_is_left_out_and_cannot_be_called(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    listed = [tool("right"), tool("wrong", ratio={"type": "number", "x-mcp-header": "Ratio"})]
    web = serve({"tools/list": lambda asked: asked.reply({"tools": listed})})
    with caplog.at_level(logging.WARNING, "paddock"), connect(web.url) as peer:
        assert [one.name for one in peer.tools()] == ["right"]
        with pytest.raises(AnswerError):
            peer.call("wrong", ratio=1)
        assert peer.call("right").text == "done"
    (record,) = caplog.records
    assert "wrong" in record.getMessage()


def test_headers_that_the_server_misses_are_learnt_and_the_call_repeated(serve: Serve) -> None:
    later = tool("find", region={"type": "string", "x-mcp-header": "Region"})
    lists = [{"tools": [tool("find")]}, {"tools": [later]}]
    web = serve(
        {
            "tools/list": replies(*lists),
            "tools/call": lambda asked: (
                asked.say(asked.headers["mcp-param-region"])
                if "mcp-param-region" in asked.headers
                else asked.fail(-32020, "Header missing", 400)
            ),
        }
    )
    with connect(web.url) as peer:
        assert peer.call("find", region="nord").text == "nord"
    assert len(web.of("tools/call")) == 2


def test_an_error_with_a_status_is_the_error_of_its_request(serve: Serve) -> None:
    web = serve({"tools/call": lambda asked: asked.fail(-32602, "No such tool", 400, data=[1])})
    with connect(web.url) as peer, pytest.raises(PeerError) as caught:
        peer.call("nothing")
    assert (caught.value.rpc_code, caught.value.message, caught.value.data) == (
        -32602,
        "No such tool",
        [1],
    )


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (500, "text/html", b"<h1>Broken</h1>"),
        (418, "application/json", b'{"odd": true}'),
        (200, "text/html", b"<h1>Welcome</h1>"),
        (202, "application/json", b""),
        (200, "application/json", b"[]"),
        (302, "text/plain", b"elsewhere"),
    ],
)
def test_an_answer_that_is_not_a_message_fails_exactly_the_request_that_waits(
    serve: Serve, status: int, kind: str, body: bytes
) -> None:
    let_go = threading.Event()

    def call(asked: Asked) -> None:
        if asked.message["params"]["name"] == "slow":
            assert let_go.wait(PATIENCE)
            asked.say("slow")
        else:
            asked.body(body, status, kind)

    web = serve({"tools/call": call})
    with connect(web.url) as peer:
        slow = peer.start("tools/call", {"name": "slow", "arguments": {}})
        with pytest.raises(HttpError) as caught:
            peer.call("odd")
        let_go.set()
        assert slow.result()["content"] == [{"type": "text", "text": "slow"}]
    assert caught.value.status == status


def test_a_long_call_holds_up_no_other(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    let_go = threading.Event()

    def call(asked: Asked) -> None:
        if asked.message["params"]["name"] == "slow":
            assert let_go.wait(PATIENCE)
        asked.say("done")

    web = serve({"tools/call": call})
    with connect(web.url) as peer:
        slow = [peer.start("tools/call", {"name": "slow"}) for _ in range(60)]
        assert [peer.call("quick").text for _ in range(20)] == ["done"] * 20
        assert not any(one.is_done for one in slow)
        let_go.set()
        assert {one.result()["content"][0]["text"] for one in slow} == {"done"}  # type: ignore[index]  # as above
    assert caplog.records == []


def test_connections_are_used_again(serve: Serve) -> None:
    web = serve({})
    with connect(web.url) as peer:
        for _ in range(20):
            peer.call("count")
    assert len({id(asked.connection) for asked in web.asked}) == 1


def test_notifications_on_the_stream_of_a_call_come_before_its_answer(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        token = asked.message["params"]["_meta"]["progressToken"]
        progress = f'"method":"notifications/progress","params":{{"progressToken":{token}'
        asked.open_stream(": hello\n\n", f'data: {{"jsonrpc":"2.0",\r\ndata: {progress},')
        asked.event('"progress":1}}\n\n')
        asked.event(asked.result_event({"content": [{"type": "text", "text": "done"}]}))
        asked.end_stream()

    seen: list[object] = []
    web = serve({"tools/call": call})
    with connect(web.url, on_progress=lambda params: seen.append(params["progress"])) as peer:
        assert peer.call("count").text == "done"
        assert seen == [1]
        for _ in range(20):
            assert peer.call("count").text == "done"
    # A call returns with its answer, which the end of the stream follows. A call that starts in
    # between opens a connection; the one before is then free for the next.
    calls = web.of("tools/call")
    assert len({id(asked.connection) for asked in calls}) < len(calls)


def test_indented_json_is_understood(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        identity = asked.message["id"]
        text = '{\n "jsonrpc": "2.0",\n\r\n "id": %d,\n "result": {"content": []}\n}\n'
        asked.body((text % identity).encode(), kind="application/json; charset=utf-8")

    web = serve({"tools/call": call})
    with connect(web.url) as peer:
        assert peer.call("count").content == []


def test_cancelling_closes_the_stream_and_sends_nothing(serve: Serve) -> None:
    begun, ended = threading.Event(), threading.Event()

    def call(asked: Asked) -> None:
        begun.set()
        if asked.wait_for_end():
            ended.set()

    web = serve({"tools/call": call})
    with connect(web.url, record=True) as peer:
        waiting = peer.start("tools/call", {"name": "slow"})
        assert begun.wait(PATIENCE)
        waiting.cancel("no longer needed")
        assert ended.wait(PATIENCE)
        with pytest.raises(CallCancelledError):
            waiting.result()
    assert "notifications/cancelled" not in web.methods()
    assert not any(b"cancelled" in frame for frame in peer.sent)


def acknowledged(asked: Asked) -> str:
    meta = f'{{"io.modelcontextprotocol/subscriptionId":{asked.message["id"]}}}'
    params = f'{{"notifications":{{"toolsListChanged":true}},"_meta":{meta}}}'
    method = "notifications/subscriptions/acknowledged"
    return f'data: {{"jsonrpc":"2.0","method":"{method}","params":{params}}}\n\n'


CHANGED = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'


def test_closing_what_listens_closes_its_stream(serve: Serve) -> None:
    ended = threading.Event()

    def listen(asked: Asked) -> None:
        asked.open_stream(acknowledged(asked))
        if asked.wait_for_end():
            ended.set()

    web = serve({"subscriptions/listen": listen})
    with connect(web.url) as peer:
        listening = peer.listen(tools=True)
        assert listening.acknowledged_filter == {"toolsListChanged": True}
        listening.close()
        assert ended.wait(PATIENCE)
    assert web.methods() == ["server/discover", "subscriptions/listen"]


def test_a_stream_that_listens_is_opened_again_when_it_breaks(serve: Serve) -> None:
    def breaks(asked: Asked) -> None:
        asked.open_stream(acknowledged(asked))
        asked.reset()

    def unavailable(asked: Asked) -> None:
        asked.body(b"", 503)

    def lives(asked: Asked) -> None:
        asked.open_stream(acknowledged(asked), CHANGED)
        asked.wait_for_end()

    heard = threading.Event()
    web = serve({"subscriptions/listen": one_after_the_other([breaks, unavailable, lives])})

    def hear(method: str, _: object) -> None:
        if method == "notifications/tools/list_changed":
            heard.set()

    with connect(web.url, on_notification=hear) as peer:
        listening = peer.listen(tools=True)
        assert heard.wait(PATIENCE)
        assert listening.is_open


def test_a_server_that_is_down_is_not_asked_all_the_time_though_it_says_so(serve: Serve) -> None:
    refused = threading.Event()

    def listen(asked: Asked) -> None:
        if len(web.of("subscriptions/listen")) == 1:
            asked.open_stream(acknowledged(asked))
            asked.end_stream()
        else:
            asked.body(b"", 503, Retry_After="0")
            refused.set()

    web = serve({"subscriptions/listen": listen})
    with connect(web.url) as peer:
        listening = peer.listen(tools=True)
        assert refused.wait(PATIENCE)
        for _ in range(200):
            peer.call("anything")
        assert listening.is_open
    assert len(web.of("subscriptions/listen")) < 20


def test_a_server_that_ends_what_listens_is_not_asked_again(serve: Serve) -> None:
    def listen(asked: Asked) -> None:
        asked.open_stream(acknowledged(asked), asked.result_event({"resultType": "complete"}))
        asked.end_stream()

    web = serve({"subscriptions/listen": listen})
    with connect(web.url) as peer:
        listening = peer.listen(tools=True)
        peer.call("anything")
        assert not listening.is_open
    assert len(web.of("subscriptions/listen")) == 1


def test_a_body_beyond_the_limit_is_not_read_to_its_end(serve: Serve) -> None:
    def call(asked: Asked) -> None:
        asked.raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        while True:  # until the client has enough of it
            asked.event(" " * (1 << 20))

    web = serve({"tools/call": call})
    with connect(web.url) as peer:
        with pytest.raises(HttpError, match="128 MiB"):
            peer.call("huge")
        assert len(web.of("tools/call")) == 1
