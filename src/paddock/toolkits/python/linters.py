"""Ruff and type checkers (ty, mypy), run as child processes that do not run the project's code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
MAX_RUFF_OUTPUT_BYTES = 64 << 20
# The rules for projects that do not configure ruff.
DEFAULT_RUFF_RULES = "E4,E7,E9,F,W605,ASYNC,B,C4,PERF,PIE,PLE,PLW,RET,SIM,UP"
_INVALID_CONFIG_STATUS = 2
_SYNTAX_CODES = frozenset({"invalid-syntax", "E902", "E999"})
_SCOPING_CODES = frozenset({"F401", "F811", "F841", "PLW0127", "PLW0603"})
_HIGH_CONFIDENCE = 0.95
_MEDIUM_CONFIDENCE = 0.85
_RUFF_SEVERITIES: tuple[tuple[str, Severity, float], ...] = (
    ("F", "Error", _HIGH_CONFIDENCE),
    ("PLE", "Error", _HIGH_CONFIDENCE),
    ("E9", "Error", _HIGH_CONFIDENCE),
    ("E7", "Warning", _MEDIUM_CONFIDENCE),
    ("W605", "Warning", _HIGH_CONFIDENCE),
    ("B", "Warning", _MEDIUM_CONFIDENCE),
    ("S", "Warning", _MEDIUM_CONFIDENCE),
    ("PLW", "Warning", _MEDIUM_CONFIDENCE),
    ("ASYNC", "Warning", _MEDIUM_CONFIDENCE),
    ("DTZ", "Warning", _MEDIUM_CONFIDENCE),
    ("A", "Scoping", _MEDIUM_CONFIDENCE),
    ("ARG", "Scoping", _MEDIUM_CONFIDENCE),
    ("E", "Formatting", _HIGH_CONFIDENCE),
    ("W", "Formatting", _HIGH_CONFIDENCE),
    ("I", "Formatting", _HIGH_CONFIDENCE),
    ("Q", "Formatting", _HIGH_CONFIDENCE),
    ("COM", "Formatting", _HIGH_CONFIDENCE),
    ("D2", "Formatting", _HIGH_CONFIDENCE),
)
"""Severity and confidence by prefix of the rule; other rules are remarks."""
TYPE_CHECK_TIMEOUT_SECONDS = 300.0
MAX_TYPE_CHECK_OUTPUT_BYTES = 64 << 20
TYPE_CHECKERS = ("ty", "mypy")
_TY_SEVERITIES: dict[str, Severity] = {
    "blocker": "Fatal",
    "critical": "Error",
    "major": "Error",
    "minor": "Warning",
    "info": "Remark",
}
_TYPE_CONFIDENCE, _IMPORT_CONFIDENCE = 0.9, 0.6
# These rules often fail only because a package is not installed in the inspected environment, so
# their issues get a lower confidence.
_IMPORT_RULES = frozenset({"unresolved-import", "import-not-found", "import-untyped"})
_RUFF_COVERED_RULES = frozenset(
    {"invalid-syntax", "syntax", "unresolved-reference", "name-defined", "io"}
)


class ProgramError(ToolError):
    """A program does not start or exceeds its time limit."""

    code = "program"


class ProgramResult(NamedTuple):
    """The exit code and output of a program."""

    exit_code: int
    output: bytes
    errors: str
    is_truncated: bool
    """Whether the output was cut off at the limit."""


def find_program(name: str, *, directory: Path | None = None) -> str | None:
    """Return the path of a program, or None.

    Args:
        name: The name of the program.
        directory: A directory to search after that of Paddock's own Python, and before `PATH`.
    """
    folders = [Path(sys.executable).parent, *([directory] if directory else [])]
    for folder in folders:
        program = shutil.which(name, path=str(folder))
        if program:
            return program
    return shutil.which(name)


def run_program(
    command: Sequence[str],
    directory: Path,
    *,
    seconds: float,
    max_output_bytes: int,
    is_cancelled: Callable[[], bool],
    stdin: bytes = b"",
) -> ProgramResult:
    """Run a program until it ends, its output is too long, or the call is cancelled.

    The output is read in a thread up to the limit. Input and errors go through temporary files, so
    that no further pipe has to be served.

    Args:
        command: The program and its arguments.
        directory: The working directory.
        seconds: The time limit.
        max_output_bytes: The program is ended when its standard output exceeds this size.
        is_cancelled: Polled while the program runs.
        stdin: The content of its standard input.

    Raises:
        ProgramError: The program does not start, or takes too long.
    """
    with tempfile.TemporaryFile() as error_file, tempfile.TemporaryFile() as input_file:
        input_file.write(stdin)
        input_file.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - found by `find_program`
                command,
                cwd=directory,
                stdin=input_file,
                stdout=subprocess.PIPE,
                stderr=error_file,
                env=sandbox.build_environment() | {"NO_COLOR": "1"},
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        reader = _OutputReader(process, max_output_bytes)
        deadline = time.monotonic() + seconds
        try:
            while not reader.end_event.wait(_POLL_SECONDS):
                if is_cancelled() or time.monotonic() > deadline:
                    break
            else:
                process.wait(max(_POLL_SECONDS, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        # The program may also have been stopped on purpose: by a cancellation or because of long
        # output.
        is_late = process.poll() is None and not reader.is_truncated
        process.kill()
        exit_code = process.wait()
        reader.join()
        if is_late and not is_cancelled():
            raise ProgramError(f"{Path(command[0]).name} took longer than {seconds:g} s")
        error_file.seek(0)
        error_text = error_file.read(_MAX_ERROR_BYTES).decode("utf-8", "replace")
        return ProgramResult(exit_code, reader.output, error_text.strip(), reader.is_truncated)


class _OutputReader:
    """Reads the output of a process in a thread, up to a limit."""

    def __init__(self, process: subprocess.Popen[bytes], max_bytes: int) -> None:
        self._process = process
        self._max_bytes = max_bytes
        self._chunks: list[bytes] = []
        self.is_truncated = False
        self.end_event = threading.Event()
        self._thread = threading.Thread(
            target=self._read_output, name="paddock-program", daemon=True
        )
        self._thread.start()

    @property
    def output(self) -> bytes:
        return b"".join(self._chunks)

    def join(self) -> None:
        self._thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read_output(self) -> None:
        """Read the output in chunks. `end_event` is set at its end or when the limit is reached."""
        remaining_bytes = self._max_bytes
        stdout = self._process.stdout
        while stdout is not None and (data := os.read(stdout.fileno(), 1 << 16)):
            self._chunks.append(data[:remaining_bytes])
            if len(data) > remaining_bytes:
                self.is_truncated = True
                break
            remaining_bytes -= len(data)
        self.end_event.set()


class LinterIssue(NamedTuple):
    """An issue and the path of its file."""

    path: str
    issue: CodeIssue


class RuffResult(NamedTuple):
    """The issues that ruff reported."""

    issues: list[LinterIssue]
    notes: list[str]
    file_count: int
    """The number of inspected files; 0 for code."""


class RuffRunner:
    """Runs ruff for one inspection.

    `environment` is the directory of the project's programs, in which the project's own ruff may
    be.
    """

    def __init__(
        self, directory: Path, environment: Path, is_cancelled: Callable[[], bool]
    ) -> None:
        self._directory = directory
        self._environment = environment
        self._is_cancelled = is_cancelled

    def inspect_text(self, text: str, path: Path, *, is_configured: bool) -> RuffResult:
        """Inspect text as if it were the content of a file.

        Args:
            text: The source code.
            path: The path to assume, which decides on the settings and exceptions that apply.
            is_configured: Whether to use the project's settings and not Paddock's default rules.
        """
        arguments = ["--stdin-filename", str(path), "-"]
        return self._run_check(arguments, is_configured=is_configured, stdin=text.encode())

    def inspect_directory(self, directory: Path, *, is_configured: bool) -> RuffResult:
        """Inspect all Python files of a directory that the project does not exclude.

        Args:
            directory: The directory.
            is_configured: Whether to use the project's settings and not Paddock's default rules.
        """
        arguments = ["--extend-exclude", "*.ipynb", str(directory)]
        result = self._run_check(arguments, is_configured=is_configured)
        listing = self._run_ruff(["--show-files", *arguments], find_program("ruff"))
        return result._replace(file_count=listing.output.count(b"\n"))

    def _run_check(
        self, arguments: list[str], *, is_configured: bool, stdin: bytes = b""
    ) -> RuffResult:
        """Run a check and return its issues.

        Args:
            arguments: The files to check, and options for them.
            is_configured: Whether to use the project's settings. If ruff rejects them, the default
                rules are used and a note is added.
            stdin: The text to check, if the arguments say that it comes from the standard input.
        """
        default_rules = ["--isolated", "--select", DEFAULT_RUFF_RULES]
        options = ["--output-format", "json-lines", *arguments]
        # `find_program` searches Paddock's environment first, then that of the project.
        ruff = find_program("ruff", directory=self._environment)
        result = self._run_ruff(
            options if is_configured else [*default_rules, *options], ruff, stdin
        )
        notes: list[str] = []
        if result.exit_code == _INVALID_CONFIG_STATUS and is_configured:
            notes.append(
                f"ruff cannot use the project's settings: {_summarize_errors(result.errors)}"
            )
            result = self._run_ruff([*default_rules, *options], ruff, stdin)
        if result.exit_code == _INVALID_CONFIG_STATUS:
            raise ProgramError(f"ruff failed: {_summarize_errors(result.errors)}")
        if result.is_truncated:
            notes.append("The output of ruff was too long; inspect a smaller directory.")
        return RuffResult(list(_parse_ruff_output(result.output)), notes, 0)

    def _run_ruff(
        self, arguments: list[str], ruff: str | None, stdin: bytes = b""
    ) -> ProgramResult:
        """Run ruff with the arguments and options that all checks share."""
        if ruff is None:
            raise ProgramError(
                "ruff is not installed", hint="pip install 'paddock[python]', or ruff itself"
            )
        return run_program(
            # Inspecting must not write into the project. With --exit-zero, a status other than 0
            # means that ruff itself has failed, and not that there are issues.
            [ruff, "check", "--no-cache", "--quiet", "--exit-zero", *arguments],
            self._directory,
            seconds=RUFF_TIMEOUT_SECONDS,
            max_output_bytes=MAX_RUFF_OUTPUT_BYTES,
            is_cancelled=self._is_cancelled,
            stdin=stdin,
        )


def _summarize_errors(errors: str) -> str:
    return " ".join(errors.split())[:500] or "no reason given"


def _parse_ruff_output(output: bytes) -> Iterator[LinterIssue]:
    """Yield the issues in ruff's output, one JSON object per line. Notebook cells are skipped."""
    for line in output.splitlines():
        try:
            issue = json.loads(line)
        except ValueError:  # the last line of truncated output
            continue
        if issue.get("cell") is None:
            yield LinterIssue(issue["filename"], _convert_ruff_issue(issue))


