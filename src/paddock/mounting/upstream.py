"""How an upstream is reached: a command, a file, a URL, or a connection that is open already.

A mounted server that is elsewhere: one connection for everybody, kept by a thread of its own.

The thread connects, asks what there is, listens for changes, and begins anew when the connection
ends, after a pause that grows. Whoever calls or lists never waits for it longer than a set time;
calls travel without any thread of their own (`mounting.forwarding`).
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
from paddock.client.connect import (
    URL_OPTIONS,
    build_command,
    connect_channel,
    is_server_url,
)
from paddock.client.connect_options import ConnectSettings
from paddock.client.peer import Peer
from paddock.client.process import ProcessChannel
from paddock.errors import ConnectError, DefinitionError, PaddockError
from paddock.mounting.forwarding import RemoteToolInvoker, forward_request
from paddock.mounting.rewriting import (
    UpstreamError,
    build_completion_params,
    build_prompt_params,
    build_read_params,
    to_protocol_error,
)
from paddock.mounting.thread_event import ThreadEvent
from paddock.mounting.upstream_calls import UpstreamCallTable
from paddock.mounting.upstream_lists import (
    LIST_METHODS,
    UpstreamChangeTracker,
    UpstreamLists,
    build_mount_environment,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.params import CompletionReference
    from paddock.protocol.request import Request, Result


if TYPE_CHECKING:
    from collections.abc import Callable

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
"""Options of `connect` that are the client's business, which calls through us."""
ALL_CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""What we tell sessions that they may ask: whether it can be answered depends on who calls."""


class UpstreamConnector:
    """Opens and closes the connections to one upstream."""

    def __init__(self, target: ServerCommand | Peer, options: ConnectOptions) -> None:
        refused = CLIENT_OPTIONS & set(options)
        if refused:
            raise DefinitionError(
                f"mount has no option {', '.join(sorted(refused))}",
                hint="questions and notifications are passed on to the client that calls",
            )
        strange = set() if is_server_url(target) else {*URL_OPTIONS} & set(options)
        if strange:
            raise DefinitionError(f"{', '.join(sorted(strange))}: only for servers behind a URL")
        self._target = target
        self._options: Any = {"client_capabilities": ALL_CAPABILITIES, **options}
        self._pending_channel: ProcessChannel | None = None
        self._end_reason: str | None = None
        self.receives_notifications = not isinstance(target, Peer)
        """Whether what the upstream says of itself comes to us; an open peer has callbacks."""
        if isinstance(target, Peer):
            target.when_ended(self._record_end)

    def connect(self, hear: NotificationHandler, answer: QuestionHandler) -> Peer:
        """Open a connection.

        Raises:
            ConnectError: when that does not work.
            DefinitionError: when the server would be mounted in itself.
        """
        target = self._target
        if isinstance(target, Peer):
            if self._end_reason is not None:
                raise ConnectError(f"The peer that was mounted has ended: {self._end_reason}")
            return target
        options = {**self._options, "on_notification": hear, "on_question": answer}
        if is_server_url(target):
            return connector.connect(str(target), **cast("ConnectOptions", options))
        command = build_command(target)
        options["env"] = {**(options.get("env") or {}), **build_mount_environment(command)}
        settings = ConnectSettings(**options)
        channel = ProcessChannel(command, settings)
        self._pending_channel = channel
        try:
            return connect_channel(channel, settings)
        finally:
            self._pending_channel = None

    def _record_end(self, reason: str) -> None:
        self._end_reason = reason

    def cancel_connect(self) -> None:
        """Give up a connection that is just being opened."""
        channel = self._pending_channel
        if channel is not None:
            threading.Thread(target=channel.close, daemon=True).start()

    def disconnect(self, peer: Peer) -> None:
        """Close a connection, if it is ours to close."""
        if peer is not self._target:
            peer.close()


def get_target_label(target: object) -> str:
    """What to call an upstream that has no prefix."""
    if isinstance(target, Peer):
        return str(target.server_info.get("name", "peer"))
    if isinstance(target, str | PathLike):
        return str(target)
    return " ".join(map(str, target)) if isinstance(target, list | tuple) else repr(target)


MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.5, 30.0
"""Seconds before a further attempt to connect: the first time, and at the most."""
STABLE_CONNECTION_SECONDS = 5.0
"""Seconds after which a connection counts as a good one."""
STALE_LIST_SECONDS = 3.0
"""Seconds after which lists are asked for again, if the upstream does not tell of changes."""
CLOSE_TIMEOUT_SECONDS = 4.5
"""Seconds that ending all connections may take."""
_log = logging.getLogger("paddock")


class UpstreamTimeouts(Struct, frozen=True):
    """How long an upstream may take."""

    list_timeout: float
    call_timeout: float
    connect_timeout: float


class Upstream:
    """A server elsewhere, as the source of mounted items."""

    def __init__(
        self, label: str, dialling: UpstreamConnector, limits: UpstreamTimeouts, owner: BaseServer
    ) -> None:
        self.label = label
        self.timeouts = limits
        self.owner = owner
        self.on_change: Callable[[str, str | None], int] | None = None
        self.calls = UpstreamCallTable(label)
        self.id = secrets.token_hex(4)
        self._connector = dialling
        self._lists = UpstreamLists(self.id, label)
        self._change_tracker = UpstreamChangeTracker(are_heard=dialling.receives_notifications)
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._holders: set[object] = set()
        self._is_closing = False
        self._peer: Peer | None = None
        self._failure: str | None = None
        self._end_reason = ""
        self._connect_event = ThreadEvent()
        """Open while there is a connection, or the last attempt to make one has failed."""
        self._lists_event = ThreadEvent()
        self._started_at = 0.0

    def __repr__(self) -> str:
        return f"the upstream {self.label!r}"

    # What it offers.

    @property
    def revision(self) -> int:
        """A number that grows with each change of what it offers."""
        return self._lists.revision

    def can_offer(self, kind: str, key: str) -> bool:
        """Whether it has an item, or has not yet said what it offers."""
        return not self._lists.has_entries or key in self._lists.get_entries(kind)

    def list_keys(self, kind: str) -> list[str]:
        """The names of its items of a kind, as they were last seen."""
        return list(self._lists.get_entries(kind))

    def get_entry(self, kind: str, key: str) -> Json:
        """How it shows an item in its lists."""
        return self._lists.get_entries(kind)[key]

    def get_tool(self, name: str) -> RemoteToolInvoker:
        """A tool of it, ready to be called."""
        return RemoteToolInvoker(self, name, self._lists.get_entries("tools").get(name, {}))

    def render_prompt(self, request: Request, name: str) -> None:
        """Begin `prompts/get` there."""
        self._set_work(request, build_prompt_params(request, name))

    def read_uri(self, request: Request, uri: str) -> None:
        """Begin `resources/read` there."""
        self._set_work(request, build_read_params(uri))

    def complete_reference(self, request: Request, reference: CompletionReference) -> None:
        """Begin `completion/complete` there."""
        self._set_work(request, build_completion_params(request, reference))

    def watch(self, uri: str) -> None:
        """Ask it to tell when a resource changes."""
        if self._change_tracker.watch_resource(uri):
            self.wake()

    def _set_work(self, request: Request, params: Json) -> None:
        async def work(request: Request) -> Result:
            try:
                return await forward_request(self, request, params)
            except PaddockError as error:
                raise to_protocol_error(error, self.owner, str(params.get("uri", ""))) from None

        request.async_work = work

    # Whether it is there.

    @property
    def are_lists_ready(self) -> bool:
        """Whether what it offers is known, or time was up to find out."""
        return self._lists_event.is_set

    @property
    def has_holders(self) -> bool:
        """Whether somebody needs it."""
        return bool(self._holders)

    def add_holder(self, holder: object) -> None:
        """Somebody needs it: connect, in the background."""
        with self._condition:
            self._holders.add(holder)
        self.start()

    def remove_holder(self, holder: object) -> None:
        """Somebody needs it no longer; the last one to go has it closed, in the background."""
        with self._condition:
            self._holders.discard(holder)
            is_last = not self._holders
        if is_last:
            self.begin_closing()

    def start(self) -> None:
        """Begin to connect, unless that has begun already."""
        with self._condition:
            if self._thread is not None and not self._is_closing:
                return
            earlier = self._thread
            self._is_closing = False
            self._started_at = monotonic()
            self._thread = threading.Thread(
                target=self._run, args=(earlier,), name=f"paddock-mount-{self.label}", daemon=True
            )
            self._thread.start()
        _open_upstreams.add(self)

    def begin_closing(self) -> None:
        """End the connection in the background."""
        with self._condition:
            if self._thread is None or self._is_closing:
                return
            self._is_closing = True
            self._condition.notify_all()
        self._connector.cancel_connect()

    def join(self, seconds: float) -> None:
        """Wait until the connection has ended."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def wake(self) -> None:
        """Have the thread look at what there is to do."""
        with self._condition:
            self._condition.notify_all()

    def refresh_lists(self) -> None:
        """Have lists asked for again if they may be out of date by now."""
        fetched = self._lists.fetched_at
        if self._peer is None or fetched is None or monotonic() - fetched < STALE_LIST_SECONDS:
            return
        if self._change_tracker.add_unannounced_lists(self._peer):
            self.wake()

    async def wait_for_lists(self) -> None:
        """Wait until it is known what it offers, or the time is up, once and for all."""
        self.start()
        rest = self._started_at + self.timeouts.list_timeout - monotonic()
        if not await self._lists_event.wait(max(0.0, rest)):
            _log.warning(
                "%r has not said within %g s what it offers, and is left out of lists until then",
                self,
                self.timeouts.list_timeout,
            )
            self._lists_event.set()

    async def wait_for_peer(self) -> Peer:
        """The connection to it, once there is one.

        Raises:
            UpstreamError: when there is none, saying why.
        """
        self.start()
        peer = self._peer
        if peer is not None:
            return peer
        # One that has failed before is not worth a long wait.
        is_new = self._failure is None
        limit = self.timeouts.connect_timeout if is_new else self.timeouts.list_timeout
        await self._connect_event.wait(limit)
        peer = self._peer
        if peer is None:
            raise UpstreamError(self.label, self._failure or f"not connected within {limit:g} s")
        return peer

    def mark_lost(self, peer: Peer, reason: str) -> None:
        """A connection turned out to have ended."""
        with self._condition:
            if self._peer is not peer:
                return
            self._peer = None
            self._end_reason = reason
            self._connect_event.clear()
            self._condition.notify_all()
        if not self._is_closing:
            _log.warning("%r has to be connected to anew: %s", self, reason)

    def mark_suspect(self, peer: Peer) -> None:
        """A call over a connection has failed, which others may survive: look whether it works."""
        with self._condition:
            if self._peer is peer:
                self._change_tracker.reset(peer)
                self._condition.notify_all()

    # The thread.

    def _run(self, earlier: threading.Thread | None) -> None:
        if earlier is not None:
            earlier.join()
        pause = 0.0
        while not self._is_closing:
            started = monotonic()
            try:
                self._connect_and_serve()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may work
                self._record_failure(error)
            if monotonic() - started >= STABLE_CONNECTION_SECONDS:
                pause = 0.0
            elif pause and self._failure is None:
                self._record_failure(
                    ConnectError(f"it ends soon after it has begun: {self._end_reason}")
                )
            self._pause(pause)
            pause = min(2 * pause, MAX_RECONNECT_SECONDS) or MIN_RECONNECT_SECONDS
        with self._condition:
            if self._thread is threading.current_thread():
                self._thread = None
                self._connect_event.clear()
                _open_upstreams.discard(self)

    def _connect_and_serve(self) -> None:
        self._connect_event.clear()
        peer = self._connector.connect(self._handle_notification, self._answer_question)
        try:
            peer.when_ended(lambda reason: self.mark_lost(peer, reason))
            with self._condition:
                self._peer, self._failure = peer, None
            self._connect_event.set()
            self._process_changes(peer)
        except ConnectError as error:
            self.mark_lost(peer, str(error))
        finally:
            self.mark_lost(peer, "we have closed it")
            self._connector.disconnect(peer)

    def _process_changes(self, peer: Peer) -> None:
        self._change_tracker.reset(peer)
        self.calls.reset_log_level()
        while not self._is_closing and self._peer is peer:
            self._change_tracker.update_subscriptions(peer)
            kinds = self._change_tracker.take_due_lists()
            if kinds:
                changed = self._lists.fetch_lists(peer, kinds)
                # As long as it is not settled, nobody has seen any list.
                for kind in sorted(changed) if self.are_lists_ready else ():
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
        if self._is_closing:
            return
        reason = (
            str(error) if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        )
        if reason != self._failure:
            _log.warning("%r is not available: %s", self, reason)
        self._failure = reason
        self._connect_event.set()
        self._lists_event.set()

    def _pause(self, seconds: float) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._is_closing, seconds)

    # What it says of itself.

    def _announce_change(self, kind: str, uri: str | None = None) -> int:
        return 0 if self.on_change is None else self.on_change(kind, uri)

    def _handle_notification(self, method: str, params: Json) -> None:
        if method == "notifications/progress":
            self.calls.forward_progress(params)
        elif method == "notifications/message":
            self.calls.forward_log_message(params)
        elif method == "notifications/elicitation/complete":
            self._announce_change("elicitation", str(params.get("elicitationId")))
        elif method == "notifications/resources/updated":
            uri = str(params.get("uri"))
            if not self._announce_change("resources", uri):  # whoever wanted to know has left
                self._change_tracker.unwatch_resource(uri)
        elif method.endswith("/list_changed"):
            kind = method.removeprefix("notifications/").removesuffix("/list_changed")
            if kind in LIST_METHODS:
                self._change_tracker.add_list(kind)
                self.wake()

    def _answer_question(self, method: str, params: Json) -> Json:
        return self.calls.answer_question(method, params)


_open_upstreams: set[Upstream] = set()


@atexit.register
def _close_at_exit() -> None:
    close_upstreams(list(_open_upstreams))


def close_upstreams(upstreams: list[Upstream]) -> None:
    """End the connections to several upstreams and wait until they have ended, or time is up."""
    for upstream in upstreams:
        upstream.begin_closing()
    deadline = monotonic() + CLOSE_TIMEOUT_SECONDS
    for upstream in upstreams:
        upstream.join(max(0.0, deadline - monotonic()))


async def wait_for_upstream_lists(upstreams: list[Upstream]) -> None:
    """Wait until it is known what several upstreams offer, as far as time allows."""
    for upstream in upstreams:
        upstream.start()
    for upstream in upstreams:
        await upstream.wait_for_lists()
