"""The command `paddock up`, which serves the web app, the REST API and MCP on one port."""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.errors import LoadError

if TYPE_CHECKING:
    import socket

    from paddock.app.authenticators import Authenticator
    from paddock.app.instance import InstanceInfo
    from paddock.app.startup import ListenAddress

DEFAULT_PORT = 3912
DEFAULT_HOST = "127.0.0.1"
TOKEN_VARIABLE = "PADDOCK_TOKEN"  # noqa: S105 - the name of a variable
DATABASE_VARIABLE = "PADDOCK_ZOO_DATABASE"


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    envvar="PORT",
    show_default=True,
    help="Port for all services; 0 selects a free one. Also PORT.",
)
@click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    help="Address to listen on. Addresses other than loopback require PADDOCK_TOKEN or --team.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the web app in a browser.")
@click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE_VARIABLE,
    help=f"Database of the zoo: postgresql://… or sqlite:///…. Also {DATABASE_VARIABLE}.",
)
@click.option(
    "--allowed-host",
    "host_names",
    multiple=True,
    help="Accept this Host header in requests; * accepts any. Can be repeated.",
)
@click.option(
    "--allowed-origin",
    "origins",
    multiple=True,
    envvar="ALLOWED_ORIGINS",
    help="Accept API requests from web pages of this origin. Can be repeated. "
    "Also ALLOWED_ORIGINS.",
)
@click.option(
    "--team",
    is_flag=True,
    help="Serve a team: each user signs in (see paddock users) and has a separate zoo.",
)
@click.option(
    "--rate-limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum API requests per client and minute (default: unlimited).",
)
@click.pass_context
def up(
    ctx: click.Context,
    *,
    port: int,
    host: str,
    no_browser: bool,
    database: str | None,
    host_names: tuple[str, ...],
    origins: tuple[str, ...],
    team: bool,
    rate_limit: int | None,
) -> None:
    """Start the web app, the REST API and the MCP endpoints, all on one port.

    MCP clients reach your zoo at /mcp and every other named server at /mcp/NAME. By default only
    this computer has access. Press Ctrl-C to stop.
    """
    _require_extras()
    from paddock.app import startup  # noqa: PLC0415 - loads the web framework of an extra
    from paddock.app.application import (  # noqa: PLC0415 - as above
        Application,
        configure_request_log,
    )
    from paddock.app.instance import make_instance_info  # noqa: PLC0415 - as above
    from paddock.app.mcp_endpoints import (  # noqa: PLC0415 - as above
        load_named_server,
        share_open_zoo,
    )
    from paddock.app.static_files import get_web_directory  # noqa: PLC0415 - as above
    from paddock.zoo.opening import get_database_info, open_zoo  # noqa: PLC0415 - loads SQLAlchemy of an extra

    configure_request_log()
    if database:
        # The zoo's MCP server at /mcp reads the address from the environment.
        os.environ[DATABASE_VARIABLE] = database
    address = startup.ListenAddress(host=host, port=port, hosts=host_names)
    allowed_hosts = address.allowed_hosts
    token = os.environ.get(TOKEN_VARIABLE)
    # Reject an unsafe address before the database is created.
    authenticator = None if team else startup.create_authenticator(address, token)
    with open_zoo(database) as zoo, share_open_zoo(zoo):
        if authenticator is None:
            authenticator = startup.create_team_authenticator(zoo)
        instance = make_instance_info(zoo)
        is_port_explicit = ctx.get_parameter_source("port") != click.core.ParameterSource.DEFAULT
        listening_socket = _open_socket(
            address, instance, is_port_explicit=is_port_explicit, opens_browser=not no_browser
        )
        if listening_socket is None:
            return
        application = Application(
            zoo,
            door=authenticator,
            identity=instance,
            load=load_named_server,
            web_directory=get_web_directory(),
            allowed_hosts=allowed_hosts,
            allowed_origins=_split_origins(origins),
            requests_a_minute=rate_limit,
        )
        url = address.format_url(listening_socket.getsockname()[1])

        def announce() -> None:
            _print_addresses(url, get_database_info(zoo).location, authenticator)
            if not no_browser:
                open_browser(url)

        startup.run_application(application, listening_socket, announce)


def _require_extras() -> None:
    try:
        import litestar  # noqa: F401, PLC0415 - of an extra
        import sqlalchemy  # noqa: F401, PLC0415 - of an extra
        import uvicorn  # noqa: F401, PLC0415 - of an extra
    except ImportError as error:
        raise LoadError(
            f"paddock up needs {error.name}", hint="pip install 'paddock[zoo,http]'"
        ) from None


def _split_origins(texts: tuple[str, ...]) -> list[str]:
    """Split origins at commas, which separate them in `ALLOWED_ORIGINS`."""
    return [origin.strip() for text in texts for origin in text.split(",") if origin.strip()]


def _open_socket(
    address: ListenAddress, instance: InstanceInfo, *, is_port_explicit: bool, opens_browser: bool
) -> socket.socket | None:
    """Listen on the port, or on a nearby one if it is taken.

    Returns:
        The socket, or None if another process already serves the same zoo on this port.
    """
    from paddock.app.instance import (  # noqa: PLC0415 - loads the web framework of an extra
        open_nearby_listening_socket,
    )
    from paddock.app.startup import PortConflict, acquire_port  # noqa: PLC0415 - as above

    acquired = acquire_port(address, instance)
    if not isinstance(acquired, PortConflict):
        return acquired
    if acquired.is_same:
        url = address.format_url(address.port)
        output.print_note(f"Paddock is already running with this zoo: {url}")
        if opens_browser:
            open_browser(url)
        return None
    output.print_note(f"Port {address.port} is in use by {acquired.owner}.")
    if output.can_ask():
        if not click.confirm("Use another port?", default=True, err=True):
            raise click.Abort
    elif is_port_explicit:
        raise acquired.error
    return open_nearby_listening_socket(address.host, address.port)


def _print_addresses(url: str, zoo_location: str, authenticator: Authenticator) -> None:
    lines = [
        f"Paddock is at {url}",
        f"  the zoo         {zoo_location}",
        f"  MCP endpoint    {url}mcp (the zoo), {url}mcp/NAME (any of `paddock servers`)",
        f"  connect a client: paddock install CLIENT AgentZoo --http {url}mcp",
        "  press Ctrl-C to stop",
    ]
    if authenticator.is_team:
        lines.insert(1, "  sign in with your user name; paddock users manages the users")
    elif authenticator.needs_sign_in:
        lines.insert(1, f"  sign in with the token in {TOKEN_VARIABLE}")
    output.print_note("\n".join(lines))
    sys.stderr.flush()


def open_browser(url: str) -> None:
    """Open a page in the user's browser without waiting for it.

    Does nothing without a terminal or a window system, where no user would see the page.
    """
    if not (sys.stderr.isatty() and _has_window_system()):
        return
    import webbrowser  # noqa: PLC0415 - rarely needed

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _has_window_system() -> bool:
    # On a console without windows, `webbrowser` would start a text browser in this terminal.
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
