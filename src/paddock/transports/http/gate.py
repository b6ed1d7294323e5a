"""What has to wait until a server is ready, and what is answered at once.

Handshakes and lists need nothing of what a server prepares when it starts. Calls do: they are kept,
with all that could be about them, and taken in the same order when the server is ready.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from paddock.protocol.jsonrpc import DECODE_FAULTS, decode_frame, is_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.transports.http.contract import Outgoing

WAITING = frozenset(
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


class Gate:
    """Keeps requests back for as long as it is shut."""

    def __init__(self, most: int) -> None:
        self.is_shut = False
        self._most = most
        self._kept: list[tuple[Outgoing, Callable[[], None]]] = []

    @property
    def is_full(self) -> bool:
        """Whether as many requests wait as may."""
        return len(self._kept) >= self._most

    def holds(self, body: bytes) -> bool:
        """Whether a message has to wait."""
        if is_batch(body):
            return True
        try:
            frame = decode_frame(body)
        except DECODE_FAULTS:
            return False  # which is said at once
        return frame.method is UNSET or frame.method in WAITING

    def keep(self, outgoing: Outgoing, take: Callable[[], None]) -> None:
        """Have a request taken later."""
        self._kept.append((outgoing, take))

    def open(self) -> None:
        """Take what was kept, but for clients who have left, and let everything through."""
        self.is_shut = False
        kept, self._kept = self._kept, []
        for outgoing, take in kept:
            if not outgoing.is_gone:
                take()

    def dismiss(self, refuse: Callable[[Outgoing], None]) -> None:
        """Refuse what was kept; the gate stays as it is."""
        kept, self._kept = self._kept, []
        for outgoing, _ in kept:
            if not outgoing.is_gone:
                refuse(outgoing)
