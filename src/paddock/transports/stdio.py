"""Standard input and output as a channel that belongs to the protocol alone.

Once claimed, file descriptor 1 points at standard error and 0 at nothing, so that a handler's
`print`, a C library and a child process can neither spoil the protocol's output nor steal its
input.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from select import select

READ_CHUNK_BYTES = 65_536
WRITE_SLICE_BYTES = 262_144
"""Bytes of a large message that are written at once."""
LARGE_CHUNK_BYTES = 1_048_576
"""Read at once while large messages are coming in; small ones are quicker with small reads."""


class StdioChannel:
    """Bytes over two file descriptors.

    `is_writing` and `written` tell whether a client that does not read holds it up.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._lock = allocate_lock()
        self._read_size = READ_CHUNK_BYTES
        self._pushed_back = b""
        self.is_closed = False
        self.written_bytes = 0

    @property
    def is_writing(self) -> bool:
        """Whether a write is under way."""
        return self._lock.locked()

    @property
    def descriptor(self) -> int | None:
        """What an event loop can wait for; on Windows loops do not know pipes."""
        return None if sys.platform == "win32" else self._source

    def has_data(self) -> bool:
        """Whether `read` would return at once."""
        if sys.platform == "win32":  # select does not know pipes there either
            return False
        return bool(self._pushed_back or select([self._source], [], [], 0)[0])

    def read(self) -> bytes:
        """The next bytes from the client; empty when it has closed its end."""
        if self._pushed_back:
            chunk, self._pushed_back = self._pushed_back, b""
            return chunk
        try:
            chunk = os.read(self._source, self._read_size)
        except OSError:
            return b""
        self._read_size = LARGE_CHUNK_BYTES if len(chunk) >= READ_CHUNK_BYTES else READ_CHUNK_BYTES
        return chunk

    def read_available(self) -> bytes:
        """What the client has sent already, without waiting for more."""
        return os.read(self._source, self._read_size) if self.has_data() else b""

    def push_back(self, data: bytes) -> None:
        """Have the next `read` return these bytes."""
        self._pushed_back = data

    def write(self, data: bytes) -> None:
        """Send bytes to the client; a client that is gone cannot be told anything."""
        with self._lock:
            try:
                remaining = (
                    data[self._write_once(data) :] if len(data) <= WRITE_SLICE_BYTES else data
                )
                if remaining:
                    self._write_slices(memoryview(remaining))
            except OSError:
                return

    def _write_slices(self, remaining: memoryview) -> None:
        """Write by and by, so that it can be told whether the client still reads."""
        while remaining:
            written = self._write_once(remaining[:WRITE_SLICE_BYTES])
            self.written_bytes += written
            remaining = remaining[written:]

    def _write_once(self, data: bytes | memoryview) -> int:
        while True:
            try:
                return os.write(self._sink, data)
            except BlockingIOError:  # somebody else has made the pipe so
                select([], [self._sink], [])

    def close(self) -> None:
        """Close the protocol's own descriptors."""
        self.is_closed = True
        for descriptor in (self._source, self._sink):
            try:
                os.close(descriptor)
            except OSError:
                continue


def claim_stdio() -> StdioChannel:
    """Take standard input and output for the protocol, away from everybody else."""
    _ensure_stderr()
    source, sink = os.dup(0), os.dup(1)
    if sys.platform != "win32":  # some parents hand on pipes that answer "try again"
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    _enlarge_pipes(source, sink)
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    os.close(null_device)
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.stdout = sys.stderr
    return StdioChannel(source, sink)


def _ensure_stderr() -> None:
    """Have a standard error, so that nothing else gets its number."""
    try:
        os.fstat(2)
    except OSError:
        null_device = os.open(os.devnull, os.O_RDWR)
        if null_device != 2:
            os.dup2(null_device, 2)
            os.close(null_device)


def _enlarge_pipes(*pipes: int) -> None:
    """Give large messages fewer wake-ups, where the system lets us."""
    if sys.platform != "linux":
        return
    from fcntl import F_SETPIPE_SZ, fcntl  # noqa: PLC0415 - exists on this platform only

    for pipe in pipes:
        try:
            fcntl(pipe, F_SETPIPE_SZ, LARGE_CHUNK_BYTES)
        except OSError:
            continue
