"""What `paddock up` has to decide before it answers anybody: who may come in, and on which port.

Running the application: on uvicorn, from a socket that is there, to an end in good order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from msgspec import Struct

from paddock.app.authenticators import LocalAuthenticator, TeamAuthenticator, TokenAuthenticator
from paddock.app.instance import (
    PortTakenError,
    RunningInstance,
    find_port_owner,
    open_listening_socket,
    probe_instance,
)
from paddock.errors import DefinitionError
from paddock.serving.http import WILDCARD_HOSTS
from paddock.transports.http.origin_policy import is_loopback_host
from paddock.version import __version__

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from paddock.app.application import Application
    from paddock.app.authenticators import Authenticator
    from paddock.app.instance import InstanceInfo
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
        return PortConflict(
            error,
            running,
            _is_same_instance(running, identity),
            _describe_port_owner(running, address, identity),
        )


def _is_same_instance(running: RunningInstance | None, identity: InstanceInfo) -> bool:
    return (
        running is not None
        and running.version == __version__
        and running.zoo == identity.fingerprint
    )


def _describe_port_owner(
    running: RunningInstance | None, address: ListenAddress, identity: InstanceInfo
) -> str:
    if running is None:
        return find_port_owner(address.port) or "another program"
    if running.zoo != identity.fingerprint:
        return f"Paddock {running.version} with another database"
    return f"Paddock {running.version}" + (
        "" if running.version == __version__ else f" (this is {__version__})"
    )


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


DRAIN_TIMEOUT_SECONDS = 10
"""What is under way may take so long when the server is told to end."""


class AppServer(uvicorn.Server):
    """uvicorn, which tells the application of the end before it waits for its streams.

    The signals to end are an order and no accident: the process ends with exit code 0.
    """

    def __init__(
        self, application: Application, on_start: Callable[[], None], config: uvicorn.Config
    ) -> None:
        super().__init__(config)
        self._application = application
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams that would go on for ever, then let the rest finish."""
        self._application.close_streams()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to end; told a second time, at once."""
        super().handle_exit(sig, frame)
        self._captured_signals.clear()


def create_app_server(application: Application, on_start: Callable[[], None]) -> AppServer:
    """A server for the application; `on_start` is called when it has begun."""
    config = uvicorn.Config(
        _as_asgi_app(application),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=75,
        timeout_graceful_shutdown=DRAIN_TIMEOUT_SECONDS,
    )
    return AppServer(application, on_start, config)


def run_application(
    application: Application, listening: socket.socket, on_start: Callable[[], None]
) -> None:
    """Answer on a socket until a signal ends it."""
    create_app_server(application, on_start).run([listening])


def _as_asgi_app(application: Application) -> Any:
    """The application, in the types that uvicorn has for it."""
    return application
