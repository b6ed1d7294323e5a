"""An error of the library in the words for a person: what is wrong, and what to do about it.

Needs nothing but the interpreter: a server that cannot be started says it without click.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.errors import PaddockError


def format_error(error: PaddockError) -> str:
    """One line, and one that begins with `Hint:` where there is something to do."""
    text = f"{error.where}: {error.message}" if error.where else error.message
    return f"{text}\nHint: {error.hint}" if error.hint else text
