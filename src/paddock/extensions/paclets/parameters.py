"""The parameters of a tool as JSON Schema, and what Wolfram is to make of the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.paclets.interpreters import Interpreting, source_of
from paddock.extensions.paclets.tables import is_missing, plain, table_of
from paddock.extensions.paclets.texts import text_of
from paddock.extensions.properties import shown
from paddock.wolfram.data import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]
_DETAILS = frozenset({"Interpreter", "Help", "Required", "Default", "Description"})
_EXPECTED = 'expected {"name" -> <| "Interpreter" -> …, "Help" -> …, "Required" -> … |>, …}'


def read_parameters(value: object, where: str) -> tuple[Schema, dict[str, str]]:
    """The schema of all parameters in their order, and the interpreter of each as source text.

    Each is required unless it says otherwise. Its type alone may stand for it, or its name.

    Raises:
        ToolSpecificationError: when one cannot be understood.
    """
    properties: Schema = {}
    interpreters: dict[str, str] = {}
    required: list[str] = []
    for name, given in _listed(value, where):
        here = f"{where}: Parameters: {name}"
        if name in properties:
            raise ToolSpecificationError("the parameter stands twice", where=here)
        details = _details(given)
        interpreter = details.get("Interpreter")
        properties[name] = _schema(details, here)
        interpreters[name] = source_of(interpreter)
        if _is_required(details, here):
            required.append(name)
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return schema, interpreters


def _listed(value: object, where: str) -> Iterator[tuple[str, object]]:
    if is_missing(value):
        return
    table = table_of(value) if isinstance(value, Mapping | Rule) else None
    if table is not None:
        yield from table.items()
        return
    for one in value if isinstance(value, list) else [value]:
        part = table_of(one) if isinstance(one, Rule | Mapping) else None
        if isinstance(one, str) and one:
            yield one, "String"
        elif part is not None:
            yield from part.items()
        else:
            raise ToolSpecificationError(
                f"Parameters has {shown(plain(one))}", where=where, hint=_EXPECTED
            )


def _details(given: object) -> dict[str, Any]:
    """What is said about a parameter; a type alone is its interpreter."""
    table = table_of(given) if isinstance(given, Mapping | list) and given else None
    return table if table is not None and table.keys() & _DETAILS else {"Interpreter": given}


def _schema(details: dict[str, Any], where: str) -> Schema:
    interpreting = Interpreting()
    schema = interpreting.schema(details.get("Interpreter"))
    help_text = text_of(details, "Help", where) or text_of(details, "Description", where) or ""
    parts = [help_text, interpreting.note()]
    description = " ".join(part for part in parts if part)
    if description:
        schema["description"] = description
    default = details.get("Default")
    if not is_missing(default):
        schema["default"] = plain(default)
    return schema


def _is_required(details: dict[str, Any], where: str) -> bool:
    value = details.get("Required", True)
    if isinstance(value, bool):
        return value and is_missing(details.get("Default"))
    if is_missing(value):
        return True
    raise ToolSpecificationError(
        f"Required is {shown(plain(value))}", where=where, hint="expected True or False"
    )
