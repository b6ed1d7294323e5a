"""Ordered delivery of notifications to callbacks, and `subscriptions/listen`.

Callbacks run in a separate thread, so they may block and use the peer. A caller that waits for an
answer also waits until all notifications before it are delivered. A test can therefore check what
its callbacks received as soon as a call returns.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

from paddock.client.connect_options import Json
from paddock.client.errors import PeerTimeoutError
from paddock.client.thread_pool import call_safely
from paddock.protocol.jsonrpc import encode_request

if TYPE_CHECKING:
    from paddock.client.connection import CallOutcome, ClientConnection


MAX_PENDING_NOTIFICATIONS = 10_000
"""Maximum number of notifications waiting for a busy callback. Any others are dropped."""

DeliverNotification = Callable[[str, Json], object]


class NotificationQueue:
    """Delivers notifications to the callbacks in the order in which they arrive.

    The callbacks run in their own thread, which starts with the first notification, because they
    may block and the reader thread must not. Notifications are numbered, so that a call can wait
    for the callbacks of those that arrived before its answer.
    """

    def __init__(self, deliver: DeliverNotification | None) -> None:
        self._deliver = deliver
        self._queue: SimpleQueue[tuple[str, Json] | Callable[[], object] | None] = SimpleQueue()
        self._progress = threading.Condition()
        """Guards `_delivered_count`, and is notified when it grows."""
        self._delivered_count = 0
        self._thread: threading.Thread | None = None
        self._dropped_count = 0
        self.arrived_count = 0
        """The number of notifications so far, excluding those that were dropped."""

    def put(self, method: str, params: Json) -> None:
        """Queue a server notification for the callbacks.

        Only the reader thread calls this. The first notification starts the delivery thread.
        """
        if self._deliver is None:
            return
        if self.arrived_count - self._delivered_count >= MAX_PENDING_NOTIFICATIONS:
            self._drop_notification(method)
            return
        self.arrived_count += 1
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run_callbacks, name="paddock-notices", daemon=True
            )
            self._thread.start()
        self._queue.put((method, params))

    def wait_until_delivered(self, mark: int, timeout: float | None) -> None:
        """Wait until the callbacks have handled the first `mark` notifications.

        In the delivery thread, this returns immediately, because the thread would wait for itself.

        Args:
            mark: A number of notifications, counted since the connection was opened.
            timeout: Maximum number of seconds to wait, or None for no limit.
        """
        if threading.current_thread() is self._thread:
            return
        with self._progress:
            self._progress.wait_for(lambda: self._delivered_count >= mark, timeout)

    def call_after(self, mark: int, callback: Callable[[], object]) -> None:
        """Call a function after the callbacks have handled the first `mark` notifications.

        If they have already been handled, the function is called immediately in this thread.
        Otherwise, it is called in the delivery thread.
        """
        with self._progress:
            is_due = self._delivered_count >= mark
        if is_due:
            callback()
        else:  # Queued, so that it runs after the notifications before it.
            self._queue.put(callback)

    def close(self, timeout: float) -> None:
        """Deliver the queued notifications, then end the thread."""
        self._queue.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _drop_notification(self, method: str) -> None:
        """Discard a notification because the queue is full. Only the first one is logged.

        The reader thread must not wait for room in the queue, because the busy callback may itself
        be waiting for an answer that only the reader thread can deliver.
        """
        self._dropped_count += 1
        if self._dropped_count == 1:
            message = "%s and later notifications are dropped: %s wait for a busy callback"
            logging.getLogger("paddock").warning(message, method, MAX_PENDING_NOTIFICATIONS)

    def _run_callbacks(self) -> None:
        """Deliver queued notifications to the callbacks until the queue is closed.

        Runs in the delivery thread. The queue also contains the functions passed to `call_after`,
        which are called in turn.
        """
        while (item := self._queue.get()) is not None:
            if not isinstance(item, tuple):
                item()
                continue
            if self._deliver is not None:
                method, params = item
                call_safely(self._deliver, method, params)
            with self._progress:
                self._delivered_count += 1
                self._progress.notify_all()


LISTEN_METHOD = "subscriptions/listen"


class Subscription:
    """An open `subscriptions/listen` request.

    It ends with `close`, with the connection, or when the server ends it. Changes arrive as
    notifications whose `_meta` names the subscription. Over HTTP, a broken stream is reopened, but
    changes during the gap are lost.
    """

    def __init__(self, connection: ClientConnection, params: Json) -> None:
        self._connection = connection
        self._changed = threading.Condition()
        """Notified when the server acknowledges, rejects or ends the subscription."""
        self._error: Exception | None = None
        self.is_open = True
        self.acknowledged_filter: Json | None = None
        """The changes that the server agreed to report. These may be fewer than requested."""
        self.id = connection.add_waiter(self)
        connection.send(encode_request(self.id, LISTEN_METHOD, params))

    def wait_for_acknowledgement(self, timeout: float) -> None:
        """Wait until the server has acknowledged the subscription.

        Raises:
            PeerError: The server rejected the subscription.
            PeerTimeoutError: No acknowledgement arrived in time.
        """
        with self._changed:
            has_response = self._changed.wait_for(
                lambda: self.acknowledged_filter is not None or not self.is_open, timeout
            )
        if self._error is not None:
            raise self._error
        if not has_response:
            self.close()
            raise PeerTimeoutError(f"No answer to {LISTEN_METHOD} within {timeout:g} s")

    def acknowledge(self, acknowledged_filter: object) -> None:
        """Record that the server has opened the subscription."""
        with self._changed:
            self.acknowledged_filter = (
                acknowledged_filter if isinstance(acknowledged_filter, dict) else {}
            )
            self._changed.notify_all()

    def resolve(self, outcome: CallOutcome) -> None:
        """Record that the server has ended or rejected the subscription.

        Called by the connection when the request for the subscription is answered.
        """
        with self._changed:
            self.is_open = False
            # Once a subscription has been acknowledged, its end is not an error.
            if self.acknowledged_filter is None and isinstance(outcome, Exception):
                self._error = outcome
            self._changed.notify_all()

    def close(self) -> None:
        """End the subscription."""
        self.is_open = False
        self._connection.cancel(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
