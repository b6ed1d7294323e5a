"""Pooled connections to one server, whose sockets the work that uses them can be cut off from."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

if TYPE_CHECKING:
    from paddock.peer.http.address import ServerUrl
    from paddock.peer.http.holder import AbortableWork

MAX_POOLED_CONNECTIONS = 160
"""Connections that are kept; at least as many as there can be requests at a time, because the pool
complains about every one that it has no room for."""
TCP_KEEP_ALIVE_OPTIONS = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 4}
"""After how many seconds of silence, how often and how many times to ask whether a server that
says nothing is still there: a stream may be silent for hours."""

_thread_work = threading.local()


def set_current_work(holder: AbortableWork | None) -> None:
    """Say whose work this thread does from now on."""
    _thread_work.holder = holder


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
            self._current_work.hold(self.sock)


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
    known = [
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in TCP_KEEP_ALIVE_OPTIONS.items()
        if hasattr(socket, name)
    ]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *known]
