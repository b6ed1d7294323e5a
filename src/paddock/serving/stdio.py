"""Serving over standard input and output.

A server must answer soon after it starts. It therefore claims the streams, answers the handshake,
and only then imports the rest of the library and the author's code.

Clients also expect a server to exit soon after they disconnect. A handler that does not return, a
slow import or a pipe without a reader must not keep the process alive, so `GracefulShutdown`
enforces deadlines.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` is 5 ms
import os
import select
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
    from types import ModuleType

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.serving.server_source import ServerSource
    from paddock.serving.session import ServerSession
    from paddock.transports.stdio import StdioChannel

    ServerFactory = Callable[[], BaseServer]
    SessionCallback = Callable[[ServerSession], None]

SIGINT, SIGTERM = 2, 15
STUCK_WRITE_SECONDS = 0.5
"""Time after which a write to a client that has hung up counts as stuck."""


def stop_on_signal(channel: StdioChannel, stop: Callable[[], None]) -> Callable[[], None]:
    """Call `stop` when the process receives SIGINT or SIGTERM, or its client stops reading.

    Signal handlers can only be installed if this is called in the main thread.

    Returns:
        A function that restores the previous signal handlers.
    """
    signal_pipe, restore_handlers = _install_signal_handlers(stop)
    if sys.platform != "win32":  # Windows cannot poll pipes.
        start_new_thread(_watch_signals, (signal_pipe, channel, stop))
    return restore_handlers


def _install_signal_handlers(stop: Callable[[], None]) -> tuple[int | None, Callable[[], None]]:
    """Install handlers for SIGINT and SIGTERM that call `stop`.

    A Python handler only runs when the main thread executes bytecode, but the main thread may be
    blocked waiting for input. The interpreter therefore also writes the signal number to a pipe
    immediately, so that a watching thread can react.

    Returns:
        The read end of that pipe (None if not available), and a function that restores the previous
        handlers.
    """
    previous_handlers: dict[int, object] = {}

    def restore_handlers() -> None:
        if previous_handlers and sys.platform != "win32":
            _signal.set_wakeup_fd(-1)
        for number, handler in previous_handlers.items():
            _signal.signal(number, handler)

    try:
        for number in (SIGINT, SIGTERM):
            previous_handlers[number] = _signal.signal(number, lambda *_: stop())
    except ValueError:  # This is not the main thread.
        return None, restore_handlers
    if sys.platform == "win32":  # On Windows, set_wakeup_fd only supports sockets.
        return None, restore_handlers
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader, restore_handlers


def _watch_signals(
    signal_pipe: int | None, channel: StdioChannel, stop: Callable[[], None]
) -> None:
    """Call `stop` after a signal, or after the client has closed its end of the channel.

    Runs in its own thread.

    Args:
        signal_pipe: The pipe that the interpreter writes signal numbers to, or None.
        channel: The channel to the client.
        stop: Stops the server.
    """
    poller = select.poll()
    # If the channel is blocked in a write, it does not notice when the client closes its end.
    poller.register(channel.descriptor or 0, 0)
    if signal_pipe is not None:
        poller.register(signal_pipe, select.POLLIN)
    while True:
        for descriptor, _ in poller.poll():
            if descriptor != signal_pipe:
                poller.unregister(descriptor)
                start_new_thread(_stop_when_stuck, (channel, stop))
            elif os.read(descriptor, 1)[0] in (SIGINT, SIGTERM):
                stop()
        if signal_pipe is None:
            return


def _stop_when_stuck(channel: StdioChannel, stop: Callable[[], None]) -> None:
    """Call `stop` when a write makes no progress after the client has closed its end."""
    while not channel.is_closed:
        previously_written = channel.written_bytes
        sleep(STUCK_WRITE_SECONDS)
        if channel.is_writing and channel.written_bytes == previously_written:
            stop()
            return


LOAD_GRACE_SECONDS = 0.4
"""Time for the author's code to finish loading after the client has disconnected."""
STREAM_DRAIN_SECONDS = 0.8
"""Time for calls in progress to finish after the client has disconnected."""
WRITE_PROGRESS_SECONDS = 0.3
"""Time limit for a client to read something in order to keep the process waiting."""
LIFESPAN_EXIT_SECONDS = 5.0
"""Time limit for exiting the lifespan."""


