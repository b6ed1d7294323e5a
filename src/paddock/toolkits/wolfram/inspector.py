"""What the tool `CodeInspector` does: reads what is to be inspected, and reports on it.

What is looked for, and how it is told, is in `paddock.wolfram.inspection`. Loaded with the first
call.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from paddock.files import read_regular_file
from paddock.reports.inspection_report import (
    InspectedFile,
    InspectionLanguage,
    format_directory_report,
    format_source_report,
)
from paddock.toolkits.inspection import (
    NoFilesFoundError,
    convert_read_errors,
    get_code_or_path,
    get_issue_limit,
    parse_issue_filter,
)
from paddock.toolkits.paths import list_allowed_files, resolve_path
from paddock.toolkits.tool_options import DEFAULT_EXCLUDED_SEVERITIES
from paddock.wolfram import parse
from paddock.wolfram.inspection import IssueFilter, inspect_source

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context

SOURCE_SUFFIXES = (".wl", ".m", ".wls")
MAX_FILE_BYTES = 20_000_000
_MAX_NAMED_FILES = 10
_WOLFRAM_LANGUAGE = InspectionLanguage(
    "wl",
    """*Tip: to suppress issues that are meant to be, put comments around the code:*

```wl
(* :!CodeAnalysis::BeginBlock:: *)
(* :!CodeAnalysis::Disable::{Tag}:: *)
(* code *)
(* :!CodeAnalysis::EndBlock:: *)
```""",
)


def inspect_wolfram(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    code, path = get_code_or_path(arguments)
    selection = parse_issue_filter(arguments, DEFAULT_EXCLUDED_SEVERITIES)
    limit = get_issue_limit(arguments)
    if code is not None:
        return format_source_report(
            _inspect_text("", code, selection), selection, limit, _WOLFRAM_LANGUAGE
        )
    place = resolve_path(path, ctx)
    if place.is_dir():
        return _inspect_directory(place, selection, limit, ctx)
    return format_source_report(
        _inspect_file(place, selection), selection, limit, _WOLFRAM_LANGUAGE, path=str(place)
    )


def _inspect_text(name: str, text: str, selection: IssueFilter) -> InspectedFile:
    source = parse(text)
    return InspectedFile(name, source, inspect_source(source, selection))


def _inspect_file(place: Path, selection: IssueFilter) -> InspectedFile:
    with convert_read_errors(place):
        text = _read_source(place)
    return _inspect_text(place.name, text, selection)


def _read_source(place: Path) -> str:
    """The text with its line ends as they are; old files are not always UTF-8."""
    data = read_regular_file(place, MAX_FILE_BYTES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _inspect_directory(place: Path, selection: IssueFilter, limit: int, ctx: Context) -> str:
    files, left_out = list_allowed_files(place, SOURCE_SUFFIXES, is_deep=True)
    if not files:
        raise NoFilesFoundError(
            f"There are no files that end with {', '.join(SOURCE_SUFFIXES)}{_format_skipped_files(left_out, place)}",
            where=str(place),
        )
    found = []
    for number, file in enumerate(files, start=1):
        if ctx.is_cancelled:
            break
        try:
            found.append(_inspect_text(file.name, _read_source(file), selection))
        except OSError:
            left_out.append(file)
        ctx.progress(number, len(files), file.name)
    text = format_directory_report(found, selection, limit, _WOLFRAM_LANGUAGE, path=str(place))
    return (
        f"{text}\n\n*Not inspected{_format_skipped_files(left_out, place)}*" if left_out else text
    )


def _format_skipped_files(left_out: list[Path], place: Path) -> str:
    """What could not be inspected: unreadable, too large, or not really in the directory."""
    names = [f"`{file.relative_to(place)}`" for file in left_out[:_MAX_NAMED_FILES]]
    more = " …" if len(left_out) > _MAX_NAMED_FILES else ""
    return f", as they cannot be read or lead elsewhere: {', '.join(names)}{more}" if names else ""
