"""Our peer under the official suite, which plays the server: all that is not about OAuth flows."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from external.conformance import conformance_command
from external.environments import ROOT

SESSION, STATELESS = "2025-11-25", "2026-07-28"
SCENARIOS = [
    ("initialize", SESSION),
    ("tools_call", SESSION),
    ("tools_call", STATELESS),
    ("elicitation-sep1034-client-defaults", SESSION),
    ("sse-retry", SESSION),
    ("json-schema-2020-12-preservation", SESSION),
    ("json-schema-2020-12-preservation", STATELESS),
    ("request-metadata", STATELESS),
    ("sep-2322-client-request-state", STATELESS),
    ("http-standard-headers", STATELESS),
    ("http-custom-headers", STATELESS),
    ("http-invalid-tool-headers", STATELESS),
    ("json-schema-ref-no-deref", STATELESS),
    ("sep-2640-client-no-prefetch", None),
    ("sep-2640-client-verify-digest", None),
    ("sep-2640-client-verify-frontmatter", None),
    ("sep-2640-client-verify-size", None),
]
FORCED_SKIPS = {
    # A client of this version never opens a session.
    "ClientMcpMethodHeader_initialize",
    "ClientMcpMethodHeader_notifications_initialized",
}
SECONDS = 60


@pytest.mark.parametrize(("scenario", "version"), SCENARIOS)
def test_every_check_of_a_client_scenario_succeeds(
    scenario: str, version: str | None, tmp_path: Path
) -> None:
    client = shlex.join([sys.executable, "-m", "tests.conformance.client"])
    options = ["client", "--command", client, "--scenario", scenario, "-o", str(tmp_path)]
    if version is not None:
        options += ["--spec-version", version]
    done = subprocess.run(
        [*conformance_command(), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (report,) = tmp_path.rglob("checks.json")
    checks = json.loads(report.read_text(encoding="utf-8"))
    unmet = {
        (check["name"], check["status"])
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO") and check["name"] not in FORCED_SKIPS
    }
    assert unmet == set()
    assert any(check["status"] == "SUCCESS" for check in checks)
