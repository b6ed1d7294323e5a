"""What the declarations of the zoo's tools have in common: pieces of schemas, and annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.toolkits.zoo.answers import describe_error
from paddock.zoo.model import ENTRY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

JsonObject = dict[str, Any]

STRING_LIST_SCHEMA: JsonObject = {"type": "array", "items": {"type": "string"}}
ENTRY_TYPE_SCHEMA: JsonObject = {"type": "string", "enum": list(ENTRY_TYPES)}
ENTRY_TYPE_MEANINGS = (
    "decision: something that was settled, and why; milestone: something that was finished; "
    "note: a fact worth keeping; summary: what a conversation came to; handoff: what another "
    "agent needs to go on"
)
MEMORY_OPTION_NAME = "Memory"
MEMORY_TOKENS_OPTION_NAME = "MemoryTokens"
MEMORY_OPTIONS = {
    MEMORY_OPTION_NAME: Option(True, bool, "Whether what is in an agent's brain is injected too"),
    MEMORY_TOKENS_OPTION_NAME: Option(1500, int, "How many tokens of it at most"),
}


def string_property(description: str) -> JsonObject:
    """A property that is a text."""
    return {"type": "string", "description": description}


def with_description(schema: JsonObject, description: str) -> JsonObject:
    """A property that is as a schema says."""
    return {**schema, "description": description}


def object_schema(properties: JsonObject, *required: str) -> JsonObject:
    """The schema of a tool's arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}


def create_read_tool(
    name: str,
    handler: Callable[..., object],
    *,
    title: str,
    description: str,
    schema: JsonObject,
    options: Mapping[str, Option] | None = None,
) -> Tool:
    """A tool that changes nothing."""
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    return _create_tool(name, handler, title, description, schema, annotations, options)


def create_write_tool(
    name: str,
    handler: Callable[..., object],
    *,
    title: str,
    description: str,
    schema: JsonObject,
    hints: Sequence[str] = (),
) -> Tool:
    """A tool that changes the zoo; `hints` are those of the further annotations that are true."""
    annotations = {
        "readOnlyHint": False,
        "destructiveHint": "destructiveHint" in hints,
        "idempotentHint": "idempotentHint" in hints,
        "openWorldHint": False,
    }
    return _create_tool(name, handler, title, description, schema, annotations, None)


def is_write_tool(tool: Tool) -> bool:
    """Whether a tool changes the zoo."""
    return (tool.annotations or {}).get("readOnlyHint") is False


def _create_tool(
    name: str,
    handler: Callable[..., object],
    title: str,
    description: str,
    schema: JsonObject,
    annotations: JsonObject,
    options: Mapping[str, Option] | None,
) -> Tool:
    return Tool(
        name,
        handler,
        title=title,
        description=description,
        input_schema=schema,
        annotations=annotations,
        lenient=True,
        options=options,
        failures=describe_error,
    )
