"""What ends a server from outside: a signal, or a client that hangs up and does not read.

A signal handler written in Python runs when the main thread gets to it, and a main thread that is
just going to sleep may not get to it any more. So the signal's number is also written to a pipe,
by the interpreter and at once. And a stream that is held up by a client which does not read
cannot see the end of its input. One thread waits for both.

Ending the process in good time once the client has left, whatever still runs in it.

A client that closes a server expects it to be gone in a moment. Handlers that do not return, an
import that takes long, a pipe that nobody reads: none of them may keep the process.

Serving over standard input and output.

The order is what makes it quick: claim the streams, answer the first message, and only then load
the rest of the library and, behind it, the author's own code.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from os import environ
from time import sleep

from paddock.protocol import early_handshake
from paddock.protocol.connection import ServerConnection
from paddock.transports.stdio import claim_stdio

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


if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.transports.stdio import StdioChannel

LOAD_GRACE_SECONDS = 0.4
"""Seconds that the author's code gets to load when the client has left already."""
STREAM_DRAIN_SECONDS = 0.8
"""Seconds after which a stream that has not come to its end is given up."""
WRITE_PROGRESS_SECONDS = 0.3
"""Seconds within which a client that still reads must have read something."""
LIFESPAN_EXIT_SECONDS = 5.0
"""Seconds that leaving the lifespan may take."""


class GracefulShutdown:
    """Watches over the end of a process that serves its standard input."""

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self.stop_stream: Callable[[], None] | None = None
        self._load_lock = allocate_lock()
        self._load_lock.acquire()
        self._has_drained = False
        self._has_finished = False

    def wait_until_loaded(self, seconds: float) -> bool:
        """Whether the author's code is loaded within a time."""
        if not self._load_lock.acquire(timeout=seconds):
            return False
        self._load_lock.release()
        return True

    def mark_loaded(self) -> None:
        """The author's code is loaded, or has failed to."""
        self._load_lock.release()

    def stop(self) -> None:
        """End the stream, or the process where there is none yet."""
        if self.stop_stream is None:
            _exit_process()
        else:
            self.stop_stream()

    def start_deadline(self) -> None:
        """The client has left, or a signal has come: the process is to end soon."""
        start_new_thread(self._enforce_deadlines, ())

    def mark_drained(self) -> None:
        """The stream has come to its end: only the lifespan is left to leave."""
        self._has_drained = True

    def finish(self, *, is_clean: bool) -> None:
        """Return if nothing holds the process up, and end it if something does."""
        threading: ModuleType | None = sys.modules.get("threading")
        if not is_clean or (threading is not None and _has_blocking_threads(threading)):
            _exit_process()
        self._has_finished = True

    def _enforce_deadlines(self) -> None:
        if not self.wait_until_loaded(LOAD_GRACE_SECONDS):
            _exit_process()
        sleep(STREAM_DRAIN_SECONDS)
        written = -1
        while not self._has_drained:
            if self._channel.written_bytes == written or not self._channel.is_writing:
                _exit_process()
            written = self._channel.written_bytes
            sleep(WRITE_PROGRESS_SECONDS)
        sleep(LIFESPAN_EXIT_SECONDS)
        # What a script does after `server.run()` is no longer ours to end.
        if not self._has_finished:
            _exit_process()


def _exit_process() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)


def _has_blocking_threads(threading: ModuleType) -> bool:
    mine = (threading.main_thread(), threading.current_thread())
    return any(not thread.daemon and thread not in mine for thread in threading.enumerate())


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.serving.server_source import ServerSource
    from paddock.serving.session import ServerSession
    from paddock.transports.stdio import StdioChannel

    ServerFactory = Callable[[], BaseServer]
    SessionCallback = Callable[[ServerSession], None]

LOG_VARIABLES = frozenset({"PADDOCK_LOG_LEVEL", "PADDOCK_LOG_FORMAT"})
METADATA_WAIT_SECONDS = 1.0
"""Seconds that a handshake waits for facts that only the author's code knows."""

_is_serving = False


def serve_stdio(offering: BaseServer) -> None:
    """Serve an offering that is there already.

    Does nothing where the process serves already: that is a module which runs its server when it
    is loaded, and is being loaded by `paddock serve`.
    """
    if not _is_serving:
        serve_with_factory(offering.metadata, lambda: offering)


def serve_target(target: ServerSource, *, reload: bool = False) -> None:
    """Serve what a target holds, answering the handshake before it is loaded."""
    watch: SessionCallback | None = None
    if reload:
        from paddock.serving.loader import Reloader  # noqa: PLC0415 - only when asked for

        watch = Reloader(target).start
    serve_with_factory(
        target.metadata, target.load, is_certain=target.has_certain_metadata, prepare=watch
    )


def serve_with_factory(
    facts: ServerMetadata,
    load: ServerFactory,
    *,
    is_certain: bool = True,
    prepare: SessionCallback | None = None,
) -> None:
    """Serve an offering that `load` brings.

    The handshake is answered before that, if the facts are certain; if they are not, it waits for
    them as long as no client minds.
    """
    global _is_serving  # noqa: PLW0603 - a process has one standard input
    if not LOG_VARIABLES.isdisjoint(environ):
        from paddock.telemetry.settings import apply_logging_environment  # noqa: PLC0415 - if asked for

        apply_logging_environment()
    _is_serving = True
    channel = claim_stdio()
    connection = ServerConnection(channel.write)
    departure = GracefulShutdown(channel)
    release_signals = stop_on_signal(channel, departure.stop)
    if is_certain:
        answer_handshake(channel, connection, facts)
    from paddock.serving.session import ServerSession  # noqa: PLC0415 - after the first answer

    session = ServerSession(channel, connection, facts)
    session.channel_server.on_stop = departure.start_deadline
    departure.stop_stream = session.channel_server.stop
    if is_certain:
        session.start()
    else:
        start_new_thread(_start_after_load, (session, departure))
    session.load_server(load)
    departure.mark_loaded()
    if prepare is not None:
        prepare(session)
    session.run()
    departure.mark_drained()
    session.close()
    departure.finish(is_clean=not connection.in_flight)
    release_signals()
    _is_serving = False


def _start_after_load(session: ServerSession, departure: GracefulShutdown) -> None:
    departure.wait_until_loaded(METADATA_WAIT_SECONDS)
    session.start()


def answer_handshake(
    channel: StdioChannel, connection: ServerConnection, facts: ServerMetadata
) -> None:
    """Answer the opening messages that are waiting already; leave the rest unread."""
    waiting = channel.read_available()
    while waiting:
        line, newline, rest = waiting.partition(b"\n")
        answer = early_handshake.answer_handshake(line, connection, facts) if newline else None
        if answer is None:
            break
        channel.write(answer)
        waiting = rest
    channel.push_back(waiting)
