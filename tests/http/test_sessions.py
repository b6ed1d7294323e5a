"""Sessions of the older era over HTTP: many at once, each its client's own."""

import asyncio
import threading

import pytest

from paddock import Authorization, Context, Limits, Server, StaticTokens, elicitation
from tests.behaviour.line import CLIENT
from tests.behaviour.wire import SESSION
from tests.http.endpoint import Endpoint, call
from tests.http.hosting import PADDOCK, Host, wait_until
from tests.http.raw import PATIENCE, Json

FORM: Json = {"elicitation": {}, "sampling": {}, "roots": {}}


def house() -> Server:
    server = Server("house")

    @server.tool
    def echo(text: str) -> str:
        """Give a text back."""
        return text

    @server.tool
    async def ask(ctx: Context) -> str:
        """Ask for a name."""
        filled = await ctx.elicit("Name?", {"type": "object", "properties": {}})
        return f"{filled.action} {filled.data}"

    @server.tool
    async def ask_twice(ctx: Context) -> str:
        """Ask two things at once."""
        answers = await ctx.ask(one=elicitation("One?"), two=elicitation("Two?"))
        return ", ".join(f"{key} {answers[key].action}" for key in sorted(answers))

    @server.tool
    def grow(ctx: Context) -> int:
        """Announce new tools; how many were reported."""
        return ctx.server.list_changed("tools")

    @server.tool
    def touch(ctx: Context) -> int:
        """Announce a change; how many were reported."""
        return ctx.server.resource_updated("house://door")

    @server.tool
    def who(ctx: Context) -> str:
        """Who asks."""
        return ctx.principal.subject if ctx.principal else "anonymous"

    @server.resource("house://door")
    def door() -> str:
        """A door."""
        return "open"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(house())


def test_the_id_of_a_session_is_visible_ascii_and_new_each_time(host: Host, on: str) -> None:
    endpoint = host(house(), on)
    ids = {str(endpoint.initialize().id) for _ in range(20)}
    assert len(ids) == 20
    assert all(0x21 <= ord(character) <= 0x7E for one in ids for character in one)
    assert min(map(len, ids)) >= 32


def test_several_sessions_go_on_beside_each_other(host: Host, on: str) -> None:
    endpoint = host(house(), on)
    sessions = [endpoint.initialize() for _ in range(5)]
    for number, session in enumerate(sessions * 2):
        assert session.text("echo", {"text": f"{number}"}) == f"{number}"


def test_notifications_and_answers_are_accepted_without_a_body(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        {"jsonrpc": "2.0", "id": 99, "result": {}},
        {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}},
    ):
        answer = session.post(message)
        assert (answer.status, answer.body) == (202, b"")


def test_a_session_that_was_never_opened_does_not_exist(host: Host, on: str) -> None:
    endpoint = host(house(), on)
    headers = {"Mcp-Session-Id": "made-up"}
    message = {"jsonrpc": "2.0", "id": 4, "method": "tools/list"}
    answer = endpoint.post(message, headers)
    assert (answer.status, answer.error_code, answer.json["id"]) == (404, -32600, 4)
    assert endpoint.post({"jsonrpc": "2.0", "method": "notifications/x"}, headers).status == 404
    accept = {"Accept": "text/event-stream", **headers}
    assert endpoint.ask("GET", accept).status == 404
    assert endpoint.ask("DELETE", headers).status == 404


def test_a_deleted_session_does_not_exist_any_more(host: Host, on: str) -> None:
    endpoint = host(house(), on)
    session, other = endpoint.initialize(), endpoint.initialize()
    assert (session.delete().status, session.delete().status) == (204, 404)
    answer = session.ask("tools/list")
    assert (answer.status, answer.error_code) == (404, -32600)
    assert other.ask("ping").json["result"] == {}


def test_deleting_a_session_ends_its_streams(host: Host, on: str) -> None:
    session = host(house(), on).initialize()
    stream = session.listen()
    assert stream.status == 200
    session.delete()
    assert list(stream.events())[1:] == []


