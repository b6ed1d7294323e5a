"""What was printed during an evaluation, up to a limit, with other outputs in their places.

The outputs are of either kind of frame. Python 3.8 can read this module.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_READ_CHUNK_BYTES = 1 << 16


class OutputCapture:
    """Reads the pipe that the standard streams of the evaluating processes lead to.

    Other outputs come by another way, earlier or later than what was printed around them. Their
    places are those of the marks that were printed for them.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._text = bytearray()
        self._outputs: list[Any] = []
        self._oversized_outputs: list[Any] = []
        self._size_bytes = 0
        self._dropped_bytes = 0
        self.limit_bytes = _READ_CHUNK_BYTES

    def read_available(self) -> None:
        """Take what is there; what is beyond the limit is counted and thrown away.

        Not more than a pipe holds at a time, so that a flood does not keep the guard from its
        other work.
        """
        for _ in range(16):
            try:
                chunk = os.read(self._handle, _READ_CHUNK_BYTES)
            except BlockingIOError:
                return
            if not chunk:
                return
            self.append_text(chunk)

    def append_text(self, chunk: bytes) -> None:
        """Take what was printed, up to the limit."""
        kept = chunk[: max(0, self.limit_bytes - self._size_bytes)]
        self._dropped_bytes += len(chunk) - len(kept)
        self._size_bytes += len(kept)
        self._text += kept

    def add_output(self, output: Any) -> None:
        """Take another output, up to the limit."""
        size = len(output.data) + len(output.text)
        if self._size_bytes + size > self.limit_bytes:
            self._dropped_bytes += size
            self._oversized_outputs.append((output.mark, _format_omission_note(output.kind, size)))
        else:
            self._size_bytes += size
            self._outputs.append(output)

    def remove_line(self, beginning: bytes) -> bool:
        """Take out the line that begins so; say whether there was one."""
        start = self._text.rfind(beginning)
        if start < 0:
            return False
        end = self._text.find(b"\n", start)
        del self._text[start : end + 1 if end >= 0 else None]
        return True

    def take_outputs(self) -> tuple[list[bytes | Any], int]:
        """What there is, in order, and how many bytes were dropped; begins anew."""
        text, outputs, dropped = bytes(self._text), self._outputs, self._dropped_bytes
        for mark, note in self._oversized_outputs:
            text = text.replace(mark, note, 1) if mark else text
        self._reset()
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
        self.read_available()
        self._reset()

    def _reset(self) -> None:
        self._text = bytearray()
        self._outputs = []
        self._oversized_outputs = []
        self._size_bytes = self._dropped_bytes = 0


def _format_omission_note(kind: str, size: int) -> bytes:
    """What stands in the place of an output that was too large."""
    if kind != "picture":
        return b""
    told = f"{size / (1 << 20):.1f}"
    return f"[A picture of {told} MiB is left out: make it smaller to see it.]\n".encode()
