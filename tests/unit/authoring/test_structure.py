"""Output schemas, and whether results keep to them."""

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import jsonschema_rs
import msgspec
import pydantic
import pytest

from paddock import CallToolResult, ImageContent, Server, TextContent, Tool
from tests.behaviour.line import error_text
from tests.behaviour.wire import SESSION
from tests.conftest import Connect
from tests.unit.authoring.served import Served


class Point(msgspec.Struct):
    x: int
    y: int = 0


@dataclass
class Person:
    name: str
    friends: "list[Person]"


class Options(TypedDict):
    depth: int


class Engine(pydantic.BaseModel):
    power: int


class Car(pydantic.BaseModel):
    engine: Engine


def returning(hint: Any, value: Any) -> Tool:
    def handler() -> Any:
        return value

    handler.__annotations__["return"] = hint
    return Tool("t", handler)


OBJECTS: list[tuple[Any, Any, dict[str, Any]]] = [
    (Point, Point(1), {"x": 1, "y": 0}),
    (
        Person,
        Person("A", [Person("B", [])]),
        {"name": "A", "friends": [{"name": "B", "friends": []}]},
    ),
    (Options, {"depth": 1}, {"depth": 1}),
    (Car, Car(engine=Engine(power=1)), {"engine": {"power": 1}}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[str, Any], {"a": [1]}, {"a": [1]}),
    (Point, {"x": 2}, {"x": 2}),
]


@pytest.mark.parametrize(("hint", "value", "structured"), OBJECTS, ids=str)
def test_a_type_of_objects_is_the_output_schema(
    connect: Connect, hint: Any, value: Any, structured: dict[str, Any]
) -> None:
    served = Served(connect, returning(hint, value))
    assert served.entry["outputSchema"]["type"] == "object"
    assert jsonschema_rs.is_valid(served.entry["outputSchema"], structured)
    result = served.call()
    assert result["structuredContent"] == structured
    assert msgspec.json.decode(result["content"][0]["text"]) == structured


OTHERS: list[tuple[Any, Any, Any]] = [
    (int, 5, 5),
    (float, 1.5, 1.5),
    (float, 2, 2),
    (bool, True, True),
    (list[int], [1, 2], [1, 2]),
    (list[Point], [Point(1)], [{"x": 1, "y": 0}]),
    (list[Car], [Car(engine=Engine(power=1))], [{"engine": {"power": 1}}]),
    (tuple[int, str], (1, "a"), [1, "a"]),
    (int | str, "a", "a"),
    (Point | None, None, None),
    (Literal["a", "b"], "a", "a"),
    (dt.date, dt.date(2026, 1, 2), "2026-01-02"),
    (set[int], {1}, [1]),
]


@pytest.mark.parametrize(("hint", "value", "result"), OTHERS, ids=str)
def test_any_other_type_is_wrapped_into_an_object(
    connect: Connect, hint: Any, value: Any, result: Any
) -> None:
    served = Served(connect, returning(hint, value))
    schema = served.entry["outputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["result"]
    assert served.call()["structuredContent"] == {"result": result}
    assert jsonschema_rs.is_valid(schema, {"result": result})


@pytest.mark.parametrize(
    "hint",
    [str, None, Any, bytes, TextContent, list[TextContent], CallToolResult, ImageContent | str],
)
def test_text_and_content_promise_nothing(connect: Connect, hint: Any) -> None:
    assert "outputSchema" not in Served(connect, returning(hint, "text")).entry


WRONG: list[tuple[Any, Any, list[str]]] = [
    (int, "five", ["int", "str"]),
    (int, None, ["int", "null"]),
    (Point, {"x": "1"}, ["$.x", "int", "str"]),
    (Point, None, ["object", "null"]),
    (list[int], [1, "a"], ["$[1]", "int", "str"]),
    (Car, {"engine": {}}, ["power"]),
    (Literal["a"], "b", ["b"]),
]


@pytest.mark.parametrize(("hint", "value", "said"), WRONG, ids=str)
def test_a_value_that_is_not_what_was_promised_is_an_error(
    connect: Connect, hint: Any, value: Any, said: list[str]
) -> None:
    text = error_text(Served(connect, returning(hint, value)).call())
    for part in said:
        assert part in text, text


RAW: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1}},
    "required": ["n"],
}


def test_a_raw_output_schema_is_published_and_checked(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda n: {"n": n}, output_schema=RAW))
    assert served.entry["outputSchema"] == RAW
    assert served.call(n=1)["structuredContent"] == {"n": 1}
    assert "$.n" in error_text(served.call(n=0))


def test_a_full_result_is_checked_against_a_raw_output_schema_unless_it_is_an_error(
    connect: Connect,
) -> None:
    def handler(n: int, is_error: bool) -> CallToolResult:
        return CallToolResult(["x"], structured_content={"n": n}, is_error=is_error)

    served = Served(connect, Tool("t", handler, output_schema=RAW))
    assert served.call(n=1, is_error=False)["structuredContent"] == {"n": 1}
    assert "$.n" in error_text(served.call(n=0, is_error=False))
    assert error_text(served.call(n=0, is_error=True)) == "x"


@pytest.mark.parametrize("value", ["text", None, TextContent("text")])
def test_a_tool_with_a_raw_output_schema_owes_structured_content(
    connect: Connect, value: Any
) -> None:
    """What it promises, clients check: without the content they refuse the result."""
    assert Served(connect, Tool("t", lambda: value, output_schema=RAW)).call()["isError"]


def test_a_full_result_owes_the_structured_content_that_was_promised(connect: Connect) -> None:
    tool = Tool("t", lambda: CallToolResult(["x"]), output_schema=RAW)
    assert Served(connect, tool).call()["isError"]


ARRAY: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}


def test_an_output_schema_of_an_array_is_wrapped_the_same_in_both_eras(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda: [1, 2], output_schema=ARRAY))
    assert served.entry["outputSchema"]["properties"] == {"result": ARRAY}
    assert served.call()["structuredContent"] == {"result": [1, 2]}


def test_an_output_schema_of_an_array_does_not_break_a_session(connect: Connect) -> None:
    """There, schema and content are objects; the connection checks what is sent."""
    line = connect(Server("s", tools=Tool("t", lambda: [1, 2], output_schema=ARRAY)), SESSION)
    assert len(line.result("tools/list")["tools"]) == 1
    assert line.call("t")["content"] == [{"type": "text", "text": "[1,2]"}]


def test_a_full_result_with_a_list_as_structured_content_does_not_break_a_session(
    connect: Connect,
) -> None:
    full = CallToolResult(["x"], structured_content=[1, 2])
    line = connect(Server("s", tools=Tool("t", lambda: full)), SESSION)
    assert line.call("t")["content"][0]["text"] == "x"


def test_a_return_type_without_a_schema_promises_nothing(connect: Connect) -> None:
    class Odd:
        pass

    served = Served(connect, returning(Odd, {"a": 1}))
    assert "outputSchema" not in served.entry
    assert served.call()["structuredContent"] == {"a": 1}
