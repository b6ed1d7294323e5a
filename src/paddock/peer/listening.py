"""An open `subscriptions/listen`: changes that the server has promised to tell us."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from paddock.peer.errors import PeerTimeoutError
from paddock.protocol.jsonrpc import encode_request

if TYPE_CHECKING:
    from paddock.peer.link import ClientConnection, CallOutcome
    from paddock.peer.settings import Json

LISTEN_METHOD = "subscriptions/listen"


class Subscription:
    """Ends with `close`, with the connection, or when the server says so.

    The changes themselves come to `on_notification`; their `_meta` names this subscription. Over
    HTTP a stream that breaks is opened again; what changed meanwhile is not told.
    """

    def __init__(self, link: ClientConnection, params: Json) -> None:
        self._connection = link
        self._changed = threading.Condition()
        self._error: Exception | None = None
        self.is_open = True
        self.acknowledged_filter: Json | None = None
        """What the server has promised to tell; it may be less than what was asked for."""
        self.id = link.add_waiter(self)
        link.send(encode_request(self.id, LISTEN_METHOD, params))

    def wait_for_acknowledgement(self, timeout: float) -> None:
        """Wait until the server has acknowledged.

        Raises:
            PeerError: when it refuses.
        """
        with self._changed:
            is_decided = self._changed.wait_for(
                lambda: self.acknowledged_filter is not None or not self.is_open, timeout
            )
        if self._error is not None:
            raise self._error
        if not is_decided:
            self.close()
            raise PeerTimeoutError(f"No answer to {LISTEN_METHOD} within {timeout:g} s")

    def acknowledge(self, honoured: object) -> None:
        """The server has begun to listen for us."""
        with self._changed:
            self.acknowledged_filter = honoured if isinstance(honoured, dict) else {}
            self._changed.notify_all()

    def resolve(self, outcome: CallOutcome) -> None:
        """The server has ended it, or never begun."""
        with self._changed:
            self.is_open = False
            if self.acknowledged_filter is None and isinstance(outcome, Exception):
                self._error = outcome
            self._changed.notify_all()

    def close(self) -> None:
        """Hear no more."""
        self.is_open = False
        self._connection.cancel(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