def _convert_ruff_issue(issue: dict[str, Any]) -> CodeIssue:
    """Convert an issue from ruff's JSON to the common form."""
    code = issue.get("code") or "invalid-syntax"
    severity, confidence = classify_code(code)
    location = _convert_location(issue["location"], issue["end_location"])
    fix = issue.get("fix")
    fixes: tuple[SuggestedFix, ...] = ()
    if fix and fix.get("message"):
        edits = fix.get("edits") or [{}]
        warning = "" if fix.get("applicability") == "safe" else " (may change what the code does)"
        fixes = (SuggestedFix(f"{fix['message']}{warning}", location, edits[0].get("content", "")),)
    name = issue.get("name") or ""
    argument = "" if name == code else name
    return CodeIssue(code, argument, severity, confidence, issue["message"], location, fixes)


def _convert_location(start: dict[str, int], end: dict[str, int]) -> SourceRange:
    return SourceRange(start["row"], start["column"], end["row"], end["column"])


def classify_code(code: str) -> tuple[Severity, float]:
    """Return the severity and confidence of a rule's issues."""
    if code in _SYNTAX_CODES:
        return "Fatal", 1.0
    if code in _SCOPING_CODES:
        return "Scoping", _HIGH_CONFIDENCE
    letters = code.rstrip("0123456789")
    for prefix, severity, confidence in _RUFF_SEVERITIES:
        if prefix.rstrip("0123456789") == letters and code.startswith(prefix):
            return severity, confidence
    return "Remark", _MEDIUM_CONFIDENCE


