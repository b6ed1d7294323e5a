"""Ruff and type checkers (ty, mypy), run as child processes that do not run the project's code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.kernels import sandbox
from paddock.reports.inspection_report import CodeIssue, SourceRange, SuggestedFix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.reports.inspection_report import Severity
    from paddock.toolkits.python.interpreters import PythonInterpreter


_POLL_SECONDS = 0.02
_MAX_ERROR_BYTES = 20_000
RUFF_TIMEOUT_SECONDS = 120.0
MAX_OUTPUT_BYTES = 64 << 20  # Programs with more output are stopped.
# The rules for projects that do not configure ruff.
DEFAULT_RUFF_RULES = "E4,E7,E9,F,W605,ASYNC,B,C4,PERF,PIE,PLE,PLW,RET,SIM,UP"
_INVALID_CONFIG_STATUS = 2
_SYNTAX_CODES = frozenset({"invalid-syntax", "E902", "E999"})
_SCOPING_CODES = frozenset({"F401", "F811", "F841", "PLW0127", "PLW0603"})
_HIGH_CONFIDENCE = 0.95
_MEDIUM_CONFIDENCE = 0.85
_RUFF_SEVERITIES: tuple[tuple[tuple[str, ...], Severity, float], ...] = (
    (("F", "PLE", "E9"), "Error", _HIGH_CONFIDENCE),
    (("E7", "B", "S", "PLW", "ASYNC", "DTZ"), "Warning", _MEDIUM_CONFIDENCE),
    (("W605",), "Warning", _HIGH_CONFIDENCE),
    (("A", "ARG"), "Scoping", _MEDIUM_CONFIDENCE),
    (("E", "W", "I", "Q", "COM", "D2"), "Formatting", _HIGH_CONFIDENCE),
)
"""Rule prefixes with their severity and confidence. Other rules are remarks."""
TYPE_CHECK_TIMEOUT_SECONDS = 300.0
TYPE_CHECKERS = ("ty", "mypy")
_TY_SEVERITIES: dict[str, Severity] = {
    "blocker": "Fatal",
    "critical": "Error",
    "major": "Error",
    "minor": "Warning",
    "info": "Remark",
}
_TYPE_CONFIDENCE, _IMPORT_CONFIDENCE = 0.9, 0.6
# These rules often fail just because a package is not installed in the inspected environment, so
# their issues get a lower confidence.
_IMPORT_RULES = frozenset({"unresolved-import", "import-not-found", "import-untyped"})
_RUFF_COVERED_RULES = frozenset(
    {"invalid-syntax", "syntax", "unresolved-reference", "name-defined", "io"}
)


class ProgramError(ToolError):
    """A program does not start or exceeds its time limit."""

    code = "program"


class ProgramResult(NamedTuple):
    """The exit code and output of a linter or other program that has ended."""

    exit_code: int
    output: bytes
    errors: str
    is_truncated: bool
    """Whether the output was cut off at the limit."""


def find_program(name: str, *, directory: Path | None = None) -> str | None:
    """Return the path of an installed program, or None if it is not found.

    Args:
        name: The name of the program.
        directory: A directory to search after Paddock's own Python directory and before `PATH`.
    """
    folders = [str(folder) for folder in (Path(sys.executable).parent, directory) if folder]
    programs = (shutil.which(name, path=folder) for folder in (*folders, None))
    return next(filter(None, programs), None)


def run_program(
    command: Sequence[str],
    directory: Path,
    *,
    seconds: float,
    is_cancelled: Callable[[], bool],
    stdin: bytes = b"",
) -> ProgramResult:
    """Run a program until it ends, its output is too long, or the call is cancelled.

    Input, output and errors go through temporary files, so pipes do not have to be served.

    Args:
        command: The program and its arguments.
        directory: The working directory.
        seconds: The time limit.
        is_cancelled: Polled while the program runs.
        stdin: The content of the program's standard input.

    Raises:
        ProgramError: The program does not start, or takes too long.
    """
    with (
        tempfile.TemporaryFile() as input_file,
        tempfile.TemporaryFile() as output_file,
        tempfile.TemporaryFile() as error_file,
    ):
        input_file.write(stdin)
        input_file.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - found by `find_program`
                command,
                cwd=directory,
                stdin=input_file,
                stdout=output_file,
                stderr=error_file,
                env=sandbox.build_environment() | {"NO_COLOR": "1"},
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        name = Path(command[0]).name
        _wait_for_program(process, name, output_file, seconds, is_cancelled)
        process.kill()
        exit_code = process.wait()
        output_file.seek(0)
        output = output_file.read(MAX_OUTPUT_BYTES + 1)
        error_file.seek(0)
        error_text = error_file.read(_MAX_ERROR_BYTES).decode("utf-8", "replace")
        return ProgramResult(
            exit_code,
            output[:MAX_OUTPUT_BYTES],
            error_text.strip(),
            is_truncated=len(output) > MAX_OUTPUT_BYTES,
        )


def _wait_for_program(
    process: subprocess.Popen[bytes],
    name: str,
    output_file: IO[bytes],
    seconds: float,
    is_cancelled: Callable[[], bool],
) -> None:
    """Wait until a program ends, its output is too long, or the call is cancelled.

    Raises:
        ProgramError: The program took too long and was stopped.
    """
    deadline = time.monotonic() + seconds
    while not is_cancelled():
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_SECONDS)
            return
        if os.fstat(output_file.fileno()).st_size > MAX_OUTPUT_BYTES:
            return
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise ProgramError(f"{name} took longer than {seconds:g} s")


class LinterIssue(NamedTuple):
    """An issue and the path of its file."""

    path: str
    issue: CodeIssue


class LinterResult(NamedTuple):
    """The issues that a linter found, and notes about its run for the report."""

    issues: list[LinterIssue]
    notes: list[str]
    file_count: int = 0
    """The number of files in a directory that ruff inspected."""


class LinterProject(NamedTuple):
    """The project that all linters of a call inspect."""

    directory: Path
    """The linters' working directory, whose settings apply."""
    interpreter: PythonInterpreter
    has_ruff_settings: bool
    """Whether the project configures ruff. Otherwise Paddock's default rules apply."""
    is_cancelled: Callable[[], bool]

    def find_program(self, name: str) -> str | None:
        """Return the path of a program in Paddock's environment, the project's, or `PATH`."""
        return find_program(name, directory=self.interpreter.path.parent)

    def run_program(
        self, command: Sequence[str], seconds: float, stdin: bytes = b""
    ) -> ProgramResult:
        """Run a linter in the project's directory until it ends or the call is cancelled."""
        return run_program(
            command, self.directory, seconds=seconds, is_cancelled=self.is_cancelled, stdin=stdin
        )


