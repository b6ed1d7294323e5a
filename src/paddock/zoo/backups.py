"""All that an owner has as plain rows, and such rows put back; keys are given out anew.

Rows are copied from one database to another, of either kind, when both are at the present revision.

Backups as files: a copy of a SQLite database, or lines of JSON that any database can take back.

The first line of the latter says what it is and of which revision its rows are; each further one is
a row; the last one counts them, so that a file that was cut off is not taken for a whole one.

Keeping all of a zoo in a file, and having it back.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import zlib
from contextlib import closing, contextmanager, nullcontext
from gzip import GzipFile
from itertools import chain
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
    create_sqlite_engine,
    create_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection, Select

    from paddock.zoo.store.transaction import WriteTransaction


BATCH_ROWS = 1_000

RowData = dict[str, Any]

_PLAIN_METADATA = MetaData()


def _make_plain_table(table: Table) -> Table:
    """A table whose data is text as it stands, so that nothing is lost on the way."""
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
"""In the order in which they can be put back. Events are told once, and not copied."""


def iterate_rows(connection: Connection, owner: str) -> Iterator[tuple[str, RowData]]:
    """The names of tables with their rows, read while they are taken."""
    for name, table in COPIED_TABLES.items():
        columns = [column for column in table.columns if column.name != "owner"]
        statement = _filter_by_owner(select(*columns), table, owner)
        in_parts = statement.execution_options(yield_per=BATCH_ROWS)
        for row in connection.execute(in_parts).mappings():
            yield name, {str(key): value for key, value in row.items()}


def _filter_by_owner(statement: Select[Any], table: Table, owner: str) -> Select[Any]:
    if table is _PLAIN_VERSIONS:
        statement = statement.join(
            _PLAIN_AGENTS, _PLAIN_AGENTS.c.key == _PLAIN_VERSIONS.c.agent_key
        )
        statement = statement.where(_PLAIN_AGENTS.c.owner == owner)
    else:
        statement = statement.where(table.c.owner == owner)
    return statement.order_by(*table.primary_key.columns)


def has_only_other_owners(connection: Connection, owner: str) -> bool:
    """Whether there are agents, and none of an owner."""
    owners = set(connection.scalars(select(_PLAIN_AGENTS.c.owner).distinct()))
    return bool(owners) and owner not in owners


def delete_owner_rows(connection: Connection, owner: str) -> None:
    """Delete what an owner has, but for the events."""
    for table in COPIED_TABLES.values():
        if "owner" in table.columns:  # versions go with their agents
            connection.execute(delete(table).where(table.c.owner == owner))


def insert_rows(connection: Connection, owner: str, rows: Iterable[tuple[str, RowData]]) -> None:
    """Insert rows, in the order of `rows_of`.

    Raises:
        KeyError: for a table, or an agent, that there is not.
    """
    keys: dict[int, int] = {}
    batch: list[RowData] = []
    of = _PLAIN_AGENTS
    for name, given in rows:
        table = COPIED_TABLES[name]
        if table is not of or len(batch) >= BATCH_ROWS:
            _insert_batch(connection, of, batch)
            batch, of = [], table
        row = _adapt_row(table, given, owner, keys)
        if table is _PLAIN_AGENTS:
            inserted = connection.execute(insert(_PLAIN_AGENTS), row).inserted_primary_key or (0,)
            keys[given["key"]] = inserted[0]
        else:
            batch.append(row)
    _insert_batch(connection, of, batch)


def _adapt_row(table: Table, given: Mapping[str, Any], owner: str, keys: dict[int, int]) -> RowData:
    row = {name: value for name, value in given.items() if name != "key"}
    if "owner" in table.columns:
        row["owner"] = owner
    if "agent_key" in row:
        row["agent_key"] = keys[row["agent_key"]]
    return row


def _insert_batch(connection: Connection, table: Table, batch: list[RowData]) -> None:
    if batch:
        connection.execute(insert(table), batch)


BACKUP_FORMAT = "paddock-zoo-backup"
SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
GZIP_HEADER = b"\x1f\x8b"
MAX_LINE_BYTES = 200_000_000
"""More than any row of ours has; a file without line ends is not read into memory whole."""
_DAMAGE_EXCEPTIONS = (
    EOFError,
    KeyError,
    OSError,
    TypeError,
    ValueError,
    zlib.error,
    msgspec.MsgspecError,
)
"""What reading a damaged file ends in, whatever the damage."""


@contextmanager
def _replace_file(path: Path) -> Iterator[Path]:
    """A new file beside one, which takes its place when it is complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    new = Path(name)
    try:
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def copy_sqlite_database(source: str, path: Path) -> None:
    """Copy a database that others may be writing to, as it is at one moment."""
    with (
        _replace_file(path) as new,
        closing(sqlite3.connect(sqlite_files.make_sqlite_uri(source), uri=True)) as original,
        closing(sqlite3.connect(new)) as copy,
    ):
        original.backup(copy)


def write_backup_lines(path: Path, rows: Iterable[tuple[str, RowData]], at: str) -> int:
    """Write rows; how many there were."""
    with _replace_file(path) as new, new.open("wb") as raw:
        compressed = GzipFile(fileobj=raw, mode="wb") if path.suffix == ".gz" else None
        with compressed or nullcontext(raw) as file:
            head = {"format": BACKUP_FORMAT, "revision": revisions.CURRENT_REVISION, "madeAt": at}
            file.write(msgspec.json.encode(head) + b"\n")
            count = sum(file.write(msgspec.json.encode(one) + b"\n") > 0 for one in rows)
            file.write(msgspec.json.encode({"rows": count}) + b"\n")
        return count


