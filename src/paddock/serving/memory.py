"""Serving in the same process: for tests, `paddock.connect` and composition."""

from __future__ import annotations

from _thread import start_new_thread
from typing import TYPE_CHECKING

from paddock.protocol.connection import ServerConnection
from paddock.serving.session import ServerSession
from paddock.transports.memory import create_memory_channels

if TYPE_CHECKING:
    from paddock.authoring.offering import BaseServer
    from paddock.transports.contract import Channel


def serve_in_memory(offering: BaseServer) -> Channel:
    """Serve one connection in a thread of its own; the other end of it."""
    ours, theirs = create_memory_channels()
    session = ServerSession(ours, ServerConnection(ours.write), offering.metadata)

    def serve() -> None:
        session.start()
        session.load_server(lambda: offering)
        session.run()
        session.close()

    start_new_thread(serve, ())
    return theirs
