"""The messages of the benchmark as HTTP requests of each era, encoded beforehand."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.messages import FIRST_ID, INITIALIZE, INITIALIZED, Call

PATH = "/mcp"
SESSIONS = "2025-11-25"
STATELESS = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"
_ENVELOPE = {
    f"{_PREFIX}protocolVersion": STATELESS,
    f"{_PREFIX}clientCapabilities": {},
    f"{_PREFIX}clientInfo": {"name": "benchmark", "version": "1"},
}


@dataclass(frozen=True)
class Caller:
    """One client: the era that it speaks, the server's address, and its session if it has one."""

    era: str
    host: str
    session: str | None = None

    def opening(self) -> bytes:
        """The first request of a client."""
        if self.era == SESSIONS:
            return self._post(INITIALIZE, {})
        return self.request(1, "server/discover", {})

    def opened(self) -> bytes | None:
        """What a client has to say before its first call; nothing since 2026-07-28."""
        return self._post(INITIALIZED, self._headers("")) if self.era == SESSIONS else None

    def closing(self) -> bytes | None:
        """The end of a session."""
        if self.session is None:
            return None
        return self._encode("DELETE", self._headers(""), b"")

    def request(self, message_id: int, method: str, params: dict[str, Any]) -> bytes:
        """One request."""
        if self.era == STATELESS:
            params = {**params, "_meta": _ENVELOPE}
        message = {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}
        body = json.dumps(message, separators=(",", ":")).encode()
        return self._post(body, self._headers(method, params.get("name")))

    def calls(self, call: Call, first_id: int, count: int) -> "Calls":
        """Some requests for one call, each with an id of its own."""
        params = {"name": call.tool, "arguments": call.arguments}
        ids = tuple(range(first_id, first_id + count))
        return Calls(call, ids, tuple(self.request(i, "tools/call", params) for i in ids))

    def _headers(self, method: str, name: str | None = None) -> dict[str, str]:
        headers = {"mcp-protocol-version": self.era}
        if self.session is not None:
            headers["mcp-session-id"] = self.session
        if self.era == STATELESS:
            headers["mcp-method"] = method
            if name is not None:
                headers["mcp-name"] = name
        return headers

    def _post(self, body: bytes, headers: dict[str, str]) -> bytes:
        types = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        return self._encode("POST", {**types, **headers}, body.rstrip(b"\n"))

    def _encode(self, method: str, headers: dict[str, str], body: bytes) -> bytes:
        fields = {"host": self.host, **headers, "content-length": str(len(body))}
        lines = (f"{method} {PATH} HTTP/1.1", *(f"{name}: {fields[name]}" for name in fields))
        return "\r\n".join((*lines, "", "")).encode() + body


@dataclass(frozen=True)
class Calls:
    """Requests that one client sends over and over: an id comes back long after its answer."""

    call: Call
    ids: tuple[int, ...]
    frames: tuple[bytes, ...]


def id_ranges(size: int) -> Iterator[int]:
    """The first ids of clients that share none, so that an answer to the wrong one is noticed."""
    first = FIRST_ID
    while True:
        yield first
        first += size
