"""Paths in documents, positions in their text, and the errors of all formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from paddock.errors import PaddockError

# The line endings that editors recognize. Other line endings that Unicode defines do not count.
_LINE_END_PATTERN = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class NamedElementStep:
    """A path step that leads to a list element, identified by one of its fields.

    For example, `NamedElementStep("charts")` leads to `{"name": "charts", …}`. If several elements
    have the value, the last one is meant, as with duplicate keys of a JSON object.
    """

    name: str
    field: str = "name"

    def matches(self, element: object) -> bool:
        """Return whether the step leads to a list element."""
        return isinstance(element, dict) and element.get(self.field) == self.name


DocumentPath = tuple[str | NamedElementStep, ...]


class MissingType(Enum):
    """The type of `MISSING`, a value that no document can contain."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = MissingType.MISSING


class ConfigurationError(PaddockError):
    """A client could not parse its configuration file; `where` has line and column."""

    code = "invalid-configuration"


class UneditableError(PaddockError):
    """A configuration file is valid, but the change would affect something else in it."""

    code = "uneditable"


def compute_line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of a character as editors show them, both counted from 1."""
    line, line_start = 1, 0
    for line_end in _LINE_END_PATTERN.finditer(text, 0, offset):
        if line_end[0] == "\r" and text.startswith("\n", line_end.end()):
            break  # the offset is between the two characters of one line ending
        line, line_start = line + 1, line_end.end()
    return line, offset - line_start + 1


def format_location(where: str, text: str, offset: int) -> str:
    """Format the position of a character as `file:line:column`."""
    line, column = compute_line_and_column(text, offset)
    return f"{where}:{line}:{column}"


def detect_newline(text: str) -> str:
    """Return the first line ending in a text, or a line feed if it does not contain any."""
    line_end = _LINE_END_PATTERN.search(text)
    return line_end[0] if line_end else "\n"


def format_path(path: DocumentPath) -> str:
    """Format a path for messages, such as `mcp.servers`, with `[name=x]` for a list element."""
    steps = [
        f"[{step.field}={step.name}]" if isinstance(step, NamedElementStep) else f".{step}"
        for step in path
    ]
    return "".join(steps).removeprefix(".")


ConfigFormat = Literal["json", "toml", "yaml"]
JsonDialect = Literal["strict", "comments", "jsonc"]
"""Standard JSON; with comments; with comments and trailing commas."""
