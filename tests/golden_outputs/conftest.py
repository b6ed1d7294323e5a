"""The recorded files, and a user who has nothing yet."""

import os
from pathlib import Path

import pytest

from tests.golden_outputs.golden_files import GoldenFiles, MachineNames
from tests.golden_outputs.program import Program

OWN_VARIABLES = ("PADDOCK_", "XDG_", "WOLFRAM", "AGENT_ZOO_", "OTEL_")
"""Beginnings of variables that change outputs."""
CLIENT_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "KIMI_CODE_HOME")
OTHER_VARIABLES = ("GROK_HOME", "PYTHONPATH", "NO_COLOR", "FORCE_COLOR", "ALLOWED_ORIGINS", "PORT")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that accepts outputs as they are now."""
    parser.addoption("--accept", action="store_true", help="replace the recorded outputs")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenFiles:
    """The recorded files."""
    return GoldenFiles(accepts=request.config.getoption("--accept", default=False))


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a user who has nothing: `home`, `data` and `work`, the working directory."""
    for name in list(os.environ):
        if name.startswith(OWN_VARIABLES) or name in (*CLIENT_VARIABLES, *OTHER_VARIABLES):
            monkeypatch.delenv(name)
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    # Which engines a machine has changes descriptions and reports.
    monkeypatch.setenv("PADDOCK_WOLFRAM_ENGINE", "woxi")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.fixture
def names(user: Path) -> MachineNames:
    """Hides the directories of the user."""
    return MachineNames(home=user / "home", data=user / "data", work=user / "work", user=user)


@pytest.fixture
def paddock(names: MachineNames, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The command `paddock`, run in this process."""
    return Program(names, monkeypatch)
