"""The index when several processes use it, and when there is no room or no right to write."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.docsearch import indexer
from paddock.docsearch.corpora.markdown_folders import add_folder
from paddock.docsearch.index_store import IndexStore, get_index_file
from paddock.docsearch.search import get_index_status, search_with_notes
from paddock.files import lock_file
from tests.privileges import as_others_may

SYMBOLS = ("wolfram-symbols",)
ASK = """
from paddock.docsearch.search import search_with_notes
print(search_with_notes("Plot3D", ["wolfram-symbols"]).hits[0].title)
"""


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def check() -> list[tuple[object, ...]]:
    database = IndexStore(get_index_file())
    try:
        return database.fetch_rows("PRAGMA integrity_check")
    finally:
        database.close()


def test_processes_that_begin_at_once_make_one_whole_index() -> None:
    command = [sys.executable, "-c", ASK]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in running] == ["Plot3D\n"] * 4
    assert check() == [("ok",)]
    symbols = next(row for row in get_index_status().corpora if row.name == SYMBOLS[0])
    titles = IndexStore(get_index_file()).fetch_rows(
        "SELECT count(DISTINCT title), count(*) FROM pages"
    )
    assert titles == [(symbols.pages, symbols.pages)]


def test_a_process_that_is_killed_while_it_indexes_leaves_a_whole_index(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3_000):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nText.\n", encoding="utf-8")
    add_folder(folder)
    command = [sys.executable, "-m", "paddock.docsearch.indexer", "folders"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        while not (found := get_index_status().corpora[-1].sources) and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
    assert check() == [("ok",)]
    assert found
    assert indexer.index_corpora(["folders"])
    assert get_index_status().corpora[-1].sources == 3_000


def test_indexing_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "paddock.docsearch.indexer", *SYMBOLS]
    with lock_file(get_index_file()), subprocess.Popen(command, stdin=reading) as process:
        os.close(reading)
        os.close(writing)
        assert process.wait(60) == 0


def test_only_one_process_indexes_at_a_time() -> None:
    with lock_file(get_index_file()):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(indexer.index_corpora(SYMBOLS)))
        thread.start()
        thread.join()
    assert answers == [False]
    assert indexer.index_corpora(SYMBOLS)
    assert get_index_status().work is None


def test_what_is_being_indexed_is_reported_until_it_is_forgotten() -> None:
    database = IndexStore(get_index_file())
    database.set_setting(indexer.PROGRESS_SETTING, "folders 3 10 99999999999")
    assert get_index_status().work == indexer.IndexJob("folders", 3, 10)
    database.set_setting(indexer.PROGRESS_SETTING, "folders 3 10 0")
    assert get_index_status().work is None
    database.close()


def test_the_first_question_has_the_rest_indexed_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(indexer.BACKGROUND_INDEX_VARIABLE, raising=False)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Orchard\n\nPears are grafted.\n")
    add_folder(tmp_path / "notes")
    assert search_with_notes("grafted pears", ["folders"]).hits == []
    for thread in threading.enumerate():
        if thread.name == "indexing":
            thread.join(60)
    found = search_with_notes("grafted pears", ["folders"])
    assert [hit.title for hit in found.hits] == ["Orchard"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes of directories mean nothing here")
def test_in_a_directory_that_is_read_only_an_index_in_memory_answers(data: Path) -> None:
    data.mkdir()
    data.chmod(0o500)
    with as_others_may():
        found = search_with_notes("Plot3D", SYMBOLS)
    data.chmod(0o700)
    assert found.hits[0].title == "Plot3D"
    assert found.notes[0].startswith("The index cannot be saved")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes of files mean nothing here")
def test_an_index_that_may_only_be_read_is_not_written(data: Path) -> None:
    search_with_notes("Plot3D", SYMBOLS)
    file = get_index_file()
    for one in file.parent.iterdir():
        one.chmod(0o400)
    file.parent.chmod(0o500)
    with as_others_may():
        command = [sys.executable, "-c", ASK]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    file.parent.chmod(0o700)
    assert answer.stdout == "Plot3D\n"


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
from paddock.docsearch.search import search_with_notes
found = search_with_notes("Plot3D", ["wolfram-symbols"])
print(found.hits[0].title, len(found.notes))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_on_a_disk_without_room_an_index_in_memory_answers() -> None:
    said = subprocess.run(
        [sys.executable, "-c", FULL], stdout=subprocess.PIPE, text=True, check=True
    )
    assert said.stdout == "Plot3D 1\n"
    assert search_with_notes("Plot3D", SYMBOLS).hits[0].title == "Plot3D"
    assert check() == [("ok",)]
