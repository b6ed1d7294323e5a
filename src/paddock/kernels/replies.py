"""Frames from a worker, with a bound on the waiting."""

from __future__ import annotations

import queue
import select
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

from paddock.kernels.worker.frames import FrameReader, SupervisorMessage

if TYPE_CHECKING:
    from collections.abc import Callable


class _FrameThread:
    """Reads where pipes cannot be polled."""

    def __init__(self, stream: FrameReader[SupervisorMessage]) -> None:
        self._stream = stream
        self._frames: queue.SimpleQueue[SupervisorMessage | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def get(self, seconds: float) -> SupervisorMessage:
        try:
            found = self._frames.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(found, Exception):
            raise found
        return found

    def _read(self) -> None:
        try:
            while True:
                for frame in self._stream.read():
                    self._frames.put(frame)
        except (EOFError, OSError, ValueError) as error:
            self._frames.put(error)


class ReplyReader:
    """Where a worker's frames are waited for."""

    def __init__(self, handle: int) -> None:
        self._frames: deque[SupervisorMessage] = deque()
        self._stream = FrameReader[SupervisorMessage](handle, SupervisorMessage)
        self._get_frame: Callable[[float], SupervisorMessage]
        if sys.platform == "win32":
            self._get = _FrameThread(self._stream).get
        else:
            self._poll = select.poll()
            self._poll.register(handle, select.POLLIN)
            self._get_frame = self._poll_frame

    def get(self, seconds: float) -> SupervisorMessage:
        """The next frame.

        Raises:
            TimeoutError: when none comes in time.
            EOFError: when none will come.
            ValueError: when what came is no frame.
        """
        return self._get_frame(seconds)

    def _poll_frame(self, seconds: float) -> SupervisorMessage:
        while not self._frames:
            if not self._poll.poll(seconds * 1000):
                raise TimeoutError
            self._frames.extend(self._stream.read())
        return self._frames.popleft()

    def close(self) -> None:
        """Wait no more."""
        self._frames.clear()
