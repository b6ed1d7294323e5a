"""The loading state of authors' files, and paths relative to a file.

A script that calls `server.run()` must not serve while Paddock imports it to read its definitions.
The module is loaded before msgspec, so it imports nothing outside the standard library.
"""

from __future__ import annotations

import os
import sys
from _thread import _local


class _LoadDepth(_local):
    depth = 0


_load_depth = _LoadDepth()


class LoadScope:
    """Context manager that marks this thread as loading an author's file, such as a script.

    While it is active, `server.run()` does nothing: Paddock imports the file only to read its
    definitions. It can be nested, for example when a file loads another one.
    """

    def __enter__(self) -> None:
        _load_depth.depth += 1

    def __exit__(self, *_details: object) -> None:
        _load_depth.depth -= 1


def is_loading_author_code() -> bool:
    """Return whether this thread is importing an author's file, so `run` must do nothing."""
    return _load_depth.depth > 0


def find_caller_file(depth: int = 2) -> str | None:
    """Return the file of the calling function's caller, `depth` frames above this one."""
    frame = sys._getframe(depth)  # noqa: SLF001 - `inspect` is 14 ms
    file = frame.f_globals.get("__file__")
    return file if isinstance(file, str) else None


def resolve_path(path: str | os.PathLike[str], relative_to: str | None) -> str:
    """Return an absolute path. Relative paths are resolved against a file's directory."""
    base = os.path.dirname(relative_to) if relative_to else ""
    joined = os.path.join(base, os.fspath(path))
    return os.path.abspath(joined)
