"""Programs that say something about a project and run nothing of it: ruff, ty and their like.

The issues that ruff finds in Python code, as those of any inspection.

The issues that a type checker finds: ty, or mypy where there is no ty.
"""

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


class ProgramError(ToolError):
    """A program that a tool needs does not start, or takes too long."""

    code = "program"


class ProgramResult(NamedTuple):
    """What came of a program."""

    exit_code: int
    output: bytes
    errors: str
    is_truncated: bool
    """Whether it said more than was wanted."""


def find_program(name: str, *, place: Path | None = None) -> str | None:
    """A program of our own environment, of another one, or on the search path; none if missing."""
    folders = [Path(sys.executable).parent, *([place] if place else [])]
    for folder in folders:
        found = shutil.which(name, path=str(folder))
        if found:
            return found
    return shutil.which(name)


def run_program(
    command: Sequence[str],
    directory: Path,
    *,
    seconds: float,
    most_bytes: int,
    is_cancelled: Callable[[], bool],
    given: bytes = b"",
) -> ProgramResult:
    """Run a program to its end, and take what it says.

    Raises:
        ProgramError: when it does not start, or takes too long.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - we have looked for it ourselves
                command,
                cwd=directory,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=sandbox.build_environment() | {"NO_COLOR": "1"},
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        reader = _OutputReader(process, most_bytes)
        deadline = time.monotonic() + seconds
        try:
            while not reader.end_event.wait(_POLL_SECONDS):
                if is_cancelled() or time.monotonic() > deadline:
                    break
            else:
                process.wait(max(_POLL_SECONDS, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        is_late = process.poll() is None and not reader.is_truncated
        process.kill()
        code = process.wait()
        reader.join()
        if is_late and not is_cancelled():
            raise ProgramError(f"{Path(command[0]).name} took longer than {seconds:g} s")
        errors.seek(0)
        told = errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace")
        return ProgramResult(code, reader.output, told.strip(), reader.is_truncated)


class _OutputReader:
    """Takes what a process says, up to a limit."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        self._process = process
        self._max_bytes = most_bytes
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
        left = self._max_bytes
        stdout = self._process.stdout
        while stdout is not None and (data := os.read(stdout.fileno(), 1 << 16)):
            self._chunks.append(data[:left])
            if len(data) > left:
                self.is_truncated = True
                break
            left -= len(data)
        self.end_event.set()


RUFF_TIMEOUT_SECONDS = 120.0
MAX_RUFF_OUTPUT_BYTES = 64 << 20
DEFAULT_RUFF_RULES = "E4,E7,E9,F,W605,ASYNC,B,C4,PERF,PIE,PLE,PLW,RET,SIM,UP"
"""What is looked for where the project does not say."""
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
"""By the beginnings of codes, letters and then digits; all others are remarks."""


class LinterIssue(NamedTuple):
    """An issue, and the path of the file that it is in."""

    path: str
    issue: CodeIssue


class RuffResult(NamedTuple):
    """What ruff said."""

    issues: list[LinterIssue]
    notes: list[str]
    file_count: int
    """How many files it looked at; 0 for code."""


