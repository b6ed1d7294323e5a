"""Tools from their definitions: an object, a function, or a table of properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.option import Option
from paddock.authoring.remembering import remembered
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool import Tool
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.functions import name_of, read_function, required_parameters
from paddock.extensions.initialization import Preparation, initialised
from paddock.extensions.keys import normal_key
from paddock.extensions.parameters import read_parameters
from paddock.extensions.properties import Properties, shown, told_as

if TYPE_CHECKING:
    from pathlib import Path

_TABLES = ("input_schema", "output_schema", "annotations", "meta")
_LISTS = ("icons", "scopes", "visibility")
_FLAGS = ("inline", "lenient", "task_from_handler")
_TEXTS = ("title", "description", "mime_type")
_KEYS = {
    **{key: key for key in (*_TEXTS, *_TABLES, *_LISTS, *_FLAGS)},
    **{key: key for key in ("name", "function", "parameters", "options", "task", "ui")},
    **{key: key for key in ("initialization", "llm_kit")},
    "display_name": "title",
    "handler": "function",
}
"""`llm_kit` says whether a tool of the Wolfram Language wants a subscription; none here does."""


def make_tool(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Tool:
    """The tool that a definition means.

    With `parameters` the function takes one dictionary; without, its own type hints count.

    Args:
        definition: A `Tool`, a function, or a table of properties.
        relative_to: The directory from which paths in references count.
        where: Where the definition stands, for errors.
        name: The tool's name when the table does not say.

    Raises:
        ToolSpecificationError: when it is not the definition of a tool.
        LoadError: when a reference in it leads nowhere.
    """
    if isinstance(definition, Tool):
        return definition
    with told_as(ToolSpecificationError, where):
        if isinstance(definition, Mapping):
            return _from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            decorated = remembered(definition, Tool)
            return decorated or Tool(name or name_of(definition), definition)
    raise ToolSpecificationError(
        shown(definition),
        where=where,
        hint="expected a name, a reference, a function, a Tool or a table of properties",
    )


def _from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Tool:
    properties = Properties(definition, _KEYS, ToolSpecificationError, where)
    name = properties.text("name") or name
    if not name:
        raise properties.refused("there is no name", 'as in name = "Plot"')
    function = read_function(properties, "function", relative_to=relative_to, where=where)
    if function is None:
        raise properties.refused(
            f"{name!r} has no function", 'as in function = "package.module:name"'
        )
    initialization = read_function(
        properties, "initialization", relative_to=relative_to, where=where
    )
    if initialization is not None:
        if is_coroutine_function(initialization):
            raise properties.refused("initialization is async def", "expected a plain function")
        needed = required_parameters(initialization)
        if needed:
            raise properties.refused(
                f"initialization needs {', '.join(needed)}", "expected one without parameters"
            )
        function = initialised(function, Preparation(initialization))
    return Tool(name, function, **_others(properties, where))


def _others(properties: Properties, where: str) -> dict[str, Any]:
    """What else a tool is made with, as far as the definition says."""
    found: dict[str, Any] = {
        **{key: properties.text(key) for key in _TEXTS},
        **{key: properties.table(key) for key in _TABLES},
        **{key: properties.sequence(key) for key in _LISTS if key in properties},
        **{key: properties.flag(key, default=False) for key in _FLAGS},
        **properties.present("task", "ui"),
    }
    options = None if properties.get("options") == [] else properties.table("options")
    if options is not None:
        found["options"] = {key: _option(value) for key, value in options.items()}
    if "parameters" in properties:
        found["parameters"] = read_parameters(properties.get("parameters"), where)
    return found


def _option(given: object) -> object:
    """An option as it is; a table that says what its default is becomes one."""
    if not isinstance(given, Mapping):
        return given
    table = {normal_key(str(key)): value for key, value in given.items()}
    if "default" not in table or not set(table) <= {"default", "description"}:
        return given
    return Option(table["default"], description=str(table.get("description", "")))
