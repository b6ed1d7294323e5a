"""The page on extensions shows what exists."""

import re
import runpy

import pytest

from paddock.validation.findings import SEVERITY_BY_CODE
from tests.docs.pages import ROOT


def test_the_program_lists_extensions(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "extensions.py"))
    assert capsys.readouterr().out.startswith("paddock ")


def test_the_program_says_what_is_wrong_with_an_extension(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paclet = ROOT / "docs_src" / "paclets" / "Weather"
    monkeypatch.setattr("sys.argv", ["validating.py", str(paclet)])
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "validating.py"))
    assert capsys.readouterr().out.splitlines() == ["valid Acme/Weather/Sky"]
    old = ROOT / "tests" / "samples" / "paclets" / "OldForm"
    monkeypatch.setattr("sys.argv", ["validating.py", str(old)])
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "validating.py"))
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"warning: missing-description: {old}")
    assert last.startswith("valid")


def test_every_code_of_a_finding_is_described_with_its_severity() -> None:
    page = (ROOT / "docs" / "reference" / "findings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning) \| \S", page, flags=re.M)
    assert len(rows) == len(dict(rows))
    assert dict(rows) == SEVERITY_BY_CODE
