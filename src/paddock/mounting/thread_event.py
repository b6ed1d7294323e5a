"""An event that threads set and coroutines wait for."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ThreadEvent:
    """An event like `threading.Event`, awaitable on any event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake_callbacks: set[Callable[[], None]] = set()
        self.is_set = False

    def set(self) -> None:
        """Set the event and wake all waiting coroutines. Thread-safe."""
        with self._lock:
            self.is_set = True
            wake_callbacks, self._wake_callbacks = self._wake_callbacks, set()
        for wake in wake_callbacks:
            wake()

    def clear(self) -> None:
        """Reset the event."""
        with self._lock:
            self.is_set = False

    async def wait(self, seconds: float) -> bool:
        """Wait until the event is set; return False if `seconds` pass before."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[bool] = loop.create_future()

        def set_outcome(is_set: bool) -> None:
            if not outcome.done():
                outcome.set_result(is_set)

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(set_outcome, True)
            except RuntimeError:  # the loop is closed, so nothing waits on it
                return

        with self._lock:
            if self.is_set:
                return True
            self._wake_callbacks.add(wake)
        # asyncio.wait_for may swallow a cancellation that arrives together with the result.
        timer = loop.call_later(seconds, set_outcome, False)
        try:
            return await outcome
        finally:
            timer.cancel()
            with self._lock:
                self._wake_callbacks.discard(wake)
