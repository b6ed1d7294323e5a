"""The soak in small: everything at once for a few seconds, by the same code; see soak/README.md."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("carrier", ["own", "uvicorn"])
def test_under_load_nothing_is_lost_mixed_up_or_left_behind(carrier: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "soak", "--tiny", "--carrier", carrier],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