def check_text_with_ruff(project: LinterProject, text: str, path: Path) -> LinterResult:
    """Inspect text with ruff as if it were the content of a file.

    The path determines which settings and exceptions apply.
    """
    return _check_with_ruff(project, ["--stdin-filename", str(path), "-"], text.encode())


def check_directory_with_ruff(project: LinterProject) -> LinterResult:
    """Inspect all Python files in the project's directory that the project does not exclude."""
    arguments = ["--extend-exclude", "*.ipynb", str(project.directory)]
    result = _check_with_ruff(project, arguments)
    listing = _run_ruff(project, ["--show-files", *arguments], find_program("ruff"))
    return result._replace(file_count=listing.output.count(b"\n"))


def _check_with_ruff(
    project: LinterProject, arguments: list[str], stdin: bytes = b""
) -> LinterResult:
    """Run the linter ruff and return the issues that it finds.

    If the project does not configure ruff, Paddock's default rules apply. They also apply, with a
    note, if ruff rejects the project's settings.

    Args:
        project: The project.
        arguments: The files to check, and options for them.
        stdin: The text to check, if the arguments specify standard input.
    """
    options = ["--output-format", "json-lines", *arguments]
    default_options = ["--isolated", "--select", DEFAULT_RUFF_RULES, *options]
    ruff = project.find_program("ruff")
    is_configured = project.has_ruff_settings
    result = _run_ruff(project, options if is_configured else default_options, ruff, stdin)
    notes: list[str] = []
    if result.exit_code == _INVALID_CONFIG_STATUS and is_configured:
        notes.append(f"ruff cannot use the project's settings: {_summarize_errors(result.errors)}")
        result = _run_ruff(project, default_options, ruff, stdin)
    if result.exit_code == _INVALID_CONFIG_STATUS:
        raise ProgramError(f"ruff failed: {_summarize_errors(result.errors)}")
    if result.is_truncated:
        notes.append("The output of ruff was too long; inspect a smaller directory.")
    return LinterResult(list(_parse_ruff_output(result.output)), notes)


