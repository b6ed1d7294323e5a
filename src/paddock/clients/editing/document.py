"""What an editable document is, whatever its format: paths, the interface, and the errors.

The formats are modules of their own; what a change means for plain data is in `plain_data`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from typing import Self

# As editors count lines; other characters that Unicode calls line ends do not count.
_LINE_END_PATTERN = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class NamedElementStep:
    """A step of a path into a list: the element whose field has this value.

    Where several elements have it, the last one counts, as with the keys of an object.
    """

    name: str
    field: str = "name"

    def matches(self, element: object) -> bool:
        """Whether an element of a list is the one that is meant."""
        return isinstance(element, dict) and element.get(self.field) == self.name


DocumentPath = tuple[str | NamedElementStep, ...]


class MissingType(Enum):
    """The type of `MISSING`, which no document can hold."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = MissingType.MISSING


class EditableDocument(Protocol):
    """A text in some format, with changes that leave the rest of the text alone.

    Documents never change; the methods that change something return another one.
    """

    @property
    def text(self) -> str:
        """The whole text, with its own line ends and without a byte order mark."""
        ...

    def to_data(self) -> object:
        """What the text says, as plain data; an empty text is an empty mapping."""
        ...

    def get(self, path: DocumentPath) -> object:
        """What stands at a path, or `MISSING`."""
        ...

    def put(self, path: DocumentPath, value: object) -> Self:
        """Add or replace just the value at a path; containers that are missing or null are made.

        Raises:
            ConfigurationError: when something on the way is not a container of the right kind.
            UneditableError: when the change cannot be made without touching something else.
        """
        ...

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Take away the value at a path, and up to `prune` containers that it leaves empty.

        The innermost container goes first. One that holds comments is not empty.

        Raises:
            UneditableError: when the change cannot be made without touching something else.
        """
        ...


class ConfigurationError(PaddockError):
    """A configuration file is not what its client could read; where has line and column."""

    code = "invalid-configuration"


class UneditableError(PaddockError):
    """A configuration file is fine, but cannot be changed without harm to something else in it."""

    code = "uneditable"


def compute_line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The position of a character as editors show it: both from 1, columns in characters."""
    line, start = 1, 0
    for end in _LINE_END_PATTERN.finditer(text, 0, offset):
        if end[0] == "\r" and text.startswith("\n", end.end()):
            break  # the offset is between the two halves of one line end
        line, start = line + 1, end.end()
    return line, offset - start + 1


def format_location(where: str, text: str, offset: int) -> str:
    """A place in a file, as `file:line:column`."""
    line, column = compute_line_and_column(text, offset)
    return f"{where}:{line}:{column}"


def detect_newline(text: str) -> str:
    """The line end that a text uses: its first one, or a plain one when it has none."""
    found = _LINE_END_PATTERN.search(text)
    return found[0] if found else "\n"


def format_path(path: DocumentPath) -> str:
    """A path as messages show it: `mcp.servers`, `[name=x]` for an element of a list."""
    steps = [f"[{p.field}={p.name}]" if isinstance(p, NamedElementStep) else f".{p}" for p in path]
    return "".join(steps).removeprefix(".")
