"""What ends a server from outside: a signal, or a client that hangs up and does not read.

A signal handler written in Python runs when the main thread gets to it, and a main thread that is
just going to sleep may not get to it any more. So the signal's number is also written to a pipe,
by the interpreter and at once. And a stream that is held up by a client which does not read
cannot see the end of its input. One thread waits for both.
"""

from __future__ import annotations

import os
import sys
from _thread import start_new_thread
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.transports.stdio import StdioChannel

SIGINT, SIGTERM = 2, 15
STUCK_WRITE_SECONDS = 0.5
"""Seconds after which a write to a client that has hung up counts as stuck."""


def stop_on_signal(channel: StdioChannel, stop: Callable[[], None]) -> Callable[[], None]:
    """Call `stop`, in some thread, when the process is told to end or its client is gone.

    Signals are somebody else's business outside the main thread, and again once the function
    that is returned has been called.
    """
    signals, release = _install_signal_handlers(stop)
    if sys.platform != "win32":  # where pipes cannot be polled
        start_new_thread(_watch_signals, (signals, channel, stop))
    return release


def _install_signal_handlers(stop: Callable[[], None]) -> tuple[int | None, Callable[[], None]]:
    """Have signals call `stop`; a pipe from which their numbers can be read, and how to undo it."""
    import _signal  # type: ignore[import-not-found]  # noqa: PLC0415 - `signal` is 5 ms

    earlier: dict[int, object] = {}

    def release() -> None:
        if earlier and sys.platform != "win32":
            _signal.set_wakeup_fd(-1)
        for number, handler in earlier.items():
            _signal.signal(number, handler)

    try:
        for number in (SIGINT, SIGTERM):
            earlier[number] = _signal.signal(number, lambda *_: stop())
    except ValueError:
        return None, release
    if sys.platform == "win32":  # where only sockets can be woken up by
        return None, release
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader, release


def _watch_signals(signals: int | None, channel: StdioChannel, stop: Callable[[], None]) -> None:
    from select import POLLIN, poll  # noqa: PLC0415 - not on every platform

    watched = poll()
    watched.register(channel.descriptor or 0, 0)  # hanging up is always told
    if signals is not None:
        watched.register(signals, POLLIN)
    while True:
        for descriptor, _ in watched.poll():
            if descriptor != signals:
                watched.unregister(descriptor)
                start_new_thread(_stop_when_stuck, (channel, stop))
            elif os.read(descriptor, 1)[0] in (SIGINT, SIGTERM):
                stop()
        if signals is None:
            return


def _stop_when_stuck(channel: StdioChannel, stop: Callable[[], None]) -> None:
    """Stop once a write to a client that has hung up makes no progress any more."""
    while not channel.is_closed:
        written = channel.written_bytes
        sleep(STUCK_WRITE_SECONDS)
        if channel.is_writing and channel.written_bytes == written:
            stop()
            return
