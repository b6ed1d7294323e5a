"""Server messages in response bodies and event streams, and the client messages sent over HTTP."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from paddock.client.errors import HttpError
from paddock.protocol.early_handshake import META_VERSION
from paddock.protocol.http_headers import (
    METHOD_HEADER,
    NAME_HEADER,
    NAME_PARAMETERS,
    encode_header_value,
)
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    JsonRpcFrame,
    RequestId,
    decode_frame,
    decode_json,
    split_messages,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def join_lines(data: bytes) -> bytes:
    """Join a message's lines. Line breaks between JSON tokens have no meaning."""
    return data.replace(b"\r", b" ").replace(b"\n", b" ")


def decode_frames(line: bytes) -> list[JsonRpcFrame]:
    """Decode the messages in a line. A malformed line has none; the connection reports it."""
    try:
        return [decode_frame(message) for message in split_messages(line)]
    except DECODE_ERRORS:
        return []


REPEATABLE_METHODS = frozenset(
    {
        *("completion/complete", "initialize", "logging/setLevel", "ping", "prompts/list"),
        *("resources/list", "resources/read", "resources/templates/list", "server/discover"),
        *("resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "tasks/get"),
        *("skills/get", "skills/list", "tools/list", "resources/directory/read"),
    }
)
"""Methods without side effects, which the server may safely receive twice."""


class _MessageParams(Struct):
    meta: object = field(default=None, name="_meta")
    name: object = None
    uri: object = None
    task_id: object = field(default=None, name="taskId")
    request_id: object = field(default=None, name="requestId")
    arguments: Raw | UnsetType = UNSET


_decode_params = msgspec.json.Decoder(_MessageParams).decode


class OutgoingMessage(Struct):
    """A request, a notification, or a response (without a method)."""

    frame: bytes
    id: RequestId | None
    method: str | None
    params: _MessageParams

    @property
    def is_request(self) -> bool:
        """Whether the message expects an answer."""
        return self.id is not None and self.method is not None

    @property
    def is_repeatable(self) -> bool:
        """Whether the message may be sent again even if the server has already acted on it."""
        return self.method in REPEATABLE_METHODS

    @property
    def meta(self) -> dict[str, object]:
        """The message's `_meta`."""
        return self.params.meta if isinstance(self.params.meta, dict) else {}

    @property
    def version(self) -> str | None:
        """The protocol version from `_meta`, which only stateless requests have."""
        version = self.meta.get(META_VERSION)
        return version if isinstance(version, str) else None

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of a tool call."""
        raw = self.params.arguments
        value = {} if raw is UNSET else decode_json(raw)
        return value if isinstance(value, dict) else {}

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers that repeat a stateless request's method and the name in it.

        For example, a tool call has the headers `Mcp-Method: tools/call` and `Mcp-Name: add`.
        """
        if self.method is None:
            return {}
        headers = {METHOD_HEADER: encode_header_value(self.method)}
        name = getattr(self.params, NAME_PARAMETERS.get(self.method, "name"))
        if self.method in NAME_PARAMETERS and isinstance(name, str):
            headers[NAME_HEADER] = encode_header_value(name)
        return headers


def parse_outgoing(frame: bytes) -> OutgoingMessage:
    """Parse an encoded client message to determine the HTTP request that sends it."""
    message = decode_frame(frame)
    params = _MessageParams()
    if message.params is not UNSET and bytes(message.params).startswith(b"{"):
        params = _decode_params(message.params)
    return OutgoingMessage(
        frame=frame,
        id=None if message.id is UNSET else message.id,
        method=None if message.method is UNSET else message.method,
        params=params,
    )


_LINE_END = re.compile(rb"\r\n|\n|\r")


class SseParser:
    """Parses an event stream that arrives in chunks of any size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line_pieces: list[bytes] = []
        """The parts of an incomplete line that have been received so far."""
        self._line_bytes = 0
        self._data_lines: list[bytes] = []
        """The `data` fields of an incomplete event that have been received so far."""
        self._data_bytes = 0
        self._is_first_line = True
        self._follows_carriage_return = False
        self.last_id: str | None = None
        """The id of the last event, from which the server can resume the stream."""
        self.retry_seconds: float | None = None
        """The reconnection delay that the server requested."""

    def make_continuation(self) -> SseParser:
        """Return a parser for the stream that continues this one."""
        continuation = SseParser(self._max_bytes)
        continuation.last_id, continuation.retry_seconds = self.last_id, self.retry_seconds
        return continuation

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Parse the stream's next bytes, and yield the data of each event they complete.

        Raises:
            HttpError: An event exceeds the maximum length.
        """
        for line in self._split_lines(chunk) if chunk else ():
            data = self._parse_line(line)
            if data is not None:
                yield data

    def _split_lines(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines that a chunk completes, without their line endings.

        The rest of the chunk is kept for the next call. The parts of a long line are only joined
        when its end arrives, because joining them for each chunk would take quadratic time.
        """
        if self._follows_carriage_return:
            chunk = chunk.removeprefix(b"\n")
        # A carriage return ends a line. A line feed after it belongs to the same line ending, but
        # may not arrive until the next chunk.
        self._follows_carriage_return = chunk.endswith(b"\r")
        if b"\n" not in chunk and b"\r" not in chunk:
            self._append_piece(chunk)
            return
        text = b"".join((*self._line_pieces, chunk))
        self._line_pieces, self._line_bytes = [], 0
        *lines, incomplete_line = _LINE_END.split(text)
        yield from lines
        self._append_piece(incomplete_line)

    def _append_piece(self, piece: bytes) -> None:
        """Store part of a line whose end has not arrived yet."""
        self._line_bytes += len(piece)
        self._check_size()
        if piece:
            self._line_pieces.append(piece)

    def _parse_line(self, line: bytes) -> bytes | None:
        """Parse a line of the event stream, such as `data: {}`.

        Returns:
            The current event's data if the line is empty, which ends the event, or else None.
        """
        if self._is_first_line:
            line = line.removeprefix(BOM_UTF8)
            self._is_first_line = False
        if not line:
            return self._finish_event()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._append_data(value)
        elif name == b"id" and b"\0" not in value:
            # Latin-1 preserves the bytes, which are sent back in the Last-Event-ID header.
            self.last_id = value.decode("latin-1") or None
        elif name == b"retry" and value.isdigit():
            self.retry_seconds = float(value) / 1000
        return None

    def _append_data(self, value: bytes) -> None:
        self._data_bytes += len(value) + 1
        self._check_size()
        self._data_lines.append(value)

    def _check_size(self) -> None:
        if self._line_bytes + self._data_bytes > self._max_bytes:
            raise HttpError(f"An event of the server has more than {self._max_bytes >> 20} MiB")

    def _finish_event(self) -> bytes | None:
        data = b"\n".join(self._data_lines)
        self._data_lines, self._data_bytes = [], 0
        return data or None
