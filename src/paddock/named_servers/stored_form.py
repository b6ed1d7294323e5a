"""What of a definition made in Python can be stored: everything becomes text and tables.

Paths become absolute, since the server will be started elsewhere; functions and objects become
references, or are pickled when that is asked for. What stood in the file before stays as it is.

A server definition as the text of a TOML file that a person likes to read.

What the first answer needs stands first, so that it can be read without a TOML parser. How a file
that a person has edited is changed is `editing`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.prompt import PromptArgument
from paddock.authoring.tool import Parameter, Tool
from paddock.authoring.tool_option import Option
from paddock.extensions.names import normalize_key
from paddock.extensions.prompt_definition import Template
from paddock.extensions.references import make_reference_absolute
from paddock.named_servers.definition import STDIO_TRANSPORT
from paddock.named_servers.function_references import NoReferenceError, make_reference
from paddock.named_servers.names import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.named_servers.definition import ServerDefinition


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles

    ItemConverter = Callable[[Any], Any]

ITEM_KINDS = ("tools", "prompts", "resources")
_TOOL_FIELDS = ("title", "description", "annotations", "input_schema", "output_schema")
_FUNCTION_KEYS = ("function", "handler", "initialization")
_PAIR_LENGTH = 2


def make_paths_absolute(
    definition: ServerDefinition, kept: ServerDefinition | None
) -> ServerDefinition:
    """A definition whose paths count from anywhere, but for those that are kept as they are.

    Args:
        definition: As it was given, with paths that count from the working directory.
        kept: What is in the file already, with paths that count from there.
    """
    return _convert_new_items(definition, kept, _make_item_absolute)


def to_stored_form(
    definition: ServerDefinition,
    pickles: FunctionPickles | None = None,
    kept: ServerDefinition | None = None,
) -> ServerDefinition:
    """A definition that is text and tables only.

    Args:
        definition: As it was given; it stays as it is.
        pickles: Takes objects that have no reference; they are refused when it is left out.
        kept: What is in the file already.

    Raises:
        ServerDefinitionError: when an object has no reference and may not be stored.
    """
    changed = _convert_new_items(definition, kept, lambda item: _to_stored_item(item, pickles))
    changed.extra = _to_plain_value(definition.extra)
    changed.options = {
        tool: {
            name: "None" if value is None else _to_plain_value(value)
            for name, value in given.items()
        }
        for tool, given in definition.options.items()
    }
    return changed


def list_new_items(definition: ServerDefinition, kept: ServerDefinition | None) -> list[Any]:
    """What a definition lists or calls that is not in another one."""
    found = [
        item
        for kind in ITEM_KINDS
        for item in getattr(definition, kind)
        if kept is None or item not in getattr(kept, kind)
    ]
    initialization = definition.initialization
    if initialization is not None and (kept is None or initialization != kept.initialization):
        found.append(initialization)
    return found


def add_nested_values(items: list[Any]) -> list[Any]:
    """Items, and what the tables among them hold: everything that may lead to an object."""
    inner = [value for item in items if isinstance(item, dict) for value in item.values()]
    return [*items, *inner]


def _convert_new_items(
    definition: ServerDefinition, kept: ServerDefinition | None, change: ItemConverter
) -> ServerDefinition:
    changes: dict[str, Any] = {}
    for kind in ITEM_KINDS:
        known = [] if kept is None else getattr(kept, kind)
        items = getattr(definition, kind)
        changes[kind] = [item if item in known else change(item) for item in items]
    initialization = definition.initialization
    if initialization is not None and (kept is None or initialization != kept.initialization):
        changes["initialization"] = change(initialization)
    return msgspec.structs.replace(definition, **changes)


def _make_item_absolute(item: Any) -> Any:
    if isinstance(item, str):
        return make_reference_absolute(item)
    if not isinstance(item, Mapping):
        return item
    kind = next((value for key, value in item.items() if normalize_key(key) == "type"), "")
    functions = (*_FUNCTION_KEYS, "content") if str(kind).lower() == "function" else _FUNCTION_KEYS
    found = dict(item)
    for key, value in item.items():
        name = normalize_key(key)
        if isinstance(value, str) and name in functions:
            found[key] = make_reference_absolute(value)
        elif isinstance(value, str) and name == "file":
            found[key] = str(Path(value).expanduser().absolute())
    return found


def _to_stored_item(item: Any, pickles: FunctionPickles | None) -> Any:
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        return _to_stored_table(item, pickles)
    try:
        return _to_reference_or_table(item)
    except NoReferenceError:
        if pickles is None:
            raise
        return pickles.add(item)


def _to_reference_or_table(item: object) -> object:
    """The reference of an object, or the table of a tool whose function has one."""
    try:
        return make_reference(item)
    except NoReferenceError:
        if not isinstance(item, Tool) or not _has_table_form(item):
            raise
    table: dict[str, Any] = {"name": item.name, "function": make_reference(item.handler)}
    table |= {key: getattr(item, key) for key in _TOOL_FIELDS}
    table["options"] = item.options
    table["parameters"] = item.parameters
    is_empty_list = item.parameters is not None and not item.parameters
    kept = {key: value for key, value in table.items() if value}
    return _to_plain_value({**kept, "parameters": []} if is_empty_list else kept)


def _has_table_form(tool: Tool) -> bool:
    """Whether a table can say all that there is to say about a tool."""
    bare = Tool(tool.name, tool.handler)
    told = {"name", "handler", "parameters", "options", "option_values", *_TOOL_FIELDS}
    is_same = all(
        getattr(tool, key) == getattr(bare, key) for key in Tool.__slots__ if key not in told
    )
    return is_same and all(option.type is None for option in tool.options.values())


def _to_stored_table(table: Mapping[str, Any], pickles: FunctionPickles | None) -> dict[str, Any]:
    """A table whose functions are references, and which is text and tables in every part."""
    found: dict[str, Any] = {}
    is_template = any(isinstance(value, Template) for value in table.values())
    for key, value in table.items():
        name = normalize_key(key)
        if isinstance(value, Template):
            found |= {key: value.text, "type": "Template"}
        elif callable(value):
            found["function" if name == "content" else key] = _to_stored_item(value, pickles)
        elif name == "parameters" and isinstance(value, list | tuple):
            found[key] = [_to_plain_value(_merge_parameter_pair(one)) for one in value]
        elif value is not None and not (is_template and name == "type"):
            found[key] = _to_plain_value(value)
    return found


def _merge_parameter_pair(parameter: Any) -> Any:
    """A parameter that is given as its name and a table, as one table."""
    if not isinstance(parameter, tuple) or len(parameter) != _PAIR_LENGTH:
        return parameter
    name, given = parameter
    return {"name": name, **given} if isinstance(given, Mapping) else given


def _to_plain_value(value: Any) -> Any:
    """A value as TOML has it: tables without what is not said, lists, and no objects of ours."""
    if isinstance(value, Parameter | PromptArgument):
        given = {key: getattr(value, key) for key in type(value).__slots__}
        return {
            key: _to_plain_value(one)
            for key, one in given.items()
            if isinstance(one, str | bool | int | float | list | dict) and one != ""
        }
    if isinstance(value, Option):
        if value.type is not None:
            raise ServerDefinitionError(
                "an option with a type cannot be stored in a table",
                hint="define the Tool at the top of a file, and give that",
            )
        return _to_plain_value({"default": value.default, "description": value.description or None})
    if isinstance(value, Mapping):
        return {str(key): _to_plain_value(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_to_plain_value(one) for one in value]
    return value


MAX_LINE_CHARACTERS = 88
_SCALAR_KEYS = ("title", "description", "version", "key", "instructions", "initialization")
_LIST_KEYS = ("tools", "prompts", "resources")


def to_plain_table(definition: ServerDefinition) -> dict[str, Any]:
    """A definition as a table, in the order of a file, without what is not said."""
    table: dict[str, Any] = {"schema": definition.schema, "name": definition.name}
    table |= {key: getattr(definition, key) for key in _SCALAR_KEYS}
    table["transport"] = None if definition.transport == STDIO_TRANSPORT else definition.transport
    table["views"] = definition.views or None
    table |= {key: getattr(definition, key) or None for key in _LIST_KEYS}
    table |= definition.extra
    table["options"] = definition.options or None
    return {key: value for key, value in table.items() if value is not None}


def format_toml(table: Mapping[str, Any]) -> str:
    """A table as TOML.

    Raises:
        ServerDefinitionError: when TOML cannot say some value.
    """
    head: list[str] = []
    tables: list[str] = []
    for key, value in table.items():
        if key == "options":
            tables += [
                _format_section(f"options.{_format_key(tool)}", given)
                for tool, given in value.items()
            ]
        elif key in _LIST_KEYS and all(isinstance(item, dict) for item in value):
            tables += [_format_section(f"[{key}]", item) for item in value]
        else:
            head.append(f"{_format_key(key)} = {_format_value(value, key)}\n")
    return "\n".join(["".join(head), *tables])


def _format_section(name: str, table: Mapping[str, Any]) -> str:
    lines = [f"{_format_key(key)} = {_format_value(value, key)}\n" for key, value in table.items()]
    return f"[{name}]\n" + "".join(lines)


def _format_value(value: Any, key: str) -> str:
    """What stands behind an equals sign: long texts and lists take several lines."""
    if isinstance(value, str) and "\n" in value:
        return _format_long_text(value)
    if isinstance(value, list | tuple):
        items = [_format_inline(item, key) for item in value]
        line = f"[{', '.join(items)}]"
        is_short = len(key) + len(line) < MAX_LINE_CHARACTERS and not any(
            isinstance(i, dict) for i in value
        )
        return line if is_short else "".join(["[\n", *(f"    {item},\n" for item in items), "]"])
    return _format_inline(value, key)


def _format_inline(value: Any, key: str) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return _format_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_format_inline(item, key) for item in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(_format_pairs(value))} }}" if value else "{}"
    raise ServerDefinitionError(
        f"{value!r} cannot be stored"[:120],
        where=key,
        hint="use texts, numbers, true or false, dates, lists and tables",
    )


def _format_pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if value is not None:
            yield f"{_format_key(key)} = {_format_inline(value, key)}"


def _format_key(key: Any) -> str:
    text = str(key)
    is_bare = text != "" and all(c.isascii() and (c.isalnum() or c in "_-") for c in text)
    return text if is_bare else _format_text(text)


def _format_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ServerDefinitionError(
            f"{text!r} cannot be stored: half of a character at {error.start}"[:120],
            hint="the text has been cut, or read in the wrong encoding",
        ) from None
    # JSON and TOML escape alike, but for one character that TOML does not want to see.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_long_text(text: str) -> str:
    lines = [_format_text(line)[1:-1].replace('\\"', '"') for line in text.split("\n")]
    body = "\n".join(lines).replace('"""', '""\\"')
    if body.endswith('"'):
        body = f'{body[:-1]}\\"'
    return f'"""\n{body}"""'
