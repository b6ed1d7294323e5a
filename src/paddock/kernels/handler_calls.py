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
    """Run an evaluation in a separate thread, and report its progress to the client.

    Called by tool handlers that evaluate code. `work` runs in its own thread, because a kernel call
    must not be interrupted when the client cancels the request. Returns its result.

    Args:
        ctx: The handler's context, which is used to report progress.
        work: Function that calls a kernel or a session and passes it the control. The control
            reports progress and signals the kernel when to stop.
        seconds: The time limit of the evaluation, which is used as the total when reporting
            progress.
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
    """Run a function in a separate thread that is never interrupted, and return its result.

    In the meantime, the handler's own thread waits for events from the function, such as progress.

    Args:
        ctx: The context of the handler.
        work: The function. Its arguments are a check that returns True once the request was
            cancelled, and a function that emits an event. It must call the check regularly, because
            nothing else stops it.
        on_event: Called with each event, in the handler's own thread.

    Raises:
        BaseException: Any exception that `work` raises.
    """
    # Functions for the handler's thread to call, one for each event. The last one sets the result
    # or raises the error.
    steps: SimpleQueue[Callable[[], None]] = SimpleQueue()
    results: list[ResultT] = []

    def emit(event: EventT) -> None:
        steps.put(partial(on_event, event))

    def run() -> None:
        """Do the work, queuing a step for each event and one for the end."""
        try:
            result = work(lambda: ctx.is_cancelled, emit)
            steps.put(partial(results.append, result))
        except BaseException as error:  # noqa: BLE001 - raised again in the handler's thread
            steps.put(partial(_raise_error, error))

    # The context variables are copied, because they connect log records and traces with the
    # request. The thread is a daemon, so a running evaluation does not keep the process alive.
    threading.Thread(
        target=copy_context().run, args=(run,), name="paddock-kernel-call", daemon=True
    ).start()
    while not results:
        run_step = steps.get()
        run_step()
    return results[0]


def _raise_error(error: BaseException) -> NoReturn:
    raise error
