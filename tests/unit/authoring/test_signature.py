"""Every kind of callable as a handler."""

import asyncio
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pydantic
import pytest

from paddock import Context, PaddockError, Server, Tool
from tests.behaviour.wire import STATELESS
from tests.conftest import Connect
from tests.unit.authoring import future_handlers
from tests.unit.authoring.served import Served


class Counter:
    """A class whose instances and methods are handlers."""

    def __init__(self, start: int) -> None:
        self.start = start

    def add(self, number: int, ctx: Context) -> int:
        """Adds."""
        return self.start + number

    async def later(self, number: int) -> int:
        return self.start + number

    @classmethod
    def made(cls, number: int) -> str:
        return f"{cls.__name__} {number}"

    @staticmethod
    def alone(number: int) -> str:
        return f"alone {number}"

    def __call__(self, number: int) -> str:
        """Calls."""
        return f"called {self.start + number}"


class AsyncCounter:
    async def __call__(self, number: int) -> str:
        return f"called later {number}"


def keyword_only(*, number: int, extra: int = 1) -> str:
    return f"{number} {extra}"


def positional_only(number: int, /, extra: int = 1) -> str:
    return f"{number} {extra}"


def positional_only_with_context(number: int, ctx: Context, /) -> str:
    return f"{number} {ctx.server.name}"


def context_first(ctx: Context, number: int) -> str:
    return f"{number} {ctx.server.name}"


def optional_context(number: int, ctx: Context | None = None) -> str:
    return f"{number} {ctx is not None}"


def unannotated(number, other="x"):  # type: ignore[no-untyped-def]  # what the test is about
    return f"{number} {other}"


def power(base: int, number: int) -> int:
    return int(base**number)


async def power_later(base: int, number: int) -> int:
    return int(base**number)


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def made_async(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(0)
        return function(*args, **kwargs)

    return wrapper


def made_plain(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return asyncio.run(function(*args, **kwargs))

    return wrapper


HANDLERS: list[tuple[str, Any, str]] = [
    ("method", Counter(10).add, "12"),
    ("async method", Counter(10).later, "12"),
    ("class method", Counter.made, "Counter 2"),
    ("static method", Counter.alone, "alone 2"),
    ("object", Counter(10), "called 12"),
    ("async object", AsyncCounter(), "called later 2"),
    ("keyword-only", keyword_only, "2 1"),
    ("positional-only", positional_only, "2 1"),
    ("positional-only context", positional_only_with_context, "2 s"),
    ("context first", context_first, "2 s"),
    ("optional context", optional_context, "2 True"),
    ("unannotated", unannotated, "2 x"),
    ("lambda", lambda number: f"{number}", "2"),
    ("partial", functools.partial(power, 3), "9"),
    ("partial by name", functools.partial(power, base=3), "9"),
    ("async partial", functools.partial(power_later, 3), "9"),
    ("wrapped", logged(functools.partial(power, 3)), "9"),
    ("wrapped context", logged(context_first), "2 s"),
    ("wrapped async", logged(power_later), "1"),
    ("made async", made_async(keyword_only), "2 1"),
    ("made plain", made_plain(power_later), "1"),
    ("cached", functools.cache(Counter.alone), "alone 2"),
]


@pytest.mark.parametrize(
    ("handler", "text"), [row[1:] for row in HANDLERS], ids=[r[0] for r in HANDLERS]
)
def test_any_callable_can_be_a_handler(
    connect: Connect, handler: Callable[..., Any], text: str
) -> None:
    served = Served(connect, Tool("handle", handler))
    arguments = {"number": 2}
    if "base" in served.schema["properties"] and "base" in served.schema.get("required", ()):
        arguments["base"] = 1
    assert "ctx" not in served.schema["properties"]
    assert served.text(**arguments) == text


@pytest.mark.parametrize(
    ("handler", "description"), [(Counter(1).add, "Adds."), (Counter(1), "A class whose instances")]
)
def test_a_docstring_describes_any_callable(
    connect: Connect, handler: Callable[..., Any], description: str
) -> None:
    assert Served(connect, Tool("t", handler)).entry["description"].startswith(description)


def test_annotations_may_be_text(connect: Connect) -> None:
    served = Served(connect, Tool("visit", future_handlers.visit))
    assert served.schema["properties"]["times"] == {
        "type": "integer",
        "description": "How often",
        "default": 1,
    }
    place = {"name": "a", "near": {"name": "b", "near": None}}
    result = served.call(place=place, times=2)
    assert result["structuredContent"] == {"result": [place, place]}


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (lambda *numbers: 0, "*args"),
        (lambda **options: 0, "*args"),
        (future_handlers.pay, "Decimal"),
        (future_handlers.make_local(), "Local"),
        (max, "type hints"),
        (dict, "type hints"),
    ],
)
def test_a_handler_that_cannot_be_described_is_refused_with_a_reason(
    connect: Connect, handler: Callable[..., Any], said: str
) -> None:
    line = connect(Server("s", tools=Tool("t", handler)), STATELESS)
    assert line.result("tools/list") == {"tools": []}
    assert said in line.error("tools/call", {"name": "t"})["message"]


