"""The command group `paddock`, and what its commands have in common.

Commands are loaded when they are used. Errors of the library become one line and exit code 2
here, and nowhere else.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import click

from paddock import __version__
from paddock.errors import PaddockError
from paddock.protocol.versions import SUPPORTED_VERSIONS

if TYPE_CHECKING:
    from paddock.peer.settings import Options

F = TypeVar("F", bound=Callable[..., object])

COMMANDS = {
    "call": "paddock.cli.call:call",
    "inspect": "paddock.cli.inspect:inspect",
    "serve": "paddock.cli.serve:serve",
}
"""Where each command is."""


class ArgumentError(PaddockError):
    """An argument on the command line cannot be what it should be."""

    code = "argument"


class CommandError(click.ClickException):
    """An error of the library, for the person at the terminal."""

    exit_code = 2

    def __init__(self, error: PaddockError) -> None:
        text = f"{error.where}: {error.message}" if error.where else error.message
        super().__init__(f"{text}\nHint: {error.hint}" if error.hint else text)


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are run or described."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        home = COMMANDS.get(cmd_name)
        if home is None:
            return None
        module, _, attribute = home.partition(":")
        command = getattr(import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what the library complains about is shown without a traceback."""
        try:
            return super().invoke(ctx)
        except PaddockError as error:
            raise CommandError(error) from None


class TargetCommand(click.Command):
    """A command whose first argument is a server, which may also be given after `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a command that stands after `--` in the place of the target."""
        if "--" in args:
            split = args.index("--")
            ctx.meta["paddock.command"] = args[split + 1 :]
            args = [shlex.join(args[split + 1 :]), *args[:split]]
        return super().parse_args(ctx, args)


def target_of(ctx: click.Context, target: str) -> str | list[str]:
    """The server that a command was given."""
    command: list[str] | None = ctx.meta.get("paddock.command")
    return target if command is None else command


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
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return era(timeout(headers(token_env(as_json(function)))))


def peer_options(
    era: str | None, timeout: float, headers: tuple[str, ...], token_env: str | None
) -> Options:
    """What `connect` is told of the options.

    Raises:
        ArgumentError: when one of them is not what it should be.
    """
    options: Options = {"era": era, "timeout": timeout}
    if headers:
        options["headers"] = dict(_header(text) for text in headers)
    if token_env is not None:
        token = os.environ.get(token_env)
        if not token:
            raise ArgumentError(
                f"The environment variable {token_env} is not set", where="--token-env"
            )
        options["token"] = token
    return options


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        # Not the text itself: it may be nothing but a secret.
        raise ArgumentError("Expected NAME:VALUE", where="--header")
    return name.strip(), value.strip()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="paddock")
def commands() -> None:
    """Write, serve and call MCP servers."""
