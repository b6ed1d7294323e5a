"""Kernel calls on behalf of tool and prompt handlers.

Cancelling a handler raises an exception in its thread at an arbitrary point. If that happened
between a request to a kernel and its reply, the next request would read the stale reply. Kernel
calls therefore run in a separate thread that is never interrupted and polls for cancellation.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeVar

from paddock.kernels.kernel import EvaluationControl

if TYPE_CHECKING:
    from collections.abc import Callable

    CancelCheck = Callable[[], bool]

EventT = TypeVar("EventT")
ResultT = TypeVar("ResultT")


class HandlerContext(Protocol):
    """The part of a handler's `Context` that a kernel call needs."""

    @property
    def is_cancelled(self) -> bool:
        """Whether the caller has cancelled the request or disconnected."""
        ...

    def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> bool:
        """Report progress to the client."""
        ...


def call_kernel(
    ctx: HandlerContext, work: Callable[[EvaluationControl], ResultT], seconds: float
) -> ResultT:
    """Run `work` in a separate thread and return its result, reporting progress to the client.

    Args:
        ctx: The context of the handler.
        work: Called with the control to pass to kernels and sessions.
        seconds: The time limit, reported as the total of the progress.
    """

    def report_progress(elapsed_seconds: float) -> None:
        message = f"Evaluating for {elapsed_seconds:.0f} s of at most {seconds:g} s"
        ctx.progress(elapsed_seconds, seconds, message)

    def run(is_cancelled: CancelCheck, emit: Callable[[float], None]) -> ResultT:
        return work(EvaluationControl(is_cancelled, emit))

    return call_in_thread(ctx, run, report_progress)


def call_in_thread(
    ctx: HandlerContext,
    work: Callable[[CancelCheck, Callable[[EventT], None]], ResultT],
    on_event: Callable[[EventT], None],
) -> ResultT:
    """Run `work` in a separate thread that is never interrupted, and return its result.

    The handler's own thread only waits for events. `work` has to poll the cancellation check, since
    nothing else stops it.

    Args:
        ctx: The context of the handler.
        work: Called with a cancellation check and a function that emits an event.
        on_event: Called with each event, in the handler's own thread.

    Raises:
        BaseException: Any exception that `work` raises.
    """
    # Steps for the handler's thread, the last of which sets the result or raises the error.
    steps: SimpleQueue[Callable[[], None]] = SimpleQueue()
    results: list[ResultT] = []

    def emit(event: EventT) -> None:
        steps.put(partial(on_event, event))

    def run() -> None:
        """Do the work, and queue a step for each event and for the end."""
        try:
            result = work(lambda: ctx.is_cancelled, emit)
            steps.put(partial(results.append, result))
        except BaseException as error:  # noqa: BLE001 - raised again in the handler's thread
            steps.put(partial(_raise_error, error))

    # The copied context variables keep logging and tracing attached to the request. A daemon
    # thread, so that a running evaluation does not keep the process from exiting.
    threading.Thread(
        target=copy_context().run, args=(run,), name="paddock-kernel-call", daemon=True
    ).start()
    while not results:
        run_step = steps.get()
        run_step()
    return results[0]


def _raise_error(error: BaseException) -> NoReturn:
    raise error
