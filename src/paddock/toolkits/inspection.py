"""Arguments and errors shared by the code inspectors for all languages."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.reports.inspection_report import SEVERITIES, IssueFilter
from paddock.toolkits.paths import RELATIVE_PATH_HINT
from paddock.toolkits.tool_options import DEFAULT_CONFIDENCE, DEFAULT_MAX_ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class InspectorInputError(ToolError):
    """The arguments of a code inspector are unusable."""

    code = "code-inspector-input"


class NoInputError(InspectorInputError):
    """The call has neither code nor a file."""

    code = "code-inspector-no-input"


class AmbiguousInputError(InspectorInputError):
    """The call has both code and a file."""

    code = "code-inspector-ambiguous-input"


class InspectedFileNotFoundError(InspectorInputError):
    """The file or directory does not exist or cannot be read."""

    code = "code-inspector-file-not-found"


class NoFilesFoundError(InspectorInputError):
    """The directory contains no code."""

    code = "code-inspector-no-files-found"


class InvalidConfidenceError(InspectorInputError):
    """The confidence level is not between 0 and 1."""

    code = "code-inspector-invalid-confidence"


def get_code_or_path(arguments: dict[str, Any]) -> tuple[str | None, str]:
    """Return the code or the path that a call of a code inspector names.

    Returns:
        The code and the path. If the call gives code, the path is meaningless. If it gives the
        path of a file or directory, the code is None.

    Raises:
        InspectorInputError: The call does not have exactly one of the two arguments.
    """
    code, path = arguments.get("code"), arguments.get("file")
    if code is None and path is None:
        raise NoInputError("There is nothing to inspect", hint="give either code or file")
    if code is not None and path is not None:
        raise AmbiguousInputError("Both code and file are given", hint="give only one of them")
    return code, str(path)


def parse_issue_filter(arguments: dict[str, Any], default_exclusions: str) -> IssueFilter:
    """Return the filter that decides which issues of the inspected code are reported.

    Severity names are case-insensitive.

    Args:
        arguments: The arguments of the call. The filter depends on `confidenceLevel`,
            `severityExclusions` and `tagExclusions`.
        default_exclusions: Severities to hide if the call does not name any, as in
            "Remark,Warning".

    Raises:
        InvalidConfidenceError: The confidence level is not a number from 0 to 1.
    """
    confidence = arguments.get("confidenceLevel", DEFAULT_CONFIDENCE)
    if not 0 <= confidence <= 1:
        raise InvalidConfidenceError(
            f"confidenceLevel is {confidence}", hint="expected a number from 0 to 1"
        )
    canonical_names = {severity.casefold(): severity for severity in SEVERITIES}
    excluded_severities = _split_names(arguments.get("severityExclusions", default_exclusions))
    return IssueFilter(
        confidence,
        frozenset(canonical_names.get(name.casefold(), name) for name in excluded_severities),
        frozenset(_split_names(arguments.get("tagExclusions", ""))),
    )


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def get_issue_limit(arguments: dict[str, Any]) -> int:
    """Return the maximum number of issues to show."""
    limit: int = arguments.get("limit") or DEFAULT_MAX_ISSUES
    return limit if limit > 0 else DEFAULT_MAX_ISSUES


@contextmanager
def convert_read_errors(path: Path) -> Iterator[None]:
    """Convert an OSError while reading a file into an InspectedFileNotFoundError with a hint."""
    try:
        yield
    except OSError as error:
        raise InspectedFileNotFoundError(
            f"the file cannot be read: {error.strerror or error}",
            where=str(path),
            hint=f"give an existing file or directory; {RELATIVE_PATH_HINT}",
        ) from None
