"""What the tools `CheckPaclet`, `BuildPaclet` and `SubmitPaclet` do: paths in, Markdown out.

What is checked and packed is in `paddock.wolfram.paclets`. What does not work out is told as
text: it is the answer to what was asked, not a fault of the tool. Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.handler_errors import ToolError
from paddock.toolkits.paths import resolve_path
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

_LEVEL_TITLES: dict[PacletIssueLevel, str] = {
    "Error": "Errors",
    "Warning": "Warnings",
    "Suggestion": "Suggestions",
}
SUBMISSION_STEPS = """\
Paclets are submitted from a Wolfram system, in the name of a publisher, to the Wolfram Language \
Paclet Repository. Paddock cannot do that for you: it has no access to your Wolfram account. In a \
Wolfram system:

1. Sign in: `CloudConnect[]`
2. Say who publishes: `$PublisherID = "YourPublisherID"` (request one at \
https://resources.wolframcloud.com/PacletRepository)
3. Install the tools: `PacletInstall["Wolfram/PacletCICD"]; Needs["Wolfram`PacletCICD`"]`
4. Submit: `SubmitPaclet[{directory}]`"""


class PacletPathError(ToolError):
    """There is no paclet at a path."""

    code = "paclet-tools-invalid-path"


def report_check(ctx: Context, path: str) -> str:
    """What is wrong with a paclet."""
    return _format_check(check_paclet(_resolve_directory(path, ctx)))


def report_build(ctx: Context, path: str, *, is_checked: bool) -> str:
    """What came of packing a paclet into an archive."""
    directory = _resolve_directory(path, ctx)
    issues = check_paclet(directory)
    if is_checked and any(issue.level == "Error" for issue in issues):
        return f"# Paclet Build Aborted\n\n{_format_issues(issues)}"
    return _build_archive(directory, issues)


def report_submission(ctx: Context, path: str) -> str:
    """What submitting a paclet takes."""
    directory = _resolve_directory(path, ctx)
    issues = check_paclet(directory)
    needed = SUBMISSION_STEPS.format(directory=quote_string(str(directory)))
    return f"# Paclet Submission Failed\n\n{needed}\n\n{_format_check(issues)}"


def _resolve_directory(path: str, ctx: Context) -> Path:
    place = resolve_path(path, ctx)
    if place.is_file():
        place = place.parent
    if not place.is_dir():
        raise PacletPathError(
            f"There is no file or directory {path}",
            where=str(place),
            hint="give the directory that holds PacletInfo.wl",
        )
    return place


def _format_check(issues: list[PacletIssue]) -> str:
    title = "# Paclet Check Results"
    if not issues:
        return f"{title}\n\nNothing was found: the paclet is ready to be built."
    counts = {level: sum(issue.level == level for issue in issues) for level in _LEVEL_TITLES}
    rows = [f"| {level} | {count} |" for level, count in counts.items() if count]
    table = "\n".join(["| Level | Count |", "| --- | --- |", *rows])
    return f"{title}\n\n## Summary\n\n{table}\n\n{_format_issues(issues)}"


def _format_issues(issues: list[PacletIssue]) -> str:
    parts = []
    for level, title in _LEVEL_TITLES.items():
        found = [issue for issue in issues if issue.level == level]
        lines = [f"{number}. {_format_issue(issue)}" for number, issue in enumerate(found, start=1)]
        if lines:
            parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts)


def _format_issue(issue: PacletIssue) -> str:
    place = f" (`{issue.location}`)" if issue.location else ""
    return f"**{issue.tag}**: {issue.message}{place}"


def _build_archive(directory: Path, issues: list[PacletIssue]) -> str:
    """Build, unless the archive could not even have a name."""
    vital = [issue for issue in issues if issue.tag in _BLOCKING_TAGS]
    if vital:
        return f"# Paclet Build Failed\n\n{_format_issues(vital)}"
    info = find_info_file(directory)
    try:
        text = info.read_text("utf-8-sig") if info is not None else ""
        described = parse_paclet_info(text)
        packing = list_archive_files(directory)
        archive = write_archive(directory, described.name, described.version, packing.files)
        size = archive.stat().st_size
    except OSError as error:
        place = f" (`{error.filename}`)" if error.filename else ""
        return (
            "# Paclet Build Failed\n\nThe archive could not be written.\n\n"
            f"Details: {error.strerror or error}{place}"
        )
    rows = {
        "Paclet": described.name,
        "Version": described.version,
        "Archive": f"`{archive}`",
        "Files": str(len(packing.files)),
        "Size": f"{size} bytes",
    }
    if packing.excluded:
        rows["Left out"] = summarize_names([f"`{name}`" for name in packing.excluded])
    table = "\n".join(f"| **{name}** | {value} |" for name, value in rows.items())
    return f"# Paclet Build Successful\n\n| Property | Value |\n| --- | --- |\n{table}"


_BLOCKING_TAGS = frozenset(
    {"NoPacletInfo", "InvalidPacletInfo", "InvalidName", "InvalidVersion", "UnreadableDirectory"}
)
"""Without which there is nothing to pack, or no name for it."""
