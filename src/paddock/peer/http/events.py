"""Cutting a stream of server-sent events into events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.peer.errors import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Events:
    """The events of one stream, fed in pieces of any size."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._gathered = 0
        self._data: list[bytes] = []
        self._size = 0
        self.last_id: str | None = None
        self.retry: float | None = None
        """Seconds that the server wants us to wait before we come back."""

    def resumed(self) -> Events:
        """For the stream that goes on where this one has ended."""
        following = Events(self._limit)
        following.last_id, following.retry = self.last_id, self.retry
        return following

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of the events that are complete with this chunk, if they have any.

        Raises:
            HttpError: when one is longer than the limit.
        """
        for line in self._lines(chunk):
            data = self._take(line)
            if data is not None:
                yield data

    def _lines(self, chunk: bytes) -> Iterator[bytes]:
        """Whole lines; a long one is gathered in pieces and joined once."""
        if b"\n" not in chunk and b"\r" not in chunk:
            self._gather(chunk)
            return
        text = b"".join((*self._pieces, chunk))
        self._pieces, self._gathered = [], 0
        # A carriage return at the very end may be half of a line end.
        held = text.endswith(b"\r")
        lines = _LINE_END.split(text[:-1] if held else text)
        last = lines.pop()
        yield from lines
        self._gather(last + b"\r" if held else last)

    def _gather(self, piece: bytes) -> None:
        self._gathered += len(piece)
        if self._gathered + self._size > self._limit:
            raise HttpError(f"An event of the server has more than {self._limit >> 20} MiB")
        if piece:
            self._pieces.append(piece)

    def _take(self, line: bytes) -> bytes | None:
        if not line:
            return self._finish()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._add(value)
        elif name == b"id" and b"\0" not in value:
            self.last_id = value.decode(errors="replace") or None
        elif name == b"retry" and value.isdigit():
            self.retry = int(value) / 1000
        return None

    def _add(self, value: bytes) -> None:
        self._size += len(value)
        if self._size > self._limit:
            raise HttpError(f"An event of the server has more than {self._limit >> 20} MiB")
        self._data.append(value)

    def _finish(self) -> bytes | None:
        data, self._data, self._size = b"\n".join(self._data), [], 0
        return data or None
