"""`subscriptions/listen`: what clients without a session hear of changes."""

import pytest

from paddock import Context, Prompt, Resource, Server, Tool
from tests.behaviour.line import Json, Line
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect

TAG = f"{META_KEY}subscriptionId"
ACK = "notifications/subscriptions/acknowledged"


def listen(line: Line, **wanted: object) -> tuple[int, Json]:
    """Begin to listen; the id, and what the server will tell."""
    request_id = line.request("subscriptions/listen", {"notifications": wanted})
    params = line.notification(ACK)
    assert params["_meta"] == {TAG: request_id}
    honoured: Json = params["notifications"]
    return request_id, honoured


def test_the_acknowledgement_comes_first_and_names_what_will_be_reported(connect: Connect) -> None:
    server = Server("s")
    line = connect(server, STATELESS)
    line.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    first = line.take(lambda _: True)
    assert first == {
        "jsonrpc": "2.0",
        "method": ACK,
        "params": {"notifications": {"toolsListChanged": True}, "_meta": {TAG: 1}},
    }


def test_only_what_was_asked_for_is_reported_and_every_message_is_tagged(connect: Connect) -> None:
    server = Server("s")
    line = connect(server, STATELESS)
    tools, honoured = listen(line, toolsListChanged=True, promptsListChanged=False)
    assert honoured == {"toolsListChanged": True}
    uri, honoured = listen(line, resourceSubscriptions=["a://b", "a://c"])
    assert honoured == {"resourceSubscriptions": ["a://b", "a://c"]}
    server.register([Prompt("p", ""), Resource("a://b", lambda: ""), Tool("t", lambda: "")])
    assert server.resource_updated("a://c") == 1
    assert server.resource_updated("a://d") == 0
    assert line.heard() == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": {TAG: tools}},
        },
        {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": {"uri": "a://c", "_meta": {TAG: uri}},
        },
    ]


def test_several_listeners_are_each_told_with_their_own_tag(connect: Connect) -> None:
    server = Server("s")
    line = connect(server, STATELESS)
    ids = [listen(line, toolsListChanged=True)[0] for _ in range(3)]
    assert server.list_changed("tools") == 3
    assert [message["params"]["_meta"][TAG] for message in line.heard()] == ids


def test_the_tag_keeps_the_type_of_the_id(connect: Connect) -> None:
    line = connect(Server("s"), STATELESS)
    frame = line.frame("subscriptions/listen", {"notifications": {}})
    line.send({**frame, "id": "7"})
    assert line.notification(ACK)["_meta"] == {TAG: "7"}
    line.send({**frame, "id": 7})
    assert line.notification(ACK)["_meta"] == {TAG: 7}


def test_a_listener_that_cancels_hears_no_more_and_gets_no_answer(connect: Connect) -> None:
    server = Server("s")
    line = connect(server, STATELESS)
    gone, _ = listen(line, toolsListChanged=True)
    kept, _ = listen(line, toolsListChanged=True)
    line.cancel(gone)
    line.ask("server/discover")
    assert server.list_changed("tools") == 1
    assert [message["params"]["_meta"][TAG] for message in line.heard()] == [kept]
    rest = line.close()
    assert [message["id"] for message in rest if "id" in message] == [kept]


def test_an_id_cannot_listen_twice_at_once(connect: Connect) -> None:
    line = connect(Server("s"), STATELESS)
    frame = line.frame("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    line.send(frame)
    line.notification(ACK)
    line.send(frame)
    assert line.answer(frame["id"])["error"]["code"] == -32600
    line.cancel(frame["id"])
    line.send(frame)
    line.notification(ACK)


def test_what_the_server_does_not_declare_is_not_honoured(connect: Connect) -> None:
    server = Server("s", capabilities={"tools": {}, "resources": {"listChanged": True}})
    line = connect(server, STATELESS)
    wanted = {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["a://b"],
    }
    assert listen(line, **wanted)[1] == {"resourcesListChanged": True}
    assert server.list_changed("tools") == 0
    assert server.list_changed("resources") == 1


def test_listeners_are_reported_goodbye_when_the_connection_ends(connect: Connect) -> None:
    line = connect(Server("s", version="1"), STATELESS)
    request_id, _ = listen(line, toolsListChanged=True)
    assert line.close() == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id},
        },
        {
            "jsonrpc": "2.0",
            "id": request_id,
            "result": {
                "resultType": "complete",
                "_meta": {
                    f"{META_KEY}serverInfo": {"name": "s", "version": "1"},
                    TAG: request_id,
                },
            },
        },
    ]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"toolsListChanged": "yes"}},
        {"notifications": {"resourceSubscriptions": "a://b"}},
        {"notifications": {"resourceSubscriptions": [5]}},
    ],
)
def test_malformed_wishes_are_invalid_params(connect: Connect, params: Json) -> None:
    assert connect(Server("s"), STATELESS).error("subscriptions/listen", params)["code"] == -32602


def test_unknown_wishes_are_not_honoured(connect: Connect) -> None:
    assert listen(connect(Server("s"), STATELESS), tasksChanged=True)[1] == {}


def test_more_listeners_than_the_server_keeps_are_refused(connect: Connect) -> None:
    line = connect(Server("s"), STATELESS)
    for _ in range(64):
        listen(line)
    request_id = line.request("subscriptions/listen", {"notifications": {}})
    assert line.answer(request_id)["error"]["code"] == -32603
    assert line.heard() == []


def test_a_session_and_a_listener_on_one_connection_are_reported_each_in_its_way(
    connect: Connect,
) -> None:
    server = Server("s")
    line = connect(server, SESSION)
    line.era = STATELESS
    request_id, _ = listen(line, toolsListChanged=True)
    assert server.list_changed("tools") == 2
    assert [message.get("params") for message in line.heard()] == [
        None,
        {"_meta": {TAG: request_id}},
    ]


def test_progress_and_log_messages_do_not_go_to_listeners(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def noisy(ctx: Context) -> bool:
        return ctx.info("hello") or ctx.progress(1)

    line = connect(server, STATELESS)
    listen(line, toolsListChanged=True, promptsListChanged=True, resourcesListChanged=True)
    assert line.text("noisy") == "false"
    assert line.heard() == []
