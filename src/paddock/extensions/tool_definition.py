"""Tools from their definitions: an object, a function, or a table of properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool import Tool
from paddock.errors import DefinitionError
from paddock.extensions.errors import SpecificationError, ToolSpecificationError
from paddock.extensions.functions import read_function
from paddock.extensions.initialization import Initialization, initialised
from paddock.extensions.parameters import read_parameters
from paddock.extensions.properties import Properties, shown

if TYPE_CHECKING:
    from pathlib import Path

_AS_THEY_ARE = (
    *("input_schema", "output_schema", "options", "annotations", "icons", "meta", "mime_type"),
    *("inline", "scopes", "task", "task_from_handler", "ui", "visibility"),
)
_KEYS = {
    **{key: key for key in ("name", "title", "description", "function", "parameters")},
    **{key: key for key in ("initialization", "llm_kit", *_AS_THEY_ARE)},
    "display_name": "title",
    "handler": "function",
}


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
    try:
        if isinstance(definition, Mapping):
            return _from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            return Tool(name or str(getattr(definition, "__name__", "")), definition)
    except SpecificationError:
        raise
    except DefinitionError as error:
        raise ToolSpecificationError(error.message, hint=error.hint, where=where) from None
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
        function = initialised(function, Initialization(initialization))
    others: dict[str, Any] = properties.present(*_AS_THEY_ARE)
    if "parameters" in properties:
        others["parameters"] = read_parameters(properties.get("parameters"), where)
    return Tool(
        name,
        function,
        title=properties.text("title"),
        description=properties.text("description"),
        **others,
    )
