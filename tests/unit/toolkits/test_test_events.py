"""What a test run is known by, when anything may is in the file of events."""

import json
from pathlib import Path

import pytest

from paddock.toolkits.python.pytest_events import EventFileReader, PythonTestRun

REPORT = {"event": "report", "id": "a.py::b", "when": "call", "outcome": "failed", "seconds": 1}


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe",
        b"[1]",
        b"5",
        b"[" * 100_000,
        b'{"event": "report"}',
        b'{"event": "take"}',
        b'{"event": "collected", "files": 5}',
        b'{"event": "report", "id": "x", "when": "call", "outcome": "failed", "seconds": "y"}',
        b'{"event": "report", "id": "x", "when": "call", "outcome": "failed", "output": [1]}',
    ],
)
def test_lines_that_make_no_sense_do_not_keep_others_from_being_read(
    tmp_path: Path, line: bytes
) -> None:
    good = json.dumps({**REPORT, "xfail": False}).encode()
    (tmp_path / "events").write_bytes(line + b"\n" + good + b"\n")
    run = PythonTestRun()
    assert EventFileReader(tmp_path / "events").read_events(run)
    assert run.cases["a.py::b"].outcome == "failed"


def test_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    events, run = EventFileReader(tmp_path / "events"), PythonTestRun()
    assert not events.read_events(run)
    text = json.dumps({"event": "start", "id": "a.py::b"})
    (tmp_path / "events").write_text(text[:10])
    events.read_events(run)
    assert run.cases == {}
    (tmp_path / "events").write_text(f"{text}\n")
    events.read_events(run)
    assert [case.name for case in run.running_cases] == ["a.py::b"]
