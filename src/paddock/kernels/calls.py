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

    IsCancelled = Callable[[], bool]
    OnWait = Callable[[float], None]

T = TypeVar("T")


class Caller(Protocol):
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
class _Ended(Generic[T]):
    """How some work ended."""

    value: T | None = None
    error: BaseException | None = None


def call_kernel(ctx: Caller, work: Callable[[IsCancelled, OnWait], T], seconds: float) -> T:
    """Do work that calls kernels, in a thread of its own, and give what it gives.

    `work` gets what `Kernel.evaluate` takes as `is_cancelled` and `on_wait`; the client is told of
    its progress towards so many seconds.
    """
    events: SimpleQueue[float | _Ended[T]] = SimpleQueue()

    def run() -> None:
        try:
            events.put(_Ended(work(lambda: ctx.is_cancelled, events.put)))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            events.put(_Ended(error=error))

    threading.Thread(
        target=copy_context().run, args=(run,), name="paddock-kernel-call", daemon=True
    ).start()
    while True:
        event = events.get()
        if isinstance(event, _Ended):
            return _value(event)
        ctx.progress(event, seconds, f"Evaluating for {event:.0f} s of at most {seconds:g} s")


def _value(ended: _Ended[T]) -> T:
    if ended.error is not None:
        raise ended.error
    return ended.value  # type: ignore[return-value]  # it is set where there is no error
