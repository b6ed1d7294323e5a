"""The page on Wolfram Language names what exists, and its program prints what it shows."""

import re
import runpy

import pytest

from paddock import wolfram
from paddock.wolfram import notebooks
from paddock.wolfram.operators import NAMED_SIGNS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "reference" / "wolfram-language.md").read_text(encoding="utf-8")
PROGRAM = ROOT / "docs_src" / "reference" / "wolfram_language.py"


def test_the_page_names_everything_that_is_public() -> None:
    rows = re.findall(r"^\| (`.+?) \|", PAGE, flags=re.M)
    named = {name for row in rows for name in re.findall(r"`(\w+)(?:\(.*?\))?`", row)}
    assert {*wolfram.__all__, *notebooks.__all__} - named == set()


def test_the_page_counts_the_characters_that_are_operators() -> None:
    assert f"the {len(NAMED_SIGNS)} characters" in PAGE


def test_the_program_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(PROGRAM))
    shown = re.search(r"^```text\n(.*?)^```$", PAGE, flags=re.M | re.S)
    assert shown is not None
    assert capsys.readouterr().out == shown[1]
