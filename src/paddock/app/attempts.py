"""A bound on how often somebody may try to sign in, so that nobody can guess."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from time import monotonic

MAX_FAILED_ATTEMPTS = 10
"""Wrong attempts of one address that are borne within the time."""
ATTEMPT_WINDOW_SECONDS = 300.0
MAX_TRACKED_ADDRESSES = 10_000
"""Addresses that are remembered; the oldest makes room."""


class SignInThrottle:
    """Counts wrong attempts by the address that they come from. In any thread."""

    def __init__(self, most: int = MAX_FAILED_ATTEMPTS, seconds: float = ATTEMPT_WINDOW_SECONDS) -> None:
        self._max_failures = most
        self._window_seconds = seconds
        self._failures: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def get_wait_seconds(self, address: str) -> int:
        """How long an address has to wait before it may try again; 0 when it need not."""
        with self._lock:
            recent = self._list_recent_failures(address)
            if len(recent) < self._max_failures:
                return 0
            return max(1, int(recent[0] + self._window_seconds - monotonic()) + 1)

    def record_failure(self, address: str) -> None:
        """Somebody has been wrong."""
        with self._lock:
            self._failures[address] = [*self._list_recent_failures(address), monotonic()]
            self._failures.move_to_end(address)
            while len(self._failures) > MAX_TRACKED_ADDRESSES:
                self._failures.popitem(last=False)

    def clear_failures(self, address: str) -> None:
        """Somebody was right after all."""
        with self._lock:
            self._failures.pop(address, None)

    def _list_recent_failures(self, address: str) -> list[float]:
        since = monotonic() - self._window_seconds
        return [moment for moment in self._failures.get(address, ()) if moment > since]
