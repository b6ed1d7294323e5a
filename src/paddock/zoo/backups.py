"""Keeping all of a zoo in a file, and having it back."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.zoo import times
from paddock.zoo.errors import ZooFileError
from paddock.zoo.part import ZooContext
from paddock.zoo.store import backup_files, copying
from paddock.zoo.store.faults import convert_sqlite_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.store.transaction import WriteTransaction


class BackupManager(ZooContext):
    """Backups of a zoo, with history and bin."""

    def backup(self, path: Path | str) -> Path:
        """Write all that the owner has to a file, which is replaced when it is there.

        A name that ends in `.db` gives a copy of the SQLite database, with all owners. Any other
        gives lines of JSON, which SQLite and PostgreSQL take back; with `.gz` they are compressed.

        Raises:
            ZooFileError: when the file cannot be written.
        """
        path = Path(path).expanduser().absolute()
        with _convert_system_errors(path):
            if path.suffix in backup_files.SQLITE_SUFFIXES:
                if not self._database.is_sqlite:
                    raise ZooFileError(
                        "a zoo in PostgreSQL gives no copy of a SQLite database",
                        where=str(path),
                        hint="let the name end in .jsonl or .jsonl.gz",
                    )
                if path.exists() and path.samefile(self._database.location):
                    raise ZooFileError("that is the zoo itself", where=str(path))
                backup_files.copy_sqlite_database(self._database.location, path)
            else:
                with self._database.read_transaction(at_one_moment=True) as connection:
                    rows = copying.iterate_rows(connection, self._owner)
                    backup_files.write_backup_lines(path, rows, times.get_current_timestamp())
        return path

    def restore_backup(self, path: Path | str, *, source: str = "cli") -> Path | None:
        """Make the zoo what it was when a backup was made, all of it or nothing.

        What is there is first written to a backup of its own, whose path is returned, unless the
        zoo is empty.

        Raises:
            ZooFileError: when it is no backup, is not whole, or is of another owner only.
            ZooUnavailableError: when it is of a newer Paddock.
        """
        path = Path(path).expanduser().absolute()
        with (
            _convert_system_errors(path),
            backup_files.open_backup(path, self._owner) as backup,
            self._write_transaction(source) as writing,
        ):
            if copying.has_only_other_owners(backup, self._owner):
                raise ZooFileError(
                    f"it holds nothing of the owner {self._owner!r}, and something of others",
                    where=str(path),
                )
            kept = self._write_safety_backup(writing)
            copying.delete_owner_rows(writing.connection, self._owner)
            copying.insert_rows(writing.connection, self._owner, copying.iterate_rows(backup, self._owner))
            writing.record_event("zoo:restored", path=path.name)
        return kept

    def _write_safety_backup(self, writing: WriteTransaction) -> Path | None:
        rows = copying.iterate_rows(writing.connection, self._owner)
        first = next(rows, None)
        if first is None:
            return None
        name = f"before-restoring-{writing.timestamp.replace(':', '')}.jsonl.gz"
        path = Path(get_data_directory()) / "zoo" / "backups" / name
        backup_files.write_backup_lines(path, chain([first], rows), writing.timestamp)
        return path


@contextmanager
def _convert_system_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ZooFileError(
            f"it cannot be read or written: {error.strerror or error}",
            where=str(error.filename or path),
            hint="name a file that you may read and write",
        ) from None
    except sqlite3.Error as error:
        raise convert_sqlite_error(error, str(path)) or error from None
