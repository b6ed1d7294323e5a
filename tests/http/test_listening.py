"""Streams of changes in the stateless era, each the answer to one POST."""

import pytest

from paddock import Context, Server
from tests.behaviour.wire import META_KEY
from tests.http.endpoint import Endpoint, call, stateless
from tests.http.hosting import PADDOCK, Host
from tests.http.raw import Json

SUBSCRIPTION = f"{META_KEY}subscriptionId"


def library() -> Server:
    server = Server("library")

    @server.tool
    def grow(ctx: Context) -> int:
        """Announce new tools; how many were reported."""
        return ctx.server.list_changed("tools")

    @server.tool
    def bind(ctx: Context) -> int:
        """Announce new prompts."""
        return ctx.server.list_changed("prompts")

    @server.tool
    def turn(page: str, ctx: Context) -> int:
        """Announce a changed page."""
        return ctx.server.resource_updated(f"library://{page}")

    @server.resource("library://{page}")
    def page(page: str) -> str:
        """A page."""
        return page

    @server.prompt
    def read() -> str:
        """Read."""
        return "read"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(library())


def listen(endpoint: Endpoint, wishes: Json, request_id: int | str = "ears") -> Json:
    return stateless("subscriptions/listen", {"notifications": wishes}, request_id=request_id)


def test_the_first_message_says_what_will_be_reported_and_leaves_at_once(
    host: Host, on: str
) -> None:
    endpoint = host(library(), on)
    wishes = {"toolsListChanged": True, "resourceSubscriptions": ["library://1"], "unknown": 5}
    stream = endpoint.post(listen(endpoint, wishes))
    assert (stream.status, stream.kind) == (200, "text/event-stream")
    assert stream.message() == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "notifications": {"toolsListChanged": True, "resourceSubscriptions": ["library://1"]},
            "_meta": {SUBSCRIPTION: "ears"},
        },
    }


def test_changes_are_reported_at_once_each_with_the_id_of_its_stream(host: Host, on: str) -> None:
    endpoint = host(library(), on)
    with endpoint.listening(request_id=5, toolsListChanged=True) as stream:
        assert endpoint.text(call("grow")) == "1"
        assert stream.message() == {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": {SUBSCRIPTION: 5}},
        }


def test_only_what_was_asked_for_is_reported(endpoint: Endpoint) -> None:
    with (
        endpoint.listening(request_id=1, promptsListChanged=True) as prompts,
        endpoint.listening(request_id=2, resourceSubscriptions=["library://2"]) as pages,
    ):
        assert endpoint.text(call("grow")) == "0"
        assert endpoint.text(call("turn", {"page": "1"})) == "0"
        assert endpoint.text(call("bind")) == "1"
        assert endpoint.text(call("turn", {"page": "2"})) == "1"
        assert prompts.message()["method"] == "notifications/prompts/list_changed"
        assert pages.message()["params"] == {
            "uri": "library://2",
            "_meta": {SUBSCRIPTION: 2},
        }


def test_clients_may_use_the_same_id(endpoint: Endpoint) -> None:
    with (
        endpoint.listening(request_id=1, toolsListChanged=True) as one,
        endpoint.listening(request_id=1, toolsListChanged=True) as other,
    ):
        assert endpoint.text(call("grow")) == "2"
        assert one.message() == other.message()


def test_a_disconnected_client_is_not_notified(host: Host, on: str) -> None:
    endpoint = host(library(), on)
    with endpoint.listening(toolsListChanged=True):
        assert endpoint.text(call("grow")) == "1"
    for _ in range(1000):
        if endpoint.text(call("grow")) == "0":
            return
    pytest.fail("the stream is still there")


def test_listening_needs_a_client_that_takes_events(endpoint: Endpoint) -> None:
    answer = endpoint.post(listen(endpoint, {}), {"Accept": "application/json"})
    assert (answer.status, answer.error_code) == (400, -32600)


def test_a_stream_ends_with_its_result_when_the_server_ends(host: Host, on: str) -> None:
    server = library()
    endpoint = host(server, on)
    with endpoint.listening(request_id="ears", toolsListChanged=True) as stream:
        server.stop()
        result = stream.message()
        assert result["id"] == "ears"
        assert result["result"]["resultType"] == "complete"
        assert result["result"]["_meta"][SUBSCRIPTION] == "ears"
        assert stream.event() is None


def test_a_stream_is_not_resumed(endpoint: Endpoint) -> None:
    headers = {"Last-Event-ID": "1_1", "Mcp-Session-Id": "old"}
    stream = endpoint.post(listen(endpoint, {"toolsListChanged": True}), headers)
    assert stream.status == 200
    assert stream.header("mcp-session-id") is None
    event = stream.event()
    assert event is not None
    assert event.id is None


def test_progress_and_logs_are_never_told_there(host: Host) -> None:
    server = library()

    @server.tool
    def chatter(ctx: Context) -> str:
        """Say much."""
        ctx.progress(1)
        ctx.warning("loud")
        return "said"

    endpoint = host(server, PADDOCK)
    with endpoint.listening(toolsListChanged=True) as stream:
        meta: Json = {"progressToken": 1, f"{META_KEY}logLevel": "debug"}
        assert len(endpoint.post(call("chatter", **meta)).messages()) == 3
        endpoint.text(call("grow"))
        assert stream.message()["method"] == "notifications/tools/list_changed"
