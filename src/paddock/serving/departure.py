"""Ending the process in good time once the client has left, whatever still runs in it.

A client that closes a server expects it to be gone in a moment. Handlers that do not return, an
import that takes long, a pipe that nobody reads: none of them may keep the process.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.transports.stdio import StdioChannel

LOAD_GRACE_SECONDS = 0.4
"""Seconds that the author's code gets to load when the client has left already."""
STREAM_DRAIN_SECONDS = 0.8
"""Seconds after which a stream that has not come to its end is given up."""
WRITE_PROGRESS_SECONDS = 0.3
"""Seconds within which a client that still reads must have read something."""
LIFESPAN_EXIT_SECONDS = 5.0
"""Seconds that leaving the lifespan may take."""


class GracefulShutdown:
    """Watches over the end of a process that serves its standard input."""

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self.stop_stream: Callable[[], None] | None = None
        self._load_lock = allocate_lock()
        self._load_lock.acquire()
        self._has_drained = False
        self._has_finished = False

    def wait_until_loaded(self, seconds: float) -> bool:
        """Whether the author's code is loaded within a time."""
        if not self._load_lock.acquire(timeout=seconds):
            return False
        self._load_lock.release()
        return True

    def mark_loaded(self) -> None:
        """The author's code is loaded, or has failed to."""
        self._load_lock.release()

    def stop(self) -> None:
        """End the stream, or the process where there is none yet."""
        if self.stop_stream is None:
            _exit_process()
        else:
            self.stop_stream()

    def start_deadline(self) -> None:
        """The client has left, or a signal has come: the process is to end soon."""
        start_new_thread(self._enforce_deadlines, ())

    def mark_drained(self) -> None:
        """The stream has come to its end: only the lifespan is left to leave."""
        self._has_drained = True

    def finish(self, *, is_clean: bool) -> None:
        """Return if nothing holds the process up, and end it if something does."""
        threading: ModuleType | None = sys.modules.get("threading")
        if not is_clean or (threading is not None and _has_blocking_threads(threading)):
            _exit_process()
        self._has_finished = True

    def _enforce_deadlines(self) -> None:
        if not self.wait_until_loaded(LOAD_GRACE_SECONDS):
            _exit_process()
        sleep(STREAM_DRAIN_SECONDS)
        written = -1
        while not self._has_drained:
            if self._channel.written_bytes == written or not self._channel.is_writing:
                _exit_process()
            written = self._channel.written_bytes
            sleep(WRITE_PROGRESS_SECONDS)
        sleep(LIFESPAN_EXIT_SECONDS)
        # What a script does after `server.run()` is no longer ours to end.
        if not self._has_finished:
            _exit_process()


def _exit_process() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)


def _has_blocking_threads(threading: ModuleType) -> bool:
    mine = (threading.main_thread(), threading.current_thread())
    return any(not thread.daemon and thread not in mine for thread in threading.enumerate())
