"""The program of the page about installing does what the page says."""

import runpy
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from tests.docs.pages import ROOT


def test_a_server_is_installed_examined_and_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "installing.py"))
    shown = capsys.readouterr().out
    assert '+        "CITY": "•••"' in shown
    assert "\nok Demo " in shown
    assert shown.endswith("claude-code removed\n")
    assert not (tmp_path / ".claude.json").exists()
