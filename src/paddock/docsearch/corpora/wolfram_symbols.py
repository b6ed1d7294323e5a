"""Corpora of Wolfram Language symbols: Paddock's own descriptions, and Mathics3 docstrings.

Each line in `data/wolfram` describes a symbol: usage, summary and search terms, separated by
dashes. `operators.txt` lists operators by symbol. Mathics3 is licensed under the GPL, so no part of
it is included in Paddock: the sources in the user's installation are parsed in place.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.python_source import parse_source
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
MATHICS_CORPUS = "mathics"
_TAG_PATTERN = re.compile(r"</?(?:dl|dt|dd|ul|li|em|b|i|url|console|con|subsection|section)[^>]*>")
_SYMBOL_NAME_PATTERN = re.compile(r"\$?[A-Z][A-Za-z0-9$]*\Z")


class SymbolDescription(NamedTuple):
    """Paddock's description of a symbol."""

    name: str
    usage: str
    summary: str
    keywords: str


class SymbolDescriptions:
    """The search corpus of Paddock's descriptions of Wolfram Language symbols.

    Each description file is a source.
    """

    name = SYMBOLS_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """Return the description files, which only change with a release of Paddock.

        Each file's stamp consists of Paddock's version and the total size of the files.
        """
        data_files = list(_get_descriptions_directory().iterdir())
        total_size = sum(len(file.read_bytes()) for file in data_files)
        names = {file.name for file in data_files} - {OPERATORS_FILE}
        return [CorpusSource(name, f"{__version__} {total_size}") for name in sorted(names)]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a page for each symbol described in a file.

        Operators are added to the names, so that a query for `/@` finds `Map`.

        Args:
            key: The name of the file.
        """
        operators_by_symbol = load_operators()
        for description in read_descriptions(_get_descriptions_directory() / key):
            operators = operators_by_symbol.get(description.name, ())
            text = f"{description.usage}\n\n{description.summary}"
            if operators:
                text += f" Also written as {' or '.join(f'`{name}`' for name in operators)}."
            if description.keywords:
                text += f"\n\nRelated words: {description.keywords}."
            url = REFERENCE_URL + description.name
            names = (description.name, *operators)
            yield DocPage(description.name, url, text, names, description.keywords)


def _get_descriptions_directory() -> Traversable:
    return files("paddock.docsearch") / "data" / "wolfram"


def read_descriptions(file: Traversable) -> list[SymbolDescription]:
    """Parse a file that describes Wolfram Language symbols.

    Each line has the form `Map[f, list] — applies f to each element — keywords`. The keywords are
    optional.

    Raises:
        ValueError: A line has a different form.
    """
    descriptions = []
    for line in file.read_text("utf-8").splitlines():
        if not line.strip():
            continue
        usage, summary, *keywords = line.split(" — ")
        symbol = _SYMBOL_PATTERN.match(usage)
        if symbol is None:
            raise ValueError(f"{line!r} does not begin with a symbol")
        descriptions.append(SymbolDescription(symbol[0], usage, f"{summary}.", "".join(keywords)))
    return descriptions


@lru_cache(maxsize=1)
def load_operators() -> dict[str, tuple[str, ...]]:
    """Return each symbol's operators, by symbol name."""
    operators_by_name: dict[str, tuple[str, ...]] = {}
    for line in (_get_descriptions_directory() / OPERATORS_FILE).read_text("utf-8").splitlines():
        name, *operators = line.split()
        operators_by_name[name] = tuple(operators)
    return operators_by_name


class MathicsDocstrings:
    """The search corpus of Mathics3, an open-source implementation of the Wolfram Language.

    Each file that defines built-in symbols is a source of the corpus.
    """

    name = MATHICS_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """Return the files that define built-in symbols, or none if Mathics3 is not installed."""
        spec = find_spec("mathics")
        if spec is None or spec.origin is None:
            return []
        return stamp_files(sorted((Path(spec.origin).parent / "builtin").rglob("*.py")))

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a page for each symbol defined in a Mathics3 source file.

        In Mathics3, each symbol is a Python class whose docstring is the documentation. The class
        attributes `name` and `summary_text` contain the symbol's name, if it differs from the class
        name, and a summary.

        Args:
            key: The path to the source file.
        """
        for statement in parse_source(read_source_file(key)).body:
            docstring = isinstance(statement, ast.ClassDef) and ast.get_docstring(statement)
            if not isinstance(statement, ast.ClassDef) or not docstring:
                continue
            constants = _read_string_constants(statement)
            name = constants.get("name", statement.name)
            if _SYMBOL_NAME_PATTERN.match(name):
                summary = constants.get("summary_text", "")
                text = f"{summary}\n\n{_convert_to_markdown(docstring)}".strip()
                yield DocPage(name, "Mathics3", text, (name,), summary)


def _read_string_constants(statement: ast.ClassDef) -> dict[str, str]:
    """Return the string constants assigned in a class body, by attribute name."""
    constants = {}
    for assignment in statement.body:
        if isinstance(assignment, ast.Assign) and isinstance(assignment.value, ast.Constant):
            for target in assignment.targets:
                if isinstance(target, ast.Name) and isinstance(assignment.value.value, str):
                    constants[target.id] = assignment.value.value
    return constants


def _convert_to_markdown(docstring: str) -> str:
    """Convert a Mathics3 docstring's markup to Markdown."""
    text = re.sub(r"<dt>", "\n- ", docstring)
    text = re.sub(r"<dd>", ": ", text)
    text = _TAG_PATTERN.sub("", text).replace("'", "`")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
