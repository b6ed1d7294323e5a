"""The issues that a type checker finds: ty, or mypy where there is no ty."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from paddock.reports.issues import Issue, Place
from paddock.toolkits.python.programs import ProgramError, find_program, run_program
from paddock.toolkits.python.ruff_issues import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.reports.issues import Severity
    from paddock.toolkits.python.interpreters import Interpreter

SECONDS = 300.0
MOST_BYTES = 64 << 20
CHECKERS = ("ty", "mypy")
_SEVERITIES: dict[str, Severity] = {
    "blocker": "Fatal",
    "critical": "Error",
    "major": "Error",
    "minor": "Warning",
    "info": "Remark",
}
_SURE, _GUESS = 0.9, 0.6
_OF_THE_ENVIRONMENT = frozenset({"unresolved-import", "import-not-found", "import-untyped"})
"""What is often only missing from the environment that was looked into."""
_TOLD_BY_RUFF = frozenset(
    {"invalid-syntax", "syntax", "unresolved-reference", "name-defined", "io"}
)


class TypeChecker:
    """A type checker, for one inspection."""

    def __init__(
        self,
        name: str | None,
        directory: Path,
        interpreter: Interpreter,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._directory = directory
        self._interpreter = interpreter
        self._is_cancelled = is_cancelled
        programs = interpreter.path.parent
        self.name = next(
            (one for one in CHECKERS if name in (None, one) and find_program(one, place=programs)),
            None,
        )
        self._program = find_program(self.name, place=programs) if self.name else None

    def inspect(self, place: Path, search: Path | None = None) -> tuple[list[Found], list[str]]:
        """The issues of a file or directory, and notes; `search` is where else modules are."""
        if self.name is None or self._program is None:
            return [], []
        arguments = self._ty(place, search) if self.name == "ty" else self._mypy(place)
        try:
            done = run_program(
                [self._program, *arguments],
                self._directory,
                seconds=SECONDS,
                most_bytes=MOST_BYTES,
                is_cancelled=self._is_cancelled,
            )
        except ProgramError as error:
            return [], [f"Types were not checked: {error}"]
        if self._is_cancelled():
            return [], []
        try:
            read = self._of_ty if self.name == "ty" else self._of_mypy
            return list(read(done.output)), []
        except (ValueError, KeyError, TypeError):
            told = done.errors or done.output[:500].decode(errors="replace")
            said = " ".join(told.split())[:500]
            return [], [f"Types were not checked: {self.name} said: {said}"]

    def _ty(self, place: Path, search: Path | None) -> list[str]:
        more = ["--extra-search-path", str(search)] if search else []
        return [
            *("check", "--output-format", "gitlab", "--no-progress"),
            *("--python", str(self._interpreter.prefix), *more, str(place)),
        ]

    def _mypy(self, place: Path) -> list[str]:
        return [
            *("--output", "json", "--cache-dir", os.devnull, "--no-error-summary"),
            *("--python-executable", str(self._interpreter.path), str(place)),
        ]

    def _of_ty(self, output: bytes) -> Iterator[Found]:
        for told in json.loads(output):
            rule = str(told["check_name"])
            if rule in _TOLD_BY_RUFF:
                continue
            start, end = (told["location"]["positions"][name] for name in ("begin", "end"))
            place = Place(start["line"], start["column"], end["line"], end["column"])
            text = str(told["description"]).removeprefix(f"{rule}: ")
            severity = _SEVERITIES.get(told["severity"], "Warning")
            issue = Issue("ty", rule, severity, _sure(rule), text, place)
            yield Found(self._path(told["location"]["path"]), issue)

    def _of_mypy(self, output: bytes) -> Iterator[Found]:
        for line in output.splitlines():
            told = json.loads(line)
            rule = told["code"] or ""
            if told["severity"] != "error" or rule in _TOLD_BY_RUFF:
                continue
            row, column = max(told["line"], 1), told["column"] + 1
            end_row, end_column = told.get("end_line", row), told.get("end_column", column)
            place = Place(row, column, end_row, end_column + 1)
            issue = Issue("mypy", rule, "Error", _sure(rule), told["message"], place)
            yield Found(self._path(told["file"]), issue)

    def _path(self, told: str) -> str:
        return os.path.join(self._directory, told)  # noqa: PTH118 - a text, as ruff tells it


def _sure(rule: str) -> float:
    return _GUESS if rule in _OF_THE_ENVIRONMENT else _SURE
