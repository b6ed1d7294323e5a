"""Listing and calling tools."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, field

from paddock import Annotations, CallToolResult, Context, Icon, Server, TextContent, Tool
from paddock.errors import DefinitionError, LoadError
from tests.behaviour.line import error_text
from tests.behaviour.wire import META_KEY, STATELESS
from tests.conftest import Connect


def test_tools_are_listed_with_every_field(connect: Connect, era: str) -> None:
    server = Server("s")
    schema: dict[str, object] = {"type": "object", "properties": {"q": {"type": "string"}}}
    server.register(
        Tool(
            "search",
            lambda arguments: {"found": arguments["q"]},
            title="Search",
            description="Searches",
            input_schema=schema,
            output_schema={"type": "object", "required": ["found"]},
            annotations={"readOnlyHint": True},
            icons=[Icon("https://example.org/i.svg", theme="dark")],
            meta={"example.org/cost": 3},
        )
    )
    assert connect(server, era).result("tools/list") == {
        "tools": [
            {
                "name": "search",
                "title": "Search",
                "description": "Searches",
                "inputSchema": schema,
                "outputSchema": {"type": "object", "required": ["found"]},
                "annotations": {"readOnlyHint": True},
                "icons": [{"src": "https://example.org/i.svg", "theme": "dark"}],
                "_meta": {"example.org/cost": 3},
            }
        ]
    }


def test_tools_are_listed_in_the_order_of_their_registration(connect: Connect, era: str) -> None:
    server = Server("s")
    names = [f"tool_{number * 7 % 23}" for number in range(23)]
    server.register(Tool(name, lambda: "") for name in names)
    line = connect(server, era)
    first = [tool["name"] for tool in line.result("tools/list")["tools"]]
    second = [tool["name"] for tool in line.result("tools/list")["tools"]]
    assert first == second == names


def test_a_tool_with_the_same_name_replaces_the_first_in_its_place(
    connect: Connect, era: str
) -> None:
    server = Server("s")
    server.register([Tool("a", lambda: "old"), Tool("b", lambda: "b"), Tool("a", lambda: "new")])
    line = connect(server, era)
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["a", "b"]
    assert line.text("a") == "new"


def test_a_tool_is_called_with_its_arguments(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def add(a: int, b: int = 10) -> int:
        return a + b

    line = connect(server, era)
    expected = {
        "content": [{"type": "text", "text": "3"}],
        "structuredContent": {"result": 3},
    }
    assert line.call("add", {"a": 1, "b": 2}) == expected
    assert line.text("add", {"a": 1}) == "11"


def test_an_async_tool_is_called_as_a_plain_one_is(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    async def add(a: int, b: int) -> int:
        return a + b

    assert connect(server, era).call("add", {"a": 1, "b": 2})["structuredContent"] == {"result": 3}


@pytest.mark.parametrize("inline", [True, False])
def test_an_inline_tool_gives_what_another_gives(
    connect: Connect, era: str, *, inline: bool
) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello", inline=inline))
    assert connect(server, era).text("hi") == "hello"


def test_call_of_an_unknown_tool_is_invalid_params(connect: Connect, era: str) -> None:
    line = connect(Server("s"), era)
    error = line.error("tools/call", {"name": "nope", "arguments": {}})
    assert error["code"] == -32602
    assert "nope" in error["message"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 5},
        {"name": None},
        {"name": "hi", "arguments": []},
        {"name": "hi", "arguments": "x"},
        {"name": "hi", "arguments": 5},
    ],
)
def test_a_malformed_call_is_invalid_params(
    connect: Connect, era: str, params: dict[str, object]
) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    assert connect(server, era).error("tools/call", params)["code"] == -32602


@pytest.mark.parametrize("params", [{"name": "hi"}, {"name": "hi", "arguments": None}])
def test_absent_and_null_arguments_are_not_an_arguments(
    connect: Connect, era: str, params: dict[str, object]
) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    result = connect(server, era).result("tools/call", params)
    assert result == {"content": [{"type": "text", "text": "hello"}]}


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list"])
def test_lists_take_null_and_absent_parameters(connect: Connect, method: str) -> None:
    line = connect(Server("s"))
    line.send({"jsonrpc": "2.0", "id": "null", "method": method, "params": None})
    line.send({"jsonrpc": "2.0", "id": "absent", "method": method})
    assert "result" in line.answer("null")
    assert "result" in line.answer("absent")


def test_wrong_arguments_are_reported_to_the_model_with_path_and_expected_type(
    connect: Connect, era: str
) -> None:
    server = Server("s")

    @server.tool
    def total(numbers: list[int]) -> int:
        return sum(numbers)

    line = connect(server, era)
    text = error_text(line.call("total", {"numbers": [1, "two"]}))
    assert "$.numbers[1]" in text
    assert "int" in text
    assert "str" in text
    assert "numbers" in error_text(line.call("total", {}))
    assert "extra" in error_text(line.call("total", {"numbers": [], "extra": 1}))


def test_a_tool_declared_wrongly_is_left_out_and_the_others_are_served(
    connect: Connect, era: str
) -> None:
    server = Server("s")

    def wrong(*values: int) -> str:
        return str(values)

    server.register([Tool("wrong", wrong), Tool("right", lambda: "yes")])
    line = connect(server, era)
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["right"]
    error = line.error("tools/call", {"name": "wrong", "arguments": {}})
    assert error["code"] == -32603
    assert "*args" in error["message"]
    assert line.text("right") == "yes"


def test_content_keeps_its_annotations_and_meta(connect: Connect, era: str) -> None:
    server = Server("s")
    content = TextContent(
        "hi", annotations=Annotations(audience=["user"], priority=0.5), meta={"a": 1}
    )
    server.register(Tool("hi", lambda: content))
    assert connect(server, era).call("hi")["content"] == [
        {
            "type": "text",
            "text": "hi",
            "annotations": {"audience": ["user"], "priority": 0.5},
            "_meta": {"a": 1},
        }
    ]


def test_the_same_tool_can_be_in_two_servers_and_sees_the_one_that_is_called(
    connect: Connect, era: str
) -> None:
    def which(ctx: Context) -> str:
        return f"{ctx.server.name} {ctx.state}"

    tool = Tool("which", which)
    one = Server("one", tools=tool, lifespan=lambda _: nullcontext(1))
    two = Server("two", tools=tool, lifespan=lambda _: nullcontext(2))
    first, second = connect(one, era), connect(two, era)
    assert first.text("which") == "one 1"
    assert second.text("which") == "two 2"


def test_string_ids_are_echoed_as_they_are(connect: Connect, era: str) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    line = connect(server, era)
    for key in ("7", "", "ü\n\"'\\", "x" * 1000, "\x00"):
        line.send({**line.frame("tools/call", {"name": "hi"}), "id": key})
        assert "result" in line.answer(key)


@pytest.mark.parametrize("key", [0, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_integer_ids_are_echoed_as_they_are(connect: Connect, era: str, key: int) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    line = connect(server, era)
    line.send({**line.frame("tools/call", {"name": "hi"}), "id": key})
    assert "result" in line.answer(key)


def test_a_handler_sees_its_request(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def seen(ctx: Context) -> dict[str, object]:
        return {
            "id": ctx.request_id,
            "version": ctx.protocol_version,
            "client": ctx.client_info,
            "capabilities": ctx.client_capabilities,
            "trace": ctx.meta["traceparent"],
            "is_cancelled": ctx.is_cancelled,
        }

    line = connect(server, era, capabilities={"roots": {}})
    frame = line.frame("tools/call", {"name": "seen"}, traceparent="00-1-2-01")
    line.send(frame)
    assert line.answer(frame["id"])["result"]["structuredContent"] == {
        "id": frame["id"],
        "version": era,
        "client": {"name": "line", "version": "1.0.0"},
        "capabilities": {"roots": {}},
        "trace": "00-1-2-01",
        "is_cancelled": False,
    }


def test_ten_thousand_tools_are_listed_on_one_page(connect: Connect) -> None:
    server = Server("s", tools=[Tool(f"t{number}", lambda: "") for number in range(10_000)])
    assert len(connect(server).result("tools/list")["tools"]) == 10_000


def test_stateless_results_say_that_they_are_complete_and_who_answered(connect: Connect) -> None:
    server = Server("s", version="2", tools=Tool("hi", lambda: "hello"))
    info = {f"{META_KEY}serverInfo": {"name": "s", "version": "2"}}
    line = connect(server, STATELESS)
    assert line.ask("tools/call", {"name": "hi"})["result"] == {
        "content": [{"type": "text", "text": "hello"}],
        "resultType": "complete",
        "_meta": info,
    }


def test_a_result_keeps_its_own_meta_beside_that_of_the_protocol(
    connect: Connect, era: str
) -> None:
    server = Server("s")
    server.register(Tool("hi", lambda: CallToolResult(["hello"], meta={"example.org/a": 1})))
    assert connect(server, era).call("hi") == {
        "content": [{"type": "text", "text": "hello"}],
        "_meta": {"example.org/a": 1},
    }


def test_lists_and_reads_carry_the_cache_hints_of_the_server(connect: Connect) -> None:
    server = Server("s", cache_ttl_ms=5000, cache_scope="public")
    server.register(Tool("hi", lambda: "hello"))
    line = connect(server, STATELESS)
    for method in ("server/discover", "tools/list", "prompts/list", "resources/list"):
        result = line.ask(method)["result"]
        assert (result["ttlMs"], result["cacheScope"]) == (5000, "public")
    assert "ttlMs" not in line.ask("tools/call", {"name": "hi"})["result"]


def test_the_json_of_structured_content_is_also_given_as_text(connect: Connect, era: str) -> None:
    server = Server("s", tools=Tool("data", lambda: {"ä": [1, 2.5, None, True]}))
    result = connect(server, era).call("data")
    assert result["structuredContent"] == {"ä": [1, 2.5, None, True]}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_a_tool_can_be_named_in_the_decorator_itself(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool("short-name")
    def a_long_name() -> str:
        return "hi"

    assert connect(server, era).text("short-name") == a_long_name()


@pytest.mark.parametrize(
    ("argument", "given", "taken"),
    [
        ("count", "10", 10),
        ("count", " 10.0 ", 10),
        ("share", "0.5", 0.5),
        ("is_deep", "True", True),
        ("is_deep", "no", False),
        ("word", "10", "10"),
    ],
)
def test_a_lenient_tool_takes_texts_for_numbers_and_truth_values(
    connect: Connect, argument: str, given: str, taken: object
) -> None:
    server = Server("s")

    @server.tool(lenient=True)
    def given_values(
        count: int | None = None,
        share: float = 0.0,
        is_deep: bool = False,
        word: str = "",
    ) -> dict[str, object]:
        return {"count": count, "share": share, "is_deep": is_deep, "word": word}

    answer = connect(server).call("given_values", {argument: given})
    assert answer["structuredContent"][argument] == taken


@pytest.mark.parametrize("given", ["ten", "", "[1]", "true"])
def test_a_lenient_tool_refuses_what_is_not_a_number(connect: Connect, given: str) -> None:
    server = Server("s")

    @server.tool(lenient=True)
    def twice(count: int) -> int:
        return 2 * count

    answer = connect(server).call("twice", {"count": given})
    assert answer["isError"]
    assert "Invalid arguments" in answer["content"][0]["text"]


class GreetingArguments(Struct, forbid_unknown_fields=True, rename="camel"):
    """The arguments of the tools below."""

    first_name: Annotated[str, Meta(description="Whom to greet.")]
    words: Annotated[list[str], "More words."] = field(default_factory=lambda: ["dear"])


def greet(arguments: GreetingArguments, ctx: Context) -> str:
    if arguments.first_name == "nobody":
        raise LoadError("there is nobody")
    return f"{ctx.server.name}: {' '.join([*arguments.words, arguments.first_name])}"


@pytest.mark.parametrize("handler", [greet, f"{__name__}:greet"])
def test_the_arguments_of_a_tool_can_be_declared_as_a_struct(
    connect: Connect, era: str, handler: Callable[..., str] | str
) -> None:
    server = Server("s")
    server.register(Tool("greet", handler, description="Greet.", arguments=GreetingArguments))
    line = connect(server, era)
    (tool,) = line.result("tools/list")["tools"]
    assert tool["inputSchema"] == {
        "type": "object",
        "properties": {
            "firstName": {"type": "string", "description": "Whom to greet."},
            "words": {
                "type": "array",
                "items": {"type": "string"},
                "description": "More words.",
                "default": ["dear"],
            },
        },
        "required": ["firstName"],
        "additionalProperties": False,
    }
    assert "outputSchema" not in tool
    assert line.call("greet", {"firstName": "Ada"})["content"][0]["text"] == "s: dear Ada"
    assert "`firstName`" in error_text(line.call("greet", {}))
    assert "first_name" in error_text(line.call("greet", {"first_name": "Ada"}))


def test_an_error_of_paddock_in_a_referenced_handler_is_the_whole_message(
    connect: Connect, era: str
) -> None:
    server = Server("s")
    reference = f"{__name__}:greet"
    server.register(Tool("greet", reference, description="Greet.", arguments=GreetingArguments))
    result = connect(server, era).call("greet", {"firstName": "nobody"})
    assert error_text(result) == "there is nobody"


def test_a_referenced_handler_is_imported_with_the_first_call(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(Tool("late", "paddock_no_such_module:run", description="Fail.", parameters=[]))
    line = connect(server, era)
    assert [tool["name"] for tool in line.result("tools/list")["tools"]] == ["late"]
    assert "paddock_no_such_module" in error_text(line.call("late", {}))


@pytest.mark.parametrize(
    ("handler", "properties"),
    [
        ("greet", {"description": "Greet.", "parameters": []}),
        ("module:greet", {"description": "Greet."}),
        ("module:greet", {"parameters": []}),
    ],
)
def test_a_reference_needs_a_description_and_arguments(
    handler: str, properties: dict[str, Any]
) -> None:
    with pytest.raises(DefinitionError):
        Tool("t", handler, **properties)
