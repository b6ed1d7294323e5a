"""The corpus of the standard library of the Python that runs Paddock.

Sources are parsed, not imported. Modules are sorted by popularity, so a partial index can answer
most queries. `data/python` contains descriptions written for Paddock, with words that users search
for but docstrings lack.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.corpora.python_source import (
    MAX_SOURCE_BYTES,
    ExportedNames,
    find_exported_names,
    list_aliases,
    read_compiled_modules,
    read_module_pages,
)
from paddock.docsearch.model import CorpusSource, DocPage
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS_NAME = "python-stdlib"
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
DESCRIPTIONS_SOURCE = "our own words"
COMPILED_SOURCE = "compiled modules"
TOPICS_SOURCE = "pydoc_data/topics.py"
POPULAR_MODULES = (
    *("os", "posixpath", "pathlib", "shutil", "subprocess", "json", "re", "datetime"),
    *("collections", "functools", "argparse", "csv", "random", "tempfile", "glob", "logging"),
    *("urllib", "dataclasses", "contextlib", "enum", "typing", "string", "textwrap", "statistics"),
    *("threading", "concurrent", "asyncio", "multiprocessing", "queue", "unittest", "sqlite3"),
    *("zipfile", "tarfile", "gzip", "hashlib", "secrets", "base64", "struct", "pickle", "copy"),
    *("pprint", "traceback", "inspect", "importlib", "decimal", "fractions", "heapq", "bisect"),
    *("configparser", "tomllib", "xml", "html", "http", "socket", "smtplib", "email", "uuid"),
    *("time", "calendar", "zoneinfo", "difflib", "platform", "getpass", "timeit", "pdb", "abc"),
)
EXCLUDED_MODULES = frozenset(
    (
        *("test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip", "site-packages"),
        *("dist-packages", "__pycache__", "distutils", "pydoc_data", "__phello__", "this"),
        "antigravity",
    )
)
PUBLIC_MODULE_NAMES = {
    "posixpath": "os.path",
    "genericpath": "os.path",
    "_collections_abc": "collections.abc",
    "_pydatetime": "datetime",
    "_pydecimal": "decimal",
    "_pyio": "io",
}
"""Public names of modules that implement others."""


class StandardLibrary:
    """The standard library corpus. Each file is a source."""

    name = CORPUS_NAME

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or Path(sysconfig.get_path("stdlib"))

    def list_sources(self) -> list[CorpusSource]:
        """Return the standard library's sources, the most popular first.

        A partial index only contains the first sources. Paddock's descriptions and the compiled
        modules come first, then the modules by popularity, then the `help` topics.
        """
        module_stamp = f"{PYTHON_VERSION} {__version__}"
        modules = [
            CorpusSource(file.relative_to(self._directory).as_posix(), module_stamp)
            for file in self._list_files()
        ]
        modules.sort(key=_rank_popularity)
        if (self._directory / TOPICS_SOURCE).exists():
            modules.append(CorpusSource(TOPICS_SOURCE, f"{sys.version} {__version__}"))
        description_size = sum(
            len(text) for name, texts in load_descriptions().items() for text in (name, *texts)
        )
        return [
            CorpusSource(DESCRIPTIONS_SOURCE, f"{__version__} {description_size}"),
            CorpusSource(COMPILED_SOURCE, f"{sys.version} {__version__}"),
            *modules,
        ]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield a source's pages, with Paddock's own descriptions added to their texts.

        Args:
            key: The source's key: a library file, or the name of a special source.
        """
        for page in self._read_source(key):
            # Pages of private modules would hide the public ones, which re-export their names.
            if "._" in page.title:
                continue
            description = load_descriptions().get(page.title)
            if description is None or key == DESCRIPTIONS_SOURCE:
                yield page
            else:
                yield _add_description(page, *description)

    def _read_source(self, key: str) -> Iterator[DocPage]:
        """Return a source's pages as they are, without Paddock's own descriptions."""
        if key == DESCRIPTIONS_SOURCE:
            return _read_descriptions()
        if key == COMPILED_SOURCE:
            return read_compiled_modules(sys.executable, PYTHON_VERSION)
        file = self._directory / key
        source_code = file.read_bytes()[:MAX_SOURCE_BYTES]
        if key == TOPICS_SOURCE:
            return _read_topics(source_code)
        module = get_module_name(key)
        origin = f"Python {PYTHON_VERSION}, {module}"
        get_public_name = PublicNameResolver(file, self._directory)
        return read_module_pages(source_code, module, origin, get_public_name)

    def _list_files(self) -> Iterator[Path]:
        """Yield the source files of the standard library modules to index.

        Tests and obsolete modules are skipped, as are private top-level modules, unless they
        implement a public one.
        """
        root = str(self._directory)
        for folder, subfolders, names in os.walk(root):
            subfolders[:] = sorted(
                name
                for name in subfolders
                if name not in EXCLUDED_MODULES and not name.startswith("_")
            )
            for name in sorted(names):
                stem, _, suffix = name.rpartition(".")
                is_hidden = (
                    folder == root and stem.startswith("_") and stem not in PUBLIC_MODULE_NAMES
                )
                if suffix == "py" and not is_hidden and stem not in EXCLUDED_MODULES:
                    yield Path(folder, name)


