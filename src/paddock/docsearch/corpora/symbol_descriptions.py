"""Our own descriptions of the commonest symbols of the Wolfram Language.

They are in `data/wolfram`, one symbol on a line: how it is called, what it does, and what else
people call it, with dashes between. `operators.txt` says which sign stands for which symbol.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.page import DocPage, CorpusSource
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

SYMBOLS_CORPUS = "wolfram-symbols"
OPERATORS_FILE = "operators.txt"
REFERENCE_URL = "https://reference.wolfram.com/language/ref/"
_SYMBOL_PATTERN = re.compile(r"\$?[A-Za-z][A-Za-z0-9$]*")


class SymbolDescription(NamedTuple):
    """What we say about one symbol."""

    name: str
    usage: str
    summary: str
    keywords: str


class SymbolDescriptions:
    """The corpus of our own descriptions; each file of them is a source."""

    name = SYMBOLS_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """The files, which change with a release only."""
        size = sum(len(file.read_bytes()) for file in _get_descriptions_directory().iterdir())
        names = sorted(file.name for file in _get_descriptions_directory().iterdir() if file.name != OPERATORS_FILE)
        return [CorpusSource(name, f"{__version__} {size}") for name in names]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """A page for each symbol of a file."""
        signs = load_operators()
        for found in read_descriptions(_get_descriptions_directory() / key):
            names = (found.name, *signs.get(found.name, ()))
            text = f"{found.usage}\n\n{found.summary}"
            if len(names) > 1:
                text += f" Written also as {' or '.join(f'`{sign}`' for sign in names[1:])}."
            if found.keywords:
                text += f"\n\nRelated words: {found.keywords}."
            yield DocPage(found.name, REFERENCE_URL + found.name, text, names, found.keywords)


def _get_descriptions_directory() -> Traversable:
    return files("paddock.docsearch") / "data" / "wolfram"


def read_descriptions(file: Traversable) -> list[SymbolDescription]:
    """The lines of one file."""
    found = []
    for line in file.read_text("utf-8").splitlines():
        if not line.strip():
            continue
        usage, summary, *words = line.split(" — ")
        name = _SYMBOL_PATTERN.match(usage)
        if name is None:
            raise ValueError(f"{line!r} begins with no symbol")
        found.append(SymbolDescription(name[0], usage, summary + ".", words[0] if words else ""))
    return found


@lru_cache(maxsize=1)
def load_operators() -> dict[str, tuple[str, ...]]:
    """The signs that stand for symbols."""
    found: dict[str, tuple[str, ...]] = {}
    for line in (_get_descriptions_directory() / OPERATORS_FILE).read_text("utf-8").splitlines():
        name, *signs = line.split()
        found[name] = tuple(signs)
    return found
