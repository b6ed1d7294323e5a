"""Backups of a zoo: writing them, and replacing the zoo's data with their content.

A backup is a copy of a SQLite database, or a file of JSON lines that either kind of database can
restore. Of the latter, the first line names the format and the schema revision, each further line
is a row, and the last line has the number of rows, which reveals truncated files.

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
# No row is longer. Keeps a file without line ends from being read into memory completely.
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
    """Return a table without custom column types, so that stored text is copied unchanged."""
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
# Events are not copied, because their IDs must keep growing and they describe another past.
COPIED_TABLES = {
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
"""The tables of a backup, in an order that satisfies their foreign keys; without events."""


def iterate_rows(connection: Connection, owner: str) -> Iterator[BackupRow]:
    """Yield the rows of an owner with the names of their tables, reading in batches."""
    for name, table in COPIED_TABLES.items():
        # The owner is not copied, because a backup may be restored for another one.
        columns = [column for column in table.columns if column.name != "owner"]
        statement = _filter_by_owner(select(*columns), table, owner)
        statement = statement.execution_options(yield_per=BATCH_ROWS)
        for row in connection.execute(statement).mappings():
            yield name, {str(key): value for key, value in row.items()}


def _filter_by_owner(statement: Select[Any], table: Table, owner: str) -> Select[Any]:
    """Restrict a query to the rows of one owner, in a fixed order."""
    # Versions have no owner column. Their agents have.
    if table is _PLAIN_VERSIONS:
        statement = statement.join(
            _PLAIN_AGENTS, _PLAIN_AGENTS.c.key == _PLAIN_VERSIONS.c.agent_key
        )
        statement = statement.where(_PLAIN_AGENTS.c.owner == owner)
    else:
        statement = statement.where(table.c.owner == owner)
    return statement.order_by(*table.primary_key.columns)


def has_only_other_owners(connection: Connection, owner: str) -> bool:
    """Return whether a database has agents, but none of an owner."""
    owners = set(connection.scalars(select(_PLAIN_AGENTS.c.owner).distinct()))
    return bool(owners) and owner not in owners


def delete_owner_rows(connection: Connection, owner: str) -> None:
    """Delete all rows of an owner except events."""
    for table in COPIED_TABLES.values():
        if "owner" in table.columns:  # versions are deleted with their agents (ON DELETE CASCADE)
            connection.execute(delete(table).where(table.c.owner == owner))


def insert_rows(connection: Connection, owner: str, rows: Iterable[BackupRow]) -> None:
    """Insert rows in the order of `iterate_rows`, with new agent keys.

    Agents come before their versions and entries, so the new key of an agent is known when a row
    refers to it.

    Raises:
        KeyError: A row names an unknown table or an unknown agent.
    """
    # The keys in the backup may be in use by other owners of this database.
    new_agent_keys: dict[int, int] = {}
    for table_name, batch in _group_rows(rows):
        table = COPIED_TABLES[table_name]
        adapted = [_adapt_row(table, row, owner, new_agent_keys) for row in batch]
        if table is not _PLAIN_AGENTS:
            connection.execute(insert(table), adapted)
            continue
        # Agents are inserted one by one, because a batch does not return the new keys.
        for row, new_row in zip(batch, adapted, strict=True):
            result = connection.execute(insert(table), new_row)
            new_agent_keys[row["key"]] = (result.inserted_primary_key or (0,))[0]


def _group_rows(rows: Iterable[BackupRow]) -> Iterator[tuple[str, list[RowData]]]:
    """Yield consecutive rows of the same table in batches, with the name of the table."""
    for table_name, group in groupby(rows, key=itemgetter(0)):
        while batch := [row for _, row in islice(group, BATCH_ROWS)]:
            yield table_name, batch


def _adapt_row(
    table: Table, data: Mapping[str, Any], owner: str, new_agent_keys: dict[int, int]
) -> RowData:
    """Return a row with the owner and the keys of the database that it is restored to."""
    row = {name: value for name, value in data.items() if name != "key"}
    if "owner" in table.columns:
        row["owner"] = owner
    if "agent_key" in row:
        row["agent_key"] = new_agent_keys[row["agent_key"]]
    return row


@contextmanager
def _replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` when it is complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The temporary file is in the same directory, because a rename cannot cross file systems.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            # Without this, a power failure after the rename could leave an empty file.
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def copy_sqlite_database(source: str, path: Path) -> None:
    """Copy a consistent state of a database, even while other processes write to it."""
    with (
        _replace_file(path) as new,
        closing(sqlite3.connect(sqlite_files.make_sqlite_uri(source), uri=True)) as original,
        closing(sqlite3.connect(new)) as copy,
    ):
        # A copy of the file alone would miss changes that are still in the write-ahead log.
        original.backup(copy)


def write_backup_lines(path: Path, rows: Iterable[BackupRow], timestamp: str) -> None:
    """Write a backup as JSON lines.

    The file is compressed if its name ends in `.gz`.
    """
    with _replace_file(path) as new, new.open("wb") as raw:
        compressed = GzipFile(fileobj=raw, mode="wb") if path.suffix == ".gz" else None
        with compressed or nullcontext(raw) as file:
            # The revision comes first, because the reader must know the columns before the first
            # row.
            head = {
                "format": BACKUP_FORMAT,
                "revision": revisions.CURRENT_REVISION,
                "madeAt": timestamp,
            }
            file.write(msgspec.json.encode(head) + b"\n")
            count = 0
            for row in rows:
                file.write(msgspec.json.encode(row) + b"\n")
                count += 1
            file.write(msgspec.json.encode({"rows": count}) + b"\n")


@contextmanager
def open_backup(path: Path, owner: str) -> Iterator[Connection]:
    """Copy a backup into a temporary database, migrate it, and connect to the copy.

    Both kinds of backup become a database with the current tables, so `restore` can treat them
    alike.

    Raises:
        ZooFileError: The file is not a backup, or is damaged or incomplete.
        ZooUnavailableError: The backup is from a newer version of Paddock.
    """
    check_regular_file(path)
    with tempfile.TemporaryDirectory(prefix="paddock-zoo-") as directory:
        copy = Path(directory) / "zoo.db"
        with path.open("rb") as file:
            is_sqlite = file.read(len(sqlite_files.SQLITE_HEADER)) == sqlite_files.SQLITE_HEADER
        if is_sqlite:
            _copy_and_check(path, copy)
        else:
            _fill_from_lines(path, copy, owner)
        with (
            convert_database_errors(str(path)),
            open_sqlite_transaction(copy, wait_seconds=5) as connection,
        ):
            if revisions.get_revision(connection, str(path)) is None:
                raise ZooFileError("the database is empty", where=str(path))
            revisions.migrate_tables(connection, str(path))
            yield connection


def _copy_and_check(path: Path, copy: Path) -> None:
    """Copy a SQLite backup, and check that the copy is intact.

    The work continues on the copy, so the backup itself is never migrated or changed.
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


