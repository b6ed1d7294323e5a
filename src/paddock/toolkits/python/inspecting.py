"""What the tool `PythonCodeInspector` does: has code inspected, and reports on it.

Nothing of the code is run. Loaded with the first call.
"""

from __future__ import annotations

import io
import tempfile
import tokenize
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.files import read_ordinary
from paddock.kernels.calls import call_apart
from paddock.reports.inspected import Inspected, Language, report, report_directory
from paddock.reports.issues import Issue, Place
from paddock.reports.lines import Lines
from paddock.toolkits.inspector_defaults import EXCLUDED_OF_PYTHON
from paddock.toolkits.inspector_input import (
    InspectedFileNotFoundError,
    NoFilesFoundError,
    code_or_path,
    limit_of,
    selection_of,
    telling_unreadable,
)
from paddock.toolkits.paths import resolve, working_directory
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.options import CHECKER_OPTION
from paddock.toolkits.python.ruff_issues import Found, Ruff, RuffRun, grade
from paddock.toolkits.python.type_issues import TypeChecker

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.reports.issues import Selection
    from paddock.toolkits.python.interpreters import Interpreter

    Arguments = dict[str, Any]

MOST_BYTES = 20_000_000
_MOST_FILES = 500
"""Files with issues whose text is read."""
_MOST_OTHERWISE_ENCODED = 50
_UNREADABLE = "E902"
_SETTINGS = ("ruff.toml", ".ruff.toml")
_LANGUAGE = Language(
    "py",
    """*Tip: to suppress issues that are meant to be, put a comment at the end of the line:*

```py
x = eval(text)  # noqa: S307
y = f(x)  # ty: ignore[invalid-argument-type]
```""",
)


