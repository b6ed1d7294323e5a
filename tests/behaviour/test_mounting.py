"""Servers of this process that are mounted in others: names, state, changes, circles."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from paddock import Context, DefinitionError, Server, Tool
from tests.behaviour.line import Json
from tests.behaviour.wire import SESSION
from tests.conftest import Connect


def names(entries: list[Json], key: str = "name") -> list[str]:
    return [entry[key] for entry in entries]


def weather() -> Server:
    server = Server("weather")

    @server.tool
    def today(city: str) -> str:
        """What the weather is like."""
        return f"Sunny in {city}"

    @server.prompt(completions={"city": ["Vienna", "Venice", "Rome"]})
    def ask(city: str) -> str:
        return f"How is the weather in {city}?"

    @server.resource("weather://map")
    def map_() -> str:
        return "a map"

    @server.resource("weather://{city}/today", completions={"city": ["Vienna", "Rome"]})
    def at(city: str, uri: str) -> str:
        return f"{city} at {uri}"

    return server


def test_tools_and_prompts_get_the_prefix_and_resources_keep_their_uris(
    connect: Connect, era: str
) -> None:
    server = Server("s").mount(weather(), "w")
    line = connect(server, era)
    tools = line.result("tools/list")["tools"]
    assert tools[0]["name"] == "w_today"
    assert tools[0]["description"] == "What the weather is like."
    assert names(line.result("prompts/list")["prompts"]) == ["w_ask"]
    assert names(line.result("resources/list")["resources"], "uri") == ["weather://map"]
    templates = line.result("resources/templates/list")["resourceTemplates"]
    assert names(templates, "uriTemplate") == ["weather://{city}/today"]


def test_mounted_items_are_called_rendered_read_and_completed(connect: Connect, era: str) -> None:
    line = connect(Server("s").mount(weather(), "w"), era)
    assert line.text("w_today", {"city": "Vienna"}) == "Sunny in Vienna"
    prompt = line.result("prompts/get", {"name": "w_ask", "arguments": {"city": "Rome"}})
    assert prompt["messages"][0]["content"]["text"] == "How is the weather in Rome?"
    reading = line.result("resources/read", {"uri": "weather://Rome/today"})
    assert reading["contents"][0]["text"] == "Rome at weather://Rome/today"
    for ref in (
        {"type": "ref/prompt", "name": "w_ask"},
        {"type": "ref/resource", "uri": "weather://{city}/today"},
    ):
        params = {"ref": ref, "argument": {"name": "city", "value": "R"}}
        assert line.result("completion/complete", params)["completion"]["values"] == ["Rome"]


def test_every_resource_can_be_reached_by_its_prefix(connect: Connect, era: str) -> None:
    line = connect(Server("s").mount(weather(), "My_Weather"), era)
    for uri, text in (
        ("my-weather+weather://map", "a map"),
        ("my-weather+weather://Rome/today", "Rome at weather://Rome/today"),
    ):
        assert line.result("resources/read", {"uri": uri})["contents"][0]["text"] == text


def test_of_two_resources_with_one_uri_the_second_is_listed_with_its_prefix(
    connect: Connect, era: str
) -> None:
    first, second = Server("first"), Server("second")
    for server, text in ((first, "one"), (second, "two")):
        server.resource("notes://today", name="today")(lambda text=text: text)
    line = connect(Server("s").mount(first, "a").mount(second, "b"), era)
    listed = names(line.result("resources/list")["resources"], "uri")
    assert listed == ["notes://today", "b+notes://today"]
    texts = [
        line.result("resources/read", {"uri": uri})["contents"][0]["text"]
        for uri in (*listed, "a+notes://today")
    ]
    assert texts == ["one", "two", "one"]


def test_without_a_prefix_names_stay_as_they_are(connect: Connect, era: str) -> None:
    line = connect(Server("s").mount(weather()), era)
    assert line.text("today", {"city": "Rome"}) == "Sunny in Rome"


def test_another_separator_can_be_chosen(connect: Connect) -> None:
    line = connect(Server("s").mount(weather(), "w", separator="."))
    assert names(line.result("tools/list")["tools"]) == ["w.today"]


def test_names_that_collide_are_refused_when_mounting() -> None:
    server = Server("s", tools=Tool("w_today", lambda: ""))
    with pytest.raises(DefinitionError, match="w_today"):
        server.mount(weather(), "w")
    assert server.mount(weather(), "v") is server
    with pytest.raises(DefinitionError, match="prefix 'V' is already used by"):
        server.mount(Server("other"), "V")


def test_a_name_that_would_be_too_long_is_refused_when_mounting() -> None:
    child = Server("child", tools=Tool("x" * 120, lambda: ""))
    with pytest.raises(DefinitionError, match="129 characters"):
        Server("s").mount(child, "prefix_8")


@pytest.mark.parametrize("prefix", ["", "a b", "wëather"])
def test_a_prefix_that_no_name_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(DefinitionError):
        Server("s").mount(weather(), prefix)


def test_a_servers_own_item_wins_over_a_mounted_one_of_its_name(connect: Connect) -> None:
    server = Server("s").mount(weather(), "w")
    server.register(Tool("w_today", lambda: "our own"))
    line = connect(server)
    assert line.text("w_today") == "our own"
    assert names(line.result("tools/list")["tools"]) == ["w_today"]


def test_a_server_cannot_be_mounted_in_itself() -> None:
    one, two, three = Server("one"), Server("two"), Server("three")
    with pytest.raises(DefinitionError, match="in itself"):
        one.mount(one, "x")
    two.mount(one, "one")
    three.mount(two, "two")
    with pytest.raises(DefinitionError, match="in itself"):
        one.mount(three, "three")


def test_mounts_can_be_nested(connect: Connect, era: str) -> None:
    middle = Server("middle").mount(weather(), "w")
    line = connect(Server("s").mount(middle, "m"), era)
    assert names(line.result("tools/list")["tools"]) == ["m_w_today"]
    assert line.text("m_w_today", {"city": "Rome"}) == "Sunny in Rome"
    reading = line.result("resources/read", {"uri": "m+w+weather://map"})
    assert reading["contents"][0]["text"] == "a map"


def test_what_a_child_registers_later_is_offered_and_announced(connect: Connect) -> None:
    child = Server("child")
    line = connect(Server("s").mount(child, "c"))
    assert line.result("tools/list")["tools"] == []
    child.tool(name="late")(lambda: "here")
    line.notification("notifications/tools/list_changed")
    assert line.text("c_late") == "here"
    child.tools.remove("late")
    line.notification("notifications/tools/list_changed")
    assert line.error("tools/call", {"name": "c_late"})["code"] == -32602


def test_mounting_and_unmounting_are_announced(connect: Connect) -> None:
    server, child = Server("s"), weather()
    line = connect(server)
    assert line.result("tools/list")["tools"] == []
    server.mount(child, "w")
    line.notification("notifications/tools/list_changed")
    line.notification("notifications/resources/list_changed")
    assert names(line.result("tools/list")["tools"]) == ["w_today"]
    server.unmount("w")
    line.notification("notifications/tools/list_changed")
    assert line.result("tools/list")["tools"] == []
    assert server.mount(child).unmount(child) is server
    with pytest.raises(DefinitionError, match="is not mounted"):
        server.unmount("w")


def test_updates_of_a_childs_resource_reach_subscribers_by_either_name(connect: Connect) -> None:
    child = weather()
    line = connect(Server("s").mount(child, "w"))
    for uri in ("weather://map", "w+weather://map"):
        line.result("resources/subscribe", {"uri": uri})
    child.resource_updated("weather://map")
    heard = {line.notification("notifications/resources/updated")["uri"] for _ in range(2)}
    assert heard == {"weather://map", "w+weather://map"}


def test_handlers_of_a_child_see_the_child_its_state_and_its_settings(
    connect: Connect, era: str
) -> None:
    events: list[str] = []

    @contextmanager
    def plain(server: Any) -> Iterator[str]:
        events.append(f"enter {server.name}")
        yield f"state of {server.name}"
        events.append(f"leave {server.name}")

    @asynccontextmanager
    async def later(server: Any) -> AsyncIterator[str]:
        events.append(f"enter {server.name}")
        yield f"state of {server.name}"
        events.append(f"leave {server.name}")

    def seen(ctx: Context) -> str:
        return f"{ctx.server.name}: {ctx.state}"

    def failing() -> None:
        raise RuntimeError("a secret")

    tools = [Tool("seen", seen), Tool("failing", failing)]
    child = Server("child", tools=tools, lifespan=later, mask_errors=True)
    bare = Server("bare", tools=tools)
    server = Server("s", tools=tools, lifespan=plain).mount(child, "c").mount(bare, "b")
    line = connect(server, era)
    assert line.text("seen") == "s: state of s"
    assert line.text("c_seen") == "child: state of child"
    assert line.text("b_seen") == "bare: None"
    assert "a secret" not in str(line.call("c_failing"))
    assert "a secret" in str(line.call("b_failing"))
    line.close()
    assert events == ["enter s", "enter child", "leave child", "leave s"]


def test_a_child_that_is_mounted_later_does_not_see_anothers_state(connect: Connect) -> None:
    @contextmanager
    def lifespan(_server: Any) -> Iterator[str]:
        yield "the parent's"

    server = Server("s", lifespan=lifespan)
    line = connect(server)
    child = Server("child")

    @child.tool
    def state(ctx: Context) -> str:
        return str(ctx.state)

    server.mount(child, "c")
    assert line.text("c_state") == "None"


def test_a_server_in_this_process_takes_no_options_of_connect() -> None:
    with pytest.raises(DefinitionError, match="era"):
        Server("s").mount(Server("child"), "c", era=SESSION)


def test_long_lists_of_mounted_items_have_pages(connect: Connect) -> None:
    child = Server("child", tools=[Tool(f"t{n}", lambda: "") for n in range(5)])
    line = connect(Server("s", page_size=3).mount(child, "c"))
    first = line.result("tools/list")
    second = line.result("tools/list", {"cursor": first["nextCursor"]})
    listed = names(first["tools"]) + names(second["tools"])
    assert listed == ["c_t0", "c_t1", "c_t2", "c_t3", "c_t4"]
