"""Keeping a project and a zoo in step for as long as somebody wants it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.zoo.scanning import candidates
from paddock.zoo.syncing.running import sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.zoo.service import Zoo
    from paddock.zoo.syncing.running import SyncReport, SyncWishes

LOOK_SECONDS = 1.0
"""How often the files are looked at; the zoo tells of its changes itself."""


def rounds(zoo: Zoo, folder: Path, wishes: SyncWishes) -> Iterator[SyncReport]:
    """Bring both in step now, and again whenever either has changed."""
    while True:
        event, files = zoo.latest_event_id(), _seen(folder)
        yield sync(zoo, folder, wishes)
        # What the round itself has done counts as a change too: the next one finds nothing.
        while _seen(folder) == files and not zoo.wait_for_events(event, LOOK_SECONDS):
            pass


def _seen(folder: Path) -> dict[Path, tuple[int, int]]:
    """What tells whether a file has been changed."""
    found = {}
    for path in candidates(folder):
        with suppress(OSError):
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found