def test_deleting_a_session_stops_its_handlers(host: Host) -> None:
    server, stopped = Server("s"), threading.Event()

    @server.tool
    async def wait(ctx: Context) -> None:
        ctx.progress(1)
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.set()

    session = host(server).initialize()
    stream = session.call("wait", progressToken=1)
    stream.message()
    session.delete()
    assert stopped.wait(PATIENCE)
    assert stream.messages() == []


def test_the_requests_of_a_handler_go_on_the_stream_of_its_call(host: Host, on: str) -> None:
    session = host(house(), on).initialize(capabilities=FORM)
    elsewhere = session.listen()
    stream = session.call("ask")
    question = stream.message()
    assert question["method"] == "elicitation/create"
    session.reply(question, {"action": "accept", "content": {"name": "Ada"}})
    assert stream.message()["result"]["content"][0]["text"] == "accept {'name': 'Ada'}"
    assert stream.event() is None
    session.delete()
    assert [event for event in elsewhere.events() if event.data] == []


def test_two_calls_of_a_session_ask_each_on_its_own_stream(host: Host, on: str) -> None:
    session = host(house(), on).initialize(capabilities=FORM)
    streams = [session.call("ask"), session.call("ask")]
    questions = [stream.message() for stream in streams]
    assert questions[0]["id"] != questions[1]["id"]
    for question, name in zip(reversed(questions), ("two", "one"), strict=True):
        session.reply(question, {"action": "accept", "content": {"name": name}})
    texts = [stream.message()["result"]["content"][0]["text"] for stream in streams]
    assert texts == ["accept {'name': 'one'}", "accept {'name': 'two'}"]


def test_several_questions_of_one_handler_are_answered_in_any_order(endpoint: Endpoint) -> None:
    session = endpoint.initialize(capabilities=FORM)
    stream = session.call("ask_twice")
    one, two = stream.message(), stream.message()
    session.reply(two, {"action": "decline"})
    session.reply(one, {"action": "cancel"})
    text = stream.message()["result"]["content"][0]["text"]
    assert text == "one cancel, two decline"


def test_an_answer_in_another_session_is_nobodys(endpoint: Endpoint) -> None:
    mine, other = (endpoint.initialize(capabilities=FORM) for _ in range(2))
    stream = mine.call("ask")
    question = stream.message()
    other.reply(question, {"action": "accept", "content": {"name": "Mallory"}})
    mine.reply(question, {"action": "decline"})
    assert stream.message()["result"]["content"][0]["text"] == "decline None"


def test_changes_are_reported_on_the_stream_of_the_session(host: Host, on: str) -> None:
    endpoint = host(house(), on)
    session, other = endpoint.initialize(), endpoint.initialize()
    assert session.ask("resources/subscribe", {"uri": "house://door"}).json["result"] == {}
    stream = session.listen()
    assert stream.status == 200
    assert stream.header("mcp-session-id") == session.id
    assert other.text("grow") == "2"
    assert stream.message()["method"] == "notifications/tools/list_changed"
    assert other.text("touch") == "1"
    assert stream.message()["params"] == {"uri": "house://door"}


