"""Prompts from their definitions: an object, a function, or a table of properties.

The content of a table is a text that is sent as it is, a template that is filled in, or a function
that makes the text. Its type says which, or is inferred from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.remembering import remembered
from paddock.extensions.errors import PromptSpecificationError
from paddock.extensions.functions import name_of, read_function
from paddock.extensions.properties import Properties, shown, told_as
from paddock.extensions.template import Template

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_KEYS = {
    **{key: key for key in ("name", "title", "description", "arguments", "type", "content")},
    **{key: key for key in ("function", "icons", "meta")},
    "display_name": "title",
}
_ARGUMENT_KEYS = {
    **{key: key for key in ("name", "title", "description", "required")},
    "display_name": "title",
}
_TYPES = ("text", "template", "function")
_AUTOMATIC = "automatic"
_CONTENTS = "expected a text, a Template or a function"


def make_prompt(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Prompt:
    """The prompt that a definition means.

    A function takes one dictionary when the definition lists arguments; without, its own
    parameters are the arguments.

    Args:
        definition: A `Prompt`, a function, or a table of properties.
        relative_to: The directory from which paths in references count.
        where: Where the definition stands, for errors.
        name: The prompt's name when the table does not say.

    Raises:
        PromptSpecificationError: when it is not the definition of a prompt.
        LoadError: when a reference in it leads nowhere.
    """
    if isinstance(definition, Prompt):
        return definition
    with told_as(PromptSpecificationError, where):
        if isinstance(definition, Mapping):
            return _from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            decorated = remembered(definition, Prompt)
            return decorated or _from_function(definition, name)
    raise PromptSpecificationError(
        shown(definition),
        where=where,
        hint="expected a name, a reference, a function, a Prompt or a table of properties",
    )


def _from_function(function: Callable[..., Any], name: str | None) -> Prompt:
    described = None if getattr(function, "__doc__", None) else ""
    return Prompt(name or name_of(function), handler=function, description=described)


def _from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Prompt:
    properties = Properties(definition, _KEYS, PromptSpecificationError, where)
    name = properties.text("name") or name
    if not name:
        raise properties.refused("there is no name", 'as in name = "Search"')
    arguments = _arguments(properties, where)
    others: dict[str, Any] = {
        "title": properties.text("title"),
        "description": properties.text("description") or "",
        "arguments": arguments,
        "icons": properties.sequence("icons"),
        "meta": properties.table("meta"),
    }
    kind = _type(properties)
    if kind == "function":
        key = "function" if "function" in properties else "content"
        handler = read_function(properties, key, relative_to=relative_to, where=where)
        return Prompt(name, handler=handler, takes_dictionary=arguments is not None, **others)
    text = _text(properties, kind)
    if kind == "template":
        return Prompt(name, text, **others)
    return Prompt(name, handler=lambda: text, **others)


def _type(properties: Properties) -> str:
    """What the content is: as the definition says, or by what the content looks like."""
    if "content" in properties and "function" in properties:
        raise properties.refused("there are both content and function", "keep one")
    if "content" not in properties and "function" not in properties:
        raise properties.refused("there is no content", _CONTENTS)
    stated = (properties.text("type") or _AUTOMATIC).lower()
    if stated not in (*_TYPES, _AUTOMATIC):
        raise properties.refused(
            f"type is {shown(properties.get('type'))}", "Text, Template, Function or Automatic"
        )
    if "function" in properties:
        if stated not in ("function", _AUTOMATIC):
            raise properties.refused(f"type is {stated!r}, and there is a function", "leave it out")
        return "function"
    content = properties.get("content")
    if isinstance(content, Template) and stated in ("text", _AUTOMATIC):
        return "template"
    if stated == _AUTOMATIC:
        if not isinstance(content, str) and not callable(content):
            raise properties.refused(f"content is {shown(content)}", _CONTENTS)
        return "text" if isinstance(content, str) else "function"
    return stated


def _text(properties: Properties, kind: str) -> str:
    content = properties.get("content")
    if isinstance(content, Template):
        content = content.text
    if isinstance(content, str):
        return content
    raise properties.refused(f"content is {shown(content)}", f"type {kind!r} wants text")


def _arguments(properties: Properties, where: str) -> list[PromptArgument] | None:
    """The arguments that the definition lists; None when it does not list them."""
    if "arguments" not in properties:
        return None
    given = properties.get("arguments")
    if not isinstance(given, list | tuple):
        raise properties.refused(f"arguments is {shown(given)}", "expected a list of { name, … }")
    found = [_argument(one, f"{where}: arguments[{index}]") for index, one in enumerate(given)]
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise properties.refused(f"arguments of one name: {', '.join(names)}", "rename one")
    return found


def _argument(given: object, where: str) -> PromptArgument:
    if isinstance(given, PromptArgument):
        return given
    if not isinstance(given, Mapping):
        raise PromptSpecificationError(shown(given), where=where, hint="expected { name, … }")
    properties = Properties(given, _ARGUMENT_KEYS, PromptSpecificationError, where)
    name = properties.text("name")
    if not name:
        raise properties.refused("an argument has no name", 'as in { name = "query" }')
    return PromptArgument(
        name,
        properties.text("description") or "",
        required=properties.flag("required", default=False),
        title=properties.text("title"),
    )