class RuffRunner:
    """Ruff, for one inspection."""

    def __init__(
        self, directory: Path, environment: Path, is_cancelled: Callable[[], bool]
    ) -> None:
        self._directory = directory
        self._environment = environment
        self._is_cancelled = is_cancelled

    def inspect_text(self, text: str, path: Path, *, is_configured: bool) -> RuffResult:
        """The issues of a text, as if it were in a file."""
        arguments = ["--stdin-filename", str(path), "-"]
        return self._run_check(arguments, is_configured=is_configured, given=text.encode())

    def inspect_directory(self, place: Path, *, is_configured: bool) -> RuffResult:
        """The issues of all Python files of a directory that the project does not exclude."""
        arguments = ["--extend-exclude", "*.ipynb", str(place)]
        run = self._run_check(arguments, is_configured=is_configured)
        shown = self._run_ruff(["--show-files", *arguments], find_program("ruff"))
        return run._replace(file_count=shown.output.count(b"\n"))

    def _run_check(
        self, arguments: list[str], *, is_configured: bool, given: bytes = b""
    ) -> RuffResult:
        chosen = [] if is_configured else ["--isolated", "--select", DEFAULT_RUFF_RULES]
        told = [*chosen, "--output-format", "json-lines", *arguments]
        ours = find_program("ruff", place=self._environment)
        done = self._run_ruff(told, ours, given)
        notes: list[str] = []
        if done.exit_code == _INVALID_CONFIG_STATUS and is_configured:
            notes.append(
                f"ruff cannot use the project's settings: {_summarize_errors(done.errors)}"
            )
            usual = ["--isolated", "--select", DEFAULT_RUFF_RULES]
            done = self._run_ruff([*usual, *told], ours, given)
        if done.exit_code == _INVALID_CONFIG_STATUS:
            raise ProgramError(f"ruff failed: {_summarize_errors(done.errors)}")
        if done.is_truncated:
            notes.append("There are more issues than can be counted; give a smaller directory.")
        return RuffResult(list(_parse_ruff_output(done.output)), notes, 0)

    def _run_ruff(
        self, arguments: list[str], ruff: str | None, given: bytes = b""
    ) -> ProgramResult:
        if ruff is None:
            raise ProgramError(
                "There is no ruff", hint="pip install 'paddock[python]', or ruff itself"
            )
        return run_program(
            [ruff, "check", "--no-cache", "--quiet", "--exit-zero", *arguments],
            self._directory,
            seconds=RUFF_TIMEOUT_SECONDS,
            most_bytes=MAX_RUFF_OUTPUT_BYTES,
            is_cancelled=self._is_cancelled,
            given=given,
        )


def _summarize_errors(errors: str) -> str:
    """What went wrong, in a line."""
    return " ".join(errors.split())[:500] or "it does not say why"


def _parse_ruff_output(output: bytes) -> Iterator[LinterIssue]:
    for line in output.splitlines():
        try:
            told = json.loads(line)
        except ValueError:  # the last line, when the output was cut
            continue
        if told.get("cell") is None:
            yield LinterIssue(told["filename"], _convert_ruff_issue(told))


def _convert_ruff_issue(told: dict[str, Any]) -> CodeIssue:
    code = told.get("code") or "invalid-syntax"
    severity, confidence = classify_code(code)
    place = _convert_location(told["location"], told["end_location"])
    fix = told.get("fix")
    fixes: tuple[SuggestedFix, ...] = ()
    if fix and fix.get("message"):
        edits = fix.get("edits") or [{}]
        unsafe = "" if fix.get("applicability") == "safe" else " (may change what the code does)"
        fixes = (SuggestedFix(f"{fix['message']}{unsafe}", place, edits[0].get("content", "")),)
    name = told.get("name") or ""
    argument = "" if name == code else name
    return CodeIssue(code, argument, severity, confidence, told["message"], place, fixes)


def _convert_location(start: dict[str, int], end: dict[str, int]) -> SourceRange:
    return SourceRange(start["row"], start["column"], end["row"], end["column"])


def classify_code(code: str) -> tuple[Severity, float]:
    """How serious an issue with a code is, and how sure."""
    if code in _SYNTAX_CODES:
        return "Fatal", 1.0
    if code in _SCOPING_CODES:
        return "Scoping", _HIGH_CONFIDENCE
    letters = code.rstrip("0123456789")
    for beginning, severity, confidence in _RUFF_SEVERITIES:
        if beginning.rstrip("0123456789") == letters and code.startswith(beginning):
            return severity, confidence
    return "Remark", _MEDIUM_CONFIDENCE


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
_IMPORT_RULES = frozenset({"unresolved-import", "import-not-found", "import-untyped"})
"""What is often only missing from the environment that was looked into."""
_RUFF_COVERED_RULES = frozenset(
    {"invalid-syntax", "syntax", "unresolved-reference", "name-defined", "io"}
)


