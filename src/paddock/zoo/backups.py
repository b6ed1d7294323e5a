"""Zoo backups: writing them, and replacing a zoo's data with their content.

A backup is a copy of a SQLite database, or a JSON Lines file that can be restored to either kind of
database. In a JSON Lines file, the first line names the format and the schema revision, each
following line is a row, and the last line has the number of rows, to detect truncated files.

Rows are only copied between databases at the current revision. Older backups are migrated first.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import zlib
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from gzip import GzipFile
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
from sqlalchemy import Column, MetaData, Table, delete, insert, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import TypeDecorator

from paddock.directories import get_data_directory
from paddock.files import check_regular_file
from paddock.zoo import timestamps
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import ZooFileError
from paddock.zoo.store import revisions, schema, sqlite_files
from paddock.zoo.store.database import (
    convert_database_errors,
    convert_sqlite_error,
    create_tables,
    open_sqlite_transaction,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection, Select

    from paddock.zoo.store.transaction import WriteTransaction


BATCH_ROWS = 1_000

RowData = dict[str, Any]
BackupRow = tuple[str, RowData]
"""The name of a table, and the columns of one row."""

_PLAIN_METADATA = MetaData()

BACKUP_FORMAT = "paddock-zoo-backup"
SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
GZIP_HEADER = b"\x1f\x8b"
# No row is longer. The limit keeps a file without line breaks from being read into memory whole.
MAX_LINE_BYTES = 200_000_000
_DAMAGE_EXCEPTIONS = (
    EOFError,
    KeyError,
    OSError,
    TypeError,
    ValueError,
    zlib.error,
    msgspec.MsgspecError,
)
"""Exceptions that reading a damaged file can raise."""


def _make_plain_table(table: Table) -> Table:
    """Return a table with the same columns, but without custom column types.

    Backups use such tables to copy rows, because custom types would decode and encode the stored
    text instead of copying it unchanged.
    """
    columns = [
        Column(
            column.name,
            column.type.impl if isinstance(column.type, TypeDecorator) else column.type,
            primary_key=column.primary_key,
        )
        for column in table.columns
    ]
    return Table(table.name, _PLAIN_METADATA, *columns)


_PLAIN_AGENTS = _make_plain_table(schema.agents)
_PLAIN_VERSIONS = _make_plain_table(schema.agent_versions)
# Events are not copied, because their IDs must keep growing and they describe a different history.
BACKUP_TABLES = {
    str(table.name): table
    for table in (
        _PLAIN_AGENTS,
        _PLAIN_VERSIONS,
        _make_plain_table(schema.entries),
        _make_plain_table(schema.library_skills),
        _make_plain_table(schema.packs),
        _make_plain_table(schema.imported_files),
    )
}
"""The tables in a backup, without events, in an order that satisfies their foreign keys."""


def iterate_rows(connection: Connection, owner: str) -> Iterator[BackupRow]:
    """Yield all of an owner's rows as pairs such as `("agents", {"key": 1, "name": "Ada", …})`.

    Rows are read from the database in batches. The `owner` column is left out, because a backup may
    be restored for another owner.
    """
    for name, table in BACKUP_TABLES.items():
        columns = [column for column in table.columns if column.name != "owner"]
        statement = _filter_by_owner(select(*columns), table, owner)
        statement = statement.execution_options(yield_per=BATCH_ROWS)
        for row in connection.execute(statement).mappings():
            yield name, {str(key): value for key, value in row.items()}


def _filter_by_owner(statement: Select[Any], table: Table, owner: str) -> Select[Any]:
    """Restrict a query to the rows of one owner, in a fixed order."""
    # Versions have no owner column of their own. They belong to their agent's owner.
    if table is _PLAIN_VERSIONS:
        statement = statement.join(
            _PLAIN_AGENTS, _PLAIN_AGENTS.c.key == _PLAIN_VERSIONS.c.agent_key
        )
        statement = statement.where(_PLAIN_AGENTS.c.owner == owner)
    else:
        statement = statement.where(table.c.owner == owner)
    return statement.order_by(*table.primary_key.columns)


def has_only_other_owners(connection: Connection, owner: str) -> bool:
    """Return whether a database has agents, but none that belong to an owner."""
    owners = set(connection.scalars(select(_PLAIN_AGENTS.c.owner).distinct()))
    return bool(owners) and owner not in owners


def delete_owner_rows(connection: Connection, owner: str) -> None:
    """Delete all of an owner's rows except events."""
    for table in BACKUP_TABLES.values():
        if "owner" in table.columns:  # versions are deleted with their agents (ON DELETE CASCADE)
            connection.execute(delete(table).where(table.c.owner == owner))


