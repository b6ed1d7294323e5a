"""Pooled connections to one server, whose sockets the work that uses them can be cut off from."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

if TYPE_CHECKING:
    from paddock.peer.http.address import Address
    from paddock.peer.http.holder import Holder

POOL_SIZE = 160
"""Connections that are kept; at least as many as there can be requests at a time, because the pool
complains about every one that it has no room for."""
KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 4}
"""After how many seconds of silence, how often and how many times to ask whether a server that
says nothing is still there: a stream may be silent for hours."""

_work = threading.local()


def work_for(holder: Holder | None) -> None:
    """Say whose work this thread does from now on."""
    _work.holder = holder


class _Held:
    """Shows its socket to whoever works with it, and to nobody else."""

    sock: Any = None
    _holder: Holder | None = None

    def _show(self) -> None:
        if self._holder is not None:
            self._holder.release()
        self._holder = getattr(_work, "holder", None)
        if self._holder is not None and self.sock is not None:
            self._holder.hold(self.sock)


class _Connection(_Held, HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self._show()

    def request(self, *args: Any, **options: Any) -> None:
        self._show()
        super().request(*args, **options)


class _SecureConnection(_Held, HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        self._show()

    def request(self, *args: Any, **options: Any) -> None:
        self._show()
        super().request(*args, **options)


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def connections(address: Address, verify: bool | str) -> urllib3.HTTPConnectionPool:
    """The connections to an address."""
    options: dict[str, Any] = {
        "host": address.host,
        "port": address.port,
        "maxsize": POOL_SIZE,
        "socket_options": [*HTTPConnection.default_socket_options, *_keep_alive()],
    }
    if address.scheme == "http":
        return _Pool(**options)
    if verify is False:
        options["cert_reqs"] = "CERT_NONE"
    elif isinstance(verify, str):
        options["ca_cert_dir" if Path(verify).is_dir() else "ca_certs"] = verify
    return _SecurePool(**options)


def _keep_alive() -> list[tuple[int, int, int]]:
    known = [
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in KEEP_ALIVE.items()
        if hasattr(socket, name)
    ]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *known]
