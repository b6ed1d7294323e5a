"""The TARGET argument and the connection options of `paddock call` and `paddock inspect`."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

import click

from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import combine_options, headers_option, json_option
from paddock.extensions.errors import ExtensionError
from paddock.extensions.names import parse_qualified_name
from paddock.named_servers.names import ServerDefinitionError, ServerNotFoundError
from paddock.protocol.versions import SUPPORTED_VERSIONS

if TYPE_CHECKING:
    from paddock.client.connect_options import ConnectOptions

# These functions load the server runtime, which `--help` does not need.
IS_PATH_TARGET = "paddock.named_servers.server_ref:is_path_target"
FIND_SOURCE = "paddock.named_servers.sources:find_source"
BUILD_LAUNCH_COMMAND = "paddock.named_servers.launch_command:build_launch_command"


class TargetCommand(click.Command):
    """A command that takes either a server as its first argument or a command line after `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move a command line that follows `--` to the front, as the TARGET argument.

        Its words are also stored in the context, so `resolve_target` does not have to split them
        again.
        """
        if "--" in args:
            separator_index = args.index("--")
            command = args[separator_index + 1 :]
            ctx.meta["paddock.command"] = command
            args = [shlex.join(command), *args[:separator_index]]
        return super().parse_args(ctx, args)


def resolve_target(ctx: click.Context, target: str) -> str | list[str]:
    """Convert a command's TARGET argument to a target for `paddock.connect`.

    Paths, URLs and command lines are returned unchanged. A server name becomes the command that
    starts the server.

    Raises:
        ServerNotFoundError: The target is a single word, but not a server, file or program.
        ExtensionError: The target is a qualified name that cannot be resolved.
    """
    command: list[str] | None = ctx.meta.get("paddock.command")
    if command is not None:
        return command
    if "://" in target or resolve_name(IS_PATH_TARGET)(target):
        return target
    return _find_launch_command(target) or target


def _find_launch_command(word: str) -> list[str] | None:
    """Return the command that starts a named server.

    Returns:
        The command, or None if no server has this name and the word may be a program instead.

    Raises:
        ServerNotFoundError: No server has this name, and the word cannot be a program.
    """
    try:
        resolve_name(FIND_SOURCE)(word)
    except (ServerNotFoundError, ServerDefinitionError, ExtensionError):
        if " " in word:  # a command line
            return None
        is_path_or_program = Path(word).exists() or shutil.which(word) is not None
        is_qualified = parse_qualified_name(word) is not None
        if is_qualified or (word.isidentifier() and not is_path_or_program):
            raise
        return None
    launch = resolve_name(BUILD_LAUNCH_COMMAND)(word)
    return [launch.command, *launch.args]


def _read_token(
    _context: click.Context, _parameter: click.Parameter, variable: str | None
) -> str | None:
    """Return the bearer token in the environment variable that `--token-env` names.

    Raises:
        ArgumentError: The variable is not set or empty.
    """
    if variable is None:
        return None
    token = os.environ.get(variable)
    if not token:
        raise ArgumentError(f"The environment variable {variable} is not set", where="--token-env")
    return token


connection_options = combine_options(
    click.option(
        "--era",
        type=click.Choice(SUPPORTED_VERSIONS),
        help="Protocol version to use (default: the newest that the server supports).",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="Time to wait for each response.",
    ),
    headers_option("HTTP header for a server at a URL. Can be repeated."),
    click.option(
        "--token-env",
        "token",
        metavar="NAME",
        callback=_read_token,
        help="Environment variable with the bearer token for a server at a URL.",
    ),
    click.option(
        "--allow-plain-http",
        is_flag=True,
        help="Allow sending a token unencrypted to another host.",
    ),
    json_option,
)
"""The options of `paddock call` and `paddock inspect`: `--json`, and keywords of `connect`."""


def select_given_options(options: ConnectOptions) -> ConnectOptions:
    """Return the options that the user has set.

    For other servers, `connect` rejects HTTP options even if they have their default values.
    """
    options_with_values = {name: value for name, value in options.items() if value}
    return cast("ConnectOptions", options_with_values)
