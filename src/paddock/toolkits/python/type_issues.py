"""The issues that a type checker finds: ty, or mypy where there is no ty."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from paddock.reports.issues import CodeIssue, SourceRange
from paddock.toolkits.python.programs import ProgramError, find_program, run_program
from paddock.toolkits.python.ruff_issues import LinterIssue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.reports.issues import Severity
    from paddock.toolkits.python.interpreters import PythonInterpreter

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
            (one for one in TYPE_CHECKERS if name in (None, one) and find_program(one, place=programs)),
            None,
        )
        self._program = find_program(self.name, place=programs) if self.name else None

    def check_types(self, place: Path, search: Path | None = None) -> tuple[list[LinterIssue], list[str]]:
        """The issues of a file or directory, and notes; `search` is where else modules are."""
        if self.name is None or self._program is None:
            return [], []
        arguments = self._build_ty_arguments(place, search) if self.name == "ty" else self._build_mypy_arguments(place)
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
