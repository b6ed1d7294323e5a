"""What a POST of the stateless era is answered with: JSON or a stream, and which status."""

import threading
from typing import Any

import pytest

from paddock import Context, Server, ToolError
from tests.behaviour.wire import META_KEY, STATELESS
from tests.http.endpoint import Endpoint, call, stateless
from tests.http.hosting import Host
from tests.http.raw import PATIENCE


def kitchen() -> Server:
    server = Server("kitchen", version="1.0.0")

    @server.tool
    def greet(name: str = "you") -> str:
        """Greet."""
        return f"Hello, {name}!"

    @server.tool
    def stir(ctx: Context) -> str:
        """Report progress."""
        ctx.progress(1)
        ctx.info("stirring")
        ctx.progress(2)
        return "stirred"

    @server.tool
    def burn() -> str:
        """Fail."""
        raise ToolError("burnt")

    @server.tool
    def ask(ctx: Context) -> str:
        """Ask for salt."""
        return ctx.elicit("Salt?", key="salt").wait().action

    @server.resource("kitchen://menu")
    def menu() -> str:
        """The menu."""
        return "soup"

    @server.prompt
    def order(dish: str) -> str:
        """Order a dish."""
        return f"One {dish}, please"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(kitchen())


def test_a_result_alone_is_json(host: Host, on: str) -> None:
    answer = host(kitchen(), on).post(call("greet", {"name": "Ada"}))
    assert (answer.status, answer.kind) == (200, "application/json")
    assert answer.json["id"] == 1
    assert answer.json["result"]["content"] == [{"type": "text", "text": "Hello, Ada!"}]
    assert answer.json["result"]["resultType"] == "complete"


def test_what_a_handler_says_before_its_result_makes_a_stream(host: Host, on: str) -> None:
    endpoint = host(kitchen(), on)
    meta: dict[str, Any] = {"progressToken": "t", f"{META_KEY}logLevel": "info"}
    answer = endpoint.post(call("stir", **meta))
    assert (answer.status, answer.kind) == (200, "text/event-stream")
    assert answer.header("x-accel-buffering") == "no"
    assert answer.header("cache-control") == "no-cache, no-transform"
    events = list(answer.events())
    assert [event.id for event in events] == [None] * 4
    said = [event.message.get("method", "result") for event in events]
    assert said == [
        "notifications/progress",
        "notifications/message",
        "notifications/progress",
        "result",
    ]


def test_each_event_leaves_at_once(host: Host, on: str) -> None:
    server, go_on = Server("s"), threading.Event()

    @server.tool
    def wait(ctx: Context) -> str:
        ctx.progress(1)
        assert go_on.wait(PATIENCE)
        return "waited"

    answer = host(server, on).post(call("wait", progressToken=7))
    assert answer.message()["params"] == {"progressToken": 7, "progress": 1}
    go_on.set()
    assert answer.message()["result"]["content"][0]["text"] == "waited"
    assert answer.event() is None


def test_a_client_that_takes_only_json_gets_the_result_alone(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("stir", progressToken=1), {"Accept": "application/json"})
    assert [message["id"] for message in [answer.json]] == [1]


