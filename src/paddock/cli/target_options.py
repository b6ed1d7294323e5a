"""What the commands that call a server share: where it is, and how to speak to it."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import parse_header
from paddock.extensions.errors import ExtensionError
from paddock.extensions.names import parse_qualified_name
from paddock.named_servers.names import ServerDefinitionError, ServerNotFoundError
from paddock.named_servers.path_detection import is_path_target
from paddock.protocol.versions import SUPPORTED_VERSIONS

if TYPE_CHECKING:
    from paddock.client.connect_options import ConnectOptions

F = TypeVar("F", bound=Callable[..., object])


class TargetCommand(click.Command):
    """A command whose first argument is a server, which may also be given after `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a command that stands after `--` in the place of the target."""
        if "--" in args:
            split = args.index("--")
            ctx.meta["paddock.command"] = args[split + 1 :]
            args = [shlex.join(args[split + 1 :]), *args[:split]]
        return super().parse_args(ctx, args)


def resolve_target(ctx: click.Context, target: str) -> str | list[str]:
    """The server that a command was given: a command, a file, a URL, or a named server.

    Raises:
        ServerNotFoundError: when it is a single word that leads nowhere.
        ExtensionError: when it is a qualified name that leads nowhere.
    """
    command: list[str] | None = ctx.meta.get("paddock.command")
    if command is not None:
        return command
    is_file = "://" not in target and is_path_target(target)
    return target if is_file or "://" in target else _find_launch_command(target) or target


def _find_launch_command(word: str) -> list[str] | None:
    """The command that starts the server of a name."""
    from paddock.named_servers import sources  # noqa: PLC0415 - only for what may be a name
    from paddock.named_servers.launch_command import build_launch_command  # noqa: PLC0415 - only for a name

    try:
        sources.find_source(word)
    except (ServerNotFoundError, ServerDefinitionError, ExtensionError):
        is_known = Path(word).exists() or shutil.which(word) is not None
        if " " not in word and (
            parse_qualified_name(word) is not None or (word.isidentifier() and not is_known)
        ):
            raise
        return None
    launch = build_launch_command(word)
    return [launch.command, *launch.args]


def server_options(function: F) -> F:
    """The options of every command that calls a server."""
    era = click.option(
        "--era",
        type=click.Choice(SUPPORTED_VERSIONS),
        help="Protocol version to speak, instead of the newest that the server knows.",
    )
    timeout = click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for each answer.",
    )
    headers = click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        help="HTTP header for a server behind a URL; may be repeated.",
    )
    token_env = click.option(
        "--token-env",
        metavar="NAME",
        help="Environment variable with the bearer token for a server behind a URL.",
    )
    plain = click.option(
        "--allow-plain-http",
        is_flag=True,
        help="Let a token travel unencrypted to another host.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return era(timeout(headers(token_env(plain(as_json(function))))))


def build_connect_options(
    era: str | None,
    timeout: float,
    headers: tuple[str, ...],
    token_env: str | None,
    *,
    allow_plain_http: bool,
) -> ConnectOptions:
    """What `connect` is told of the options.

    Raises:
        ArgumentError: when one of them is not what it should be.
    """
    options: ConnectOptions = {"era": era, "timeout": timeout}
    if allow_plain_http:
        options["allow_plain_http"] = True
    if headers:
        options["headers"] = dict(parse_header(text, "--header") for text in headers)
    if token_env is not None:
        token = os.environ.get(token_env)
        if not token:
            raise ArgumentError(
                f"The environment variable {token_env} is not set", where="--token-env"
            )
        options["token"] = token
    return options
