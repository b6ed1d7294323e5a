"""What the tool `CodeInspector` does: reads what is to be inspected, and reports on it.

What is looked for, and how it is told, is in `paddock.wolfram.inspection`. Loaded with the first
call.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from paddock.files import read_ordinary
from paddock.reports.inspected import Inspected, Language, report, report_directory
from paddock.toolkits.inspector_defaults import EXCLUDED_SEVERITIES
from paddock.toolkits.inspector_input import (
    NoFilesFoundError,
    code_or_path,
    limit_of,
    selection_of,
    telling_unreadable,
)
from paddock.toolkits.paths import files_in, resolve
from paddock.wolfram import parse
from paddock.wolfram.inspection import Selection, inspect_source

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context

SUFFIXES = (".wl", ".m", ".wls")
MOST_BYTES = 20_000_000
_MOST_NAMED = 10
_LANGUAGE = Language(
    "wl",
    """*Tip: to suppress issues that are meant to be, put comments around the code:*

```wl
(* :!CodeAnalysis::BeginBlock:: *)
(* :!CodeAnalysis::Disable::{Tag}:: *)
(* code *)
(* :!CodeAnalysis::EndBlock:: *)
```""",
)


def inspect(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    code, path = code_or_path(arguments)
    selection = selection_of(arguments, EXCLUDED_SEVERITIES)
    limit = limit_of(arguments)
    if code is not None:
        return report(_inspected("", code, selection), selection, limit, _LANGUAGE)
    place = resolve(path, ctx)
    if place.is_dir():
        return _directory(place, selection, limit, ctx)
    return report(_file(place, selection), selection, limit, _LANGUAGE, path=str(place))


def _inspected(name: str, text: str, selection: Selection) -> Inspected:
    source = parse(text)
    return Inspected(name, source, inspect_source(source, selection))


def _file(place: Path, selection: Selection) -> Inspected:
    with telling_unreadable(place):
        text = _read(place)
    return _inspected(place.name, text, selection)


def _read(place: Path) -> str:
    """The text with its line ends as they are; old files are not always UTF-8."""
    data = read_ordinary(place, MOST_BYTES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _directory(place: Path, selection: Selection, limit: int, ctx: Context) -> str:
    files, left_out = files_in(place, SUFFIXES, is_deep=True)
    if not files:
        raise NoFilesFoundError(
            f"There are no files that end with {', '.join(SUFFIXES)}{_named(left_out, place)}",
            where=str(place),
        )
    found = []
    for number, file in enumerate(files, start=1):
        if ctx.is_cancelled:
            break
        try:
            found.append(_inspected(file.name, _read(file), selection))
        except OSError:
            left_out.append(file)
        ctx.progress(number, len(files), file.name)
    text = report_directory(found, selection, limit, _LANGUAGE, path=str(place))
    return f"{text}\n\n*Not inspected{_named(left_out, place)}*" if left_out else text


def _named(left_out: list[Path], place: Path) -> str:
    """What could not be inspected: unreadable, too large, or not really in the directory."""
    names = [f"`{file.relative_to(place)}`" for file in left_out[:_MOST_NAMED]]
    more = " …" if len(left_out) > _MOST_NAMED else ""
    return f", as they cannot be read or lead elsewhere: {', '.join(names)}{more}" if names else ""