def test_a_client_that_takes_only_events_gets_the_result_as_one(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("greet"), {"Accept": "text/event-stream"})
    assert answer.kind == "text/event-stream"
    assert [message["id"] for message in answer.messages()] == [1]


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/*, text/*;q=0.5",
        "text/event-stream;q=0.9, application/json",
        "Application/JSON , text/event-stream",
        "text/html, application/json;q=0.1",
    ],
)
def test_json_is_chosen_where_it_is_accepted(endpoint: Endpoint, accept: str | None) -> None:
    answer = endpoint.post(call("greet"), {"Accept": accept})
    assert (answer.status, answer.kind) == (200, "application/json")
    answer.messages()


@pytest.mark.parametrize(
    "accept", ["text/html", "application/json;q=0", "application/json;q=0, text/event-stream;q=0"]
)
def test_a_client_that_takes_neither_is_reported_so(endpoint: Endpoint, accept: str) -> None:
    answer = endpoint.post(call("greet"), {"Accept": accept})
    assert (answer.status, answer.error_code) == (406, -32600)


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", 'APPLICATION/JSON;charset="UTF-8"'],
)
def test_json_in_utf8_is_taken(endpoint: Endpoint, content_type: str) -> None:
    assert endpoint.text(call("greet"), {"Content-Type": content_type}) == "Hello, you!"


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/json; charset=latin-1", "text/json"]
)
def test_a_body_of_another_type_is_refused(endpoint: Endpoint, content_type: str | None) -> None:
    answer = endpoint.post(call("greet"), {"Content-Type": content_type})
    assert (answer.status, answer.error_code) == (415, -32600)


def test_a_notification_is_accepted_without_a_body(host: Host, on: str) -> None:
    message = stateless("notifications/cancelled", {"requestId": 1})
    del message["id"]
    answer = host(kitchen(), on).post(message)
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize(
    ("method", "params", "status", "code"),
    [
        ("no/such", {}, 404, -32601),
        ("initialize", {}, 404, -32601),
        ("ping", {}, 404, -32601),
        ("logging/setLevel", {"level": "debug"}, 404, -32601),
        ("resources/subscribe", {"uri": "kitchen://menu"}, 404, -32601),
        ("resources/unsubscribe", {"uri": "kitchen://menu"}, 404, -32601),
        ("tasks/get", {"taskId": "1"}, 400, -32021),
        ("tasks/result", {"taskId": "1"}, 404, -32601),
        ("tasks/list", {}, 404, -32601),
        ("tools/call", {"name": "nothing"}, 200, -32602),
        ("prompts/get", {"name": "nothing"}, 200, -32602),
        ("prompts/get", {"name": "order"}, 200, -32602),
        ("resources/read", {"uri": "kitchen://nothing"}, 200, -32602),
        ("tools/list", {"cursor": "nonsense"}, 200, -32602),
        ("tools/call", {"name": "ask"}, 400, -32021),
    ],
)
def test_a_fault_has_its_status_and_code(
    endpoint: Endpoint, method: str, params: dict[str, Any], status: int, code: int
) -> None:
    answer = endpoint.post(stateless(method, params, request_id="q"))
    assert (answer.status, answer.error_code) == (status, code)
    assert answer.json["id"] == "q"


def test_what_the_client_lacks_is_named(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("ask"))
    assert answer.json["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


def test_a_missing_resource_is_named(endpoint: Endpoint) -> None:
    answer = endpoint.post(stateless("resources/read", {"uri": "kitchen://nothing"}))
    assert answer.json["error"]["data"] == {"uri": "kitchen://nothing"}


def test_a_failing_tool_is_a_result(endpoint: Endpoint) -> None:
    result = endpoint.result(call("burn"))
    assert result["isError"] is True
    assert result["content"][0]["text"] == "burnt"


def test_a_wrong_argument_is_a_result(endpoint: Endpoint) -> None:
    assert endpoint.result(call("greet", {"name": 5}))["isError"] is True


def test_rounds_of_questions_need_no_session(host: Host, on: str) -> None:
    endpoint = host(kitchen(), on)
    first = endpoint.result(call("ask", capabilities={"elicitation": {}}))
    assert first["resultType"] == "input_required"
    assert list(first["inputRequests"]) == ["salt"]
    again = call("ask", capabilities={"elicitation": {}})
    again["params"]["inputResponses"] = {"salt": {"action": "decline"}}
    again["params"]["requestState"] = first["requestState"]
    assert endpoint.text(again) == "decline"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"5", -32600),
        (b'"text"', -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b"[" * 100_000, -32700),
    ],
)
def test_what_is_not_a_message_is_refused(endpoint: Endpoint, body: bytes, code: int) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    answer = endpoint.ask("POST", headers, body)
    assert answer.status == 400
    assert answer.error_code == code
    assert answer.json.get("id", 1) == 1


@pytest.mark.parametrize("key", ["protocolVersion", "clientCapabilities"])
def test_an_envelope_without_what_it_must_have_is_refused(endpoint: Endpoint, key: str) -> None:
    message = stateless("server/discover")
    del message["params"]["_meta"][META_KEY + key]
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "server/discover"}
    answer = endpoint.post(message, headers)
    assert (answer.status, answer.error_code) == (400, -32602)
    assert META_KEY + key in answer.json["error"]["message"]


@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}])
def test_discover_without_its_envelope_is_refused(
    endpoint: Endpoint, params: dict[str, Any] | None
) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}
    if params is not None:
        message["params"] = params
    answer = endpoint.post(message)
    assert (answer.status, answer.error_code) == (400, -32602)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("protocolVersion", 5),
        ("clientCapabilities", []),
        ("clientInfo", "me"),
        ("logLevel", "loud"),
    ],
)
def test_an_envelope_of_wrong_types_is_refused(endpoint: Endpoint, key: str, value: object) -> None:
    meta: dict[str, Any] = {META_KEY + key: value}
    answer = endpoint.post(stateless("tools/list", **meta))
    assert (answer.status, answer.error_code) == (400, -32602)


def test_a_client_need_not_say_who_it_is(endpoint: Endpoint) -> None:
    message = stateless("server/discover")
    del message["params"]["_meta"][f"{META_KEY}clientInfo"]
    assert endpoint.result(message)["supportedVersions"] == [STATELESS]


def test_no_answer_of_this_era_names_a_session(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("greet"), {"Mcp-Session-Id": "old", "Last-Event-ID": "0_1"})
    assert (answer.status, answer.header("mcp-session-id")) == (200, None)
    answer.messages()
