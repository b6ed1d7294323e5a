"""Standard input and output, reserved for the protocol.

Once claimed, file descriptor 1 refers to standard error and 0 to the null device. A handler's
`print`, a C library or a child process can then neither corrupt the output nor consume the input.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from select import select

if sys.platform == "linux":
    import fcntl

READ_CHUNK_BYTES = 65_536
WRITE_SLICE_BYTES = 262_144
"""Large messages are written in slices of this size so that progress can be observed."""
LARGE_CHUNK_BYTES = 1_048_576
"""Read size while large messages arrive. For small messages, small reads are faster."""


class StdioChannel:
    """A channel over two file descriptors.

    `is_writing` and `written_bytes` show whether the output is blocked by a client that does not
    read.
    """

    def __init__(self, source: int, sink: int) -> None:
        """Create a channel over two open file descriptors. Closing the channel closes them too.

        Args:
            source: The descriptor to read from.
            sink: The descriptor to write to.
        """
        self._source = source
        self._sink = sink
        self._lock = allocate_lock()
        self._read_size = READ_CHUNK_BYTES
        self._pushed_back = b""
        self.is_closed = False
        self.written_bytes = 0

    @property
    def is_writing(self) -> bool:
        """Whether a write is in progress."""
        return self._lock.locked()

    @property
    def descriptor(self) -> int | None:
        """The input descriptor; None on Windows, where event loops cannot watch pipes."""
        return None if sys.platform == "win32" else self._source

    def has_data(self) -> bool:
        """Return whether `read` would return immediately. Always False on Windows."""
        if sys.platform == "win32":  # select() supports only sockets there.
            return False
        return bool(self._pushed_back or select([self._source], [], [], 0)[0])

    def read(self) -> bytes:
        """Return the next bytes from the client, or b"" after it has closed its end.

        The next read may return more bytes if this one has filled its buffer.
        """
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
        """Return the bytes that have already arrived, without waiting."""
        return os.read(self._source, self._read_size) if self.has_data() else b""

    def push_back(self, data: bytes) -> None:
        """Make the next `read` return these bytes."""
        self._pushed_back = data

    def write(self, data: bytes) -> None:
        """Send bytes to the client. Errors are ignored, because the reader notices a lost client.

        Short data is usually sent with a single system call, without counting bytes.
        """
        with self._lock:
            try:
                is_short = len(data) <= WRITE_SLICE_BYTES
                unwritten = data[self._write_once(data) :] if is_short else data
                if unwritten:
                    self._write_slices(memoryview(unwritten))
            except OSError:
                return

    def _write_slices(self, unwritten: memoryview) -> None:
        """Write in slices and count the bytes, to distinguish a slow client from a stalled one."""
        while unwritten:
            written_bytes = self._write_once(unwritten[:WRITE_SLICE_BYTES])
            self.written_bytes += written_bytes
            unwritten = unwritten[written_bytes:]

    def _write_once(self, data: bytes | memoryview) -> int:
        while True:
            try:
                return os.write(self._sink, data)
            except BlockingIOError:  # Another process made the shared pipe non-blocking.
                select([], [self._sink], [])

    def close(self) -> None:
        """Close both descriptors. Errors are ignored because one may already be closed."""
        self.is_closed = True
        for descriptor in (self._source, self._sink):
            try:
                os.close(descriptor)
            except OSError:
                continue


def claim_stdio() -> StdioChannel:
    """Reserve standard input and output for MCP messages, and return a channel over them.

    The channel gets duplicates of the descriptors. The original ones are then redirected, so that
    other code in the process cannot disturb the protocol.
    """
    _ensure_stderr()
    source, sink = os.dup(0), os.dup(1)
    # Some clients start servers with non-blocking pipes.
    if sys.platform != "win32":
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    _enlarge_pipes(source, sink)
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(2, 1)
    os.close(null_device)
    # Text printed earlier now goes to standard error rather than to the client.
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.stdout = sys.stderr
    return StdioChannel(source, sink)


def _ensure_stderr() -> None:
    """Redirect standard error to the null device if it is closed.

    Otherwise, the next file to be opened would get descriptor 2, and error messages would be
    written to it.
    """
    try:
        os.fstat(2)
    except OSError:
        null_device = os.open(os.devnull, os.O_RDWR)
        if null_device != 2:
            os.dup2(null_device, 2)
            os.close(null_device)


def _enlarge_pipes(*pipes: int) -> None:
    """Enlarge the pipes if the system allows it, so that large messages need fewer wake-ups."""
    for pipe in pipes if sys.platform == "linux" else ():
        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, LARGE_CHUNK_BYTES)
        except OSError:
            continue
