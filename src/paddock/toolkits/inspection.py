"""What tools that inspect code are told: which code, what to leave out, and how much to show.

Shared by the inspectors of all languages. What they look for is their own matter.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.reports.inspection_report import SEVERITIES, IssueFilter
from paddock.toolkits.tool_options import DEFAULT_CONFIDENCE, DEFAULT_MAX_ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class InspectorInputError(ToolError):
    """What is to be inspected is not given in a way that can be used."""

    code = "code-inspector-input"


class NoInputError(InspectorInputError):
    """Neither code nor a file is given."""

    code = "code-inspector-no-input"


class AmbiguousInputError(InspectorInputError):
    """Both code and a file are given."""

    code = "code-inspector-ambiguous-input"


class InspectedFileNotFoundError(InspectorInputError):
    """There is no such file or directory, or it cannot be read."""

    code = "code-inspector-file-not-found"


class NoFilesFoundError(InspectorInputError):
    """There is no code in a directory."""

    code = "code-inspector-no-files-found"


class InvalidConfidenceError(InspectorInputError):
    """A confidence is not between 0 and 1."""

    code = "code-inspector-invalid-confidence"


def get_code_or_path(arguments: dict[str, Any]) -> tuple[str | None, str]:
    """The code to inspect, or None and the path of what to inspect.

    Raises:
        InspectorInputError: when not exactly one of them is given.
    """
    code, path = arguments.get("code"), arguments.get("file")
    if code is None and path is None:
        raise NoInputError("There is nothing to inspect", hint="give either code or file")
    if code is not None and path is not None:
        raise AmbiguousInputError("Both code and file are given", hint="give only one of them")
    return code, str(path)


def parse_issue_filter(arguments: dict[str, Any], excluded: str) -> IssueFilter:
    """Which issues are wanted; `excluded` are the severities that usually are not."""
    confidence = arguments.get("confidenceLevel", DEFAULT_CONFIDENCE)
    if not 0 <= confidence <= 1:
        raise InvalidConfidenceError(
            f"confidenceLevel is {confidence}", hint="it is a number from 0 to 1"
        )
    severities = {severity.casefold(): severity for severity in SEVERITIES}
    return IssueFilter(
        confidence,
        frozenset(
            severities.get(name.casefold(), name)
            for name in _split_names(arguments.get("severityExclusions", excluded))
        ),
        frozenset(_split_names(arguments.get("tagExclusions", ""))),
    )


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def get_issue_limit(arguments: dict[str, Any]) -> int:
    """How many issues are shown at most."""
    limit: int = arguments.get("limit") or DEFAULT_MAX_ISSUES
    return limit if limit > 0 else DEFAULT_MAX_ISSUES


@contextmanager
def convert_read_errors(place: Path) -> Iterator[None]:
    """Tell that a file cannot be read as an error of the tool.

    Raises:
        InspectedFileNotFoundError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise InspectedFileNotFoundError(
            f"It cannot be read: {error.strerror or error}",
            where=str(place),
            hint="give an existing file or directory; relative paths begin in the directory that "
            "the client works in",
        ) from None
