"""State of a pytest run, read from the event file that Paddock's plugin writes.

Test code can write to the same file, so events are not assumed to be well-formed.
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
_MAX_LINE_BYTES, _MAX_FILE_BYTES = 1 << 24, 1 << 30
_MAX_NAME_CHARACTERS, _MAX_CASES = 1000, 500_000


@dataclass(slots=True)
class PythonTestCase:
    """A test and its result so far."""

    name: str
    """The name in pytest's form: the file, then the path in it."""
    started_at: float
    """The monotonic time when the start event was read."""
    outcome: PytestOutcome = "passed"
    seconds: float = 0.0
    failures: list[PytestEvent] = field(default_factory=list)
    stop_event: PytestEvent = field(default_factory=dict)
    is_finished: bool = False

    def fail(self, reason: str, **details: object) -> None:
        """Record that the test failed because it did not finish, as in `fail("was killed")`."""
        self.is_finished, self.outcome = True, "failed"
        short_name = self.name.rpartition("::")[2]
        self.failures.append({"message": f"{short_name} {reason}", **details})

    def add_report(self, event: PytestEvent) -> None:
        """Record the outcome of one phase (setup, call or teardown) of the test, or of a subtest.

        A test fails if any of its phases fails. It is finished after its teardown.

        Args:
            event: A report event from the pytest plugin.
        """
        event["output"] = [(str(title), str(text)) for title, text in event.get("output", ())]
        self.seconds += float(event["seconds"]) if "subtest" not in event else 0.0
        outcome = event["outcome"]
        if outcome == "failed":
            self.outcome = "failed"
            self.failures.append(event)
        elif self.outcome != "failed" and "subtest" not in event:
            if outcome == "skipped":
                self.outcome = "xfailed" if event["xfail"] else "skipped"
            elif outcome == "passed" and event["xfail"] and event["when"] == "call":
                self.outcome = "xpassed"
        self.is_finished = self.is_finished or event["when"] not in ("setup", "call")


@dataclass(slots=True)
class PythonTestRun:
    """The state of a run, which may take multiple attempts."""

    cases: dict[str, PythonTestCase] = field(default_factory=dict)
    collected_counts: dict[str, int] = field(default_factory=dict)
    """The number of tests in each file."""
    collect_errors: dict[str, str] = field(default_factory=dict)
    """Error messages for the files and directories that could not be collected."""
    warning_count: int = 0
    begin_event: PytestEvent = field(default_factory=dict)
    end_event: PytestEvent | None = None
    """The end event of the current attempt."""
    broken_test: str = ""
    """The test after which the current attempt could not continue."""

    @property
    def running_cases(self) -> list[PythonTestCase]:
        """The tests that have started but not finished."""
        return [case for case in self.cases.values() if not case.is_finished]

    @property
    def finished_names(self) -> list[str]:
        """The names of the finished tests."""
        return [name for name, case in self.cases.items() if case.is_finished]

    @property
    def has_failure(self) -> bool:
        """Whether a test, or the collection of a file, failed."""
        failed = (case.outcome == "failed" for case in self.cases.values())
        return bool(self.collect_errors) or any(failed)

    @property
    def total_count(self) -> int:
        """The number of tests known so far."""
        return max(sum(self.collected_counts.values()), len(self.cases))

    def apply_event(self, event: PytestEvent) -> None:
        """Update the state of the run with an event from the pytest plugin.

        Events of unknown kinds are ignored.
        """
        match event.get("event"):
            case "begin":
                self.begin_event = event
            case "collected":
                self._add_collected_counts(event)
            case "collect-error":
                self.collect_errors.setdefault(str(event["id"]), str(event["text"]))
            case "start":
                self._get_case(event)
            case "stopped" if str(event["id"]) in self.cases:
                self.cases[str(event["id"])].stop_event = event
            case "report":
                self._get_case(event).add_report(event)
            case "broken":
                self.broken_test = str(event["id"])
            case "warning":
                self.warning_count += 1
            case "end":
                self.end_event = event

    def _add_collected_counts(self, event: PytestEvent) -> None:
        # Later attempts collect only the remaining tests. Each xdist worker reports all of them.
        for file, count in dict(event["files"]).items():
            self.collected_counts.setdefault(str(file), int(count))

    def _get_case(self, event: PytestEvent) -> PythonTestCase:
        """Return the test that an event names, and add it if it is new."""
        name = str(event["id"])[:_MAX_NAME_CHARACTERS]
        # The tests could write any number of events, so their memory use is limited.
        if name not in self.cases and len(self.cases) >= _MAX_CASES:
            raise ValueError("too many tests")
        return self.cases.setdefault(name, PythonTestCase(name, time.monotonic()))


class EventFileReader:
    """Reads the events that the pytest plugin appends to a file while the tests run.

    The last line may be incomplete when the file is read, so it is kept until the next read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._partial_line = b""

    def read_events(self, run: PythonTestRun) -> bool:
        """Apply the new events in the file to a test run, and return True if the file has grown.

        Invalid lines are skipped because the tests can also write to the file.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read(_READ_CHUNK_BYTES)
        except OSError:
            return False
        # The plugin alone does not write this much, so the tests have written to the file.
        if self._offset > _MAX_FILE_BYTES or len(self._partial_line) > _MAX_LINE_BYTES:
            return False
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
