"""The state file of a session: the definitions after some entry of its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.files import check_regular_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paddock.kernels.sessions.journal import JournalEntry


class SavedState(msgspec.Struct, frozen=True):
    """Definitions, whose they are, and the last entry of the journal that they include."""

    engine: str
    engine_version: str
    last: str
    definitions: bytes

    def count_included_entries(self, entries: Sequence[JournalEntry]) -> int:
        """How many entries it includes; 0 when it is not of this journal, as that is now."""
        for index in range(len(entries), 0, -1):
            if entries[index - 1].id == self.last:
                return index
        return 0


def read_saved_state(path: Path, engine: str | None = None) -> SavedState | None:
    """What was saved, by an engine if one is named; None when there is nothing to be used."""
    try:
        check_regular_file(path)
        found = msgspec.msgpack.decode(path.read_bytes(), type=SavedState)
    except (OSError, ValueError):
        return None
    return found if engine in {None, found.engine} else None


def write_saved_state(path: Path, state: SavedState) -> None:
    """Save definitions.

    Raises:
        OSError: when they cannot be written; what was saved before is still there.
    """
    write_atomically(path, msgspec.msgpack.encode(state))
