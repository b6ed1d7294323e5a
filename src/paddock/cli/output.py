"""Terminal output: tables, colours, progress, questions and JSON.

Results go to standard output; notes, warnings and questions go to standard error. rich is only
imported if standard output is a terminal. Programs get aligned plain text.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from paddock.cli import text_layout
from paddock.cli.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

RICH_OUTPUT_MODULE = "paddock.cli.rich_output"
"""Imported only for terminals, because rich takes 60 ms to load."""
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "ok": "green"}
"""The colour of each severity of a finding."""


class StyledCell(NamedTuple):
    """A table cell that is coloured on a terminal."""

    text: str
    colour: str


Cell = str | int | StyledCell


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def can_ask() -> bool:
    """Return whether a user at a terminal can answer questions."""
    # Standard output may be piped, because questions go to standard error.
    return sys.stdin.isatty() and sys.stderr.isatty()


def has_colour() -> bool:
    """Return whether standard output may be coloured (see no-color.org)."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def colour_text(text: str, colour: str | None, *, bold: bool = False) -> str:
    """Colour a text, or return it unchanged if there is no colour or the output is plain."""
    return click.style(text, fg=colour, bold=bold or None) if colour and has_colour() else text


def print_note(text: str) -> None:
    """Print a message to standard error, with control characters replaced."""
    click.echo(text_layout.replace_control_characters(text), err=True)


def print_warning(text: str, hint: str | None = None) -> None:
    """Print a warning and its hint, if any, to standard error."""
    print_note(f"Warning: {text}\nHint: {hint}" if hint else f"Warning: {text}")


def ask_yes_no(question: str) -> bool:
    """Ask the user a yes-or-no question on standard error. The default is no."""
    return click.confirm(question, err=True)


def confirm(question: str) -> None:
    """Ask the user a yes-or-no question, and end the command if the answer is no.

    Raises:
        Abort: The user declined.
    """
    click.confirm(question, err=True, abort=True)


def require_confirmation(question: str, refusal: str) -> None:
    """Ask the user to confirm something that must not be done without their consent.

    Raises:
        ArgumentError: There is no terminal to ask on. The message begins with `refusal`.
        Abort: The user declined.
    """
    if not can_ask():
        raise ArgumentError(
            f"{refusal} requires confirmation, but there is no terminal to ask on",
            hint="pass --yes",
        )
    confirm(question)


def print_json(value: object) -> None:
    """Print a value as one JSON document."""
    click.echo(text_layout.format_json(value))


def select_attributes(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return the named attributes of an object as the members of a JSON object."""
    return {name: getattr(value, name) for name in names}


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows in aligned columns under headings.

    On a terminal, rich formats and wraps the table. Otherwise it is aligned plain text.
    """
    clean_rows = [[_clean_cell(cell) for cell in row] for row in rows]
    if is_terminal():
        print_rich_table = resolve_name(f"{RICH_OUTPUT_MODULE}:print_rich_table")
        print_rich_table(headings, clean_rows)
        return
    heading_row = [heading.upper() for heading in headings]
    text_rows = [[cell.text for cell in row] for row in clean_rows]
    click.echo(text_layout.align_columns([heading_row, *text_rows], 0))


def _clean_cell(cell: Cell) -> StyledCell:
    text, colour = cell if isinstance(cell, StyledCell) else (str(cell), "")
    return StyledCell(text_layout.replace_control_characters(text), colour)


@contextmanager
def show_progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner on standard error during the `with` block.

    Without a terminal, nothing is shown.

    Yields:
        A function that replaces the text next to the spinner.
    """
    if not (is_terminal() and sys.stderr.isatty()):
        yield lambda _text: None
        return
    with resolve_name(f"{RICH_OUTPUT_MODULE}:show_spinner")(text) as set_text:
        yield set_text
