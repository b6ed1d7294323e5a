"""Handing notifications to callbacks: in order, and never in the thread that reads.

So a callback may take its time and may call the peer. Who waits for an answer also waits here
until the notifications that came before it have been delivered; a test can then look at what its
callbacks saw as soon as a call returns.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from paddock.peer.settings import Json

Deliver = Callable[[str, Json], object]


def report(fault: BaseException) -> None:
    """Show a fault in a callback the way Python shows one that ends a thread."""
    details = (type(fault), fault, fault.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(details))
    sys.stderr.flush()


class Delivery:
    """Calls `deliver` for each notification, one after the other, in a thread of its own."""

    def __init__(self, deliver: Deliver | None) -> None:
        self._deliver = deliver
        self._queue: SimpleQueue[tuple[str, Json] | Callable[[], object] | None] = SimpleQueue()
        self._moved = threading.Condition()
        self._delivered = 0
        self._thread: threading.Thread | None = None
        self.arrived = 0

    def put(self, method: str, params: Json) -> None:
        """Take a notification; called by the thread that reads, and by no other."""
        if self._deliver is None:
            return
        self.arrived += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="paddock-notices", daemon=True)
            self._thread.start()
        self._queue.put((method, params))

    def wait(self, mark: int, timeout: float | None) -> None:
        """Wait until the first `mark` notifications have been delivered.

        A callback does not wait for itself.
        """
        if threading.current_thread() is self._thread:
            return
        with self._moved:
            self._moved.wait_for(lambda: self._delivered >= mark, timeout)

    def after(self, mark: int, callback: Callable[[], object]) -> None:
        """Call a function once the first `mark` notifications have been delivered."""
        with self._moved:
            is_due = self._delivered >= mark
        if is_due:
            callback()
        else:
            self._queue.put(callback)

    def close(self, timeout: float) -> None:
        """Deliver what is left, then end."""
        self._queue.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        while (notification := self._queue.get()) is not None:
            if not isinstance(notification, tuple):
                notification()
                continue
            try:
                if self._deliver is not None:
                    self._deliver(*notification)
            except Exception as fault:  # noqa: BLE001 - one bad callback must not end the rest
                report(fault)
            with self._moved:
                self._delivered += 1
                self._moved.notify_all()
