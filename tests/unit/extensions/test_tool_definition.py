"""Tools from definitions, listed and called over a connection."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from paddock import Context, LoadError, Option, Parameter, Server, Tool
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.tool_definition import get_initializer, make_tool
from tests.conftest import Connect
from tests.unit.extensions.places import write


def show(arguments: dict[str, Any]) -> str:
    """Shows what it was given."""
    return repr(arguments)


def listed(connect: Connect, definition: object) -> dict[str, Any]:
    server = Server("s", tools=make_tool(definition, where="here"))
    (found,) = connect(server).result("tools/list")["tools"]
    return {key: found.get(key) for key in ("name", "title", "description", "inputSchema")}


def called(connect: Connect, definition: object, arguments: dict[str, Any]) -> tuple[str, bool]:
    tool = make_tool(definition, where="here")
    line = connect(Server("s", tools=tool))
    result = line.result("tools/call", {"name": tool.name, "arguments": arguments})
    return result["content"][0]["text"], result.get("isError", False)


WOLFRAM = {
    "Name": "Evaluate",
    "DisplayName": "Evaluate code",
    "Description": "Evaluates code.",
    "Function": show,
    "Options": {},
    "Parameters": {
        "code": {"Interpreter": "String", "Help": "The code."},
        "timeConstraint": {"Interpreter": "Integer", "Help": "Seconds.", "Required": False},
    },
    "LLMKit": "Suggested",
}
PYTHON = {
    "name": "Evaluate",
    "title": "Evaluate code",
    "description": "Evaluates code.",
    "function": show,
    "parameters": [
        {"name": "code", "type": "string", "description": "The code.", "required": True},
        Parameter("timeConstraint", "integer", "Seconds."),
    ],
}
RULES = {
    **WOLFRAM,
    "Options": [],
    "Parameters": [
        ("code", {"Interpreter": "String", "Help": "The code."}),
        {"timeConstraint": {"Interpreter": "Integer", "Help": "Seconds.", "Required": False}},
    ],
}


@pytest.mark.parametrize("definition", [WOLFRAM, PYTHON, RULES])
def test_a_table_of_properties_makes_a_tool_in_every_spelling(
    connect: Connect, definition: dict[str, object]
) -> None:
    found = listed(connect, definition)
    schema = found.pop("inputSchema")
    assert found == {
        "name": "Evaluate",
        "title": "Evaluate code",
        "description": "Evaluates code.",
    }
    assert schema["properties"] == {
        "code": {"type": "string", "description": "The code."},
        "timeConstraint": {"type": "integer", "description": "Seconds."},
    }
    assert schema["required"] == ["code"]


@pytest.mark.parametrize(
    ("interpreter", "expected"),
    [("String", "string"), ("Integer", "integer"), ("Boolean", "boolean"), ("Number", "number")],
)
def test_interpreters_become_types_of_json(interpreter: str, expected: str) -> None:
    table = {"name": "t", "function": show, "parameters": {"x": {"Interpreter": interpreter}}}
    (parameter,) = make_tool(table, where="here").parameters or ()
    assert parameter.type == expected


def test_the_function_takes_one_dictionary_without_what_is_absent(connect: Connect) -> None:
    assert called(connect, WOLFRAM, {"code": "1+1"}) == ("{'code': '1+1'}", False)


def test_a_default_is_in_for_what_is_absent(connect: Connect) -> None:
    table = {"name": "t", "function": show, "parameters": {"n": {"type": "integer", "default": 3}}}
    assert called(connect, table, {}) == ("{'n': 3}", False)


def test_a_wrong_argument_is_reported_to_the_model(connect: Connect) -> None:
    text, is_error = called(connect, WOLFRAM, {"timeConstraint": 5})
    assert is_error
    assert "code" in text


def test_without_parameters_the_functions_own_count(connect: Connect) -> None:
    def add(a: int, b: int = 1) -> str:
        return str(a + b)

    assert called(connect, {"name": "add", "function": add}, {"a": 2}) == ("3", False)


def test_a_function_may_be_a_definition(connect: Connect) -> None:
    def add(a: int) -> str:
        """Adds one."""
        return str(a + 1)

    assert called(connect, add, {"a": 2}) == ("3", False)
    assert make_tool(add, where="here").name == "add"
    assert make_tool(add, where="here", name="Plus").name == "Plus"


def test_a_tool_is_taken_as_it_is() -> None:
    tool = Tool("t", show)
    assert make_tool(tool, where="here") is tool


def test_functions_may_be_references(connect: Connect, tmp_path: Path) -> None:
    write(tmp_path / "shouting.py", "def shout(given):\n    return given['text'].upper()")
    table = {"name": "shout", "function": "shouting.py:shout", "parameters": {"text": {}}}
    server = Server("s", tools=make_tool(table, relative_to=tmp_path, where="here"))
    result = connect(server).result("tools/call", {"name": "shout", "arguments": {"text": "hi"}})
    assert result["content"] == [{"type": "text", "text": "HI"}]


def test_options_are_passed_on_and_may_have_descriptions(connect: Connect) -> None:
    def size(arguments: dict[str, Any], ctx: Context) -> str:
        return f"{ctx.options['width']} {ctx.options['height']} {ctx.options['style']}"

    style = Option("thin", description="How")
    table = {
        "name": "size",
        "function": size,
        "parameters": {},
        "options": {
            "width": 10,
            "height": {"default": 20, "description": "How high"},
            "style": style,
        },
    }
    assert called(connect, table, {}) == ("10 20 thin", False)
    options = make_tool(table, where="here").options
    assert options["height"].description == "How high"
    assert options["style"] is style


def test_other_properties_of_a_tool_are_passed_on() -> None:
    tool = make_tool(
        {
            "name": "t",
            "function": show,
            "inputSchema": {"type": "object", "properties": {}},
            "annotations": {"readOnlyHint": True},
            "scopes": "read",
            "task": "optional",
            "meta": {"a": 1},
        },
        where="here",
    )
    assert tool.input_schema == {"type": "object", "properties": {}}
    assert tool.annotations == {"readOnlyHint": True}
    assert (tool.scopes, tool.task, tool.meta) == (frozenset({"read"}), "optional", {"a": 1})


def test_initialization_runs_once_before_the_first_call(connect: Connect) -> None:
    happened: list[str] = []

    def work(_arguments: dict[str, Any]) -> str:
        happened.append("call")
        return "ok"

    table = {
        "name": "t",
        "function": work,
        "parameters": {},
        "initialization": lambda: happened.append("initialization"),
    }
    line = connect(Server("s", tools=make_tool(table, where="here")))
    assert line.result("tools/list")["tools"][0]["name"] == "t"
    assert happened == []
    for _ in range(2):
        line.result("tools/call", {"name": "t", "arguments": {}})
    assert happened == ["initialization", "call", "call"]


def test_a_server_can_run_a_tools_initialization_when_it_starts() -> None:
    happened: list[str] = []
    table = {"name": "t", "function": show, "initialization": lambda: happened.append("done")}
    tool = make_tool(table, where="here").with_name("other")
    initialization = get_initializer(tool)
    assert initialization is not None
    initialization.run()
    initialization.run()
    assert happened == ["done"]
    assert get_initializer(make_tool(WOLFRAM, where="here")) is None


def test_an_async_function_waits_for_its_initialization(connect: Connect) -> None:
    happened: list[str] = []

    async def greet(name: str) -> str:
        await asyncio.sleep(0)
        return f"{name} {happened}"

    table = {"name": "t", "function": greet, "initialization": lambda: happened.append("done")}
    assert called(connect, table, {"name": "Ada"}) == ("Ada ['done']", False)


def test_initialization_that_fails_is_reported_and_tried_again(connect: Connect) -> None:
    attempts = iter([True, False])

    def prepare() -> None:
        if next(attempts):
            raise OSError("no index yet")

    table = {"name": "t", "function": show, "parameters": {}, "initialization": prepare}
    line = connect(Server("s", tools=make_tool(table, where="here")))
    first, second = (line.result("tools/call", {"name": "t", "arguments": {}}) for _ in range(2))
    assert first["isError"]
    assert first["content"][0]["text"] == (
        "The tool could not be initialised: OSError: no index yet"
    )
    assert second["content"][0]["text"] == "{}"


@pytest.mark.parametrize(
    ("definition", "found"),
    [
        (5, "5"),
        ({"function": show}, "there is no name"),
        ({"name": "t"}, "'t' has no function"),
        ({"name": "t", "function": 5}, "function is 5, which cannot be called"),
        ({"name": "t", "function": "not one"}, "function is 'not one'"),
        ({"name": "t", "function": show, "Name": "u"}, "'name' and 'Name' mean the same"),
        ({"name": "t", "function": show, "paramters": {}}, "the key 'paramters' is unknown"),
        ({"name": "a b", "function": show}, "'a b' cannot be the name of a tool"),
        ({"name": 5, "function": show}, "name is 5"),
        ({"name": "t", "function": show, "parameters": 5}, "parameters is 5"),
        ({"name": "t", "function": show, "parameters": [5]}, "5"),
        ({"name": "t", "function": show, "parameters": {"x": "String"}}, "'String'"),
        (
            {"name": "t", "function": show, "parameters": [{"type": "string"}]},
            "a parameter has no name",
        ),
        ({"name": "t", "function": show, "parameters": {"x": {"type": "Date"}}}, "type is 'Date'"),
        (
            {"name": "t", "function": show, "parameters": {"x": {"required": "yes"}}},
            "required is 'yes'",
        ),
        ({"name": "t", "function": show, "options": 5}, "options is 5"),
        ({"name": "t", "function": show, "task": "sometimes"}, "task is 'sometimes'"),
        ({"name": "t", "function": show, "scopes": 5}, "scopes is 5"),
        (lambda: "x", "a lambda has no name"),
    ],
)
def test_what_is_not_a_definition_of_a_tool_is_reported(definition: object, found: str) -> None:
    with pytest.raises(ToolSpecificationError) as raised:
        make_tool(definition, where="here")
    assert raised.value.message == f"Invalid tool specification: {found}"
    assert (raised.value.where or "").startswith("here")
    assert raised.value.hint


def test_async_initialization_is_refused() -> None:
    async def prepare() -> None: ...

    with pytest.raises(ToolSpecificationError):
        make_tool({"name": "t", "function": show, "initialization": prepare}, where="here")


def test_a_reference_that_leads_nowhere_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LoadError):
        make_tool({"name": "t", "function": "x.py:f"}, relative_to=tmp_path, where="here")
