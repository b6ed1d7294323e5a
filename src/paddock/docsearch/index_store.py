"""The search index: an SQLite file that multiple processes read and write concurrently.

Each source is replaced in one transaction, so readers see all of its pages or none. A file that is
damaged or has a different schema is deleted, because the index can be rebuilt at any time.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.directories import DATA_DIRECTORY_VARIABLE, get_data_directory
from paddock.docsearch.model import split_identifiers
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paddock.docsearch.model import CorpusSource, DocPage

# An index with another version is rebuilt.
SCHEMA_VERSION = 1
BUSY_TIMEOUT_SECONDS = 20.0  # Longer than another process needs to write a source.
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
    """The documentation index cannot be read or written."""

    code = "index-unavailable"


class DamagedIndexError(IndexUnavailableError):
    """The index file is damaged."""

    code = "index-damaged"


def get_index_file() -> Path:
    """Return the path to the user's index."""
    return Path(get_data_directory()) / "docsearch" / "index.db"


class IndexStore:
    """A connection to the index, for use by one thread at a time."""

    def __init__(self, file: Path | None) -> None:
        """Open or create a search index, which is an SQLite database.

        Args:
            file: The index file, or None for an index in memory.

        Raises:
            IndexUnavailableError: The file cannot be read or written.
        """
        self.file = file
        with _convert_errors(file):
            if file is None:
                self._connection = _open_connection(":memory:")
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._connection = _open_or_recreate(file)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @property
    def generation(self) -> int:
        """A number that changes whenever any process changes the pages.

        In-memory caches, such as the ranker's vectors, compare it to detect changes.
        """
        generation: int = self.get_setting("generation") or 0
        return generation

    def get_setting(self, name: str) -> Any:
        """Return the value of a setting, or None."""
        rows = self.fetch_rows("SELECT value FROM settings WHERE name = ?", name)
        return rows[0][0] if rows else None

    def set_setting(self, name: str, value: object) -> None:
        """Set the value of a setting."""
        with _convert_errors(self.file), self._connection:
            self._connection.execute("REPLACE INTO settings VALUES (?, ?)", (name, value))

    def fetch_rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows selected by a statement."""
        with _convert_errors(self.file):
            return self._connection.execute(statement, values).fetchall()

    def get_stamps(self, corpus: str) -> dict[str, str]:
        """Return the stamps of a corpus's indexed sources, by key."""
        return dict(self.fetch_rows("SELECT key, stamp FROM sources WHERE corpus = ?", corpus))

    def replace_source(
        self,
        corpus: str,
        source: CorpusSource,
        pages: Sequence[tuple[DocPage, bytes | None]],
        *,
        kind: str = "",
        problem: str | None = None,
    ) -> None:
        """Replace a source's pages in one transaction.

        Nothing is written if the stored stamp is the same, because another process has then indexed
        the source since the caller read the stamps.

        Args:
            corpus: The name of the corpus.
            source: The source, with its new stamp.
            pages: Its pages, each with a quantized vector or None.
            kind: The name of the embedding that produced the vectors.
            problem: The reason why the source could not be read. Such a source has no pages.
        """
        with self._write_transaction() as connection:
            stored = connection.execute(
                "SELECT stamp FROM sources WHERE corpus = ? AND key = ?", (corpus, source.key)
            ).fetchone()
            if stored is not None and stored[0] == source.stamp:
                return  # another process has indexed the source
            _delete_source(connection, corpus, source.key)
            source_id = connection.execute(
                "INSERT INTO sources (corpus, key, stamp, problem) VALUES (?, ?, ?, ?)",
                (corpus, source.key, source.stamp, problem),
            ).lastrowid
            for page, vector in pages:
                _insert_page(connection, corpus, source_id, page, vector, kind)

    def remove_sources(self, corpus: str, keys: Iterable[str]) -> None:
        """Remove sources and their pages."""
        with self._write_transaction() as connection:
            for key in keys:
                _delete_source(connection, corpus, key)

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the body of a `with` statement in a transaction.

        The transaction also increments the generation, a number that shows other processes that the
        index has changed.
        """
        connection = self._connection
        with _convert_errors(self.file):
            # Take the write lock immediately. A transaction that starts with a read can fail when
            # it is upgraded to a write while another process is writing.
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
    """Insert a page into the tables for its text, its vector and its names.

    The full-text table also contains the names split into words, so that a query for "list plot"
    finds `ListPlot`.

    Args:
        connection: A connection within a transaction.
        corpus: The name of the corpus.
        source: The row id of the source that contains the page.
        page: The page.
        vector: Its quantized vector, or None.
        kind: The name of the embedding that produced the vector.
    """
    page_id = connection.execute(
        "INSERT INTO pages (source, corpus, title, origin, text) VALUES (?, ?, ?, ?, ?)",
        (source, corpus, page.title, page.origin, page.text),
    ).lastrowid
    if vector is not None:
        row = (page_id, corpus, kind, vector)
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", row)
    names = " ".join(page.names)
    all_names = f"{names} {split_identifiers(names)}"
    connection.execute(
        "INSERT INTO texts (rowid, names, title, words, text, corpus) VALUES (?, ?, ?, ?, ?, ?)",
        (page_id, all_names, page.title, page.keywords, page.text, corpus),
    )
    # Names are compared case-insensitively.
    connection.executemany(
        "INSERT INTO names VALUES (?, ?, ?)",
        [(name.lower(), page_id, corpus) for name in page.names],
    )


def _delete_source(connection: sqlite3.Connection, corpus: str, key: str) -> None:
    """Delete a source and all rows for its pages, if the source is in the index.

    Args:
        connection: A connection within a transaction.
        corpus: The name of the corpus.
        key: The source's key in the corpus, such as a path.
    """
    source_row = connection.execute(
        "SELECT id FROM sources WHERE corpus = ? AND key = ?", (corpus, key)
    ).fetchone()
    if source_row is None:
        return
    pages = "(SELECT id FROM pages WHERE source = ?)"
    for table, column in (("texts", "rowid"), ("names", "page"), ("vectors", "page")):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN {pages}", source_row)  # noqa: S608 - constant names
    connection.execute("DELETE FROM pages WHERE source = ?", source_row)
    connection.execute("DELETE FROM sources WHERE id = ?", source_row)


def _open_connection(file: Path | str) -> sqlite3.Connection:
    """Connect to a search index's SQLite database, and create the tables if necessary."""
    connection = sqlite3.connect(
        # The module begins all transactions explicitly (isolation_level). Handlers run in several
        # threads, but the lock of the search ensures that only one of them uses the connection at a
        # time.
        file,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # Readers must not wait for the background process, which writes for minutes.
        connection.execute("PRAGMA journal_mode = WAL")
        # A transaction that is lost in a power failure is simply indexed again.
        connection.execute("PRAGMA synchronous = NORMAL")
        _create_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables in a new database, and reject one with a different schema version."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
        return
    # The version is read again under the write lock, because another process may have created the
    # tables in the meantime.
    connection.execute("BEGIN IMMEDIATE")
    schema_version = connection.execute("PRAGMA user_version").fetchone()[0]
    try:
        if schema_version not in (0, SCHEMA_VERSION):
            raise _SchemaVersionError(f"the index has version {schema_version}")
        if schema_version == 0:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


class _SchemaVersionError(sqlite3.DatabaseError):
    """The index was created by a different release of Paddock.

    The error code is the same as for a damaged file, so the file is deleted and rebuilt.
    """

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def _open_or_recreate(file: Path) -> sqlite3.Connection:
    """Open a search index file. A damaged or outdated file is deleted and recreated."""
    try:
        return _open_connection(file)
    except sqlite3.DatabaseError as error:
        if not is_corruption_error(error):
            raise
    delete_index_files(file)
    return _open_connection(file)


def is_corruption_error(error: sqlite3.Error) -> bool:
    """Return True if an error means that the file is damaged, not busy or unreachable."""
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF in CORRUPTION_CODES


def delete_index_files(file: Path) -> None:
    """Delete the index and its journal files."""
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        (file.parent / name).unlink(missing_ok=True)


@contextmanager
def _convert_errors(file: Path | None) -> Iterator[None]:
    """Convert SQLite and operating system errors to `IndexUnavailableError`.

    If the file is damaged, the error is a `DamagedIndexError`, and the caller can rebuild the
    index.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        is_damaged = isinstance(error, sqlite3.Error) and is_corruption_error(error)
        error_class = DamagedIndexError if is_damaged else IndexUnavailableError
        reason = getattr(error, "strerror", None) or str(error)
        raise error_class(
            f"the documentation index cannot be used: {reason}",
            where=None if file is None else str(file),
            hint="the index can be deleted at any time; set "
            f"{DATA_DIRECTORY_VARIABLE} to store it elsewhere",
        ) from error
