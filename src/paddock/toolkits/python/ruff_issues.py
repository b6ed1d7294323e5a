"""The issues that ruff finds in Python code, as those of any inspection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.reports.issues import SuggestedFix, CodeIssue, SourceRange
from paddock.toolkits.python.programs import ProgramResult, ProgramError, find_program, run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.reports.issues import Severity

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

    def _run_check(self, arguments: list[str], *, is_configured: bool, given: bytes = b"") -> RuffResult:
        chosen = [] if is_configured else ["--isolated", "--select", DEFAULT_RUFF_RULES]
        told = [*chosen, "--output-format", "json-lines", *arguments]
        ours = find_program("ruff", place=self._environment)
        done = self._run_ruff(told, ours, given)
        notes: list[str] = []
        if done.exit_code == _INVALID_CONFIG_STATUS and is_configured:
            notes.append(f"ruff cannot use the project's settings: {_summarize_errors(done.errors)}")
            usual = ["--isolated", "--select", DEFAULT_RUFF_RULES]
            done = self._run_ruff([*usual, *told], ours, given)
        if done.exit_code == _INVALID_CONFIG_STATUS:
            raise ProgramError(f"ruff failed: {_summarize_errors(done.errors)}")
        if done.is_truncated:
            notes.append("There are more issues than can be counted; give a smaller directory.")
        return RuffResult(list(_parse_ruff_output(done.output)), notes, 0)

    def _run_ruff(self, arguments: list[str], ruff: str | None, given: bytes = b"") -> ProgramResult:
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
