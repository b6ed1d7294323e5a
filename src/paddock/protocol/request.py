"""One request in progress, and the interfaces that it depends on.

The dispatcher creates a `Request`. An operation either finishes it immediately or gives it work for
the transport to run: `run` in any thread, `run_async` on an event loop. Cancelled work is stopped
and never answered.

`ProtocolEra` is the interface of an era: a method table and the encoding of answers. A method that
is not in an era's table does not exist in that era.
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
    from paddock.protocol.observers import ObservedRequest
    from paddock.protocol.params import RequestMeta
    from paddock.protocol.principal import Principal
    from paddock.protocol.server_metadata import Json
    from paddock.protocol.server_requests import ResponseCollector, ServerRequest
    from paddock.protocol.tasks import CallTask, TaskFactory


QUICK_CALLS_TO_FORGIVE = 16
"""Consecutive quick calls after which a slow handler counts as quick again."""


class SlowHandlerTracker:
    """Decides where a plain handler runs, based on the duration of its earlier calls.

    At first, a handler runs in the thread that read its call, which avoids a thread switch. Once it
    proves to be slow, its calls go to worker threads. A handler that was slow only once, for
    example because of a cold cache, recovers after `QUICK_CALLS_TO_FORGIVE` quick calls.

    Args:
        is_trusted: The author declared the handler as quick, so it is never marked as slow.
    """

    __slots__ = ("_quick_streak", "is_slow", "is_trusted")

    def __init__(self, *, is_trusted: bool = False) -> None:
        self.is_trusted = is_trusted
        self.is_slow = False
        self._quick_streak = 0

    def record_slow_call(self) -> None:
        """Record that a call blocked its thread."""
        self.is_slow = not self.is_trusted
        self._quick_streak = 0

    def record_quick_call(self) -> None:
        """Record that a call to a slow handler was quick."""
        self._quick_streak += 1
        if self._quick_streak >= QUICK_CALLS_TO_FORGIVE:
            self.is_slow = False


Result = bytes | tuple[bytes, ...] | dict[str, object]
"""A result as a dictionary, or as the encoded members of its JSON object without the braces.

The members may be split into multiple pieces, because joining a large result would copy it.
"""

OperationResult = Result | None
"""A result, or None if the operation gave the request work or will answer it later."""

Operation = Callable[["Request"], OperationResult]
Work = Callable[["Request"], Result]
AsyncWork = Callable[["Request"], Awaitable[Result]]

TaskSupport = Literal["forbidden", "optional", "required"]
"""Whether calls to a tool can become tasks."""

EMPTY_PARAMS = RequestParams()

_cancel_lock = allocate_lock()


class InputRequired(BaseException):
    """Raised in a handler that needs answers from the client before it can continue.

    Used in protocol versions where the client repeats the request with its answers. It is not an
    `Exception`, so that `except Exception` in a handler does not catch it.
    """

    def __init__(self, server_requests: dict[str, ServerRequest]) -> None:
        super().__init__(", ".join(server_requests))
        self.requests = server_requests


class ProtocolEra(Protocol):
    """A protocol era, shared by all connections of a server."""

    methods: dict[str, Operation]
    is_stateless: bool

    def check_request(self, request: Request) -> None:
        """Check a request's envelope.

        Raises:
            ProtocolError: The envelope is invalid in this era.
        """

    def encode_reply(self, request: Request, result: Result) -> bytes:
        """Encode a complete result as a frame."""

    def encode_error_reply(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """Encode an error as a frame, with its code in this era."""

    def encode_input_required(self, request: Request, required: InputRequired) -> bytes:
        """Encode a handler's questions as a frame."""

    def request_input(
        self, request: Request, server_requests: dict[str, ServerRequest]
    ) -> Json | ResponseCollector:
        """Return the answers to questions, or an object that waits for them."""

    def get_remembered_value(self, request: Request) -> object:
        """Return the value that the handler stored in an earlier round."""

    def find_task_factory(self, request: Request, task_support: TaskSupport) -> TaskFactory | None:
        """Return a factory if the call may become a task, otherwise None.

        Raises:
            ProtocolError: The client and the tool disagree about tasks.
        """

    def encode_task_created(self, request: Request, task: CallTask) -> bytes:
        """Encode the answer to a call that became a task."""

    def get_version(self, request: Request) -> str:
        """Return the protocol version of a request."""

    def get_client_capabilities(self, request: Request) -> Json:
        """Return the capabilities that the client declared."""

    def get_client_info(self, request: Request) -> Json | None:
        """Return the client's name and version, if it sent them."""

    def get_log_level(self, request: Request) -> str | None:
        """Return the lowest level of log messages to send for a request, or None to send none."""


