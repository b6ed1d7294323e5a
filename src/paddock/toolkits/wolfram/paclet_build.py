"""Paclet checks, builds and submission instructions as Markdown.

Problems with a paclet are part of the report. They are not tool errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.handler_errors import ToolError
from paddock.reports.text import format_table
from paddock.toolkits.paths import require_path
from paddock.wolfram import quote_string
from paddock.wolfram.paclets import (
    PacletIssue,
    PacletIssueLevel,
    check_paclet,
    find_info_file,
    list_archive_files,
    parse_paclet_info,
    summarize_names,
    write_archive,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.wolfram.paclet_tools import PacletArguments, PacletBuildArguments

_LEVEL_TITLES: dict[PacletIssueLevel, str] = {
    "Error": "Errors",
    "Warning": "Warnings",
    "Suggestion": "Suggestions",
}
SUBMISSION_STEPS = """\
Paclets are submitted to the Wolfram Language Paclet Repository from a Wolfram system, in the name \
of a publisher. Paddock cannot submit them, because it has no access to your Wolfram account. In a \
Wolfram system:

1. Sign in: `CloudConnect[]`
2. Set the publisher: `$PublisherID = "YourPublisherID"` (request one at \
https://resources.wolframcloud.com/PacletRepository)
3. Install the tools: `PacletInstall["Wolfram/PacletCICD"]; Needs["Wolfram`PacletCICD`"]`
4. Submit: `SubmitPaclet[{directory}]`"""
_BLOCKING_TAGS = frozenset(
    {"NoPacletInfo", "InvalidPacletInfo", "InvalidName", "InvalidVersion", "UnreadableDirectory"}
)
"""Issues that leave nothing to build, or no name for the archive."""


class PacletPathError(ToolError):
    """The path does not exist."""

    code = "paclet-tools-invalid-path"


def check_paclet_directory(arguments: PacletArguments, ctx: Context) -> str:
    """Return a report on a paclet's problems."""
    return _format_check(check_paclet(_resolve_directory(arguments.path, ctx)))


def build_paclet(arguments: PacletBuildArguments, ctx: Context) -> str:
    """Build a paclet archive (a Wolfram Language package), and return a report.

    If the argument `check` is true, the archive is built only if the check finds no errors.
    """
    directory = _resolve_directory(arguments.path, ctx)
    issues = check_paclet(directory)
    if arguments.check and any(issue.level == "Error" for issue in issues):
        return f"# Paclet Build Aborted\n\n{_format_issues(issues)}"
    return _build_archive(directory, issues)


def submit_paclet(arguments: PacletArguments, ctx: Context) -> str:
    """Return instructions for submitting a paclet to Wolfram, and the problems to fix first.

    Paddock cannot submit paclets because it has no access to the user's Wolfram account.
    """
    directory = _resolve_directory(arguments.path, ctx)
    issues = check_paclet(directory)
    instructions = SUBMISSION_STEPS.format(directory=quote_string(str(directory)))
    return f"# Paclet Submission Failed\n\n{instructions}\n\n{_format_check(issues)}"


def _resolve_directory(path: str, ctx: Context) -> Path:
    """Return a paclet's directory, given its path or the path of a file in it."""
    resolved = require_path(path, ctx, PacletPathError)
    return resolved if resolved.is_dir() else resolved.parent


def _format_check(issues: list[PacletIssue]) -> str:
    """Return the report on a paclet check: the number of issues at each level, and the issues."""
    title = "# Paclet Check Results"
    if not issues:
        return f"{title}\n\nNo problems were found. The paclet can be built."
    counts = {level: sum(issue.level == level for issue in issues) for level in _LEVEL_TITLES}
    rows = [f"| {level} | {count} |" for level, count in counts.items() if count]
    table = "\n".join(["| Level | Count |", "| --- | --- |", *rows])
    return f"{title}\n\n## Summary\n\n{table}\n\n{_format_issues(issues)}"


def _format_issues(issues: list[PacletIssue]) -> str:
    """Return a paclet's issues as numbered Markdown lists, one for each level."""
    parts = []
    for level, title in _LEVEL_TITLES.items():
        lines = [_format_issue(issue) for issue in issues if issue.level == level]
        if lines:
            numbered_lines = (f"{number}. {line}" for number, line in enumerate(lines, start=1))
            parts += [f"## {title}", "\n".join(numbered_lines)]
    return "\n\n".join(parts)


def _format_issue(issue: PacletIssue) -> str:
    location = f" (`{issue.location}`)" if issue.location else ""
    return f"**{issue.tag}**: {issue.message}{location}"


def _build_archive(directory: Path, issues: list[PacletIssue]) -> str:
    """Write a paclet archive and return a report.

    The archive cannot be built if one of the issues affects the paclet's name, version or files.

    Args:
        directory: The paclet directory.
        issues: The issues that the paclet check found.
    """
    blocking_issues = [issue for issue in issues if issue.tag in _BLOCKING_TAGS]
    if blocking_issues:
        return f"# Paclet Build Failed\n\n{_format_issues(blocking_issues)}"
    try:
        info_file = find_info_file(directory)
        info_text = info_file.read_text("utf-8-sig") if info_file is not None else ""
        paclet = parse_paclet_info(info_text)
        archive_files = list_archive_files(directory)
        archive = write_archive(directory, paclet.name, paclet.version, archive_files.files)
        size = archive.stat().st_size
    except OSError as error:
        file_name = f" (`{error.filename}`)" if error.filename else ""
        return (
            "# Paclet Build Failed\n\nThe archive could not be written.\n\n"
            f"Details: {error.strerror or error}{file_name}"
        )
    rows = {
        "Paclet": paclet.name,
        "Version": paclet.version,
        "Archive": f"`{archive}`",
        "Files": str(len(archive_files.files)),
        "Size": f"{size} bytes",
    }
    if archive_files.excluded:
        rows["Left out"] = summarize_names([f"`{name}`" for name in archive_files.excluded])
    return f"# Paclet Build Successful\n\n{format_table('Property', rows)}"
