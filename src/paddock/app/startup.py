"""Startup of `paddock up`: choosing an authenticator and a port, and running the uvicorn server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

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

DRAIN_TIMEOUT_SECONDS = 10
"""Time that running requests have to finish after a stop signal."""


class PortConflict(NamedTuple):
    """A conflict over the application's port, which another program is listening on."""

    error: PortTakenError
    running: RunningInstance | None
    """The Paddock that uses the port, or None for another program."""
    is_same: bool
    """Whether that Paddock has the same version and database as the one being started."""
    owner: str
    """A description of the program, such as `Paddock 1.2 with another database`."""


class ListenAddress(Struct, frozen=True, kw_only=True):
    """The address that the application listens on, and the host names that clients use for it."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    """Additional host names that clients may send in the Host header."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback_host(self.host)

    @property
    def allowed_hosts(self) -> list[str]:
        """The host names allowed in the Host header, in addition to loopback names.

        Requests with other host names are rejected, because another site's web page could have sent
        them through DNS rebinding.

        Raises:
            DefinitionError: The address is a wildcard, and `hosts` is empty.
        """
        if self.host in WILDCARD_HOSTS and not self.hosts:
            raise DefinitionError(
                f"{self.host!r} accepts connections from all networks, but no host name is allowed",
                hint="give the name that browsers and clients use: --allowed-host NAME, or *",
            )
        if self.is_private or self.host in WILDCARD_HOSTS:
            return list(self.hosts)
        return [*self.hosts, _bracket_host(self.host)]

    def format_url(self, port: int) -> str:
        """Return the URL of the web app for a browser on this machine.

        A wildcard address such as `0.0.0.0` cannot be opened, so it becomes a loopback address.

        Args:
            port: The port in use, which differs from `self.port` if that is 0 or was taken.
        """
        if self.host in WILDCARD_HOSTS or self.is_private:
            host = "[::1]" if self.host in ("::", "::1") else "127.0.0.1"
        else:
            host = _bracket_host(self.host)
        return f"http://{host}:{port}/"


def create_authenticator(address: ListenAddress, token: str | None) -> Authenticator:
    """Return the authenticator for a single-user server.

    Without a token, every request is accepted, so the server must be private to this machine.

    Raises:
        DefinitionError: Other machines can connect, and there is no token.
        WeakTokenError: The token is too short.
    """
    if token:
        return TokenAuthenticator(token)
    if not address.is_private:
        raise DefinitionError(
            f"other machines can connect to {address.host!r}, and no sign-in is configured",
            hint="set PADDOCK_TOKEN to a secret of 16 characters or more, or serve a team: --team",
        )
    return LocalAuthenticator()


def create_team_authenticator(zoo: Zoo) -> Authenticator:
    """Return the authenticator for a team, whose members have accounts in the zoo's database.

    Raises:
        DefinitionError: No user is an administrator.
    """
    accounts = zoo.accounts()
    if not any(user.is_admin for user in accounts.list_users()):
        raise DefinitionError(
            "the team has no administrator",
            hint="create the first account: paddock users add NAME --admin",
        )
    return TeamAuthenticator(accounts)


def acquire_port(address: ListenAddress, instance: InstanceInfo) -> socket.socket | PortConflict:
    """Return a listening socket for an address, or the conflict if the port is in use.

    A conflict is returned rather than raised, because it is not always an error. If Paddock is
    already running, a second start only directs the user to the running instance.

    Raises:
        ListenError: The address cannot be used for another reason.
    """
    try:
        return open_listening_socket(address.host, address.port)
    except PortTakenError as error:
        running = probe_instance(address.host, address.port)
        return PortConflict(
            error,
            running,
            _is_same_instance(running, instance),
            _describe_port_owner(running, address, instance),
        )


def _is_same_instance(running: RunningInstance | None, instance: InstanceInfo) -> bool:
    """Return whether the running Paddock can be used instead of starting another one."""
    return (
        running is not None
        and running.version == __version__
        and running.zoo == instance.fingerprint
    )


def _describe_port_owner(
    running: RunningInstance | None, address: ListenAddress, instance: InstanceInfo
) -> str:
    """Describe the program that uses the port, such as `Paddock 1.2 with another database`.

    Args:
        running: The Paddock that uses the port, or None for another program.
        address: The address with the port.
        instance: The Paddock that cannot start because of the conflict.
    """
    if running is None:
        return find_port_owner(address.port) or "another program"
    if running.zoo != instance.fingerprint:
        return f"Paddock {running.version} with another database"
    return f"Paddock {running.version}" + (
        "" if running.version == __version__ else f" (this is {__version__})"
    )


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class AppServer(uvicorn.Server):
    """A uvicorn server that ends the application's streams before it waits for open requests.

    After SIGINT or SIGTERM the process exits with code 0.
    """

    def __init__(
        self, application: Application, on_start: Callable[[], None], config: uvicorn.Config
    ) -> None:
        super().__init__(config)
        self._application = application
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then call `on_start`."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the application's event streams, then wait for the remaining requests to finish.

        Event streams must be ended here, because clients can keep them open indefinitely.
        """
        self._application.close_streams()
        # uvicorn waits for open requests here, up to `timeout_graceful_shutdown`.
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully on the first signal, and immediately on the second."""
        super().handle_exit(sig, frame)
        # uvicorn re-raises captured signals after its shutdown, which would make the process fail.
        self._captured_signals.clear()


def create_app_server(application: Application, on_start: Callable[[], None]) -> AppServer:
    """Return an HTTP server for the application.

    Args:
        application: The ASGI application to serve.
        on_start: Called when the server accepts connections.
    """
    config = uvicorn.Config(
        cast("Any", application),  # uvicorn has its own types for ASGI messages
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
    """Serve the application on a socket until a signal stops it."""
    create_app_server(application, on_start).run([listening])
