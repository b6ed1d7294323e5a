"""What `paddock up` has to decide before it answers anybody: who may come in, and on which port."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from paddock.app.doors import LocalAuthenticator, TokenAuthenticator
from paddock.app.ports import PortTakenError, RunningInstance, probe_instance, find_port_owner, open_listening_socket
from paddock.app.team import TeamAuthenticator
from paddock.errors import DefinitionError
from paddock.serving.http import WILDCARD_HOSTS
from paddock.transports.http.guards import is_loopback_host
from paddock.version import __version__

if TYPE_CHECKING:
    import socket

    from paddock.app.doors import Authenticator
    from paddock.app.identity import InstanceInfo
    from paddock.zoo.service import Zoo


class PortConflict(NamedTuple):
    """Why a port cannot be had."""

    error: PortTakenError
    running: RunningInstance | None
    """The Paddock that has it, if it is one."""
    is_same: bool
    """Whether that is the one which was to be started."""
    owner: str
    """Who has it, in words."""


class ListenAddress(Struct, frozen=True, kw_only=True):
    """Where the application is to be reached."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    """Names that requests may call it by, besides."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback_host(self.host)

    @property
    def allowed_hosts(self) -> list[str]:
        """Hosts that requests may name, besides this machine's own.

        Raises:
            DefinitionError: when all networks are let in, and nobody says by which name.
        """
        if self.host in WILDCARD_HOSTS and not self.hosts:
            raise DefinitionError(
                f"{self.host!r} lets every network in, and nothing says how it is called there",
                hint="name it as browsers and clients will: --allowed-host NAME, or * for any",
            )
        is_name = not (self.is_private or self.host in WILDCARD_HOSTS)
        return [*self.hosts, *([_bracket_host(self.host)] if is_name else [])]

    def format_url(self, port: int) -> str:
        """Where a browser on this machine finds it."""
        if self.host in WILDCARD_HOSTS or self.is_private:
            host = "[::1]" if self.host in ("::", "::1") else "127.0.0.1"
        else:
            host = _bracket_host(self.host)
        return f"http://{host}:{port}/"


def create_authenticator(address: ListenAddress, token: str | None) -> Authenticator:
    """Who may come in where no team is served.

    Raises:
        DefinitionError: when an address that others reach has no token.
        WeakTokenError: when the token can be guessed.
    """
    if token:
        return TokenAuthenticator(token)
    if not address.is_private:
        raise DefinitionError(
            f"{address.host!r} can be reached by other machines, and nobody would have to sign in",
            hint="set PADDOCK_TOKEN to a secret of 16 characters or more, or serve a team: --team",
        )
    return LocalAuthenticator()


def create_team_authenticator(zoo: Zoo) -> Authenticator:
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
    return TeamAuthenticator(accounts)


def acquire_port(address: ListenAddress, identity: InstanceInfo) -> socket.socket | PortConflict:
    """The port, or who has it.

    Raises:
        ListenError: when the address cannot be had for another reason.
    """
    try:
        return open_listening_socket(address.host, address.port)
    except PortTakenError as error:
        running = probe_instance(address.host, address.port)
        return PortConflict(error, running, _is_same_instance(running, identity), _describe_port_owner(running, address, identity))


def _is_same_instance(running: RunningInstance | None, identity: InstanceInfo) -> bool:
    return (
        running is not None
        and running.version == __version__
        and running.zoo == identity.fingerprint
    )


def _describe_port_owner(running: RunningInstance | None, address: ListenAddress, identity: InstanceInfo) -> str:
    if running is None:
        return find_port_owner(address.port) or "another program"
    if running.zoo != identity.fingerprint:
        return f"Paddock {running.version} with another database"
    return f"Paddock {running.version}" + (
        "" if running.version == __version__ else f" (this is {__version__})"
    )


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
