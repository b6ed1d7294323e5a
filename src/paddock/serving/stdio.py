"""Serving over standard input and output.

The order is what makes it quick: claim the streams, answer the first message, and only then load
the rest of the library and, behind it, the author's own code.
"""

from __future__ import annotations

import os
import sys

from paddock.protocol import opening
from paddock.protocol.connection import Connection
from paddock.transports.stdio import claim_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from paddock.authoring.offering import Offering
    from paddock.protocol.facts import ServerFacts
    from paddock.serving.session import Session
    from paddock.transports.stdio import StdioChannel

    Load = Callable[[], Offering]
    Prepare = Callable[[Session], None]

SIGINT, SIGTERM = 2, 15


def serve_stdio(offering: Offering) -> None:
    """Serve an offering that is there already."""
    serve_loaded(offering.facts, lambda: offering)


def serve_loaded(facts: ServerFacts, load: Load, prepare: Prepare | None = None) -> None:
    """Serve an offering that `load` brings, answering the handshake before it is called."""
    channel = claim_stdio()
    connection = Connection(channel.write)
    greet(channel, connection, facts)
    from paddock.serving.session import Session  # noqa: PLC0415 - after the first answer

    session = Session(channel, connection, facts)
    session.stream.on_stop = leave_at_once
    _on_signals(session.stream.stop)
    session.start()
    session.open(load)
    session.stream.on_stop = None
    if prepare is not None:
        prepare(session)
    session.run()
    _leave(is_clean=not connection.in_flight)


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


def leave_at_once() -> None:
    """End the process while the author's code is still being loaded: there is nothing to save."""
    os._exit(0)


def _on_signals(stop: Callable[[], None]) -> None:
    import _signal  # noqa: PLC0415 - `signal` is 5 ms

    for number in (SIGINT, SIGTERM):
        try:
            _signal.signal(number, lambda *_: stop())
        except ValueError:  # not the main thread: signals are somebody else's business
            return


def _leave(*, is_clean: bool) -> None:
    """Return if nothing holds the process up, and end it if something does."""
    threading: ModuleType | None = sys.modules.get("threading")
    if is_clean and (threading is None or not _is_held_up(threading)):
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


def _is_held_up(threading: ModuleType) -> bool:
    mine = (threading.main_thread(), threading.current_thread())
    return any(not thread.daemon and thread not in mine for thread in threading.enumerate())
