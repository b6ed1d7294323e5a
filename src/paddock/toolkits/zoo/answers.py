"""How the zoo's tools tell what they have found, and what went wrong.

Both are JSON, as a text for the model and as data for programs; errors have the codes that clients
of the zoo have always known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.failures import ArgumentsError
from paddock.authoring.results import dump_json
from paddock.protocol.model.content import CallToolResult, TextContent

if TYPE_CHECKING:
    from paddock.errors import PaddockError

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
