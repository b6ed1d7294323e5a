"""What `paddock up` has to decide before it answers anybody: who may come in, and on which port."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from paddock.app.doors import OpenDoor, TokenDoor
from paddock.app.ports import PortTakenError, Running, ask, holder, listen
from paddock.app.team import TeamDoor
from paddock.errors import DefinitionError
from paddock.serving.http import WILDCARDS
from paddock.transports.http.guards import is_loopback
from paddock.version import __version__

if TYPE_CHECKING:
    import socket

    from paddock.app.doors import Door
    from paddock.app.identity import Identity
    from paddock.zoo.service import Zoo


class Taken(NamedTuple):
    """Why a port cannot be had."""

    error: PortTakenError
    running: Running | None
    """The Paddock that has it, if it is one."""
    is_same: bool
    """Whether that is the one which was to be started."""
    by: str
    """Who has it, in words."""


class Address(Struct, frozen=True, kw_only=True):
    """Where the application is to be reached."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    """Names that requests may call it by, besides."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def allowed_hosts(self) -> list[str]:
        """Hosts that requests may name, besides this machine's own.

        Raises:
            DefinitionError: when all networks are let in, and nobody says by which name.
        """
        if self.host in WILDCARDS and not self.hosts:
            raise DefinitionError(
                f"{self.host!r} lets every network in, and nothing says how it is called there",
                hint="name it as browsers and clients will: --allowed-host NAME, or * for any",
            )
        is_name = not (self.is_private or self.host in WILDCARDS)
        return [*self.hosts, *([_bracketed(self.host)] if is_name else [])]

    def url(self, port: int) -> str:
        """Where a browser on this machine finds it."""
        if self.host in WILDCARDS or self.is_private:
            host = "[::1]" if self.host in ("::", "::1") else "127.0.0.1"
        else:
            host = _bracketed(self.host)
        return f"http://{host}:{port}/"


def door_of(address: Address, token: str | None) -> Door:
    """Who may come in where no team is served.

    Raises:
        DefinitionError: when an address that others reach has no token.
        WeakTokenError: when the token can be guessed.
    """
    if token:
        return TokenDoor(token)
    if not address.is_private:
        raise DefinitionError(
            f"{address.host!r} can be reached by other machines, and nobody would have to sign in",
            hint="set PADDOCK_TOKEN to a secret of 16 characters or more, or serve a team: --team",
        )
    return OpenDoor()


def team_door(zoo: Zoo) -> Door:
    """Who may come in where a team is served.

    Raises:
        DefinitionError: when nobody could, or nobody could let others in.
    """
    accounts = zoo.accounts()
    if not any(user.is_admin for user in accounts.list_users()):
        raise DefinitionError(
            "nobody is in the team who could let others in",
            hint="make the first account: paddock users add NAME --admin",
        )
    return TeamDoor(accounts)


def claim(address: Address, identity: Identity) -> socket.socket | Taken:
    """The port, or who has it.

    Raises:
        ListenError: when the address cannot be had for another reason.
    """
    try:
        return listen(address.host, address.port)
    except PortTakenError as error:
        running = ask(address.host, address.port)
        return Taken(error, running, _is_same(running, identity), _by(running, address, identity))


def _is_same(running: Running | None, identity: Identity) -> bool:
    return (
        running is not None
        and running.version == __version__
        and running.zoo == identity.fingerprint
    )


def _by(running: Running | None, address: Address, identity: Identity) -> str:
    if running is None:
        return holder(address.port) or "another program"
    if running.zoo != identity.fingerprint:
        return f"Paddock {running.version} with another database"
    return f"Paddock {running.version}" + (
        "" if running.version == __version__ else f" (this is {__version__})"
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