def inspect(arguments: Arguments, ctx: Context) -> str:
    """The report on what the arguments name."""
    code, path = code_or_path(arguments)
    place = working_directory(ctx) if code is not None else resolve(path, ctx)
    if code is None and not place.exists():
        raise InspectedFileNotFoundError(
            "There is no such file or directory",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    folder = place if place.is_dir() else place.parent
    is_configured = _has_settings(folder)
    selection = selection_of(arguments, "" if is_configured else EXCLUDED_OF_PYTHON)
    interpreter = choose_interpreter(ctx, arguments.get("interpreter"), folder)
    checker = ctx.options.get(CHECKER_OPTION)
    subject = _Subject(folder, interpreter, checker, is_configured=is_configured)

    def work(is_cancelled: Callable[[], bool], _news: Callable[[None], None]) -> str:
        if code is not None:
            return subject.code(code, selection, limit_of(arguments), is_cancelled)
        if place.is_dir():
            return subject.directory(place, selection, limit_of(arguments), is_cancelled)
        return subject.file(place, selection, limit_of(arguments), is_cancelled)

    text = call_apart(ctx, work, lambda _: None)
    ctx.raise_if_cancelled()
    return text


def _has_settings(folder: Path) -> bool:
    """Whether a project says itself what ruff is to look for."""
    for place in (folder, *folder.parents):
        if any((place / name).is_file() for name in _SETTINGS):
            return True
        try:
            text = (place / "pyproject.toml").read_text("utf-8", "replace")
        except OSError:
            continue
        if "[tool.ruff" in text:
            return True
    return False


class _Subject:
    """What is inspected, with all that inspects it."""

    def __init__(
        self, folder: Path, interpreter: Interpreter, checker: str | None, *, is_configured: bool
    ) -> None:
        self._folder = folder
        self._interpreter = interpreter
        self._checker = checker
        self._is_configured = is_configured

    def code(
        self, code: str, selection: Selection, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on code that is in no file."""
        run = self._text(code, self._folder / "code.py", is_cancelled)
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            file = Path(private).resolve() / "code.py"
            file.write_text(code, encoding="utf-8", errors="replace", newline="")
            checker = self._types(is_cancelled, file.parent)
            types, notes = checker.inspect(file, self._folder)
        found = [one._replace(path="") for one in (*run.found, *types)]
        inspected = _inspected("", code, found, selection)
        return _ended(
            report(inspected, selection, limit, _LANGUAGE), [*run.notes, *notes], checker.name
        )

    def file(
        self, place: Path, selection: Selection, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on a file."""
        with telling_unreadable(place):
            data = read_ordinary(place, MOST_BYTES)
        text, unreadable = _decoded(data)
        run = self._text(text, place, is_cancelled)
        checker = self._types(is_cancelled, self._folder)
        types, notes = checker.inspect(place)
        own = [one for one in types if Path(one.path).resolve() == place]
        found = [*unreadable, *run.found, *own]
        inspected = _inspected(place.name, text, found, selection)
        told = report(inspected, selection, limit, _LANGUAGE, path=str(place))
        return _ended(told, [*run.notes, *notes], checker.name)

    def directory(
        self, place: Path, selection: Selection, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on a directory, with all that is in it."""
        ruff = Ruff(place, self._interpreter.path.parent, is_cancelled)
        run = ruff.inspect_directory(place, is_configured=self._is_configured)
        if not run.files and not is_cancelled():
            raise NoFilesFoundError(
                "There are no files that end with .py or .pyi, or the project excludes them",
                where=str(place),
            )
        checker = self._types(is_cancelled, place)
        types, notes = checker.inspect(place)
        found = self._reread([*run.found, *types], is_cancelled)
        files, more = _by_file(found, place, selection)
        told = report_directory(
            files, selection, limit, _LANGUAGE, path=str(place), count=run.files
        )
        return _ended(told, [*run.notes, *notes, *more], checker.name)

    def _text(self, text: str, path: Path, is_cancelled: Callable[[], bool]) -> RuffRun:
        ruff = Ruff(self._folder, self._interpreter.path.parent, is_cancelled)
        return ruff.inspect_text(text, path, is_configured=self._is_configured)

    def _types(self, is_cancelled: Callable[[], bool], directory: Path) -> TypeChecker:
        return TypeChecker(self._checker, directory, self._interpreter, is_cancelled)

    def _reread(self, found: list[Found], is_cancelled: Callable[[], bool]) -> list[Found]:
        """The issues, also of files that say themselves that they are not UTF-8."""
        left: list[Found] = []
        count = 0
        for one in found:
            again: list[Found] | None = None
            if one.issue.tag == _UNREADABLE and count < _MOST_OTHERWISE_ENCODED:
                count += 1
                again = self._otherwise_encoded(Path(one.path), is_cancelled)
            left += [one] if again is None else again
        return left

    def _otherwise_encoded(
        self, place: Path, is_cancelled: Callable[[], bool]
    ) -> list[Found] | None:
        try:
            data = read_ordinary(place, MOST_BYTES)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
            return None
        return self._text(text, place, is_cancelled).found


def _decoded(data: bytes) -> tuple[str, list[Found]]:
    """A text as Python reads it; what it would not read is replaced, and an issue."""
    encoding = "utf-8"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), []
    except (SyntaxError, LookupError) as error:
        line, description = 1, f"Python cannot read this file: {error}"
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        description = f"Python cannot read this file: byte 0x{byte:02x} is not {encoding}"
    severity, confidence = grade(_UNREADABLE)
    issue = Issue(
        _UNREADABLE, "io-error", severity, confidence, description, Place(line, 1, line, 1)
    )
    return data.decode("utf-8-sig", "replace"), [Found("", issue)]


def _inspected(name: str, text: str, found: list[Found], selection: Selection) -> Inspected:
    issues = [one.issue for one in found if selection.takes(one.issue)]
    return Inspected(name, Lines(text), sorted(issues, key=lambda issue: issue.place))


def _by_file(
    found: list[Found], place: Path, selection: Selection
) -> tuple[list[Inspected], list[str]]:
    """The issues of each file of a directory, and what is to be told of the others."""
    wanted = sorted((one for one in found if selection.takes(one.issue)), key=lambda one: one.path)
    files: list[Inspected] = []
    left_out = 0
    for path, group in groupby(wanted, key=lambda one: one.path):
        file = Path(path)
        issues = list(group)
        # What links lead out of the directory to is not shown.
        if len(files) >= _MOST_FILES or not file.resolve().is_relative_to(place):
            left_out += 1
            continue
        try:
            text, _ = _decoded(read_ordinary(file, MOST_BYTES))
        except OSError:
            text = ""
        files.append(_inspected(str(file.relative_to(place)), text, issues, selection))
    return files, [f"{left_out} more files have issues that are not told."] if left_out else []


def _ended(text: str, notes: list[str], checker: str | None) -> str:
    types = f"types by {checker}" if checker else "types not at all"
    said = "".join(f"\n\n*{note}*" for note in notes)
    return f"{text}{said}\n\nInspected by ruff, {types}."