def insert_rows(connection: Connection, owner: str, rows: Iterable[BackupRow]) -> None:
    """Insert the rows of a backup for an owner, giving the agents new keys.

    Args:
        connection: A connection to the zoo being restored.
        owner: The owner of the inserted rows.
        rows: Rows in the order of `iterate_rows`. Agents come before their versions and entries, so
            the new key of an agent is known when a row refers to it.

    Raises:
        KeyError: A row names an unknown table or an unknown agent.
    """
    # The keys in the backup may be in use by other owners in this database.
    new_agent_keys: dict[int, int] = {}
    for table_name, batch in _group_rows(rows):
        table = BACKUP_TABLES[table_name]
        new_rows = [_adapt_row(table, row, owner, new_agent_keys) for row in batch]
        if table is not _PLAIN_AGENTS:
            connection.execute(insert(table), new_rows)
            continue
        # Agents are inserted one by one, because a batch insert does not return the new keys.
        for row, new_row in zip(batch, new_rows, strict=True):
            result = connection.execute(insert(table), new_row)
            new_agent_keys[row["key"]] = (result.inserted_primary_key or (0,))[0]


def _group_rows(rows: Iterable[BackupRow]) -> Iterator[tuple[str, list[RowData]]]:
    """Yield consecutive rows of the same table in batches, with the table name."""
    for table_name, group in groupby(rows, key=itemgetter(0)):
        while batch := [row for _, row in islice(group, BATCH_ROWS)]:
            yield table_name, batch


def _adapt_row(
    table: Table, row: Mapping[str, Any], owner: str, new_agent_keys: dict[int, int]
) -> RowData:
    """Return a backup row with the owner and agent key of the target database.

    The row has no key of its own, so the database assigns a new one.
    """
    new_row = {name: value for name, value in row.items() if name != "key"}
    if "owner" in table.columns:
        new_row["owner"] = owner
    if "agent_key" in row:
        new_row["agent_key"] = new_agent_keys[row["agent_key"]]
    return new_row


