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

from paddock.docsearch.corpora.compiled_modules import read_compiled
from paddock.docsearch.corpora.python_source import MOST_BYTES, exported, read_module
from paddock.docsearch.page import Page, Source
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "python-stdlib"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
OWN = "our own words"
COMPILED = "compiled modules"
TOPICS = "pydoc_data/topics.py"
FIRST = (
    *("os", "posixpath", "pathlib", "shutil", "subprocess", "json", "re", "datetime"),
    *("collections", "functools", "argparse", "csv", "random", "tempfile", "glob", "logging"),
    *("urllib", "dataclasses", "contextlib", "enum", "typing", "string", "textwrap", "statistics"),
    *("threading", "concurrent", "asyncio", "multiprocessing", "queue", "unittest", "sqlite3"),
    *("zipfile", "tarfile", "gzip", "hashlib", "secrets", "base64", "struct", "pickle", "copy"),
    *("pprint", "traceback", "inspect", "importlib", "decimal", "fractions", "heapq", "bisect"),
    *("configparser", "tomllib", "xml", "html", "http", "socket", "smtplib", "email", "uuid"),
    *("time", "calendar", "zoneinfo", "difflib", "platform", "getpass", "timeit", "pdb", "abc"),
)
LEFT_OUT = frozenset(
    (
        *("test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip", "site-packages"),
        *("dist-packages", "__pycache__", "distutils", "pydoc_data", "__phello__", "this"),
        "antigravity",
    )
)
PUBLIC = {
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

    name = NAME

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or Path(sysconfig.get_path("stdlib"))

    def sources(self) -> list[Source]:
        """Its modules, the commonest first."""
        found = [
            Source(str(file.relative_to(self._directory).as_posix()), f"{VERSION} {__version__}")
            for file in self._files()
        ]
        places = {name: place for place, name in enumerate(FIRST)}
        last = len(FIRST)
        found.sort(key=lambda s: places.get(s.key.partition("/")[0].removesuffix(".py"), last))
        stamp = f"{sys.version} {__version__}"
        own = sum(len(text) for row in own_words().items() for text in (row[0], *row[1]))
        extra = [Source(OWN, f"{__version__} {own}"), Source(COMPILED, stamp)]
        if (self._directory / TOPICS).exists():
            found.append(Source(TOPICS, stamp))
        return [*extra, *found]

    def pages(self, key: str) -> Iterator[Page]:
        """The pages of one module, with our words."""
        for page in self._read(key):
            if "._" in page.title:
                continue
            ours = None if key == OWN else own_words().get(page.title)
            yield page if ours is None else _with_words(page, *ours)

    def _read(self, key: str) -> Iterator[Page]:
        if key == OWN:
            yield from _own_pages()
            return
        if key == COMPILED:
            yield from read_compiled(sys.executable, VERSION)
            return
        file = self._directory / key
        data = file.read_bytes()[:MOST_BYTES]
        if key == TOPICS:
            yield from _topics(data)
            return
        module = module_name(key)
        yield from read_module(data, module, f"Python {VERSION}, {module}", self._public(file))

    def _files(self) -> Iterator[Path]:
        root = str(self._directory)
        for place, directories, names in os.walk(root):
            directories[:] = sorted(
                name for name in directories if name not in LEFT_OUT and not name.startswith("_")
            )
            for name in sorted(names):
                stem, _, suffix = name.rpartition(".")
                is_hidden = place == root and stem.startswith("_") and stem not in PUBLIC
                if suffix == "py" and not is_hidden and stem not in LEFT_OUT:
                    yield Path(place, name)

    def _public(self, file: Path) -> PublicNames:
        return PublicNames(file, self._directory)


class PublicNames:
    """Gives the names under which people know what a module defines."""

    def __init__(self, file: Path, root: Path) -> None:
        self._renamed: dict[str, str] = {}
        package = file.parent
        module = module_name(file.relative_to(root).as_posix())
        parent = module.rpartition(".")[0]
        if file.name == "__init__.py" or package == root:
            return
        init = package / "__init__.py"
        names, whole = _exported(init) if init.exists() else (frozenset(), frozenset())
        self._module, self._parent = module, parent
        self._names = names
        self._is_whole = file.stem in whole
        if self._is_whole:
            self._names = names | _exported(file)[0]

    def __call__(self, full: str) -> str:
        """The public name of a dotted name."""
        root = full.partition(".")[0]
        if root in PUBLIC:
            return PUBLIC[root] + full[len(root) :]
        module = getattr(self, "_module", None)
        if module is None or not full.startswith(f"{module}."):
            return full
        inner = full[len(module) + 1 :]
        if inner.partition(".")[0] in self._names:
            return f"{self._parent}.{inner}"
        return full


@lru_cache(maxsize=64)
def _exported(file: Path) -> tuple[frozenset[str], frozenset[str]]:
    try:
        return exported(file.read_bytes()[:MOST_BYTES])
    except (OSError, SyntaxError, ValueError):
        return frozenset(), frozenset()


def module_name(path: str) -> str:
    """The dotted name of a source file, by its path from where imports begin."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _topics(data: bytes) -> Iterator[Page]:
    """The pages that `help` shows about the language, such as `with` and `lambda`."""
    for statement in ast.parse(data).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            for topic, text in ast.literal_eval(statement.value).items():
                yield Page(f"{topic} (language)", f"Python {VERSION}, help", text, (topic,))


def _with_words(page: Page, summary: str, words: str) -> Page:
    text = f"{page.text}\n\nIn other words: {summary} ({words})."
    return Page(page.title, page.origin, text, page.names, f"{summary}. {words}")


@lru_cache(maxsize=1)
def own_words() -> dict[str, tuple[str, str]]:
    """What we say about names of the standard library: a description, and other words for it."""
    found = {}
    data = files("paddock.docsearch") / "data" / "python"
    for file in data.iterdir():
        for line in file.read_text("utf-8").splitlines():
            name, summary, *words = line.split(" — ")
            found[name] = (summary, words[0] if words else "")
    return found


def _own_pages() -> Iterator[Page]:
    for name, (summary, words) in own_words().items():
        parts = name.split(".")
        tails = [".".join(parts[-count:]) for count in (2, 1) if count < len(parts)]
        text = f"`{name}`\n\n{summary}."
        yield Page(name, f"Python {VERSION}", text, (name, *tails), f"{summary}. {words}")