def test_a_decorated_function_stays_as_it_is() -> None:
    server = Server("s")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(name="times", description="Multiplies")
    def multiply(a: int, b: int) -> int:
        return a * b

    assert add(1, 2) == 3
    assert multiply(2, 3) == 6
    assert [tool.name for tool in server.tools] == ["add", "times"]


def test_a_tool_of_no_parameters_takes_none(connect: Connect) -> None:
    served = Served(connect, Tool("hi", lambda: "hello"))
    assert served.schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert served.text() == "hello"


@pytest.mark.parametrize("name", ["", "with space", "é", "x" * 129, "a\n", "a,b"])
def test_a_name_that_clients_do_not_take_is_refused(name: str) -> None:
    with pytest.raises(PaddockError, match="name"):
        Tool(name, lambda: "")


@pytest.mark.parametrize("name", ["a", "x" * 128, "a.b-c_d/e", "A1"])
def test_a_name_that_clients_take_is_taken(name: str) -> None:
    assert Tool(name, lambda: "").name == name


@pytest.mark.parametrize("handler", [None, "text", 5])
def test_a_handler_that_cannot_be_called_is_refused(handler: Any) -> None:
    with pytest.raises(PaddockError, match="callable"):
        Tool("t", handler)


def test_a_function_without_a_name_needs_one() -> None:
    server = Server("s")
    with pytest.raises(PaddockError, match="name"):
        server.tool(lambda: "")
    server.tool(lambda: "", name="named")
    server.prompt(lambda: "", name="named")
    server.resource("a://b", name="named")(lambda: "")
    assert [tool.name for tool in server.tools] == ["named"]
    assert [prompt.name for prompt in server.prompts] == ["named"]
    assert [resource.name for resource in server.resources] == ["named"]


@pytest.mark.parametrize("item", [5, "text", {"name": "x"}, lambda: "", [5]])
def test_only_items_can_be_registered(item: Any) -> None:
    with pytest.raises(PaddockError, match="register"):
        Server("s").register(item)


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(PaddockError, match="page_size"):
        Server("s", page_size=size)


def test_a_resource_needs_its_uri() -> None:
    with pytest.raises(PaddockError, match="URI"):
        Server("s").resource(lambda: "")  # type: ignore[arg-type]  # what the test is about


def test_a_default_that_binds_a_loop_variable_stays_what_it_is(connect: Connect) -> None:
    server = Server("s")
    for word in ("a", "b"):
        server.register(Tool(word, lambda _arguments, word=word: word, parameters=[]))
    line = connect(server)
    assert [line.text("a"), line.text("b")] == ["a", "b"]


def test_a_handler_of_a_dictionary_gets_the_context_by_its_type(connect: Connect) -> None:
    def named(arguments: dict[str, Any], *, ctx: Context) -> str:
        return f"{len(arguments)} {ctx.server.name}"

    def alone(ctx: Context) -> str:
        return ctx.server.name

    tools = [Tool("named", named, parameters=[]), Tool("alone", alone, parameters=[])]
    line = connect(Server("s", tools=tools))
    assert [line.text("named"), line.text("alone")] == ["0 s", "s"]


def test_defaulted_members_of_a_dataclass_come_back(connect: Connect) -> None:
    @dataclass
    class Option:
        amount: int
        unit: str = "g"

    def echo(option: Option) -> Option:
        return option

    line = connect(Server("s", tools=Tool("echo", echo)))
    answer = line.call("echo", {"option": {"amount": 1}})
    assert answer["structuredContent"] == {"amount": 1, "unit": "g"}


def test_constraints_in_the_notation_of_pydantic_hold(connect: Connect) -> None:
    def take(
        a: Annotated[int, pydantic.Field(ge=1, description="How many")],
        b: int = pydantic.Field(default=3, le=5),
    ) -> str:
        return f"{a} {b}"

    line = connect(Server("s", tools=Tool("take", take)))
    (tool,) = line.result("tools/list")["tools"]
    properties = tool["inputSchema"]["properties"]
    assert properties["a"] == {"type": "integer", "minimum": 1, "description": "How many"}
    assert properties["b"] == {"type": "integer", "maximum": 5, "default": 3}
    assert line.text("take", {"a": 1}) == "1 3"
    assert line.call("take", {"a": 0})["isError"]
    assert line.call("take", {"a": 1, "b": 9})["isError"]