class RequestExchange(Protocol):
    """The HTTP request and response that carry a message. Other transports do not have one."""

    principal: Principal | None
    error: ProtocolError | None
    """The error for a request whose work could not start."""
    is_over: bool
    """Whether the response is complete or the client has disconnected."""

    @property
    def accepts_messages(self) -> bool:
        """Whether messages can be sent before the answer, because the response is a stream."""

    def send(self, frame: bytes) -> None:
        """Send a message that belongs to the request. Any thread may call this."""

    def get_header(self, name: str) -> str | None:
        """Return a request header, or None.

        Raises:
            HeaderMismatchError: The header occurs more than once.
        """

    def close_for_reconnect(self, retry_ms: int | None) -> bool:
        """Close the response so that the client reconnects and fetches the answer later.

        Returns:
            False if the client could not resume the response. It then stays open.
        """

    def finish(self, request: Request, answer: bytes | None) -> None:
        """Send the answer, which ends the exchange. Any thread may call this."""

    @property
    def session_id(self) -> str | None:
        """The id of the client's session, or None if it has not opened one."""

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The client's address and port."""

    def set_log_fields(self, fields: Mapping[str, object]) -> None:
        """Set additional fields for the access log line of this exchange."""


class AnswerSink(Protocol):
    """An object that receives the answer to a request instead of the client: a batch or a task."""

    def add_answer(self, answer: bytes | None) -> bytes | None:
        """Add the answer to a request.

        Args:
            answer: The encoded answer, or None if the request was cancelled and is not answered.

        Returns:
            The bytes to send to the client now, or None.
        """


