"""Calling kernels from handlers, of tools or prompts.

A handler that is cancelled is interrupted wherever it is, which may be between a question to a
kernel and its answer; the next question would then get that answer. So kernels are called from a
thread of their own, which is never interrupted and stops by itself.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    CancelCheck = Callable[[], bool]
    ProgressCallback = Callable[[float], None]

EventT = TypeVar("EventT")
ResultT = TypeVar("ResultT")


class HandlerContext(Protocol):
    """Who waits for a call: what a handler's `Context` can."""

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits any more."""
        ...

    def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> bool:
        """Say how far the work has come."""
        ...


@dataclass(slots=True)
class _ProgressEvent(Generic[EventT]):
    """What the handler is to be told meanwhile."""

    value: EventT


@dataclass(slots=True)
class _WorkResult(Generic[ResultT]):
    """How some work ended."""

    value: ResultT | None = None
    error: BaseException | None = None


def call_kernel(
    ctx: HandlerContext, work: Callable[[CancelCheck, ProgressCallback], ResultT], seconds: float
) -> ResultT:
    """Do work that calls kernels, in a thread of its own, and give what it gives.

    `work` gets what `Kernel.evaluate` takes as `is_cancelled` and `on_wait`; the client is told of
    its progress towards so many seconds.
    """

    def tell(waited: float) -> None:
        ctx.progress(waited, seconds, f"Evaluating for {waited:.0f} s of at most {seconds:g} s")

    return call_in_thread(ctx, work, tell)


def call_in_thread(
    ctx: HandlerContext,
    work: Callable[[CancelCheck, Callable[[EventT], None]], ResultT],
    tell: Callable[[EventT], None],
) -> ResultT:
    """Do work in a thread of its own, which is never interrupted, and give what it gives.

    `work` gets whether nobody waits any more, and what to call with news, which `tell` then gets
    in the handler's own thread.
    """
    events: SimpleQueue[_ProgressEvent[EventT] | _WorkResult[ResultT]] = SimpleQueue()

    def run() -> None:
        try:
            events.put(
                _WorkResult(
                    work(lambda: ctx.is_cancelled, lambda news: events.put(_ProgressEvent(news)))
                )
            )
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            events.put(_WorkResult(error=error))

    threading.Thread(
        target=copy_context().run, args=(run,), name="paddock-kernel-call", daemon=True
    ).start()
    while True:
        event = events.get()
        if isinstance(event, _WorkResult):
            return _unwrap_result(event)
        tell(event.value)


def _unwrap_result(ended: _WorkResult[ResultT]) -> ResultT:
    if ended.error is not None:
        raise ended.error
    return ended.value  # type: ignore[return-value]  # it is set where there is no error
