"""What is known of a test run, from the events that our plugin writes while it goes on.

Whatever runs in the tests can write into the same file: nothing in it is trusted to make sense.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

PytestOutcome = Literal["passed", "failed", "skipped", "xfailed", "xpassed"]
PytestEvent = dict[str, Any]
_READ_CHUNK_BYTES = 1 << 24
"""Bytes that are read at a time."""
_MAX_LINE_BYTES, _MAX_FILE_BYTES = 1 << 24, 1 << 30
_MAX_NAME_CHARACTERS, _MAX_CASES = 1000, 500_000


@dataclass(slots=True)
class PythonTestCase:
    """One test, and what has come of it."""

    name: str
    """As pytest names it: the file, then what is in it."""
    started_at: float
    """When we heard of its beginning, by our clock."""
    outcome: PytestOutcome = "passed"
    seconds: float = 0.0
    failures: list[PytestEvent] = field(default_factory=list)
    stop_event: PytestEvent | None = None
    is_finished: bool = False


@dataclass(slots=True)
class PythonTestRun:
    """All that is known of a run; several attempts may add to it."""

    cases: dict[str, PythonTestCase] = field(default_factory=dict)
    collected_counts: dict[str, int] = field(default_factory=dict)
    """How many tests each file has."""
    collect_errors: list[PytestEvent] = field(default_factory=list)
    warning_count: int = 0
    begin_event: PytestEvent = field(default_factory=dict)
    end_event: PytestEvent | None = None
    """Of the attempt that goes on."""
    broken_test: str = ""
    """The test that left pytest unable to go on, until that is told."""

    @property
    def running_cases(self) -> list[PythonTestCase]:
        """The tests that have begun and not ended."""
        return [case for case in self.cases.values() if not case.is_finished]

    @property
    def finished_count(self) -> int:
        """How many have ended."""
        return sum(case.is_finished for case in self.cases.values())

    @property
    def total_count(self) -> int:
        """How many there are."""
        return max(sum(self.collected_counts.values()), len(self.cases))

    def apply_event(self, event: PytestEvent) -> None:
        """Take note of an event."""
        take = getattr(self, f"_on_{str(event.get('event')).replace('-', '_')}", None)
        if take is not None:
            take(event)

    def _on_begin(self, event: PytestEvent) -> None:
        self.begin_event = event

    def _on_collected(self, event: PytestEvent) -> None:
        # Later attempts collect only what is left, and each worker of xdist tells the same.
        for file, count in dict(event["files"]).items():
            self.collected_counts.setdefault(str(file), int(count))

    def _on_collect_error(self, event: PytestEvent) -> None:
        if all(known["id"] != event["id"] for known in self.collect_errors):
            self.collect_errors.append({"id": str(event["id"]), "text": str(event["text"])})

    def _on_start(self, event: PytestEvent) -> None:
        self._get_case(event)

    def _get_case(self, event: PytestEvent) -> PythonTestCase:
        name = str(event["id"])[:_MAX_NAME_CHARACTERS]
        if name not in self.cases and len(self.cases) >= _MAX_CASES:
            raise ValueError("nobody has so many tests")
        return self.cases.setdefault(name, PythonTestCase(name, time.monotonic()))

    def _on_stopped(self, event: PytestEvent) -> None:
        case = self.cases.get(str(event["id"]))
        if case is not None:
            case.stop_event = event

    def _on_report(self, event: PytestEvent) -> None:
        case = self._get_case(event)
        event["output"] = [(str(title), str(text)) for title, text in event.get("output", ())]
        case.seconds += float(event["seconds"]) if "subtest" not in event else 0.0
        outcome = event["outcome"]
        if outcome == "failed":
            case.outcome = "failed"
            case.failures.append(event)
        elif case.outcome != "failed" and "subtest" not in event:
            if outcome == "skipped":
                case.outcome = "xfailed" if event["xfail"] else "skipped"
            elif outcome == "passed" and event["xfail"] and event["when"] == "call":
                case.outcome = "xpassed"
        case.is_finished = case.is_finished or event["when"] not in ("setup", "call")

    def _on_broken(self, event: PytestEvent) -> None:
        self.broken_test = str(event["id"])

    def _on_warning(self, _event: PytestEvent) -> None:
        self.warning_count += 1

    def _on_end(self, event: PytestEvent) -> None:
        self.end_event = event


class EventFileReader:
    """The file of events, read while it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._partial_line = b""

    def read_events(self, run: PythonTestRun) -> bool:
        """Take note of what is new; whether there was anything."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read(_READ_CHUNK_BYTES)
        except OSError:
            return False
        if self._offset > _MAX_FILE_BYTES or len(self._partial_line) > _MAX_LINE_BYTES:
            return False  # no run of ours says so much
        self._offset += len(data)
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
                if isinstance(event, dict):
                    run.apply_event(event)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        return bool(data)
