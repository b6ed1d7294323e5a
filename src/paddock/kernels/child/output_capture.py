"""Redirection of a worker's standard streams, and capture of the text that evaluations print.

Works with the output frames of both `plain_frames` and `worker.frames`. Compatible with Python 3.8.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_READ_CHUNK_BYTES = 1 << 16


def claim_standard_streams() -> tuple[int, int, int]:
    """Reserve standard input and output for requests and replies.

    Afterwards, standard input is empty, and standard output and error lead to a pipe, so user code
    can print without disrupting the connection to the server.

    Returns:
        Descriptors for reading requests, writing replies, and reading printed output.
    """
    requests, replies = os.dup(0), os.dup(1)
    output_reader, output_writer = os.pipe()
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.dup2(output_writer, 1)
    os.dup2(output_writer, 2)
    os.close(null_device)
    os.close(output_writer)
    return requests, replies, output_reader


def get_file_identity(handle: int) -> tuple[int, int] | None:
    """Return an open file's device and inode, or None if the descriptor is closed.

    Callers compare them to check whether a descriptor still refers to the same file, because user
    code can close a descriptor and open another file under the same number.
    """
    try:
        status = os.fstat(handle)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class OutputCapture:
    """Output of one job: the printed text, interspersed with messages and images.

    Printed text is read from the pipe that replaces the standard output and error of evaluator
    processes. Messages and images arrive through another pipe, earlier or later than the text
    printed around them, so a marker in the printed text shows the position of each.
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
        """Read the printed text available in the pipe, without blocking.

        Text beyond the job's limit is counted and discarded. One call reads at most 1 MiB, so heavy
        output does not keep the supervisor from its other work.
        """
        for _ in range(16):  # 16 chunks of 64 KiB
            try:
                chunk = os.read(self._handle, _READ_CHUNK_BYTES)
            except BlockingIOError:
                return
            if not chunk:
                return
            self.append_text(chunk)

    def append_text(self, chunk: bytes) -> None:
        """Add printed text, up to the limit."""
        accepted = chunk[: max(0, self.limit_bytes - self._size_bytes)]
        self._dropped_bytes += len(chunk) - len(accepted)
        self._size_bytes += len(accepted)
        self._text += accepted

    def add_output(self, output: Any) -> None:
        """Add a message or an image, or a note about its size if it exceeds the limit.

        Args:
            output: The frame with the message or the image.
        """
        size = len(output.data) + len(output.text)
        if self._size_bytes + size > self.limit_bytes:
            self._dropped_bytes += size
            self._oversized_outputs.append((output.mark, _format_omission_note(output.kind, size)))
        else:
            self._size_bytes += size
            self._outputs.append(output)

    def remove_last_line(self, beginning: bytes) -> bool:
        """Remove the last line of printed text that begins with the given bytes.

        Returns:
            Whether such a line was found.
        """
        start = self._text.rfind(beginning)
        if start < 0:
            return False
        end = self._text.find(b"\n", start)
        del self._text[start : end + 1 if end >= 0 else None]
        return True

    def take_outputs(self) -> tuple[list[bytes | Any], int]:
        """Return the job's output and the number of discarded bytes, and reset the capture.

        Pieces of printed text and frames with messages or images are in the order in which the job
        produced them.
        """
        text, outputs, dropped = bytes(self._text), self._outputs, self._dropped_bytes
        for mark, note in self._oversized_outputs:
            text = text.replace(mark, note, 1) if mark else text
        self._reset()
        pieces: list[bytes | Any] = []
        unplaced: list[bytes | Any] = []
        for output in outputs:
            position = text.find(output.mark) if output.mark else -1
            if position > 0:
                pieces.append(text[:position])
            if position >= 0:
                text = text[position + len(output.mark) :]
            (pieces if position >= 0 else unplaced).append(output)
        # If an output's marker is missing, for instance because the marker itself exceeded the
        # limit, the output comes last instead of being lost.
        return [*pieces, *([text] if text else []), *unplaced], dropped

    def clear(self) -> None:
        """Discard all output so far."""
        self.read_available()
        self._reset()

    def _reset(self) -> None:
        self._text = bytearray()
        self._outputs = []
        self._oversized_outputs = []
        self._size_bytes = self._dropped_bytes = 0


def _format_omission_note(kind: str, size_bytes: int) -> bytes:
    """Return the text that replaces an output that is too large."""
    if kind != "picture":
        return b""
    size = f"{size_bytes / (1 << 20):.1f} MiB"
    return f"[An image of {size} was omitted. Make it smaller to see it.]\n".encode()
