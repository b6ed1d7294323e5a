"""What the protocol calls things in HTTP, for servers and for those who call them."""

from __future__ import annotations

VERSION_HEADER = "MCP-Protocol-Version"
METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"
SESSION_ID_HEADER = "Mcp-Session-Id"
LAST_EVENT_ID_HEADER = "Last-Event-ID"

JSON_MEDIA_TYPE = "application/json"
EVENT_STREAM_MEDIA_TYPE = "text/event-stream"

NAME_PARAMETERS = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "task_id",
    "tasks/update": "task_id",
    "tasks/cancel": "task_id",
}
"""The parameter that the header `Mcp-Name` repeats."""


def to_asgi_name(name: str) -> bytes:
    """The name of a header as ASGI has it."""
    return name.lower().encode()
