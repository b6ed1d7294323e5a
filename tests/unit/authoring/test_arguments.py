"""Tools declared without type hints: lists of parameters, and raw schemas."""

import copy
from typing import Any

import pytest

from paddock import Context, PaddockError, Parameter, Server, Tool
from tests.behaviour.line import error_text
from tests.behaviour.wire import STATELESS
from tests.conftest import Connect
from tests.unit.authoring.served import Served


def echo(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"given": arguments}


def given(served: Served, **arguments: Any) -> Any:
    return served.call(**arguments)["structuredContent"]["given"]


def test_a_list_of_parameters_is_a_schema(connect: Connect) -> None:
    tool = Tool(
        "t",
        echo,
        parameters=[
            Parameter("query", description="What to find", required=True),
            Parameter("limit", "integer", "How many", default=10),
            Parameter("flags", "array"),
            Parameter("region", header="Region"),
        ],
    )
    assert Served(connect, tool).schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to find"},
            "limit": {"type": "integer", "description": "How many", "default": 10},
            "flags": {"type": "array", "description": ""},
            "region": {"type": "string", "description": "", "x-mcp-header": "Region"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def test_absent_parameters_have_their_defaults_or_are_absent(connect: Connect) -> None:
    tool = Tool(
        "t",
        echo,
        parameters=[
            Parameter("query", required=True),
            Parameter("limit", "integer", default=10),
            Parameter("none", "string", default=None),
            Parameter("absent"),
        ],
    )
    served = Served(connect, tool)
    assert given(served, query="x") == {"query": "x", "limit": 10, "none": None}
    assert given(served, query="x", limit=2, absent="a")["absent"] == "a"


TYPES: list[tuple[str, Any, Any]] = [
    ("string", "a", 5),
    ("integer", 5, "a"),
    ("integer", 5.0, 5.5),
    ("number", 1.5, "a"),
    ("number", 1, None),
    ("boolean", True, 1),
    ("array", [1, "a"], {}),
    ("object", {"a": 1}, []),
    ("null", None, 0),
]


@pytest.mark.parametrize(("kind", "good", "bad"), TYPES)
def test_a_parameter_is_checked_by_its_type(
    connect: Connect, kind: str, good: Any, bad: Any
) -> None:
    served = Served(connect, Tool("t", echo, parameters=[Parameter("x", kind, required=True)]))
    assert given(served, x=good) == {"x": good}
    assert "$.x" in served.refusal(x=bad)
    assert "x" in served.refusal()
    assert "more" in served.refusal(x=good, more=1)


def test_a_parameter_of_an_unknown_type_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(PaddockError, match="string"):
        Tool("t", echo, parameters=[Parameter("x", "text")])


def test_a_default_of_a_parameter_is_new_for_every_call(connect: Connect) -> None:
    def grow(arguments: dict[str, Any]) -> int:
        arguments["items"].append(1)
        return len(arguments["items"])

    tool = Tool("t", grow, parameters=[Parameter("items", "array", default=[])])
    served = Served(connect, tool)
    assert [served.text(), served.text()] == ["1", "1"]


def test_a_handler_of_two_gets_the_context_too(connect: Connect) -> None:
    def named(arguments: dict[str, Any], ctx: Context) -> str:
        return f"{arguments['x']} {ctx.server.name}"

    async def later(arguments: dict[str, Any], ctx: Context) -> str:
        return f"{arguments['x']} {ctx.server.name}"

    for handler in (named, later):
        tool = Tool("t", handler, parameters=[Parameter("x", default="a")])
        assert Served(connect, tool).text() == "a s"


RAW: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"name": {"type": "string", "minLength": 2}},
    "type": "object",
    "properties": {
        "user": {
            "type": "object",
            "properties": {
                "name": {"$ref": "#/$defs/name"},
                "role": {"enum": ["admin", "guest"], "default": "guest"},
            },
            "required": ["name"],
        },
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "default": []},
        "when": {"oneOf": [{"type": "string", "format": "date"}, {"type": "integer"}]},
    },
    "required": ["user"],
    "dependentRequired": {"when": ["tags"]},
    "unevaluatedProperties": False,
    "x-own": {"kept": [1, None]},
}


def test_a_raw_schema_is_published_word_for_word(connect: Connect) -> None:
    before = copy.deepcopy(RAW)
    served = Served(connect, Tool("t", echo, input_schema=RAW))
    assert served.schema == before
    served.call(user={"name": "Ada"})
    assert before == RAW


def test_a_raw_schema_wins_over_parameters(connect: Connect) -> None:
    tool = Tool("t", echo, input_schema=RAW, parameters=[Parameter("other", required=True)])
    served = Served(connect, tool)
    assert served.schema == RAW
    assert given(served, user={"name": "Ada"})["user"]["name"] == "Ada"


def test_absent_members_have_the_defaults_of_the_schema_at_every_depth(connect: Connect) -> None:
    served = Served(connect, Tool("t", echo, input_schema=RAW))
    assert given(served, user={"name": "Ada"}) == {
        "user": {"name": "Ada", "role": "guest"},
        "tags": [],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "user"),
        ({"user": {}}, "$.user"),
        ({"user": {"name": "A"}}, "$.user.name"),
        ({"user": {"name": "Ada", "role": "king"}}, "$.user.role"),
        ({"user": {"name": "Ada"}, "tags": ["a", 5]}, "$.tags[1]"),
        ({"user": {"name": "Ada"}, "tags": ["a", "a"]}, "$.tags"),
        ({"user": {"name": "Ada"}, "more": 1}, "more"),
        ({"user": {"name": "Ada"}, "when": []}, "$.when"),
    ],
)
def test_arguments_are_checked_by_every_keyword_of_a_raw_schema(
    connect: Connect, arguments: dict[str, Any], said: str
) -> None:
    assert said in Served(connect, Tool("t", echo, input_schema=RAW)).refusal(**arguments)


def test_a_default_of_a_raw_schema_is_new_for_every_call(connect: Connect) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"items": {"type": "array", "default": []}},
    }

    def grow(arguments: dict[str, Any]) -> int:
        arguments["items"].append(1)
        return len(arguments["items"])

    served = Served(connect, Tool("t", grow, input_schema=schema))
    assert [served.text(), served.text()] == ["1", "1"]
    assert served.line.result("tools/list")["tools"][0]["inputSchema"] == {
        "type": "object",
        "properties": {"items": {"type": "array", "default": []}},
    }


def test_a_raw_schema_takes_five_point_zero_as_an_integer(connect: Connect) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}}
    served = Served(connect, Tool("t", echo, input_schema=schema))
    assert given(served, x=5.0) == {"x": 5}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"type": "texts"}}},
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/nowhere"}}},
        {"type": "object", "required": "x"},
    ],
)
def test_a_call_of_a_tool_with_an_invalid_schema_reports_it(
    connect: Connect, schema: dict[str, Any]
) -> None:
    line = connect(Server("s", tools=Tool("t", echo, input_schema=schema)), STATELESS)
    answer = line.ask("tools/call", {"name": "t", "arguments": {"x": 1}})
    assert "schema" in str(answer.get("error") or error_text(answer["result"])).lower()


def test_a_schema_may_not_refer_to_another_document(connect: Connect) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"x": {"$ref": "https://example.org/x.json"}},
    }
    line = connect(Server("s", tools=Tool("t", echo, input_schema=schema)), STATELESS)
    answer = line.ask("tools/call", {"name": "t", "arguments": {"x": 1}})
    assert "example.org" in str(answer.get("error") or error_text(answer["result"]))
