"""Files that define many items: each is parsed once for all of them, until it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")
_MAX_CACHED_FILES = 8
"""How many files are kept: items are loaded file by file."""


class _CachedFile(NamedTuple, Generic[T]):
    state: tuple[int, ...]
    content: T


class ParseCache(Generic[T]):
    """The last few files that were parsed. What they hold is shared, so nobody may change it."""

    def __init__(self) -> None:
        self._files_by_key: dict[str, _CachedFile[T]] = {}

    def get_or_parse(self, key: str, file: Path, parse: Callable[[], T]) -> T:
        """What a file holds: as it was, unless it has changed since then.

        Args:
            key: Which file it is; in an archive, with its name there.
            file: The file, or the archive, whose changes count.
            parse: Reads and parses it; what it raises is not kept.
        """
        state = _get_file_state(file)
        kept = self._files_by_key.pop(key, None)
        if kept is None or state is None or kept.state != state:
            kept = _CachedFile(state or (), parse())
        if state is not None:
            self._files_by_key[key] = kept
            while len(self._files_by_key) > _MAX_CACHED_FILES:
                self._files_by_key.pop(next(iter(self._files_by_key)), None)
        return kept.content


def _get_file_state(file: Path) -> tuple[int, ...] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
