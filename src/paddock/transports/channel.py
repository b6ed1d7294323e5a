"""What a stream needs of whatever carries its bytes, and of whoever answers its lines.

Cutting a stream of bytes into lines, with a limit on how long one may be.

A long line is gathered in pieces and joined once. A line beyond the limit is not kept: only its
beginning and end are, where the id of the request it belongs to usually stands.

A pair of channels in one process, each reading what the other writes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.protocol.request import Request

    class Channel(Protocol):
        """Bytes in both directions."""

        @property
        def descriptor(self) -> int | None:
            """The file descriptor that an event loop can wait for; None where it cannot."""

        @property
        def is_writing(self) -> bool:
            """Whether a write is under way."""

        @property
        def written_bytes(self) -> int:
            """How many bytes of large writes have gone out: whether a slow reader still reads."""

        def has_data(self) -> bool:
            """Whether `read` would return at once."""

        def read(self) -> bytes:
            """The next bytes; blocks until there are some, and is empty at the end."""

        def write(self, data: bytes) -> None:
            """Send all of the data. May be called by several threads."""

        def close(self) -> None:
            """Let go of what the channel holds."""

    FinishRequest = Callable[[Request, bytes | None], None]
    """Takes the answer of a request whose work was run elsewhere."""


if TYPE_CHECKING:
    from collections.abc import Callable

    RejectLine = Callable[[bytes, bytes], None]

KEPT_END_BYTES = 1024
"""Bytes kept of either end of a line that is too long."""


class LineSplitter:
    """The lines of one stream."""

    __slots__ = ("_is_skipping", "_pieces", "_reject", "_size", "max_line_bytes")

    def __init__(self, max_line_bytes: int, reject: RejectLine) -> None:
        self.max_line_bytes = max_line_bytes
        self._reject = reject
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete with this chunk, without their ends, in order."""
        if not self._pieces and chunk.endswith(b"\n") and len(chunk) <= self.max_line_bytes:
            lines = chunk.split(b"\n")
            lines.pop()
            return lines
        head, newline, remainder = chunk.partition(b"\n")
        self._append_piece(head)
        if not newline:
            return []
        line = self._finish_line()
        lines = [] if line is None else [line]
        return lines + self._split_lines(remainder)

    def _split_lines(self, remainder: bytes) -> list[bytes]:
        lines = remainder.split(b"\n")
        unfinished = lines.pop()
        if unfinished:
            self._append_piece(unfinished)
        oversized_lines = [line for line in lines if len(line) > self.max_line_bytes]
        for line in oversized_lines:
            self._reject(line[:KEPT_END_BYTES], line[-KEPT_END_BYTES:])
        return (
            [line for line in lines if len(line) <= self.max_line_bytes]
            if oversized_lines
            else lines
        )

    def _append_piece(self, piece: bytes) -> None:
        self._size += len(piece)
        self._pieces.append(piece)
        if self._size > self.max_line_bytes:
            gathered = b"".join(self._pieces)
            self._is_skipping = True
            self._pieces = [gathered[:KEPT_END_BYTES], gathered[-KEPT_END_BYTES:]]

    def _finish_line(self) -> bytes | None:
        pieces, self._pieces = self._pieces, []
        is_too_long, self._is_skipping = self._is_skipping, False
        self._size = 0
        if is_too_long:
            self._reject(pieces[0], pieces[1])
            return None
        return b"".join(pieces)


try:
    from _queue import SimpleQueue
except ImportError:  # an interpreter without the accelerator
    from queue import SimpleQueue


class MemoryChannel:
    """One end of the pair."""

    descriptor = None
    is_writing = False
    written_bytes = 0

    def __init__(self, incoming: SimpleQueue[bytes], outgoing: SimpleQueue[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def read(self) -> bytes:
        """The next bytes that the other end has written; empty when it has closed."""
        return self._incoming.get()

    def has_data(self) -> bool:
        """Whether `read` would return at once."""
        return not self._incoming.empty()

    def write(self, data: bytes) -> None:
        """Give bytes to the other end."""
        if data:
            self._outgoing.put(data)

    def close(self) -> None:
        """Tell the other end that nothing more will come."""
        self._outgoing.put(b"")


def create_memory_channels() -> tuple[MemoryChannel, MemoryChannel]:
    """Two channels, joined to each other."""
    to_server: SimpleQueue[bytes] = SimpleQueue()
    to_client: SimpleQueue[bytes] = SimpleQueue()
    return MemoryChannel(to_server, to_client), MemoryChannel(to_client, to_server)
