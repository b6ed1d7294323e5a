"""Server URLs, and pooled connections that another thread can abort."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import urllib3
from msgspec import Struct
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from paddock.errors import ConnectError

DEFAULT_PORTS = {"http": 80, "https": 443}


class ServerUrl(Struct, frozen=True):
    """A server's URL, split into the parts that an HTTP request needs."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port. Credentials are only sent to one origin."""
        return self.scheme, self.host, self.port

    @property
    def is_confidential(self) -> bool:
        """Whether no one can read requests in transit: https, or a loopback address."""
        return self.scheme == "https" or self._is_loopback

    @property
    def _is_loopback(self) -> bool:
        host = self.host.strip("[]")
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def __str__(self) -> str:
        """Return the URL to show in messages, without its query, which may contain a secret."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target.partition('?')[0]}"

    def resolve(self, location: str) -> ServerUrl:
        """Return the URL that a redirect points to."""
        port = f":{self.port}"
        return parse_server_url(
            urljoin(f"{self.scheme}://{self.host}{port}{self.target}", location)
        )


def parse_server_url(url: str) -> ServerUrl:
    """Parse a server URL.

    Raises:
        ConnectError: The text is not an http or https URL, or contains a user name or password.
    """
    try:
        parts = parse_url(url)
    except LocationParseError:
        raise ConnectError(f"Not a URL: {url!r:.200}") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.host:
        raise ConnectError(f"Not an http or https URL: {url!r:.200}")
    if parts.auth is not None:
        raise ConnectError(
            f"The URL of {parts.host} contains a user name or password",
            hint="pass it as a header or a token instead",
        )
    return ServerUrl(
        scheme=parts.scheme,
        host=parts.host,
        port=parts.port or DEFAULT_PORTS[parts.scheme],
        target=parts.request_uri,
    )


class AbortableWork:
    """Work that another thread can abort while it waits for a socket."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = threading.Event()

    @property
    def is_aborted(self) -> bool:
        """Whether `abort` was called."""
        return self._aborted.is_set()

    @property
    def has_socket(self) -> bool:
        """Whether the work has a connection."""
        return self._socket is not None

    def hold_socket(self, sock: socket.socket) -> None:
        """Set the socket that `abort` shuts down."""
        with self._lock:
            self._socket = sock
            if self.is_aborted:
                _shut_down_socket(sock)

    def release_socket(self) -> None:
        """Detach the work from its socket, which may then be used for other work."""
        with self._lock:
            self._socket = None

    def release_if_held(self, sock: socket.socket | None) -> None:
        """Detach the work from `sock`, but not from any other socket it now holds."""
        with self._lock:
            if self._socket is sock:
                self._socket = None

    def set_socket_timeout(self, seconds: float) -> None:
        """Set the timeout of the current socket."""
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.settimeout(seconds)

    def abort(self) -> None:
        """Abort the work and shut down its socket."""
        with self._lock:
            self._aborted.set()
            if self._socket is not None:
                _shut_down_socket(self._socket)

    def sleep(self, seconds: float) -> bool:
        """Sleep. Return True immediately when the work is aborted."""
        return self._aborted.wait(seconds)


def _shut_down_socket(sock: socket.socket) -> None:
    # SSLSocket.shutdown() would clear the TLS state that the reading thread is using.
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


MAX_POOLED_CONNECTIONS = 160
"""Maximum number of idle connections.

This is at least the number of concurrent requests, because urllib3 warns about every connection
that it cannot keep.
"""
TCP_KEEP_ALIVE_OPTIONS = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 4}
"""Seconds of silence before the first probe, seconds between probes, and the number of probes.

Streams may be silent for hours, so the operating system must detect that a server has vanished.
"""

# The work is passed in a thread-local, because urllib3 chooses the connection inside `urlopen` and
# does not accept arguments for it.
_thread_work = threading.local()


def set_current_work(work: AbortableWork | None) -> None:
    """Set this thread's work, to which its next connection attaches itself."""
    _thread_work.holder = work


class _AbortableConnection(HTTPConnection):
    """An HTTP connection whose current request can be aborted by another thread.

    urllib3 reuses connections for multiple requests. Each request is part of an `AbortableWork`,
    which shuts down the socket when aborted. The connection therefore attaches its socket to the
    work of the thread that sends a request, and detaches it from the previous work.
    """

    _current_work: AbortableWork | None = None

    def connect(self) -> None:
        super().connect()
        self._attach_socket_to_work()

    def request(self, *args: Any, **options: Any) -> None:
        self._attach_socket_to_work()
        super().request(*args, **options)

    def _attach_socket_to_work(self) -> None:
        if self._current_work is not None:
            # By now, the previous work may have another connection's socket, which it keeps.
            self._current_work.release_if_held(self.sock)
        self._current_work = getattr(_thread_work, "holder", None)
        if self._current_work is not None and self.sock is not None:
            self._current_work.hold_socket(self.sock)


class _AbortableTlsConnection(_AbortableConnection, HTTPSConnection):
    """An `_AbortableConnection` over TLS."""


class _PlainConnectionPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _AbortableConnection


class _TlsConnectionPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _AbortableTlsConnection


def make_connection_pool(address: ServerUrl, verify: bool | str) -> urllib3.HTTPConnectionPool:
    """Create the connection pool for a server.

    Args:
        address: The server's URL.
        verify: False to accept any TLS certificate, True to trust the default authorities, or the
            path to a file or directory with the certificates of trusted authorities.
    """
    options: dict[str, Any] = {
        "host": address.host,
        "port": address.port,
        "maxsize": MAX_POOLED_CONNECTIONS,
        "socket_options": [*HTTPConnection.default_socket_options, *_make_socket_options()],
    }
    if address.scheme == "http":
        return _PlainConnectionPool(**options)
    if verify is False:
        options["cert_reqs"] = "CERT_NONE"
    elif isinstance(verify, str):
        options["ca_cert_dir" if Path(verify).is_dir() else "ca_certs"] = verify
    return _TlsConnectionPool(**options)


def _make_socket_options() -> list[tuple[int, int, int]]:
    options = [
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in TCP_KEEP_ALIVE_OPTIONS.items()
        if hasattr(socket, name)
    ]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *options]
