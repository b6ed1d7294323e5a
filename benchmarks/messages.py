"""The messages of the benchmark: requests encoded beforehand, and what their answers must say."""

import json
from dataclasses import dataclass
from typing import Any

PROTOCOL_VERSION = "2025-11-25"
# All of one width, so that the frames of one call are equally long and cut from one block.
FIRST_ID = 1_000_000
BLOCK_SIZE = 8192

TEXT = "The quick brown fox jumps over the lazy dog."
ORDER: dict[str, Any] = {
    "id": "A-1027",
    "created": "2026-11-16T09:30:00Z",
    "currency": "EUR",
    "customer": {
        "id": 7,
        "name": "Ada Lovelace",
        "email": "ada@example.org",
        "address": {
            "street": "12 St James's Square",
            "city": "London",
            "zip": "SW1Y 4JH",
            "country": "GB",
        },
        "vip": True,
    },
    "items": [
        {"sku": "pen-1", "qty": 3, "price": 2.5, "tags": ["blue", "fine"]},
        {"sku": "ink-9", "qty": 2, "price": 12.25, "tags": []},
    ],
    "note": "leave at the door",
    "priority": 2,
}
ORDER_TOTAL = 32.0


def _frame(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"


def request(message_id: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    """One request, encoded."""
    return _frame({"id": message_id, "method": method, "params": params or {}})


INITIALIZE = request(
    1,
    "initialize",
    {
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
)
INITIALIZED = _frame({"method": "notifications/initialized"})


@dataclass(frozen=True)
class Call:
    """A tool call whose right answer is known."""

    tool: str
    arguments: dict[str, Any]

    def encode(self, message_id: int = FIRST_ID) -> bytes:
        """This call as one frame."""
        return request(message_id, "tools/call", {"name": self.tool, "arguments": self.arguments})

    def complaint(self, answer: dict[str, Any]) -> str | None:
        """Why this is not the right answer to the call; None when it is."""
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("isError"):
            return f"{self.tool} answered {str(answer)[:200]}"
        content = result["content"][0]
        if content["type"] != ("image" if self.tool == "image" else "text"):
            return f"{self.tool} answered with {content['type']} content"
        if not self._is_right(content):
            return f"{self.tool} answered {str(content)[:200]}"
        return None

    def _is_right(self, content: dict[str, Any]) -> bool:
        match self.tool:
            case "echo":
                return bool(content["text"] == self.arguments["text"])
            case "add":
                return bool(content["text"] == str(self.arguments["a"] + self.arguments["b"]))
            case "nested":
                return bool(json.loads(content["text"])["total"] == ORDER_TOTAL)
            case "image":
                # Base64 turns three bytes into four characters.
                return bool(len(content["data"]) == -(-self.arguments["n"] // 3) * 4)
        return True


ECHO = Call("echo", {"text": TEXT})
ADD = Call("add", {"a": 20, "b": 22})
NESTED = Call("nested", {"order": ORDER})
BASIC_CALLS = (ECHO, ADD, NESTED)
WRONG_NESTED = Call("nested", {"order": {**ORDER, "priority": "high"}})


class Block:
    """Many frames of one call in one piece of memory, each with an id of its own.

    A block may be sent over and over: ids repeat only long after their answers have come.
    """

    def __init__(self, call: Call, size: int = BLOCK_SIZE) -> None:
        self.call = call
        self.size = size
        ids = range(FIRST_ID, FIRST_ID + size)
        self.each = [call.encode(message_id) for message_id in ids]
        self._bytes = memoryview(b"".join(self.each))
        self._width = len(self.each[0])

    def frames(self, start: int, count: int) -> memoryview:
        """Some frames in a row; fewer than asked for where the block ends."""
        first = start % self.size
        last = min(first + count, self.size)
        return self._bytes[first * self._width : last * self._width]

    def count(self, frames: memoryview) -> int:
        """How many frames a slice holds."""
        return len(frames) // self._width
