"""The corpus of installed Python packages.

The packages are those in the user's virtual environment, or those installed next to Paddock.
Metadata and sources are read; nothing is imported.
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
    """The search corpus of installed Python packages. Each distribution is a source."""

    name = CORPUS_NAME

    def __init__(self, path: list[str] | None = None) -> None:
        self._search_path = find_package_search_path() if path is None else path

    def list_sources(self) -> list[CorpusSource]:
        """Return the installed distributions, sorted by name.

        If multiple distributions have the same name, the first one on the search path is returned,
        because imports use it too.
        """
        sources_by_name: dict[str, CorpusSource] = {}
        for distribution in distributions(path=self._search_path):
            if distribution.name and distribution.version:
                location = distribution.locate_file("")
                stamp = f"{__version__} {distribution.version} {location}"
                sources_by_name.setdefault(
                    distribution.name.lower(), CorpusSource(distribution.name, stamp)
                )
        return [source for _, source in sorted(sources_by_name.items())]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a page for a distribution's description, and pages for its definitions.

        Args:
            key: The name of the distribution.
        """
        for distribution in distributions(name=key, path=self._search_path):
            yield from _read_distribution(distribution)
            return


def find_package_search_path() -> list[str]:
    """Return the directories to search for installed packages.

    They are those of the active virtual environment, or else this interpreter's import path.
    """
    environment = os.environ.get("VIRTUAL_ENV")
    if environment and Path(environment) != Path(sys.prefix):
        candidates = [
            *Path(environment).glob("lib/python*/site-packages"),
            Path(environment, "Lib/site-packages"),  # on Windows
        ]
        site_packages = [str(directory) for directory in candidates if directory.is_dir()]
        if site_packages:
            return site_packages
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
        # Other files in the package may be readable.
        with suppress(OSError, ValueError, SyntaxError, RecursionError):
            source = read_regular_file(path, MAX_SOURCE_BYTES)
            module = get_module_name(file.as_posix())
            get_public_name = PublicNameResolver(path, Path(str(distribution.locate_file(""))))
            for page in read_module_pages(source, module, origin, get_public_name):
                is_private = "._" in page.title
                if not is_private:
                    yield page


def _is_public_module(file: PurePath) -> bool:
    """Return whether users may import from a distribution's file, such as `json/decoder.py`."""
    folders = file.parts[:-1]
    is_private = any(folder.startswith("_") for folder in folders)
    return not (is_private or ".." in folders or _EXCLUDED_FOLDERS.intersection(file.parts))
