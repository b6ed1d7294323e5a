"""The state file of a session: the definitions after some entry of its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.files import write_atomically

if TYPE_CHECKING:
    from pathlib import Path


class SavedState(msgspec.Struct, frozen=True):
    """Definitions, whose they are, and how many entries of the journal they include."""

    engine: str
    engine_version: str
    entries: int
    definitions: bytes


def read_state(path: Path, engine: str) -> SavedState | None:
    """What an engine has saved, or None when there is nothing that can be used."""
    try:
        found = msgspec.msgpack.decode(path.read_bytes(), type=SavedState)
    except (OSError, ValueError):
        return None
    return found if found.engine == engine else None


def write_state(path: Path, state: SavedState) -> None:
    """Save definitions.

    Raises:
        OSError: when they cannot be written; what was saved before is still there.
    """
    write_atomically(path, msgspec.msgpack.encode(state))
