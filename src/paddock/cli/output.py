"""Terminal output: tables, colours, progress, questions and JSON.

Results go to standard output; notes, warnings and questions to standard error. rich is imported
only if standard output is a terminal. Programs get aligned plain text.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import text_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "ok": "green"}
"""The colour of each severity of a finding."""


class StyledCell(NamedTuple):
    """A table cell that is coloured on a terminal."""

    text: str
    colour: str


Cell = str | StyledCell


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def can_ask() -> bool:
    """Return whether a user at a terminal can answer questions."""
    # Standard output may be piped, since questions are printed on standard error.
    return sys.stdin.isatty() and sys.stderr.isatty()


def has_colour() -> bool:
    """Return whether standard output may be coloured (see no-color.org)."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def colour_text(text: str, colour: str, *, bold: bool = False) -> str:
    """Return the text in a colour, or unchanged if the output has no colours."""
    return click.style(text, fg=colour, bold=bold or None) if has_colour() else text


def print_note(text: str) -> None:
    """Print a message to standard error, with control characters replaced."""
    click.echo(text_layout.replace_control_characters(text), err=True)


def print_warning(text: str, hint: str | None = None) -> None:
    """Print a warning and its hint, if any, to standard error."""
    print_note(f"Warning: {text}\nHint: {hint}" if hint else f"Warning: {text}")


def ask_yes_no(question: str) -> bool:
    """Ask the user a yes-or-no question on standard error. The default is no."""
    return click.confirm(question, err=True)


def print_json(value: object) -> None:
    """Print a value as one JSON document."""
    click.echo(text_layout.format_json(value))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows in aligned columns below their headings.

    On a terminal, rich formats and wraps the table. Otherwise it is aligned plain text.
    """
    table = [tuple(map(_clean_cell, row)) for row in rows]
    if is_terminal():
        from paddock.cli.rich_output import print_rich_table  # noqa: PLC0415 - for terminals

        print_rich_table(headings, [[_to_styled_cell(cell) for cell in row] for row in table])
        return
    plain = [tuple(map(_get_cell_text, row)) for row in table]
    click.echo(text_layout.align_columns([tuple(word.upper() for word in headings), *plain], 0))


def _clean_cell(cell: Cell) -> Cell:
    if isinstance(cell, StyledCell):
        return StyledCell(text_layout.replace_control_characters(cell.text), cell.colour)
    return text_layout.replace_control_characters(cell)


def _to_styled_cell(cell: Cell) -> StyledCell:
    return cell if isinstance(cell, StyledCell) else StyledCell(cell, "")


def _get_cell_text(cell: Cell) -> str:
    return cell.text if isinstance(cell, StyledCell) else cell


@contextmanager
def show_progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner on standard error during the `with` block.

    Without a terminal, nothing is shown.

    Yields:
        A function that replaces the text beside the spinner.
    """
    if not (is_terminal() and sys.stderr.isatty()):
        yield lambda _text: None
        return
    from paddock.cli.rich_output import show_spinner  # noqa: PLC0415 - as in `print_table`

    with show_spinner(text) as set_text:
        yield set_text
