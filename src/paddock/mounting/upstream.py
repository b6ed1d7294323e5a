"""A mounted server that is elsewhere: one connection for everybody, kept by a thread of its own.

The thread connects, asks what there is, listens for changes, and begins anew when the connection
ends, after a pause that grows. Whoever calls or lists never waits for it longer than a set time;
calls travel without any thread of their own (`mounting.forwarding`).
"""

from __future__ import annotations

import atexit
import logging
import secrets
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from paddock.errors import ConnectError, PaddockError
from paddock.mounting.calls import Calls
from paddock.mounting.changes import Changes
from paddock.mounting.errors import UpstreamError
from paddock.mounting.forwarding import RemoteTool, forward
from paddock.mounting.gate import Gate
from paddock.mounting.lists import FETCHED, Lists
from paddock.mounting.shaping import (
    completion_params,
    prompt_params,
    protocol_error,
    read_params,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import Offering
    from paddock.mounting.dialling import Dialling
    from paddock.peer.peer import Peer
    from paddock.protocol.model.params import Reference
    from paddock.protocol.request import Request, Result

Json = dict[str, Any]

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a further attempt to connect: the first time, and at the most."""
STABLE = 5.0
"""Seconds after which a connection counts as a good one."""
STALE = 3.0
"""Seconds after which lists are asked for again, if the upstream does not tell of changes."""
CLOSE_TIME = 4.5
"""Seconds that ending all connections may take."""
_log = logging.getLogger("paddock")


class Limits(Struct, frozen=True):
    """How long an upstream may take."""

    list_timeout: float
    call_timeout: float
    connect_timeout: float


class Upstream:
    """A server elsewhere, as the source of mounted items."""

    def __init__(self, label: str, dialling: Dialling, limits: Limits, owner: Offering) -> None:
        self.label = label
        self.limits = limits
        self.owner = owner
        self.announce: Callable[[str, str | None], int] | None = None
        self.calls = Calls(label)
        self.id = secrets.token_hex(4)
        self._dialling = dialling
        self._lists = Lists(self.id, label)
        self._changes = Changes(are_heard=dialling.is_heard)
        self._moved = threading.Condition()
        self._thread: threading.Thread | None = None
        self._holders: set[object] = set()
        self._is_closing = False
        self._peer: Peer | None = None
        self._failure: str | None = None
        self._ending = ""
        self._attempted = Gate()
        """Open while there is a connection, or the last attempt to make one has failed."""
        self._settled = Gate()
        self._started_at = 0.0

    def __repr__(self) -> str:
        return f"the upstream {self.label!r}"

    # What it offers.

    @property
    def revision(self) -> int:
        """A number that grows with each change of what it offers."""
        return self._lists.revision

    def may_have(self, kind: str, key: str) -> bool:
        """Whether it has an item, or has not yet said what it offers."""
        return not self._lists.is_known or key in self._lists.of(kind)

    def keys(self, kind: str) -> list[str]:
        """The names of its items of a kind, as they were last seen."""
        return list(self._lists.of(kind))

    def entry(self, kind: str, key: str) -> Json:
        """How it shows an item in its lists."""
        return self._lists.of(kind)[key]

    def tool(self, name: str) -> RemoteTool:
        """A tool of it, ready to be called."""
        return RemoteTool(self, name, self._lists.of("tools").get(name, {}))

    def render(self, request: Request, name: str) -> None:
        """Begin `prompts/get` there."""
        self._begin(request, prompt_params(request, name))

    def read(self, request: Request, uri: str) -> None:
        """Begin `resources/read` there."""
        self._begin(request, read_params(uri))

    def suggest(self, request: Request, reference: Reference) -> None:
        """Begin `completion/complete` there."""
        self._begin(request, completion_params(request, reference))

    def watch(self, uri: str) -> None:
        """Ask it to tell when a resource changes."""
        if self._changes.want(uri):
            self.nudge()

    def _begin(self, request: Request, params: Json) -> None:
        async def work(request: Request) -> Result:
            try:
                return await forward(self, request, params)
            except PaddockError as error:
                raise protocol_error(error, self.owner, str(params.get("uri", ""))) from None

        request.async_work = work

    # Whether it is there.

    @property
    def is_settled(self) -> bool:
        """Whether what it offers is known, or time was up to find out."""
        return self._settled.is_open

    @property
    def is_held(self) -> bool:
        """Whether somebody needs it."""
        return bool(self._holders)

    def hold(self, holder: object) -> None:
        """Somebody needs it: connect, in the background."""
        with self._moved:
            self._holders.add(holder)
        self.start()

    def release(self, holder: object) -> None:
        """Somebody needs it no longer; the last one to go has it closed, in the background."""
        with self._moved:
            self._holders.discard(holder)
            is_last = not self._holders
        if is_last:
            self.begin_closing()

    def start(self) -> None:
        """Begin to connect, unless that has begun already."""
        with self._moved:
            if self._thread is not None and not self._is_closing:
                return
            earlier = self._thread
            self._is_closing = False
            self._started_at = monotonic()
            self._thread = threading.Thread(
                target=self._keep, args=(earlier,), name=f"paddock-mount-{self.label}", daemon=True
            )
            self._thread.start()
        _closed_at_exit.add(self)

    def begin_closing(self) -> None:
        """End the connection in the background."""
        with self._moved:
            if self._thread is None or self._is_closing:
                return
            self._is_closing = True
            self._moved.notify_all()
        self._dialling.abandon()

    def join(self, seconds: float) -> None:
        """Wait until the connection has ended."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def nudge(self) -> None:
        """Have the thread look at what there is to do."""
        with self._moved:
            self._moved.notify_all()

    def freshen(self) -> None:
        """Have lists asked for again if they may be out of date by now."""
        fetched = self._lists.fetched_at
        if self._peer is None or fetched is None or monotonic() - fetched < STALE:
            return
        if self._changes.add_untold(self._peer):
            self.nudge()

    async def settle(self) -> None:
        """Wait until it is known what it offers, or the time is up, once and for all."""
        self.start()
        rest = self._started_at + self.limits.list_timeout - monotonic()
        if not await self._settled.passed(max(0.0, rest)):
            _log.warning(
                "%r has not said within %g s what it offers, and is left out of lists until then",
                self,
                self.limits.list_timeout,
            )
            self._settled.open()

    async def peer(self) -> Peer:
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
        limit = self.limits.connect_timeout if is_new else self.limits.list_timeout
        await self._attempted.passed(limit)
        peer = self._peer
        if peer is None:
            raise UpstreamError(self.label, self._failure or f"not connected within {limit:g} s")
        return peer

    def lost(self, peer: Peer, reason: str) -> None:
        """A connection turned out to have ended."""
        with self._moved:
            if self._peer is not peer:
                return
            self._peer = None
            self._ending = reason
            self._attempted.shut()
            self._moved.notify_all()
        if not self._is_closing:
            _log.warning("%r has to be connected to anew: %s", self, reason)

    def doubt(self, peer: Peer) -> None:
        """A call over a connection has failed, which others may survive: look whether it works."""
        with self._moved:
            if self._peer is peer:
                self._changes.begin(peer)
                self._moved.notify_all()

    # The thread.

    def _keep(self, earlier: threading.Thread | None) -> None:
        if earlier is not None:
            earlier.join()
        pause = 0.0
        while not self._is_closing:
            started = monotonic()
            try:
                self._connect_and_serve()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may work
                self._failed(error)
            if monotonic() - started >= STABLE:
                pause = 0.0
            elif pause and self._failure is None:
                self._failed(ConnectError(f"it ends soon after it has begun: {self._ending}"))
            self._rest(pause)
            pause = min(2 * pause, LONGEST_PAUSE) or FIRST_PAUSE
        with self._moved:
            if self._thread is threading.current_thread():
                self._thread = None
                self._attempted.shut()
                _closed_at_exit.discard(self)

    def _connect_and_serve(self) -> None:
        self._attempted.shut()
        peer = self._dialling.connect(self._hear, self._answer)
        try:
            peer.when_ended(lambda reason: self.lost(peer, reason))
            with self._moved:
                self._peer, self._failure = peer, None
            self._attempted.open()
            self._serve(peer)
        except ConnectError as error:
            self.lost(peer, str(error))
        finally:
            self.lost(peer, "we have closed it")
            self._dialling.hang_up(peer)

    def _serve(self, peer: Peer) -> None:
        self._changes.begin(peer)
        self.calls.reset()
        while not self._is_closing and self._peer is peer:
            self._changes.subscribe(peer)
            kinds = self._changes.taken()
            if kinds:
                changed = self._lists.fetch(peer, kinds)
                # As long as it is not settled, nobody has seen any list.
                for kind in sorted(changed) if self.is_settled else ():
                    self._tell(kind)
                self._settled.open()
            with self._moved:
                self._moved.wait_for(
                    lambda: self._is_closing or self._peer is not peer or self._changes.are_due
                )

    def _failed(self, error: Exception) -> None:
        if self._is_closing:
            return
        reason = (
            str(error) if isinstance(error, PaddockError) else f"{type(error).__name__}: {error}"
        )
        if reason != self._failure:
            _log.warning("%r is not available: %s", self, reason)
        self._failure = reason
        self._attempted.open()
        self._settled.open()

    def _rest(self, seconds: float) -> None:
        with self._moved:
            self._moved.wait_for(lambda: self._is_closing, seconds)

    # What it says of itself.

    def _tell(self, kind: str, uri: str | None = None) -> int:
        return 0 if self.announce is None else self.announce(kind, uri)

    def _hear(self, method: str, params: Json) -> None:
        if method == "notifications/progress":
            self.calls.progress(params)
        elif method == "notifications/message":
            self.calls.log(params)
        elif method == "notifications/elicitation/complete":
            self._tell("elicitation", str(params.get("elicitationId")))
        elif method == "notifications/resources/updated":
            uri = str(params.get("uri"))
            if not self._tell("resources", uri):  # whoever wanted to know has left
                self._changes.forget(uri)
        elif method.endswith("/list_changed"):
            kind = method.removeprefix("notifications/").removesuffix("/list_changed")
            if kind in FETCHED:
                self._changes.add(kind)
                self.nudge()

    def _answer(self, method: str, params: Json) -> Json:
        return self.calls.answer(method, params)


_closed_at_exit: set[Upstream] = set()


@atexit.register
def _close_at_exit() -> None:
    close_all(list(_closed_at_exit))


def close_all(upstreams: list[Upstream]) -> None:
    """End the connections to several upstreams and wait until they have ended, or time is up."""
    for upstream in upstreams:
        upstream.begin_closing()
    deadline = monotonic() + CLOSE_TIME
    for upstream in upstreams:
        upstream.join(max(0.0, deadline - monotonic()))


async def settle_all(upstreams: list[Upstream]) -> None:
    """Wait until it is known what several upstreams offer, as far as time allows."""
    for upstream in upstreams:
        upstream.start()
    for upstream in upstreams:
        await upstream.settle()
