"""Files as sources: which there are below a directory, and when they have changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.page import CorpusSource
from paddock.files import read_regular_file
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FILE_BYTES = 20_000_000
"""Of one file."""
MAX_DIRECTORY_FILES = 50_000
"""Below one directory."""
EXCLUDED_DIRECTORIES = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
"""Directories that hold what is not their owner's own; hidden ones are left out too."""


def read_source_file(key: str) -> bytes:
    """The content of the file that a source is.

    Raises:
        OSError: when it cannot be read, is no ordinary file or too large.
    """
    return read_regular_file(Path(key), MAX_FILE_BYTES)


def stamp_files(files: Iterable[Path]) -> list[CorpusSource]:
    """Sources of files; those that are gone are left out."""
    found = []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        stamp = f"{__version__} {state.st_mtime_ns} {state.st_size}"
        found.append(CorpusSource(str(file), stamp))
    return found


def walk_files(directory: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """The files of some kinds below a directory, in order, without following links."""
    count = 0
    for place, directories, names in os.walk(directory):
        directories[:] = sorted(
            name for name in directories if name not in EXCLUDED_DIRECTORIES and not name.startswith(".")
        )
        for name in sorted(names):
            if os.path.splitext(name)[1].lower() in suffixes:  # noqa: PTH122 - many names
                count += 1
                if count > MAX_DIRECTORY_FILES:
                    return
                yield Path(place, name)
