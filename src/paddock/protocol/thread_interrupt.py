"""Interruption of handlers by raising an exception in their threads.

The interpreter raises the exception at the thread's next bytecode, so a blocking C call is only
interrupted when it returns. Where Python ignores exceptions, as in `__del__`, the exception is
lost, so work that continues is interrupted again.

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
"""Seconds that work has to clean up before it is interrupted again. Doubles each time."""
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


class _PendingInterrupt:
    """Interrupted work that has not ended yet, and the time to interrupt it again."""

    def __init__(self, work: InterruptibleWork) -> None:
        self.work = work
        self.retry_seconds = RETRY_SECONDS
        self.due_at = monotonic() + RETRY_SECONDS

    def delay(self, now: float) -> None:
        """Schedule the next interrupt after twice the previous interval, up to a limit."""
        self.due_at = now + self.retry_seconds * 2
        self.retry_seconds = min(self.retry_seconds * 2, MAX_RETRY_SECONDS)


class InterruptRetrier:
    """A background thread that repeatedly interrupts cancelled work until it ends.

    A handler may continue after an interrupt, for example because it catches the exception.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._pending: list[_PendingInterrupt] = []

    def retry_until_done(self, work: InterruptibleWork) -> None:
        """Interrupt the work again at growing intervals until it is done."""
        with self._lock:
            self._pending.append(_PendingInterrupt(work))
            if len(self._pending) == 1:
                start_new_thread(self._retry_loop, ())

    def _retry_loop(self) -> None:
        """Interrupt each pending work item when it is due, and return when all work is done.

        The thread that runs this starts on the first cancellation, so most servers never need it.
        """
        while True:
            sleep(CHECK_INTERVAL_SECONDS)
            with self._lock:
                self._pending = [pending for pending in self._pending if not pending.work.is_done]
                if not self._pending:
                    return
                now = monotonic()
                due_interrupts = [pending for pending in self._pending if pending.due_at <= now]
                for pending in due_interrupts:
                    pending.delay(now)
            # The work is interrupted without holding the lock, which `retry_until_done` needs.
            for pending in due_interrupts:
                pending.work.interrupt()


interrupt_retrier = InterruptRetrier()
"""The retrier of this process."""
