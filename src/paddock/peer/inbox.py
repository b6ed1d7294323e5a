"""What a server sends of itself: questions, notifications, and the end of either.

Questions are answered in threads of their own, so that a callback may take its time; a server that
asks more than we have threads and patience for is told so.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from paddock.peer.callbacks import answer_request
from paddock.peer.listening import Subscription
from paddock.peer.reporting import report_callback_error
from paddock.peer.workers import ThreadPool
from paddock.protocol.eras.v2026_07_28.listening import META_SUBSCRIPTION_ID
from paddock.protocol.errors import ProtocolError
from paddock.protocol.jsonrpc import encode_error, encode_result

if TYPE_CHECKING:
    from paddock.peer.delivery import NotificationQueue
    from paddock.peer.link import ClientConnection
    from paddock.peer.settings import Json, ConnectSettings
    from paddock.protocol.jsonrpc import RequestId


MAX_OPEN_REQUESTS = 128
"""Questions that may be answered at a time."""
MAX_QUEUED_REQUESTS = 1000
"""Questions that may wait for their turn."""
CLOSE_SECONDS = 2.0
"""Seconds that callbacks get to finish when the connection is closed."""


class ServerMessageRouter:
    """Takes the server's own messages on one connection."""

    def __init__(self, link: ClientConnection, settings: ConnectSettings, delivery: NotificationQueue) -> None:
        self._connection = link
        self._settings = settings
        self._notification_queue = delivery
        self._workers = ThreadPool("paddock-questions", MAX_OPEN_REQUESTS, MAX_QUEUED_REQUESTS)
        self._cancelled_requests: set[RequestId] = set()
        self._open_requests: set[RequestId] = set()
        self.accepts_requests = True
        """Not in the stateless era, in which a server sends no requests and we send no answers."""

    def handle_request(self, request_id: RequestId, method: str, params: Json) -> None:
        """Have a question answered."""
        if not self.accepts_requests:
            self._connection.record_stray(f"a request, {method}".encode())
            return
        if method == "ping":  # a sign of life, which must not stand in line
            self._answer_request(request_id, method, params)
            return
        self._open_requests.add(request_id)
        if not self._workers.submit(partial(self._answer_request, request_id, method, params)):
            self._open_requests.discard(request_id)
            refusal = ProtocolError("Too many questions of the server are open")
            self._connection.send(encode_error(request_id, refusal))

    def handle_notification(self, method: str, params: Json) -> None:
        """Act on what concerns the protocol, and pass everything on to the callbacks."""
        if method == "notifications/cancelled":
            self._handle_cancelled(params.get("requestId"))
        elif method == "notifications/subscriptions/acknowledged":
            self._handle_acknowledged(params)
        self._notification_queue.put(method, params)

    def close(self) -> None:
        """Have what is left delivered; callbacks that are at work get a moment to finish."""
        until = monotonic() + CLOSE_SECONDS
        self._notification_queue.close(CLOSE_SECONDS)
        self._workers.close(until - monotonic())

    def _answer_request(self, request_id: RequestId, method: str, params: Json) -> None:
        try:
            frame = encode_result(request_id, answer_request(self._settings, method, params))
        except ProtocolError as error:
            frame = encode_error(request_id, error)
        except Exception as fault:  # noqa: BLE001 - the server must get an answer all the same
            report_callback_error(fault)
            frame = encode_error(request_id, ProtocolError(f"The client failed: {fault}"))
        self._open_requests.discard(request_id)
        if request_id in self._cancelled_requests:
            self._cancelled_requests.discard(request_id)
        else:
            self._connection.send(frame)

    def _handle_cancelled(self, request_id: object) -> None:
        if isinstance(request_id, int | str) and request_id in self._open_requests:
            self._cancelled_requests.add(request_id)
        waiter = self._connection.find_waiter(request_id)
        if isinstance(waiter, Subscription):
            waiter.resolve({})

    def _handle_acknowledged(self, params: Json) -> None:
        meta = params.get("_meta")
        waiter = self._connection.find_waiter(meta.get(META_SUBSCRIPTION_ID)) if isinstance(meta, dict) else None
        if isinstance(waiter, Subscription):
            waiter.acknowledge(params.get("notifications"))
