"""The packages that are installed beside Paddock, or in the virtual environment of the user.

Metadata and sources are read; nothing is imported and nothing is run.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.corpora.python_source import MAX_SOURCE_BYTES, read_module_pages
from paddock.docsearch.corpora.standard_library import PublicNameResolver, get_module_name
from paddock.docsearch.model import CorpusSource, DocPage
from paddock.files import read_regular_file
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS_NAME = "python-packages"
MAX_PACKAGE_FILES = 1_500
"""Of one package; what comes after is left out."""
_EXCLUDED_FOLDERS = frozenset(
    ("test", "tests", "testing", "_vendor", "vendor", "benchmarks", "examples")
)


class PythonPackages:
    """The corpus of installed packages; each distribution is a source."""

    name = CORPUS_NAME

    def __init__(self, path: list[str] | None = None) -> None:
        self._search_path = find_package_search_path() if path is None else path

    def list_sources(self) -> list[CorpusSource]:
        """The distributions, in the order of their names."""
        found: dict[str, tuple[str, str]] = {}
        for one in distributions(path=self._search_path):
            if one.name and one.version:
                place = one.locate_file("")
                found.setdefault(one.name.lower(), (one.name, f"{one.version} {place}"))
        return [
            CorpusSource(name, f"{__version__} {stamp}")
            for _, (name, stamp) in sorted(found.items())
        ]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """What a distribution says of itself, and a page for what it defines."""
        for one in distributions(name=key, path=self._search_path):
            yield from _read_distribution(one)
            return


def find_package_search_path() -> list[str]:
    """Where packages are looked for: in the active environment, else where this Python looks."""
    active = os.environ.get("VIRTUAL_ENV")
    if active and Path(active) != Path(sys.prefix):
        found = [*Path(active).glob("lib/python*/site-packages"), Path(active, "Lib/site-packages")]
        existing = [str(place) for place in found if place.is_dir()]
        if existing:
            return existing
    return [place for place in sys.path if place]


def _read_distribution(one: Distribution) -> Iterator[DocPage]:
    origin = f"{one.name} {one.version}"
    summary = one.metadata["Summary"] or ""
    description = one.metadata.json.get("description") or ""
    yield DocPage(one.name, origin, f"{summary}\n\n{description}".strip(), (one.name,), summary)
    files = [file for file in one.files or () if file.suffix == ".py"]
    for file in files[:MAX_PACKAGE_FILES]:
        parts = file.parts
        is_hidden = any(p.startswith("_") and p != "__init__.py" for p in parts[:-1])
        if is_hidden or _EXCLUDED_FOLDERS.intersection(parts) or ".." in parts:
            continue
        place = Path(str(file.locate()))
        try:
            source = read_regular_file(place, MAX_SOURCE_BYTES)
            public = PublicNameResolver(place, Path(str(one.locate_file(""))))
            module = get_module_name(file.as_posix())
            for page in read_module_pages(source, module, origin, public):
                if "._" not in page.title:
                    yield page
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue  # one file that cannot be read says nothing about the others
