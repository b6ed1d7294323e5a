"""The official suite against its fixture, served by us and by others: every check succeeds.

The suite's own verdict ignores warnings and skipped checks; ours does not.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from external.conformance import conformance_command
from external.environments import ROOT
from tests.clients.serving import granian_command, paddock_command, serving, uvicorn_command

FIXTURE, APP = "tests/conformance/fixture.py", "tests.conformance.app:app"
SERVERS = {
    "paddock": paddock_command(FIXTURE),
    "uvicorn": uvicorn_command(APP),
    "granian": granian_command(APP),
}
EVERYTHING = ["--suite", "all"]
FORCED_SKIPS = {"tasks-status-notifications"}
"""What the suite skips whatever a server does."""
SECONDS = 300


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(SERVERS["paddock"]) as url:
        yield url


def run_suite(url: str, options: list[str], directory: Path) -> Counter[str]:
    """How many checks ended how; those that did not end well fail the test."""
    done = subprocess.run(
        [*conformance_command(), "server", "--url", url, *options, "-o", str(directory)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    checks = [
        check
        for report in directory.rglob("checks.json")
        for check in json.loads(report.read_text(encoding="utf-8"))
    ]
    wrong = [
        (check["status"], check["id"], check.get("errorMessage"))
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO") and check["id"] not in FORCED_SKIPS
    ]
    assert wrong == []
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return Counter(check["status"] for check in checks)


@pytest.mark.parametrize(
    ("options", "successes"),
    [
        ([*EVERYTHING, "--spec-version", "2025-11-25"], 84),
        ([*EVERYTHING, "--spec-version", "2026-07-28"], 152),
        (EVERYTHING, 276),
    ],
    ids=["2025-11-25", "2026-07-28", "bare"],
)
def test_every_check_succeeds(url: str, options: list[str], successes: int, tmp_path: Path) -> None:
    assert run_suite(url, options, tmp_path)["SUCCESS"] == successes


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_the_frozen_requirements_are_met(url: str, version: str, tmp_path: Path) -> None:
    assert run_suite(url, ["--requirements", version], tmp_path)["SUCCESS"] > 0


@pytest.mark.parametrize("name", ["uvicorn", "granian"])
def test_every_check_succeeds_behind_the_servers_of_others(name: str, tmp_path: Path) -> None:
    with serving(SERVERS[name]) as url:
        assert run_suite(url, EVERYTHING, tmp_path)["SUCCESS"] == 276
