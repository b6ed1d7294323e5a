"""Interruption of handlers by an exception that is raised in their threads.

The interpreter raises the exception at the thread's next bytecode, so a blocking C call is
interrupted only when it returns. Where Python ignores exceptions, as in `__del__`, the exception is
lost. Work that continues is therefore interrupted again.

`ctypes` is imported on first use, because most servers never cancel a request.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class InterruptibleWork(Protocol):
        """Work that has been interrupted."""

        is_done: bool

        def interrupt(self) -> None:
            """Interrupt the work again."""


RETRY_SECONDS = 2.0
"""Seconds that work may clean up before it is interrupted again. They double each time."""
MAX_RETRY_SECONDS = 60.0
CHECK_INTERVAL_SECONDS = 0.25


class HandlerCancelled(BaseException):
    """Raised in a handler whose request was cancelled."""


def interrupt_thread(thread: int) -> None:
    """Raise `HandlerCancelled` in a thread."""
    _set_async_exception(thread, HandlerCancelled)


def withdraw_interrupt(thread: int) -> None:
    """Cancel an interrupt that has not been raised yet."""
    _set_async_exception(thread, None)


def _set_async_exception(thread: int, exception_type: type[BaseException] | None) -> None:
    import ctypes  # noqa: PLC0415 - takes 3 ms and 1 MB

    exception = None if exception_type is None else ctypes.py_object(exception_type)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


class InterruptRetrier:
    """Interrupts work again until it ends."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        # Work with the time of its next interrupt and the interval after that, in seconds.
        self._pending: list[tuple[InterruptibleWork, float, float]] = []

    def retry_until_done(self, work: InterruptibleWork) -> None:
        """Interrupt the work again at growing intervals until it is done."""
        with self._lock:
            self._pending.append((work, monotonic() + RETRY_SECONDS, RETRY_SECONDS))
            if len(self._pending) == 1:
                start_new_thread(self._retry_loop, ())

    def _retry_loop(self) -> None:
        """Interrupt pending work whenever it is due. Ends when all of it is done.

        The thread starts with the first cancellation, so servers without cancellations do not
        need it.
        """
        while True:
            sleep(CHECK_INTERVAL_SECONDS)
            with self._lock:
                self._pending = [entry for entry in self._pending if not entry[0].is_done]
                if not self._pending:
                    return
                now, pending = monotonic(), self._pending
                due_work = [work for work, due_at, _ in pending if due_at <= now]
                self._pending = [
                    (work, due_at, retry_seconds)
                    if due_at > now
                    else (work, now + retry_seconds * 2, min(retry_seconds * 2, MAX_RETRY_SECONDS))
                    for work, due_at, retry_seconds in pending
                ]
            # Interrupted outside the lock, which `retry_until_done` needs for further work.
            for work in due_work:
                work.interrupt()


interrupt_retrier = InterruptRetrier()
"""The retrier of this process."""
