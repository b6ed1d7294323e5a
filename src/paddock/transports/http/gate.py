"""What has to wait until a server is ready, and what is answered at once.

Handshakes and lists need nothing of what a server prepares when it starts. Calls do: they are kept,
with all that could be about them, and taken in the same order when the server is ready.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from paddock.protocol.jsonrpc import DECODE_ERRORS, decode_frame, is_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.transports.http.contract import Responder

DEFERRED_METHODS = frozenset(
    {
        "completion/complete",
        "notifications/cancelled",
        "prompts/get",
        "resources/directory/read",
        "resources/read",
        "skills/get",
        "tools/call",
    }
)
"""What runs code of the server's author, and what stops it."""


class StartupQueue:
    """Keeps requests back for as long as it is shut."""

    def __init__(self, most: int) -> None:
        self.is_holding = False
        self._max_requests = most
        self._entries: list[tuple[Responder, Callable[[], None]]] = []

    @property
    def is_full(self) -> bool:
        """Whether as many requests wait as may."""
        return len(self._entries) >= self._max_requests

    def must_wait(self, body: bytes) -> bool:
        """Whether a message has to wait."""
        if is_batch(body):
            return True
        try:
            frame = decode_frame(body)
        except DECODE_ERRORS:
            return False  # which is said at once
        return frame.method is UNSET or frame.method in DEFERRED_METHODS

    def add(self, outgoing: Responder, take: Callable[[], None]) -> None:
        """Have a request taken later."""
        self._entries.append((outgoing, take))

    def release_all(self) -> None:
        """Take what was kept, but for clients who have left, and let everything through."""
        self.is_holding = False
        kept, self._entries = self._entries, []
        for outgoing, take in kept:
            if not outgoing.is_gone:
                take()

    def refuse_all(self, refuse: Callable[[Responder], None]) -> None:
        """Refuse what was kept; the gate stays as it is."""
        kept, self._entries = self._entries, []
        for outgoing, _ in kept:
            if not outgoing.is_gone:
                refuse(outgoing)
