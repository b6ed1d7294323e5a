"""Which era a message belongs to: its body decides, not its headers alone.

The rows of "where peers deviate" in our notes on the protocol that are about HTTP.
"""

from itertools import product

import pytest

from paddock import Context, Server
from tests.behaviour.wire import SESSION, STATELESS
from tests.http.endpoint import Endpoint, call, stateless
from tests.http.hosting import Host
from tests.http.raw import Json


def desk() -> Server:
    server = Server("desk")

    @server.tool
    def version(ctx: Context) -> str:
        """What the client speaks."""
        return ctx.protocol_version

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(desk())


@pytest.mark.parametrize("version", [None, SESSION])
def test_a_stateless_body_with_headers_of_a_session_is_refused(
    host: Host, on: str, version: str | None
) -> None:
    answer = host(desk(), on).post(call("version"), {"MCP-Protocol-Version": version})
    assert (answer.status, answer.error_code) == (400, -32020)
    assert answer.header("mcp-session-id") is None


def test_a_stateless_request_is_not_asked_for_a_session(endpoint: Endpoint) -> None:
    assert endpoint.text(call("version")) == STATELESS


def test_a_stateless_request_may_carry_the_id_of_a_session(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    assert endpoint.text(call("version"), {"Mcp-Session-Id": session.id}) == STATELESS
    assert session.text("version") == SESSION


def test_both_eras_are_served_in_turn_on_one_connection(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    session = endpoint.initialize()
    for _ in range(3):
        first = endpoint.post(call("version"), connection=connection)
        assert first.json["result"]["content"][0]["text"] == STATELESS
        params = {"name": "version", "arguments": {}}
        second = session.post(session.frame("tools/call", params), connection=connection)
        assert second.json["result"]["content"][0]["text"] == SESSION


@pytest.mark.parametrize("version", [STATELESS, "v999.0.0", None])
def test_initialize_opens_a_session_whatever_the_header_says(
    endpoint: Endpoint, version: str | None
) -> None:
    session = endpoint.initialize(headers={"MCP-Protocol-Version": version})
    assert session.welcome["protocolVersion"] == SESSION


@pytest.mark.parametrize("requested", [STATELESS, "1999-01-01", "whatever"])
def test_initialize_for_an_unknown_version_gets_the_newest_session(
    endpoint: Endpoint, requested: str
) -> None:
    assert endpoint.initialize(requested).welcome["protocolVersion"] == SESSION


def test_a_bare_request_that_claims_to_be_stateless_lacks_its_envelope(
    endpoint: Endpoint,
) -> None:
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}
    answer = endpoint.post(message, {"MCP-Protocol-Version": STATELESS})
    assert (answer.status, answer.error_code, answer.json["id"]) == (400, -32602, 3)


def test_a_bare_request_without_a_session_is_refused_and_opens_none(host: Host, on: str) -> None:
    answer = host(desk(), on).post({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
    assert (answer.status, answer.error_code) == (400, -32600)
    assert answer.header("mcp-session-id") is None


def test_a_refused_initialize_opens_no_session(endpoint: Endpoint) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    answer = endpoint.post(message)
    assert (answer.status, answer.error_code) == (400, -32602)
    assert answer.header("mcp-session-id") is None


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    ],
)
def test_a_posted_answer_that_no_one_waits_for_is_refused(
    endpoint: Endpoint, message: Json
) -> None:
    answer = endpoint.post(message, {"MCP-Protocol-Version": STATELESS})
    assert (answer.status, answer.error_code) == (400, -32600)
    assert "id" not in answer.json


def test_a_body_that_cannot_be_read_is_answered_without_an_id(host: Host, on: str) -> None:
    answer = host(desk(), on).post(b'{"jsonrpc": "2.0", "id": 1, "meth')
    assert (answer.status, answer.error_code) == (400, -32700)
    assert "id" not in answer.json


def test_only_post_exists_in_the_stateless_era(host: Host, on: str) -> None:
    endpoint = host(desk(), on)
    ids = (None, endpoint.initialize().id)
    for method, session_id in product(("GET", "DELETE"), ids):
        headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Session-Id": session_id}
        answer = endpoint.ask(method, {**headers, "Accept": "text/event-stream"})
        assert (answer.status, answer.header("allow")) == (405, "POST")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_other_methods_need_a_session(endpoint: Endpoint, method: str) -> None:
    answer = endpoint.ask(method, {"Accept": "text/event-stream"})
    assert (answer.status, answer.header("allow")) == (405, "POST")


def test_an_unknown_version_in_a_session_is_refused(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    answer = session.post(session.frame("tools/list"), {"MCP-Protocol-Version": "v999.0.0"})
    assert answer.status == 400
    answer.messages()


def test_a_session_continues_without_the_version_in_a_header(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    answer = session.post(session.frame("ping"), {"MCP-Protocol-Version": None})
    assert answer.json["result"] == {}


def test_results_of_a_session_gain_nothing_of_the_other_era(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    endpoint.text(call("version"))
    assert session.ask("ping").json["result"] == {}
    assert "resultType" not in session.call("version").json["result"]
    assert endpoint.result(stateless("tools/list"))["resultType"] == "complete"
