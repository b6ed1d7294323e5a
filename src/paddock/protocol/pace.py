"""How fast a handler has been, to decide where its next call runs.

A plain function runs in the thread that read its call, which costs nothing, until it once proves
slow; from then on its calls go straight to worker threads. A handler that was slow only once
(a cold cache, say) earns its place back.
"""

from __future__ import annotations

QUICK_CALLS_TO_FORGIVE = 16
"""Quick calls in a row after which a slow handler counts as quick again."""


class SlowHandlerTracker:
    """The memory of one handler's speed."""

    __slots__ = ("_quick_streak", "is_slow", "is_trusted")

    def __init__(self, *, is_trusted: bool = False) -> None:
        self.is_trusted = is_trusted
        self.is_slow = False
        self._quick_streak = 0

    def record_slow_call(self) -> None:
        """A call of the handler held up its thread."""
        self.is_slow = not self.is_trusted
        self._quick_streak = 0

    def record_quick_call(self) -> None:
        """A call of a slow handler was over at once."""
        self._quick_streak += 1
        if self._quick_streak >= QUICK_CALLS_TO_FORGIVE:
            self.is_slow = False
