"""The identity of a running Paddock, and the ports that it and other programs listen on."""

from __future__ import annotations

import errno
import http.client
import socket
import sys
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from paddock.serving.http import WILDCARD_HOSTS
from paddock.transports.http.server import ListenError
from paddock.zoo.opening import get_database_info

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.service import Zoo

PROBE_TIMEOUT_SECONDS = 2.0
LISTEN_BACKLOG = 2048
MAX_PORTS_TRIED = 20
"""Number of ports to try after the requested one."""


class InstanceInfo(Struct, frozen=True, kw_only=True):
    """Public information about a running Paddock."""

    database: str
    """`sqlite` or `postgresql`."""
    fingerprint: str
    """A hash of the database's location, the same for all instances that use the database."""


def make_instance_info(zoo: Zoo) -> InstanceInfo:
    """Return the public information about a Paddock that serves a zoo."""
    database = get_database_info(zoo)
    # The location is hashed because the public health check must not reveal paths or host names.
    fingerprint = sha256(database.location.encode()).hexdigest()[:16]
    return InstanceInfo(database=database.kind, fingerprint=fingerprint)


class RunningInstance(Struct, rename="camel", kw_only=True):
    """The health response of the Paddock on a port."""

    product: str
    version: str
    database: str
    zoo: str


class PortTakenError(ListenError):
    """Another program is already listening on the port."""

    code = "port-taken"


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Return a non-blocking TCP socket that listens on an address. Port 0 selects a free port.

    Raises:
        PortTakenError: Another program uses the port.
        ListenError: The address cannot be used for another reason.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise ListenError(f"{host!r} is not an address of this machine: {error}") from None
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # on Windows the option lets two programs share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(LISTEN_BACKLOG)
    except OSError as error:
        listener.close()
        text = f"cannot listen on {host}:{port}: {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(text, hint="choose another port: --port N") from None
        raise ListenError(text) from None
    listener.setblocking(False)
    return listener


def open_nearby_listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket on one of the ports after `port`, or on any free port.

    Raises:
        ListenError: The host is not an address of this machine.
    """
    for next_port in range(port + 1, min(port + MAX_PORTS_TRIED, 65535) + 1):
        with suppress(PortTakenError):
            return open_listening_socket(host, next_port)
    return open_listening_socket(host, 0)


def probe_instance(host: str, port: int) -> RunningInstance | None:
    """Return the Paddock that listens on a port, or None if the port belongs to another program.

    The program receives a request for `/api/health`, which a Paddock answers without
    authentication.
    """
    connection = http.client.HTTPConnection(
        _get_reachable_host(host), port, timeout=PROBE_TIMEOUT_SECONDS
    )
    with closing(connection):
        try:
            connection.request("GET", "/api/health", headers={"Accept": "application/json"})
            instance = msgspec.json.decode(
                # The size is limited, because another program may send data endlessly.
                connection.getresponse().read(100_000),
                type=RunningInstance,
            )
        except (OSError, http.client.HTTPException, msgspec.MsgspecError, UnicodeError):
            return None
    return instance if instance.product == "paddock" else None


def find_port_owner(port: int) -> str | None:
    """Describe the program that listens on a port, such as `process 4711 (node server.js)`.

    The result is None on systems other than Linux, and for processes of other users, whose `/proc`
    entries cannot be read.
    """
    listening_inodes = {*_iterate_listening_inodes(port)}
    if not listening_inodes:
        return None
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            descriptors = (process / "fd").iterdir()
            if any(_get_socket_inode(descriptor) in listening_inodes for descriptor in descriptors):
                arguments = (process / "cmdline").read_bytes().split(b"\0")
                command = b" ".join(arguments).decode(errors="replace").strip()
                return f"process {process.name} ({command[:120]})"
    return None


def _iterate_listening_inodes(port: int) -> Iterator[str]:
    """Yield the inodes of the sockets that listen on a port (Linux only).

    The process that has a socket with one of these inodes open is using the port.
    """
    # Three columns of /proc/net/tcp matter: the local address (column 1, in hexadecimal, such as
    # 0100007F:0F48), the state (column 3, where 0A means LISTEN) and the inode (column 9).
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _get_socket_inode(descriptor: Path) -> str:
    """Return the socket inode of an entry in /proc/PID/fd, or other text."""
    with suppress(OSError):
        return str(descriptor.readlink()).removeprefix("socket:[").removesuffix("]")
    return ""


def _get_reachable_host(host: str) -> str:
    """Return the loopback address for a wildcard address, which clients cannot connect to."""
    return "::1" if host == "::" else "127.0.0.1" if host in WILDCARD_HOSTS else host
