"""Conversion of definitions made in Python to a form that can be stored, and their TOML format.

A client loads the stored definition in another process. Paths become absolute, because clients
start the server in another directory. Functions and objects become references, or are pickled on
request. Items that are already in the file are not converted. Metadata comes first in the file, so
that `quick_facts` can read it without a TOML parser.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.prompt import PromptArgument
from paddock.authoring.tool import Option, Parameter, Tool
from paddock.extensions.manifest import LISTED_KINDS
from paddock.extensions.names import normalize_key
from paddock.extensions.prompt_definition import Template
from paddock.extensions.references import list_reference_keys, make_reference_absolute
from paddock.named_servers.definition import STDIO_TRANSPORT
from paddock.named_servers.function_references import NoReferenceError, make_reference
from paddock.named_servers.names import ServerDefinitionError
from paddock.toml_writer import format_basic_string, format_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles

    ItemConverter = Callable[[Any], Any]

_TOOL_FIELDS = ("title", "description", "annotations", "input_schema", "output_schema")

_PAIR_LENGTH = 2


def make_paths_absolute(
    definition: ServerDefinition, previous: ServerDefinition | None
) -> ServerDefinition:
    """Return a definition with absolute paths, except in items that are already in the file.

    Args:
        definition: The definition. New paths in it are relative to the working directory.
        previous: The definition in the file, whose paths are relative to the file.
    """
    return _convert_new_items(definition, previous, _make_item_absolute)


def to_stored_form(
    definition: ServerDefinition,
    pickles: FunctionPickles | None = None,
    previous: ServerDefinition | None = None,
) -> ServerDefinition:
    """Return a copy of a definition that can be stored in a TOML file.

    Functions and objects become references such as `/home/ann/tools.py:add`, tables or pickles.

    Args:
        definition: The definition, which is not modified.
        pickles: The store for objects that have no reference. If None, such objects are rejected.
        previous: The definition in the file. Its items are not converted again.

    Raises:
        ServerDefinitionError: An object has no reference and cannot be pickled.
    """
    stored = _convert_new_items(definition, previous, lambda item: _to_stored_item(item, pickles))
    stored.extra = _to_plain_value(definition.extra)
    stored.options = {
        tool: {
            name: "None" if value is None else _to_plain_value(value)
            for name, value in options.items()
        }
        for tool, options in definition.options.items()
    }
    return stored


def list_new_items(definition: ServerDefinition, previous: ServerDefinition | None) -> list[Any]:
    """Return a definition's items and initialization, except those in the previous definition.

    If there is no previous definition, all of them are returned.
    """
    new_items = [
        item
        for kind in LISTED_KINDS
        for item in getattr(definition, kind)
        if previous is None or item not in getattr(previous, kind)
    ]
    if _has_new_initialization(definition, previous):
        new_items.append(definition.initialization)
    return new_items


def _has_new_initialization(
    definition: ServerDefinition, previous: ServerDefinition | None
) -> bool:
    """Return whether a definition has an initialization that is not in the previous one."""
    initialization = definition.initialization
    return initialization is not None and (
        previous is None or initialization != previous.initialization
    )


def add_nested_values(items: list[Any]) -> list[Any]:
    """Return items, along with the values of those that are tables.

    References to functions can be in either.
    """
    inner = [value for item in items if isinstance(item, dict) for value in item.values()]
    return [*items, *inner]


def _convert_new_items(
    definition: ServerDefinition, previous: ServerDefinition | None, convert: ItemConverter
) -> ServerDefinition:
    """Return a copy of a definition with all new items converted.

    Args:
        definition: The definition, which is not modified.
        previous: The definition in the file. Its items do not count as new.
        convert: Function that converts one item or the initialization.
    """
    converted_fields: dict[str, Any] = {}
    for kind in LISTED_KINDS:
        previous_items = [] if previous is None else getattr(previous, kind)
        converted_fields[kind] = [
            item if item in previous_items else convert(item) for item in getattr(definition, kind)
        ]
    if _has_new_initialization(definition, previous):
        converted_fields["initialization"] = convert(definition.initialization)
    return msgspec.structs.replace(definition, **converted_fields)


def _make_item_absolute(item: Any) -> Any:
    """Return an item with absolute paths, because clients start the server in any directory.

    Paths occur in references, such as `tools.py:add`, and under the key `file` in a table. They are
    relative to the working directory.
    """
    if isinstance(item, str):
        return make_reference_absolute(item)
    if not isinstance(item, Mapping):
        return item
    reference_keys = list_reference_keys(item)
    table = dict(item)
    for key, value in item.items():
        name = normalize_key(key)
        if isinstance(value, str) and name in reference_keys:
            table[key] = make_reference_absolute(value)
        elif isinstance(value, str) and name == "file":
            table[key] = str(Path(value).expanduser().absolute())
    return table


def _to_stored_item(item: Any, pickles: FunctionPickles | None) -> Any:
    """Convert an item in a definition to a string or table that TOML can represent.

    An object becomes a reference if possible, and is pickled otherwise.

    Raises:
        NoReferenceError: The object has no reference, and `pickles` is None.
    """
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
    """Return a reference to an object, such as `tools.py:add`, or a table.

    A tool without a reference, for example one that was created inside a function, becomes a
    table that refers to its handler.

    Raises:
        NoReferenceError: Neither a reference nor such a table can represent the object.
    """
    try:
        return make_reference(item)
    except NoReferenceError:
        if not isinstance(item, Tool) or not _has_table_form(item):
            raise
    table: dict[str, Any] = {"name": item.name, "function": make_reference(item.handler)}
    table |= {key: getattr(item, key) for key in _TOOL_FIELDS}
    table["options"] = item.options
    table["parameters"] = item.parameters
    properties = {key: value for key, value in table.items() if value}
    # Without `parameters`, the function's signature is used. An empty list must be kept, because it
    # describes a tool without parameters.
    if item.parameters is not None and not item.parameters:
        properties["parameters"] = []
    return _to_plain_value(properties)


def _has_table_form(tool: Tool) -> bool:
    """Return whether a table can represent all properties of a tool.

    Properties that have no field in tables must have their default values, and no option may have a
    Python type.
    """
    default_tool = Tool(tool.name, tool.handler)
    table_fields = {"name", "handler", "parameters", "options", "option_values", *_TOOL_FIELDS}
    has_defaults = all(
        getattr(tool, key) == getattr(default_tool, key)
        for key in Tool.__slots__
        if key not in table_fields
    )
    return has_defaults and all(option.type is None for option in tool.options.values())


def _to_stored_table(table: Mapping[str, Any], pickles: FunctionPickles | None) -> dict[str, Any]:
    """Return an item's table with references instead of functions, and only plain values."""
    stored: dict[str, Any] = {}
    is_template = any(isinstance(value, Template) for value in table.values())
    for key, value in table.items():
        name = normalize_key(key)
        if isinstance(value, Template):
            stored |= {key: value.text, "type": "Template"}
        elif callable(value):
            stored["function" if name == "content" else key] = _to_stored_item(value, pickles)
        elif name == "parameters" and isinstance(value, list | tuple):
            stored[key] = [_to_plain_value(_merge_parameter_pair(pair)) for pair in value]
        elif value is not None and not (is_template and name == "type"):
            stored[key] = _to_plain_value(value)
    return stored


