"""Tools in the files of paclets: an association, or an `LLMTool` of any form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.paclets.parameters import read_tool_parameters
from paddock.extensions.paclets.tables import (
    get_arguments,
    get_head_name,
    is_missing,
    to_plain_data,
    get_symbol_name,
    to_table,
)
from paddock.extensions.paclets.texts import get_text
from paddock.extensions.paclets.wolfram_function import WolframFunction
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.data import UnevaluatedExpression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.extensions.paclets.owner import FunctionOwner
    from paddock.extensions.paclets.tables import PropertyDict

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


def make_tool_properties(table: PropertyDict, owner: FunctionOwner, where: str) -> Mapping[str, object]:
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
    found = "there is no Function" if value is None else f"Function is {shorten_repr(to_plain_data(value))}"
    raise ToolSpecificationError(
        found, where=where, hint='as in "Function" -> MyPackage`myFunction, or "Function" -> (…&)'
    )


def _read_options(value: object, where: str) -> dict[str, object]:
    table = to_table([]) if is_missing(value) else to_table(value)
    if table is None:
        raise ToolSpecificationError(
            f"Options is {shorten_repr(to_plain_data(value))}", where=where, hint='as in {"MaxItems" -> 10}'
        )
    return {key: get_symbol_name(one) or to_plain_data(one) for key, one in table.items()}
