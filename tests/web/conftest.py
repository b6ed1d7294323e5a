"""The web app as it is shipped: built once for all tests that look at it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def web_app() -> Path:
    """The directory with the built app, which is made anew if a source is newer."""
    built = subprocess.run(
        ["make", "--silent", "web"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return ROOT / "src" / "paddock" / "web_dist"