def _merge_parameter_pair(parameter: Any) -> Any:
    """Merge a parameter given as a pair of name and table into one table."""
    if not isinstance(parameter, tuple) or len(parameter) != _PAIR_LENGTH:
        return parameter
    name, table = parameter
    return {"name": name, **table} if isinstance(table, Mapping) else table


def _to_plain_value(value: Any) -> Any:
    """Convert a value, such as an `Option` or a list, to values that TOML can represent.

    TOML has no null, so properties without a value are omitted from tables.

    Raises:
        ServerDefinitionError: An option has a Python type, which a table cannot represent.
    """
    if isinstance(value, Parameter | PromptArgument):
        field_names = getattr(type(value), "__slots__", None) or vars(value)
        fields = {name: getattr(value, name) for name in sorted(field_names)}
        return {
            name: _to_plain_value(field)
            for name, field in fields.items()
            if isinstance(field, str | bool | int | float | list | dict) and field != ""
        }
    if isinstance(value, Option):
        if value.type is not None:
            raise ServerDefinitionError(
                "an option with a type cannot be stored in a table",
                hint="define the Tool at the top level of a file, and pass the object",
            )
        return _to_plain_value({"default": value.default, "description": value.description or None})
    if isinstance(value, Mapping):
        return {
            str(key): _to_plain_value(inner) for key, inner in value.items() if inner is not None
        }
    if isinstance(value, list | tuple):
        return [_to_plain_value(element) for element in value]
    return value


