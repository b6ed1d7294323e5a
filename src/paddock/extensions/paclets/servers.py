"""Server definitions in the files of paclets, for `servers` to read like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.paclets.prompts import make_prompt_properties
from paddock.extensions.paclets.tables import get_arguments, get_head_name, is_missing, to_plain_data, to_table
from paddock.extensions.paclets.texts import get_text
from paddock.extensions.paclets.tools import LLM_TOOL_HEAD, make_tool_properties, read_tool_table
from paddock.extensions.paclets.wolfram_function import WolframInitialization
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.data import UnevaluatedExpression, StringTemplate

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.paclets.owner import FunctionOwner
    from paddock.extensions.paclets.tables import PropertyDict

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


def make_server_properties(table: PropertyDict, owner: FunctionOwner, where: str) -> Mapping[str, object]:
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
        said = "there is no" if value is None else f"{shorten_repr(to_plain_data(value))} is no table for"
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
            found[key] = _make_item_list(found[key], _INLINE_ITEM_MAKERS[key], owner, f"{where}: {key}")
    others = {key: _read_instructions(value, where) for key, value in found.items() if key not in _ITEM_LIST_KEYS}
    return {**others, **{key: found[key] for key in _ITEM_LIST_KEYS if key in found}}


def _make_item_list(
    value: object, inline: Callable[[object, FunctionOwner, str], object], owner: FunctionOwner, where: str
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
