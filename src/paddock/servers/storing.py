"""What of a definition made in Python can be stored: everything becomes text and tables.

Paths become absolute, since the server will be started elsewhere; functions and objects become
references, or are pickled when that is asked for. What stood in the file before stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.option import Option
from paddock.authoring.prompt import PromptArgument
from paddock.authoring.tool import Parameter, Tool
from paddock.extensions.keys import normalize_key
from paddock.extensions.references import make_reference_absolute
from paddock.extensions.template import Template
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.function_references import NoReferenceError, make_reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.servers.definition import ServerDefinition
    from paddock.servers.pickles import FunctionPickles

    ItemConverter = Callable[[Any], Any]

ITEM_KINDS = ("tools", "prompts", "resources")
_TOOL_FIELDS = ("title", "description", "annotations", "input_schema", "output_schema")
_FUNCTION_KEYS = ("function", "handler", "initialization")
_PAIR_LENGTH = 2


def make_paths_absolute(definition: ServerDefinition, kept: ServerDefinition | None) -> ServerDefinition:
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
        tool: {name: "None" if value is None else _to_plain_value(value) for name, value in given.items()}
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
