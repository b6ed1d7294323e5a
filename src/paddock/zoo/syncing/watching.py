"""Keeping a project and a zoo in step for as long as somebody wants it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.zoo.scanning import find_candidate_files
from paddock.zoo.syncing.running import sync_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.zoo.service import Zoo
    from paddock.zoo.syncing.running import SyncReport, SyncOptions

POLL_SECONDS = 1.0
"""How often the files are looked at; the zoo tells of its changes itself."""


def run_sync_rounds(zoo: Zoo, folder: Path, wishes: SyncOptions) -> Iterator[SyncReport]:
    """Bring both in step now, and again whenever either has changed."""
    while True:
        event, files = zoo.latest_event_id(), _get_file_states(folder)
        yield sync_project(zoo, folder, wishes)
        # What the round itself has done counts as a change too: the next one finds nothing.
        while _get_file_states(folder) == files and not zoo.wait_for_events(event, POLL_SECONDS):
            pass


def _get_file_states(folder: Path) -> dict[Path, tuple[int, int]]:
    """What tells whether a file has been changed."""
    found = {}
    for path in find_candidate_files(folder):
        with suppress(OSError):
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found
