"""Tables and spinners made with rich, imported by `output` only for a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def print_rich_table(headings: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> None:
    """Print a table on a terminal. Each cell is a pair of text and style, such as `red`."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading.capitalize(), overflow="fold")
    for row in rows:
        # Use `Text` cells, because rich would interpret brackets in plain strings as markup.
        table.add_row(*(Text(text, style=style) for text, style in row))
    Console().print(table)


@contextmanager
def show_spinner(text: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner on standard error, and yield a function that replaces its text."""
    with Console(stderr=True).status(Text(text)) as status:
        yield lambda new_text: status.update(Text(new_text))
