"""A pair of channels in one process, each reading what the other writes."""

from __future__ import annotations

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
    there: SimpleQueue[bytes] = SimpleQueue()
    back: SimpleQueue[bytes] = SimpleQueue()
    return MemoryChannel(there, back), MemoryChannel(back, there)