@contextmanager
def _open_replacement_file(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces `path` atomically at the end of the block.

    If the block raises an exception, `path` stays unchanged. Unlike `write_atomically`, this does
    not need the whole content in memory.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # The temporary file is in the same directory, because a rename cannot cross file systems.
    descriptor, temporary_name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    temporary_path = Path(temporary_name)
    try:
        yield temporary_path
        with temporary_path.open("rb+") as file:
            # Without this, a power failure after the rename could leave an empty file.
            os.fsync(file.fileno())
        temporary_path.replace(path)
    finally:
        temporary_path.unlink(missing_ok=True)


def copy_sqlite_database(source: str, path: Path) -> None:
    """Copy the SQLite database `source` to the file `path`, replacing an existing file.

    The copy is consistent, even while other processes write to the database.
    """
    with (
        _open_replacement_file(path) as new_path,
        closing(sqlite3.connect(sqlite_files.make_sqlite_uri(source), uri=True)) as original,
        closing(sqlite3.connect(new_path)) as copy,
    ):
        # A copy of the file alone would miss changes that are still in the write-ahead log.
        original.backup(copy)


def write_backup_lines(path: Path, rows: Iterable[BackupRow], timestamp: str) -> None:
    """Write a backup as JSON lines: a header, one line for each row, and the number of rows.

    The file is compressed if its name ends in `.gz`.
    """
    with _open_replacement_file(path) as new_path, new_path.open("wb") as raw_file:
        compressed = GzipFile(fileobj=raw_file, mode="wb") if path.suffix == ".gz" else None
        with compressed or nullcontext(raw_file) as file:
            # The revision comes first, because the reader must know the columns before the first
            # row.
            header = {
                "format": BACKUP_FORMAT,
                "revision": revisions.CURRENT_REVISION,
                "madeAt": timestamp,
            }
            file.write(msgspec.json.encode(header) + b"\n")
            row_count = 0
            for row in rows:
                file.write(msgspec.json.encode(row) + b"\n")
                row_count += 1
            file.write(msgspec.json.encode({"rows": row_count}) + b"\n")


@contextmanager
def open_backup(path: Path, owner: str) -> Iterator[Connection]:
    """Copy a backup into a temporary SQLite database, migrate it, and connect to the copy.

    Both kinds of backup become a database with the current schema, so `restore` can treat them
    alike.

    Args:
        path: A SQLite database, or a JSON Lines file.
        owner: The owner of the rows that are read from a JSON Lines file.

    Raises:
        ZooFileError: The file is not a backup, or is damaged or incomplete.
        ZooUnavailableError: The backup is from a newer version of Paddock.
    """
    check_regular_file(path)
    with tempfile.TemporaryDirectory(prefix="paddock-zoo-") as directory:
        database_path = Path(directory) / "zoo.db"
        with path.open("rb") as file:
            is_sqlite = file.read(len(sqlite_files.SQLITE_HEADER)) == sqlite_files.SQLITE_HEADER
        if is_sqlite:
            _copy_sqlite_backup(path, database_path)
        else:
            _load_json_lines(path, database_path, owner)
        with (
            convert_database_errors(str(path)),
            open_sqlite_transaction(database_path, wait_seconds=5) as connection,
        ):
            if revisions.get_revision(connection, str(path)) is None:
                raise ZooFileError("the database is empty", where=str(path))
            revisions.migrate_tables(connection, str(path))
            yield connection


def _copy_sqlite_backup(path: Path, copy: Path) -> None:
    """Copy a SQLite backup, and check that the copy is intact.

    Migrations run on the copy, so the backup itself is never changed.

    Raises:
        ZooFileError: The backup cannot be read, or is damaged.
    """
    try:
        copy_sqlite_database(str(path), copy)
        with closing(sqlite3.connect(copy)) as connection:
            (check_result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise ZooFileError(f"cannot be read: {error}", where=str(path)) from None
    if check_result != "ok":
        raise ZooFileError(
            f"the backup is damaged: {check_result}", where=str(path), hint="use another backup"
        )


def _load_json_lines(path: Path, database_path: Path, owner: str) -> None:
    """Create a SQLite database from a JSON Lines backup.

    Called by `open_backup` before anything in the zoo changes.

    Raises:
        ZooFileError: The file is not a backup, or is damaged or incomplete.
    """
    with path.open("rb") as raw_file:
        is_gzip = raw_file.read(len(GZIP_HEADER)) == GZIP_HEADER
        raw_file.seek(0)
        file: BinaryIO = cast("BinaryIO", GzipFile(fileobj=raw_file)) if is_gzip else raw_file
        try:
            lines = _iterate_lines(file)
            header = msgspec.json.decode(next(lines, b""), type=dict[str, Any])
            if header.get("format") != BACKUP_FORMAT:
                raise ZooFileError(
                    "not a backup of a zoo",
                    where=str(path),
                    hint="import bundles and agents.json instead of restoring them",
                )
            # The rows fit the tables of the backup's own revision. `open_backup` migrates them
            # later.
            revision = str(header["revision"])
            create_tables(database_path, wait_seconds=5, revision=revision, where=str(path))
            _insert_json_lines(lines, database_path, owner)
        except SQLAlchemyError:
            raise ZooFileError(
                "the rows of the backup do not fit the tables of a zoo",
                where=str(path),
                hint="use another backup; nothing was changed",
            ) from None
        except _DAMAGE_EXCEPTIONS as error:
            raise ZooFileError(
                f"the backup is damaged or incomplete: {error}",
                where=str(path),
                hint="use another backup; nothing was changed",
            ) from None


def _iterate_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES:
            raise ValueError(f"a line has more than {MAX_LINE_BYTES:,} bytes")
        yield line


def _insert_json_lines(lines: Iterator[bytes], database_path: Path, owner: str) -> None:
    """Insert the rows of a backup into a database that has the tables of the backup's revision.

    The rows are assigned to `owner`, because the backup does not contain their owner.
    """
    with open_sqlite_transaction(database_path, wait_seconds=5) as connection:
        # An older revision may have different columns, so the table definitions are read from the
        # database instead of using the current ones.
        tables = MetaData()
        tables.reflect(connection, only=list(BACKUP_TABLES))
        for name, batch in _group_rows(_parse_rows(lines)):
            table = tables.tables[name]
            owner_column = {"owner": owner} if "owner" in table.columns else {}
            connection.execute(insert(table), [{**row, **owner_column} for row in batch])


def _parse_rows(lines: Iterator[bytes]) -> Iterator[BackupRow]:
    """Parse the lines of a backup after its header, such as `["agents", {"key": 1, …}]`.

    The last line is an object with the number of rows, such as `{"rows": 12}`. A file without it,
    or with a different number, was cut off.

    Raises:
        ValueError: The file was cut off.
    """
    for row_count, line in enumerate(lines):
        data = msgspec.json.decode(line)
        # Rows are arrays, so an object must be the last line.
        if isinstance(data, dict):
            if data["rows"] != row_count:
                raise ValueError(f"{data['rows']} rows were written, but the file has {row_count}")
            return
        table_name, row = data
        yield table_name, row
    raise ValueError("the last line is missing")


@dataclass(frozen=True)
class BackupManager:
    """Backups of one zoo, including its history and its bin."""

    context: ZooContext

    def create(self, path: Path | str) -> Path:
        """Write all of the owner's data to a file, replacing an existing one, and return its path.

        If the name ends in `.db`, `.sqlite` or `.sqlite3`, the file is a copy of the SQLite
        database, which contains the data of all owners. Otherwise it is a JSON Lines file,
        compressed if the name ends in `.gz`.

        Raises:
            ZooFileError: The file cannot be written.
        """
        path = Path(path).expanduser().absolute()
        with _convert_file_errors(path):
            if path.suffix in SQLITE_SUFFIXES:
                self._copy_database(path)
            else:
                with self.context.database.read_transaction(is_snapshot=True) as connection:
                    rows = iterate_rows(connection, self.context.owner)
                    write_backup_lines(path, rows, timestamps.get_current_timestamp())
        return path

    def _copy_database(self, path: Path) -> None:
        """Copy the SQLite database, which contains the zoos of all owners."""
        database = self.context.database
        if not database.is_sqlite:
            raise ZooFileError(
                "a zoo in PostgreSQL cannot be copied as a SQLite database",
                where=str(path),
                hint="use a name that ends in .jsonl or .jsonl.gz",
            )
        if path.exists() and path.samefile(database.location):
            raise ZooFileError("this file is the zoo itself", where=str(path))
        copy_sqlite_database(database.location, path)

    def restore(self, path: Path | str, *, source: str = "cli") -> Path | None:
        """Replace all of the owner's data with that of a backup, in one transaction.

        The existing data is first written to a safety backup in `zoo/backups`, a folder in
        Paddock's data directory.

        Returns:
            The path of the safety backup, or None if the zoo was empty.

        Raises:
            ZooFileError: The file is not a complete backup, or has data of other owners only.
            ZooUnavailableError: The backup is from a newer version of Paddock.
        """
        path = Path(path).expanduser().absolute()
        owner = self.context.owner
        with (
            _convert_file_errors(path),
            open_backup(path, owner) as backup,
            self.context.write_transaction(source) as tx,
        ):
            if has_only_other_owners(backup, owner):
                raise ZooFileError(
                    f"the backup has data of other owners, but none of {owner!r}",
                    where=str(path),
                )
            # The existing data is saved within the transaction, so no process can change it between
            # the safety backup and the restore.
            safety_backup = self._write_safety_backup(tx)
            delete_owner_rows(tx.connection, owner)
            insert_rows(tx.connection, owner, iterate_rows(backup, owner))
            tx.record_event("zoo:restored", path=path.name)
        return safety_backup

    def _write_safety_backup(self, tx: WriteTransaction) -> Path | None:
        """Back up the data that a restore is about to replace.

        Returns:
            The path of the backup, or None if the zoo is empty.
        """
        rows = iterate_rows(tx.connection, self.context.owner)
        first_row = next(rows, None)
        if first_row is None:
            return None
        # Colons are not allowed in file names on Windows.
        name = f"before-restoring-{tx.timestamp.replace(':', '')}.jsonl.gz"
        path = Path(get_data_directory()) / "zoo" / "backups" / name
        write_backup_lines(path, chain([first_row], rows), tx.timestamp)
        return path


@contextmanager
def _convert_file_errors(path: Path) -> Iterator[None]:
    """Convert file system and SQLite exceptions to zoo errors that name the file.

    SQLite exceptions caused by our own SQL are raised unchanged.
    """
    try:
        yield
    except OSError as error:
        raise ZooFileError(
            f"cannot be read or written: {error.strerror or error}",
            where=str(error.filename or path),
            hint="choose a file that you can read and write",
        ) from None
    except sqlite3.Error as error:
        zoo_error = convert_sqlite_error(error, str(path))
        raise zoo_error or error from None
