"""What Mathics3 says about the symbols that it knows, read from the user's own installation.

Its licence is the GPL, so nothing of it is part of this distribution; its sources are parsed where
they are, and not imported.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.corpora.files import read_source_file, stamp_files
from paddock.docsearch.page import DocPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.docsearch.page import CorpusSource

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
                    yield DocPage(name, "Mathics3", f"{summary}\n\n{text}".strip(), (name,), summary)


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
