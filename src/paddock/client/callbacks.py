"""What the caller's callbacks mean to a server: capabilities, answers to questions, notices.

What a server sends of itself: questions, notifications, and the end of either.

Questions are answered in threads of their own, so that a callback may take its time; a server that
asks more than we have threads and patience for is told so.
"""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from paddock.client.notifications import Subscription
from paddock.client.thread_pool import ThreadPool, report_callback_error
from paddock.protocol.early_handshake import TASKS_EXTENSION
from paddock.protocol.eras.subscriptions import META_SUBSCRIPTION_ID
from paddock.protocol.errors import METHOD_NOT_FOUND, ProtocolError
from paddock.protocol.jsonrpc import encode_error, encode_result
from paddock.protocol.versions import STATELESS_VERSIONS, supports_feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.client.connect_options import ConnectSettings, Json, RootLike
    from paddock.client.connection import ClientConnection
    from paddock.client.notifications import NotificationQueue
    from paddock.protocol.jsonrpc import RequestId


def declare_capabilities(settings: ConnectSettings, version: str) -> Json:
    """What we tell a server that it may ask of us."""
    if settings.client_capabilities is not None:
        return settings.client_capabilities
    capabilities: Json = {}
    if settings.on_elicit is not None:
        has_modes = supports_feature(version, "url-elicitation")
        capabilities["elicitation"] = {"form": {}, "url": {}} if has_modes else {}
    if settings.on_sample is not None:
        capabilities["sampling"] = {}
    if settings.roots is not None:
        capabilities["roots"] = {}
    if settings.tasks and version in STATELESS_VERSIONS:
        capabilities["extensions"] = {TASKS_EXTENSION: {}}
    return capabilities


def answer_request(settings: ConnectSettings, method: str, params: Json) -> Json:
    """The answer to a question of the server.

    Raises:
        ProtocolError: when nobody is there to answer it. What a callback raises passes through.
    """
    if method == "ping":
        return {}
    if settings.on_question is not None:
        return settings.on_question(method, params)
    if method == "roots/list" and settings.roots is not None:
        return {"roots": [_to_root(root) for root in settings.roots]}
    if method == "elicitation/create" and settings.on_elicit is not None:
        return settings.on_elicit(params) or {"action": "decline"}
    if method == "sampling/createMessage" and settings.on_sample is not None:
        return _to_sampling_result(settings.on_sample(params))
    raise ProtocolError(f"This client does not answer {method}", rpc_code=METHOD_NOT_FOUND)


def make_notification_callback(settings: ConnectSettings) -> Callable[[str, Json], None] | None:
    """What is to be called for each notification; None when nobody wants to hear any."""
    callbacks_by_method = {
        "notifications/message": settings.on_log,
        "notifications/progress": settings.on_progress,
    }
    on_notification = settings.on_notification
    if on_notification is None and not any(callbacks_by_method.values()):
        return None

    def hear(method: str, params: Json) -> None:
        callback = callbacks_by_method.get(method)
        if callback is not None:
            callback(params)
        if on_notification is not None:
            on_notification(method, params)

    return hear


def _to_root(root: RootLike) -> Json:
    if isinstance(root, dict):
        return root
    if isinstance(root, PathLike):
        return {"uri": Path(root).absolute().as_uri()}
    return {"uri": root}


def _to_sampling_result(message: Json | str) -> Json:
    if isinstance(message, dict):
        return message
    content = {"type": "text", "text": message}
    return {"role": "assistant", "content": content, "model": "paddock"}


MAX_OPEN_REQUESTS = 128
"""Questions that may be answered at a time."""
MAX_QUEUED_REQUESTS = 1000
"""Questions that may wait for their turn."""
CLOSE_SECONDS = 2.0
"""Seconds that callbacks get to finish when the connection is closed."""


class ServerMessageRouter:
    """Takes the server's own messages on one connection."""

    def __init__(
        self,
        connection: ClientConnection,
        settings: ConnectSettings,
        notification_queue: NotificationQueue,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._notification_queue = notification_queue
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
        waiter = (
            self._connection.find_waiter(meta.get(META_SUBSCRIPTION_ID))
            if isinstance(meta, dict)
            else None
        )
        if isinstance(waiter, Subscription):
            waiter.acknowledge(params.get("notifications"))
