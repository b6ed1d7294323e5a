"""Serving over standard input and output.

The order is what makes it quick: claim the streams, answer the first message, and only then load
the rest of the library and, behind it, the author's own code.
"""

from __future__ import annotations

from _thread import start_new_thread
from os import environ

from paddock.protocol import opening
from paddock.protocol.connection import Connection
from paddock.serving.departure import Departure
from paddock.serving.endings import stop_at_the_end
from paddock.transports.stdio import claim_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import Offering
    from paddock.protocol.facts import ServerFacts
    from paddock.serving.loadable import Loadable
    from paddock.serving.session import Session
    from paddock.transports.stdio import StdioChannel

    Load = Callable[[], Offering]
    Prepare = Callable[[Session], None]

LOG_VARIABLES = frozenset({"PADDOCK_LOG_LEVEL", "PADDOCK_LOG_FORMAT"})
PATIENCE = 1.0
"""Seconds that a handshake waits for facts that only the author's code knows."""

_is_serving = False


def serve_stdio(offering: Offering) -> None:
    """Serve an offering that is there already.

    Does nothing where the process serves already: that is a module which runs its server when it
    is loaded, and is being loaded by `paddock serve`.
    """
    if not _is_serving:
        serve_loaded(offering.facts, lambda: offering)


def serve_target(target: Loadable, *, reload: bool = False) -> None:
    """Serve what a target holds, answering the handshake before it is loaded."""
    watch: Prepare | None = None
    if reload:
        from paddock.serving.reloading import Reloader  # noqa: PLC0415 - only when asked for

        watch = Reloader(target).start
    serve_loaded(target.facts, target.load, is_certain=target.is_certain, prepare=watch)


def serve_loaded(
    facts: ServerFacts, load: Load, *, is_certain: bool = True, prepare: Prepare | None = None
) -> None:
    """Serve an offering that `load` brings.

    The handshake is answered before that, if the facts are certain; if they are not, it waits for
    them as long as no client minds.
    """
    global _is_serving  # noqa: PLW0603 - a process has one standard input
    if not LOG_VARIABLES.isdisjoint(environ):
        from paddock.telemetry.settings import apply_environment  # noqa: PLC0415 - if asked for

        apply_environment()
    _is_serving = True
    channel = claim_stdio()
    connection = Connection(channel.write)
    departure = Departure(channel)
    release_signals = stop_at_the_end(channel, departure.stop)
    if is_certain:
        greet(channel, connection, facts)
    from paddock.serving.session import Session  # noqa: PLC0415 - after the first answer

    session = Session(channel, connection, facts)
    session.stream.on_stop = departure.begin
    departure.stop_stream = session.stream.stop
    if is_certain:
        session.start()
    else:
        start_new_thread(_start_patiently, (session, departure))
    session.open(load)
    departure.loaded()
    if prepare is not None:
        prepare(session)
    session.run()
    departure.drained()
    session.close()
    departure.leave(is_clean=not connection.in_flight)
    release_signals()
    _is_serving = False


def _start_patiently(session: Session, departure: Departure) -> None:
    departure.wait_until_loaded(PATIENCE)
    session.start()


def greet(channel: StdioChannel, connection: Connection, facts: ServerFacts) -> None:
    """Answer the opening messages that are waiting already; leave the rest unread."""
    waiting = channel.read_waiting()
    while waiting:
        line, newline, rest = waiting.partition(b"\n")
        answer = opening.answer(line, connection, facts) if newline else None
        if answer is None:
            break
        channel.write(answer)
        waiting = rest
    channel.push_back(waiting)
