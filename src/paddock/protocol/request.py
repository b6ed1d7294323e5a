"""One request under way: who asked, in which era, what is being done, and how to stop it.

A `Request` is made by the dispatcher. An operation either finishes it on the spot or gives it
work, which the transport then runs where it sees fit: `run` in any thread, `run_async` on an
event loop. Work that is cancelled is really stopped and never answered.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, Raw, UnsetType

from paddock.protocol.errors import ProtocolError
from paddock.protocol.interruption import HandlerCancelled, interrupt, withdraw
from paddock.protocol.jsonrpc import RequestId, notification_frame
from paddock.protocol.pace import Pace

if TYPE_CHECKING:
    from paddock.protocol.asking import Ask
    from paddock.protocol.connection import Connection
    from paddock.protocol.eras.contract import Era
    from paddock.protocol.model.params import Meta, Params

Result = bytes | dict[str, object]
"""A result as a dictionary, or as the encoded members of its JSON object (without braces)."""

Work = Callable[["Request"], Result]
AsyncWork = Callable[["Request"], Awaitable[Result]]

_cancelling = allocate_lock()


class InputRequired(BaseException):  # noqa: N818 - not an error: it ends a handler to ask the client
    """The handler needs answers of the client before it can go on.

    Not an Exception, so that a handler's `except Exception` does not swallow it.
    """

    def __init__(self, asks: dict[str, Ask], state: object = None) -> None:
        super().__init__(", ".join(asks))
        self.asks = asks
        self.state = state


class Request:
    """One request of the peer, from its arrival to its answer."""

    __slots__ = (
        "_injected",
        "_is_done",
        "_thread",
        "_wakers",
        "async_work",
        "batch",
        "connection",
        "era",
        "id",
        "is_cancelled",
        "last_progress",
        "meta",
        "method",
        "pace",
        "params",
        "raw",
        "send",
        "stop",
        "work",
    )

    def __init__(
        self,
        connection: Connection,
        era: Era,
        request_id: RequestId,
        method: str,
        params: Params,
        raw: Raw | UnsetType,
    ) -> None:
        self.connection = connection
        self.era = era
        self.id = request_id
        self.method = method
        self.params = params
        self.raw = raw
        self.meta: Meta | None = None if params.meta is UNSET else params.meta
        self.send = connection.send
        self.work: Work | None = None
        self.async_work: AsyncWork | None = None
        self.pace: Pace | None = None
        self.stop: Callable[[], None] | None = None
        self.batch: Batch | None = None
        self.is_cancelled = False
        self.last_progress: float | None = None
        self._is_done = False
        self._injected = False
        self._thread = 0
        self._wakers: list[Callable[[], None]] | None = None

    def run(self) -> bytes | None:
        """Do the work in this thread; the frame to send, or None when there is nothing to say."""
        self._thread = get_ident()
        try:
            answer = None if self.is_cancelled else self._answer()
            self._is_done = True
        except HandlerCancelled:
            self._is_done = True
            answer = None
        if self._injected:
            self._settle()
        return self._deliver(answer)

    async def run_async(self) -> bytes | None:
        """Do the work on the running event loop."""
        try:
            if self.async_work is None:
                raise ProtocolError("The request has no asynchronous work")
            answer = self.era.reply(self, await self.async_work(self))
        except ProtocolError as error:
            answer = self.era.error(self.id, error)
        except InputRequired as required:
            answer = self._ask(required)
        except Exception as fault:  # noqa: BLE001 - the peer must get an answer, whatever happened
            answer = self.era.error(self.id, _internal(fault))
        self._is_done = True
        return self._deliver(answer)

    def cancel(self, reason: str | None = None) -> None:
        """Stop the work, wherever it runs; it will not be answered."""
        self.is_cancelled = True
        for wake in self._wakers or ():
            wake()
        if self.stop is not None:
            self.stop()
        elif self._thread:
            self._interrupt()

    @property
    def is_done(self) -> bool:
        """Whether the work has come to its end."""
        return self._is_done

    def notify(self, method: str, params: object) -> bool:
        """Tell the peer something about this request, as long as it is not answered."""
        if self._is_done or self.is_cancelled:
            return False
        self.send(notification_frame(method, params))
        return True

    def raw_meta(self) -> dict[str, object]:
        """The whole `_meta` of the request."""
        params = {} if self.raw is UNSET else msgspec.json.decode(self.raw)
        meta = params.get("_meta") if isinstance(params, dict) else None
        return meta if isinstance(meta, dict) else {}

    def on_cancel(self, wake: Callable[[], None]) -> None:
        """Call `wake` when the request is cancelled; at once when it already is."""
        if self._wakers is None:
            self._wakers = []
        self._wakers.append(wake)
        if self.is_cancelled:
            wake()

    def refuse(self) -> bytes | None:
        """The answer when too much else is waiting for the work to be begun."""
        busy = ProtocolError("The server is busy: too many requests are waiting; try again later")
        return self._deliver(self.era.error(self.id, busy))

    def _answer(self) -> bytes:
        try:
            if self.work is None:
                raise ProtocolError("The request has no work")
            return self.era.reply(self, self.work(self))
        except ProtocolError as error:
            return self.era.error(self.id, error)
        except InputRequired as required:
            return self._ask(required)
        except Exception as fault:  # noqa: BLE001 - the peer must get an answer, whatever happened
            return self.era.error(self.id, _internal(fault))

    def _ask(self, required: InputRequired) -> bytes:
        try:
            return self.era.input_required(self, required)
        except ProtocolError as error:
            return self.era.error(self.id, error)

    def _deliver(self, answer: bytes | None) -> bytes | None:
        if self.is_cancelled:
            answer = None
        return answer if self.batch is None else self.batch.add(answer)

    def _interrupt(self) -> None:
        # The worker sets _is_done before it looks at _injected, we set _injected before we look
        # at _is_done: one of the two always sees the other.
        with _cancelling:
            self._injected = True
            if not self._is_done:
                interrupt(self._thread)

    def _settle(self) -> None:
        """Make sure that an exception meant for the handler does not hit this thread later."""
        try:
            with _cancelling:
                pass
            withdraw(self._thread)
        except HandlerCancelled:
            pass


class Batch:
    """Gathers the answers to an array of messages, which are sent as one array."""

    __slots__ = ("_answers", "_expected", "_lock")

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._answers: list[bytes] = []
        self._lock = allocate_lock()

    def add(self, answer: bytes | None) -> bytes | None:
        """Keep an answer; the whole array once the last one is in."""
        with self._lock:
            self._expected -= 1
            if answer is not None:
                self._answers.append(answer.rstrip(b"\n"))
            if self._expected or not self._answers:
                return None
            return b"[" + b",".join(self._answers) + b"]\n"


def _internal(fault: Exception) -> ProtocolError:
    return ProtocolError(f"Internal error: {type(fault).__name__}: {fault}")
