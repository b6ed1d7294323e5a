"""Validation findings: codes, locations and the overall result.

docs/reference/findings.md describes each code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from paddock.errors import PaddockError


Severity = Literal["error", "warning"]

ERROR_CODES = (
    # The target and its metadata.
    *("no-extension", "no-entry-point", "invalid-entry-point", "invalid-archive"),
    *("broken-extension", "missing-manifest", "unreadable-manifest"),
    # The contents of the manifest.
    *("unsupported-schema", "unknown-key", "invalid-value", "invalid-item", "duplicate-item"),
    # The definition files.
    *("missing-root", "missing-definition", "duplicate-definition-files", "closed-format"),
    *("unreadable-definition", "missing-key"),
    # The contents of the definitions.
    *("invalid-tool", "invalid-prompt", "invalid-resource", "invalid-server", "duplicate-name"),
    *("prompt-without-content", "reference-not-found"),
    *("unknown-tool", "unknown-prompt", "unknown-resource", "item-not-declared"),
)
WARNING_CODES = (
    *("unread-entry-points", "empty-extension", "names-differ-by-case", "missing-version"),
    *("duplicate-extension", "closed-format-beside", "undeclared-definition"),
    *("shadowed-definition", "immediate-initialization", "missing-description"),
    *("unfilled-blank", "extension-not-installed"),
)
SEVERITY_BY_CODE: dict[str, Severity] = {
    **dict.fromkeys(ERROR_CODES, "error"),
    **dict.fromkeys(WARNING_CODES, "warning"),
}
"""An error prevents something from working; a warning does not."""


_LOCATION_PATTERN = re.compile(
    r"(?P<file>.+?\.\w+)(:(?P<line>\d+))?(:(?P<column>\d+))?(: (?P<key>.+))?"
)
_POSITION_PATTERN = re.compile(r"\(at line (\d+), column (\d+)\)$")


class FindingLocation(NamedTuple):
    """The location of a problem in a file, as precisely as it is known.

    Its text form is, for example, `tools.toml:3:7: search`.
    """

    file: str
    line: int | None = None
    column: int | None = None
    key: str | None = None
    """The key or list element in the file."""

    def __str__(self) -> str:
        position = "".join(
            f":{number}" for number in (self.line, self.column) if number is not None
        )
        return f"{self.file}{position}" + (f": {self.key}" if self.key else "")


@dataclass(frozen=True)
class ValidationFinding:
    """A problem found while validating an extension or server."""

    code: str
    """The kind of problem; docs/reference/findings.md lists all of them."""
    severity: Severity
    place: FindingLocation
    message: str
    remedy: str = ""
    """How to fix it; may be empty."""

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}"
        return f"{text} ({self.remedy})" if self.remedy else text


class FindingCollector:
    """Collects findings in order, without duplicates."""

    def __init__(self) -> None:
        # The dictionary serves as an ordered set, because multiple checks may find the same
        # problem.
        self._findings: dict[ValidationFinding, None] = {}

    def add(
        self, code: str, message: str, place: FindingLocation | str, remedy: str | None = None
    ) -> None:
        """Add a finding unless the same one has already been added.

        Args:
            code: The kind of problem, which also determines its severity.
            message: A description of the problem.
            place: The location, or just the file path.
            remedy: How to fix the problem, if known.
        """
        location = FindingLocation(place) if isinstance(place, str) else place
        severity = SEVERITY_BY_CODE[code]
        finding = ValidationFinding(code, severity, location, message, remedy or "")
        self._findings[finding] = None

    def add_error(self, code: str, error: PaddockError, place: FindingLocation | str) -> None:
        """Add a finding for an error that was raised while reading a file or creating an item.

        Args:
            code: The kind of problem.
            error: The error, whose message and hint are used.
            place: The location to use if the error has none.
        """
        default_location = FindingLocation(place) if isinstance(place, str) else place
        location = parse_location(error.where, default_location)
        # Parsers report a position in the message rather than in `where`.
        position = _POSITION_PATTERN.search(error.message)
        if position is not None and location.line is None:
            location = location._replace(line=int(position[1]), column=int(position[2]))
        self.add(code, error.message, location, error.hint)

    def to_tuple(self) -> tuple[ValidationFinding, ...]:
        """Return all findings."""
        return tuple(self._findings)

    @property
    def errors(self) -> tuple[ValidationFinding, ...]:
        """The findings that prevent something from working."""
        return tuple(finding for finding in self._findings if finding.severity == "error")


def parse_location(where: str | None, default: FindingLocation) -> FindingLocation:
    """Return an error's location, or `default` if it has none or merely names the same file."""
    match = _LOCATION_PATTERN.fullmatch(where or "")
    if match is None or where == default.file:
        return default
    line, column = (int(text) if text else None for text in match.group("line", "column"))
    return FindingLocation(match["file"], line, column, match["key"] or default.key)


def find_line(text: str, word: str) -> int | None:
    """Return the number of the first line that contains a word, or None."""
    pattern = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])")
    match = pattern.search(text)
    return None if match is None else text.count("\n", 0, match.start()) + 1


@dataclass(frozen=True)
class Validation:
    """The result of `validate`: the contents of a target and its problems."""

    target: str
    """The target, as passed to `validate`."""
    kind: str
    """`distribution`, `paclet` or `server`."""
    findings: tuple[ValidationFinding, ...] = ()
    servers: tuple[str, ...] = ()
    """Names of the declared servers, qualified with the extension if there is one."""
    tools: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ()
    """Python definition files: imported, or only parsed if `is_static`."""
    is_static: bool = False
    """True if no code was run."""
    places: tuple[str, ...] = ()
    """The validated file or directory, or those of each installed extension."""
    beside: str | None = None
    """A path with the same name in the working directory, which was not validated."""

    @property
    def is_valid(self) -> bool:
        """True if there are no errors; there may be warnings."""
        return not self.errors

    @property
    def errors(self) -> tuple[ValidationFinding, ...]:
        """The findings that prevent something from working."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[ValidationFinding, ...]:
        """The findings that are not errors."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")
