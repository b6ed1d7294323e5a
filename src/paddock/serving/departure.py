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

LOAD_GRACE = 0.4
"""Seconds that the author's code gets to load when the client has left already."""
STREAM_LIMIT = 0.8
"""Seconds after which a stream that has not come to its end is given up."""
PROGRESS = 0.3
"""Seconds within which a client that still reads must have read something."""
LIFESPAN_LIMIT = 5.0
"""Seconds that leaving the lifespan may take."""


class Departure:
    """Watches over the end of a process that serves its standard input."""

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self.stop_stream: Callable[[], None] | None = None
        self._loaded = allocate_lock()
        self._loaded.acquire()
        self._has_drained = False
        self._has_left = False

    def wait_until_loaded(self, seconds: float) -> bool:
        """Whether the author's code is loaded within a time."""
        if not self._loaded.acquire(timeout=seconds):
            return False
        self._loaded.release()
        return True

    def loaded(self) -> None:
        """The author's code is loaded, or has failed to."""
        self._loaded.release()

    def stop(self) -> None:
        """End the stream, or the process where there is none yet."""
        if self.stop_stream is None:
            _exit()
        else:
            self.stop_stream()

    def begin(self) -> None:
        """The client has left, or a signal has come: the process is to end soon."""
        start_new_thread(self._enforce, ())

    def drained(self) -> None:
        """The stream has come to its end: only the lifespan is left to leave."""
        self._has_drained = True

    def leave(self, *, is_clean: bool) -> None:
        """Return if nothing holds the process up, and end it if something does."""
        threading: ModuleType | None = sys.modules.get("threading")
        if not is_clean or (threading is not None and _is_held_up(threading)):
            _exit()
        self._has_left = True

    def _enforce(self) -> None:
        if not self.wait_until_loaded(LOAD_GRACE):
            _exit()
        sleep(STREAM_LIMIT)
        written = -1
        while not self._has_drained:
            if self._channel.written == written or not self._channel.is_writing:
                _exit()
            written = self._channel.written
            sleep(PROGRESS)
        sleep(LIFESPAN_LIMIT)
        # What a script does after `server.run()` is no longer ours to end.
        if not self._has_left:
            _exit()


def _exit() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)


def _is_held_up(threading: ModuleType) -> bool:
    mine = (threading.main_thread(), threading.current_thread())
    return any(not thread.daemon and thread not in mine for thread in threading.enumerate())