def _rank_popularity(source: CorpusSource) -> int:
    """Return a module's rank in `POPULAR_MODULES`. All other modules share the last rank."""
    top_level_module = source.key.partition("/")[0].removesuffix(".py")
    if top_level_module in POPULAR_MODULES:
        return POPULAR_MODULES.index(top_level_module)
    return len(POPULAR_MODULES)


class PublicNameResolver:
    """Maps the full names of a module's definitions to the names that users import.

    Packages often define names in submodules and export them from `__init__`. For example, users
    import `json.decoder.JSONDecoder` as `json.JSONDecoder`. To find these names, the resolver
    parses the package's `__init__` module without importing it.
    """

    def __init__(self, file: Path, root: Path) -> None:
        """Read the names exported by a module's package.

        Args:
            file: The module's source file.
            root: The directory on the import path that contains the package.
        """
        self._module = get_module_name(file.relative_to(root).as_posix())
        self._exported_names: frozenset[str] = frozenset()
        # Definitions in an `__init__` module, or outside of a package, already have their shortest
        # name.
        if file.name != "__init__.py" and file.parent != root:
            init_module = _load_exported_names(file.parent / "__init__.py")
            self._exported_names = init_module.names
            if file.stem in init_module.star_modules:
                self._exported_names |= _load_exported_names(file).names

    def __call__(self, full_name: str) -> str:
        """Return the name that users import for a definition.

        Args:
            full_name: The dotted name in the module that contains the definition. It is returned
                unchanged if the package does not export it.
        """
        root = full_name.partition(".")[0]
        if root in PUBLIC_MODULE_NAMES:
            return PUBLIC_MODULE_NAMES[root] + full_name[len(root) :]
        inner_name = full_name.removeprefix(f"{self._module}.")
        if inner_name == full_name or inner_name.partition(".")[0] not in self._exported_names:
            return full_name
        package = self._module.rpartition(".")[0]
        return f"{package}.{inner_name}"


@lru_cache(maxsize=64)
def _load_exported_names(file: Path) -> ExportedNames:
    """Return the names exported by a Python file, or no names if the file cannot be read.

    The result is cached, because it is needed for each module in a package.
    """
    try:
        return find_exported_names(file.read_bytes()[:MAX_SOURCE_BYTES])
    except (OSError, SyntaxError, ValueError):
        return ExportedNames()


def get_module_name(path: str) -> str:
    """Return the dotted module name for a path relative to the import root."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _read_topics(source_code: bytes) -> Iterator[DocPage]:
    """Yield the pages of Python's `help` on topics such as `with` and `lambda`.

    Args:
        source_code: A standard library module that assigns the topics to a dictionary.
    """
    for statement in ast.parse(source_code).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            for topic, text in ast.literal_eval(statement.value).items():
                yield DocPage(
                    f"{topic} (language)", f"Python {PYTHON_VERSION}, help", text, (topic,)
                )


def _add_description(page: DocPage, summary: str, words: str) -> DocPage:
    text = f"{page.text}\n\nIn other words: {summary} ({words})."
    return DocPage(page.title, page.origin, text, page.names, f"{summary}. {words}")


@lru_cache(maxsize=1)
def load_descriptions() -> dict[str, tuple[str, str]]:
    """Return Paddock's own descriptions of standard library names such as `os.path.join`.

    Each description is a pair of a summary and additional search terms.
    """
    descriptions = {}
    data_directory = files("paddock.docsearch") / "data" / "python"
    for file in data_directory.iterdir():
        for line in file.read_text("utf-8").splitlines():
            name, summary, *keywords = line.split(" — ")
            descriptions[name] = (summary, "".join(keywords))
    return descriptions


def _read_descriptions() -> Iterator[DocPage]:
    for name, (summary, words) in load_descriptions().items():
        text, keywords = f"`{name}`\n\n{summary}.", f"{summary}. {words}"
        names = list_aliases(name, name)
        yield DocPage(name, f"Python {PYTHON_VERSION}", text, names, keywords)
