"""Request observers, for spans and logs.

Observers wrap the operations in an era's method table when a server starts. Without observers, the
table is unchanged, so observation costs nothing when unused.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec
from msgspec import UNSET

from paddock.protocol.errors import ProtocolError
from paddock.protocol.jsonrpc import decode_frame
from paddock.protocol.request import InputRequired, make_internal_error
from paddock.protocol.tasks import is_tool_error
from paddock.protocol.thread_interrupt import HandlerCancelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from paddock.protocol.request import (
        AsyncWork,
        Operation,
        OperationResult,
        Request,
        Result,
        Work,
    )

OutcomeStatus = Literal["ok", "error", "tool_error", "input_required", "cancelled"]

_TOOL_ERROR_MEMBER = b'"isError":true'


class RequestOutcome(NamedTuple):
    """The outcome of a request: its status and, for a failure, the error and its JSON-RPC code."""

    status: OutcomeStatus
    error: ProtocolError | None = None
    code: int | None = None


CANCELLED_OUTCOME = RequestOutcome("cancelled")


class RequestObservation(Protocol):
    """An observer's record of one request, such as a span of a trace.

    It must not keep a reference to the request.
    """

    def run(self, work: Callable[[], Result]) -> Result:
        """Call the function that handles the request, for example in the context of a span."""

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Await the coroutine function that handles the request."""

    def record_exception(self, error: BaseException) -> None:
        """Record a handler's exception, which the client only sees as a message."""

    def end(self, outcome: RequestOutcome) -> None:
        """Record the outcome. Called again only if a cancellation interrupted the first call."""


class RequestObserver(Protocol):
    """An observer of all requests that a server starts to answer, for traces and logs."""

    def begin(self, request: Request, received_ns: int, *, is_known: bool) -> RequestObservation:
        """Start observing a request, and return the record that is notified of its progress.

        Args:
            request: The request.
            received_ns: The time when it was received, in nanoseconds since the epoch.
            is_known: Whether the tool or prompt that the request names exists.
        """


def wrap_methods(
    methods: dict[str, Operation], observers: Iterable[RequestObserver]
) -> dict[str, Operation]:
    """Return a method table in which the observers see every request.

    The first observer is outermost: it is the first to be notified of a request, and the last to be
    notified of its end.
    """
    for observer in reversed(list(observers)):
        methods = {
            method: _wrap_operation(operation, observer) for method, operation in methods.items()
        }
    return methods


def _wrap_operation(operation: Operation, observer: RequestObserver) -> Operation:
    """Return a wrapper for an operation that reports each request to an observer.

    If the operation returns a result, the observation ends there. If it assigns work to the request
    instead, the observation includes the work and ends when the work does.
    """

    def run_observed(request: Request) -> OperationResult:
        received_ns = time_ns()
        try:
            result = operation(request)
        except Exception as error:
            # The operation may have failed because the named tool or prompt does not exist, so the
            # name counts as unknown.
            outcome = _make_failure_outcome(request, error)
            observer.begin(request, received_ns, is_known=False).end(outcome)
            raise
        observation = observer.begin(request, received_ns, is_known=True)
        if result is None and (request.work or request.async_work):
            request.observation = ObservedRequest(request, observation)
        else:
            observation.end(_make_success_outcome(request, result))
        return result

    return run_observed


