"""Searching our own descriptions, with whatever people ask."""

import sqlite3
import threading
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.docsearch.corpora.wolfram_symbols import SYMBOLS_CORPUS
from paddock.docsearch.index_store import get_index_file
from paddock.docsearch.search import search_with_notes


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def titles(question: str) -> list[str]:
    return [found.title for found in search_with_notes(question, [SYMBOLS_CORPUS]).hits]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Plot3D", "Plot3D"),
        ("plot3d", "Plot3D"),
        ("`Map`", "Map"),
        ("Plot3D[]", "Plot3D"),
        ("$Path", "$Path"),
        ("/@", "Map"),
        ("@@", "Apply"),
        ("->", "Rule"),
        ("what does //. mean", "ReplaceRepeated"),
        ("when do I need StringCases", "StringCases"),
    ],
)
def test_a_name_or_a_sign_finds_its_symbol(question: str, title: str) -> None:
    assert titles(question)[0] == title


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("remove repeated elements", "DeleteDuplicates"),
        ("listLinePlot", "ListLinePlot"),
        ("line plot of a list", "ListLinePlot"),
        ("convert miles to kilometres", "UnitConvert"),
    ],
)
def test_words_find_what_they_describe(question: str, title: str) -> None:
    assert title in titles(question)


@pytest.mark.parametrize(
    "question",
    [
        '"unclosed AND (NEAR/2 * OR NOT : ^ {',
        "a" * 100_000,
        "word " * 20_000,
        "数学 Ünïcödé Ελληνικά",
        "\0\ud800",
        "'; DROP TABLE pages; --",
        "***",
        "titles:sort",
    ],
)
def test_any_question_has_an_answer(question: str) -> None:
    assert len(search_with_notes(question, [SYMBOLS_CORPUS]).hits) <= 5


@pytest.mark.parametrize("question", ["", "   \n"])
def test_no_question_finds_nothing(question: str) -> None:
    assert search_with_notes(question, [SYMBOLS_CORPUS]).hits == []


def test_texts_fit_the_budget_after_the_first() -> None:
    found = search_with_notes("sort list", [SYMBOLS_CORPUS], limit=10, budget=300).hits
    assert 1 <= len(found) < 10
    assert sum(len(one.text) for one in found) <= 300


def test_another_corpus_is_not_searched() -> None:
    assert search_with_notes("Plot3D", ["nothing"]).hits == []


def test_a_damaged_index_is_made_again() -> None:
    assert titles("Plot3D")[0] == "Plot3D"
    get_index_file().write_bytes(b"no database" * 1_000)
    assert titles("Plot3D")[0] == "Plot3D"
    with sqlite3.connect(get_index_file()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_deleted_index_is_made_again() -> None:
    assert titles("Plot3D")[0] == "Plot3D"
    for file in get_index_file().parent.iterdir():
        file.unlink()
    assert titles("Plot3D")[0] == "Plot3D"
    assert get_index_file().exists()


def test_an_index_of_another_version_is_made_again() -> None:
    get_index_file().parent.mkdir(parents=True)
    connection = sqlite3.connect(get_index_file())
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert titles("Plot3D")[0] == "Plot3D"


def test_without_a_place_for_the_index_there_is_one_in_memory(data: Path) -> None:
    data.write_text("a file, where the directory should be", encoding="utf-8")
    found = search_with_notes("Plot3D", [SYMBOLS_CORPUS])
    assert found.hits[0].title == "Plot3D"
    assert len(found.notes) == 1


def test_several_threads_may_ask_at_once() -> None:
    found = []
    threads = [threading.Thread(target=lambda: found.append(titles("/@")[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["Map"] * 8
