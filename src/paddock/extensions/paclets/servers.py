"""Server definitions in the files of paclets, for `servers` to read like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.paclets.prompts import prompt_properties
from paddock.extensions.paclets.tables import arguments_of, head_of, is_missing, plain, table_of
from paddock.extensions.paclets.texts import text_of
from paddock.extensions.paclets.tools import TOOL, tool_properties, tool_table
from paddock.extensions.paclets.wolfram_function import WolframInitialization
from paddock.extensions.properties import shown
from paddock.wolfram.data import Held, Template

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.paclets.owner import Owner
    from paddock.extensions.paclets.tables import Table

EVALUATOR = "LLMEvaluator"
_CONFIGURATION = "LLMConfiguration"
_TEXTS = (
    "Name",
    "Title",
    "DisplayName",
    "Description",
    "ServerVersion",
    "MCPServerName",
    "Transport",
)
_LISTS = ("Tools", "MCPPrompts")


def server_properties(table: Table, owner: Owner, where: str) -> Mapping[str, object]:
    """The table of a server, its version that of the paclet unless it says another.

    Raises:
        DefinitionError: when it lacks `LLMEvaluator`.
        LoadError: when something would have to be evaluated.
    """
    found = {key: value for key, value in table.items() if not is_missing(value)}
    evaluator = _evaluator(found, where)
    for key in _TEXTS:
        if key in found:
            found[key] = text_of(found, key, where)
    if not {"ServerVersion", "Version"} & found.keys() and owner.version:
        found["ServerVersion"] = owner.version
    initialization = found.pop("Initialization", None)
    rest = {key: plain(value) for key, value in found.items() if key != EVALUATOR}
    if initialization is not None:
        rest["Initialization"] = WolframInitialization(plain(initialization), owner)
    return {**rest, EVALUATOR: _evaluated(evaluator, owner, where)}


def _evaluator(table: Table, where: str) -> Table:
    value = table.get(EVALUATOR)
    if head_of(value) == _CONFIGURATION:
        value = (arguments_of(value) or [None])[0]
    found = None if value is None else table_of(value)
    if found is None:
        said = "there is no" if value is None else f"{shown(plain(value))} is no table for"
        raise DefinitionError(
            f"{said} {EVALUATOR}",
            where=where,
            hint=f'as in "{EVALUATOR}" -> <| "Tools" -> {{…}}, "MCPPrompts" -> {{…}} |>',
        )
    return found


def _evaluated(evaluator: Table, owner: Owner, where: str) -> dict[str, object]:
    found = {key: value for key, value in evaluator.items() if not is_missing(value)}
    for key in _LISTS:
        if key in found:
            found[key] = _listed(found[key], _INLINE[key], owner, f"{where}: {key}")
    others = {key: _instructions(value, where) for key, value in found.items() if key not in _LISTS}
    return {**others, **{key: found[key] for key in _LISTS if key in found}}


def _listed(
    value: object, inline: Callable[[object, Owner, str], object], owner: Owner, where: str
) -> object:
    """Names as they are, and what is defined on the spot as properties."""
    if isinstance(value, list):
        return [_listed(one, inline, owner, where) for one in value]
    return value if isinstance(value, str) else inline(value, owner, where)


def _inline_tool(value: object, owner: Owner, where: str) -> object:
    is_tool = isinstance(value, Mapping) or head_of(value) == TOOL
    table = tool_table(value) if is_tool else None
    return (
        plain(value)
        if table is None
        else tool_properties(table, _named(owner, "tool", table), where)
    )


def _inline_prompt(value: object, owner: Owner, where: str) -> object:
    table = table_of(value) if isinstance(value, Mapping) else None
    return (
        plain(value)
        if table is None
        else prompt_properties(table, _named(owner, "prompt", table), where)
    )


def _named(owner: Owner, kind: str, table: Table) -> Owner:
    name = table.get("Name")
    return owner._replace(kind=kind, item=name if isinstance(name, str) else owner.item)


_INLINE: dict[str, Callable[[object, Owner, str], Any]] = {
    "Tools": _inline_tool,
    "MCPPrompts": _inline_prompt,
}


def _instructions(value: object, where: str) -> object:
    """Other properties of the evaluator, of which `Prompts` are texts for the model."""
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(one, Held | Template) for one in texts):
        raise LoadError(
            f"{shown(plain(value))} would have to be evaluated",
            where=where,
            hint="write it out as a string",
        )
    return plain(value)
