"""The command `paddock up`, which serves the web app, the REST API and MCP on one port."""

from __future__ import annotations

from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TypedDict, Unpack

import click
from click.core import ParameterSource

from paddock.errors import LoadError
from paddock.zoo.opening import ZOO_DATABASE_VARIABLE

DEFAULT_PORT = 3912
DEFAULT_HOST = "127.0.0.1"
REQUIRED_PACKAGES = ("litestar", "sqlalchemy", "uvicorn")
"""Packages of the extras `zoo` and `http`."""
SERVE_APP = "paddock.cli.app_server:serve_app"
"""Imported after the packages of the extras were found, because it imports them."""


class AppServerOptions(TypedDict):
    """The options of `paddock up`, as parsed from the command line."""

    port: int
    host: str
    no_browser: bool
    """Do not open the web app in a browser when the server accepts connections."""
    database: str | None
    """The URL of the database, or None for the default one."""
    host_names: tuple[str, ...]
    """Accepted `Host` headers, in addition to those of the address."""
    origins: tuple[str, ...]
    """Accepted origins. Each string can contain several, separated by commas."""
    is_team: bool
    """Let each user sign in to a separate zoo instead of serving a single zoo."""
    requests_per_minute: int | None
    """The limit on API requests per client, or None for no limit."""


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
    envvar=ZOO_DATABASE_VARIABLE,
    help=f"Database of the zoo: postgresql://… or sqlite:///…. Also {ZOO_DATABASE_VARIABLE}.",
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
    "is_team",
    is_flag=True,
    help="Serve a team: each user signs in (see paddock users) and has a separate zoo.",
)
@click.option(
    "--rate-limit",
    "requests_per_minute",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum API requests per client and minute (default: unlimited).",
)
@click.pass_context
def up(ctx: click.Context, **options: Unpack[AppServerOptions]) -> None:
    """Start the web app, the REST API and the MCP endpoints, all on one port.

    MCP clients reach your zoo at /mcp and every other named server at /mcp/NAME. By default only
    this computer has access. Press Ctrl-C to stop.
    """
    missing = next((name for name in REQUIRED_PACKAGES if find_spec(name) is None), None)
    if missing is not None:
        raise LoadError(f"paddock up needs {missing}", hint="pip install 'paddock[zoo,http]'")
    is_port_explicit = ctx.get_parameter_source("port") is not ParameterSource.DEFAULT
    resolve_name(SERVE_APP)(options, is_port_explicit=is_port_explicit)
