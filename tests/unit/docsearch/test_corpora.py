"""What each corpus is made of, and that only what has changed is read again."""

import os
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.docsearch.corpora.markdown_folders import (
    FolderListError,
    MarkdownFolders,
    add_folder,
    list_folders,
    remove_folder,
)
from paddock.docsearch.corpora.python_packages import PythonPackages
from paddock.docsearch.corpora.python_source import read_module_pages
from paddock.docsearch.corpora.registry import (
    CORPORA,
    UnknownCorpusError,
    load_corpora,
    resolve_corpus_names,
)
from paddock.docsearch.corpora.standard_library import StandardLibrary
from paddock.docsearch.corpora.wolfram_notebooks import InstalledDocumentation, PacletPages
from paddock.docsearch.corpora.wolfram_symbols import (
    MathicsDocstrings,
    SymbolDescriptions,
    load_operators,
)
from paddock.docsearch.index_store import IndexStore
from paddock.docsearch.indexer import IndexProgress, update_index
from paddock.docsearch.model import Corpus, DocPage
from paddock.wolfram.notebooks import markdown_to_notebook, write_notebook


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "data"


def pages(corpus: Corpus) -> list[DocPage]:
    return [page for source in corpus.list_sources() for page in corpus.read_pages(source.key)]


def written(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def titles(database: IndexStore) -> list[str]:
    return sorted(str(row[0]) for row in database.fetch_rows("SELECT title FROM pages"))


def test_symbols_are_described_once_each_and_signs_means_described_ones() -> None:
    described = [page.title for page in pages(SymbolDescriptions())]
    assert len(described) == len(set(described))
    assert set(load_operators()) <= set(described)


def test_each_section_of_a_markdown_file_is_a_page(tmp_path: Path) -> None:
    text = "# Pears\n\nFruit.\n\n## Storing\n\n```\n# no heading\n```\n\n# Apples\n"
    folder = written(tmp_path / "notes", fruit=text)
    assert add_folder(folder)
    found = pages(MarkdownFolders())
    assert [(page.title, page.text) for page in found] == [
        ("Pears", "Fruit."),
        ("Pears: Storing", "```\n# no heading\n```"),
    ]
    assert {page.origin for page in found} == {str(folder / "fruit.md")}


def test_folders_are_added_once_and_removed(tmp_path: Path) -> None:
    folder = written(tmp_path / "notes")
    assert (add_folder(folder), add_folder(folder)) == (True, False)
    assert list_folders() == [str(folder)]
    assert (remove_folder(folder), remove_folder(folder)) == (True, False)
    assert list_folders() == []


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderListError) as caught:
        add_folder(tmp_path / "missing")
    assert caught.value.where == str(tmp_path / "missing")


def test_a_damaged_list_of_folders_is_reported(data: Path) -> None:
    (data / "docsearch").mkdir(parents=True)
    (data / "docsearch" / "folders.json").write_text("[", encoding="utf-8")
    with pytest.raises(FolderListError):
        list_folders()


def test_only_what_has_changed_is_read_again(tmp_path: Path) -> None:
    folder = written(tmp_path / "notes", one="# One\n\na", two="# Two\n\nb", three="# Three\n\nc")
    add_folder(folder)
    database = IndexStore(None)
    update_index(database, [MarkdownFolders()])
    assert titles(database) == ["One", "Three", "Two"]

    written(folder, two="# Second\n\nlonger", four="# Four\n\nd")
    (folder / "one.md").unlink()
    told: list[IndexProgress] = []
    update_index(database, [MarkdownFolders()], report=told.append)
    assert titles(database) == ["Four", "Second", "Three"]
    assert told[-1] == IndexProgress("folders", 2, 2, 2)

    told.clear()
    update_index(database, [MarkdownFolders()], report=told.append)
    assert told == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_part_that_cannot_be_read_is_put_down_and_the_others_are_read(tmp_path: Path) -> None:
    folder = written(tmp_path / "notes", good="# Good\n\ntext")
    os.mkfifo(folder / "pipe.md")
    add_folder(folder)
    database = IndexStore(None)
    assert update_index(database, [MarkdownFolders()])
    assert titles(database) == ["Good"]
    problems = database.fetch_rows("SELECT key, problem FROM sources WHERE problem IS NOT NULL")
    assert [key for key, _ in problems] == [str(folder / "pipe.md")]


def test_when_the_time_is_over_what_was_done_stays(tmp_path: Path) -> None:
    add_folder(written(tmp_path / "notes", one="# One\n\na", two="# Two\n\nb"))
    database = IndexStore(None)
    assert not update_index(database, [MarkdownFolders()], seconds=-1.0)
    assert update_index(database, [MarkdownFolders()])
    assert titles(database) == ["One", "Two"]


