"""The page on extensions shows what there is."""

import runpy

import pytest

from tests.docs.pages import ROOT


def test_the_program_lists_extensions(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "extensions.py"))
    assert capsys.readouterr().out.startswith("paddock ")