def _run_ruff(
    project: LinterProject, arguments: list[str], ruff: str | None, stdin: bytes = b""
) -> ProgramResult:
    """Run ruff with the given arguments and the options that all checks share.

    Raises:
        ProgramError: Ruff is not installed (`ruff`, its path, is None), or it took too long.
    """
    if ruff is None:
        raise ProgramError(
            "ruff is not installed", hint="pip install 'paddock[python]', or ruff itself"
        )
    # An inspection must not write to the project. With --exit-zero, a status other than 0 means
    # that ruff itself failed, not that there are issues.
    command = [ruff, "check", "--no-cache", "--quiet", "--exit-zero", *arguments]
    return project.run_program(command, RUFF_TIMEOUT_SECONDS, stdin)


def _summarize_errors(errors: str) -> str:
    return " ".join(errors.split())[:500] or "no reason given"


def _parse_ruff_output(output: bytes) -> Iterator[LinterIssue]:
    """Yield the issues in ruff's output, one JSON object per line. Skip notebook cells."""
    for line in output.splitlines():
        try:
            issue = json.loads(line)
        except ValueError:  # the last line of truncated output
            continue
        if issue.get("cell") is None:
            yield LinterIssue(issue["filename"], _convert_ruff_issue(issue))


def _convert_ruff_issue(issue: dict[str, Any]) -> CodeIssue:
    """Convert an issue in ruff's JSON output to the common form for all linters."""
    code = issue.get("code") or "invalid-syntax"
    severity, confidence = classify_code(code)
    start, end = issue["location"], issue["end_location"]
    location = SourceRange(start["row"], start["column"], end["row"], end["column"])
    fix = issue.get("fix")
    fixes: tuple[SuggestedFix, ...] = ()
    if fix and fix.get("message"):
        edits = fix.get("edits") or [{}]
        warning = "" if fix.get("applicability") == "safe" else " (may change what the code does)"
        fixes = (SuggestedFix(f"{fix['message']}{warning}", location, edits[0].get("content", "")),)
    name = issue.get("name") or ""
    argument = "" if name == code else name
    return CodeIssue(code, argument, severity, confidence, issue["message"], location, fixes)


def classify_code(code: str) -> tuple[Severity, float]:
    """Return the severity and confidence (0 to 1) of issues found by a ruff rule such as `E501`."""
    if code in _SYNTAX_CODES:
        return "Fatal", 1.0
    if code in _SCOPING_CODES:
        return "Scoping", _HIGH_CONFIDENCE
    letters = code.rstrip("0123456789")
    for prefixes, severity, confidence in _RUFF_SEVERITIES:
        # `A001` has the prefix A, but `ARG001` does not.
        candidates = [prefix for prefix in prefixes if prefix.rstrip("0123456789") == letters]
        if code.startswith(tuple(candidates)):
            return severity, confidence
    return "Remark", _MEDIUM_CONFIDENCE


