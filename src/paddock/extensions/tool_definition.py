"""Tools from their definitions: an object, a function, or a table of properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.option import Option
from paddock.authoring.remembering import find_attached_item
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool import Tool
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.functions import get_function_name, read_function_property, list_required_parameters
from paddock.extensions.initialization import OneTimeInitializer, add_initializer
from paddock.extensions.keys import normalize_key
from paddock.extensions.parameters import read_parameters
from paddock.extensions.properties import PropertyTable, shorten_repr, convert_definition_errors

if TYPE_CHECKING:
    from pathlib import Path

_TABLE_PROPERTIES = ("input_schema", "output_schema", "annotations", "meta")
_LIST_PROPERTIES = ("icons", "scopes", "visibility")
_FLAG_PROPERTIES = ("inline", "lenient", "task_from_handler")
_TEXT_PROPERTIES = ("title", "description", "mime_type")
_TOOL_KEYS = {
    **{key: key for key in (*_TEXT_PROPERTIES, *_TABLE_PROPERTIES, *_LIST_PROPERTIES, *_FLAG_PROPERTIES)},
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
    with convert_definition_errors(ToolSpecificationError, where):
        if isinstance(definition, Mapping):
            return _make_tool_from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            decorated = find_attached_item(definition, Tool)
            return decorated or Tool(name or get_function_name(definition), definition)
    raise ToolSpecificationError(
        shorten_repr(definition),
        where=where,
        hint="expected a name, a reference, a function, a Tool or a table of properties",
    )


def _make_tool_from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Tool:
    properties = PropertyTable(definition, _TOOL_KEYS, ToolSpecificationError, where)
    name = properties.get_text("name") or name
    if not name:
        raise properties.make_error("there is no name", 'as in name = "Plot"')
    function = read_function_property(properties, "function", relative_to=relative_to, where=where)
    if function is None:
        raise properties.make_error(
            f"{name!r} has no function", 'as in function = "package.module:name"'
        )
    initialization = read_function_property(
        properties, "initialization", relative_to=relative_to, where=where
    )
    if initialization is not None:
        if is_coroutine_function(initialization):
            raise properties.make_error("initialization is async def", "expected a plain function")
        needed = list_required_parameters(initialization)
        if needed:
            raise properties.make_error(
                f"initialization needs {', '.join(needed)}", "expected one without parameters"
            )
        function = add_initializer(function, OneTimeInitializer(initialization))
    return Tool(name, function, **_read_optional_properties(properties, where))


def _read_optional_properties(properties: PropertyTable, where: str) -> dict[str, Any]:
    """What else a tool is made with, as far as the definition says."""
    found: dict[str, Any] = {
        **{key: properties.get_text(key) for key in _TEXT_PROPERTIES},
        **{key: properties.get_table(key) for key in _TABLE_PROPERTIES},
        **{key: properties.get_list(key) for key in _LIST_PROPERTIES if key in properties},
        **{key: properties.get_flag(key, default=False) for key in _FLAG_PROPERTIES},
        **properties.get_present("task", "ui"),
    }
    options = None if properties.get("options") == [] else properties.get_table("options")
    if options is not None:
        found["options"] = {key: _read_option(value) for key, value in options.items()}
    if "parameters" in properties:
        found["parameters"] = read_parameters(properties.get("parameters"), where)
    return found


def _read_option(given: object) -> object:
    """An option as it is; a table that says what its default is becomes one."""
    if not isinstance(given, Mapping):
        return given
    table = {normalize_key(str(key)): value for key, value in given.items()}
    if "default" not in table or not set(table) <= {"default", "description"}:
        return given
    return Option(table["default"], description=str(table.get("description", "")))
