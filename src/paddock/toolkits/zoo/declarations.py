"""Shared parts of the zoo's tools: results and errors as JSON, schemas, and access to the zoo.

The user's zoo is opened on first use because opening a database would slow down the server's start.
A program that has already opened a zoo, such as `paddock up`, passes it to the server.
"""

from __future__ import annotations

import atexit
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from paddock.authoring.handler_errors import ArgumentsError
from paddock.authoring.results import dump_json
from paddock.authoring.tool import Option, Tool
from paddock.protocol.content import CallToolResult, TextContent
from paddock.zoo.errors import get_api_code
from paddock.zoo.model import ENTRY_TYPES
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.errors import PaddockError
    from paddock.zoo.service import Zoo


JsonObject = dict[str, Any]
ToolEffect = Literal["read", "add", "set", "replace", "delete"]
INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
INVALID_FORMAT = "INVALID_FORMAT"
ERROR_CODES = {
    "entry-not-found": "NOT_FOUND",
    "invalid-agent": INVALID_ARGUMENTS,
    "tool": "INTERNAL_ERROR",
}
"""Codes that zoo clients know by another name. All other codes are converted to upper case."""


def create_result(data: JsonObject) -> CallToolResult:
    """Return a result that has the same data as text for the model and as structured content."""
    return CallToolResult(content=[TextContent(dump_json(data))], structured_content=data)


def to_json(value: object) -> Any:
    """Convert objects from the zoo's model to JSON data."""
    return msgspec.to_builtins(value)


def describe_error(error: PaddockError) -> JsonObject:
    """Convert an error to the structured result that zoo clients expect.

    It is used instead of the plain error text of other tools, as in
    `{"error": True, "code": "…", "message": "…"}`.
    """
    message = f"{error.where}: {error.message}" if error.where else error.message
    result: JsonObject = {"error": True, "code": _get_error_code(error), "message": message}
    if error.hint:
        result["hint"] = error.hint
    details = getattr(error, "details", None)
    if details:
        result["details"] = to_json(details)
    return result


def _get_error_code(error: PaddockError) -> str:
    if isinstance(error, ArgumentsError):
        return INVALID_FORMAT if error.argument_path == "$.format" else INVALID_ARGUMENTS
    return ERROR_CODES.get(error.code) or get_api_code(error)


CHANGE_SOURCE = "mcp"
"""The source that the zoo records for changes made by these tools."""

_user_zoo_lock = threading.Lock()


class ZooServerState(NamedTuple):
    """The state that an AgentZoo server's lifespan yields: `ctx.state` in its tools."""

    zoo: Zoo | None
    """The zoo that was passed to the server, or None for the user's zoo."""


def get_user_zoo() -> Zoo:
    """Return the zoo (the database of agents) of the user who runs this process.

    It is opened by the first call and closed when the process ends.

    Raises:
        ZooUnavailableError: The database cannot be used.
    """
    # Two simultaneous first calls must not open the database twice.
    with _user_zoo_lock:
        return _open_user_zoo()


@cache
def _open_user_zoo() -> Zoo:
    zoo = open_zoo()
    atexit.register(zoo.close)
    return zoo


def get_caller_zoo(ctx: Context) -> Zoo:
    """Return the caller's view of the zoo, the database of agents.

    An AgentZoo server opens its zoo in its lifespan. If one of the zoo's tools is used in another
    server, it works with the zoo of the user who runs the process.
    """
    state = ctx.state
    server_zoo = state.zoo if isinstance(state, ZooServerState) else None
    zoo = server_zoo or get_user_zoo()
    principal = ctx.principal
    # Without a principal, the caller is local and owns the whole zoo.
    return zoo if principal is None else zoo.for_owner(principal.subject)


STRING_LIST_SCHEMA: JsonObject = {"type": "array", "items": {"type": "string"}}
ENTRY_TYPE_SCHEMA: JsonObject = {"type": "string", "enum": list(ENTRY_TYPES)}
ENTRY_TYPE_MEANINGS = (
    "decision: a choice and its reason; milestone: finished work; note: a useful fact; summary: "
    "the outcome of a conversation; handoff: what another agent needs to continue"
)
MEMORY_OPTION_NAME = "Memory"
MEMORY_TOKENS_OPTION_NAME = "MemoryTokens"
MEMORY_OPTIONS = {
    MEMORY_OPTION_NAME: Option(True, bool, "Whether to inject entries of the agent's brain too"),
    MEMORY_TOKENS_OPTION_NAME: Option(1500, int, "Maximum tokens of injected brain entries"),
}


def string_property(description: str) -> JsonObject:
    """Return the schema for a string."""
    return {"type": "string", "description": description}


def with_description(schema: JsonObject, description: str) -> JsonObject:
    """Return a copy of a schema with a description."""
    return {**schema, "description": description}


_READ_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}
_WRITE_ANNOTATIONS = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}
ANNOTATIONS_BY_EFFECT: dict[ToolEffect, JsonObject] = {
    "read": _READ_ANNOTATIONS,
    "add": _WRITE_ANNOTATIONS,
    "set": {**_WRITE_ANNOTATIONS, "idempotentHint": True},
    "replace": {**_WRITE_ANNOTATIONS, "destructiveHint": True, "idempotentHint": True},
    "delete": {**_WRITE_ANNOTATIONS, "destructiveHint": True},
}
"""Tool annotations by effect on the zoo, which clients use to decide when to ask."""


def create_tool(
    name: str,
    handler: Callable[..., object],
    effect: ToolEffect,
    *,
    title: str,
    description: str,
    arguments: JsonObject,
    required: Sequence[str] = (),
    options: Mapping[str, Option] | None = None,
) -> Tool:
    """Create a tool with the settings that all of the zoo's tools share.

    Args:
        name: The name of the tool.
        handler: Handles a call. It receives the arguments as a dictionary.
        effect: The effect of a call on the zoo. `set` and `replace` can be repeated safely.
        title: The title for people.
        description: The description for models.
        arguments: The argument schemas, by name.
        required: The names of the required arguments.
        options: Values that the server operator can set.
    """
    return Tool(
        name,
        handler,
        title=title,
        description=description,
        input_schema={"type": "object", "properties": arguments, "required": list(required)},
        annotations=ANNOTATIONS_BY_EFFECT[effect],
        lenient=True,
        options=options,
        failures=describe_error,
    )


def is_write_tool(tool: Tool) -> bool:
    """Return True if a tool can change the zoo."""
    return (tool.annotations or {}).get("readOnlyHint") is False
