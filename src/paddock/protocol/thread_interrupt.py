"""Raising an exception in another thread, to stop a handler that is running there.

The interpreter delivers it at the thread's next bytecode; a call that blocks in C is stopped when
it returns. One that arrives where Python has to ignore it, in a `__del__` for instance, is lost: so
work that goes on is interrupted again after a while. `ctypes` is imported on first use, since most
servers never cancel anything.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class InterruptibleWork(Protocol):
        """Work that has been told to stop."""

        is_done: bool

        def interrupt(self) -> None:
            """Tell it once more."""


RETRY_SECONDS = 2.0
"""Seconds that work may take to clean up before it is interrupted again; then twice as many."""
MAX_RETRY_SECONDS = 60.0
CHECK_INTERVAL_SECONDS = 0.25


class HandlerCancelled(BaseException):
    """The request that this handler works for has been cancelled."""


def interrupt_thread(thread: int) -> None:
    """Raise `HandlerCancelled` in a thread."""
    _set_async_exception(thread, HandlerCancelled)


def withdraw_interrupt(thread: int) -> None:
    """Take back an exception that has not been raised yet."""
    _set_async_exception(thread, None)


def _set_async_exception(thread: int, exception_type: type[BaseException] | None) -> None:
    import ctypes  # noqa: PLC0415 - 3 ms and 1 MB that only a cancellation needs

    exception = None if exception_type is None else ctypes.py_object(exception_type)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


class InterruptRetrier:
    """Interrupts work again that does not end."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._pending: list[tuple[InterruptibleWork, float, float]] = []

    def retry_until_done(self, work: InterruptibleWork) -> None:
        """Look after work that has been interrupted, until it is done."""
        with self._lock:
            self._pending.append((work, monotonic() + RETRY_SECONDS, RETRY_SECONDS))
            if len(self._pending) == 1:
                start_new_thread(self._retry_loop, ())

    def _retry_loop(self) -> None:
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
            for work in due_work:
                work.interrupt()


interrupt_retrier = InterruptRetrier()
"""Looks after everything in this process that has been told to stop."""
