"""The index: one SQLite file, which several processes read and write at once.

Each source is written in one transaction, so that whoever reads sees all of it or none. A file
that is damaged or of another version is thrown away: everything in it can be made again.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import DATA_DIRECTORY_VARIABLE, get_data_directory
from paddock.docsearch.model import split_identifiers
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paddock.docsearch.model import CorpusSource, DocPage

SCHEMA_VERSION = 1
"""Of the tables below; an index of another version is made anew."""
BUSY_TIMEOUT_SECONDS = 20.0
"""For another process that is writing a source."""
CORRUPTION_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SCHEMA = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, corpus TEXT, key TEXT, stamp TEXT, problem TEXT, UNIQUE (corpus, key));
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, source INTEGER, corpus TEXT, title TEXT, origin TEXT, text TEXT);
CREATE INDEX pages_by_source ON pages (source);
CREATE TABLE names (name TEXT, page INTEGER, corpus TEXT);
CREATE INDEX names_by_name ON names (name);
CREATE INDEX names_by_page ON names (page);
CREATE TABLE vectors (page INTEGER PRIMARY KEY, corpus TEXT, kind TEXT, vector BLOB);
CREATE VIRTUAL TABLE texts USING fts5 (
    names, title, words, text, corpus UNINDEXED, tokenize = 'porter unicode61');
CREATE TABLE settings (name TEXT PRIMARY KEY, value);
"""


class IndexUnavailableError(PaddockError):
    """The index of documentation cannot be read or written."""

    code = "index-unavailable"


def get_index_file() -> Path:
    """Where the index of this user is."""
    return Path(get_data_directory()) / "docsearch" / "index.db"


class IndexStore:
    """A connection to an index; used by one thread at a time."""

    def __init__(self, file: Path | None) -> None:
        """Open an index, or make one; without a file it is in memory.

        Raises:
            IndexUnavailableError: when the file cannot be read or written.
        """
        self.file = file
        with _convert_errors(file):
            if file is None:
                self._connection = _open_connection(":memory:")
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._connection = _open_or_recreate(file)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @property
    def generation(self) -> int:
        """Another number after every change to the pages, by whichever process."""
        value = self.get_setting("generation")
        return int(str(value)) if value is not None else 0

    def get_setting(self, name: str) -> object:
        """A value kept under a name, or None."""
        for row in self.fetch_rows("SELECT value FROM settings WHERE name = ?", name):
            return row[0]
        return None

    def set_setting(self, name: str, value: object) -> None:
        """Keep a value under a name."""
        with _convert_errors(self.file), self._connection:
            self._connection.execute("REPLACE INTO settings VALUES (?, ?)", (name, value))

    def fetch_rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """What a statement gives."""
        with _convert_errors(self.file):
            return self._connection.execute(statement, values).fetchall()

    def get_stamps(self, corpus: str) -> dict[str, str]:
        """Which sources of a corpus are in the index, and as of when."""
        found = self.fetch_rows("SELECT key, stamp FROM sources WHERE corpus = ?", corpus)
        return {str(key): str(stamp) for key, stamp in found}

    def replace_source(
        self,
        corpus: str,
        source: CorpusSource,
        pages: Sequence[tuple[DocPage, bytes | None]],
        *,
        kind: str = "",
        problem: str | None = None,
    ) -> None:
        """Put pages, each with its vector of a kind, in the place of what a source had."""
        with self._write_transaction() as connection:
            known = connection.execute(
                "SELECT stamp FROM sources WHERE corpus = ? AND key = ?", (corpus, source.key)
            ).fetchone()
            if known is not None and known[0] == source.stamp:
                return  # another process was quicker
            _delete_source(connection, corpus, source.key)
            number = connection.execute(
                "INSERT INTO sources (corpus, key, stamp, problem) VALUES (?, ?, ?, ?)",
                (corpus, source.key, source.stamp, problem),
            ).lastrowid
            for page, vector in pages:
                _insert_page(connection, corpus, number, page, vector, kind)

    def remove_sources(self, corpus: str, keys: Iterable[str]) -> None:
        """Forget sources."""
        with self._write_transaction() as connection:
            for key in keys:
                _delete_source(connection, corpus, key)

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with _convert_errors(self.file):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute(
                    "INSERT INTO settings VALUES ('generation', 1)"
                    " ON CONFLICT (name) DO UPDATE SET value = value + 1"
                )
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")


