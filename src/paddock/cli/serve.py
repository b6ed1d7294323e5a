"""The command `paddock serve`, which runs an MCP server over stdio or HTTP."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from paddock.cli import completion
from paddock.cli.shared_options import ToolOptions, consent_options, tool_options_option
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
INSTALL_MISSING_EXTENSIONS = "paddock.cli.extension_installation:install_missing_extensions"
"""Imported only if installing is allowed, because it loads urllib."""
SERVE_TARGET_HTTP = "paddock.serving.http:serve_target_http"
"""Imported only for `--http`, because asyncio takes 45 ms to load."""
MOUNT_SERVER = "paddock.mounting.mounts:mount_server"
"""Imported only for `--mount`, because it loads the client."""


def _check_address(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    """Return the value of `--http`, unless it is an existing path.

    The address is optional, so `serve --http server.py` would mistake the target for the address.

    Raises:
        UsageError: The value is the path of a file or directory.
    """
    if value is not None and Path(value).exists():
        raise click.UsageError(
            f"--http expects HOST:PORT, but {value!r} is a path. Put the target first: "
            f"paddock serve {value} --http"
        )
    return value


def _parse_mounts(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Parse the values of `--mount`, given as `NAME=SERVER`."""
    mounts = []
    for text in texts:
        name, equals, server = text.partition("=")
        if not (name and equals and server):
            raise click.BadParameter(f"expected NAME=SERVER, got {text!r}", param_hint="--mount")
        mounts.append((name, server))
    return mounts


@click.command()
@click.argument("target", required=False, shell_complete=completion.complete_servers)
@click.option(
    "--named", is_flag=True, help="TARGET is the name of a server, even if a file exists."
)
@tool_options_option(f"Value of a tool option. Can be repeated. Also {OPTIONS_VARIABLE}, as JSON.")
@click.option(
    "--mount",
    "mounts",
    multiple=True,
    metavar="NAME=SERVER",
    callback=_parse_mounts,
    help="Add the items of another server, prefixed with NAME. Can be repeated.",
)
@consent_options
@click.option("--reload", is_flag=True, help="Reload changed files; clients stay connected.")
@click.option(
    "--http",
    is_flag=False,
    flag_value=DEFAULT_ADDRESS,
    callback=_check_address,
    metavar="[HOST:PORT]",
    help=f"Serve over HTTP instead of stdio (default address: {DEFAULT_ADDRESS}).",
)
@click.option("--path", default=DEFAULT_PATH, show_default=True, help="Path of the HTTP endpoint.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    help="Accept this Host header in HTTP requests; * accepts any. Can be repeated.",
)
@click.option(
    "--allowed-origin",
    "allowed_origins",
    multiple=True,
    help="Accept requests from web pages of this origin; * accepts any. Can be repeated.",
)
@click.option(
    "--log-level",
    type=click.Choice(LOG_LEVELS, case_sensitive=False),
    envvar=LOGGING_LEVEL_VARIABLE,
    help=f"Minimum log level (default: warning). Also {LOGGING_LEVEL_VARIABLE}.",
)
@click.option(
    "--log-format",
    type=click.Choice(LOG_FORMATS, case_sensitive=False),
    envvar=LOGGING_FORMAT_VARIABLE,
    help=f"Log format (default: text). Also {LOGGING_FORMAT_VARIABLE}.",
)
def serve(
    target: str | None,
    *,
    named: bool,
    options: ToolOptions,
    mounts: list[tuple[str, str]],
    install_policy: bool | None,
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
    TARGET, the server in the environment variable PADDOCK_SERVER is served, or else Demo. Over
    stdio, the first request is answered before the server is loaded. Missing extensions are
    installed only with --install, or after asking on a terminal.
    """
    # Clients start servers without a terminal, where the policy is False by default.
    if install_policy is not False:
        install_missing_extensions = resolve_name(INSTALL_MISSING_EXTENSIONS)
        install_missing_extensions(target or get_default_server_name(), install_policy)
    source = _find_serve_target(target, is_named=named)
    _configure_after_load(source, options, mounts)
    if log_level or log_format:
        configure_logging(log_level or "warning", log_format or "text")
    if http is None:
        if allowed_hosts or allowed_origins or path != DEFAULT_PATH:
            raise click.UsageError("--path, --allowed-host and --allowed-origin require --http")
        serve_target(source, reload=reload)
        return
    resolve_name(SERVE_TARGET_HTTP)(
        source,
        http,
        reload=reload,
        path=path,
        allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins,
    )


def _find_serve_target(target: str | None, *, is_named: bool) -> ServerSource:
    """Return the source of the server to load. The server itself is loaded later."""
    if target is None:
        return ServerRef(get_default_server_name())
    return ServerRef(target) if is_named else find_target(target)


def _configure_after_load(
    source: ServerSource, options: ToolOptions, mounts: list[tuple[str, str]]
) -> None:
    """Set the tool options and mount the other servers whenever the server is loaded.

    The server is loaded later, and with `--reload` again after each change. The settings are
    therefore applied in its source's `on_load` callback.

    Args:
        source: Loads the server to configure.
        options: The tool option values, by tool and option.
        mounts: Pairs of a name prefix and the server to mount under it.
    """
    if isinstance(source, ServerRef):
        # A named server has option values in its definition; the source merges them itself.
        source.options = options
        options = {}

    previous_callback = source.on_load

    def configure_server(server: BaseServer) -> None:
        if previous_callback is not None:
            previous_callback(server)
        if options:
            server.set_tool_options(options)
        for prefix, mounted_server in mounts:
            resolve_name(MOUNT_SERVER)(server, mounted_server, prefix)

    if options or mounts:
        source.on_load = configure_server
