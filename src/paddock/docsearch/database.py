"""The index: one SQLite file, which several processes read and write at once.

Each source is written in one transaction, so that whoever reads sees all of it or none. A file
that is damaged or of another version is thrown away: everything in it can be made again.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import DATA_VARIABLE, data_directory
from paddock.docsearch.queries import split_names
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paddock.docsearch.page import Page, Source

VERSION = 1
"""Of the tables below; an index of another version is made anew."""
WAIT_SECONDS = 20.0
"""For another process that is writing a source."""
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TABLES = """
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


def index_file() -> Path:
    """Where the index of this user is."""
    return Path(data_directory()) / "docsearch" / "index.db"


class Database:
    """A connection to an index; used by one thread at a time."""

    def __init__(self, file: Path | None) -> None:
        """Open an index, or make one; without a file it is in memory.

        Raises:
            IndexUnavailableError: when the file cannot be read or written.
        """
        self.file = file
        with _telling(file):
            if file is None:
                self._connection = _opened(":memory:")
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._connection = _opened_or_made_anew(file)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @property
    def generation(self) -> int:
        """Another number after every change to the pages, by whichever process."""
        value = self.setting("generation")
        return int(str(value)) if value is not None else 0

    def setting(self, name: str) -> object:
        """A value kept under a name, or None."""
        for row in self.rows("SELECT value FROM settings WHERE name = ?", name):
            return row[0]
        return None

    def set(self, name: str, value: object) -> None:
        """Keep a value under a name."""
        with _telling(self.file), self._connection:
            self._connection.execute("REPLACE INTO settings VALUES (?, ?)", (name, value))

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """What a statement gives."""
        with _telling(self.file):
            return self._connection.execute(statement, values).fetchall()

    def stamps(self, corpus: str) -> dict[str, str]:
        """Which sources of a corpus are in the index, and as of when."""
        found = self.rows("SELECT key, stamp FROM sources WHERE corpus = ?", corpus)
        return {str(key): str(stamp) for key, stamp in found}

    def replace(
        self,
        corpus: str,
        source: Source,
        pages: Sequence[tuple[Page, bytes | None]],
        *,
        kind: str = "",
        problem: str | None = None,
    ) -> None:
        """Put pages, each with its vector of a kind, in the place of what a source had."""
        with self._writing() as connection:
            known = connection.execute(
                "SELECT stamp FROM sources WHERE corpus = ? AND key = ?", (corpus, source.key)
            ).fetchone()
            if known is not None and known[0] == source.stamp:
                return  # another process was quicker
            _drop(connection, corpus, source.key)
            number = connection.execute(
                "INSERT INTO sources (corpus, key, stamp, problem) VALUES (?, ?, ?, ?)",
                (corpus, source.key, source.stamp, problem),
            ).lastrowid
            for page, vector in pages:
                _add(connection, corpus, number, page, vector, kind)

    def remove(self, corpus: str, keys: Iterable[str]) -> None:
        """Forget sources."""
        with self._writing() as connection:
            for key in keys:
                _drop(connection, corpus, key)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with _telling(self.file):
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


def _add(
    connection: sqlite3.Connection,
    corpus: str,
    source: int | None,
    page: Page,
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
        (number, f"{names} {split_names(names)}", page.title, page.words, page.text, corpus),
    )
    connection.executemany(
        "INSERT INTO names VALUES (?, ?, ?)", [(n.lower(), number, corpus) for n in page.names]
    )


def _drop(connection: sqlite3.Connection, corpus: str, key: str) -> None:
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


def _opened(file: Path | str) -> sqlite3.Connection:
    """A connection to a database with our tables."""
    connection = sqlite3.connect(
        file, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    try:
        if version not in (0, VERSION):
            raise _OtherVersionError(f"the index is of version {version}")
        if version == 0:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


class _OtherVersionError(sqlite3.DatabaseError):
    """Another release of Paddock has made the index."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def _opened_or_made_anew(file: Path) -> sqlite3.Connection:
    try:
        return _opened(file)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    discard(file)
    return _opened(file)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is no good, and not that it is busy or out of reach."""
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF in DAMAGED


def discard(file: Path) -> None:
    """Delete an index with what belongs to it."""
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        (file.parent / name).unlink(missing_ok=True)


@contextmanager
def _telling(file: Path | None) -> Iterator[None]:
    """Tell what the system or SQLite says as an error of ours; damage is for the caller."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unavailable(file, str(error), is_damaged=is_damage(error)) from error
    except OSError as error:
        raise _unavailable(file, error.strerror or str(error), is_damaged=False) from error


class DamagedIndexError(IndexUnavailableError):
    """The file of the index is no good any more."""

    code = "index-damaged"


def _unavailable(file: Path | None, reason: str, *, is_damaged: bool) -> IndexUnavailableError:
    kind: Callable[..., IndexUnavailableError]
    kind = DamagedIndexError if is_damaged else IndexUnavailableError
    return kind(
        f"the index of documentation cannot be used: {reason}",
        where=None if file is None else str(file),
        hint=f"it can be deleted at any time; set {DATA_VARIABLE} to keep it elsewhere",
    )
