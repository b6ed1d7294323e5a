"""Every kind of finding, by its code. docs/reference/findings.md says more about each.

Findings: one result of validation each, and what they are collected in.

What `validate` gives back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from paddock.errors import PaddockError


Severity = Literal["error", "warning"]

ERROR_CODES = (
    "no-extension",
    "no-entry-point",
    "invalid-entry-point",
    "missing-manifest",
    "unreadable-manifest",
    "invalid-archive",
    "broken-extension",
    "unsupported-schema",
    "unknown-key",
    "invalid-value",
    "invalid-item",
    "duplicate-item",
    "missing-root",
    "missing-definition",
    "duplicate-definition-files",
    "closed-format",
    "unreadable-definition",
    "missing-key",
    "invalid-tool",
    "invalid-prompt",
    "invalid-resource",
    "invalid-server",
    "duplicate-name",
    "prompt-without-content",
    "reference-not-found",
    "unknown-tool",
    "unknown-prompt",
    "unknown-resource",
    "item-not-declared",
)
WARNING_CODES = (
    "unread-entry-points",
    "empty-extension",
    "names-differ-by-case",
    "missing-version",
    "duplicate-extension",
    "closed-format-beside",
    "undeclared-definition",
    "shadowed-definition",
    "immediate-initialization",
    "missing-description",
    "unfilled-blank",
    "extension-not-installed",
)
SEVERITY_BY_CODE: dict[str, Severity] = {
    **dict.fromkeys(ERROR_CODES, "error"),
    **dict.fromkeys(WARNING_CODES, "warning"),
}
"""How serious each kind is: an error keeps something from working, a warning does not."""


_LOCATION_PATTERN = re.compile(
    r"(?P<file>.+?\.\w+)(:(?P<line>\d+))?(:(?P<column>\d+))?(: (?P<key>.+))?"
)
_POSITION_PATTERN = re.compile(r"\(at line (\d+), column (\d+)\)$")


class FindingLocation(NamedTuple):
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
class ValidationFinding:
    """One result of validation."""

    code: str
    """Which kind it is; docs/reference/findings.md has them all."""
    severity: Severity
    place: FindingLocation
    message: str
    remedy: str = ""
    """What to do about it."""

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}"
        return f"{text} ({self.remedy})" if self.remedy else text


class FindingCollector:
    """What has been found so far, in its order; the same is told once."""

    def __init__(self) -> None:
        self._findings: dict[ValidationFinding, None] = {}

    def add(
        self, code: str, message: str, place: FindingLocation | str, remedy: str | None = None
    ) -> None:
        """Keep a finding."""
        where = FindingLocation(place) if isinstance(place, str) else place
        self._findings[
            ValidationFinding(code, SEVERITY_BY_CODE[code], where, message, remedy or "")
        ] = None

    def add_error(self, code: str, error: PaddockError, place: FindingLocation | str) -> None:
        """Keep what an error says; where it does not say where, it is the given place."""
        known = FindingLocation(place) if isinstance(place, str) else place
        said = parse_location(error.where, known)
        position = _POSITION_PATTERN.search(error.message)
        if position is not None and said.line is None:
            said = said._replace(line=int(position[1]), column=int(position[2]))
        self.add(code, error.message, said, error.hint)

    def to_tuple(self) -> tuple[ValidationFinding, ...]:
        """All of them."""
        return tuple(self._findings)


def parse_location(where: str | None, known: FindingLocation) -> FindingLocation:
    """The place that an error names; `known` when it names none, or only the same file."""
    found = _LOCATION_PATTERN.fullmatch(where or "")
    if found is None or where == known.file:
        return known
    line, column = (int(one) if one else None for one in found.group("line", "column"))
    return FindingLocation(found["file"], line, column, found["key"] or known.key)


def find_line(text: str, word: str) -> int | None:
    """The first line of a text in which a word stands, alone or in quotes."""
    pattern = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])")
    found = pattern.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


@dataclass(frozen=True)
class Validation:
    """What was found in a target, and what is wrong with it."""

    target: str
    """What was asked for."""
    kind: str
    """`distribution`, `paclet` or `server`."""
    findings: tuple[ValidationFinding, ...] = ()
    servers: tuple[str, ...] = ()
    """The names of what it declares; qualified for those of extensions."""
    tools: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ()
    """Definition files in Python: run, or with `is_static` only read."""
    is_static: bool = False
    """Whether nothing was run."""
    places: tuple[str, ...] = ()
    """What was looked at: a file or a directory, or those of each installed extension."""
    beside: str | None = None
    """A path of the same name in the working directory, which was not looked at."""

    @property
    def is_valid(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return not self.errors

    @property
    def errors(self) -> tuple[ValidationFinding, ...]:
        """Those findings that keep something from working."""
        return tuple(one for one in self.findings if one.severity == "error")

    @property
    def warnings(self) -> tuple[ValidationFinding, ...]:
        """The other ones."""
        return tuple(one for one in self.findings if one.severity == "warning")
