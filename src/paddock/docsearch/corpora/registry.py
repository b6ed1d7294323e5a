"""The corpus registry, and helpers for corpora whose sources are files."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.model import CorpusSource
from paddock.errors import PaddockError
from paddock.files import read_regular_file
from paddock.suggestions import did_you_mean
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.docsearch.model import Corpus


MAX_FILE_BYTES = 20_000_000
MAX_DIRECTORY_FILES = 50_000
EXCLUDED_DIRECTORIES = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
"""Directories of third-party files, which are skipped like hidden directories."""
_CORPORA_PACKAGE = "paddock.docsearch.corpora."


class CorpusEntry(NamedTuple):
    """A row in the registry."""

    reference: str
    """The class, as `module:class` in this package, which is imported when the corpus is used."""
    description: str


CORPORA = {
    "wolfram-symbols": CorpusEntry(
        "wolfram_symbols:SymbolDescriptions", "Paddock's descriptions of common symbols"
    ),
    "wolfram-documentation": CorpusEntry(
        "wolfram_notebooks:InstalledDocumentation",
        "the documentation of the Wolfram installation on this machine",
    ),
    "mathics": CorpusEntry(
        "wolfram_symbols:MathicsDocstrings", "docstrings of the installed Mathics3"
    ),
    "paclets": CorpusEntry(
        "wolfram_notebooks:PacletPages", "reference pages and notebooks of paclets"
    ),
    "python-stdlib": CorpusEntry("standard_library:StandardLibrary", "Python's standard library"),
    "python-packages": CorpusEntry("python_packages:PythonPackages", "installed Python packages"),
    "folders": CorpusEntry("markdown_folders:MarkdownFolders", "your Markdown folders"),
}
"""The corpora by name."""
WOLFRAM_CORPORA = ("wolfram-symbols", "wolfram-documentation", "mathics", "paclets")
PYTHON_CORPORA = ("python-stdlib", "python-packages")
CORPUS_GROUPS = {"wolfram": WOLFRAM_CORPORA, "python": PYTHON_CORPORA, "all": tuple(CORPORA)}
INDEX_ON_FIRST_QUERY = ("wolfram-symbols",)
"""Corpora that the first query indexes completely, which takes a fraction of a second."""
INDEX_PARTLY_ON_FIRST_QUERY = ("python-stdlib",)
"""Corpora whose most popular part is indexed by the first query."""


def read_source_file(key: str) -> bytes:
    """Return the content of a source file.

    Raises:
        OSError: The file cannot be read, is not a regular file, or is too large.
    """
    return read_regular_file(Path(key), MAX_FILE_BYTES)


def stamp_files(files: Iterable[Path]) -> list[CorpusSource]:
    """Return a corpus source for each file that still exists.

    A source's stamp changes when the source must be indexed again. It consists of the file's time
    and size and Paddock's version, because another version may read different pages from the file.
    """
    sources = []
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        stamp = f"{__version__} {status.st_mtime_ns} {status.st_size}"
        sources.append(CorpusSource(str(file), stamp))
    return sources


def walk_files(directory: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """Yield the files with the given suffixes below a directory, sorted by name.

    Links to directories are not followed. Hidden directories and directories of third-party files
    are skipped. At most `MAX_DIRECTORY_FILES` files are yielded.
    """
    count = 0
    for folder, subfolders, names in os.walk(directory):
        subfolders[:] = sorted(
            name
            for name in subfolders
            if name not in EXCLUDED_DIRECTORIES and not name.startswith(".")
        )
        for name in sorted(names):
            # os.path is faster than pathlib for many names.
            if os.path.splitext(name)[1].lower() in suffixes:  # noqa: PTH122 - see above
                count += 1
                if count > MAX_DIRECTORY_FILES:
                    return
                yield Path(folder, name)


class UnknownCorpusError(PaddockError):
    """The corpus does not exist."""

    code = "unknown-corpus"


def resolve_corpus_names(words: Iterable[str]) -> list[str]:
    """Return the names of the corpora selected by the user's words, without duplicates.

    A word is the name of a corpus or of a group: `wolfram`, `python` or `all`.

    Raises:
        UnknownCorpusError: A corpus or group does not exist.
    """
    names: list[str] = []
    for word in words:
        if word not in CORPUS_GROUPS and word not in CORPORA:
            known = [*CORPUS_GROUPS, *CORPORA]
            raise UnknownCorpusError(
                f"unknown corpus {word!r}",
                hint=did_you_mean(word, known) or f"expected one of {', '.join(known)}",
            )
        names += CORPUS_GROUPS.get(word, (word,))
    return list(dict.fromkeys(names))


def load_corpora(names: Iterable[str]) -> list[Corpus]:
    """Import and create the search corpora with the given names.

    A corpus's module is only imported here, when the corpus is used.
    """
    corpora: list[Corpus] = []
    for name in names:
        module_name, _, class_name = CORPORA[name].reference.partition(":")
        corpus_class = getattr(import_module(_CORPORA_PACKAGE + module_name), class_name)
        corpora.append(corpus_class())
    return corpora
