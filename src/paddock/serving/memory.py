"""Serving in the same process: for tests, `paddock.connect` and composition."""

from __future__ import annotations

from _thread import start_new_thread
from typing import TYPE_CHECKING

from paddock.protocol.connection import Connection
from paddock.serving.session import Session
from paddock.transports.memory import memory_pair

if TYPE_CHECKING:
    from paddock.authoring.offering import Offering
    from paddock.transports.contract import Channel


def serve_in_memory(offering: Offering) -> Channel:
    """Serve one connection in a thread of its own; the other end of it."""
    ours, theirs = memory_pair()
    session = Session(ours, Connection(ours.write), offering.facts)

    def serve() -> None:
        session.start()
        session.open(lambda: offering)
        session.run()
        session.close()

    start_new_thread(serve, ())
    return theirs
