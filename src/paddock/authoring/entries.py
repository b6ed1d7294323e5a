"""Tools as `tools/list` shows them: their schemas and descriptions, from what is declared.

Nothing is kept: a list is encoded once and then served as bytes (`authoring.operations`), so that
ten thousand tools that are listed and never called cost no more than their declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.arguments import build_parameter_schema
from paddock.authoring.context import Context
from paddock.authoring.mirroring import find_header_parameters
from paddock.authoring.schema import JSON_SCHEMA_DIALECT, build_arguments_schema
from paddock.authoring.signature import HandlerSignature
from paddock.authoring.structure import OutputSchema

if TYPE_CHECKING:
    from paddock.authoring.tool import Tool

Json = dict[str, Any]


def build_tool_entry(tool: Tool) -> Json:
    """A tool as `tools/list` shows it."""
    signature = _read_signature(tool)
    schema = _select_input_schema(tool, signature)
    find_header_parameters(schema, tool.name)
    found: Json = {"name": tool.name, "inputSchema": schema}
    optional = {
        "title": tool.title,
        "description": signature.description if tool.description is None else tool.description,
        "outputSchema": _create_output_schema(tool, signature).output_schema,
        "annotations": tool.annotations,
        "execution": None if tool.task == "forbidden" else {"taskSupport": tool.task},
        "icons": tool.icons,
        "_meta": tool.meta if tool.ui is None and tool.visibility is None else _build_app_meta(tool),
    }
    found.update({key: value for key, value in optional.items() if value})
    return found


def _build_app_meta(tool: Tool) -> Json:
    """The `_meta` of a tool that has to do with a view."""
    meta = dict(tool.meta or {})
    settings = {**meta.get("ui", {})}
    if tool.ui is not None:
        settings["resourceUri"] = tool.ui if isinstance(tool.ui, str) else tool.ui.uri
    if tool.visibility is not None:
        settings["visibility"] = list(tool.visibility)
    return {**meta, "ui": settings}


def get_input_schema(tool: Tool) -> Json:
    """The schema of a tool's arguments."""
    return _select_input_schema(tool, _read_signature(tool))


def get_output_schema(tool: Tool) -> OutputSchema:
    """What a tool declares about its results."""
    return _create_output_schema(tool, _read_signature(tool))


def _read_signature(tool: Tool) -> HandlerSignature:
    is_explicit = tool.input_schema is not None or tool.parameters is not None
    return HandlerSignature(tool.handler, Context, tool.name, is_schema_needed=not is_explicit)


def _select_input_schema(tool: Tool, signature: HandlerSignature) -> Json:
    if tool.input_schema is not None:
        return tool.input_schema
    if tool.parameters is not None:
        return build_parameter_schema(tool.parameters, JSON_SCHEMA_DIALECT)
    return build_arguments_schema(signature, tool.name)


def _create_output_schema(tool: Tool, signature: HandlerSignature) -> OutputSchema:
    return OutputSchema(
        signature.return_type,
        where=tool.name,
        output_schema=tool.output_schema,
        return_type=tool.return_type,
        mime_type=tool.mime_type,
    )
