"""`paddock up`: the whole product on one port.

Opening a page in the user's browser, where there is one with a window.
"""

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


def open_browser(url: str) -> None:
    """Open a page, without waiting for it. Nothing happens where nobody would see it."""
    if not (sys.stderr.isatty() and _has_window_system()):
        return
    import webbrowser  # noqa: PLC0415 - only where one is opened

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _has_window_system() -> bool:
    """Whether programs can show windows; a browser in a terminal would take that for itself."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


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
    help="The port for everything; 0 takes any that is free. Also PORT.",
)
@click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    help="The address to listen on. Others than this machine's own need PADDOCK_TOKEN or --team.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the web app.")
@click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE_VARIABLE,
    help=f"Where the zoo is: postgresql://… or sqlite:///…. Also {DATABASE_VARIABLE}.",
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    help="A further name that requests may call this host by; * for any. Can be repeated.",
)
@click.option(
    "--allowed-origin",
    "origins",
    multiple=True,
    envvar="ALLOWED_ORIGINS",
    help="A further origin whose web pages may use the API. Can be repeated. Also ALLOWED_ORIGINS.",
)
@click.option(
    "--team",
    is_flag=True,
    help="Serve a team: everybody signs in (paddock users), and has a zoo of their own.",
)
@click.option(
    "--rate-limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Let each client make so many requests of the API in a minute.",
)
@click.pass_context
def up(
    ctx: click.Context,
    *,
    port: int,
    host: str,
    no_browser: bool,
    database: str | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    team: bool,
    rate_limit: int | None,
) -> None:
    """Start the web app, the REST API and the MCP endpoints, all on one port.

    Your zoo is at /mcp for MCP clients, every other named server at /mcp/NAME. Only this machine is
    let in, unless you say otherwise. Press Ctrl-C to end it.
    """
    _check_extras()
    from paddock.app import startup  # noqa: PLC0415 - only where it is served
    from paddock.app.application import (  # noqa: PLC0415 - loads the web framework
        Application,
        configure_request_log,
    )
    from paddock.app.instance import make_instance_info  # noqa: PLC0415 - as above
    from paddock.app.mcp_endpoints import load_named_server, share_open_zoo  # noqa: PLC0415 - as above
    from paddock.app.startup import run_application  # noqa: PLC0415 - as above
    from paddock.app.static_files import get_web_directory  # noqa: PLC0415 - as above
    from paddock.zoo.opening import open_zoo  # noqa: PLC0415 - a database

    configure_request_log()
    if database:
        os.environ[DATABASE_VARIABLE] = database  # the servers at /mcp open it too
    address = startup.ListenAddress(host=host, port=port, hosts=hosts)
    allowed_hosts = address.allowed_hosts
    token = os.environ.get(TOKEN_VARIABLE)
    if not team:
        startup.create_authenticator(address, token)  # refuses before anything is made
    with open_zoo(database) as zoo, share_open_zoo(zoo):
        door = (
            startup.create_team_authenticator(zoo)
            if team
            else startup.create_authenticator(address, token)
        )
        identity = make_instance_info(zoo)
        is_given = ctx.get_parameter_source("port") != click.core.ParameterSource.DEFAULT
        listening = _open_socket(address, identity, is_given=is_given, opens=not no_browser)
        if listening is None:
            return
        application = Application(
            zoo,
            door=door,
            identity=identity,
            load=load_named_server,
            web_directory=get_web_directory(),
            allowed_hosts=allowed_hosts,
            allowed_origins=_split_origins(origins),
            requests_a_minute=rate_limit,
        )
        url = address.format_url(listening.getsockname()[1])

        def announce() -> None:
            _print_addresses(url, zoo.location, door)
            if not no_browser:
                open_browser(url)

        run_application(application, listening, announce)


def _check_extras() -> None:
    try:
        import litestar  # noqa: F401, PLC0415 - of an extra
        import sqlalchemy  # noqa: F401, PLC0415 - of an extra
        import uvicorn  # noqa: F401, PLC0415 - of an extra
    except ImportError as error:
        raise LoadError(
            f"paddock up needs {error.name}", hint="pip install 'paddock[zoo,http]'"
        ) from None


def _split_origins(origins: tuple[str, ...]) -> list[str]:
    """Origins as a variable gives them: with commas between."""
    return [one.strip() for text in origins for one in text.split(",") if one.strip()]


def _open_socket(
    address: ListenAddress, identity: InstanceInfo, *, is_given: bool, opens: bool
) -> socket.socket | None:
    """The port; another one where it is taken; None where this Paddock runs there already."""
    from paddock.app.instance import open_nearby_listening_socket  # noqa: PLC0415 - only where it is served
    from paddock.app.startup import PortConflict, acquire_port  # noqa: PLC0415 - as above

    found = acquire_port(address, identity)
    if not isinstance(found, PortConflict):
        return found
    if found.is_same:
        url = address.format_url(address.port)
        output.print_note(f"Paddock is running already, with this zoo: {url}")
        if opens:
            open_browser(url)
        return None
    output.print_note(f"Port {address.port} is taken by {found.owner}.")
    if output.can_ask():
        if not click.confirm("Use another port?", default=True, err=True):
            raise click.Abort
    elif is_given:
        raise found.error
    return open_nearby_listening_socket(address.host, address.port)


def _print_addresses(url: str, where: str, door: Authenticator) -> None:
    """Say where everything is, and how to connect a client."""
    lines = [
        f"Paddock is at {url}",
        f"  the zoo         {where}",
        f"  MCP endpoint    {url}mcp (the zoo), {url}mcp/NAME (any of `paddock servers`)",
        f"  connect a client: paddock install CLIENT AgentZoo --http {url}mcp",
        "  end it with Ctrl-C",
    ]
    if door.is_team:
        lines.insert(1, "  sign in by name; paddock users says who may")
    elif door.needs_sign_in:
        lines.insert(1, f"  sign in with the token in {TOKEN_VARIABLE}")
    output.print_note("\n".join(lines))
    sys.stderr.flush()
