"""Prompts in the files of paclets: a text, a template, or a function of the Wolfram Language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.extensions.errors import PromptSpecificationError
from paddock.extensions.keys import normal_key
from paddock.extensions.paclets.string_templates import TemplateText, slots
from paddock.extensions.paclets.tables import is_missing, key_of, plain, table_of
from paddock.extensions.paclets.texts import text_of
from paddock.extensions.paclets.wolfram_function import WolframFunction
from paddock.extensions.properties import shown
from paddock.wolfram.data import Held, Template

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.owner import Owner
    from paddock.extensions.paclets.tables import Table

    Argument = dict[str, object]


def prompt_properties(table: Table, owner: Owner, where: str) -> Mapping[str, object]:
    """The properties that a prompt is made of.

    Raises:
        PromptSpecificationError: when its content or its arguments make no sense.
    """
    content = table.get("Content")
    arguments = _arguments(table, where)
    if isinstance(content, Template) and arguments is None:
        arguments = [{"name": name} for name in slots(content.text)]
    made = _content(content, _type(table), arguments or [], owner)
    if made is None:
        raise PromptSpecificationError(
            "there is no Content" if content is None else f"Content is {shown(plain(content))}",
            where=where,
            hint="expected a string, a StringTemplate or a function",
        )
    found: dict[str, object] = {
        "name": text_of(table, "Name", where) or owner.item,
        "description": text_of(table, "Description", where) or "",
        "type": "Text" if isinstance(made, str) else "Function",
        "content": made,
        "arguments": arguments or [],
    }
    title = text_of(table, "DisplayName", where) or text_of(table, "Title", where)
    return found if title is None else {**found, "title": title}


def _type(table: Table) -> str:
    return (key_of(table.get("Type")) or "Automatic").lower()


def _content(
    content: object, kind: str, arguments: list[Argument], owner: Owner
) -> str | Callable[[dict[str, str], Context], Any] | None:
    """The text, or the function that makes it."""
    if isinstance(content, Held) and not is_missing(content):
        return WolframFunction(content.text, owner)
    if isinstance(content, Template):
        return TemplateText(content.text, [str(one.get("name")) for one in arguments], owner)
    if isinstance(content, str) and kind != "function":
        return content
    if isinstance(content, list) and kind != "function":
        return _texts(content)
    return None


def _texts(parts: list[object]) -> str | None:
    """The texts in a list of content; what is no text cannot be sent."""
    found: list[str] = []
    for part in parts:
        table = table_of(part) if isinstance(part, Mapping) else None
        text = part if table is None else table.get("Text", table.get("text"))
        if not isinstance(text, str):
            return None
        found.append(text)
    return "".join(found) if found else None


def _arguments(table: Table, where: str) -> list[Argument] | None:
    given = table.get("Arguments")
    if is_missing(given):
        return None
    return [_argument(one, where) for one in (given if isinstance(given, list) else [given])]


def _argument(given: object, where: str) -> Argument:
    if isinstance(given, str):
        return {"name": given}
    table = table_of(given) or {}
    if not table or any(
        isinstance(value, Held) and not is_missing(value) for value in table.values()
    ):
        raise PromptSpecificationError(
            f"Arguments has {shown(plain(given))}",
            where=where,
            hint='expected <| "Name" -> …, "Description" -> …, "Required" -> … |>',
        )
    return {normal_key(key): value for key, value in table.items() if not is_missing(value)}
