"""Incremental parser for server-sent events."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from paddock.client.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class SseParser:
    """Parses one event stream that is fed in chunks of any size."""

    def __init__(self, max_bytes: int) -> None:
        self._limit = max_bytes
        self._pieces: list[bytes] = []
        self._piece_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._is_first_line = True
        self._follows_carriage_return = False
        self.last_id: str | None = None
        self.retry_seconds: float | None = None
        """The reconnection delay that the server requested."""

    def make_continuation(self) -> SseParser:
        """Return a parser for the stream that continues this one."""
        continuation = SseParser(self._limit)
        continuation.last_id, continuation.retry_seconds = self.last_id, self.retry_seconds
        return continuation

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that the chunk completes.

        Raises:
            HttpError: An event is longer than the limit.
        """
        for line in self._split_lines(chunk) if chunk else ():
            data = self._parse_line(line)
            if data is not None:
                yield data

    def _split_lines(self, chunk: bytes) -> Iterator[bytes]:
        """Yield complete lines. Parts of a long line are collected and joined once."""
        if self._follows_carriage_return:
            chunk = chunk.removeprefix(b"\n")
        # A carriage return ends a line. A line feed that follows it belongs to the same line end,
        # but may arrive only with the next chunk.
        self._follows_carriage_return = chunk.endswith(b"\r")
        if b"\n" not in chunk and b"\r" not in chunk:
            self._append_piece(chunk)
            return
        text = b"".join((*self._pieces, chunk))
        self._pieces, self._piece_bytes = [], 0
        *lines, last = _LINE_END.split(text)
        yield from lines
        self._append_piece(last)

    def _append_piece(self, piece: bytes) -> None:
        """Keep the part of a line whose end has not arrived yet."""
        self._piece_bytes += len(piece)
        if self._piece_bytes + self._data_bytes > self._limit:
            raise HttpError(f"An event of the server has more than {self._limit >> 20} MiB")
        if piece:
            self._pieces.append(piece)

    def _parse_line(self, line: bytes) -> bytes | None:
        """Process one line. Return the data of the event if the line ends one."""
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
        if self._data_bytes > self._limit:
            raise HttpError(f"An event of the server has more than {self._limit >> 20} MiB")
        self._data.append(value)

    def _finish_event(self) -> bytes | None:
        data, self._data, self._data_bytes = b"\n".join(self._data), [], 0
        return data or None
