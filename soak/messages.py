"""What clients send: whole HTTP requests, in both eras."""

import itertools
import json
from typing import Any

SESSION, STATELESS = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
TASKS = META + "tasks"
NAMED_BY = {"tools/call": "name", "resources/read": "uri", "tasks/get": "taskId"}

Json = dict[str, Any]

_ids = itertools.count(1)


def fresh_id() -> int:
    """An id that nobody else in this run uses."""
    return next(_ids)


def http_request(
    body: bytes, headers: dict[str, str], *, method: str = "POST", host: str = "127.0.0.1"
) -> bytes:
    """A request to the endpoint."""
    lines = [f"{method} /mcp HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Voice:
    """How one client words its requests: in which era, and in which session."""

    def __init__(self, era: str) -> None:
        self.era = era
        self.session: str | None = None

    @property
    def is_stateless(self) -> bool:
        """Whether every request stands alone."""
        return self.era == STATELESS

    def request(
        self,
        method: str,
        params: Json,
        *,
        request_id: int | None = None,
        progress: str | None = None,
        accept: str = "application/json, text/event-stream",
    ) -> bytes:
        """A JSON-RPC message as an HTTP request; a notification when it has no id."""
        meta: Json = {} if progress is None else {"progressToken": progress}
        headers = {"Accept": accept, "MCP-Protocol-Version": self.era}
        if self.is_stateless:
            meta[META + "protocolVersion"] = self.era
            meta[META + "clientCapabilities"] = {"extensions": {TASKS: {}}}
            headers["Mcp-Method"] = method
            if method in NAMED_BY:
                headers["Mcp-Name"] = params[NAMED_BY[method]]
        elif self.session is not None:
            headers["Mcp-Session-Id"] = self.session
        message: Json = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        if request_id is not None:
            message["id"] = request_id
        if meta:
            message["params"]["_meta"] = meta
        return http_request(json.dumps(message).encode(), headers)

    def call(
        self,
        tool: str,
        arguments: Json,
        *,
        request_id: int,
        progress: str | None = None,
        task: Json | None = None,
    ) -> bytes:
        """A call of a tool."""
        params: Json = {"name": tool, "arguments": arguments}
        if task is not None and not self.is_stateless:
            params["task"] = task
        return self.request("tools/call", params, request_id=request_id, progress=progress)

    def opening(self, request_id: int) -> bytes:
        """What opens a session."""
        params = {
            "protocolVersion": self.era,
            "capabilities": {},
            "clientInfo": {"name": "soak", "version": "1"},
        }
        return self.request("initialize", params, request_id=request_id)

    def without_body(self, method: str, last_event_id: str | None = None) -> bytes:
        """A GET, which listens or comes back for more, or a DELETE, which ends the session."""
        headers = {
            "Accept": "text/event-stream",
            "Mcp-Session-Id": self.session or "",
            "MCP-Protocol-Version": self.era,
        }
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        return http_request(b"", headers, method=method)
