"""GET requests with `urllib` that are restricted in time, redirects and addresses.

A socket timeout applies to each read, so a server that sends a byte now and then never exceeds it.
`ConnectionDeadline` therefore limits the total time, by closing the connections.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from urllib.request import BaseHandler

_CHUNK_BYTES = 1 << 16


class FetchRules(NamedTuple):
    """The redirects, addresses and proxies that an HTTP request may use."""

    check_redirect: Callable[[str, str], object]
    """Called with the URLs before and after a redirect. Raises a `URLError` to reject it."""
    check_connection: Callable[[socket.socket], object] = lambda _: None
    """Called with a connected socket before anything is sent. Raises an exception to reject it.

    The address of an open connection is the one to check, because a separate lookup of the host
    name could return another address (DNS rebinding)."""
    max_redirects: int = 10
    uses_proxy: bool = True
    """False for a server on this machine. For a proxy, `localhost` would be the proxy's machine."""


class ConnectionDeadline:
    """Limits the total time of requests by closing their connections.

    The time counts from the beginning of the `with` block. A socket timeout is not sufficient,
    because it applies to each read, and a slow server can send one byte at a time.
    """

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
        self, check_connection: Callable[[socket.socket], object]
    ) -> list[BaseHandler]:
        """Return `urllib` handlers for HTTP and HTTPS whose connections end at the deadline.

        Args:
            check_connection: Called with each connected socket before anything is sent. It raises
                an exception to reject the connection.
        """

        def check_and_track(connected_socket: Any) -> None:
            check_connection(connected_socket)
            self._track_socket(connected_socket)

        class TrackedConnection(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                check_and_track(self.sock)

        class TrackedTLSConnection(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                check_and_track(self.sock)

        class TrackingHTTPHandler(HTTPHandler):
            def http_open(self, req: Request) -> HTTPResponse:
                return self.do_open(TrackedConnection, req)

        class TrackingHTTPSHandler(HTTPSHandler):
            def https_open(self, req: Request) -> HTTPResponse:
                return self.do_open(TrackedTLSConnection, req)

        return [TrackingHTTPHandler(), TrackingHTTPSHandler()]

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


class _RedirectFilter(HTTPRedirectHandler):
    """A `urllib` handler that follows only the redirects which the rules of a request allow."""

    def __init__(self, rules: FetchRules) -> None:
        self._check_redirect = rules.check_redirect
        setattr(self, "max_redirections", rules.max_redirects)  # noqa: B010 - a class variable to mypy

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the request for the new URL. Called by `urllib` for each redirect.

        Raises:
            URLError: The rules do not allow the redirect.
        """
        try:
            self._check_redirect(req.full_url, newurl)
        except BaseException:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def open_url(
    url: str,
    rules: FetchRules,
    deadline: ConnectionDeadline,
    *,
    timeout_seconds: float,
    headers: Mapping[str, str] = {},
) -> Any:
    """Send a GET request, and return the open response of `urllib`, which the caller must close.

    Args:
        url: An `http` or `https` URL, which the caller has checked.
        rules: The redirects, addresses and proxies that the request may use.
        deadline: The total time limit for the request and for reading its response.
        timeout_seconds: The time limit of each read.
        headers: Headers for the server itself. They can contain secrets, so they are not sent to
            another server after a redirect.

    Raises:
        OSError, HTTPException, ValueError: There is no response, or it has an error status.
    """
    request = Request(url, headers={"User-Agent": f"paddock/{__version__}"})  # noqa: S310 - checked
    for name, value in headers.items():
        request.add_unredirected_header(name, value)
    proxy_handlers = [] if rules.uses_proxy else [ProxyHandler({})]
    deadline_handlers = deadline.make_handlers(rules.check_connection)
    opener = build_opener(_RedirectFilter(rules), *proxy_handlers, *deadline_handlers)
    return opener.open(request, timeout=timeout_seconds)


def read_chunks(body: IO[bytes]) -> Iterator[bytes]:
    """Yield the data of a response or file as it arrives, so that callers can check limits."""
    # `read` would wait for a complete chunk, which a slow server could delay.
    read = getattr(body, "read1", body.read)
    while chunk := read(_CHUNK_BYTES):
        yield chunk
