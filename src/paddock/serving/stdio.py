"""Serving over standard input and output.

The order is what makes it quick: claim the streams, answer the first message, and only then load
the rest of the library and, behind it, the author's own code.
"""

from __future__ import annotations

from _thread import start_new_thread
from os import environ

from paddock.protocol import opening
from paddock.protocol.connection import ServerConnection
from paddock.serving.departure import GracefulShutdown
from paddock.serving.endings import stop_on_signal
from paddock.transports.stdio import claim_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import BaseServer
    from paddock.protocol.facts import ServerMetadata
    from paddock.serving.loadable import ServerSource
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
        from paddock.serving.reloading import Reloader  # noqa: PLC0415 - only when asked for

        watch = Reloader(target).start
    serve_with_factory(target.metadata, target.load, is_certain=target.has_certain_metadata, prepare=watch)


def serve_with_factory(
    facts: ServerMetadata, load: ServerFactory, *, is_certain: bool = True, prepare: SessionCallback | None = None
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


def answer_handshake(channel: StdioChannel, connection: ServerConnection, facts: ServerMetadata) -> None:
    """Answer the opening messages that are waiting already; leave the rest unread."""
    waiting = channel.read_available()
    while waiting:
        line, newline, rest = waiting.partition(b"\n")
        answer = opening.answer_handshake(line, connection, facts) if newline else None
        if answer is None:
            break
        channel.write(answer)
        waiting = rest
    channel.push_back(waiting)
