"""Where relative paths of an author's count from: the file that names them.

Loaded before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

import os
import sys


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
