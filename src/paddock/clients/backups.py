"""Copies of clients' files as they were before Paddock changed them.

They stand in Paddock's own directory, readable by their owner only, because such files hold
secrets. Of each file the newest few are kept, and the oldest, from before our first change.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from paddock.directories import get_data_directory
from paddock.files import write_atomically

MAX_BACKUPS_PER_FILE = 10
"""How many backups of one file there are at most."""


def create_backup(file: Path, content: bytes) -> Path:
    """Keep what a file holds."""
    directory = _get_backup_directory(file)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = directory / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S.%f}Z{file.suffix}"
    write_atomically(place, content)
    return place


def prune_backups(file: Path) -> None:
    """Forget backups of a file that are too many; the first one stays."""
    for old in list_backups(file)[MAX_BACKUPS_PER_FILE - 1 : -1]:
        with suppress(OSError):
            old.unlink()


def list_backups(file: Path) -> list[Path]:
    """The backups of a file, the newest first."""
    with suppress(FileNotFoundError):
        # Names that begin with a dot belong to a backup that was being written.
        found = [place for place in _get_backup_directory(file).iterdir() if place.name[0] != "."]
        return sorted(found, reverse=True)
    return []


def _get_backup_directory(file: Path) -> Path:
    real = file.resolve()
    key = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    return Path(get_data_directory()) / "backups" / f"{real.name}-{key}"
