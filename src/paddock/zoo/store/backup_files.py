"""Backups as files: a copy of a SQLite database, or lines of JSON that any database can take back.

The first line of the latter says what it is and of which revision its rows are; each further one is
a row; the last one counts them, so that a file that was cut off is not taken for a whole one.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import zlib
from contextlib import closing, contextmanager, nullcontext
from gzip import GzipFile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
from sqlalchemy import MetaData, insert
from sqlalchemy.exc import SQLAlchemyError

from paddock.files import check_regular_file
from paddock.zoo.errors import ZooFileError
from paddock.zoo.store import copying, revisions, sqlite_files
from paddock.zoo.store.database import create_tables, create_sqlite_engine
from paddock.zoo.store.faults import convert_database_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from paddock.zoo.store.copying import RowData

BACKUP_FORMAT = "paddock-zoo-backup"
SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
GZIP_HEADER = b"\x1f\x8b"
MAX_LINE_BYTES = 200_000_000
"""More than any row of ours has; a file without line ends is not read into memory whole."""
_DAMAGE_EXCEPTIONS = (EOFError, KeyError, OSError, TypeError, ValueError, zlib.error, msgspec.MsgspecError)
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
                tables.reflect(connection, only=list(copying.COPIED_TABLES))
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
        if batch and (name != of or len(batch) >= copying.BATCH_ROWS):
            yield of, batch
            batch = []
        of = name
        batch.append(row)
    raise ValueError("its end is missing")
