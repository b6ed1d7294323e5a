"""The page on catalogues shows what exists, and its figures are right."""

import runpy
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.extensions.catalogues.document import MAX_CATALOGUE_BYTES, CatalogueEntry
from paddock.extensions.catalogues.store import MAX_COPY_AGE_SECONDS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "how-to" / "catalogues.md").read_text(encoding="utf-8")


def test_the_program_lists_servers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    runpy.run_path(str(ROOT / "docs_src" / "how_to" / "catalogues.py"))
    assert capsys.readouterr().out.startswith("AgentZoo ")


def test_every_key_of_an_entry_is_described() -> None:
    assert [
        key for key in CatalogueEntry._fields if f"`{key}`" not in PAGE and key != "catalogue"
    ] == []


def test_the_limits_are_those_of_the_page() -> None:
    assert f"a catalogue of more than {MAX_CATALOGUE_BYTES // 10**6} MB" in PAGE
    assert MAX_COPY_AGE_SECONDS == 24 * 60 * 60
    assert "more than a day old" in " ".join(PAGE.split())