def _fill_from_lines(path: Path, copy: Path, owner: str) -> None:
    """Create a temporary database from a backup in JSON lines.

    Any exception that damaged data can cause is reported as damage of the file. Nothing has been
    changed in the zoo at that point.
    """
    with path.open("rb") as raw:
        is_gzip = raw.read(len(GZIP_HEADER)) == GZIP_HEADER
        raw.seek(0)
        file: BinaryIO = cast("BinaryIO", GzipFile(fileobj=raw)) if is_gzip else raw
        try:
            lines = _iterate_lines(file)
            head = msgspec.json.decode(next(lines, b""), type=dict[str, Any])
            if head.get("format") != BACKUP_FORMAT:
                raise ZooFileError(
                    "not a backup of a zoo",
                    where=str(path),
                    hint="import bundles and agents.json instead of restoring them",
                )
            # The rows fit the tables of the backup's own revision. `open_backup` migrates them
            # later.
            create_tables(copy, wait_seconds=5, revision=str(head["revision"]), where=str(path))
            _insert_lines(lines, copy, owner)
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


def _insert_lines(lines: Iterator[bytes], copy: Path, owner: str) -> None:
    """Insert the rows of a backup into a database that has the tables of the backup's revision."""
    with open_sqlite_transaction(copy, wait_seconds=5) as connection:
        # The tables are read from the database, because those of an older revision have other
        # columns.
        tables = MetaData()
        tables.reflect(connection, only=list(COPIED_TABLES))
        for name, batch in _group_rows(_parse_rows(lines)):
            table = tables.tables[name]
            owner_column = {"owner": owner} if "owner" in table.columns else {}
            connection.execute(insert(table), [{**row, **owner_column} for row in batch])


