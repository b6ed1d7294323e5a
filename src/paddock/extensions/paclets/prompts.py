"""Prompts in the files of paclets: a text, a template, or a function of the Wolfram Language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.extensions.errors import PromptSpecificationError
from paddock.extensions.keys import normalize_key
from paddock.extensions.paclets.string_templates import StringTemplateHandler, list_slots
from paddock.extensions.paclets.tables import is_missing, to_key, to_plain_data, to_table
from paddock.extensions.paclets.texts import get_text
from paddock.extensions.paclets.wolfram_function import WolframFunction
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.data import UnevaluatedExpression, StringTemplate

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.owner import FunctionOwner
    from paddock.extensions.paclets.tables import PropertyDict

    PromptArgumentTable = dict[str, object]


def make_prompt_properties(table: PropertyDict, owner: FunctionOwner, where: str) -> Mapping[str, object]:
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
            "there is no Content" if content is None else f"Content is {shorten_repr(to_plain_data(content))}",
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
        return StringTemplateHandler(content.text, [str(one.get("name")) for one in arguments], owner)
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
    return [_read_prompt_argument(one, where) for one in (given if isinstance(given, list) else [given])]


def _read_prompt_argument(given: object, where: str) -> PromptArgumentTable:
    if isinstance(given, str):
        return {"name": given}
    table = to_table(given) or {}
    if not table or any(
        isinstance(value, UnevaluatedExpression) and not is_missing(value) for value in table.values()
    ):
        raise PromptSpecificationError(
            f"Arguments has {shorten_repr(to_plain_data(given))}",
            where=where,
            hint='expected <| "Name" -> …, "Description" -> …, "Required" -> … |>',
        )
    return {normalize_key(key): value for key, value in table.items() if not is_missing(value)}
