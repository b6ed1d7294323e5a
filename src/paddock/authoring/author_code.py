"""Whether this thread is loading a file that somebody wrote.

A file that runs its server when it is run itself must not run it when it is loaded for what it
defines. Loaded before the first answer, so it needs nothing but the interpreter.

Where relative paths of an author's count from: the file that names them.

Loaded before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

import os
import sys
from _thread import _local


class _LoadDepth(_local):
    depth = 0


_load_depth = _LoadDepth()


class LoadScope:
    """The time in which a file is loaded, as a context manager."""

    def __enter__(self) -> None:
        _load_depth.depth += 1

    def __exit__(self, *_details: object) -> None:
        _load_depth.depth -= 1


def is_loading_author_code() -> bool:
    """Whether this thread is loading a file, so that nothing is to be served."""
    return _load_depth.depth > 0


def find_caller_file(depth: int = 2) -> str | None:
    """The file of the function that called the caller, or of one further up."""
    frame = sys._getframe(depth)  # noqa: SLF001 - `inspect` is 14 ms
    file = frame.f_globals.get("__file__")
    return file if isinstance(file, str) else None


def resolve_path(path: str | os.PathLike[str], relative_to: str | None) -> str:
    """A path as an absolute one; a relative one counts from the directory of a file."""
    base = os.path.dirname(relative_to) if relative_to else ""  # noqa: PTH120 - pathlib is 8 ms
    joined = os.path.join(base, os.fspath(path))  # noqa: PTH118 - pathlib is 8 ms
    return os.path.abspath(joined)  # noqa: PTH100 - pathlib is 8 ms
