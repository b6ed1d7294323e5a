"""A total time limit for the connections of a `urllib` opener.

A socket timeout applies to each read, so a server that sends a byte now and then never exceeds it.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import TYPE_CHECKING, Any, Self
from urllib.request import HTTPHandler, HTTPSHandler

if TYPE_CHECKING:
    from collections.abc import Callable
    from urllib.request import BaseHandler, Request


class ConnectionDeadline:
    """Closes its connections after a number of seconds from entering the context."""

    def __init__(self, seconds: float) -> None:
        self.has_expired = False
        self._sockets: list[socket.socket] = []
        self._timer = Timer(seconds, self.end_connections)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def make_handlers(
        self, check_connection: Callable[[socket.socket], None] | None = None
    ) -> list[BaseHandler]:
        """Return handlers for `build_opener` whose connections are closed at the deadline.

        Args:
            check_connection: Called with each connected socket before anything is sent. It may
                raise an exception to reject the connection.
        """

        def watch(connection: Any) -> None:
            if check_connection is not None:
                check_connection(connection)
            self._track_socket(connection)

        class Plain(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                watch(self.sock)

        class Secure(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                watch(self.sock)

        class PlainHandler(HTTPHandler):
            def http_open(self, req: Request) -> HTTPResponse:
                return self.do_open(Plain, req)

        class SecureHandler(HTTPSHandler):
            def https_open(self, req: Request) -> HTTPResponse:
                return self.do_open(Secure, req)

        return [PlainHandler(), SecureHandler()]

    def end_connections(self) -> None:
        """Close all connections now, and later ones as soon as they are made."""
        self.has_expired = True
        for connection in self._sockets:
            with suppress(OSError):
                # Not SSLSocket.shutdown(): another thread is reading through its TLS state.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _track_socket(self, connection: Any) -> None:
        self._sockets.append(connection)
        if self.has_expired:  # Connected only after the deadline.
            self.end_connections()