def _insert_page(
    connection: sqlite3.Connection,
    corpus: str,
    source: int | None,
    page: DocPage,
    vector: bytes | None,
    kind: str,
) -> None:
    number = connection.execute(
        "INSERT INTO pages (source, corpus, title, origin, text) VALUES (?, ?, ?, ?, ?)",
        (source, corpus, page.title, page.origin, page.text),
    ).lastrowid
    if vector is not None:
        row = (number, corpus, kind, vector)
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", row)
    names = " ".join(page.names)
    connection.execute(
        "INSERT INTO texts (rowid, names, title, words, text, corpus) VALUES (?, ?, ?, ?, ?, ?)",
        (
            number,
            f"{names} {split_identifiers(names)}",
            page.title,
            page.keywords,
            page.text,
            corpus,
        ),
    )
    connection.executemany(
        "INSERT INTO names VALUES (?, ?, ?)", [(n.lower(), number, corpus) for n in page.names]
    )


def _delete_source(connection: sqlite3.Connection, corpus: str, key: str) -> None:
    found = connection.execute(
        "SELECT id FROM sources WHERE corpus = ? AND key = ?", (corpus, key)
    ).fetchone()
    if found is None:
        return
    pages = "(SELECT id FROM pages WHERE source = ?)"
    for table, column in (("texts", "rowid"), ("names", "page"), ("vectors", "page")):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN {pages}", found)  # noqa: S608 - constants
    connection.execute("DELETE FROM pages WHERE source = ?", found)
    connection.execute("DELETE FROM sources WHERE id = ?", found)


def _open_connection(file: Path | str) -> sqlite3.Connection:
    """A connection to a database with our tables."""
    connection = sqlite3.connect(
        file, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _create_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _create_tables(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    try:
        if version not in (0, SCHEMA_VERSION):
            raise _SchemaVersionError(f"the index is of version {version}")
        if version == 0:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


class _SchemaVersionError(sqlite3.DatabaseError):
    """Another release of Paddock has made the index."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def _open_or_recreate(file: Path) -> sqlite3.Connection:
    try:
        return _open_connection(file)
    except sqlite3.DatabaseError as error:
        if not is_corruption_error(error):
            raise
    delete_index_files(file)
    return _open_connection(file)


def is_corruption_error(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is no good, and not that it is busy or out of reach."""
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF in CORRUPTION_CODES


def delete_index_files(file: Path) -> None:
    """Delete an index with what belongs to it."""
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        (file.parent / name).unlink(missing_ok=True)


@contextmanager
def _convert_errors(file: Path | None) -> Iterator[None]:
    """Tell what the system or SQLite says as an error of ours; damage is for the caller."""
    try:
        yield
    except sqlite3.Error as error:
        raise _create_unavailable_error(
            file, str(error), is_damaged=is_corruption_error(error)
        ) from error
    except OSError as error:
        raise _create_unavailable_error(
            file, error.strerror or str(error), is_damaged=False
        ) from error


class DamagedIndexError(IndexUnavailableError):
    """The file of the index is no good any more."""

    code = "index-damaged"


def _create_unavailable_error(
    file: Path | None, reason: str, *, is_damaged: bool
) -> IndexUnavailableError:
    kind: Callable[..., IndexUnavailableError]
    kind = DamagedIndexError if is_damaged else IndexUnavailableError
    return kind(
        f"the index of documentation cannot be used: {reason}",
        where=None if file is None else str(file),
        hint=f"it can be deleted at any time; set {DATA_DIRECTORY_VARIABLE} to keep it elsewhere",
    )
