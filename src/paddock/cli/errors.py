"""Errors reported by the command line: a message, an optional `Hint:` line, and an exit code."""

from __future__ import annotations

import click

from paddock.cli import format_error
from paddock.cli.text_layout import replace_control_characters
from paddock.errors import PaddockError


class ArgumentError(PaddockError):
    """An argument on the command line is missing or invalid."""

    code = "argument"


class CommandError(click.ClickException):
    """A `PaddockError` formatted for the terminal. Exits with code 2."""

    exit_code = 2

    def __init__(self, error: PaddockError) -> None:
        super().__init__(replace_control_characters(format_error(error)))


class NothingDoneError(CommandError):
    """The command found nothing to do. Exits with code 1."""

    exit_code = 1


class CliUsageError(click.ClickException):
    """A usage error without click's usage lines, which would push the message off the screen."""

    exit_code = 2

    def __init__(self, error: click.UsageError) -> None:
        path = error.ctx.command_path if error.ctx else "paddock"
        hint = f"{path} --help describes the command"
        super().__init__(f"{error.format_message()}\nHint: {hint}")
