"""What the person at the terminal is told when something cannot be done.

One line that says what is wrong, one that begins with `Hint:` and says what to do, and exit code 2.
Errors of the library are given this form by the command group, and nowhere else.
"""

from __future__ import annotations

import click

from paddock.cli.error_text import format_error
from paddock.errors import PaddockError


class ArgumentError(PaddockError):
    """An argument on the command line cannot be what it should be."""

    code = "argument"


class CommandError(click.ClickException):
    """An error of the library, for the person at the terminal."""

    exit_code = 2

    def __init__(self, error: PaddockError) -> None:
        from paddock.cli.text_layout import replace_control_characters  # noqa: PLC0415 - only where something is wrong

        super().__init__(replace_control_characters(format_error(error)))


class NothingDoneError(CommandError):
    """What was asked for is not there, so there was nothing to do."""

    exit_code = 1


class CliUsageError(click.ClickException):
    """A command line that cannot be read, without the usage of the command before it."""

    exit_code = 2

    def __init__(self, error: click.UsageError) -> None:
        path = error.ctx.command_path if error.ctx else "paddock"
        hint = f"{path} --help describes the command"
        super().__init__(f"{error.format_message()}\nHint: {hint}")