class TypeChecker:
    """Runs a type checker for one inspection.

    `name` selects the checker. By default it is the first one that is installed; without any,
    `name` is None afterwards and types are not checked.
    """

    def __init__(
        self,
        name: str | None,
        directory: Path,
        interpreter: PythonInterpreter,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._directory = directory
        self._interpreter = interpreter
        self._is_cancelled = is_cancelled
        program_directory = interpreter.path.parent
        self.name = next(
            (
                candidate
                for candidate in TYPE_CHECKERS
                if name in (None, candidate)
                and find_program(candidate, directory=program_directory)
            ),
            None,
        )
        self._program = find_program(self.name, directory=program_directory) if self.name else None

    def check_types(
        self, path: Path, search_path: Path | None = None
    ) -> tuple[list[LinterIssue], list[str]]:
        """Return the issues of a file or directory, and notes about the check.

        A failed type check does not fail the inspection: it is reported in a note next to the
        issues of ruff.

        Args:
            path: The file or directory.
            search_path: Another directory to import modules from. Used by ty only.
        """
        if self.name is None or self._program is None:
            return [], []
        arguments = (
            self._build_ty_arguments(path, search_path)
            if self.name == "ty"
            else self._build_mypy_arguments(path)
        )
        try:
            result = run_program(
                [self._program, *arguments],
                self._directory,
                seconds=TYPE_CHECK_TIMEOUT_SECONDS,
                max_output_bytes=MAX_TYPE_CHECK_OUTPUT_BYTES,
                is_cancelled=self._is_cancelled,
            )
        except ProgramError as error:
            return [], [f"Types were not checked: {error}"]
        if self._is_cancelled():
            return [], []
        try:
            parse = self._parse_ty_output if self.name == "ty" else self._parse_mypy_output
            return list(parse(result.output)), []
        except (ValueError, KeyError, TypeError):
            output = result.errors or result.output[:500].decode(errors="replace")
            summary = " ".join(output.split())[:500]
            return [], [f"Types were not checked: unexpected output of {self.name}: {summary}"]

    def _build_ty_arguments(self, path: Path, search_path: Path | None) -> list[str]:
        search_options = ["--extra-search-path", str(search_path)] if search_path else []
        return [
            *("check", "--output-format", "gitlab", "--no-progress"),
            *("--python", str(self._interpreter.prefix), *search_options, str(path)),
        ]

    def _build_mypy_arguments(self, path: Path) -> list[str]:
        return [
            # The cache goes to the null device, because nothing may be written into the project.
            *("--output", "json", "--cache-dir", os.devnull, "--no-error-summary"),
            *("--python-executable", str(self._interpreter.path), str(path)),
        ]

    def _parse_ty_output(self, output: bytes) -> Iterator[LinterIssue]:
        """Yield the issues in ty's GitLab report, except those that ruff reports too."""
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
        """Yield the errors in mypy's output, except those that ruff reports too.

        The output has one JSON object per line. Its columns count from 0.
        """
        for line in output.splitlines():
            issue_data = json.loads(line)
            rule = issue_data["code"] or ""
            if issue_data["severity"] != "error" or rule in _RUFF_COVERED_RULES:
                continue
            row, column = max(issue_data["line"], 1), issue_data["column"] + 1
            end_row, end_column = (
                issue_data.get("end_line", row),
                issue_data.get("end_column", column),
            )
            source_range = SourceRange(row, column, end_row, end_column + 1)
            issue = CodeIssue(
                "mypy", rule, "Error", _get_confidence(rule), issue_data["message"], source_range
            )
            yield LinterIssue(self._join_path(issue_data["file"]), issue)

    def _join_path(self, path: str) -> str:
        return os.path.join(self._directory, path)  # noqa: PTH118 - keeps the linter's spelling


def _get_confidence(rule: str) -> float:
    return _IMPORT_CONFIDENCE if rule in _IMPORT_RULES else _TYPE_CONFIDENCE
