"""Tools in the files of paclets: an association, or an `LLMTool` of any form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.paclets.parameters import read_parameters
from paddock.extensions.paclets.tables import (
    arguments_of,
    head_of,
    is_missing,
    plain,
    symbol_name,
    table_of,
)
from paddock.extensions.paclets.texts import text_of
from paddock.extensions.paclets.wolfram_function import WolframFunction
from paddock.extensions.properties import shown
from paddock.wolfram.data import Held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.extensions.paclets.owner import Owner
    from paddock.extensions.paclets.tables import Table

TOOL = "LLMTool"
_PARTS = ("Parameters", "Function")


def tool_table(value: object) -> Table | None:
    """The properties of a tool: of an association, or of `LLMTool[…]` in any of its forms."""
    if head_of(value) != TOOL:
        return table_of(value)
    first, *rest = arguments_of(value) or [None]
    table = table_of(first) if not isinstance(first, str) else None
    if table is not None and first != []:
        return table
    name, description = first if isinstance(first, list) and len(first) == 2 else (first, None)
    table = {"Name": name, **dict(zip(_PARTS, rest, strict=False))}
    return table if description is None else {**table, "Description": description}


def tool_properties(table: Table, owner: Owner, where: str) -> Mapping[str, object]:
    """The properties that a tool is made of, with a handler that knows its Wolfram function.

    Raises:
        ToolSpecificationError: when there is no function, or a parameter makes no sense.
    """
    schema, interpreters = read_parameters(table.get("Parameters", []), where)
    initialization = table.get("Initialization")
    found: dict[str, object] = {
        "name": text_of(table, "Name", where) or owner.item,
        "description": text_of(table, "Description", where) or "",
        "input_schema": schema,
        "function": WolframFunction(
            _function(table, where),
            owner,
            initialization=None if is_missing(initialization) else plain(initialization),
            interpreters=interpreters,
        ),
        "options": _options(table.get("Options", []), where),
    }
    title = text_of(table, "DisplayName", where)
    return found if title is None else {**found, "title": title}


def _function(table: Table, where: str) -> str:
    value = table.get("Function")
    if isinstance(value, Held):
        return value.text
    found = "there is no Function" if value is None else f"Function is {shown(plain(value))}"
    raise ToolSpecificationError(
        found, where=where, hint='as in "Function" -> MyPackage`myFunction, or "Function" -> (…&)'
    )


def _options(value: object, where: str) -> dict[str, object]:
    table = table_of([]) if is_missing(value) else table_of(value)
    if table is None:
        raise ToolSpecificationError(
            f"Options is {shown(plain(value))}", where=where, hint='as in {"MaxItems" -> 10}'
        )
    return {key: symbol_name(one) or plain(one) for key, one in table.items()}
