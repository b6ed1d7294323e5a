"""What tells one running Paddock from another: its version, and its database.

Getting a port, and saying who has it when it is taken.
"""

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


class InstanceInfo(Struct, frozen=True, kw_only=True):
    """What others may know of a running Paddock."""

    database: str
    """`sqlite` or `postgresql`."""
    fingerprint: str
    """The same for two that use the same database; tells nothing of where it is."""


def make_instance_info(zoo: Zoo) -> InstanceInfo:
    """The identity of a Paddock that serves a zoo."""
    database = get_database_info(zoo)
    fingerprint = sha256(database.location.encode()).hexdigest()[:16]
    return InstanceInfo(database=database.kind, fingerprint=fingerprint)


PROBE_TIMEOUT_SECONDS = 2.0
LISTEN_BACKLOG = 2048
MAX_PORTS_TRIED = 20
"""Ports after the wanted one that are tried."""


class RunningInstance(Struct, rename="camel", kw_only=True):
    """A Paddock that answers on a port."""

    product: str
    version: str
    database: str
    zoo: str


class PortTakenError(ListenError):
    """Another program listens where Paddock should."""

    code = "port-taken"


def open_listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 takes any that is free.

    Raises:
        PortTakenError: when somebody has it.
        ListenError: when it cannot be had for another reason.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise ListenError(f"{host!r} is no address of this machine: {error}") from None
    made = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it lets two programs have the same port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(LISTEN_BACKLOG)
    except OSError as error:
        made.close()
        text = f"cannot listen on {host}:{port}: {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(text, hint="choose another one: --port N") from None
        raise ListenError(text) from None
    made.setblocking(False)
    return made


def open_nearby_listening_socket(host: str, port: int) -> socket.socket:
    """A socket on one of the next ports that is free, or on any.

    Raises:
        ListenError: when the host is none of this machine.
    """
    for other in range(port + 1, min(port + MAX_PORTS_TRIED, 65535) + 1):
        with suppress(PortTakenError):
            return open_listening_socket(host, other)
    return open_listening_socket(host, 0)


def probe_instance(host: str, port: int) -> RunningInstance | None:
    """The Paddock that answers on a port, if one does."""
    connection = http.client.HTTPConnection(
        _get_reachable_host(host), port, timeout=PROBE_TIMEOUT_SECONDS
    )
    with closing(connection):
        try:
            connection.request("GET", "/api/health", headers={"Accept": "application/json"})
            found = msgspec.json.decode(
                connection.getresponse().read(100_000), type=RunningInstance
            )
        except (OSError, http.client.HTTPException, msgspec.MsgspecError, UnicodeError):
            return None
    return found if found.product == "paddock" else None


def find_port_owner(port: int) -> str | None:
    """The program that listens on a port, where the system lets us find that out."""
    inodes = {*_iterate_listening_inodes(port)}
    if not inodes:
        return None
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(_get_socket_inode(one) in inodes for one in (process / "fd").iterdir()):
                words = (process / "cmdline").read_bytes().split(b"\0")
                shown = b" ".join(words).decode(errors="replace").strip()
                return f"process {process.name} ({shown[:120]})"
    return None


def _iterate_listening_inodes(port: int) -> Iterator[str]:
    """The sockets that listen on a port, as Linux tells them."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _get_socket_inode(descriptor: Path) -> str:
    """The socket that a descriptor of a process leads to, if it does."""
    with suppress(OSError):
        return str(descriptor.readlink()).removeprefix("socket:[").removesuffix("]")
    return ""


def _get_reachable_host(host: str) -> str:
    """Where we can reach what listens on every address."""
    return "::1" if host == "::" else "127.0.0.1" if host in WILDCARD_HOSTS else host