class Request:
    """A client's request, from its arrival to its answer.

    The object is shared by the thread that runs the work and the thread that cancels it.
    `interrupt` and `run` are written so that an interrupt can only affect the work of this request.
    """

    # Most requests never set these. As class attributes they cost nothing per request.
    work: Work | None = None
    async_work: AsyncWork | None = None
    slow_tracker: SlowHandlerTracker | None = None
    stop: Callable[[], object] | None = None
    answer_sink: AnswerSink | None = None
    exchange: RequestExchange | None = None
    error: ProtocolError | None = None
    task_factory: TaskFactory | None = None
    task: CallTask | None = None
    observation: ObservedRequest | None = None
    has_no_deadline = False
    """Whether the work is exempt from time limits because it waits for something else."""
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
        # The encoded message, because `_meta` members that the protocol does not define are only
        # decoded if a handler reads them.
        self.line = line

    @property
    def meta(self) -> RequestMeta | None:
        """The members of `_meta` that the protocol defines."""
        return None if self.params.meta is UNSET else self.params.meta

    @property
    def principal(self) -> Principal | None:
        """The authenticated sender, if the transport uses authentication."""
        return None if self.exchange is None else self.exchange.principal

    @property
    def is_answered(self) -> bool:
        """Whether the request has become a task, which continues after the answer."""
        return self.task is not None

    @property
    def origin(self) -> object:
        """The scope in which the request's id is unique."""
        return self.exchange or self.connection

    def send(self, frame: bytes) -> None:
        """Send a frame that belongs to this request."""
        (self.exchange or self.connection).send(frame)

    def run(self) -> bytes | None:
        """Run the request's work, usually a handler, in this thread.

        Returns:
            The message to send, or None if the request was cancelled or an `AnswerSink` has
            received the answer.
        """
        self._thread_id = get_ident()
        answer: bytes | None = None
        # Another thread cancels the work by raising HandlerCancelled here. It can be raised at any
        # bytecode, even while another exception is being encoded, where only the outer `try`
        # statement catches it.
        try:
            try:
                if not self.is_cancelled:
                    answer = self.era.encode_reply(self, self.work(self))  # type: ignore[misc]  # has work
                elif self.observation is not None:
                    self.observation.discard()
            except HandlerCancelled:
                raise
            except BaseException as error:  # noqa: BLE001 - every request must be answered
                answer = self._encode_exception(error)
            self.is_done = True
        except HandlerCancelled:
            self.is_done = True
        if self._was_interrupted:
            self._withdraw_interrupt()
        # Most answers go directly to the client, without another call.
        if self.answer_sink is None and not self.is_cancelled:
            return answer
        return self._pass_to_sink(answer)

    async def run_async(self, send_answer: Callable[[Request, bytes | None], None]) -> None:
        """Await the request's work on the running event loop.

        Args:
            send_answer: Called with the request and the message to send. The message is None if
                the request was cancelled or an `AnswerSink` has received the answer.
        """
        answer: bytes | None = None
        try:
            answer = self.era.encode_reply(self, await self.async_work(self))  # type: ignore[misc]  # has work
        except BaseException as error:  # noqa: BLE001 - every request must be answered
            if not self.is_cancelled:
                answer = self._encode_exception(error)
        finally:
            self.is_done = True
            send_answer(self, self._pass_to_sink(answer))

    def cancel(self, reason: str | None = None) -> None:
        """Stop the work in the thread or event loop where it runs. The request is not answered.

        Args:
            reason: The client's reason or the server's own.
        """
        self.is_cancelled = True
        for callback in self._cancel_callbacks or ():
            callback()
        # Work that has not started has neither `stop` nor a thread. `run` checks `is_cancelled`.
        if self.stop is not None:
            self.stop()
        elif self._thread_id:
            self.interrupt()
            if not self.is_done:
                interrupt_retrier.retry_until_done(self)

    def detach(self, ttl_ms: int | None = None, message: str | None = None) -> bool:
        """Turn the call into a task: answer the request now, while its work continues.

        The answer identifies the task, so that the client can fetch the result later.

        Args:
            ttl_ms: Number of milliseconds during which the client can fetch the result.
            message: The status message of the new task.

        Returns:
            False if the call cannot become a task, or has been cancelled.
        """
        if self.task is not None:
            return True
        if self.task_factory is None or self.is_cancelled:
            return False
        self.task = self.answer_sink = task = self.task_factory(self, ttl_ms, message)
        frame = self.era.encode_task_created(self, task)
        if self.exchange is not None:
            self.exchange.finish(self, frame)
        else:
            self.connection.send(frame)
        return True

    def notify(self, method: str, params: object) -> bool:
        """Send a notification about this request. Return False if it is already answered."""
        if self.is_done or self.is_cancelled or self.task is not None:
            return False
        self.send(encode_notification(method, params))
        return True

    def discard_body(self) -> None:
        """Release the message, which may be large, because the work no longer needs it."""
        self.line = b"{}"
        self.params = EMPTY_PARAMS

    def decode_meta(self) -> dict[str, object]:
        """Return the request's complete `_meta`."""
        if self.params.meta is UNSET:
            return {}
        # Decoded again, because RequestMeta drops the members that the protocol does not define.
        meta: dict[str, object] = msgspec.json.decode(self.line)["params"]["_meta"]
        return meta

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call a function when the request is cancelled, or now if it already is."""
        if self._cancel_callbacks is None:
            self._cancel_callbacks = []
        self._cancel_callbacks.append(callback)
        if self.is_cancelled:
            callback()

    def finish_cancelled(self) -> bytes | None:
        """Complete a request whose work was cancelled before it started.

        Returns:
            The answers to the request's batch if this request was the last one, otherwise None.
        """
        if self.observation is not None:
            self.observation.discard()
        return self._pass_to_sink(None)

    def reject_busy(self) -> bytes | None:
        """Return the answer for the case that too many requests are waiting."""
        error = ProtocolError("The server is busy: too many requests are waiting; try again later")
        if self.observation is not None:
            self.observation.discard(error)
        return self._pass_to_sink(self.era.encode_error_reply(self.id, error))

    def _encode_exception(self, error: BaseException) -> bytes:
        """Return the encoded answer to a request whose work raised an exception.

        The exception becomes an error, or a result with questions for the client.
        """
        try:
            if isinstance(error, InputRequired):
                return self.era.encode_input_required(self, error)
        except Exception as exc:  # noqa: BLE001 - every request must be answered
            error = exc
        if not isinstance(error, ProtocolError):
            error = make_internal_error(error)
        self.error = error
        return self.era.encode_error_reply(self.id, error)

    def _pass_to_sink(self, answer: bytes | None) -> bytes | None:
        """Pass the answer to the batch or task, if there is one, and return the bytes to send."""
        # A batch counts its members, so it must also receive the missing answer of a cancelled one.
        if self.is_cancelled:
            answer = None
        return answer if self.answer_sink is None else self.answer_sink.add_answer(answer)

    def interrupt(self) -> None:
        """Raise `HandlerCancelled` in the thread that runs the request's work."""
        # The thread may have just finished the work. It sets `is_done` and then reads
        # `_was_interrupted`, while this thread sets `_was_interrupted` and then reads `is_done`.
        # At least one of them sees the other's change, so an interrupt never hits later work.
        with _cancel_lock:
            self._was_interrupted = True
            if not self.is_done:
                interrupt_thread(self._thread_id)

    def _withdraw_interrupt(self) -> None:
        """Withdraw an interrupt that arrived too late, before this thread runs other work."""
        try:
            with _cancel_lock:  # This waits until another thread has raised its interrupt.
                pass
            withdraw_interrupt(self._thread_id)
        except HandlerCancelled:
            pass


def describe_object(value: object) -> str:
    """Return `str(value)`, or a placeholder if its `__str__` fails."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - __str__ is the author's code
        return f"({type(value).__name__}: str() failed)"


def make_internal_error(error: BaseException) -> ProtocolError:
    """Return the error for a request that failed because of a bug."""
    return ProtocolError(f"Internal error: {type(error).__name__}: {describe_object(error)}")


class BatchReply:
    """Collects the answers to a batch and returns them as one array."""

    __slots__ = ("_answers", "_lock", "_missing_count")

    def __init__(self, expected_count: int) -> None:
        self._missing_count = expected_count
        self._answers: list[bytes] = []
        self._lock = allocate_lock()

    def add_answer(self, answer: bytes | None) -> bytes | None:
        """Add the answer to one message in the batch.

        Args:
            answer: The encoded answer, or None for a message that is not answered.

        Returns:
            The array of all answers if this was the last message, otherwise None. Also None if no
            message in the batch has an answer.
        """
        with self._lock:
            self._missing_count -= 1
            if answer is not None:
                self._answers.append(answer.rstrip(b"\n"))
            if self._missing_count or not self._answers:
                return None
            return b"[" + b",".join(self._answers) + b"]\n"