def _parse_rows(lines: Iterator[bytes]) -> Iterator[BackupRow]:
    """Yield the rows of a backup, such as `["agents", {"key": 1, …}]`.

    The last line has the number of rows. A file without it, or with another number, was cut off.
    """
    for row_count, line in enumerate(lines):
        data = msgspec.json.decode(line)
        # Rows are arrays. The only object after the header is the last line.
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
        """Write all data of the owner to a file, replacing an existing one, and return its path.

        A name that ends in `.db`, `.sqlite` or `.sqlite3` makes a copy of the SQLite database, with
        all owners. Any other name makes JSON lines, compressed if the name ends in `.gz`.

        Raises:
            ZooFileError: The file cannot be written.
        """
        path = Path(path).expanduser().absolute()
        with _convert_system_errors(path):
            if path.suffix in SQLITE_SUFFIXES:
                self._copy_database(path)
            else:
                with self.context.database.read_transaction(at_one_moment=True) as connection:
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
        """Replace all data of the owner with that of a backup, in one transaction.

        The existing data is first written to a backup in Paddock's directory.

        Returns:
            The path of that backup, or None if the zoo was empty.

        Raises:
            ZooFileError: The file is not a complete backup, or has data of other owners only.
            ZooUnavailableError: The backup is from a newer version of Paddock.
        """
        path = Path(path).expanduser().absolute()
        owner = self.context.owner
        with (
            _convert_system_errors(path),
            open_backup(path, owner) as backup,
            self.context.write_transaction(source) as tx,
        ):
            if has_only_other_owners(backup, owner):
                raise ZooFileError(
                    f"the backup has data of other owners, but none of {owner!r}",
                    where=str(path),
                )
            # The existing data is saved within the transaction, so that no change between backup
            # and restore is lost.
            safety_backup = self._write_safety_backup(tx)
            delete_owner_rows(tx.connection, owner)
            insert_rows(tx.connection, owner, iterate_rows(backup, owner))
            tx.record_event("zoo:restored", path=path.name)
        return safety_backup

    def _write_safety_backup(self, tx: WriteTransaction) -> Path | None:
        """Back up the data that a restore is about to replace, and return the path.

        Returns None if the zoo is empty.
        """
        rows = iterate_rows(tx.connection, self.context.owner)
        first = next(rows, None)
        if first is None:
            return None
        # Colons are not allowed in file names on Windows.
        name = f"before-restoring-{tx.timestamp.replace(':', '')}.jsonl.gz"
        path = Path(get_data_directory()) / "zoo" / "backups" / name
        write_backup_lines(path, chain([first], rows), tx.timestamp)
        return path


@contextmanager
def _convert_system_errors(path: Path) -> Iterator[None]:
    """Convert errors of the file system and of SQLite to errors that name the file."""
    try:
        yield
    except OSError as error:
        raise ZooFileError(
            f"cannot be read or written: {error.strerror or error}",
            where=str(error.filename or path),
            hint="choose a file that you can read and write",
        ) from None
    except sqlite3.Error as error:
        raise convert_sqlite_error(error, str(path)) or error from None
