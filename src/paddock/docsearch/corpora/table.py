"""Which corpora there are, and what people call them together."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.docsearch.page import Corpus

_CORPORA_PACKAGE = "paddock.docsearch.corpora."
CORPORA = {
    "wolfram-symbols": ("symbol_descriptions:SymbolDescriptions", "our words on symbols"),
    "wolfram-documentation": (
        "notebook_pages:InstalledDocumentation",
        "the documentation of the Wolfram installation on this machine",
    ),
    "mathics": ("mathics_docstrings:MathicsDocstrings", "docstrings of the installed Mathics3"),
    "paclets": ("notebook_pages:PacletPages", "pages and notebooks of paclets"),
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
