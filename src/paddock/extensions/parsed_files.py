"""Files that define many items: each is parsed once for all of them, until it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")
_MOST = 8
"""How many files are kept: items are loaded file by file."""


class _Kept(NamedTuple, Generic[T]):
    state: tuple[int, ...]
    content: T


class ParsedFiles(Generic[T]):
    """The last few files that were parsed. What they hold is shared, so nobody may change it."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept[T]] = {}

    def get(self, key: str, file: Path, parse: Callable[[], T]) -> T:
        """What a file holds: as it was, unless it has changed since then.

        Args:
            key: Which file it is; in an archive, with its name there.
            file: The file, or the archive, whose changes count.
            parse: Reads and parses it; what it raises is not kept.
        """
        state = _state(file)
        kept = self._kept.pop(key, None)
        if kept is None or state is None or kept.state != state:
            kept = _Kept(state or (), parse())
        if state is not None:
            self._kept[key] = kept
            while len(self._kept) > _MOST:
                self._kept.pop(next(iter(self._kept)), None)
        return kept.content


def _state(file: Path) -> tuple[int, ...] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