MAX_LINE_CHARACTERS = 88
_SCALAR_KEYS = ("title", "description", "version", "key", "instructions", "initialization")


def to_plain_table(definition: ServerDefinition) -> dict[str, Any]:
    """Return a definition as a table of plain values, in the order used in files.

    Metadata comes first and `options` last. Properties without a value, and the default transport,
    are omitted.
    """
    table: dict[str, Any] = {"schema": definition.schema, "name": definition.name}
    table |= {key: getattr(definition, key) for key in _SCALAR_KEYS}
    table["transport"] = None if definition.transport == STDIO_TRANSPORT else definition.transport
    table["views"] = definition.views or None
    table |= {key: getattr(definition, key) or None for key in LISTED_KINDS}
    table |= definition.extra
    table["options"] = definition.options or None
    return {key: value for key, value in table.items() if value is not None}


def format_toml(table: Mapping[str, Any]) -> str:
    """Format a definition's table as the TOML text of a definition file.

    Raises:
        ServerDefinitionError: TOML cannot represent a value.
    """
    try:
        return _format_table(table)
    except UnicodeEncodeError as error:
        raise ServerDefinitionError(
            f"{error.object!r} cannot be stored: unpaired surrogate at index {error.start}"[:120],
            hint="the string was truncated, or decoded with the wrong encoding",
        ) from None


def _format_table(table: Mapping[str, Any]) -> str:
    """Format a table as TOML, such as `name = "Calc"` followed by `[options.Plot]`."""
    # In TOML, all lines after a table header belong to that table, so assignments of the definition
    # itself must come first.
    assignments: list[str] = []
    sections: list[str] = []
    for key, value in table.items():
        if key == "options":
            sections += [
                _format_section(f"options.{format_key(tool)}", options)
                for tool, options in value.items()
            ]
        elif key in LISTED_KINDS and all(isinstance(item, dict) for item in value):
            sections += [_format_section(f"[{key}]", item) for item in value]
        else:
            assignments.append(f"{format_key(key)} = {_format_value(value, key)}\n")
    return "\n".join(["".join(assignments), *sections])


def _format_section(name: str, table: Mapping[str, Any]) -> str:
    lines = [f"{format_key(key)} = {_format_value(value, key)}\n" for key, value in table.items()]
    return f"[{name}]\n" + "".join(lines)


def _format_value(value: Any, key: str) -> str:
    """Format the value of an assignment `key = value`.

    Strings with line breaks, long lists and lists of tables span multiple lines.
    """
    if isinstance(value, str) and "\n" in value:
        return _format_long_text(value)
    if isinstance(value, list | tuple):
        items = [_format_inline(item, key) for item in value]
        line = f"[{', '.join(items)}]"
        contains_table = any(isinstance(item, dict) for item in value)
        if len(key) + len(line) < MAX_LINE_CHARACTERS and not contains_table:
            return line
        return "".join(["[\n", *(f"    {item},\n" for item in items), "]"])
    return _format_inline(value, key)


def _format_inline(value: Any, key: str) -> str:
    """Format a value as TOML on one line.

    Args:
        value: The value, which may contain lists and tables.
        key: The key of the value, for the error message.

    Raises:
        ServerDefinitionError: TOML cannot represent a value of this type.
    """
    if isinstance(value, str):
        return format_basic_string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_format_inline(item, key) for item in value)}]"
    if isinstance(value, dict):
        pairs = [
            f"{format_key(name)} = {_format_inline(item, name)}"
            for name, item in value.items()
            if item is not None
        ]
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    raise ServerDefinitionError(
        f"{value!r} cannot be stored"[:120],
        where=key,
        hint="use strings, numbers, booleans, dates, lists and tables",
    )


def _format_long_text(text: str) -> str:
    """Format text with line breaks as a multi-line string, escaping as little as possible."""
    lines = [format_basic_string(line)[1:-1].replace('\\"', '"') for line in text.split("\n")]
    body = "\n".join(lines).replace('"""', '""\\"')
    if body.endswith('"'):
        body = f'{body[:-1]}\\"'
    return f'"""\n{body}"""'
