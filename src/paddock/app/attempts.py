"""A bound on how often somebody may try to sign in, so that nobody can guess."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from time import monotonic

MOST = 10
"""Wrong attempts of one address that are borne within the time."""
SECONDS = 300.0
KEPT = 10_000
"""Addresses that are remembered; the oldest makes room."""


class Attempts:
    """Counts wrong attempts by the address that they come from. In any thread."""

    def __init__(self, most: int = MOST, seconds: float = SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._failed: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def wait_seconds(self, address: str) -> int:
        """How long an address has to wait before it may try again; 0 when it need not."""
        with self._lock:
            recent = self._recent(address)
            if len(recent) < self._most:
                return 0
            return max(1, int(recent[0] + self._seconds - monotonic()) + 1)

    def failed(self, address: str) -> None:
        """Somebody has been wrong."""
        with self._lock:
            self._failed[address] = [*self._recent(address), monotonic()]
            self._failed.move_to_end(address)
            while len(self._failed) > KEPT:
                self._failed.popitem(last=False)

    def succeeded(self, address: str) -> None:
        """Somebody was right after all."""
        with self._lock:
            self._failed.pop(address, None)

    def _recent(self, address: str) -> list[float]:
        since = monotonic() - self._seconds
        return [moment for moment in self._failed.get(address, ()) if moment > since]