class ObservedRequest:
    """Runs a request's work inside an observation.

    Multiple observers are nested, so an observed request passes exceptions on to the one that it
    wraps.
    """

    __slots__ = ("_async_work", "_has_ended", "_inner_hook", "_observation", "_work")

    def __init__(self, request: Request, observation: RequestObservation) -> None:
        self._observation = observation
        self._inner_hook = request.observation
        self._work: Work | None = request.work
        self._async_work: AsyncWork | None = request.async_work
        self._has_ended = False
        if request.work is not None:
            request.work = self._run
        if request.async_work is not None:
            request.async_work = self._run_async

    def record_exception(self, error: BaseException) -> None:
        """Record an exception from the handler."""
        self._observation.record_exception(error)
        if self._inner_hook is not None:
            self._inner_hook.record_exception(error)

    def discard(self, error: ProtocolError | None = None) -> None:
        """Record that the work will never start: it was cancelled, or rejected with `error`."""
        self._end(
            CANCELLED_OUTCOME if error is None else RequestOutcome("error", error, error.rpc_code)
        )
        if self._inner_hook is not None:
            self._inner_hook.discard(error)

    def _run(self, request: Request) -> Result:
        """Run the original work within the observation. This is the request's `work`."""
        try:
            return self._observation.run(lambda: self._run_work(request))
        except HandlerCancelled:
            # A cancellation can be raised at any bytecode, including outside the `try` statement in
            # `_run_work`.
            self._end(CANCELLED_OUTCOME)
            raise

    async def _run_async(self, request: Request) -> Result:
        return await self._observation.run_async(lambda: self._run_work_async(request))

    def _run_work(self, request: Request) -> Result:
        """Run the request's original work, and record its outcome."""
        try:
            result = self._work(request)  # type: ignore[misc]  # it has work
        except BaseException as error:
            self._end(_make_failure_outcome(request, error))
            raise
        self._end(_make_success_outcome(request, result))
        return result

    async def _run_work_async(self, request: Request) -> Result:
        """Await the request's original work, and record its outcome."""
        try:
            result = await self._async_work(request)  # type: ignore[misc]  # it has work
        except BaseException as error:
            self._end(_make_failure_outcome(request, error))
            raise
        self._end(_make_success_outcome(request, result))
        return result

    def _end(self, outcome: RequestOutcome) -> None:
        if not self._has_ended:
            self._observation.end(outcome)
            self._has_ended = True


def _make_success_outcome(request: Request, result: OperationResult) -> RequestOutcome:
    """Return the outcome of a request whose operation or work returned a result."""
    if request.is_cancelled:
        # A request that exceeds its time limit is answered with an error before it is cancelled,
        # so the error is its outcome.
        if request.error is not None:
            return _make_error_outcome(request, request.error)
        return CANCELLED_OUTCOME
    is_tool_failure = request.method == "tools/call" and _is_tool_error(result)
    return RequestOutcome("tool_error" if is_tool_failure else "ok")


def _make_failure_outcome(request: Request, error: BaseException) -> RequestOutcome:
    """Return the outcome of a request whose operation or work raised an exception."""
    if isinstance(error, InputRequired):
        return RequestOutcome("input_required")
    if request.error is not None:  # The request timed out and has been answered.
        return _make_error_outcome(request, request.error)
    if request.is_cancelled:
        return CANCELLED_OUTCOME
    if not isinstance(error, ProtocolError):
        error = make_internal_error(error)
    return _make_error_outcome(request, error)


def _make_error_outcome(request: Request, error: ProtocolError) -> RequestOutcome:
    """Return the outcome for an error, with its code in the request's era."""
    answer = decode_frame(request.era.encode_error_reply(request.id, error)).error
    code = error.rpc_code if answer is UNSET else _decode_error_code(answer).code
    return RequestOutcome("error", error, code)


class _ErrorCode(msgspec.Struct):
    code: int


_decode_error_code = msgspec.json.Decoder(_ErrorCode).decode


def _is_tool_error(result: OperationResult) -> bool:
    """Return whether a tool call's result is an error, which has `"isError": true`.

    To save time, an encoded result is only decoded if it contains that text.
    """
    if isinstance(result, dict):
        return result.get("isError") is True
    if result is None:
        return False
    encoded_members = b"".join(result) if isinstance(result, tuple) else result
    if _TOOL_ERROR_MEMBER not in encoded_members:
        return False
    return is_tool_error(b"{%b}" % encoded_members)
