"""Inspection of Python code with ruff and a type checker, without running it."""

from __future__ import annotations

import io
import tempfile
import tokenize
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.files import read_regular_file
from paddock.kernels.handler_calls import call_in_thread
from paddock.reports.inspection_report import (
    CodeIssue,
    InspectedFile,
    InspectionLanguage,
    InspectionReporter,
    SourceRange,
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
from paddock.toolkits.paths import get_working_directory, require_path
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.linters import (
    LinterIssue,
    LinterProject,
    TypeChecker,
    check_directory_with_ruff,
    check_text_with_ruff,
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

    Arguments = dict[str, Any]

MAX_FILE_BYTES = 20_000_000
_MAX_FILES_WITH_ISSUES = 500  # The source of each is read for the report.
_MAX_REENCODED_FILES = 50
_IO_ERROR_CODE = "E902"
_RUFF_CONFIG_FILES = ("ruff.toml", ".ruff.toml")
_PYTHON = InspectionLanguage(
    "py",
    """*Tip: to suppress an intended issue, put a comment at the end of the line:*

```py
x = eval(text)  # noqa: S307
y = f(x)  # ty: ignore[invalid-argument-type]
```""",
)


def inspect_python(arguments: Arguments, ctx: Context) -> str:
    """Return the report for the code, file or directory in the arguments.

    Code that is not in a file is inspected as if it were in the client's working directory, with
    that project's settings and interpreter.
    """
    code, path = get_code_or_path(arguments)
    if code is None:
        path_to_inspect = require_path(path, ctx, InspectedFileNotFoundError)
    else:
        path_to_inspect = get_working_directory(ctx)
    folder = path_to_inspect if path_to_inspect.is_dir() else path_to_inspect.parent
    is_configured = _has_ruff_config(folder)
    # Formatting issues are hidden by default only if the project does not configure ruff.
    issue_filter = parse_issue_filter(
        arguments, "" if is_configured else DEFAULT_PYTHON_EXCLUDED_SEVERITIES
    )
    interpreter = choose_interpreter(ctx, arguments.get("interpreter"), folder)

    def inspect(is_cancelled: Callable[[], bool], _report_progress: Callable[[None], None]) -> str:
        inspection = _PythonInspection(
            LinterProject(folder, interpreter, is_configured, is_cancelled),
            ctx.options.get(TYPE_CHECKER_OPTION_NAME),
            InspectionReporter(_PYTHON, issue_filter, get_issue_limit(arguments)),
        )
        if code is not None:
            return inspection.inspect_code(code)
        if path_to_inspect.is_dir():
            return inspection.inspect_directory()
        return inspection.inspect_file(path_to_inspect)

    report = call_in_thread(ctx, inspect, lambda _: None)
    ctx.raise_if_cancelled()
    return report


def _has_ruff_config(folder: Path) -> bool:
    """Return True if the folder or one of its parents has a configuration for the linter ruff."""
    for directory in (folder, *folder.parents):
        if any((directory / name).is_file() for name in _RUFF_CONFIG_FILES):
            return True
        try:
            text = (directory / "pyproject.toml").read_text("utf-8", "replace")
        except OSError:
            continue
        if "[tool.ruff" in text:
            return True
    return False


class _PythonInspection(NamedTuple):
    """An inspection of code, a file or a directory in one project."""

    project: LinterProject
    checker_name: str | None
    """The type checker, or None for the first one that is installed."""
    reporter: InspectionReporter

    def inspect_code(self, code: str) -> str:
        """Return the report on code that is not in a file.

        Ruff reads the code from its standard input, but type checkers need a file. The code is
        therefore written to a temporary directory, and the project's folder is passed as another
        import path.
        """
        folder = self.project.directory
        ruff_result = check_text_with_ruff(self.project, code, folder / "code.py")
        with tempfile.TemporaryDirectory(
            prefix="paddock-", ignore_cleanup_errors=True
        ) as temporary_directory:
            file = Path(temporary_directory).resolve() / "code.py"
            file.write_text(code, encoding="utf-8", errors="replace", newline="")
            checker = TypeChecker(self.checker_name, self.project._replace(directory=file.parent))
            type_result = checker.check_types(file, folder)
        issues = [issue._replace(path="") for issue in (*ruff_result.issues, *type_result.issues)]
        inspected = _build_inspected_file("", code, issues, self.reporter.issue_filter)
        report = self.reporter.report_source(inspected)
        return _append_footer(report, [*ruff_result.notes, *type_result.notes], checker.name)

    def inspect_file(self, file: Path) -> str:
        """Return the report on a file: the issues that ruff and the type checker find in it."""
        with convert_read_errors(file):
            data = read_regular_file(file, MAX_FILE_BYTES)
        text, decoding_issues = _decode_source(data)
        ruff_result = check_text_with_ruff(self.project, text, file)
        checker = TypeChecker(self.checker_name, self.project)
        type_result = checker.check_types(file)
        # Type checkers also report issues in the modules that the file imports.
        own_issues = [issue for issue in type_result.issues if Path(issue.path).resolve() == file]
        issues = [*decoding_issues, *ruff_result.issues, *own_issues]
        inspected = _build_inspected_file(file.name, text, issues, self.reporter.issue_filter)
        report = self.reporter.report_source(inspected, str(file))
        return _append_footer(report, [*ruff_result.notes, *type_result.notes], checker.name)

    def inspect_directory(self) -> str:
        """Return the report on the project's directory and its subdirectories.

        Ruff selects the files, so the project's exclusions apply.
        """
        directory = self.project.directory
        ruff_result = check_directory_with_ruff(self.project)
        if not ruff_result.file_count and not self.project.is_cancelled():
            raise NoFilesFoundError(
                "found no .py or .pyi files that the project does not exclude",
                where=str(directory),
            )
        checker = TypeChecker(self.checker_name, self.project)
        type_result = checker.check_types(directory)
        # Ruff reports files in other encodings as unreadable.
        issues = self._recheck_encodings([*ruff_result.issues, *type_result.issues])
        files, omission_notes = _group_by_file(issues, directory, self.reporter.issue_filter)
        report = self.reporter.report_directory(files, str(directory), ruff_result.file_count)
        notes = [*ruff_result.notes, *type_result.notes, *omission_notes]
        return _append_footer(report, notes, checker.name)

    def _recheck_encodings(self, issues: list[LinterIssue]) -> list[LinterIssue]:
        """Replace the issues of files that ruff could not read because they are not UTF-8.

        A file may declare another encoding, as in `# coding: latin-1`. Such files are decoded and
        inspected again, up to a limit.
        """
        unreadable = [issue for issue in issues if issue.issue.tag == _IO_ERROR_CODE]
        resolved = [issue for issue in issues if issue.issue.tag != _IO_ERROR_CODE]
        for issue in unreadable[:_MAX_REENCODED_FILES]:
            replacements = self._inspect_declared_encoding(Path(issue.path))
            resolved += [issue] if replacements is None else replacements
        return [*resolved, *unreadable[_MAX_REENCODED_FILES:]]

    def _inspect_declared_encoding(self, file: Path) -> list[LinterIssue] | None:
        """Inspect a file in its declared encoding, or return None if it cannot be decoded."""
        try:
            text, decoding_issues = _decode_source(read_regular_file(file, MAX_FILE_BYTES))
        except OSError:
            return None
        return None if decoding_issues else check_text_with_ruff(self.project, text, file).issues


def _decode_source(data: bytes) -> tuple[str, list[LinterIssue]]:
    """Decode source code as Python does, and return it, with an issue if decoding fails.

    Bytes that cannot be decoded are replaced so that the rest of the file can still be inspected.
    """
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
    name: str, text: str, issues: list[LinterIssue], issue_filter: IssueFilter
) -> InspectedFile:
    selected = [issue.issue for issue in issues if issue_filter.matches(issue.issue)]
    return InspectedFile(name, LineIndex(text), sorted(selected, key=lambda issue: issue.location))


def _group_by_file(
    issues: list[LinterIssue], directory: Path, issue_filter: IssueFilter
) -> tuple[list[InspectedFile], list[str]]:
    """Group the issues in a directory by file, and drop those that the filter excludes.

    The source of each file is read for the excerpts in the report, so the number of files is
    limited.

    Returns:
        The files with issues, and a list that may contain a note on the number of omitted files.
    """
    selected = sorted(
        (issue for issue in issues if issue_filter.matches(issue.issue)),
        key=lambda issue: issue.path,
    )
    files: list[InspectedFile] = []
    omitted_count = 0
    for path, group in groupby(selected, key=lambda issue: issue.path):
        file = Path(path)
        file_issues = list(group)
        # A link in the directory must not reveal files outside it.
        if len(files) >= _MAX_FILES_WITH_ISSUES or not file.resolve().is_relative_to(directory):
            omitted_count += 1
            continue
        try:
            text, _ = _decode_source(read_regular_file(file, MAX_FILE_BYTES))
        except OSError:
            text = ""
        name = str(file.relative_to(directory))
        files.append(_build_inspected_file(name, text, file_issues, issue_filter))
    notes = [f"{omitted_count} more files have issues that are not shown."] if omitted_count else []
    return files, notes


def _append_footer(text: str, notes: list[str], checker: str | None) -> str:
    types = f"types checked by {checker}" if checker else "types not checked"
    paragraphs = "".join(f"\n\n*{note}*" for note in notes)
    return f"{text}{paragraphs}\n\nInspected by ruff, {types}."
