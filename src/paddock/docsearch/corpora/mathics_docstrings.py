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

from paddock.docsearch.corpora.files import read_bytes, stamped
from paddock.docsearch.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.docsearch.page import Source

NAME = "mathics"
_TAG = re.compile(r"</?(?:dl|dt|dd|ul|li|em|b|i|url|console|con|subsection|section)[^>]*>")
_NAME = re.compile(r"\$?[A-Z][A-Za-z0-9$]*\Z")


class MathicsDocstrings:
    """The corpus of Mathics; each of its files is a source."""

    name = NAME

    def sources(self) -> list[Source]:
        """Its files of built-in symbols; none when it is not installed."""
        spec = find_spec("mathics")
        if spec is None or spec.origin is None:
            return []
        return stamped(sorted((Path(spec.origin).parent / "builtin").rglob("*.py")))

    def pages(self, key: str) -> Iterator[Page]:
        """A page for each symbol that a file defines."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(read_bytes(key))
        for statement in tree.body:
            if not isinstance(statement, ast.ClassDef):
                continue
            docstring = ast.get_docstring(statement, clean=False)
            if docstring:
                constants = _constants(statement)
                name = constants.get("name", statement.name)
                if _NAME.match(name):
                    summary = constants.get("summary_text", "")
                    text = _markdown(inspect.cleandoc(docstring))
                    yield Page(name, "Mathics3", f"{summary}\n\n{text}".strip(), (name,), summary)


def _constants(statement: ast.ClassDef) -> dict[str, str]:
    """The strings that a class gives names."""
    found = {}
    for one in statement.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            for target in one.targets:
                if isinstance(target, ast.Name) and isinstance(one.value.value, str):
                    found[target.id] = one.value.value
    return found


def _markdown(docstring: str) -> str:
    text = re.sub(r"<dt>", "\n- ", docstring)
    text = re.sub(r"<dd>", ": ", text)
    text = _TAG.sub("", text).replace("'", "`")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
