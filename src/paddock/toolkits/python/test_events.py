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

Outcome = Literal["passed", "failed", "skipped", "xfailed", "xpassed"]
Event = dict[str, Any]
_MOST_READ = 1 << 24
"""Bytes that are read at a time."""
_LONGEST_LINE, _MOST_BYTES = 1 << 24, 1 << 30
_LONGEST_NAME, _MOST_CASES = 1000, 500_000


@dataclass(slots=True)
class PythonTestCase:
    """One test, and what has come of it."""

    name: str
    """As pytest names it: the file, then what is in it."""
    begun: float
    """When we heard of its beginning, by our clock."""
    outcome: Outcome = "passed"
    seconds: float = 0.0
    failures: list[Event] = field(default_factory=list)
    stopped: Event | None = None
    is_over: bool = False


@dataclass(slots=True)
class PythonTestRun:
    """All that is known of a run; several attempts may add to it."""

    cases: dict[str, PythonTestCase] = field(default_factory=dict)
    collected: dict[str, int] = field(default_factory=dict)
    """How many tests each file has."""
    collect_errors: list[Event] = field(default_factory=list)
    warnings: int = 0
    begin: Event = field(default_factory=dict)
    end: Event | None = None
    """Of the attempt that goes on."""
    broken: str = ""
    """The test that left pytest unable to go on, until that is told."""

    @property
    def running(self) -> list[PythonTestCase]:
        """The tests that have begun and not ended."""
        return [case for case in self.cases.values() if not case.is_over]

    @property
    def done(self) -> int:
        """How many have ended."""
        return sum(case.is_over for case in self.cases.values())

    @property
    def total(self) -> int:
        """How many there are."""
        return max(sum(self.collected.values()), len(self.cases))

    def take(self, event: Event) -> None:
        """Take note of an event."""
        take = getattr(self, f"_on_{str(event.get('event')).replace('-', '_')}", None)
        if take is not None:
            take(event)

    def _on_begin(self, event: Event) -> None:
        self.begin = event

    def _on_collected(self, event: Event) -> None:
        # Later attempts collect only what is left, and each worker of xdist tells the same.
        for file, count in dict(event["files"]).items():
            self.collected.setdefault(str(file), int(count))

    def _on_collect_error(self, event: Event) -> None:
        if all(known["id"] != event["id"] for known in self.collect_errors):
            self.collect_errors.append({"id": str(event["id"]), "text": str(event["text"])})

    def _on_start(self, event: Event) -> None:
        self._case(event)

    def _case(self, event: Event) -> PythonTestCase:
        name = str(event["id"])[:_LONGEST_NAME]
        if name not in self.cases and len(self.cases) >= _MOST_CASES:
            raise ValueError("nobody has so many tests")
        return self.cases.setdefault(name, PythonTestCase(name, time.monotonic()))

    def _on_stopped(self, event: Event) -> None:
        case = self.cases.get(str(event["id"]))
        if case is not None:
            case.stopped = event

    def _on_report(self, event: Event) -> None:
        case = self._case(event)
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
        case.is_over = case.is_over or event["when"] not in ("setup", "call")

    def _on_broken(self, event: Event) -> None:
        self.broken = str(event["id"])

    def _on_warning(self, _event: Event) -> None:
        self.warnings += 1

    def _on_end(self, event: Event) -> None:
        self.end = event


class EventFile:
    """The file of events, read while it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0
        self._rest = b""

    def read_into(self, run: PythonTestRun) -> bool:
        """Take note of what is new; whether there was anything."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                data = file.read(_MOST_READ)
        except OSError:
            return False
        if self._at > _MOST_BYTES or len(self._rest) > _LONGEST_LINE:
            return False  # no run of ours says so much
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
                if isinstance(event, dict):
                    run.take(event)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        return bool(data)
