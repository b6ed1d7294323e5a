"""The standard library of the Python that runs Paddock: what its docstrings say, and our words.

Sources are parsed, not imported; compiled parts are asked for in a process of their own. Modules
are in the order in which people look for them, so that an index that has just been begun answers
most questions already. What people call a function, and its docstring does not, is in
`data/python`, in our own words.
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
    find_exported_names,
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
"""Modules that people know by another name."""


class StandardLibrary:
    """The corpus of the standard library; each file of it is a source."""

    name = CORPUS_NAME

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or Path(sysconfig.get_path("stdlib"))

    def list_sources(self) -> list[CorpusSource]:
        """Its modules, the commonest first."""
        found = [
            CorpusSource(
                str(file.relative_to(self._directory).as_posix()), f"{PYTHON_VERSION} {__version__}"
            )
            for file in self._list_files()
        ]
        places = {name: place for place, name in enumerate(POPULAR_MODULES)}
        last = len(POPULAR_MODULES)
        found.sort(key=lambda s: places.get(s.key.partition("/")[0].removesuffix(".py"), last))
        stamp = f"{sys.version} {__version__}"
        own = sum(len(text) for row in load_descriptions().items() for text in (row[0], *row[1]))
        extra = [
            CorpusSource(DESCRIPTIONS_SOURCE, f"{__version__} {own}"),
            CorpusSource(COMPILED_SOURCE, stamp),
        ]
        if (self._directory / TOPICS_SOURCE).exists():
            found.append(CorpusSource(TOPICS_SOURCE, stamp))
        return [*extra, *found]

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """The pages of one module, with our words."""
        for page in self._read_source(key):
            if "._" in page.title:
                continue
            ours = None if key == DESCRIPTIONS_SOURCE else load_descriptions().get(page.title)
            yield page if ours is None else _add_description(page, *ours)

    def _read_source(self, key: str) -> Iterator[DocPage]:
        if key == DESCRIPTIONS_SOURCE:
            yield from _read_descriptions()
            return
        if key == COMPILED_SOURCE:
            yield from read_compiled_modules(sys.executable, PYTHON_VERSION)
            return
        file = self._directory / key
        data = file.read_bytes()[:MAX_SOURCE_BYTES]
        if key == TOPICS_SOURCE:
            yield from _read_topics(data)
            return
        module = get_module_name(key)
        yield from read_module_pages(
            data, module, f"Python {PYTHON_VERSION}, {module}", self._create_name_resolver(file)
        )

    def _list_files(self) -> Iterator[Path]:
        root = str(self._directory)
        for place, directories, names in os.walk(root):
            directories[:] = sorted(
                name
                for name in directories
                if name not in EXCLUDED_MODULES and not name.startswith("_")
            )
            for name in sorted(names):
                stem, _, suffix = name.rpartition(".")
                is_hidden = (
                    place == root and stem.startswith("_") and stem not in PUBLIC_MODULE_NAMES
                )
                if suffix == "py" and not is_hidden and stem not in EXCLUDED_MODULES:
                    yield Path(place, name)

    def _create_name_resolver(self, file: Path) -> PublicNameResolver:
        return PublicNameResolver(file, self._directory)


class PublicNameResolver:
    """Gives the names under which people know what a module defines."""

    def __init__(self, file: Path, root: Path) -> None:
        self._aliases: dict[str, str] = {}
        package = file.parent
        module = get_module_name(file.relative_to(root).as_posix())
        parent = module.rpartition(".")[0]
        if file.name == "__init__.py" or package == root:
            return
        init = package / "__init__.py"
        names, whole = _load_exported_names(init) if init.exists() else (frozenset(), frozenset())
        self._module, self._parent_package = module, parent
        self._exported_names = names
        self._exports_all = file.stem in whole
        if self._exports_all:
            self._exported_names = names | _load_exported_names(file)[0]

    def __call__(self, full: str) -> str:
        """The public name of a dotted name."""
        root = full.partition(".")[0]
        if root in PUBLIC_MODULE_NAMES:
            return PUBLIC_MODULE_NAMES[root] + full[len(root) :]
        module = getattr(self, "_module", None)
        if module is None or not full.startswith(f"{module}."):
            return full
        inner = full[len(module) + 1 :]
        if inner.partition(".")[0] in self._exported_names:
            return f"{self._parent_package}.{inner}"
        return full


@lru_cache(maxsize=64)
def _load_exported_names(file: Path) -> tuple[frozenset[str], frozenset[str]]:
    try:
        return find_exported_names(file.read_bytes()[:MAX_SOURCE_BYTES])
    except (OSError, SyntaxError, ValueError):
        return frozenset(), frozenset()


def get_module_name(path: str) -> str:
    """The dotted name of a source file, by its path from where imports begin."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _read_topics(data: bytes) -> Iterator[DocPage]:
    """The pages that `help` shows about the language, such as `with` and `lambda`."""
    for statement in ast.parse(data).body:
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
    """What we say about names of the standard library: a description, and other words for it."""
    found = {}
    data = files("paddock.docsearch") / "data" / "python"
    for file in data.iterdir():
        for line in file.read_text("utf-8").splitlines():
            name, summary, *words = line.split(" — ")
            found[name] = (summary, words[0] if words else "")
    return found


def _read_descriptions() -> Iterator[DocPage]:
    for name, (summary, words) in load_descriptions().items():
        parts = name.split(".")
        tails = [".".join(parts[-count:]) for count in (2, 1) if count < len(parts)]
        text = f"`{name}`\n\n{summary}."
        yield DocPage(name, f"Python {PYTHON_VERSION}", text, (name, *tails), f"{summary}. {words}")
