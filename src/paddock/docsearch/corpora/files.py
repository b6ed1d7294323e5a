"""Files as sources: which there are below a directory, and when they have changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.docsearch.page import Source
from paddock.files import read_ordinary
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_BYTES = 20_000_000
"""Of one file."""
MOST_FILES = 50_000
"""Below one directory."""
LEFT_OUT = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
"""Directories that hold what is not their owner's own; hidden ones are left out too."""


def read_bytes(key: str) -> bytes:
    """The content of the file that a source is.

    Raises:
        OSError: when it cannot be read, is no ordinary file or too large.
    """
    return read_ordinary(Path(key), MOST_BYTES)


def stamped(files: Iterable[Path]) -> list[Source]:
    """Sources of files; those that are gone are left out."""
    found = []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        stamp = f"{__version__} {state.st_mtime_ns} {state.st_size}"
        found.append(Source(str(file), stamp))
    return found


def below(directory: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """The files of some kinds below a directory, in order, without following links."""
    count = 0
    for place, directories, names in os.walk(directory):
        directories[:] = sorted(
            name for name in directories if name not in LEFT_OUT and not name.startswith(".")
        )
        for name in sorted(names):
            if os.path.splitext(name)[1].lower() in suffixes:  # noqa: PTH122 - many names
                count += 1
                if count > MOST_FILES:
                    return
                yield Path(place, name)
