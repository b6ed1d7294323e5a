"""Error messages for the terminal.

Imports nothing: `paddock serve` reports errors without loading click.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.errors import PaddockError


def format_error(error: PaddockError) -> str:
    """Return the error on one line, and its hint, if any, on a second one."""
    text = f"{error.where}: {error.message}" if error.where else error.message
    return f"{text}\nHint: {error.hint}" if error.hint else text
