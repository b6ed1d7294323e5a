"""Where a server is.

Work in a thread that another thread can put an end to, even while it waits for the network.

Pooled connections to one server, whose sockets the work that uses them can be cut off from.
"""

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
    """The parts of a URL that a request needs."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Who answers there; a token is for one origin only."""
        return self.scheme, self.host, self.port

    @property
    def is_confidential(self) -> bool:
        """Whether nobody on the way can read what is sent there."""
        return self.scheme == "https" or self._is_loopback

    @property
    def _is_loopback(self) -> bool:
        host = self.host.strip("[]")
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def __str__(self) -> str:
        """For people: without the query, which may hold a secret."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target.partition('?')[0]}"

    def resolve(self, location: str) -> ServerUrl:
        """The address that a redirection leads to."""
        port = f":{self.port}"
        return parse_server_url(
            urljoin(f"{self.scheme}://{self.host}{port}{self.target}", location)
        )


def parse_server_url(url: str) -> ServerUrl:
    """The address that a URL names.

    Raises:
        ConnectError: when it names none, or holds a password.
    """
    try:
        parts = parse_url(url)
    except LocationParseError:
        raise ConnectError(f"Not a URL: {url!r:.200}") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.host:
        raise ConnectError(f"Not an http or https URL: {url!r:.200}")
    if parts.auth is not None:
        raise ConnectError(
            f"The URL of {parts.host} holds a user name or password",
            hint="give it as a header or a token instead",
        )
    return ServerUrl(
        scheme=parts.scheme,
        host=parts.host,
        port=parts.port or DEFAULT_PORTS[parts.scheme],
        target=parts.request_uri,
    )


class AbortableWork:
    """Holds the socket that a piece of work waits for; `abort` shuts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = threading.Event()

    @property
    def is_aborted(self) -> bool:
        """Whether nobody wants the work any longer."""
        return self._aborted.is_set()

    @property
    def has_socket(self) -> bool:
        """Whether a connection has been made."""
        return self._socket is not None

    def hold_socket(self, sock: socket.socket) -> None:
        """From now on the work waits for this socket."""
        with self._lock:
            self._socket = sock
            if self.is_aborted:
                _shut_down_socket(sock)

    def release_socket(self) -> None:
        """The work no longer needs its socket, which others may use from now on."""
        with self._lock:
            self._socket = None

    def release_if_held(self, sock: socket.socket | None) -> None:
        """Somebody else uses this socket from now on; another one stays with the work."""
        with self._lock:
            if self._socket is sock:
                self._socket = None

    def set_socket_timeout(self, seconds: float) -> None:
        """Let the work wait for its socket only so long."""
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.settimeout(seconds)

    def abort(self) -> None:
        """End the work, wherever it is."""
        with self._lock:
            self._aborted.set()
            if self._socket is not None:
                _shut_down_socket(self._socket)

    def sleep(self, seconds: float) -> bool:
        """Wait; whether the work was aborted meanwhile."""
        return self._aborted.wait(seconds)


def _shut_down_socket(sock: socket.socket) -> None:
    # Not the method of an SSL socket, which takes its state from under the thread that reads.
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


MAX_POOLED_CONNECTIONS = 160
"""Connections that are kept; at least as many as there can be requests at a time, because the pool
complains about every one that it has no room for."""
TCP_KEEP_ALIVE_OPTIONS = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 4}
"""After how many seconds of silence, how often and how many times to ask whether a server that
says nothing is still there: a stream may be silent for hours."""

_thread_work = threading.local()


def set_current_work(work: AbortableWork | None) -> None:
    """Say whose work this thread does from now on."""
    _thread_work.holder = work


class _AbortableConnection(HTTPConnection):
    """Shows its socket to whoever works with it, and to nobody else."""

    _current_work: AbortableWork | None = None

    def connect(self) -> None:
        super().connect()
        self._hand_over_socket()

    def request(self, *args: Any, **options: Any) -> None:
        self._hand_over_socket()
        super().request(*args, **options)

    def _hand_over_socket(self) -> None:
        if self._current_work is not None:
            # It may be at work on another connection by now.
            self._current_work.release_if_held(self.sock)
        self._current_work = getattr(_thread_work, "holder", None)
        if self._current_work is not None and self.sock is not None:
            self._current_work.hold_socket(self.sock)


class _AbortableTlsConnection(_AbortableConnection, HTTPSConnection):
    """The same with TLS."""


class _PlainConnectionPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _AbortableConnection


class _TlsConnectionPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _AbortableTlsConnection


def make_connection_pool(address: ServerUrl, verify: bool | str) -> urllib3.HTTPConnectionPool:
    """The connections to an address."""
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
