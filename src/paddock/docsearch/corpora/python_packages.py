"""The corpus of installed Python packages.

The packages are those of the user's virtual environment, or those beside Paddock. Metadata and
sources are read; nothing is imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from paddock.docsearch.corpora.python_source import MAX_SOURCE_BYTES, read_module_pages
from paddock.docsearch.corpora.standard_library import PublicNameResolver, get_module_name
from paddock.docsearch.model import CorpusSource, DocPage
from paddock.files import read_regular_file
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS_NAME = "python-packages"
MAX_PACKAGE_FILES = 1_500  # The remaining files of a larger package are not indexed.
_EXCLUDED_FOLDERS = frozenset(
    ("test", "tests", "testing", "_vendor", "vendor", "benchmarks", "examples")
)


class PythonPackages:
    """The corpus of installed packages. Each distribution is a source."""

    name = CORPUS_NAME

    def __init__(self, path: list[str] | None = None) -> None:
        self._search_path = find_package_search_path() if path is None else path

    def list_sources(self) -> list[CorpusSource]:
        """Return the distributions, sorted by name.

        The first distribution of a name on the search path counts, as it does for imports.
        """
        by_name: dict[str, tuple[str, str]] = {}
        for distribution in distributions(path=self._search_path):
            if distribution.name and distribution.version:
                location = distribution.locate_file("")
                by_name.setdefault(
                    distribution.name.lower(),
                    (distribution.name, f"{distribution.version} {location}"),
                )
        return [
            CorpusSource(name, f"{__version__} {stamp}")
            for _, (name, stamp) in sorted(by_name.items())
        ]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a page for a distribution's description, and pages for its definitions."""
        for distribution in distributions(name=key, path=self._search_path):
            yield from _read_distribution(distribution)
            return


def find_package_search_path() -> list[str]:
    """Return the import path of the active environment, else that of this interpreter."""
    active = os.environ.get("VIRTUAL_ENV")
    if active and Path(active) != Path(sys.prefix):
        candidates = [
            *Path(active).glob("lib/python*/site-packages"),
            Path(active, "Lib/site-packages"),
        ]
        existing = [str(directory) for directory in candidates if directory.is_dir()]
        if existing:
            return existing
    return [directory for directory in sys.path if directory]


def _read_distribution(distribution: Distribution) -> Iterator[DocPage]:
    """Yield a page for a distribution's description, and pages for its public definitions.

    Private packages, tests and vendored packages are skipped, because users do not import them.
    """
    origin = f"{distribution.name} {distribution.version}"
    summary = distribution.metadata["Summary"] or ""
    description = distribution.metadata.json.get("description") or ""
    yield DocPage(
        distribution.name,
        origin,
        f"{summary}\n\n{description}".strip(),
        (distribution.name,),
        summary,
    )
    files = [file for file in distribution.files or () if file.suffix == ".py"]
    for file in files[:MAX_PACKAGE_FILES]:
        if not _is_public_module(file):
            continue
        path = Path(str(file.locate()))
        # Other files of the package may be readable.
        with suppress(OSError, ValueError, SyntaxError, RecursionError):
            source = read_regular_file(path, MAX_SOURCE_BYTES)
            resolver = PublicNameResolver(path, Path(str(distribution.locate_file(""))))
            for page in read_module_pages(
                source, get_module_name(file.as_posix()), origin, resolver
            ):
                if "._" not in page.title:
                    yield page


def _is_public_module(file: PurePath) -> bool:
    """Return whether users may import from a file of a distribution, such as `json/decoder.py`."""
    folders = file.parts[:-1]
    is_private = any(folder.startswith("_") for folder in folders)
    return not (is_private or ".." in folders or _EXCLUDED_FOLDERS.intersection(file.parts))
