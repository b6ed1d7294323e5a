"""What a session hears of changes: subscriptions to resources, and changes of lists."""

import pytest

from paddock import Prompt, Resource, ResourceTemplate, Server, Tool
from tests.behaviour.wire import SESSION
from tests.conftest import Connect

LISTS = [
    ("tools", Tool("new", lambda: "")),
    ("prompts", Prompt("new", "")),
    ("resources", Resource("new://", lambda: "")),
    ("resources", ResourceTemplate("new://{x}")),
]


def test_a_subscriber_hears_of_its_resource_until_it_unsubscribes(connect: Connect) -> None:
    server = Server("s", resources=Resource("a://b", lambda: ""))
    line = connect(server)
    assert server.resource_updated("a://b") == 0
    assert line.ask("resources/subscribe", {"uri": "a://b"})["result"] == {}
    assert server.resource_updated("a://b") == 1
    assert server.resource_updated("a://other") == 0
    assert line.notification("notifications/resources/updated") == {"uri": "a://b"}
    assert line.ask("resources/unsubscribe", {"uri": "a://b"})["result"] == {}
    assert server.resource_updated("a://b") == 0
    assert line.heard() == []


def test_subscribing_twice_is_subscribing_once(connect: Connect) -> None:
    server = Server("s", resources=Resource("a://b", lambda: ""))
    line = connect(server)
    for _ in range(2):
        line.ask("resources/subscribe", {"uri": "a://b"})
    server.resource_updated("a://b")
    assert len(line.heard()) == 1
    line.ask("resources/unsubscribe", {"uri": "a://b"})
    assert server.resource_updated("a://b") == 0


def test_unsubscribing_from_nothing_is_not_an_error(connect: Connect) -> None:
    assert connect(Server("s")).ask("resources/unsubscribe", {"uri": "a://b"})["result"] == {}


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
@pytest.mark.parametrize("params", [{}, {"uri": 5}])
def test_subscribing_without_a_uri_is_invalid_params(
    connect: Connect, method: str, params: dict[str, object]
) -> None:
    assert connect(Server("s")).error(method, params)["code"] == -32602


def test_every_subscribed_connection_is_reported_and_counted(connect: Connect) -> None:
    server = Server("s", resources=Resource("a://b", lambda: ""))
    lines = [connect(server) for _ in range(3)]
    for line in lines[:2]:
        line.ask("resources/subscribe", {"uri": "a://b"})
    assert server.resource_updated("a://b") == 2
    assert [len(line.heard()) for line in lines] == [1, 1, 0]
    lines[0].close()
    assert server.resource_updated("a://b") == 1


def test_subscription_does_not_exist_where_it_is_not_declared(connect: Connect) -> None:
    line = connect(Server("s", capabilities={"resources": {"listChanged": True}}))
    assert line.error("resources/subscribe", {"uri": "a://b"})["code"] == -32601


def test_functions_of_this_process_hear_of_a_resource_too() -> None:
    server = Server("s")
    heard: list[str] = []

    def fail(uri: str) -> None:
        raise LookupError(uri)

    server.subscribe("a://b", fail).subscribe("a://b", heard.append)
    server.resource_updated("a://b")
    server.unsubscribe("a://b", heard.append)
    server.resource_updated("a://b")
    assert heard == ["a://b"]


@pytest.mark.parametrize(("kind", "item"), LISTS)
def test_a_session_hears_when_something_is_registered(
    connect: Connect, kind: str, item: Tool | Prompt | Resource | ResourceTemplate
) -> None:
    server = Server("s")
    line = connect(server)
    line.ask("ping")
    server.register(item)
    assert line.heard() == [{"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"}]


def test_a_session_hears_when_a_tool_is_removed_and_sees_the_new_list(connect: Connect) -> None:
    server = Server("s", tools=[Tool("a", lambda: ""), Tool("b", lambda: "")])
    line = connect(server)
    assert len(line.result("tools/list")["tools"]) == 2
    assert server.tools.remove("a")
    assert not server.tools.remove("a")
    line.notification("notifications/tools/list_changed")
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["b"]
    assert line.error("tools/call", {"name": "a"})["code"] == -32602
    assert line.heard() == []


def test_a_handler_can_register_a_tool(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def grow() -> str:
        server.register(Tool("grown", lambda: "here"))
        return "done"

    line = connect(server, era)
    assert line.text("grow") == "done"
    assert line.text("grown") == "here"
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["grow", "grown"]


def test_nothing_is_reported_before_the_session_is_open(connect: Connect) -> None:
    server = Server("s")
    line = connect.silent(server)
    line.ask("ping")
    server.register(Tool("a", lambda: ""))
    line.ask(
        "initialize", {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "x"}}
    )
    server.register(Tool("b", lambda: ""))
    assert line.heard() == []
    line.notify("notifications/initialized")
    assert line.heard() == []
    assert server.list_changed("tools") == 1
    assert len(line.heard()) == 1


def test_registering_tells_every_connection_and_forgets_those_that_ended(connect: Connect) -> None:
    server = Server("s")
    first, second = connect(server), connect(server)
    for line in (first, second):
        line.ask("ping")
    first.close()
    assert server.list_changed("prompts") == 1
    assert len(second.heard()) == 1


def test_several_items_registered_together_are_reported_once_of_each_kind(connect: Connect) -> None:
    server = Server("s")
    line = connect(server)
    line.ask("tools/list")
    tools = [Tool(f"t{number}", lambda: "") for number in range(3)]
    prompts = [Prompt(f"p{number}", "Hi") for number in range(3)]
    server.register([*tools, *prompts])
    heard = [message["method"] for message in line.heard()]
    assert heard == ["notifications/prompts/list_changed", "notifications/tools/list_changed"]
