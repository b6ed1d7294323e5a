"""Cutting a stream of bytes into lines, with a limit on how long one may be.

A long line is gathered in pieces and joined once. A line beyond the limit is not kept: only its
beginning and end are, where the id of the request it belongs to usually stands.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    RejectLine = Callable[[bytes, bytes], None]

KEPT_END_BYTES = 1024
"""Bytes kept of either end of a line that is too long."""


class LineSplitter:
    """The lines of one stream."""

    __slots__ = ("_is_skipping", "_pieces", "_reject", "_size", "max_line_bytes")

    def __init__(self, limit: int, refuse: RejectLine) -> None:
        self.max_line_bytes = limit
        self._reject = refuse
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete with this chunk, without their ends, in order."""
        if not self._pieces and chunk.endswith(b"\n") and len(chunk) <= self.max_line_bytes:
            lines = chunk.split(b"\n")
            lines.pop()
            return lines
        head, newline, rest = chunk.partition(b"\n")
        self._append_piece(head)
        if not newline:
            return []
        line = self._finish_line()
        lines = [] if line is None else [line]
        return lines + self._split_lines(rest)

    def _split_lines(self, rest: bytes) -> list[bytes]:
        lines = rest.split(b"\n")
        last = lines.pop()
        if last:
            self._append_piece(last)
        too_long = [line for line in lines if len(line) > self.max_line_bytes]
        for line in too_long:
            self._reject(line[:KEPT_END_BYTES], line[-KEPT_END_BYTES:])
        return [line for line in lines if len(line) <= self.max_line_bytes] if too_long else lines

    def _append_piece(self, piece: bytes) -> None:
        self._size += len(piece)
        self._pieces.append(piece)
        if self._size > self.max_line_bytes:
            whole = b"".join(self._pieces)
            self._is_skipping = True
            self._pieces = [whole[:KEPT_END_BYTES], whole[-KEPT_END_BYTES:]]

    def _finish_line(self) -> bytes | None:
        parts, self._pieces = self._pieces, []
        is_too_long, self._is_skipping = self._is_skipping, False
        self._size = 0
        if is_too_long:
            self._reject(parts[0], parts[1])
            return None
        return b"".join(parts)
