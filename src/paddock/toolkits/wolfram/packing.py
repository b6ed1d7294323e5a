"""What the tools `CheckPaclet`, `BuildPaclet` and `SubmitPaclet` do: paths in, Markdown out.

What is checked and packed is in `paddock.wolfram.packaging`. What does not work out is told as
text: it is the answer to what was asked, not a fault of the tool. Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.toolkits.paths import resolve
from paddock.wolfram import quoted
from paddock.wolfram.packaging import (
    Issue,
    Level,
    check_paclet,
    find_info_file,
    packed_files,
    read_description,
    shortened,
    write_archive,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context

_TITLES: dict[Level, str] = {
    "Error": "Errors",
    "Warning": "Warnings",
    "Suggestion": "Suggestions",
}
SUBMITTING = """\
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


def checked(ctx: Context, path: str) -> str:
    """What is wrong with a paclet."""
    return _check_text(check_paclet(_directory(path, ctx)))


def built(ctx: Context, path: str, *, is_checked: bool) -> str:
    """What came of packing a paclet into an archive."""
    directory = _directory(path, ctx)
    issues = check_paclet(directory)
    if is_checked and any(issue.level == "Error" for issue in issues):
        return f"# Paclet Build Aborted\n\n{_sections(issues)}"
    return _built(directory, issues)


def submission(ctx: Context, path: str) -> str:
    """What submitting a paclet takes."""
    directory = _directory(path, ctx)
    issues = check_paclet(directory)
    needed = SUBMITTING.format(directory=quoted(str(directory)))
    return f"# Paclet Submission Failed\n\n{needed}\n\n{_check_text(issues)}"


def _directory(path: str, ctx: Context) -> Path:
    place = resolve(path, ctx)
    if place.is_file():
        place = place.parent
    if not place.is_dir():
        raise PacletPathError(
            f"There is no file or directory {path}",
            where=str(place),
            hint="give the directory that holds PacletInfo.wl",
        )
    return place


def _check_text(issues: list[Issue]) -> str:
    title = "# Paclet Check Results"
    if not issues:
        return f"{title}\n\nNothing was found: the paclet is ready to be built."
    counts = {level: sum(issue.level == level for issue in issues) for level in _TITLES}
    rows = [f"| {level} | {count} |" for level, count in counts.items() if count]
    table = "\n".join(["| Level | Count |", "| --- | --- |", *rows])
    return f"{title}\n\n## Summary\n\n{table}\n\n{_sections(issues)}"


def _sections(issues: list[Issue]) -> str:
    parts = []
    for level, title in _TITLES.items():
        found = [issue for issue in issues if issue.level == level]
        lines = [f"{number}. {_line(issue)}" for number, issue in enumerate(found, start=1)]
        if lines:
            parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts)


def _line(issue: Issue) -> str:
    place = f" (`{issue.place}`)" if issue.place else ""
    return f"**{issue.tag}**: {issue.message}{place}"


def _built(directory: Path, issues: list[Issue]) -> str:
    """Build, unless the archive could not even have a name."""
    vital = [issue for issue in issues if issue.tag in _VITAL]
    if vital:
        return f"# Paclet Build Failed\n\n{_sections(vital)}"
    info = find_info_file(directory)
    try:
        text = info.read_text("utf-8-sig") if info is not None else ""
        described = read_description(text)
        packing = packed_files(directory)
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
    if packing.left_out:
        rows["Left out"] = shortened([f"`{name}`" for name in packing.left_out])
    table = "\n".join(f"| **{name}** | {value} |" for name, value in rows.items())
    return f"# Paclet Build Successful\n\n| Property | Value |\n| --- | --- |\n{table}"


_VITAL = frozenset(
    {"NoPacletInfo", "InvalidPacletInfo", "InvalidName", "InvalidVersion", "UnreadableDirectory"}
)
"""Without which there is nothing to pack, or no name for it."""
