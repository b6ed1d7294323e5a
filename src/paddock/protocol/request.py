"""How fast a handler has been, to decide where its next call runs.

A plain function runs in the thread that read its call, which costs nothing, until it once proves
slow; from then on its calls go straight to worker threads. A handler that was slow only once
(a cold cache, say) earns its place back.

One request under way: who asked, in which era, what is being done, and how to stop it.

A `Request` is made by the dispatcher. An operation either finishes it on the spot or gives it
work, which the transport then runs where it sees fit: `run` in any thread, `run_async` on an
event loop. Work that is cancelled is really stopped and never answered.

What requests need of their era is the contract `Era`: a table of methods and a way to shape
answers. A method that is not in an era's table does not exist in it; there is no other gate.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import UNSET

from paddock.protocol.errors import ProtocolError
from paddock.protocol.jsonrpc import RequestId, encode_notification
from paddock.protocol.params import RequestParams
from paddock.protocol.thread_interrupt import (
    HandlerCancelled,
    interrupt_retrier,
    interrupt_thread,
    withdraw_interrupt,
)

if TYPE_CHECKING:
    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.params import RequestMeta
    from paddock.protocol.principal import Principal
    from paddock.protocol.server_metadata import Json
    from paddock.protocol.server_requests import ServerRequest


QUICK_CALLS_TO_FORGIVE = 16
"""Quick calls in a row after which a slow handler counts as quick again."""


class SlowHandlerTracker:
    """The memory of one handler's speed."""

    __slots__ = ("_quick_streak", "is_slow", "is_trusted")

    def __init__(self, *, is_trusted: bool = False) -> None:
        self.is_trusted = is_trusted
        self.is_slow = False
        self._quick_streak = 0

    def record_slow_call(self) -> None:
        """A call of the handler held up its thread."""
        self.is_slow = not self.is_trusted
        self._quick_streak = 0

    def record_quick_call(self) -> None:
        """A call of a slow handler was over at once."""
        self._quick_streak += 1
        if self._quick_streak >= QUICK_CALLS_TO_FORGIVE:
            self.is_slow = False


Result = bytes | tuple[bytes, ...] | dict[str, object]
"""A result as a dictionary, or as the encoded members of its JSON object (without braces), whole
or, where that would be a costly copy, in pieces."""

OperationResult = Result | None
"""What an operation did: finished with a result, or (None) gave the request work to do, or will
answer later by itself."""

Operation = Callable[["Request"], OperationResult]
Work = Callable[["Request"], Result]
AsyncWork = Callable[["Request"], Awaitable[Result]]

TaskSupport = Literal["forbidden", "optional", "required"]
"""Whether calls of a tool can become tasks."""

EMPTY_PARAMS = RequestParams()

_cancel_lock = allocate_lock()


class InputRequired(BaseException):
    """The handler needs answers of the client before it can go on.

    Not an Exception, so that a handler's `except Exception` does not swallow it.
    """

    def __init__(self, server_requests: dict[str, ServerRequest]) -> None:
        super().__init__(", ".join(server_requests))
        self.requests = server_requests


class AwaitableAnswers(Protocol):
    """Answers that the client has yet to give."""

    def wait(self) -> Json:
        """Block until they are here."""

    async def wait_async(self) -> Json:
        """Suspend until they are here."""


