"""How the zoo's tools tell what they have found, and what went wrong.

Both are JSON, as a text for the model and as data for programs; errors have the codes that clients
of the zoo have always known.

Which zoo a call is about: one for the process, and in a team the caller's own part of it.

It is opened when something is first wanted of it, because opening a database is no part of
starting a server. A program that has opened one already, as `paddock up` has, lends it.

What the declarations of the zoo's tools have in common: pieces of schemas, and annotations.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.handler_errors import ArgumentsError
from paddock.authoring.results import dump_json
from paddock.authoring.tool import Tool
from paddock.authoring.tool_option import Option
from paddock.protocol.content import CallToolResult, TextContent
from paddock.zoo.model import ENTRY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.errors import PaddockError
    from paddock.zoo.service import Zoo


JsonObject = dict[str, Any]
INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
INVALID_FORMAT = "INVALID_FORMAT"
ERROR_CODES = {
    "entry-not-found": "NOT_FOUND",
    "invalid-agent": INVALID_ARGUMENTS,
    "tool": "INTERNAL_ERROR",
}
"""Where a code of ours has another name here; all others are written in capitals."""


def create_result(data: JsonObject) -> CallToolResult:
    """A result that says the same to a model and to a program."""
    return CallToolResult(content=[TextContent(dump_json(data))], structured_content=data)


def to_json(value: object) -> Any:
    """What the zoo keeps, as JSON data."""
    return msgspec.to_builtins(value)


def describe_error(error: PaddockError) -> JsonObject:
    """What a caller is told when a tool fails."""
    message = f"{error.where}: {error.message}" if error.where else error.message
    told: JsonObject = {"error": True, "code": _get_error_code(error), "message": message}
    if error.hint:
        told["hint"] = error.hint
    details = getattr(error, "details", None)
    if details:
        told["details"] = to_json(details)
    return told


def _get_error_code(error: PaddockError) -> str:
    if isinstance(error, ArgumentsError):
        return INVALID_FORMAT if error.place == "$.format" else INVALID_ARGUMENTS
    return ERROR_CODES.get(error.code) or error.code.upper().replace("-", "_")


CHANGE_SOURCE = "mcp"
"""What the zoo remembers as the origin of what a chat has written."""

_zoo_lock = threading.Lock()
_shared_zoo: Zoo | None = None
_own_zoo: Zoo | None = None


def share_zoo(zoo: Zoo | None) -> None:
    """Have the tools of this process use a zoo that somebody else has opened, and closes."""
    global _shared_zoo  # noqa: PLW0603 - there is one for the process
    with _zoo_lock:
        _shared_zoo = zoo


def get_zoo() -> Zoo:
    """The zoo of this process.

    Raises:
        ZooUnavailableError: when its database cannot be used.
    """
    global _own_zoo  # noqa: PLW0603 - as above
    with _zoo_lock:
        if _shared_zoo is not None:
            return _shared_zoo
        if _own_zoo is None:
            from paddock.zoo.opening import open_zoo  # noqa: PLC0415 - an SQL toolkit

            _own_zoo = open_zoo()
            atexit.register(_own_zoo.close)
        return _own_zoo


def get_caller_zoo(ctx: Context) -> Zoo:
    """The zoo that a caller may see."""
    zoo = get_zoo()
    principal = ctx.principal
    return zoo if principal is None else zoo.for_owner(principal.subject)


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