SOURCE = '''
"""About the module."""
import os
if os.name:
    def first(a, *, b: int = 1) -> str:
        """Do it.

        At length.
        """
class Thing:
    """A thing."""
    def __init__(self, size): "Of a size."
    def method(self): "Do more."
    def _hidden(self): "Nothing."
def without_docstring(): ...
def _hidden(): "Nothing."
'''


def test_docstrings_of_a_source_file_are_pages_and_nothing_is_run() -> None:
    found = list(read_module_pages(SOURCE.encode(), "box.inner", "box 1.0", lambda name: name))
    assert [page.title for page in found] == [
        "box.inner",
        "box.inner.first",
        "box.inner.Thing",
        "box.inner.Thing.method",
    ]
    first = found[1]
    assert first.names == ("box.inner.first", "inner.first", "first")
    assert first.text == (
        "```python\nbox.inner.first(a, *, b: int=1) -> str\n```\n\nDo it.\n\nAt length."
    )


def test_the_standard_library_has_the_names_that_people_use() -> None:
    found = {page.title: page for page in pages(StandardLibrary())}
    assert {
        *("os.path.join", "asyncio.gather", "unittest.TestCase", "math.sqrt", "str.split"),
        *("collections.deque", "itertools.chain", "json.loads", "os.environ", "logging.handlers"),
    } <= set(found)
    assert found["os.path.join"].text.startswith("```python\nos.path.join(a, *p)\n```")
    assert not [title for title in found if "._" in title]


def test_a_package_is_read_without_importing_it(tmp_path: Path) -> None:
    place = tmp_path / "site"
    (place / "trap").mkdir(parents=True)
    (place / "trap" / "__init__.py").write_text(
        '"""A trap."""\nfrom trap.inner import spring\nraise SystemExit("imported")\n'
    )
    (place / "trap" / "inner.py").write_text('def spring():\n    """Catch."""\n')
    (place / "trap" / "broken.py").write_text("def (:\n")
    info = place / "trap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trap\nVersion: 1.0\nSummary: S\n")
    names = ("trap/__init__.py", "trap/inner.py", "trap/broken.py", "trap-1.0.dist-info/METADATA")
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in names))
    found = pages(PythonPackages([str(place)]))
    assert [page.title for page in found] == ["trap", "trap", "trap.spring"]
    assert {page.origin for page in found} == {"trap 1.0"}


def test_mathics_is_read_where_it_is_installed() -> None:
    corpus = MathicsDocstrings()
    wanted = next(source for source in corpus.list_sources() if source.key.endswith("rearrange.py"))
    found = {page.title: page.text for page in corpus.read_pages(wanted.key)}
    assert "DeleteDuplicates" in found
    assert "<dt>" not in found["DeleteDuplicates"]


def test_notebooks_of_paclets_and_of_an_installation_are_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_notebook(markdown_to_notebook("# Bake\n\nBakes bread.\n"))
    for root in (tmp_path / "mine" / "Bakery", tmp_path / "Wolfram"):
        folder = root / "Documentation" / "English" / "ReferencePages" / "Symbols"
        folder.mkdir(parents=True)
        (folder / "Bake.nb").write_text(text, encoding="ascii")
    monkeypatch.setenv("PADDOCK_PACLET_PATH", str(tmp_path / "mine"))
    monkeypatch.setenv("WOLFRAM_INSTALLATION_DIRECTORY", str(tmp_path / "Wolfram"))
    for corpus in (PacletPages(), InstalledDocumentation()):
        assert [(page.title, page.text) for page in pages(corpus)] == [
            ("Bake", "# Bake\n\nBakes bread.")
        ]


def test_an_invalid_notebook_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine" / "Documentation"
    folder.mkdir(parents=True)
    (folder / "Bad.nb").write_text("no notebook", encoding="ascii")
    monkeypatch.setenv("PADDOCK_PACLET_PATH", str(tmp_path / "mine"))
    database = IndexStore(None)
    update_index(database, [PacletPages()])
    problems = database.fetch_rows("SELECT problem FROM sources")
    assert len(problems) == 1
    assert str(problems[0][0]).startswith("ValueError: ")


def test_words_for_corpora_means_their_names() -> None:
    assert resolve_corpus_names(["python", "folders", "python-stdlib"]) == [
        *("python-stdlib", "python-packages", "folders"),
    ]
    assert resolve_corpus_names(["all"]) == list(CORPORA)
    assert [corpus.name for corpus in load_corpora(CORPORA)] == list(CORPORA)
    with pytest.raises(UnknownCorpusError) as caught:
        resolve_corpus_names(["pythn"])
    assert caught.value.hint == "did you mean python?"
