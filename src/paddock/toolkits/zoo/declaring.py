"""What the declarations of the zoo's tools have in common: pieces of schemas, and annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.toolkits.zoo.answers import failure
from paddock.zoo.model import ENTRY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Json = dict[str, Any]

TEXTS: Json = {"type": "array", "items": {"type": "string"}}
ENTRY_TYPE: Json = {"type": "string", "enum": list(ENTRY_TYPES)}
TYPE_MEANINGS = (
    "decision: something that was settled, and why; milestone: something that was finished; "
    "note: a fact worth keeping; summary: what a conversation came to; handoff: what another "
    "agent needs to go on"
)
MEMORY = "Memory"
MEMORY_TOKENS = "MemoryTokens"
MEMORY_OPTIONS = {
    MEMORY: Option(True, bool, "Whether what is in an agent's brain is injected too"),
    MEMORY_TOKENS: Option(1500, int, "How many tokens of it at most"),
}


def text(description: str) -> Json:
    """A property that is a text."""
    return {"type": "string", "description": description}


def described(schema: Json, description: str) -> Json:
    """A property that is as a schema says."""
    return {**schema, "description": description}


def taking(properties: Json, *required: str) -> Json:
    """The schema of a tool's arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}


def reading_tool(
    name: str,
    handler: Callable[..., object],
    *,
    title: str,
    description: str,
    schema: Json,
    options: Mapping[str, Option] | None = None,
) -> Tool:
    """A tool that changes nothing."""
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    return _tool(name, handler, title, description, schema, annotations, options)


def writing_tool(
    name: str,
    handler: Callable[..., object],
    *,
    title: str,
    description: str,
    schema: Json,
    hints: Sequence[str] = (),
) -> Tool:
    """A tool that changes the zoo; `hints` are those of the further annotations that are true."""
    annotations = {
        "readOnlyHint": False,
        "destructiveHint": "destructiveHint" in hints,
        "idempotentHint": "idempotentHint" in hints,
        "openWorldHint": False,
    }
    return _tool(name, handler, title, description, schema, annotations, None)


def is_writing(tool: Tool) -> bool:
    """Whether a tool changes the zoo."""
    return (tool.annotations or {}).get("readOnlyHint") is False


def _tool(
    name: str,
    handler: Callable[..., object],
    title: str,
    description: str,
    schema: Json,
    annotations: Json,
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
        failures=failure,
    )
