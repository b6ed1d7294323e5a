"""What of a definition made in Python can be stored: everything becomes text and tables.

Functions and objects become references, or are pickled when that is asked for; paths become
absolute, since the server will be started elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.tool import Parameter, Tool
from paddock.extensions.keys import normal_key
from paddock.extensions.references import is_reference
from paddock.extensions.template import Template
from paddock.servers.function_references import NoReferenceError, reference_to
from paddock.servers.pickles import keep, pickled

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.servers.definition import ServerDefinition

    Pickling = Callable[[object], dict[str, str]] | None

KINDS = ("tools", "prompts", "resources")
_DESCRIBED = ("title", "description", "annotations", "input_schema", "output_schema")
_FUNCTIONS = ("function", "handler", "initialization")


def storable(definition: ServerDefinition, pickles: Path | None = None) -> ServerDefinition:
    """A definition that is text and tables only.

    Args:
        definition: As it was given; it stays as it is.
        pickles: Where objects that have no reference may be stored; nowhere when left out.

    Raises:
        ServerDefinitionError: when an object has no reference and may not be stored.
    """
    pickling = None if pickles is None else lambda value: keep(pickled(value), pickles)
    changes: dict[str, Any] = {
        kind: [_stored(item, pickling) for item in getattr(definition, kind)] for kind in KINDS
    }
    if definition.initialization is not None:
        changes["initialization"] = _stored(definition.initialization, pickling)
    return msgspec.structs.replace(definition, **changes)


def _stored(item: object, pickling: Pickling) -> object:
    if isinstance(item, str):
        return _absolute(item)
    if isinstance(item, Mapping):
        return _table(item, pickling)
    try:
        return _described(item)
    except NoReferenceError:
        if pickling is None:
            raise
        return pickling(item)


def _described(item: object) -> object:
    """The reference of an object, or the table of a tool whose function has one."""
    try:
        return reference_to(item)
    except NoReferenceError:
        if not isinstance(item, Tool) or not _is_plain(item):
            raise
    table: dict[str, Any] = {"name": item.name, "function": reference_to(item.handler)}
    table |= {key: getattr(item, key) for key in _DESCRIBED}
    table["options"] = {name: option.default for name, option in item.options.items()}
    if item.parameters is not None:
        table["parameters"] = [_parameter(parameter) for parameter in item.parameters]
    return {key: value for key, value in table.items() if value}


def _is_plain(tool: Tool) -> bool:
    """Whether a table can say all that there is to say about a tool."""
    bare = Tool(tool.name, tool.handler)
    told = {"name", "handler", "parameters", "options", "option_values", *_DESCRIBED}
    is_same = all(
        getattr(tool, key) == getattr(bare, key) for key in Tool.__slots__ if key not in told
    )
    return is_same and all(option.type is None for option in tool.options.values())


def _parameter(parameter: Parameter) -> dict[str, Any]:
    given = {key: getattr(parameter, key) for key in Parameter.__slots__}
    return {
        key: value
        for key, value in given.items()
        if isinstance(value, str | bool | int | float | list | dict) and value != ""
    }


def _table(table: Mapping[str, Any], pickling: Pickling) -> dict[str, Any]:
    """A table whose functions are references, and whose paths are absolute."""
    found: dict[str, Any] = {}
    is_function = str(table.get("type", table.get("Type", ""))).lower() == "function"
    for key, value in table.items():
        name = normal_key(key)
        if name == "content" and isinstance(value, Template):
            found |= {key: value.text, "type": "Template"}
        elif callable(value):
            found["function" if name == "content" else key] = _stored(value, pickling)
        elif isinstance(value, str) and (name in _FUNCTIONS or (name == "content" and is_function)):
            found[key] = _absolute(value)
        elif isinstance(value, str) and name == "file":
            found[key] = str(Path(value).expanduser().absolute())
        elif name == "parameters" and isinstance(value, list | tuple):
            found[key] = [_parameter(p) if isinstance(p, Parameter) else p for p in value]
        elif value is not None:
            found[key] = value
    return found


def _absolute(text: str) -> str:
    """A reference to a file whose path counts from anywhere; other text stays as it is."""
    home, _, name = text.rpartition(":")
    if not is_reference(text) or not home.endswith(".py"):
        return text
    path = Path(home).expanduser()
    return text if path.is_absolute() else f"{path.absolute()}:{name}"
