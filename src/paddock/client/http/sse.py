"""Cutting a stream of server-sent events into events."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from paddock.client.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class SseParser:
    """The events of one stream, fed in pieces of any size."""

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
        """Seconds that the server wants us to wait before we come back."""

    def make_continuation(self) -> SseParser:
        """For the stream that goes on where this one has ended."""
        continuation = SseParser(self._limit)
        continuation.last_id, continuation.retry_seconds = self.last_id, self.retry_seconds
        return continuation

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of the events that are complete with this chunk, if they have any.

        Raises:
            HttpError: when one is longer than the limit.
        """
        for line in self._split_lines(chunk) if chunk else ():
            data = self._parse_line(line)
            if data is not None:
                yield data

    def _split_lines(self, chunk: bytes) -> Iterator[bytes]:
        """Whole lines; a long one is gathered in pieces and joined once."""
        if self._follows_carriage_return:
            chunk = chunk.removeprefix(b"\n")
        # A carriage return ends a line at once, though a line feed may belong to it.
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
        self._piece_bytes += len(piece)
        if self._piece_bytes + self._data_bytes > self._limit:
            raise HttpError(f"An event of the server has more than {self._limit >> 20} MiB")
        if piece:
            self._pieces.append(piece)

    def _parse_line(self, line: bytes) -> bytes | None:
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
            # As the bytes that they are, which is how they go back in a header.
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
