"""What a server sends of itself: questions, notifications, and the end of either.

Questions are answered in threads of their own, so that a callback may take its time; a server that
asks more than we have threads and patience for is told so.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from paddock.peer.callbacks import answer
from paddock.peer.listening import Listening
from paddock.peer.reporting import report
from paddock.peer.workers import Workers
from paddock.protocol.eras.v2026_07_28.listening import META_SUBSCRIPTION
from paddock.protocol.errors import ProtocolError
from paddock.protocol.jsonrpc import error_frame, result_frame

if TYPE_CHECKING:
    from paddock.peer.delivery import Delivery
    from paddock.peer.link import Link
    from paddock.peer.settings import Json, Settings
    from paddock.protocol.jsonrpc import RequestId


MAX_OPEN = 128
"""Questions that may be answered at a time."""
MAX_WAITING = 1000
"""Questions that may wait for their turn."""
CLOSE_TIME = 2.0
"""Seconds that callbacks get to finish when the connection is closed."""


class Inbox:
    """Takes the server's own messages on one connection."""

    def __init__(self, link: Link, settings: Settings, delivery: Delivery) -> None:
        self._link = link
        self._settings = settings
        self._delivery = delivery
        self._workers = Workers("paddock-questions", MAX_OPEN, MAX_WAITING)
        self._withdrawn: set[RequestId] = set()
        self._open: set[RequestId] = set()
        self.can_be_asked = True
        """Not in the stateless era, in which a server sends no requests and we send no answers."""

    def take_request(self, request_id: RequestId, method: str, params: Json) -> None:
        """Have a question answered."""
        if not self.can_be_asked:
            self._link.note_stray(f"a request, {method}".encode())
            return
        if method == "ping":  # a sign of life, which must not stand in line
            self._answer(request_id, method, params)
            return
        self._open.add(request_id)
        if not self._workers.submit(partial(self._answer, request_id, method, params)):
            self._open.discard(request_id)
            refusal = ProtocolError("Too many questions of the server are open")
            self._link.send(error_frame(request_id, refusal))

    def take_notification(self, method: str, params: Json) -> None:
        """Act on what concerns the protocol, and pass everything on to the callbacks."""
        if method == "notifications/cancelled":
            self._cancelled(params.get("requestId"))
        elif method == "notifications/subscriptions/acknowledged":
            self._acknowledged(params)
        self._delivery.put(method, params)

    def close(self) -> None:
        """Have what is left delivered; callbacks that are at work get a moment to finish."""
        until = monotonic() + CLOSE_TIME
        self._delivery.close(CLOSE_TIME)
        self._workers.close(until - monotonic())

    def _answer(self, request_id: RequestId, method: str, params: Json) -> None:
        try:
            frame = result_frame(request_id, answer(self._settings, method, params))
        except ProtocolError as error:
            frame = error_frame(request_id, error)
        except Exception as fault:  # noqa: BLE001 - the server must get an answer all the same
            report(fault)
            frame = error_frame(request_id, ProtocolError(f"The client failed: {fault}"))
        self._open.discard(request_id)
        if request_id in self._withdrawn:
            self._withdrawn.discard(request_id)
        else:
            self._link.send(frame)

    def _cancelled(self, request_id: object) -> None:
        if isinstance(request_id, int | str) and request_id in self._open:
            self._withdrawn.add(request_id)
        waiter = self._link.waiter(request_id)
        if isinstance(waiter, Listening):
            waiter.take({})

    def _acknowledged(self, params: Json) -> None:
        meta = params.get("_meta")
        waiter = self._link.waiter(meta.get(META_SUBSCRIPTION)) if isinstance(meta, dict) else None
        if isinstance(waiter, Listening):
            waiter.acknowledge(params.get("notifications"))
