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

from paddock.files import read_regular_file
from paddock.kernels.handler_calls import call_in_thread
from paddock.reports.inspection_report import (
    CodeIssue,
    InspectedFile,
    InspectionLanguage,
    SourceRange,
    format_directory_report,
    format_source_report,
)
from paddock.reports.text import LineIndex
from paddock.toolkits.inspection import (
    InspectedFileNotFoundError,
    NoFilesFoundError,
    convert_read_errors,
    get_code_or_path,
    get_issue_limit,
    parse_issue_filter,
)
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.linters import (
    LinterIssue,
    RuffResult,
    RuffRunner,
    TypeChecker,
    classify_code,
)
from paddock.toolkits.tool_options import (
    DEFAULT_PYTHON_EXCLUDED_SEVERITIES,
    TYPE_CHECKER_OPTION_NAME,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.reports.inspection_report import IssueFilter
    from paddock.toolkits.python.interpreters import PythonInterpreter

    Arguments = dict[str, Any]

MAX_FILE_BYTES = 20_000_000
_MAX_FILES_WITH_ISSUES = 500
"""Files with issues whose text is read."""
_MAX_REENCODED_FILES = 50
_IO_ERROR_CODE = "E902"
_RUFF_CONFIG_FILES = ("ruff.toml", ".ruff.toml")
_PYTHON = InspectionLanguage(
    "py",
    """*Tip: to suppress issues that are meant to be, put a comment at the end of the line:*

```py
x = eval(text)  # noqa: S307
y = f(x)  # ty: ignore[invalid-argument-type]
```""",
)


def inspect_python(arguments: Arguments, ctx: Context) -> str:
    """The report on what the arguments name."""
    code, path = get_code_or_path(arguments)
    place = get_working_directory(ctx) if code is not None else resolve_path(path, ctx)
    if code is None and not place.exists():
        raise InspectedFileNotFoundError(
            "There is no such file or directory",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    folder = place if place.is_dir() else place.parent
    is_configured = _has_ruff_config(folder)
    selection = parse_issue_filter(
        arguments, "" if is_configured else DEFAULT_PYTHON_EXCLUDED_SEVERITIES
    )
    interpreter = choose_interpreter(ctx, arguments.get("interpreter"), folder)
    checker = ctx.options.get(TYPE_CHECKER_OPTION_NAME)
    subject = _PythonInspection(folder, interpreter, checker, is_configured=is_configured)

    def work(is_cancelled: Callable[[], bool], _news: Callable[[None], None]) -> str:
        if code is not None:
            return subject.inspect_code(code, selection, get_issue_limit(arguments), is_cancelled)
        if place.is_dir():
            return subject.inspect_directory(
                place, selection, get_issue_limit(arguments), is_cancelled
            )
        return subject.inspect_file(place, selection, get_issue_limit(arguments), is_cancelled)

    text = call_in_thread(ctx, work, lambda _: None)
    ctx.raise_if_cancelled()
    return text


def _has_ruff_config(folder: Path) -> bool:
    """Whether a project says itself what ruff is to look for."""
    for place in (folder, *folder.parents):
        if any((place / name).is_file() for name in _RUFF_CONFIG_FILES):
            return True
        try:
            text = (place / "pyproject.toml").read_text("utf-8", "replace")
        except OSError:
            continue
        if "[tool.ruff" in text:
            return True
    return False


class _PythonInspection:
    """What is inspected, with all that inspects it."""

    def __init__(
        self,
        folder: Path,
        interpreter: PythonInterpreter,
        checker: str | None,
        *,
        is_configured: bool,
    ) -> None:
        self._folder = folder
        self._interpreter = interpreter
        self._checker_name = checker
        self._is_configured = is_configured

    def inspect_code(
        self, code: str, selection: IssueFilter, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on code that is in no file."""
        run = self._run_ruff(code, self._folder / "code.py", is_cancelled)
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            file = Path(private).resolve() / "code.py"
            file.write_text(code, encoding="utf-8", errors="replace", newline="")
            checker = self._create_type_checker(is_cancelled, file.parent)
            types, notes = checker.check_types(file, self._folder)
        found = [one._replace(path="") for one in (*run.issues, *types)]
        inspected = _build_inspected_file("", code, found, selection)
        return _append_footer(
            format_source_report(inspected, selection, limit, _PYTHON),
            [*run.notes, *notes],
            checker.name,
        )

    def inspect_file(
        self, place: Path, selection: IssueFilter, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on a file."""
        with convert_read_errors(place):
            data = read_regular_file(place, MAX_FILE_BYTES)
        text, unreadable = _decode_source(data)
        run = self._run_ruff(text, place, is_cancelled)
        checker = self._create_type_checker(is_cancelled, self._folder)
        types, notes = checker.check_types(place)
        own = [one for one in types if Path(one.path).resolve() == place]
        found = [*unreadable, *run.issues, *own]
        inspected = _build_inspected_file(place.name, text, found, selection)
        told = format_source_report(inspected, selection, limit, _PYTHON, path=str(place))
        return _append_footer(told, [*run.notes, *notes], checker.name)

    def inspect_directory(
        self, place: Path, selection: IssueFilter, limit: int, is_cancelled: Callable[[], bool]
    ) -> str:
        """The report on a directory, with all that is in it."""
        ruff = RuffRunner(place, self._interpreter.path.parent, is_cancelled)
        run = ruff.inspect_directory(place, is_configured=self._is_configured)
        if not run.file_count and not is_cancelled():
            raise NoFilesFoundError(
                "There are no files that end with .py or .pyi, or the project excludes them",
                where=str(place),
            )
        checker = self._create_type_checker(is_cancelled, place)
        types, notes = checker.check_types(place)
        found = self._recheck_encodings([*run.issues, *types], is_cancelled)
        files, more = _group_by_file(found, place, selection)
        told = format_directory_report(
            files, selection, limit, _PYTHON, path=str(place), count=run.file_count
        )
        return _append_footer(told, [*run.notes, *notes, *more], checker.name)

    def _run_ruff(self, text: str, path: Path, is_cancelled: Callable[[], bool]) -> RuffResult:
        ruff = RuffRunner(self._folder, self._interpreter.path.parent, is_cancelled)
        return ruff.inspect_text(text, path, is_configured=self._is_configured)

    def _create_type_checker(
        self, is_cancelled: Callable[[], bool], directory: Path
    ) -> TypeChecker:
        return TypeChecker(self._checker_name, directory, self._interpreter, is_cancelled)

    def _recheck_encodings(
        self, found: list[LinterIssue], is_cancelled: Callable[[], bool]
    ) -> list[LinterIssue]:
        """The issues, also of files that say themselves that they are not UTF-8."""
        left: list[LinterIssue] = []
        count = 0
        for one in found:
            again: list[LinterIssue] | None = None
            if one.issue.tag == _IO_ERROR_CODE and count < _MAX_REENCODED_FILES:
                count += 1
                again = self._inspect_declared_encoding(Path(one.path), is_cancelled)
            left += [one] if again is None else again
        return left

    def _inspect_declared_encoding(
        self, place: Path, is_cancelled: Callable[[], bool]
    ) -> list[LinterIssue] | None:
        try:
            data = read_regular_file(place, MAX_FILE_BYTES)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
            return None
        return self._run_ruff(text, place, is_cancelled).issues


def _decode_source(data: bytes) -> tuple[str, list[LinterIssue]]:
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
    severity, confidence = classify_code(_IO_ERROR_CODE)
    issue = CodeIssue(
        _IO_ERROR_CODE, "io-error", severity, confidence, description, SourceRange(line, 1, line, 1)
    )
    return data.decode("utf-8-sig", "replace"), [LinterIssue("", issue)]


def _build_inspected_file(
    name: str, text: str, found: list[LinterIssue], selection: IssueFilter
) -> InspectedFile:
    issues = [one.issue for one in found if selection.matches(one.issue)]
    return InspectedFile(name, LineIndex(text), sorted(issues, key=lambda issue: issue.location))


def _group_by_file(
    found: list[LinterIssue], place: Path, selection: IssueFilter
) -> tuple[list[InspectedFile], list[str]]:
    """The issues of each file of a directory, and what is to be told of the others."""
    wanted = sorted(
        (one for one in found if selection.matches(one.issue)), key=lambda one: one.path
    )
    files: list[InspectedFile] = []
    left_out = 0
    for path, group in groupby(wanted, key=lambda one: one.path):
        file = Path(path)
        issues = list(group)
        # What links lead out of the directory to is not shown.
        if len(files) >= _MAX_FILES_WITH_ISSUES or not file.resolve().is_relative_to(place):
            left_out += 1
            continue
        try:
            text, _ = _decode_source(read_regular_file(file, MAX_FILE_BYTES))
        except OSError:
            text = ""
        files.append(_build_inspected_file(str(file.relative_to(place)), text, issues, selection))
    return files, [f"{left_out} more files have issues that are not told."] if left_out else []


def _append_footer(text: str, notes: list[str], checker: str | None) -> str:
    types = f"types by {checker}" if checker else "types not at all"
    said = "".join(f"\n\n*{note}*" for note in notes)
    return f"{text}{said}\n\nInspected by ruff, {types}."
