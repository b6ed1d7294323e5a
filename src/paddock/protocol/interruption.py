"""Raising an exception in another thread, to stop a handler that is running there.

The interpreter delivers it at the thread's next bytecode; a call that blocks in C is stopped when
it returns. `ctypes` is imported on first use, since most servers never cancel anything.
"""

from __future__ import annotations


class HandlerCancelled(BaseException):
    """The request that this handler works for has been cancelled."""


def interrupt(thread: int) -> None:
    """Raise `HandlerCancelled` in a thread."""
    _set_exception(thread, HandlerCancelled)


def withdraw(thread: int) -> None:
    """Take back an exception that has not been raised yet."""
    _set_exception(thread, None)


def _set_exception(thread: int, kind: type[BaseException] | None) -> None:
    import ctypes  # noqa: PLC0415 - 3 ms and 1 MB that only a cancellation needs

    exception = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)
