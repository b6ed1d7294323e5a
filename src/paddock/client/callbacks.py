"""The caller's callbacks: the capabilities they imply, and the server messages they handle.

Server requests are answered in a thread pool, so callbacks can take their time. If the pool and its
queue are full, the server gets an error.
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
    """Return the client capabilities that the handshake sends to the server.

    A capability is declared if the settings contain the callback that implements it, for example
    `{"sampling": {}}` for `on_sample`. The caller can set `client_capabilities` instead.
    """
    if settings.client_capabilities is not None:
        return settings.client_capabilities
    capabilities: Json = {}
    if settings.on_elicit is not None:
        # Versions before 2025-11-25 only support forms, declared as an empty capability.
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
    """Call the callback for a server request, and return the result to send.

    Exceptions raised by the callback are not caught here.

    Args:
        settings: The connection settings, which contain the callbacks.
        method: The request method, such as `elicitation/create`.
        params: The request parameters.

    Raises:
        ProtocolError: No callback handles the method.
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
    raise ProtocolError(f"This client does not support {method}", rpc_code=METHOD_NOT_FOUND)


def make_notification_callback(settings: ConnectSettings) -> Callable[[str, Json], None] | None:
    """Return a function that passes each notification on to the callbacks in the settings.

    Returns None if the settings contain no notification callbacks, so notifications can be dropped
    without being queued.
    """
    callbacks_by_method = {
        "notifications/message": settings.on_log,
        "notifications/progress": settings.on_progress,
    }
    on_notification = settings.on_notification
    if on_notification is None and not any(callbacks_by_method.values()):
        return None

    def call_callbacks(method: str, params: Json) -> None:
        callback = callbacks_by_method.get(method)
        if callback is not None:
            callback(params)
        if on_notification is not None:
            on_notification(method, params)

    return call_callbacks


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
"""Maximum number of server requests that are answered concurrently."""
MAX_QUEUED_REQUESTS = 1000
"""Maximum number of server requests that wait for a thread."""
CLOSE_SECONDS = 2.0
"""Seconds that running callbacks have to finish when the connection closes."""


class ServerMessageRouter:
    """Passes the server's requests and notifications to a connection's callbacks."""

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
        """Open requests that the server has cancelled. Their answers are not sent."""
        self._open_requests: set[RequestId] = set()
        """Server requests that have not been answered yet."""
        self.accepts_requests = True
        """Whether the client answers server requests.

        In stateless versions of the protocol, servers must not send any.
        """

    def handle_request(self, request_id: RequestId, method: str, params: Json) -> None:
        """Answer a server request in the thread pool.

        Called by the reader thread, which must not wait for callbacks. If the pool's queue is
        full, the server gets an error.
        """
        if not self.accepts_requests:
            self._connection.record_stray(f"a request, {method}".encode())
            return
        if method == "ping":  # Answered here, because slow callbacks in the pool would delay it.
            self._answer_request(request_id, method, params)
            return
        self._open_requests.add(request_id)
        if not self._workers.submit(partial(self._answer_request, request_id, method, params)):
            self._open_requests.discard(request_id)
            error = ProtocolError("The client is busy: too many of the server's requests are open")
            self._connection.send(encode_error(request_id, error))

    def handle_notification(self, method: str, params: Json) -> None:
        """Queue a server notification for the callbacks.

        Cancellations and subscription acknowledgements are also handled here.
        """
        if method == "notifications/cancelled":
            self._handle_cancelled(params.get("requestId"))
        elif method == "notifications/subscriptions/acknowledged":
            self._handle_acknowledged(params)
        # `on_notification` gets every notification, including those handled above.
        self._notification_queue.put(method, params)

    def close(self) -> None:
        """Deliver queued notifications and give running callbacks a moment to finish."""
        deadline = monotonic() + CLOSE_SECONDS
        self._notification_queue.close(CLOSE_SECONDS)
        self._workers.close(deadline - monotonic())

    def _answer_request(self, request_id: RequestId, method: str, params: Json) -> None:
        """Call the callback for a request, and send its result or an error to the server."""
        try:
            frame = encode_result(request_id, answer_request(self._settings, method, params))
        except ProtocolError as error:
            frame = encode_error(request_id, error)
        except Exception as exc:  # noqa: BLE001 - the server must get an answer
            report_callback_error(exc)
            frame = encode_error(request_id, ProtocolError(f"The client's callback failed: {exc}"))
        self._open_requests.discard(request_id)
        # MCP, Cancellation: a cancelled request should not be answered.
        if request_id in self._cancelled_requests:
            self._cancelled_requests.discard(request_id)
        else:
            self._connection.send(frame)

    def _handle_cancelled(self, request_id: object) -> None:
        """Handle a notification that the server has cancelled a request.

        If it is the server's own request, its answer is no longer sent. If it is the client's
        request for a subscription, the subscription ends.
        """
        if isinstance(request_id, int | str) and request_id in self._open_requests:
            self._cancelled_requests.add(request_id)
        # Instead of sending a result, a server may end a subscription by cancelling the client's
        # request.
        waiter = self._connection.find_waiter(request_id)
        if isinstance(waiter, Subscription):
            waiter.resolve({})

    def _handle_acknowledged(self, params: Json) -> None:
        """Notify a subscription that the server has opened it."""
        meta = params.get("_meta")
        subscription_id = meta.get(META_SUBSCRIPTION_ID) if isinstance(meta, dict) else None
        waiter = self._connection.find_waiter(subscription_id)
        if isinstance(waiter, Subscription):
            waiter.acknowledge(params.get("notifications"))