class ProtocolEra(Protocol):
    """One protocol era, for all connections of a server."""

    methods: dict[str, Operation]
    is_stateless: bool

    def check_request(self, request: Request) -> None:
        """Check what every request of the era must have.

        Raises:
            ProtocolError: when it lacks something.
        """

    def encode_reply(self, request: Request, result: Result) -> bytes:
        """The frame of a complete result."""

    def encode_error_reply(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """The frame of an error, with the code that this era has for it."""

    def encode_input_required(self, request: Request, required: InputRequired) -> bytes:
        """The frame that sends a handler's questions to the client."""

    def request_input(
        self, request: Request, server_requests: dict[str, ServerRequest]
    ) -> Json | AwaitableAnswers:
        """The answers to questions, or something that waits for them."""

    def get_remembered_value(self, request: Request) -> object:
        """What the handler kept when it last had to ask, if it is being run again."""

    def find_task_factory(self, request: Request, task_support: TaskSupport) -> TaskFactory | None:
        """Whether a call of a tool may become a task.

        Raises:
            ProtocolError: when the client and the tool do not fit.
        """

    def encode_task_created(self, request: Request, task: DetachedWork) -> bytes:
        """The frame that answers a call with the task that it has become."""

    def get_version(self, request: Request) -> str:
        """The protocol version of a request."""

    def get_client_capabilities(self, request: Request) -> Json:
        """What the client of a request has declared."""

    def get_client_info(self, request: Request) -> Json | None:
        """Who the client of a request says it is."""

    def get_log_level(self, request: Request) -> str | None:
        """The lowest level at which this request's log messages are wanted; None: not at all."""


class RequestExchange(Protocol):
    """Where a request came from, when its connection serves several at once: HTTP."""

    principal: Principal | None
    error: ProtocolError | None
    """Why the request could not be begun."""
    is_over: bool
    """Whether nobody is there any more to be told anything."""

    @property
    def accepts_messages(self) -> bool:
        """Whether the client can be sent anything before the answer."""

    def send(self, frame: bytes) -> None:
        """Send a frame that belongs to the request. May be called by any thread."""

    def get_header(self, name: str) -> str | None:
        """A header of the request, without the blanks around it.

        Raises:
            HeaderMismatchError: when it is there more than once.
        """

    def close_for_reconnect(self, retry_ms: int | None) -> bool:
        """Have the client come back later for the answer; whether that is possible."""

    def finish(self, request: Request, answer: bytes | None) -> None:
        """Send the answer, with which the exchange ends. May be called by any thread."""

    @property
    def session_id(self) -> str | None:
        """The id of the session that the request belongs to."""

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The address and port that the request came from."""

    def set_log_fields(self, fields: Mapping[str, object]) -> None:
        """What is to be said about the request where the exchange is logged."""


class AnswerSink(Protocol):
    """What takes an answer in the place of the peer."""

    def add_answer(self, answer: bytes | None) -> bytes | None:
        """Take an answer; what is to be sent instead."""


class DetachedWork(AnswerSink, Protocol):
    """Work that goes on after its request has been answered; `protocol.tasks` has it."""

    def request_input(self, server_requests: dict[str, ServerRequest]) -> AwaitableAnswers:
        """Put questions to whoever looks after it."""

    def set_status_message(self, message: str) -> None:
        """Say in words how it goes."""


class ObserverHook(Protocol):
    """That somebody watches the work of a request; `protocol.observing` has it."""

    def record_exception(self, error: BaseException) -> None:
        """The handler has raised this."""

    def discard(self, error: ProtocolError | None = None) -> None:
        """The work will never begin."""


class TaskFactory(Protocol):
    """That a request may become a task."""

    def create(self, request: Request, ttl_ms: int | None, message: str | None) -> DetachedWork:
        """Make it one."""


class Request:
    """One request of the peer, from its arrival to its answer."""

    # Most requests never need these: as defaults of the class they cost a request nothing.
    work: Work | None = None
    async_work: AsyncWork | None = None
    slow_tracker: SlowHandlerTracker | None = None
    stop: Callable[[], None] | None = None
    answer_sink: AnswerSink | None = None
    exchange: RequestExchange | None = None
    error: ProtocolError | None = None
    task_factory: TaskFactory | None = None
    task: DetachedWork | None = None
    observation: ObserverHook | None = None
    has_no_deadline = False
    """Whether it waits for something that may take any time."""
    is_cancelled = False
    is_done = False
    last_progress: float | None = None
    remembered_value: object = None
    _was_interrupted = False
    _thread_id = 0
    _cancel_callbacks: list[Callable[[], None]] | None = None

    def __init__(
        self,
        connection: ServerConnection,
        era: ProtocolEra,
        request_id: RequestId,
        method: str,
        params: RequestParams,
        line: bytes,
    ) -> None:
        self.connection = connection
        self.era = era
        self.id = request_id
        self.method = method
        self.params = params
        self.line = line

    @property
    def meta(self) -> RequestMeta | None:
        """What the protocol itself reads of the request's `_meta`."""
        return None if self.params.meta is UNSET else self.params.meta

    @property
    def principal(self) -> Principal | None:
        """Who the request comes from, where that was checked."""
        return None if self.exchange is None else self.exchange.principal

    @property
    def is_answered(self) -> bool:
        """Whether it has become a task, which has an end of its own."""
        return self.task is not None

    @property
    def origin(self) -> object:
        """What the id of the request is unique in."""
        return self.exchange or self.connection

    def send(self, frame: bytes) -> None:
        """Send a frame that belongs to this request."""
        (self.exchange or self.connection).send(frame)

    def run(self) -> bytes | None:
        """Do the work in this thread; the frame to send, or None when there is nothing to say."""
        self._thread_id = get_ident()
        answer: bytes | None = None
        try:
            try:
                if not self.is_cancelled:
                    answer = self.era.encode_reply(self, self.work(self))  # type: ignore[misc]  # has work
                elif self.observation is not None:
                    self.observation.discard()
            except HandlerCancelled:
                raise
            except BaseException as error:  # noqa: BLE001 - the peer must get an answer
                answer = self._encode_exception(error)
            self.is_done = True
        except HandlerCancelled:
            self.is_done = True
        if self._was_interrupted:
            self._withdraw_interrupt()
        return (
            answer
            if self.answer_sink is None and not self.is_cancelled
            else self._pass_to_sink(answer)
        )

    async def run_async(self, send_answer: Callable[[Request, bytes | None], None]) -> None:
        """Do the work on the running event loop and give the frame to `finish`."""
        answer: bytes | None = None
        try:
            answer = self.era.encode_reply(self, await self.async_work(self))  # type: ignore[misc]  # has work
        except BaseException as error:  # noqa: BLE001 - the peer must get an answer
            if not self.is_cancelled:
                answer = self._encode_exception(error)
        finally:
            self.is_done = True
            send_answer(self, self._pass_to_sink(answer))

    def cancel(self, reason: str | None = None) -> None:
        """Stop the work, wherever it runs; it will not be answered."""
        self.is_cancelled = True
        for callback in self._cancel_callbacks or ():
            callback()
        if self.stop is not None:
            self.stop()
        elif self._thread_id:
            self.interrupt()
            if not self.is_done:
                interrupt_retrier.retry_until_done(self)

    def detach(self, ttl_ms: int | None = None, message: str | None = None) -> bool:
        """Answer the request with a task, as which the work goes on; False if it cannot be one."""
        if self.task is not None:
            return True
        if self.task_factory is None or self.is_cancelled:
            return False
        self.task = self.answer_sink = task = self.task_factory.create(self, ttl_ms, message)
        frame = self.era.encode_task_created(self, task)
        if self.exchange is not None:
            self.exchange.finish(self, frame)
        else:
            self.connection.send(frame)
        return True

    def notify(self, method: str, params: object) -> bool:
        """Tell the peer something about this request, as long as it is not answered."""
        if self.is_done or self.is_cancelled or self.task is not None:
            return False
        self.send(encode_notification(method, params))
        return True

    def discard_body(self) -> None:
        """Keep nothing of what came with the request, once the work is done."""
        self.line = b"{}"
        self.params = EMPTY_PARAMS

    def decode_meta(self) -> dict[str, object]:
        """The whole `_meta` of the request."""
        if self.params.meta is UNSET:
            return {}
        meta: dict[str, object] = msgspec.json.decode(self.line)["params"]["_meta"]
        return meta

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call `wake` when the request is cancelled; at once when it already is."""
        if self._cancel_callbacks is None:
            self._cancel_callbacks = []
        self._cancel_callbacks.append(callback)
        if self.is_cancelled:
            callback()

    def finish_cancelled(self) -> bytes | None:
        """What is to be sent when the work was cancelled before it began: only of a batch."""
        if self.observation is not None:
            self.observation.discard()
        return self._pass_to_sink(None)

    def reject_busy(self) -> bytes | None:
        """The answer when too much else is waiting for the work to be begun."""
        error = ProtocolError("The server is busy: too many requests are waiting; try again later")
        if self.observation is not None:
            self.observation.discard(error)
        return self._pass_to_sink(self.era.encode_error_reply(self.id, error))

    def _encode_exception(self, fault: BaseException) -> bytes:
        """The answer when the work has ended with an exception."""
        try:
            if isinstance(fault, InputRequired):
                return self.era.encode_input_required(self, fault)
        except Exception as error:  # noqa: BLE001 - the peer must get an answer
            fault = error
        if not isinstance(fault, ProtocolError):
            fault = ProtocolError(
                f"Internal error: {type(fault).__name__}: {describe_object(fault)}"
            )
        self.error = fault
        return self.era.encode_error_reply(self.id, fault)

    def _pass_to_sink(self, answer: bytes | None) -> bytes | None:
        if self.is_cancelled:
            answer = None
        return answer if self.answer_sink is None else self.answer_sink.add_answer(answer)

    def interrupt(self) -> None:
        """Stop the work where it runs in a thread."""
        # The worker sets is_done before it looks at _is_injected, we set _is_injected before we
        # look at is_done: one of the two always sees the other.
        with _cancel_lock:
            self._was_interrupted = True
            if not self.is_done:
                interrupt_thread(self._thread_id)

    def _withdraw_interrupt(self) -> None:
        """Make sure that an exception meant for the handler does not hit this thread later."""
        try:
            with _cancel_lock:
                pass
            withdraw_interrupt(self._thread_id)
        except HandlerCancelled:
            pass


def describe_object(value: object) -> str:
    """What an exception or another object says of itself; some cannot even say that."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - whatever its own code does
        return f"({type(value).__name__}: str() failed)"


class BatchReply:
    """Gathers the answers to an array of messages, which are sent as one array."""

    __slots__ = ("_answers", "_lock", "_missing_count")

    def __init__(self, expected_count: int) -> None:
        self._missing_count = expected_count
        self._answers: list[bytes] = []
        self._lock = allocate_lock()

    def add_answer(self, answer: bytes | None) -> bytes | None:
        """Keep an answer; the whole array once the last one is in."""
        with self._lock:
            self._missing_count -= 1
            if answer is not None:
                self._answers.append(answer.rstrip(b"\n"))
            if self._missing_count or not self._answers:
                return None
            return b"[" + b",".join(self._answers) + b"]\n"
