"""The parameters of a tool as JSON Schema, and what Wolfram is to make of the arguments.

Tools in the files of paclets: an association, or an `LLMTool` of any form.

Prompts in the files of paclets: a text, a template, or a function of the Wolfram Language.

Server definitions in the files of paclets, for `servers` to read like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.errors import PromptSpecificationError, ToolSpecificationError
from paddock.extensions.names import normalize_key
from paddock.extensions.paclets.interpreter_schema import (
    InterpreterSchemaBuilder,
    format_interpreter,
)
from paddock.extensions.paclets.property_tables import (
    get_arguments,
    get_head_name,
    get_symbol_name,
    get_text,
    is_missing,
    to_key,
    to_plain_data,
    to_table,
)
from paddock.extensions.paclets.wolfram_function import (
    StringTemplateHandler,
    WolframFunction,
    WolframInitialization,
    list_slots,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.literals import RuleValue, StringTemplate, UnevaluatedExpression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.extensions.paclets.function_owner import FunctionOwner
    from paddock.extensions.paclets.property_tables import PropertyDict


JsonSchema = dict[str, Any]
_DETAIL_KEYS = frozenset({"Interpreter", "Help", "Required", "Default", "Description"})
_PARAMETERS_HINT = 'expected {"name" -> <| "Interpreter" -> …, "Help" -> …, "Required" -> … |>, …}'


def read_tool_parameters(value: object, where: str) -> tuple[JsonSchema, dict[str, str]]:
    """The schema of all parameters in their order, and the interpreter of each as source text.

    Each is required unless it says otherwise. Its type alone may stand for it, or its name.

    Raises:
        ToolSpecificationError: when one cannot be understood.
    """
    properties: JsonSchema = {}
    interpreters: dict[str, str] = {}
    required: list[str] = []
    for name, given in _iterate_parameters(value, where):
        here = f"{where}: Parameters: {name}"
        if name in properties:
            raise ToolSpecificationError("the parameter stands twice", where=here)
        details = _read_details(given)
        interpreter = details.get("Interpreter")
        properties[name] = _make_parameter_schema(details, here)
        interpreters[name] = format_interpreter(interpreter)
        if _is_required(details, here):
            required.append(name)
    schema: JsonSchema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return schema, interpreters


def _iterate_parameters(value: object, where: str) -> Iterator[tuple[str, object]]:
    if is_missing(value):
        return
    table = to_table(value) if isinstance(value, Mapping | RuleValue) else None
    if table is not None:
        yield from table.items()
        return
    for one in value if isinstance(value, list) else [value]:
        part = to_table(one) if isinstance(one, RuleValue | Mapping) else None
        if isinstance(one, str) and one:
            yield one, "String"
        elif part is not None:
            yield from part.items()
        else:
            raise ToolSpecificationError(
                f"Parameters has {shorten_repr(to_plain_data(one))}",
                where=where,
                hint=_PARAMETERS_HINT,
            )


def _read_details(given: object) -> dict[str, Any]:
    """What is said about a parameter; a type alone is its interpreter."""
    table = to_table(given) if isinstance(given, Mapping | list) and given else None
    return table if table is not None and table.keys() & _DETAIL_KEYS else {"Interpreter": given}


def _make_parameter_schema(details: dict[str, Any], where: str) -> JsonSchema:
    interpreting = InterpreterSchemaBuilder()
    schema = interpreting.build_schema(details.get("Interpreter"))
    help_text = get_text(details, "Help", where) or get_text(details, "Description", where) or ""
    parts = [help_text, interpreting.format_note()]
    description = " ".join(part for part in parts if part)
    if description:
        schema["description"] = description
    default = details.get("Default")
    if not is_missing(default):
        schema["default"] = to_plain_data(default)
    return schema


def _is_required(details: dict[str, Any], where: str) -> bool:
    value = details.get("Required", True)
    if isinstance(value, bool):
        return value and is_missing(details.get("Default"))
    if is_missing(value):
        return True
    raise ToolSpecificationError(
        f"Required is {shorten_repr(to_plain_data(value))}",
        where=where,
        hint="expected True or False",
    )


LLM_TOOL_HEAD = "LLMTool"
_POSITIONAL_KEYS = ("Parameters", "Function")


def read_tool_table(value: object) -> PropertyDict | None:
    """The properties of a tool: of an association, or of `LLMTool[…]` in any of its forms."""
    if get_head_name(value) != LLM_TOOL_HEAD:
        return to_table(value)
    first, *rest = get_arguments(value) or [None]
    table = to_table(first) if not isinstance(first, str) else None
    if table is not None and first != []:
        return table
    name, description = first if isinstance(first, list) and len(first) == 2 else (first, None)
    table = {"Name": name, **dict(zip(_POSITIONAL_KEYS, rest, strict=False))}
    return table if description is None else {**table, "Description": description}


def make_tool_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """The properties that a tool is made of, with a handler that knows its Wolfram function.

    Raises:
        ToolSpecificationError: when there is no function, or a parameter makes no sense.
    """
    schema, interpreters = read_tool_parameters(table.get("Parameters", []), where)
    initialization = table.get("Initialization")
    found: dict[str, object] = {
        "name": get_text(table, "Name", where) or owner.item,
        "description": get_text(table, "Description", where) or "",
        "input_schema": schema,
        "function": WolframFunction(
            _read_function(table, where),
            owner,
            initialization=None if is_missing(initialization) else to_plain_data(initialization),
            interpreters=interpreters,
        ),
        "options": _read_options(table.get("Options", []), where),
    }
    title = get_text(table, "DisplayName", where)
    return found if title is None else {**found, "title": title}


def _read_function(table: PropertyDict, where: str) -> str:
    value = table.get("Function")
    if isinstance(value, UnevaluatedExpression):
        return value.text
    found = (
        "there is no Function"
        if value is None
        else f"Function is {shorten_repr(to_plain_data(value))}"
    )
    raise ToolSpecificationError(
        found, where=where, hint='as in "Function" -> MyPackage`myFunction, or "Function" -> (…&)'
    )


def _read_options(value: object, where: str) -> dict[str, object]:
    table = to_table([]) if is_missing(value) else to_table(value)
    if table is None:
        raise ToolSpecificationError(
            f"Options is {shorten_repr(to_plain_data(value))}",
            where=where,
            hint='as in {"MaxItems" -> 10}',
        )
    return {key: get_symbol_name(one) or to_plain_data(one) for key, one in table.items()}


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.function_owner import FunctionOwner
    from paddock.extensions.paclets.property_tables import PropertyDict

    PromptArgumentTable = dict[str, object]


def make_prompt_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """The properties that a prompt is made of.

    Raises:
        PromptSpecificationError: when its content or its arguments make no sense.
    """
    content = table.get("Content")
    arguments = _read_prompt_arguments(table, where)
    if isinstance(content, StringTemplate) and arguments is None:
        arguments = [{"name": name} for name in list_slots(content.text)]
    made = _make_content(content, _read_content_type(table), arguments or [], owner)
    if made is None:
        raise PromptSpecificationError(
            "there is no Content"
            if content is None
            else f"Content is {shorten_repr(to_plain_data(content))}",
            where=where,
            hint="expected a string, a StringTemplate or a function",
        )
    found: dict[str, object] = {
        "name": get_text(table, "Name", where) or owner.item,
        "description": get_text(table, "Description", where) or "",
        "type": "Text" if isinstance(made, str) else "Function",
        "content": made,
        "arguments": arguments or [],
    }
    title = get_text(table, "DisplayName", where) or get_text(table, "Title", where)
    return found if title is None else {**found, "title": title}


def _read_content_type(table: PropertyDict) -> str:
    return (to_key(table.get("Type")) or "Automatic").lower()


def _make_content(
    content: object, kind: str, arguments: list[PromptArgumentTable], owner: FunctionOwner
) -> str | Callable[[dict[str, str], Context], Any] | None:
    """The text, or the function that makes it."""
    if isinstance(content, UnevaluatedExpression) and not is_missing(content):
        return WolframFunction(content.text, owner)
    if isinstance(content, StringTemplate):
        return StringTemplateHandler(
            content.text, [str(one.get("name")) for one in arguments], owner
        )
    if isinstance(content, str) and kind != "function":
        return content
    if isinstance(content, list) and kind != "function":
        return _join_texts(content)
    return None


def _join_texts(parts: list[object]) -> str | None:
    """The texts in a list of content; what is no text cannot be sent."""
    found: list[str] = []
    for part in parts:
        table = to_table(part) if isinstance(part, Mapping) else None
        text = part if table is None else table.get("Text", table.get("text"))
        if not isinstance(text, str):
            return None
        found.append(text)
    return "".join(found) if found else None


def _read_prompt_arguments(table: PropertyDict, where: str) -> list[PromptArgumentTable] | None:
    given = table.get("Arguments")
    if is_missing(given):
        return None
    return [
        _read_prompt_argument(one, where) for one in (given if isinstance(given, list) else [given])
    ]


def _read_prompt_argument(given: object, where: str) -> PromptArgumentTable:
    if isinstance(given, str):
        return {"name": given}
    table = to_table(given) or {}
    if not table or any(
        isinstance(value, UnevaluatedExpression) and not is_missing(value)
        for value in table.values()
    ):
        raise PromptSpecificationError(
            f"Arguments has {shorten_repr(to_plain_data(given))}",
            where=where,
            hint='expected <| "Name" -> …, "Description" -> …, "Required" -> … |>',
        )
    return {normalize_key(key): value for key, value in table.items() if not is_missing(value)}


EVALUATOR_KEY = "LLMEvaluator"
_CONFIGURATION_HEAD = "LLMConfiguration"
_TEXT_KEYS = (
    "Name",
    "Title",
    "DisplayName",
    "Description",
    "ServerVersion",
    "MCPServerName",
    "Transport",
)
_ITEM_LIST_KEYS = ("Tools", "MCPPrompts")


def make_server_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """The table of a server, its version that of the paclet unless it says another.

    Raises:
        DefinitionError: when it lacks `LLMEvaluator`.
        LoadError: when something would have to be evaluated.
    """
    found = {key: value for key, value in table.items() if not is_missing(value)}
    evaluator = _read_evaluator(found, where)
    for key in _TEXT_KEYS:
        if key in found:
            found[key] = get_text(found, key, where)
    if not {"ServerVersion", "Version"} & found.keys() and owner.version:
        found["ServerVersion"] = owner.version
    initialization = found.pop("Initialization", None)
    rest = {key: to_plain_data(value) for key, value in found.items() if key != EVALUATOR_KEY}
    if initialization is not None:
        rest["Initialization"] = WolframInitialization(to_plain_data(initialization), owner)
    return {**rest, EVALUATOR_KEY: _make_evaluator(evaluator, owner, where)}


def _read_evaluator(table: PropertyDict, where: str) -> PropertyDict:
    value = table.get(EVALUATOR_KEY)
    if get_head_name(value) == _CONFIGURATION_HEAD:
        value = (get_arguments(value) or [None])[0]
    found = None if value is None else to_table(value)
    if found is None:
        said = (
            "there is no"
            if value is None
            else f"{shorten_repr(to_plain_data(value))} is no table for"
        )
        raise DefinitionError(
            f"{said} {EVALUATOR_KEY}",
            where=where,
            hint=f'as in "{EVALUATOR_KEY}" -> <| "Tools" -> {{…}}, "MCPPrompts" -> {{…}} |>',
        )
    return found


def _make_evaluator(evaluator: PropertyDict, owner: FunctionOwner, where: str) -> dict[str, object]:
    found = {key: value for key, value in evaluator.items() if not is_missing(value)}
    for key in _ITEM_LIST_KEYS:
        if key in found:
            found[key] = _make_item_list(
                found[key], _INLINE_ITEM_MAKERS[key], owner, f"{where}: {key}"
            )
    others = {
        key: _read_instructions(value, where)
        for key, value in found.items()
        if key not in _ITEM_LIST_KEYS
    }
    return {**others, **{key: found[key] for key in _ITEM_LIST_KEYS if key in found}}


def _make_item_list(
    value: object,
    inline: Callable[[object, FunctionOwner, str], object],
    owner: FunctionOwner,
    where: str,
) -> object:
    """Names as they are, and what is defined on the spot as properties."""
    if isinstance(value, list):
        return [_make_item_list(one, inline, owner, where) for one in value]
    return value if isinstance(value, str) else inline(value, owner, where)


def _make_inline_tool(value: object, owner: FunctionOwner, where: str) -> object:
    is_tool = isinstance(value, Mapping) or get_head_name(value) == LLM_TOOL_HEAD
    table = read_tool_table(value) if is_tool else None
    return (
        to_plain_data(value)
        if table is None
        else make_tool_properties(table, _make_inline_owner(owner, "tool", table), where)
    )


def _make_inline_prompt(value: object, owner: FunctionOwner, where: str) -> object:
    table = to_table(value) if isinstance(value, Mapping) else None
    return (
        to_plain_data(value)
        if table is None
        else make_prompt_properties(table, _make_inline_owner(owner, "prompt", table), where)
    )


def _make_inline_owner(owner: FunctionOwner, kind: str, table: PropertyDict) -> FunctionOwner:
    name = table.get("Name")
    return owner._replace(kind=kind, item=name if isinstance(name, str) else owner.item)


_INLINE_ITEM_MAKERS: dict[str, Callable[[object, FunctionOwner, str], Any]] = {
    "Tools": _make_inline_tool,
    "MCPPrompts": _make_inline_prompt,
}


def _read_instructions(value: object, where: str) -> object:
    """Other properties of the evaluator, of which `Prompts` are texts for the model."""
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(one, UnevaluatedExpression | StringTemplate) for one in texts):
        raise LoadError(
            f"{shorten_repr(to_plain_data(value))} would have to be evaluated",
            where=where,
            hint="write it out as a string",
        )
    return to_plain_data(value)
