"""Cutting a stream of bytes into lines, with a limit on how long one may be.

A long line is gathered in pieces and joined once. A line beyond the limit is not kept: only its
beginning and end are, where the id of the request it belongs to usually stands.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Refuse = Callable[[bytes, bytes], None]

REMAINDER = 1024
"""Bytes kept of either end of a line that is too long."""


class Lines:
    """The lines of one stream."""

    __slots__ = ("_is_skipping", "_parts", "_refuse", "_size", "limit")

    def __init__(self, limit: int, refuse: Refuse) -> None:
        self.limit = limit
        self._refuse = refuse
        self._parts: list[bytes] = []
        self._size = 0
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete with this chunk, without their ends, in order."""
        if not self._parts and chunk.endswith(b"\n") and len(chunk) <= self.limit:
            lines = chunk.split(b"\n")
            lines.pop()
            return lines
        head, newline, rest = chunk.partition(b"\n")
        self._gather(head)
        if not newline:
            return []
        line = self._finish_line()
        lines = [] if line is None else [line]
        return lines + self._split(rest)

    def _split(self, rest: bytes) -> list[bytes]:
        lines = rest.split(b"\n")
        last = lines.pop()
        if last:
            self._gather(last)
        too_long = [line for line in lines if len(line) > self.limit]
        for line in too_long:
            self._refuse(line[:REMAINDER], line[-REMAINDER:])
        return [line for line in lines if len(line) <= self.limit] if too_long else lines

    def _gather(self, piece: bytes) -> None:
        self._size += len(piece)
        self._parts.append(piece)
        if self._size > self.limit:
            whole = b"".join(self._parts)
            self._is_skipping = True
            self._parts = [whole[:REMAINDER], whole[-REMAINDER:]]

    def _finish_line(self) -> bytes | None:
        parts, self._parts = self._parts, []
        is_too_long, self._is_skipping = self._is_skipping, False
        self._size = 0
        if is_too_long:
            self._refuse(parts[0], parts[1])
            return None
        return b"".join(parts)
