"""The channel interface, a line splitter for byte streams, and in-memory channels."""

from __future__ import annotations

try:
    from _queue import SimpleQueue
except ImportError:  # Not CPython.
    from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.protocol.request import Request

    class Channel(Protocol):
        """A connection that carries bytes in both directions."""

        @property
        def descriptor(self) -> int | None:
            """The file descriptor that an event loop can watch, or None."""

        @property
        def is_writing(self) -> bool:
            """Whether a write is in progress."""

        @property
        def written_bytes(self) -> int:
            """Bytes of large writes sent so far. While it grows, a slow client is still reading."""

        def has_data(self) -> bool:
            """Return whether `read` would return immediately."""

        def read(self) -> bytes:
            """Return the next bytes. Blocks until there are some; returns b"" at the end."""

        def write(self, data: bytes) -> None:
            """Send all of the data. May be called by several threads."""

        def close(self) -> None:
            """Release the channel's resources."""

    RejectLine = Callable[[bytes, bytes], None]
    """Takes the beginning and the end of a line that is too long."""
    FinishRequest = Callable[[Request, bytes | None], None]
    """Takes a request that was run elsewhere, and its answer."""


KEPT_END_BYTES = 1024
"""Number of bytes kept from each end of an oversized line, where the request's id usually is."""


class LineSplitter:
    """Splits a byte stream into lines and limits their length.

    The pieces of a long line are collected and joined only once, when the line is complete. A line
    that exceeds the limit is not stored. Only its beginning and end are kept and passed to
    `reject`.
    """

    __slots__ = ("_is_skipping", "_pieces", "_reject", "_size", "max_line_bytes")

    def __init__(self, max_line_bytes: int, reject: RejectLine) -> None:
        self.max_line_bytes = max_line_bytes
        self._reject = reject
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines completed by a chunk of input, in order and without line endings.

        An incomplete line is kept until a later chunk completes it.
        """
        # Fast path: a chunk usually contains only complete lines.
        if not self._pieces and chunk.endswith(b"\n") and len(chunk) <= self.max_line_bytes:
            lines = chunk.split(b"\n")
            lines.pop()
            return lines
        head, newline, next_lines = chunk.partition(b"\n")
        self._append_piece(head)
        if not newline:
            return []
        line = self._finish_line()
        lines = [] if line is None else [line]
        return lines + self._split_lines(next_lines)

    def _split_lines(self, chunk: bytes) -> list[bytes]:
        """Return the complete lines of a chunk and keep the incomplete last one for later.

        Lines that exceed the limit are rejected and not returned.
        """
        lines = chunk.split(b"\n")
        unfinished = lines.pop()
        if unfinished:
            self._append_piece(unfinished)
        oversized_lines = [line for line in lines if len(line) > self.max_line_bytes]
        if not oversized_lines:
            return lines
        for line in oversized_lines:
            self._reject(line[:KEPT_END_BYTES], line[-KEPT_END_BYTES:])
        return [line for line in lines if len(line) <= self.max_line_bytes]

    def _append_piece(self, piece: bytes) -> None:
        """Append a piece to the incomplete line.

        If the line exceeds the limit, only its beginning and end are kept.
        """
        self._size += len(piece)
        self._pieces.append(piece)
        if self._size > self.max_line_bytes:
            line = b"".join(self._pieces)
            self._is_skipping = True
            self._pieces = [line[:KEPT_END_BYTES], line[-KEPT_END_BYTES:]]

    def _finish_line(self) -> bytes | None:
        """Join and return the collected pieces of a line, and start an empty line.

        If the line exceeds the limit, it is rejected and the result is None.
        """
        pieces, self._pieces = self._pieces, []
        is_too_long, self._is_skipping = self._is_skipping, False
        self._size = 0
        if is_too_long:
            beginning, end = pieces
            self._reject(beginning, end)
            return None
        return b"".join(pieces)


class MemoryChannel:
    """One end of an in-memory connection between a client and a server, for example in tests."""

    descriptor = None
    is_writing = False
    written_bytes = 0

    def __init__(self, incoming: SimpleQueue[bytes], outgoing: SimpleQueue[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def read(self) -> bytes:
        """Return the next bytes from the other end, or b"" after it has closed the connection.

        Blocks until bytes are available.
        """
        return self._incoming.get()

    def has_data(self) -> bool:
        """Return whether `read` would return immediately."""
        return not self._incoming.empty()

    def write(self, data: bytes) -> None:
        """Send bytes to the other end."""
        if data:
            self._outgoing.put(data)

    def close(self) -> None:
        """Signal end of stream to the other end."""
        self._outgoing.put(b"")


def create_memory_channels() -> tuple[MemoryChannel, MemoryChannel]:
    """Create two channels that are connected to each other."""
    to_server: SimpleQueue[bytes] = SimpleQueue()
    to_client: SimpleQueue[bytes] = SimpleQueue()
    return MemoryChannel(to_server, to_client), MemoryChannel(to_client, to_server)
