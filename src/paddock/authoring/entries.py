"""Tools as `tools/list` shows them: their schemas and descriptions, from what is declared.

Nothing is kept: a list is encoded once and then served as bytes (`authoring.operations`), so that
ten thousand tools that are listed and never called cost no more than their declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.arguments import declared_schema
from paddock.authoring.context import Context
from paddock.authoring.mirroring import mirrors_of
from paddock.authoring.schema import DIALECT, input_schema
from paddock.authoring.signature import Signature
from paddock.authoring.structure import Structure

if TYPE_CHECKING:
    from paddock.authoring.tool import Tool

Json = dict[str, Any]


def tool_entry(tool: Tool) -> Json:
    """A tool as `tools/list` shows it."""
    signature = _signature(tool)
    schema = _input(tool, signature)
    mirrors_of(schema, tool.name)
    found: Json = {"name": tool.name, "inputSchema": schema}
    optional = {
        "title": tool.title,
        "description": signature.description if tool.description is None else tool.description,
        "outputSchema": _structure(tool, signature).output_schema,
        "annotations": tool.annotations,
        "execution": None if tool.task == "forbidden" else {"taskSupport": tool.task},
        "icons": tool.icons,
        "_meta": tool.meta if tool.ui is None and tool.visibility is None else _app_meta(tool),
    }
    found.update({key: value for key, value in optional.items() if value})
    return found


def _app_meta(tool: Tool) -> Json:
    """The `_meta` of a tool that has to do with a view."""
    meta = dict(tool.meta or {})
    settings = {**meta.get("ui", {})}
    if tool.ui is not None:
        settings["resourceUri"] = tool.ui if isinstance(tool.ui, str) else tool.ui.uri
    if tool.visibility is not None:
        settings["visibility"] = list(tool.visibility)
    return {**meta, "ui": settings}


def declared_input(tool: Tool) -> Json:
    """The schema of a tool's arguments."""
    return _input(tool, _signature(tool))


def declared_structure(tool: Tool) -> Structure:
    """What a tool declares about its results."""
    return _structure(tool, _signature(tool))


def _signature(tool: Tool) -> Signature:
    is_explicit = tool.input_schema is not None or tool.parameters is not None
    return Signature(tool.handler, Context, tool.name, is_schema_needed=not is_explicit)


def _input(tool: Tool, signature: Signature) -> Json:
    if tool.input_schema is not None:
        return tool.input_schema
    if tool.parameters is not None:
        return declared_schema(tool.parameters, DIALECT)
    return input_schema(signature, tool.name)


def _structure(tool: Tool, signature: Signature) -> Structure:
    return Structure(
        signature.returns,
        where=tool.name,
        output_schema=tool.output_schema,
        return_type=tool.return_type,
        mime_type=tool.mime_type,
    )
