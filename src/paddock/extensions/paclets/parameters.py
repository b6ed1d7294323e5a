"""The parameters of a tool as JSON Schema, and what Wolfram is to make of the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.paclets.interpreters import InterpreterSchemaBuilder, format_interpreter
from paddock.extensions.paclets.tables import is_missing, to_plain_data, to_table
from paddock.extensions.paclets.texts import get_text
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.data import RuleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

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
                f"Parameters has {shorten_repr(to_plain_data(one))}", where=where, hint=_PARAMETERS_HINT
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
        f"Required is {shorten_repr(to_plain_data(value))}", where=where, hint="expected True or False"
    )
