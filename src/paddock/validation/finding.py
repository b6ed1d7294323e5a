"""Findings: one result of validation each, and what they are collected in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paddock.validation.codes import SEVERITIES, Severity

if TYPE_CHECKING:
    from paddock.errors import PaddockError

_WHERE = re.compile(r"(?P<file>.+?\.\w+)(:(?P<line>\d+))?(:(?P<column>\d+))?(: (?P<key>.+))?")
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)$")


class Place(NamedTuple):
    """Where something is, as far as it is known."""

    file: str
    line: int | None = None
    column: int | None = None
    key: str | None = None
    """What is concerned in the file: a key, or an element of a list."""

    def __str__(self) -> str:
        position = "".join(f":{one}" for one in (self.line, self.column) if one is not None)
        return f"{self.file}{position}" + (f": {self.key}" if self.key else "")


@dataclass(frozen=True)
class Finding:
    """One result of validation."""

    code: str
    """Which kind it is; docs/reference/findings.md has them all."""
    severity: Severity
    place: Place
    message: str
    remedy: str = ""
    """What to do about it."""

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}"
        return f"{text} ({self.remedy})" if self.remedy else text


class Findings:
    """What has been found so far, in its order; the same is told once."""

    def __init__(self) -> None:
        self._found: dict[Finding, None] = {}

    def add(self, code: str, message: str, place: Place | str, remedy: str | None = None) -> None:
        """Keep a finding."""
        where = Place(place) if isinstance(place, str) else place
        self._found[Finding(code, SEVERITIES[code], where, message, remedy or "")] = None

    def add_error(self, code: str, error: PaddockError, place: Place | str) -> None:
        """Keep what an error says; where it does not say where, it is the given place."""
        known = Place(place) if isinstance(place, str) else place
        said = place_of(error.where, known)
        position = _POSITION.search(error.message)
        if position is not None and said.line is None:
            said = said._replace(line=int(position[1]), column=int(position[2]))
        self.add(code, error.message, said, error.hint)

    def all(self) -> tuple[Finding, ...]:
        """All of them."""
        return tuple(self._found)


def place_of(where: str | None, known: Place) -> Place:
    """The place that an error names; `known` when it names none, or only the same file."""
    found = _WHERE.fullmatch(where or "")
    if found is None or where == known.file:
        return known
    line, column = (int(one) if one else None for one in found.group("line", "column"))
    return Place(found["file"], line, column, found["key"] or known.key)


def line_with(text: str, word: str) -> int | None:
    """The first line of a text in which a word stands, alone or in quotes."""
    pattern = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])")
    found = pattern.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1
