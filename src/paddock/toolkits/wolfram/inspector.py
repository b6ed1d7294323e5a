"""Inspection of Wolfram Language code, for the `CodeInspector` tool."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from paddock.files import read_regular_file
from paddock.reports.inspection_report import (
    InspectedFile,
    InspectionLanguage,
    InspectionReporter,
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
    """*Tip: to suppress an intended issue, put comments around the code:*

```wl
(* :!CodeAnalysis::BeginBlock:: *)
(* :!CodeAnalysis::Disable::{Tag}:: *)
(* code *)
(* :!CodeAnalysis::EndBlock:: *)
```""",
)


def inspect_wolfram(arguments: dict[str, Any], ctx: Context) -> str:
    """Return a report on the problems in Wolfram Language code, a file or a directory.

    The code is parsed by Paddock itself, so no Wolfram Language engine is needed.
    """
    code, path = get_code_or_path(arguments)
    issue_filter = parse_issue_filter(arguments, DEFAULT_EXCLUDED_SEVERITIES)
    reporter = InspectionReporter(_WOLFRAM_LANGUAGE, issue_filter, get_issue_limit(arguments))
    if code is not None:
        return reporter.report_source(_inspect_text("", code, issue_filter))
    file = resolve_path(path, ctx)
    if file.is_dir():
        return _inspect_directory(file, reporter, ctx)
    with convert_read_errors(file):
        text = _read_source(file)
    return reporter.report_source(_inspect_text(file.name, text, issue_filter), str(file))


def _inspect_text(name: str, text: str, issue_filter: IssueFilter) -> InspectedFile:
    source = parse(text)
    return InspectedFile(name, source, inspect_source(source, issue_filter))


def _read_source(file: Path) -> str:
    """Return the text of a source file.

    A byte order mark determines the encoding. Without one, the file is read as UTF-8, or as Latin-1
    if it is not valid UTF-8, as in old files.
    """
    data = read_regular_file(file, MAX_FILE_BYTES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _inspect_directory(directory: Path, reporter: InspectionReporter, ctx: Context) -> str:
    """Inspect all source files in a directory and return the report.

    If the call is cancelled, the report covers the files inspected so far. Unreadable files are
    listed at the end.
    """
    files, skipped = list_allowed_files(directory, SOURCE_SUFFIXES, include_subfolders=True)
    if not files:
        raise NoFilesFoundError(
            f"found no files with the suffixes {', '.join(SOURCE_SUFFIXES)}"
            f"{_format_skipped_files(skipped, directory)}",
            where=str(directory),
        )
    inspected_files = []
    for number, file in enumerate(files, start=1):
        if ctx.is_cancelled:
            break
        try:
            text = _read_source(file)
        # One unreadable file must not prevent the inspection of the others.
        except OSError:
            skipped.append(file)
        else:
            inspected_files.append(_inspect_text(file.name, text, reporter.issue_filter))
        ctx.progress(number, len(files), file.name)
    report = reporter.report_directory(inspected_files, str(directory))
    if not skipped:
        return report
    return f"{report}\n\n*Not inspected{_format_skipped_files(skipped, directory)}*"


def _format_skipped_files(skipped: list[Path], directory: Path) -> str:
    if not skipped:
        return ""
    names = [f"`{file.relative_to(directory)}`" for file in skipped[:_MAX_NAMED_FILES]]
    more = " …" if len(skipped) > _MAX_NAMED_FILES else ""
    return f" because they are unreadable or outside the directory: {', '.join(names)}{more}"