def test_a_message_goes_to_one_of_several_streams(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    streams = [session.listen() for _ in range(3)]
    endpoint.initialize().text("grow")
    session.delete()
    heard = [event for stream in streams for event in stream.events() if event.data]
    assert len(heard) == 1


def test_a_session_has_a_limited_number_of_streams(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    statuses = [session.listen().status for _ in range(9)]
    assert statuses == [200] * 8 + [409]


def test_the_stream_of_a_session_needs_a_client_that_takes_events(endpoint: Endpoint) -> None:
    session = endpoint.initialize()
    answer = endpoint.ask("GET", {**session.headers, "Accept": "application/json"})
    assert (answer.status, answer.error_code) == (406, -32600)


def test_the_least_used_session_makes_room(host: Host) -> None:
    endpoint = host(house(), limits=Limits(sessions=3))
    sessions = [endpoint.initialize() for _ in range(3)]
    assert sessions[0].ask("ping").status == 200
    sessions.append(endpoint.initialize())
    assert [session.ask("ping").status for session in sessions] == [200, 404, 200, 200]


def test_a_session_in_use_does_not_make_room(host: Host) -> None:
    endpoint = host(house(), limits=Limits(sessions=2))
    sessions = [endpoint.initialize(), endpoint.initialize()]
    streams = [session.listen() for session in sessions]
    assert [stream.status for stream in streams] == [200, 200]
    params = {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": CLIENT}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = endpoint.post(message)
    assert (answer.status, answer.header("retry-after")) == (503, "1")
    assert "id" not in answer.json


def test_a_session_that_no_one_uses_ends(host: Host) -> None:
    endpoint = host(house(), limits=Limits(session_idle_seconds=0.05))
    idle, busy = endpoint.initialize(), endpoint.initialize()
    stream = busy.listen()
    wait_until(lambda: endpoint.text(call("grow")) == "1")
    assert idle.ask("ping").status == 404
    assert busy.ask("ping").status == 200
    stream.close()


def guests() -> Authorization:
    tokens = StaticTokens({"of-ada": "ada", "of-bob": "bob"})
    return Authorization(tokens, resource="http://localhost/mcp")


def bearer(name: str) -> dict[str, str | None]:
    return {"Authorization": f"Bearer of-{name}"}


def test_a_session_belongs_to_the_principal_that_opened_it(host: Host, on: str) -> None:
    endpoint = host(house(), on, authorization=guests())
    session = endpoint.initialize(headers=bearer("ada"))
    assert session.text("who") == "ada"
    for headers in (bearer("bob"), {**bearer("bob"), "MCP-Protocol-Version": None}):
        answer = session.post(session.frame("tools/list"), headers)
        assert (answer.status, answer.error_code) == (404, -32600)
    stolen = {**session.headers, **bearer("bob"), "Accept": "text/event-stream"}
    assert endpoint.ask("GET", stolen).status == 404
    assert endpoint.ask("DELETE", stolen).status == 404
    assert session.text("who") == "ada"


def test_who_asks_is_distinguished_request_by_request(host: Host) -> None:
    endpoint = host(house(), PADDOCK, authorization=guests())
    connection = endpoint.connect()
    for name in ("ada", "bob", "ada"):
        answer = endpoint.post(call("who"), bearer(name), connection=connection)
        assert answer.json["result"]["content"][0]["text"] == name


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_older_versions_are_spoken(endpoint: Endpoint, version: str) -> None:
    session = endpoint.initialize(version, capabilities=FORM)
    assert session.welcome["protocolVersion"] == version
    assert session.text("echo", {"text": "old"}) == "old"


def test_older_versions_know_no_priming_event(endpoint: Endpoint) -> None:
    session = endpoint.initialize("2025-06-18", capabilities=FORM)
    stream = session.call("ask")
    event = stream.event()
    assert event is not None
    assert event.message["method"] == "elicitation/create"
    session.reply(event.message, {"action": "decline"})
    stream.messages()


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "text/event-stream"])
def test_a_batch_is_answered_with_all_its_answers(host: Host, on: str, accept: str) -> None:
    session = host(house(), on).initialize("2025-03-26")
    messages: list[Json] = [
        session.frame("tools/call", {"name": "echo", "arguments": {"text": "one"}}),
        {"jsonrpc": "2.0", "method": "notifications/x"},
        session.frame("ping"),
        session.frame("tools/call", {"name": "echo", "arguments": {"text": "two"}}),
        session.frame("no/such"),
    ]
    answer = session.post(messages, {"Accept": accept})
    assert answer.status == 200
    by_id = {one["id"]: one for one in answer.messages()}
    assert by_id.keys() == {message["id"] for message in messages if "id" in message}
    assert by_id[messages[3]["id"]]["result"]["content"][0]["text"] == "two"
    assert by_id[messages[4]["id"]]["error"]["code"] == -32601


def test_a_batch_of_notifications_is_accepted(endpoint: Endpoint) -> None:
    session = endpoint.initialize("2025-03-26")
    answer = session.post([{"jsonrpc": "2.0", "method": "notifications/x"}] * 2)
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("version", [SESSION, "2025-06-18", "2024-11-05"])
def test_only_one_version_knows_batches(endpoint: Endpoint, version: str) -> None:
    session = endpoint.initialize(version)
    answer = session.post([{"jsonrpc": "2.0", "method": "notifications/x"}])
    assert (answer.status, answer.error_code) == (400, -32600)