@contextmanager
def open_backup(path: Path, owner: str) -> Iterator[Connection]:
    """What is in a backup, of whatever revision, as a database at the present one.

    Raises:
        ZooFileError: when it is no backup, or not a whole one.
        ZooUnavailableError: when it is of a newer Paddock.
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
        engine = create_sqlite_engine(str(copy), wait_seconds=5)
        try:
            with convert_database_errors(str(path)), engine.connect() as connection:
                connection.execution_options(paddock_writes=True)
                with connection.begin():
                    if revisions.get_revision(connection, str(path)) is None:
                        raise ZooFileError("it is an empty database", where=str(path))
                    revisions.migrate_tables(connection, str(path))
                    yield connection
        finally:
            engine.dispose()


def _copy_and_check(path: Path, copy: Path) -> None:
    try:
        copy_sqlite_database(str(path), copy)
        with closing(sqlite3.connect(copy)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise ZooFileError(f"it cannot be read: {error}", where=str(path)) from None
    if found != "ok":
        raise ZooFileError(f"it is damaged: {found}", where=str(path), hint="take another backup")


def _fill_from_lines(path: Path, copy: Path, owner: str) -> None:
    with path.open("rb") as raw:
        is_gzip = raw.read(len(GZIP_HEADER)) == GZIP_HEADER
        raw.seek(0)
        file: BinaryIO = cast("BinaryIO", GzipFile(fileobj=raw)) if is_gzip else raw
        try:
            lines = _iterate_lines(file)
            head = msgspec.json.decode(next(lines, b""), type=dict[str, Any])
            if head.get("format") != BACKUP_FORMAT:
                raise ZooFileError(
                    "it is no backup of a zoo",
                    where=str(path),
                    hint="bundles and agents.json are imported, and not restored",
                )
            create_tables(copy, wait_seconds=5, revision=str(head["revision"]), where=str(path))
            _insert_lines(lines, copy, owner)
        except SQLAlchemyError:
            raise ZooFileError(
                "its rows are not those of a zoo",
                where=str(path),
                hint="take another backup; nothing was changed",
            ) from None
        except _DAMAGE_EXCEPTIONS as error:
            raise ZooFileError(
                f"it is damaged, or not a whole backup: {error}",
                where=str(path),
                hint="take another backup; nothing was changed",
            ) from None


def _iterate_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES:
            raise ValueError(f"a line has more than {MAX_LINE_BYTES:,} bytes")
        yield line


def _insert_lines(lines: Iterator[bytes], copy: Path, owner: str) -> None:
    engine = create_sqlite_engine(str(copy), wait_seconds=5)
    try:
        with engine.connect() as connection:
            connection.execution_options(paddock_writes=True)
            with connection.begin():
                tables = MetaData()
                tables.reflect(connection, only=list(COPIED_TABLES))
                for name, batch in _iterate_batches(lines):
                    table = tables.tables[name]
                    given = {"owner": owner} if "owner" in table.columns else {}
                    connection.execute(insert(table), [{**row, **given} for row in batch])
    finally:
        engine.dispose()


def _iterate_batches(lines: Iterator[bytes]) -> Iterator[tuple[str, list[RowData]]]:
    """The rows of one table after the other, some at a time."""
    of, batch = "", list[Any]()
    for number, line in enumerate(lines):
        data = msgspec.json.decode(line)
        if isinstance(data, dict):
            if batch:
                yield of, batch
            if data["rows"] != number:
                raise ValueError(f"{data['rows']} rows were written, and {number} are there")
            return
        name, row = data
        if batch and (name != of or len(batch) >= BATCH_ROWS):
            yield of, batch
            batch = []
        of = name
        batch.append(row)
    raise ValueError("its end is missing")


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
            if path.suffix in SQLITE_SUFFIXES:
                if not self._database.is_sqlite:
                    raise ZooFileError(
                        "a zoo in PostgreSQL gives no copy of a SQLite database",
                        where=str(path),
                        hint="let the name end in .jsonl or .jsonl.gz",
                    )
                if path.exists() and path.samefile(self._database.location):
                    raise ZooFileError("that is the zoo itself", where=str(path))
                copy_sqlite_database(self._database.location, path)
            else:
                with self._database.read_transaction(at_one_moment=True) as connection:
                    rows = iterate_rows(connection, self._owner)
                    write_backup_lines(path, rows, timestamps.get_current_timestamp())
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
            open_backup(path, self._owner) as backup,
            self._write_transaction(source) as writing,
        ):
            if has_only_other_owners(backup, self._owner):
                raise ZooFileError(
                    f"it holds nothing of the owner {self._owner!r}, and something of others",
                    where=str(path),
                )
            kept = self._write_safety_backup(writing)
            delete_owner_rows(writing.connection, self._owner)
            insert_rows(writing.connection, self._owner, iterate_rows(backup, self._owner))
            writing.record_event("zoo:restored", path=path.name)
        return kept

    def _write_safety_backup(self, writing: WriteTransaction) -> Path | None:
        rows = iterate_rows(writing.connection, self._owner)
        first = next(rows, None)
        if first is None:
            return None
        name = f"before-restoring-{writing.timestamp.replace(':', '')}.jsonl.gz"
        path = Path(get_data_directory()) / "zoo" / "backups" / name
        write_backup_lines(path, chain([first], rows), writing.timestamp)
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
