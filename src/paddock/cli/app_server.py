"""The server behind `paddock up`: opens the zoo and the port, and runs the web application.

`up` imports this module after checking that the extras are installed.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from threading import Thread
from typing import TYPE_CHECKING

import click

from paddock.app import startup
from paddock.app.application import Application, configure_request_log
from paddock.app.instance import make_instance_info, open_nearby_listening_socket
from paddock.app.static_files import get_web_directory
from paddock.cli import output
from paddock.zoo.opening import ZOO_DATABASE_VARIABLE, get_database_info, open_zoo

if TYPE_CHECKING:
    import socket

    from paddock.app.authenticators import Authenticator
    from paddock.app.instance import InstanceInfo
    from paddock.cli.up import AppServerOptions

TOKEN_VARIABLE = "PADDOCK_TOKEN"  # noqa: S105 - the name of a variable


def serve_app(options: AppServerOptions, *, is_port_explicit: bool) -> None:
    """Serve the web app, the REST API and the MCP endpoints until the process is stopped.

    Does nothing if another process already serves the same zoo on this port.

    Args:
        options: The command's options.
        is_port_explicit: True if the user chose the port. It is then not replaced without asking.

    Raises:
        PaddockError: The address is not safe or not available, or the database cannot be used.
    """
    configure_request_log()
    if options["database"]:
        # The zoo's MCP server at /mcp reads the address from the environment.
        os.environ[ZOO_DATABASE_VARIABLE] = options["database"]
    address = startup.ListenAddress(
        host=options["host"], port=options["port"], hosts=options["host_names"]
    )
    # Reject an unsafe address before the database is created.
    authenticator = (
        None
        if options["is_team"]
        else startup.create_authenticator(address, os.environ.get(TOKEN_VARIABLE))
    )
    with open_zoo(options["database"]) as zoo:
        if authenticator is None:
            authenticator = startup.create_team_authenticator(zoo)
        instance = make_instance_info(zoo)
        listening_socket = _open_socket(
            address, instance, options, is_port_explicit=is_port_explicit
        )
        if listening_socket is None:
            return
        application = Application(
            zoo,
            authenticator=authenticator,
            instance=instance,
            web_directory=get_web_directory(),
            allowed_hosts=address.allowed_hosts,
            allowed_origins=_split_origins(options["origins"]),
            requests_a_minute=options["requests_per_minute"],
        )
        url = address.format_url(listening_socket.getsockname()[1])

        def announce() -> None:
            _print_addresses(url, get_database_info(zoo).location, authenticator)
            if not options["no_browser"]:
                open_browser(url)

        startup.run_application(application, listening_socket, announce)


def _split_origins(texts: tuple[str, ...]) -> list[str]:
    """Split texts at commas, the separator in `ALLOWED_ORIGINS`."""
    return [origin.strip() for text in texts for origin in text.split(",") if origin.strip()]


def _open_socket(
    address: startup.ListenAddress,
    instance: InstanceInfo,
    options: AppServerOptions,
    *,
    is_port_explicit: bool,
) -> socket.socket | None:
    """Return a socket that listens on the application's port, or on a nearby port if it is in use.

    On a terminal, the user is asked before another port is used. Without a terminal, a port chosen
    by the user is never replaced. If Paddock is already running with the same zoo, the user is
    directed to it instead.

    Returns:
        The socket, or None if another process already serves the same zoo on this port.

    Raises:
        PaddockError: The selected port is in use.
        Abort: The user declined to use another port.
    """
    acquired = startup.acquire_port(address, instance)
    if not isinstance(acquired, startup.PortConflict):
        return acquired
    if acquired.is_same:
        url = address.format_url(address.port)
        output.print_note(f"Paddock is already running with this zoo: {url}")
        if not options["no_browser"]:
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
    """Print the application's addresses, its database, and instructions for signing in.

    Called once the server accepts connections.
    """
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

    Does nothing without a terminal or a window system, where the user would not see the page.
    """
    if not (sys.stderr.isatty() and _has_window_system()):
        return
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _has_window_system() -> bool:
    """Return whether a graphical browser can be opened on this computer."""
    # On a console without a window system, `webbrowser` would start a text browser right here.
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