class TypeChecker:
    """Runs a type checker for one inspection.

    `name` selects the checker. By default, it is the first one that is installed. If none is
    installed, `name` becomes None and types are not checked.
    """

    def __init__(self, name: str | None, project: LinterProject) -> None:
        """Find the type checker's program.

        Args:
            name: The name of the checker, or None for the first one that is installed.
            project: The project to check.
        """
        self._project = project
        installed_programs = {
            checker: program
            for checker in TYPE_CHECKERS
            if name in (None, checker) and (program := project.find_program(checker))
        }
        self.name = next(iter(installed_programs), None)
        self._program = installed_programs.get(self.name or "", "")

    def check_types(self, path: Path, search_path: Path | None = None) -> LinterResult:
        """Return the type errors of a file or directory.

        If the type checker fails, the inspection does not: the failure is reported in a note next
        to ruff's issues.

        Args:
            path: The file or directory.
            search_path: An additional directory to import modules from. Only used by ty.
        """
        if self.name is None:
            return LinterResult([], [])
        if self.name == "ty":
            arguments, parse = self._build_ty_arguments(path, search_path), self._parse_ty_output
        else:
            arguments, parse = self._build_mypy_arguments(path), self._parse_mypy_output
        try:
            result = self._project.run_program(
                [self._program, *arguments], TYPE_CHECK_TIMEOUT_SECONDS
            )
        except ProgramError as error:
            return LinterResult([], [f"Types were not checked: {error}"])
        if self._project.is_cancelled():
            return LinterResult([], [])
        try:
            return LinterResult(list(parse(result.output)), [])
        except (ValueError, KeyError, TypeError):
            output = result.errors or result.output[:500].decode(errors="replace")
            note = f"unexpected output of {self.name}: {_summarize_errors(output)}"
            return LinterResult([], [f"Types were not checked: {note}"])

    def _build_ty_arguments(self, path: Path, search_path: Path | None) -> list[str]:
        search_options = ["--extra-search-path", str(search_path)] if search_path else []
        return [
            *("check", "--output-format", "gitlab", "--no-progress"),
            *("--python", str(self._project.interpreter.prefix), *search_options, str(path)),
        ]

    def _build_mypy_arguments(self, path: Path) -> list[str]:
        return [
            # The cache goes to the null device because nothing may be written to the project.
            *("--output", "json", "--cache-dir", os.devnull, "--no-error-summary"),
            *("--python-executable", str(self._project.interpreter.path), str(path)),
        ]

    def _parse_ty_output(self, output: bytes) -> Iterator[LinterIssue]:
        """Yield the issues in ty's GitLab report, except those that ruff also reports."""
        for issue_data in json.loads(output):
            rule = str(issue_data["check_name"])
            if rule in _RUFF_COVERED_RULES:
                continue
            start, end = (issue_data["location"]["positions"][name] for name in ("begin", "end"))
            source_range = SourceRange(start["line"], start["column"], end["line"], end["column"])
            text = str(issue_data["description"]).removeprefix(f"{rule}: ")
            severity = _TY_SEVERITIES.get(issue_data["severity"], "Warning")
            issue = CodeIssue("ty", rule, severity, _get_confidence(rule), text, source_range)
            yield LinterIssue(self._join_path(issue_data["location"]["path"]), issue)

    def _parse_mypy_output(self, output: bytes) -> Iterator[LinterIssue]:
        """Yield the errors in mypy's output, except those that ruff also reports.

        The output has one JSON object per line. Column numbers start at 0.
        """
        for line in output.splitlines():
            issue_data = json.loads(line)
            rule = issue_data["code"] or ""
            if issue_data["severity"] != "error" or rule in _RUFF_COVERED_RULES:
                continue
            row, column = max(issue_data["line"], 1), issue_data["column"] + 1
            end_row = issue_data.get("end_line", row)
            end_column = issue_data.get("end_column", column) + 1
            source_range = SourceRange(row, column, end_row, end_column)
            issue = CodeIssue(
                "mypy", rule, "Error", _get_confidence(rule), issue_data["message"], source_range
            )
            yield LinterIssue(self._join_path(issue_data["file"]), issue)

    def _join_path(self, path: str) -> str:
        return os.path.join(self._project.directory, path)  # noqa: PTH118 - keeps the linter's spelling


def _get_confidence(rule: str) -> float:
    return _IMPORT_CONFIDENCE if rule in _IMPORT_RULES else _TYPE_CONFIDENCE
