"""An open `subscriptions/listen`: changes that the server has promised to tell us."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from paddock.peer.errors import PeerTimeoutError
from paddock.protocol.jsonrpc import request_frame

if TYPE_CHECKING:
    from paddock.peer.link import Link, Outcome
    from paddock.peer.settings import Json

METHOD = "subscriptions/listen"


class Listening:
    """Ends with `close`, with the connection, or when the server says so.

    The changes themselves come to `on_notification`; their `_meta` names this subscription. Over
    HTTP a stream that breaks is opened again; what changed meanwhile is not told.
    """

    def __init__(self, link: Link, params: Json) -> None:
        self._link = link
        self._changed = threading.Condition()
        self._fault: Exception | None = None
        self.is_open = True
        self.honoured: Json | None = None
        """What the server has promised to tell; it may be less than what was asked for."""
        self.id = link.expect(self)
        link.send(request_frame(self.id, METHOD, params))

    def wait(self, timeout: float) -> None:
        """Wait until the server has acknowledged.

        Raises:
            PeerError: when it refuses.
        """
        with self._changed:
            is_decided = self._changed.wait_for(
                lambda: self.honoured is not None or not self.is_open, timeout
            )
        if self._fault is not None:
            raise self._fault
        if not is_decided:
            self.close()
            raise PeerTimeoutError(f"No answer to {METHOD} within {timeout:g} s")

    def acknowledge(self, honoured: object) -> None:
        """The server has begun to listen for us."""
        with self._changed:
            self.honoured = honoured if isinstance(honoured, dict) else {}
            self._changed.notify_all()

    def take(self, outcome: Outcome) -> None:
        """The server has ended it, or never begun."""
        with self._changed:
            self.is_open = False
            if self.honoured is None and isinstance(outcome, Exception):
                self._fault = outcome
            self._changed.notify_all()

    def close(self) -> None:
        """Hear no more."""
        self.is_open = False
        self._link.cancel(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
