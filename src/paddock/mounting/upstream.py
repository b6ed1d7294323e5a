"""The connection to a mounted remote server: a command, a file, a URL, or an open peer.

One connection serves all clients. A dedicated thread maintains it: it connects, fetches lists,
subscribes to changes, and reconnects with increasing delays. Lists and calls wait for the
connection only up to a timeout. Calls do not occupy a thread (see `mounting.request_forwarder`).
"""

from __future__ import annotations

import atexit
import logging
import secrets
import threading
from os import PathLike
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from paddock import connector
from paddock.client.connect import URL_OPTIONS, build_command, connect_channel, is_server_url
from paddock.client.connect_options import ConnectSettings
from paddock.client.peer import Peer
from paddock.client.process import ProcessChannel
from paddock.errors import ConnectError, DefinitionError, PaddockError
from paddock.mounting.message_rewriter import UpstreamError
from paddock.mounting.upstream_calls import ThreadEvent, UpstreamCallTable
from paddock.mounting.upstream_lists import (
    LIST_METHODS,
    UpstreamChangeTracker,
    UpstreamLists,
    build_mount_environment,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.client.connect import ServerCommand
    from paddock.client.connect_options import ConnectOptions

    Json = dict[str, Any]
    NotificationHandler = Callable[[str, Json], None]
    QuestionHandler = Callable[[str, Json], Json]

CLIENT_OPTIONS = frozenset(
    {
        *("on_elicit", "on_sample", "on_question", "on_log", "on_progress", "on_notification"),
        *("roots", "record", "tasks"),
    }
)
"""Options of `connect` that a mount rejects, because the calling client handles these messages."""
ALL_CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""Capabilities declared to session upstreams.

The connection is shared by clients with different capabilities, so all of them are declared. A
question that the calling client cannot answer is rejected when it arrives.
"""


class UpstreamConnector:
    """Opens and closes connections to one upstream."""

    def __init__(self, target: ServerCommand | Peer, options: ConnectOptions) -> None:
        unsupported_options = CLIENT_OPTIONS & set(options)
        if unsupported_options:
            raise DefinitionError(
                f"mount has no option {', '.join(sorted(unsupported_options))}",
                hint="questions and notifications are passed on to the calling client",
            )
        url_only_options = set() if is_server_url(target) else {*URL_OPTIONS} & set(options)
        if url_only_options:
            raise DefinitionError(f"{', '.join(sorted(url_only_options))}: only for URLs")
        self._target = target
        self._options: Any = {"client_capabilities": ALL_CAPABILITIES, **options}
        self._pending_channel: ProcessChannel | None = None
        self._end_reason: str | None = None
        self.receives_notifications = not isinstance(target, Peer)
        """Whether notifications arrive here. Those from an open peer go to its own callbacks."""
        if isinstance(target, Peer):
            target.when_ended(self._record_end)

    def connect(
        self, handle_notification: NotificationHandler, answer_question: QuestionHandler
    ) -> Peer:
        """Connect to the mounted server and return the connection.

        If an open connection was mounted, that connection is returned.

        Args:
            handle_notification: Function that is called with each notification from the server.
            answer_question: Function that answers questions from the server. It may block.

        Raises:
            ConnectError: The connection failed.
            DefinitionError: The server would be mounted in itself.
        """
        target = self._target
        if isinstance(target, Peer):
            if self._end_reason is not None:
                raise ConnectError(f"The mounted peer has ended: {self._end_reason}")
            return target
        options = {
            **self._options,
            "on_notification": handle_notification,
            "on_question": answer_question,
        }
        if is_server_url(target):
            return connector.connect(str(target), **cast("ConnectOptions", options))
        command = build_command(target)
        # These variables let the program detect a mount that leads back to this process.
        options["env"] = {**(options.get("env") or {}), **build_mount_environment(command)}
        settings = ConnectSettings(**options)
        channel = ProcessChannel(command, settings)
        # The handshake may block until its timeout. The channel lets `cancel_connect` abort it.
        self._pending_channel = channel
        try:
            return connect_channel(channel, settings)
        finally:
            self._pending_channel = None

    def _record_end(self, reason: str) -> None:
        self._end_reason = reason

    def cancel_connect(self) -> None:
        """Abort a connection attempt without blocking; the process is ended in the background."""
        channel = self._pending_channel
        if channel is not None:
            # Closing waits for the process to exit, and the caller must not wait.
            threading.Thread(target=channel.close, daemon=True).start()

    def disconnect(self, peer: Peer) -> None:
        """Close a connection opened by `connect`."""
        # A mounted peer was opened by the author, who may use it for other things.
        if peer is not self._target:
            peer.close()


def get_target_label(target: object) -> str:
    """Return a name for an upstream that has no prefix."""
    if isinstance(target, Peer):
        return str(target.server_info.get("name", "peer"))
    if isinstance(target, str | PathLike):
        return str(target)
    return " ".join(map(str, target)) if isinstance(target, list | tuple) else repr(target)


MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.5, 30.0
"""Delays before reconnecting: the first one and the longest."""
STABLE_CONNECTION_SECONDS = 5.0
"""A connection that lasts this long resets the delay."""
STALE_LIST_SECONDS = 3.0
"""Maximum age of lists if the upstream does not announce changes."""
CLOSE_TIMEOUT_SECONDS = 4.5
"""Time limit for closing all connections."""
_log = logging.getLogger("paddock")


class UpstreamTimeouts(Struct, frozen=True):
    """Timeouts of an upstream, in seconds."""

    list_timeout: float
    call_timeout: float
    connect_timeout: float


class Upstream:
    """A remote server and the thread that maintains the connection to it.

    Public methods may be called by any thread. The thread runs while the upstream has holders.
    """

    def __init__(
        self,
        label: str,
        upstream_connector: UpstreamConnector,
        timeouts: UpstreamTimeouts,
        owner: BaseServer,
    ) -> None:
        self.label = label
        self.timeouts = timeouts
        self.owner = owner
        self.on_change: Callable[[str, str | None], int] | None = None
        self.calls = UpstreamCallTable(label)
        self.id = secrets.token_hex(4)
        self._connector = upstream_connector
        self.lists = UpstreamLists(self.id, label)
        self._change_tracker = UpstreamChangeTracker(
            receives_notifications=upstream_connector.receives_notifications
        )
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._holders: set[object] = set()
        self._is_closing = False
        self._peer: Peer | None = None
        self._failure: str | None = None
        self._end_reason = ""
        self._connect_event = ThreadEvent()
        """Set while there is a connection, and after a failed connection attempt."""
        self._lists_event = ThreadEvent()
        """Set once the lists have arrived, have timed out, or cannot be fetched."""
        self._started_at = 0.0

    def __repr__(self) -> str:
        return f"the upstream {self.label!r}"

    def watch(self, uri: str) -> None:
        """Subscribe to changes to a resource."""
        if self._change_tracker.watch_resource(uri):
            self.wake()

    @property
    def are_lists_ready(self) -> bool:
        """Whether the lists are known, or their time limit has passed."""
        return self._lists_event.is_set

    @property
    def has_holders(self) -> bool:
        """Whether anything needs the connection."""
        return bool(self._holders)

    def add_holder(self, holder: object) -> None:
        """Register a user of the connection, and connect in the background."""
        with self._condition:
            self._holders.add(holder)
        self.start()

    def remove_holder(self, holder: object) -> None:
        """Remove a user of the connection. Removing the last one closes it in the background."""
        with self._condition:
            self._holders.discard(holder)
            is_last = not self._holders
        if is_last:
            self.begin_closing()

    def start(self) -> None:
        """Start the thread that maintains the connection, unless it is running."""
        with self._condition:
            if self._thread is not None and not self._is_closing:
                return
            # A thread that has started to close the connection cannot be stopped. The new thread
            # waits until it has ended.
            earlier_thread = self._thread
            self._is_closing = False
            self._started_at = monotonic()
            self._thread = threading.Thread(
                target=self._maintain_connection,
                args=(earlier_thread,),
                name=f"paddock-mount-{self.label}",
                daemon=True,
            )
            self._thread.start()
        _open_upstreams.add(self)

    def begin_closing(self) -> None:
        """Close the connection in the background and end the thread that maintains it."""
        with self._condition:
            if self._thread is None or self._is_closing:
                return
            self._is_closing = True
            self._condition.notify_all()
        # The thread may be waiting for a connection.
        self._connector.cancel_connect()

    def join(self, seconds: float) -> None:
        """Wait until the connection thread has ended."""
        thread = self._thread
        # A callback that runs in the connection thread must not wait for its own thread.
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def wake(self) -> None:
        """Make the connection thread process pending changes."""
        with self._condition:
            self._condition.notify_all()

    def refresh_lists(self) -> None:
        """Request the upstream's lists again if they may be out of date.

        This applies to lists of a certain age whose changes the upstream does not announce. The
        thread that maintains the connection fetches them.
        """
        fetched_at = self.lists.fetched_at
        if self._peer is None or fetched_at is None:
            return
        if monotonic() - fetched_at < STALE_LIST_SECONDS:
            return
        if self._change_tracker.mark_unannounced_lists_due(self._peer):
            self.wake()

    async def wait_for_lists(self) -> None:
        """Wait until the upstream has sent its lists of tools, prompts and resources.

        After the list timeout, the lists count as ready, so only the first requests wait.
        """
        self.start()
        deadline = self._started_at + self.timeouts.list_timeout
        if not await self._lists_event.wait(max(0.0, deadline - monotonic())):
            _log.warning(
                "%r has not sent its lists within %g s; its items are not listed until it does",
                self,
                self.timeouts.list_timeout,
            )
            self._lists_event.set()

    async def wait_for_peer(self) -> Peer:
        """Wait until the connection to the upstream is established, and return it.

        Raises:
            UpstreamError: The connection failed, or the connect timeout has passed.
        """
        self.start()
        peer = self._peer
        if peer is not None:
            return peer
        # After a failed attempt, the thread that connects pauses before the next one. Requests
        # wait for it only for a short time.
        has_failed = self._failure is not None
        limit = self.timeouts.list_timeout if has_failed else self.timeouts.connect_timeout
        await self._connect_event.wait(limit)
        peer = self._peer
        if peer is None:
            raise UpstreamError(self.label, self._failure or f"not connected within {limit:g} s")
        return peer

    def mark_lost(self, peer: Peer, reason: str) -> None:
        """Report that a connection has ended, so that the upstream is reconnected.

        Args:
            peer: The connection.
            reason: The reason why it ended, for the log.
        """
        with self._condition:
            # Multiple calls may report the end of one connection. Only the first report counts.
            if self._peer is not peer:
                return
            self._peer = None
            self._end_reason = reason
            self._connect_event.clear()
            self._condition.notify_all()
        if not self._is_closing:
            _log.warning("%r is being reconnected: %s", self, reason)

    def mark_suspect(self, peer: Peer) -> None:
        """Fetch the lists again after a failed call, which shows whether the connection works."""
        with self._condition:
            if self._peer is peer:
                self._change_tracker.reset(peer)
                self._condition.notify_all()

    # The connection thread

    def _maintain_connection(self, earlier_thread: threading.Thread | None) -> None:
        """Keep the upstream connected until it is closed, reconnecting after failures.

        Runs in its own thread. The pauses between failed attempts increase.

        Args:
            earlier_thread: A thread that is still closing the previous connection.
        """
        if earlier_thread is not None:
            earlier_thread.join()  # two threads must not use the connector at the same time
        pause = 0.0
        while not self._is_closing:
            connect_started_at = monotonic()
            try:
                self._run_connection()
            except Exception as error:  # noqa: BLE001 - any error: the next attempt may succeed
                self._record_failure(error)
            if monotonic() - connect_started_at >= STABLE_CONNECTION_SECONDS:
                pause = 0.0
            # A server that repeatedly exits soon after its start is reported as failing.
            elif pause and self._failure is None:
                self._record_failure(
                    ConnectError(f"the connection ends soon after it starts: {self._end_reason}")
                )
            self._pause(pause)
            # The first reconnect is immediate. After that, the delays double.
            pause = min(2 * pause, MAX_RECONNECT_SECONDS) or MIN_RECONNECT_SECONDS
        with self._condition:
            if self._thread is threading.current_thread():
                self._thread = None
                self._connect_event.clear()
                _open_upstreams.discard(self)

    def _run_connection(self) -> None:
        """Connect to the upstream, then process its changes until the connection ends.

        Raises:
            PaddockError: The connection cannot be opened.
        """
        self._connect_event.clear()
        peer = self._connector.connect(self._handle_notification, self.calls.answer_question)
        try:
            peer.when_ended(lambda reason: self.mark_lost(peer, reason))
            with self._condition:
                self._peer, self._failure = peer, None
            self._connect_event.set()
            self._process_changes(peer)
        except ConnectError as error:
            self.mark_lost(peer, str(error))
        finally:
            self.mark_lost(peer, "the connection was closed")
            self._connector.disconnect(peer)

    def _process_changes(self, peer: Peer) -> None:
        """Fetch changed lists and update subscriptions until a connection ends.

        For a new connection, all lists are fetched. Between changes, the thread sleeps.

        Args:
            peer: The connection.
        """
        self._change_tracker.reset(peer)
        self.calls.reset_log_level()
        while not self._is_closing and self._peer is peer:
            self._change_tracker.update_subscriptions(peer)
            kinds = self._change_tracker.take_due_lists()
            if kinds:
                changed_kinds = self.lists.fetch_lists(peer, kinds)
                # The first lists are not announced, because no client has seen earlier ones.
                if self.are_lists_ready:
                    for kind in sorted(changed_kinds):
                        self._announce_change(kind)
                self._lists_event.set()
            with self._condition:
                self._condition.wait_for(
                    lambda: (
                        self._is_closing
                        or self._peer is not peer
                        or self._change_tracker.has_pending_changes
                    )
                )

    def _record_failure(self, error: Exception) -> None:
        """Log a failed connection, and wake requests that are waiting for it or for lists."""
        if self._is_closing:
            return
        reason = (
            str(error) if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        )
        # A server may be unavailable for a long time, so the same reason is logged only once.
        if reason != self._failure:
            _log.warning("%r is not available: %s", self, reason)
        self._failure = reason
        self._connect_event.set()
        self._lists_event.set()

    def _pause(self, seconds: float) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._is_closing, seconds)

    # Messages from the upstream

    def _announce_change(self, kind: str, uri: str | None = None) -> int:
        return 0 if self.on_change is None else self.on_change(kind, uri)

    def _handle_notification(self, method: str, params: Json) -> None:
        """Forward a notification from the upstream to the clients that it concerns.

        Progress and log messages go to the client that made the call. Change notifications go to
        all affected clients.

        Args:
            method: The MCP method of the notification, such as `notifications/progress`.
            params: The parameters of the notification.
        """
        if method == "notifications/progress":
            self.calls.forward_progress(params)
        elif method == "notifications/message":
            self.calls.forward_log_message(params)
        elif method == "notifications/elicitation/complete":
            self._announce_change("elicitation", str(params.get("elicitationId")))
        elif method == "notifications/resources/updated":
            uri = str(params.get("uri"))
            if not self._announce_change("resources", uri):  # no client is subscribed any longer
                self._change_tracker.unwatch_resource(uri)
        elif method.endswith("/list_changed"):
            kind = method.removeprefix("notifications/").removesuffix("/list_changed")
            if kind in LIST_METHODS:
                self._change_tracker.mark_list_due(kind)
                self.wake()


_open_upstreams: set[Upstream] = set()


atexit.register(lambda: close_upstreams(list(_open_upstreams)))


def close_upstreams(upstreams: list[Upstream]) -> None:
    """Close multiple connections concurrently, waiting up to `CLOSE_TIMEOUT_SECONDS`."""
    for upstream in upstreams:
        upstream.begin_closing()
    deadline = monotonic() + CLOSE_TIMEOUT_SECONDS
    for upstream in upstreams:
        upstream.join(max(0.0, deadline - monotonic()))


async def wait_for_upstream_lists(upstreams: list[Upstream]) -> None:
    """Wait for the lists of multiple upstreams, which are fetched concurrently."""
    for upstream in upstreams:
        upstream.start()
    for upstream in upstreams:
        await upstream.wait_for_lists()
