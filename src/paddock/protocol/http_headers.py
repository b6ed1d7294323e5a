"""What the protocol calls things in HTTP, for servers and for those who call them."""

from __future__ import annotations

VERSION = "MCP-Protocol-Version"
METHOD = "Mcp-Method"
NAME = "Mcp-Name"
SESSION_ID = "Mcp-Session-Id"
LAST_EVENT_ID = "Last-Event-ID"

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "task_id",
    "tasks/update": "task_id",
    "tasks/cancel": "task_id",
}
"""The parameter that the header `Mcp-Name` repeats."""


def field(name: str) -> bytes:
    """The name of a header as ASGI has it."""
    return name.lower().encode()
