"""Files as sources: which there are below a directory, and when they have changed.

Which corpora there are, and what people call them together.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.model import CorpusSource
from paddock.errors import PaddockError
from paddock.files import read_regular_file
from paddock.suggestions import did_you_mean
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.docsearch.model import Corpus


MAX_FILE_BYTES = 20_000_000
"""Of one file."""
MAX_DIRECTORY_FILES = 50_000
"""Below one directory."""
EXCLUDED_DIRECTORIES = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
"""Directories that hold what is not their owner's own; hidden ones are left out too."""


def read_source_file(key: str) -> bytes:
    """The content of the file that a source is.

    Raises:
        OSError: when it cannot be read, is no ordinary file or too large.
    """
    return read_regular_file(Path(key), MAX_FILE_BYTES)


def stamp_files(files: Iterable[Path]) -> list[CorpusSource]:
    """Sources of files; those that are gone are left out."""
    found = []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        stamp = f"{__version__} {state.st_mtime_ns} {state.st_size}"
        found.append(CorpusSource(str(file), stamp))
    return found


def walk_files(directory: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """The files of some kinds below a directory, in order, without following links."""
    count = 0
    for place, directories, names in os.walk(directory):
        directories[:] = sorted(
            name
            for name in directories
            if name not in EXCLUDED_DIRECTORIES and not name.startswith(".")
        )
        for name in sorted(names):
            if os.path.splitext(name)[1].lower() in suffixes:  # noqa: PTH122 - many names
                count += 1
                if count > MAX_DIRECTORY_FILES:
                    return
                yield Path(place, name)


_CORPORA_PACKAGE = "paddock.docsearch.corpora."
CORPORA = {
    "wolfram-symbols": ("wolfram_symbols:SymbolDescriptions", "our words on symbols"),
    "wolfram-documentation": (
        "wolfram_notebooks:InstalledDocumentation",
        "the documentation of the Wolfram installation on this machine",
    ),
    "mathics": ("wolfram_symbols:MathicsDocstrings", "docstrings of the installed Mathics3"),
    "paclets": ("wolfram_notebooks:PacletPages", "pages and notebooks of paclets"),
    "python-stdlib": ("standard_library:StandardLibrary", "Python's standard library"),
    "python-packages": ("python_packages:PythonPackages", "installed Python packages"),
    "folders": ("markdown_folders:MarkdownFolders", "your folders of Markdown"),
}
"""Each with the class that reads it, and what it is for people."""
WOLFRAM_CORPORA = ("wolfram-symbols", "wolfram-documentation", "mathics", "paclets")
PYTHON_CORPORA = ("python-stdlib", "python-packages")
CORPUS_GROUPS = {"wolfram": WOLFRAM_CORPORA, "python": PYTHON_CORPORA, "all": tuple(CORPORA)}
INDEX_ON_FIRST_QUERY = ("wolfram-symbols",)
"""Indexed with the first question, whole: it takes a fraction of a second."""
INDEX_PARTLY_ON_FIRST_QUERY = ("python-stdlib",)
"""Begun with the first question, with what is asked for most; the rest goes on elsewhere."""


class UnknownCorpusError(PaddockError):
    """There is no corpus of that name."""

    code = "unknown-corpus"


def resolve_corpus_names(words: Iterable[str]) -> list[str]:
    """The names of corpora that words stand for: their names, or `wolfram`, `python`, `all`.

    Raises:
        UnknownCorpusError: when a word stands for none.
    """
    found: list[str] = []
    for word in words:
        if word not in CORPUS_GROUPS and word not in CORPORA:
            known = [*CORPUS_GROUPS, *CORPORA]
            raise UnknownCorpusError(
                f"There is no corpus {word!r}",
                hint=did_you_mean(word, known) or f"one of {', '.join(known)}",
            )
        found += CORPUS_GROUPS.get(word, (word,))
    return list(dict.fromkeys(found))


def load_corpora(names: Iterable[str]) -> list[Corpus]:
    """The corpora of these names; each is loaded when it is first wanted."""
    found: list[Corpus] = []
    for name in names:
        module, _, kind = CORPORA[name][0].partition(":")
        found.append(getattr(import_module(_CORPORA_PACKAGE + module), kind)())
    return found
