"""Our own descriptions of the commonest symbols of the Wolfram Language.

They are in `data/wolfram`, one symbol on a line: how it is called, what it does, and what else
people call it, with dashes between. `operators.txt` says which sign stands for which symbol.

What Mathics3 says about the symbols that it knows, read from the user's own installation.

Its licence is the GPL, so nothing of it is part of this distribution; its sources are parsed where
they are, and not imported.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.registry import read_source_file, stamp_files
from paddock.docsearch.model import CorpusSource, DocPage
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
        names = sorted(
            file.name
            for file in _get_descriptions_directory().iterdir()
            if file.name != OPERATORS_FILE
        )
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


MATHICS_CORPUS = "mathics"
_TAG_PATTERN = re.compile(r"</?(?:dl|dt|dd|ul|li|em|b|i|url|console|con|subsection|section)[^>]*>")
_SYMBOL_NAME_PATTERN = re.compile(r"\$?[A-Z][A-Za-z0-9$]*\Z")


class MathicsDocstrings:
    """The corpus of Mathics; each of its files is a source."""

    name = MATHICS_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """Its files of built-in symbols; none when it is not installed."""
        spec = find_spec("mathics")
        if spec is None or spec.origin is None:
            return []
        return stamp_files(sorted((Path(spec.origin).parent / "builtin").rglob("*.py")))

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """A page for each symbol that a file defines."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(read_source_file(key))
        for statement in tree.body:
            if not isinstance(statement, ast.ClassDef):
                continue
            docstring = ast.get_docstring(statement, clean=False)
            if docstring:
                constants = _read_string_constants(statement)
                name = constants.get("name", statement.name)
                if _SYMBOL_NAME_PATTERN.match(name):
                    summary = constants.get("summary_text", "")
                    text = _convert_to_markdown(inspect.cleandoc(docstring))
                    yield DocPage(
                        name, "Mathics3", f"{summary}\n\n{text}".strip(), (name,), summary
                    )


def _read_string_constants(statement: ast.ClassDef) -> dict[str, str]:
    """The strings that a class gives names."""
    found = {}
    for one in statement.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            for target in one.targets:
                if isinstance(target, ast.Name) and isinstance(one.value.value, str):
                    found[target.id] = one.value.value
    return found


def _convert_to_markdown(docstring: str) -> str:
    text = re.sub(r"<dt>", "\n- ", docstring)
    text = re.sub(r"<dd>", ": ", text)
    text = _TAG_PATTERN.sub("", text).replace("'", "`")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
