"""Creates prompts from definitions: a `Prompt`, a function, or a table of properties.

In a table, the content is a literal text, a template with placeholders, or a function that returns
the text. The `type` property selects one of these; by default, it is inferred from the content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.component_registry import find_attached_item
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.extensions.errors import PromptSpecificationError
from paddock.extensions.properties import PropertyTable, convert_definition_errors, shorten_repr
from paddock.extensions.references import get_function_name, read_function_property

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PROMPT_KEYS = {
    **{key: key for key in ("name", "title", "description", "arguments", "type", "content")},
    **{key: key for key in ("function", "icons", "meta")},
    "display_name": "title",
}
_ARGUMENT_KEYS = {
    **{key: key for key in ("name", "title", "description", "required")},
    "display_name": "title",
}
_CONTENT_TYPES = ("text", "template", "function")
_AUTOMATIC_TYPE = "automatic"
_CONTENT_HINT = "expected a text, a Template or a function"


class Template:
    """A prompt text with placeholders, for Python definitions.

    `{name}` is replaced by an argument. `{?name?text}` inserts the text only if the argument is
    present. A plain string in a definition is sent literally, including braces.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash((Template, self.text))


def make_prompt(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Prompt:
    """Create a prompt from a definition in an extension or server.

    If a table of properties lists arguments, its function is called with one dictionary.
    Otherwise, the function's parameters are the prompt's arguments.

    Args:
        definition: A `Prompt`, a function, or a table of properties.
        relative_to: The directory for relative paths in references.
        where: The location of the definition, for errors.
        name: The prompt's name if the definition does not specify one.

    Raises:
        PromptSpecificationError: The definition is invalid.
        LoadError: A reference in it cannot be resolved.
    """
    if isinstance(definition, Prompt):
        return definition
    with convert_definition_errors(PromptSpecificationError, where):
        if isinstance(definition, Mapping):
            return _make_prompt_from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            decorated = find_attached_item(definition, Prompt)
            return decorated or _make_prompt_from_function(definition, name)
    raise PromptSpecificationError(
        shorten_repr(definition),
        where=where,
        hint="expected a name, a reference, a function, a Prompt or a table of properties",
    )


def _make_prompt_from_function(function: Callable[..., Any], name: str | None) -> Prompt:
    # With None, `Prompt` takes the description from the docstring.
    description = None if getattr(function, "__doc__", None) else ""
    return Prompt(name or get_function_name(function), handler=function, description=description)


def _make_prompt_from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Prompt:
    """Create a prompt from a table of properties, such as `{"name": "Greet", "content": "Hi!"}`.

    Either `content` or `function` is required.

    Args:
        definition: The properties as written.
        relative_to: The directory for relative paths in references.
        where: The location of the definition, for errors.
        name: The prompt's name if the definition does not specify one.
    """
    properties = PropertyTable(definition, _PROMPT_KEYS, PromptSpecificationError, where)
    name = properties.get_text("name") or name
    if not name:
        raise properties.make_error("there is no name", 'as in name = "Search"')
    arguments = _read_arguments(properties, where)
    fields: dict[str, Any] = {
        "title": properties.get_text("title"),
        "description": properties.get_text("description") or "",
        "arguments": arguments,
        "icons": properties.get_list("icons"),
        "meta": properties.get_table("meta"),
    }
    kind = _read_content_type(properties)
    if kind == "function":
        key = "function" if "function" in properties else "content"
        handler = read_function_property(properties, key, relative_to=relative_to, where=where)
        return Prompt(name, handler=handler, takes_dictionary=arguments is not None, **fields)
    text = _read_content_text(properties, kind)
    if kind == "template":
        return Prompt(name, text, **fields)
    # `Prompt` would search the text for placeholders. A handler's text is sent literally.
    return Prompt(name, handler=lambda: text, **fields)


def _read_content_type(properties: PropertyTable) -> str:
    """Return the content type of a prompt definition: `text`, `template` or `function`.

    If the `type` property is absent or `Automatic`, the type is inferred from the content.

    Raises:
        PromptSpecificationError: The type is unknown or does not match the content.
    """
    if "content" in properties and "function" in properties:
        raise properties.make_error("content and function are both present", "keep one of them")
    if "content" not in properties and "function" not in properties:
        raise properties.make_error("there is no content", _CONTENT_HINT)
    declared_type = (properties.get_text("type") or _AUTOMATIC_TYPE).lower()
    if declared_type not in (*_CONTENT_TYPES, _AUTOMATIC_TYPE):
        raise properties.make_error(
            f"type is {shorten_repr(properties.get('type'))}",
            "Text, Template, Function or Automatic",
        )
    if "function" in properties:
        if declared_type not in ("function", _AUTOMATIC_TYPE):
            raise properties.make_error(
                f"type is {declared_type!r}, but there is a function", "remove the type"
            )
        return "function"
    content = properties.get("content")
    if isinstance(content, Template) and declared_type in ("text", _AUTOMATIC_TYPE):
        return "template"
    if declared_type == _AUTOMATIC_TYPE:
        if not isinstance(content, str) and not callable(content):
            raise properties.make_error(f"content is {shorten_repr(content)}", _CONTENT_HINT)
        return "text" if isinstance(content, str) else "function"
    return declared_type


def _read_content_text(properties: PropertyTable, kind: str) -> str:
    """Return the text of a prompt whose content type is `text` or `template`.

    Raises:
        PromptSpecificationError: The content is not a text.
    """
    content = properties.get("content")
    if isinstance(content, Template):
        content = content.text
    if isinstance(content, str):
        return content
    raise properties.make_error(
        f"content is {shorten_repr(content)}", f"type {kind!r} requires text"
    )


def _read_arguments(properties: PropertyTable, where: str) -> list[PromptArgument] | None:
    """Return the arguments in a prompt's `arguments` property, or None if it is absent.

    Raises:
        PromptSpecificationError: An argument is invalid, or two have the same name.
    """
    if "arguments" not in properties:
        return None
    entries = properties.get("arguments")
    if not isinstance(entries, list | tuple):
        raise properties.make_error(
            f"arguments is {shorten_repr(entries)}", "expected a list of { name, … }"
        )
    arguments = [
        _read_argument(argument, f"{where}: arguments[{index}]")
        for index, argument in enumerate(entries)
    ]
    names = [argument.name for argument in arguments]
    if len(set(names)) < len(names):
        raise properties.make_error(
            f"several arguments have the same name: {', '.join(names)}", "rename one"
        )
    return arguments


def _read_argument(argument: object, where: str) -> PromptArgument:
    """Convert a prompt argument, such as `{"name": "query", "required": True}`.

    Raises:
        PromptSpecificationError: The argument is not a table or has no name.
    """
    if isinstance(argument, PromptArgument):
        return argument
    if not isinstance(argument, Mapping):
        raise PromptSpecificationError(
            shorten_repr(argument), where=where, hint="expected { name, … }"
        )
    properties = PropertyTable(argument, _ARGUMENT_KEYS, PromptSpecificationError, where)
    name = properties.get_text("name")
    if not name:
        raise properties.make_error("an argument has no name", 'as in { name = "query" }')
    return PromptArgument(
        name,
        properties.get_text("description") or "",
        required=properties.get_flag("required", default=False),
        title=properties.get_text("title"),
    )
