"""What was printed during an evaluation, up to a limit, with other outputs in their places.

The outputs are of either kind of frame. Python 3.8 can read this module.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CHUNK = 1 << 16


class Capture:
    """Reads the pipe that the standard streams of the evaluating processes lead to.

    Other outputs come by another way, earlier or later than what was printed around them. Their
    places are those of the marks that were printed for them.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._text = bytearray()
        self._outputs: list[Any] = []
        self._too_large: list[Any] = []
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

    def keep(self, chunk: bytes) -> None:
        """Take what was printed, up to the limit."""
        kept = chunk[: max(0, self.limit - self._size)]
        self._dropped += len(chunk) - len(kept)
        self._size += len(kept)
        self._text += kept

    def add(self, output: Any) -> None:
        """Take another output, up to the limit."""
        size = len(output.data) + len(output.text)
        if self._size + size > self.limit:
            self._dropped += size
            self._too_large.append((output.mark, _left_out(output.kind, size)))
        else:
            self._size += size
            self._outputs.append(output)

    def take_line(self, beginning: bytes) -> bool:
        """Take out the line that begins so; say whether there was one."""
        start = self._text.rfind(beginning)
        if start < 0:
            return False
        end = self._text.find(b"\n", start)
        del self._text[start : end + 1 if end >= 0 else None]
        return True

    def take(self) -> tuple[list[bytes | Any], int]:
        """What there is, in order, and how many bytes were dropped; begins anew."""
        text, outputs, dropped = bytes(self._text), self._outputs, self._dropped
        for mark, note in self._too_large:
            text = text.replace(mark, note, 1) if mark else text
        self._begin()
        pieces: list[bytes | Any] = []
        unplaced: list[bytes | Any] = []
        for output in outputs:
            place = text.find(output.mark) if output.mark else -1
            if place > 0:
                pieces.append(text[:place])
            if place >= 0:
                text = text[place + len(output.mark) :]
            (pieces if place >= 0 else unplaced).append(output)
        return [*pieces, *([text] if text else []), *unplaced], dropped

    def clear(self) -> None:
        """Forget what was printed before now."""
        self.collect()
        self._begin()

    def _begin(self) -> None:
        self._text = bytearray()
        self._outputs = []
        self._too_large = []
        self._size = self._dropped = 0


def _left_out(kind: str, size: int) -> bytes:
    """What stands in the place of an output that was too large."""
    if kind != "picture":
        return b""
    told = f"{size / (1 << 20):.1f}"
    return f"[A picture of {told} MiB is left out: make it smaller to see it.]\n".encode()