class TypeChecker:
    """A type checker, for one inspection."""

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
        programs = interpreter.path.parent
        self.name = next(
            (
                one
                for one in TYPE_CHECKERS
                if name in (None, one) and find_program(one, place=programs)
            ),
            None,
        )
        self._program = find_program(self.name, place=programs) if self.name else None

    def check_types(
        self, place: Path, search: Path | None = None
    ) -> tuple[list[LinterIssue], list[str]]:
        """The issues of a file or directory, and notes; `search` is where else modules are."""
        if self.name is None or self._program is None:
            return [], []
        arguments = (
            self._build_ty_arguments(place, search)
            if self.name == "ty"
            else self._build_mypy_arguments(place)
        )
        try:
            done = run_program(
                [self._program, *arguments],
                self._directory,
                seconds=TYPE_CHECK_TIMEOUT_SECONDS,
                most_bytes=MAX_TYPE_CHECK_OUTPUT_BYTES,
                is_cancelled=self._is_cancelled,
            )
        except ProgramError as error:
            return [], [f"Types were not checked: {error}"]
        if self._is_cancelled():
            return [], []
        try:
            read = self._parse_ty_output if self.name == "ty" else self._parse_mypy_output
            return list(read(done.output)), []
        except (ValueError, KeyError, TypeError):
            told = done.errors or done.output[:500].decode(errors="replace")
            said = " ".join(told.split())[:500]
            return [], [f"Types were not checked: {self.name} said: {said}"]

    def _build_ty_arguments(self, place: Path, search: Path | None) -> list[str]:
        more = ["--extra-search-path", str(search)] if search else []
        return [
            *("check", "--output-format", "gitlab", "--no-progress"),
            *("--python", str(self._interpreter.prefix), *more, str(place)),
        ]

    def _build_mypy_arguments(self, place: Path) -> list[str]:
        return [
            *("--output", "json", "--cache-dir", os.devnull, "--no-error-summary"),
            *("--python-executable", str(self._interpreter.path), str(place)),
        ]

    def _parse_ty_output(self, output: bytes) -> Iterator[LinterIssue]:
        for told in json.loads(output):
            rule = str(told["check_name"])
            if rule in _RUFF_COVERED_RULES:
                continue
            start, end = (told["location"]["positions"][name] for name in ("begin", "end"))
            place = SourceRange(start["line"], start["column"], end["line"], end["column"])
            text = str(told["description"]).removeprefix(f"{rule}: ")
            severity = _TY_SEVERITIES.get(told["severity"], "Warning")
            issue = CodeIssue("ty", rule, severity, _get_confidence(rule), text, place)
            yield LinterIssue(self._join_path(told["location"]["path"]), issue)

    def _parse_mypy_output(self, output: bytes) -> Iterator[LinterIssue]:
        for line in output.splitlines():
            told = json.loads(line)
            rule = told["code"] or ""
            if told["severity"] != "error" or rule in _RUFF_COVERED_RULES:
                continue
            row, column = max(told["line"], 1), told["column"] + 1
            end_row, end_column = told.get("end_line", row), told.get("end_column", column)
            place = SourceRange(row, column, end_row, end_column + 1)
            issue = CodeIssue("mypy", rule, "Error", _get_confidence(rule), told["message"], place)
            yield LinterIssue(self._join_path(told["file"]), issue)

    def _join_path(self, told: str) -> str:
        return os.path.join(self._directory, told)  # noqa: PTH118 - a text, as ruff tells it


def _get_confidence(rule: str) -> float:
    return _IMPORT_CONFIDENCE if rule in _IMPORT_RULES else _TYPE_CONFIDENCE
