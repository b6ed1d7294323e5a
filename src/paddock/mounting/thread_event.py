"""Something that threads bring about and coroutines wait for."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ThreadEvent:
    """Open or shut; coroutines on any event loop wait until it is open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake_callbacks: set[Callable[[], None]] = set()
        self.is_set = False

    def set(self) -> None:
        """Let everybody through. May be called by any thread."""
        with self._lock:
            self.is_set = True
            waiting, self._wake_callbacks = self._wake_callbacks, set()
        for wake in waiting:
            wake()

    def clear(self) -> None:
        """Have everybody wait again."""
        with self._lock:
            self.is_set = False

    async def wait(self, seconds: float) -> bool:
        """Wait until it is open; False when that takes longer than this."""
        loop = asyncio.get_running_loop()
        decided: asyncio.Future[bool] = loop.create_future()

        def decide(*, is_open: bool) -> None:
            if not decided.done():
                decided.set_result(is_open)

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(partial(decide, is_open=True))
            except RuntimeError:  # the loop is closed, and nobody waits on it any more
                return

        with self._lock:
            if self.is_set:
                return True
            self._wake_callbacks.add(wake)
        # Not `asyncio.wait_for`, which may swallow a cancellation that comes with the result.
        timer = loop.call_later(seconds, partial(decide, is_open=False))
        try:
            return await decided
        finally:
            timer.cancel()
            with self._lock:
                self._wake_callbacks.discard(wake)