class GracefulShutdown:
    """Enforces deadlines on the shutdown of a process that serves standard input and output.

    A process that does not end in time exits without cleaning up. The serving code reports its
    progress with the `mark_…` methods and `finish`.
    """

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self.stop_stream: Callable[[], None] | None = None
        self._load_lock = allocate_lock()
        self._load_lock.acquire()
        self._has_drained = False
        self._has_finished = False

    def wait_until_loaded(self, seconds: float) -> bool:
        """Wait until the author's code is loaded. Return False if that takes too long."""
        # The lock is held while the code is loading and serves as an event.
        if not self._load_lock.acquire(timeout=seconds):
            return False
        self._load_lock.release()
        return True

    def mark_loaded(self) -> None:
        """Record that loading the author's code has succeeded or failed."""
        self._load_lock.release()

    def stop(self) -> None:
        """Stop the stream, or exit the process if the stream is not running yet."""
        if self.stop_stream is None:
            _exit_process()
        else:
            self.stop_stream()

    def start_deadline(self) -> None:
        """Start the deadlines because the client disconnected or a signal arrived."""
        start_new_thread(self._enforce_deadlines, ())

    def mark_drained(self) -> None:
        """Record that the stream has ended, so that only the lifespan remains."""
        self._has_drained = True

    def finish(self, *, is_clean: bool) -> None:
        """Stop enforcing deadlines, because the server has ended.

        Calls or non-daemon threads that are still running would keep the process from ending, so in
        that case it exits immediately.

        Args:
            is_clean: Pass False if calls are still running.
        """
        threading: ModuleType | None = sys.modules.get("threading")
        if not is_clean or (threading is not None and _has_blocking_threads(threading)):
            _exit_process()
        self._has_finished = True

    def _enforce_deadlines(self) -> None:
        """Exit the process as soon as a phase of the shutdown exceeds its deadline.

        The phases are finishing the load, finishing calls and writing their answers, and exiting
        the lifespan. This runs in a thread after the client has disconnected.
        """
        if not self.wait_until_loaded(LOAD_GRACE_SECONDS):
            _exit_process()
        sleep(STREAM_DRAIN_SECONDS)
        previously_written = -1
        # A client that keeps reading its responses gets more time.
        while not self._has_drained:
            if self._channel.written_bytes == previously_written or not self._channel.is_writing:
                _exit_process()
            previously_written = self._channel.written_bytes
            sleep(WRITE_PROGRESS_SECONDS)
        sleep(LIFESPAN_EXIT_SECONDS)
        # Once `finish` has been called, the author's script may continue for as long as it needs.
        if not self._has_finished:
            _exit_process()


def _exit_process() -> None:
    """End the process immediately with exit code 0, without waiting for threads or cleaning up."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)


def _has_blocking_threads(threading: ModuleType) -> bool:
    own_threads = (threading.main_thread(), threading.current_thread())
    return any(not thread.daemon and thread not in own_threads for thread in threading.enumerate())


LOG_VARIABLES = frozenset({"PADDOCK_LOG_LEVEL", "PADDOCK_LOG_FORMAT"})
METADATA_WAIT_SECONDS = 1.0
"""Maximum time that a handshake waits for metadata known only to the author's code."""

_is_serving = False


def serve_stdio(server: BaseServer) -> None:
    """Serve a server on standard input and output until the client disconnects.

    Does nothing if the process is already serving. In this case, `paddock serve` is importing a
    module that calls `Server.run`.
    """
    if not _is_serving:
        serve_with_factory(server.metadata, lambda: server)


def serve_target(target: ServerSource, *, reload: bool = False) -> None:
    """Serve a target on standard input and output until the client disconnects.

    If its metadata is known, the handshake is answered before the target is loaded.

    Args:
        target: The file, directory or named server.
        reload: Watch the source files and reload them after changes.
    """
    serve_with_factory(
        target.metadata,
        target.load,
        is_certain=target.has_certain_metadata,
        prepare=_create_reload_callback(target) if reload else None,
    )


def _create_reload_callback(target: ServerSource) -> SessionCallback:
    from paddock.serving.loader import Reloader  # only needed with --reload

    reloader = Reloader(target)
    return lambda session: reloader.start(session.replace_server)


def serve_with_factory(
    metadata: ServerMetadata,
    load: ServerFactory,
    *,
    is_certain: bool = True,
    prepare: SessionCallback | None = None,
) -> None:
    """Serve the server that `load` returns, until the client disconnects.

    Args:
        metadata: The metadata for answering the handshake before the server is loaded.
        load: Function that imports the author's code and returns the server. Called in this thread.
        is_certain: True if the loaded server will have this metadata, so that the handshake is
            answered before loading. If False, the handshake waits for the server to load, but at
            most `METADATA_WAIT_SECONDS`, after which clients might give up.
        prepare: Called with the session once the server is loaded.
    """
    global _is_serving  # noqa: PLW0603 - a process has only one standard input
    if not LOG_VARIABLES.isdisjoint(environ):
        from paddock.telemetry.settings import apply_logging_environment  # rarely set

        apply_logging_environment()
    _is_serving = True
    channel = claim_stdio()
    connection = ServerConnection(channel.write)
    shutdown = GracefulShutdown(channel)
    release_signals = stop_on_signal(channel, shutdown.stop)
    if is_certain:
        answer_handshake(channel, connection, metadata)
    from paddock.serving.session import ServerSession  # after the handshake

    session = ServerSession(channel, connection, metadata)
    session.channel_server.on_stop = shutdown.start_deadline
    shutdown.stop_stream = session.channel_server.stop
    if is_certain:
        session.start()
    else:
        start_new_thread(_start_after_load, (session, shutdown))
    session.load_server(load)
    shutdown.mark_loaded()
    if prepare is not None:
        prepare(session)
    session.run()
    shutdown.mark_drained()
    session.close()
    shutdown.finish(is_clean=not connection.in_flight)
    # The handlers are restored last, because signals must be able to stop the process until it has
    # finished.
    release_signals()
    _is_serving = False


def _start_after_load(session: ServerSession, shutdown: GracefulShutdown) -> None:
    shutdown.wait_until_loaded(METADATA_WAIT_SECONDS)
    session.start()


def answer_handshake(
    channel: StdioChannel, connection: ServerConnection, metadata: ServerMetadata
) -> None:
    """Answer handshake messages that have already arrived before the server is loaded.

    The first message that cannot be answered here and all input after it are pushed back into the
    channel, so that the session reads them.
    """
    data = channel.read_available()
    while data:
        line, newline, remaining_data = data.partition(b"\n")
        answer = early_handshake.answer_handshake(line, connection, metadata) if newline else None
        if answer is None:
            break
        channel.write(answer)
        data = remaining_data
    channel.push_back(data)
