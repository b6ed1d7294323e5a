"""A home directory of its own for each test."""

import os
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE

FOREIGN = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "KIMI_CODE_HOME", "GROK_HOME")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user who has nothing yet; Paddock's data is in `.paddock`."""
    directory = tmp_path / "home"
    directory.mkdir()
    for name in [*FOREIGN, *(name for name in os.environ if name.startswith("XDG_"))]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("USERPROFILE", str(directory))
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(directory / ".paddock"))
    return directory
