"""What was printed during an evaluation, up to a limit, with other outputs in their places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.kernels.worker.frames import Emitted

_CHUNK = 1 << 16


class Capture:
    """Reads the pipe that the standard streams of the evaluating processes lead to."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._pieces: list[bytearray | Emitted] = []
        self._size = 0
        self._dropped = 0
        self.limit = _CHUNK

    def collect(self) -> None:
        """Take what is there; what is beyond the limit is counted and thrown away.

        Not more than a pipe holds at a time, so that a flood does not keep the guard from its
        other work.
        """
        for _ in range(16):
            try:
                chunk = os.read(self._handle, _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                return
            self.keep(chunk)

    def add(self, output: Emitted) -> None:
        """Put an output after what has been printed."""
        size = len(output.data) + len(output.text)
        if self._size + size > self.limit:
            self._dropped += size
        else:
            self._size += size
            self._pieces.append(output)

    def take_line(self, beginning: bytes) -> bool:
        """Take out the line that begins so; say whether there was one."""
        for piece in self._pieces:
            if isinstance(piece, bytearray) and (start := piece.rfind(beginning)) >= 0:
                end = piece.find(b"\n", start)
                del piece[start : end + 1 if end >= 0 else None]
                return True
        return False

    def take(self) -> tuple[list[bytes | Emitted], int]:
        """What there is, and how many bytes were dropped; begins anew."""
        pieces = [bytes(piece) if isinstance(piece, bytearray) else piece for piece in self._pieces]
        dropped = self._dropped
        self._begin()
        return pieces, dropped

    def clear(self) -> None:
        """Forget what was printed before now."""
        self.collect()
        self._begin()

    def _begin(self) -> None:
        self._pieces = []
        self._size = self._dropped = 0

    def keep(self, chunk: bytes) -> None:
        """Take what was printed, up to the limit."""
        kept = chunk[: max(0, self.limit - self._size)]
        self._dropped += len(chunk) - len(kept)
        self._size += len(kept)
        if not kept:
            return
        if self._pieces and isinstance(self._pieces[-1], bytearray):
            self._pieces[-1] += kept
        else:
            self._pieces.append(bytearray(kept))
