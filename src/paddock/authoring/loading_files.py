"""Whether this thread is loading a file that somebody wrote.

A file that runs its server when it is run itself must not run it when it is loaded for what it
defines. Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

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
