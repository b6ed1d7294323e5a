"""The issues that ruff finds in Python code, as those of any inspection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.reports.issues import Fix, Issue, Place
from paddock.toolkits.python.programs import Finished, ProgramError, find_program, run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.reports.issues import Severity

SECONDS = 120.0
MOST_BYTES = 64 << 20
USUAL_RULES = "E4,E7,E9,F,W605,ASYNC,B,C4,PERF,PIE,PLE,PLW,RET,SIM,UP"
"""What is looked for where the project does not say."""
_BAD_SETTINGS = 2
_SYNTAX = frozenset({"invalid-syntax", "E902", "E999"})
_SCOPING = frozenset({"F401", "F811", "F841", "PLW0127", "PLW0603"})
_SURE = 0.95
_USUALLY = 0.85
_SEVERITIES: tuple[tuple[str, Severity, float], ...] = (
    ("F", "Error", _SURE),
    ("PLE", "Error", _SURE),
    ("E9", "Error", _SURE),
    ("E7", "Warning", _USUALLY),
    ("W605", "Warning", _SURE),
    ("B", "Warning", _USUALLY),
    ("S", "Warning", _USUALLY),
    ("PLW", "Warning", _USUALLY),
    ("ASYNC", "Warning", _USUALLY),
    ("DTZ", "Warning", _USUALLY),
    ("A", "Scoping", _USUALLY),
    ("ARG", "Scoping", _USUALLY),
    ("E", "Formatting", _SURE),
    ("W", "Formatting", _SURE),
    ("I", "Formatting", _SURE),
    ("Q", "Formatting", _SURE),
    ("COM", "Formatting", _SURE),
    ("D2", "Formatting", _SURE),
)
"""By the beginnings of codes, letters and then digits; all others are remarks."""


class Found(NamedTuple):
    """An issue, and the path of the file that it is in."""

    path: str
    issue: Issue


class RuffRun(NamedTuple):
    """What ruff said."""

    found: list[Found]
    notes: list[str]
    files: int
    """How many files it looked at; 0 for code."""


class Ruff:
    """Ruff, for one inspection."""

    def __init__(
        self, directory: Path, environment: Path, is_cancelled: Callable[[], bool]
    ) -> None:
        self._directory = directory
        self._environment = environment
        self._is_cancelled = is_cancelled

    def inspect_text(self, text: str, path: Path, *, is_configured: bool) -> RuffRun:
        """The issues of a text, as if it were in a file."""
        arguments = ["--stdin-filename", str(path), "-"]
        return self._run(arguments, is_configured=is_configured, given=text.encode())

    def inspect_directory(self, place: Path, *, is_configured: bool) -> RuffRun:
        """The issues of all Python files of a directory that the project does not exclude."""
        arguments = ["--extend-exclude", "*.ipynb", str(place)]
        run = self._run(arguments, is_configured=is_configured)
        shown = self._call(["--show-files", *arguments], find_program("ruff"))
        return run._replace(files=shown.output.count(b"\n"))

    def _run(self, arguments: list[str], *, is_configured: bool, given: bytes = b"") -> RuffRun:
        chosen = [] if is_configured else ["--isolated", "--select", USUAL_RULES]
        told = [*chosen, "--output-format", "json-lines", *arguments]
        ours = find_program("ruff", place=self._environment)
        done = self._call(told, ours, given)
        notes: list[str] = []
        if done.code == _BAD_SETTINGS and is_configured:
            notes.append(f"ruff cannot use the project's settings: {_first(done.errors)}")
            usual = ["--isolated", "--select", USUAL_RULES]
            done = self._call([*usual, *told], ours, given)
        if done.code == _BAD_SETTINGS:
            raise ProgramError(f"ruff failed: {_first(done.errors)}")
        if done.is_cut:
            notes.append("There are more issues than can be counted; give a smaller directory.")
        return RuffRun(list(_found(done.output)), notes, 0)

    def _call(self, arguments: list[str], ruff: str | None, given: bytes = b"") -> Finished:
        if ruff is None:
            raise ProgramError(
                "There is no ruff", hint="pip install 'paddock[python]', or ruff itself"
            )
        return run_program(
            [ruff, "check", "--no-cache", "--quiet", "--exit-zero", *arguments],
            self._directory,
            seconds=SECONDS,
            most_bytes=MOST_BYTES,
            is_cancelled=self._is_cancelled,
            given=given,
        )


def _first(errors: str) -> str:
    """What went wrong, in a line."""
    return " ".join(errors.split())[:500] or "it does not say why"


def _found(output: bytes) -> Iterator[Found]:
    for line in output.splitlines():
        try:
            told = json.loads(line)
        except ValueError:  # the last line, when the output was cut
            continue
        if told.get("cell") is None:
            yield Found(told["filename"], _issue(told))


def _issue(told: dict[str, Any]) -> Issue:
    code = told.get("code") or "invalid-syntax"
    severity, confidence = grade(code)
    place = _place(told["location"], told["end_location"])
    fix = told.get("fix")
    fixes: tuple[Fix, ...] = ()
    if fix and fix.get("message"):
        edits = fix.get("edits") or [{}]
        unsafe = "" if fix.get("applicability") == "safe" else " (may change what the code does)"
        fixes = (Fix(f"{fix['message']}{unsafe}", place, edits[0].get("content", "")),)
    name = told.get("name") or ""
    argument = "" if name == code else name
    return Issue(code, argument, severity, confidence, told["message"], place, fixes)


def _place(start: dict[str, int], end: dict[str, int]) -> Place:
    return Place(start["row"], start["column"], end["row"], end["column"])


def grade(code: str) -> tuple[Severity, float]:
    """How serious an issue with a code is, and how sure."""
    if code in _SYNTAX:
        return "Fatal", 1.0
    if code in _SCOPING:
        return "Scoping", _SURE
    letters = code.rstrip("0123456789")
    for beginning, severity, confidence in _SEVERITIES:
        if beginning.rstrip("0123456789") == letters and code.startswith(beginning):
            return severity, confidence
    return "Remark", _USUALLY
