"""`paddock serve`: a file or a directory as an MCP server, on standard input and output or HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import completion
from paddock.cli.consent import consent_options, install_missing_extensions, resolve_install_policy
from paddock.cli.shared_options import ToolOptions, parse_tool_options
from paddock.named_servers.names import OPTIONS_VARIABLE
from paddock.named_servers.server_ref import ServerRef, find_target, get_default_server_name
from paddock.serving.stdio import serve_target
from paddock.telemetry.logs import LOG_FORMATS, LOG_LEVELS, configure_logging
from paddock.telemetry.settings import LOGGING_FORMAT_VARIABLE, LOGGING_LEVEL_VARIABLE

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.serving.server_source import ServerSource

DEFAULT_ADDRESS = "127.0.0.1:8642"
DEFAULT_PATH = "/mcp"


def _check_address(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    """What follows --http may be meant as the target, since the address can be left out."""
    if value is not None and Path(value).exists():
        raise click.UsageError(
            f"--http took {value!r} for an address. Write the target first: "
            f"paddock serve {value} --http"
        )
    return value


@click.command()
@click.argument("target", required=False, shell_complete=completion.complete_servers)
@click.option("--named", is_flag=True, help="TARGET is the name of a server, and no file.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="TOOL.OPTION=VALUE",
    help=f"A value for an option of a tool; may be repeated. Also {OPTIONS_VARIABLE}, as JSON.",
)
@click.option(
    "--mount",
    "mounts",
    multiple=True,
    metavar="NAME=SERVER",
    help="Offer what another server has too, its names prefixed with NAME; may be repeated.",
)
@consent_options
@click.option("--reload", is_flag=True, help="Pick up changed files; clients stay connected.")
@click.option(
    "--http",
    is_flag=False,
    flag_value=DEFAULT_ADDRESS,
    callback=_check_address,
    metavar="[HOST:PORT]",
    help=f"Serve over HTTP instead of standard input and output; {DEFAULT_ADDRESS} by default.",
)
@click.option("--path", default=DEFAULT_PATH, show_default=True, help="Where the HTTP endpoint is.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    help="A further host that HTTP requests may name; * for any. Can be repeated.",
)
@click.option(
    "--allowed-origin",
    "allowed_origins",
    multiple=True,
    help="A further origin whose web pages may use the endpoint. Can be repeated.",
)
@click.option(
    "--log-level",
    type=click.Choice(LOG_LEVELS, case_sensitive=False),
    envvar=LOGGING_LEVEL_VARIABLE,
    help=f"The lowest level of Paddock's log lines; warning by default. Also {LOGGING_LEVEL_VARIABLE}.",
)
@click.option(
    "--log-format",
    type=click.Choice(LOG_FORMATS, case_sensitive=False),
    envvar=LOGGING_FORMAT_VARIABLE,
    help=f"How log lines look; text by default. Also {LOGGING_FORMAT_VARIABLE}.",
)
def serve(
    target: str | None,
    *,
    named: bool,
    options: tuple[str, ...],
    mounts: tuple[str, ...],
    may_install: bool,
    no_install: bool,
    reload: bool,
    http: str | None,
    path: str,
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
    log_level: str | None,
    log_format: str | None,
) -> None:
    """Serve TARGET, a named server or a file.

    A file is server.py, server.py:object, a definition (server.toml), or a directory. Without
    TARGET it is the server that the environment variable PADDOCK_SERVER names, or Demo. On standard
    input and output clients are answered at once; the server is loaded behind the first answer.
    Extensions that it needs are installed only with --install, or when you say so on a terminal.
    """
    agreement = resolve_install_policy(may_install=may_install, no_install=no_install)
    install_missing_extensions(target or get_default_server_name(), agreement)
    served = _find_serve_target(target, is_named=named)
    _configure_after_load(
        served, parse_tool_options(options), [_parse_mount(text) for text in mounts]
    )
    if log_level or log_format:
        configure_logging(log_level or "warning", log_format or "text")
    if http is None:
        if allowed_hosts or allowed_origins or path != DEFAULT_PATH:
            raise click.UsageError("--path, --allowed-host and --allowed-origin go with --http")
        serve_target(served, reload=reload)
        return
    from paddock.serving.http import serve_target_http  # noqa: PLC0415 - asyncio is 45 ms

    serve_target_http(
        served,
        http,
        reload=reload,
        path=path,
        allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins,
    )


def _find_serve_target(text: str | None, *, is_named: bool) -> ServerSource:
    if text is None:
        return ServerRef(get_default_server_name())
    return ServerRef(text) if is_named else find_target(text)


def _configure_after_load(
    served: ServerSource, options: ToolOptions, mounts: list[tuple[str, str]]
) -> None:
    """Have the options set, and the other servers mounted, once the server is loaded."""
    if isinstance(served, ServerRef):
        served.options = options
        options = {}

    earlier = served.on_load

    def complete(offering: BaseServer) -> None:
        if earlier is not None:
            earlier(offering)
        if options:
            offering.set_tool_options(options)
        if mounts:
            _mount_servers(offering, mounts)

    if options or mounts:
        served.on_load = complete


def _parse_mount(text: str) -> tuple[str, str]:
    name, equals, target = text.partition("=")
    if not (name and equals and target):
        raise click.BadParameter(f"expected NAME=SERVER, got {text!r}", param_hint="--mount")
    return name, target


def _mount_servers(offering: BaseServer, named: list[tuple[str, str]]) -> None:
    from paddock.mounting.mounts import mount_server  # noqa: PLC0415 - only when asked for

    for name, target in named:
        mount_server(offering, target, name)
