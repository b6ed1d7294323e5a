"""The database that holds zoos: connections, transactions, and helpful errors if it is unusable.

SQLite uses a write-ahead log, so readers never wait. A writer takes its lock at the start of the
transaction, because two readers that both wanted to become writers would block each other. A commit
is on disk before anyone sees it (`synchronous = FULL`). In PostgreSQL, an advisory lock for each
owner gives the same behaviour.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool

from paddock.files import lock_file
from paddock.zoo.errors import FieldError, InvalidAgentError, ZooUnavailableError
from paddock.zoo.store import revisions
from paddock.zoo.store.change_watcher import ChangeWatcher, make_postgresql_watch, make_sqlite_watch
from paddock.zoo.store.sqlite_files import check_database_file, create_new_file, make_sqlite_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg
    from sqlalchemy import Connection, Engine


_SQLITE_MESSAGES = {
    sqlite3.SQLITE_BUSY: (
        "another program holds the write lock",
        "wait for the other program or stop it, then try again",
    ),
    sqlite3.SQLITE_LOCKED: (
        "another connection holds a lock",
        "wait for the other program or stop it, then try again",
    ),
    sqlite3.SQLITE_READONLY: (
        "the database is read-only",
        "make the file and its directory writable for you",
    ),
    sqlite3.SQLITE_PERM: ("permission denied", "make the file readable and writable for you"),
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened",
        "make the file and its directory readable and writable for you",
    ),
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "free some disk space; the last change was not saved",
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk cannot be read or written",
        "check whether the disk is full or failing; the last change was not saved",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the database is damaged",
        "restore a backup with `paddock zoo restore`, and keep the damaged file",
    ),
    sqlite3.SQLITE_NOTADB: (
        "not a SQLite database",
        "use another file, or move this one away",
    ),
}


_LOCK_NOT_AVAILABLE_STATE = "55P03"
"""PostgreSQL's `lock_not_available`, raised after a lock timeout."""
_UNSENDABLE_VALUE_ERRORS = (
    FieldError("text", "contains a character that cannot be stored (NUL or an unpaired surrogate)"),
    FieldError("number", "is too large to be stored"),
)

LOCK_TIMEOUT_SECONDS = 10.0
"""How long to wait for another writer's lock."""
CLOSE_TIMEOUT_SECONDS = 30.0
"""How long to wait for open transactions when closing."""
MAX_CONNECTIONS = 32
_SQLITE_POOL_SIZE, _POSTGRESQL_POOL_SIZE = 8, 5
"""Connections that stay open. Others, up to `MAX_CONNECTIONS`, are closed after use."""
_SQLITE_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "cache_size = -16000",  # kB: enough for the inner index pages of a million entries
)
_MIGRATION_LOCK_KEY = 0x7A6F6F  # "zoo"
_LOCK_OWNER_STATEMENT = text("SELECT pg_advisory_xact_lock(8026223, hashtext(:owner))")
_LOCK_TABLES_STATEMENT = text("SELECT pg_advisory_xact_lock(:key)")


@contextmanager
def convert_database_errors(where: str) -> Iterator[None]:
    """Convert database driver exceptions in the block to errors for the user.

    Errors caused by our own SQL are bugs, and pass through unchanged.

    Args:
        where: The database location, for error messages.

    Raises:
        ZooUnavailableError: The database cannot be used.
        InvalidAgentError: A value cannot be sent to the database, such as a search text that
            contains NUL.
    """
    text_error, number_error = _UNSENDABLE_VALUE_ERRORS
    try:
        yield
    except UnicodeEncodeError:
        raise InvalidAgentError([text_error]) from None
    except OverflowError:
        raise InvalidAgentError([number_error]) from None
    except DataError as error:
        # psycopg itself rejects NUL, without an SQLSTATE. The server rejects out-of-range numbers.
        is_from_server = getattr(error.orig, "sqlstate", None) is not None
        raise InvalidAgentError([number_error if is_from_server else text_error]) from None
    except PoolTimeoutError:
        raise ZooUnavailableError(
            "all connections are in use",
            where=where,
            hint="try again, with fewer requests at the same time",
        ) from None
    # SQLAlchemy does not wrap errors that occur in `_configure_sqlite`.
    except (sqlite3.Error, DBAPIError) as error:
        unavailable_error = _make_unavailable_error(error, where)
        if unavailable_error is None:
            raise
        raise unavailable_error from error


def _make_unavailable_error(
    error: sqlite3.Error | DBAPIError, where: str
) -> ZooUnavailableError | None:
    """Convert a database driver exception to an error for the user.

    Return None for an exception that our own SQL caused.
    """
    driver_error = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(driver_error, sqlite3.Error):
        return convert_sqlite_error(driver_error, where)
    # A PostgreSQL lock timeout gets the same message as a busy SQLite database.
    if getattr(driver_error, "sqlstate", None) == _LOCK_NOT_AVAILABLE_STATE:
        return _make_sqlite_error(sqlite3.SQLITE_BUSY, where)
    is_disconnected = isinstance(error, DBAPIError) and error.connection_invalidated
    if is_disconnected or isinstance(error, OperationalError | InterfaceError):
        message = str(driver_error).strip().partition("\n")[0]
        return ZooUnavailableError(
            f"the database reported an error: {message}",
            where=where,
            hint="check that the server is running, and that URL, user and password are correct",
        )
    return None


def convert_sqlite_error(error: sqlite3.Error, where: str) -> ZooUnavailableError | None:
    """Convert a SQLite exception to an error for the user.

    Return None for an exception that our own SQL caused.
    """
    # The low byte is the primary code. Extended codes use the other bytes for its variants.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return _make_sqlite_error(code, where) if code in _SQLITE_MESSAGES else None


def _make_sqlite_error(code: int, where: str) -> ZooUnavailableError:
    message, hint = _SQLITE_MESSAGES[code]
    return ZooUnavailableError(message, where=where, hint=hint)


class ZooDatabase:
    """A thread-safe set of connections to one database."""

    def __init__(self, url: str, *, wait_seconds: float = LOCK_TIMEOUT_SECONDS) -> None:
        self.url = _parse_url(url)
        self._condition = threading.Condition()
        self._open_connection_count = 0
        self._is_closed = False
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.location = (self.url.database or "") if self.is_sqlite else self.url.render_as_string()
        if self.is_sqlite:
            self._prepare_file(Path(self.location), wait_seconds)
            self.engine = create_sqlite_engine(self.location, wait_seconds)
            watch_changes = make_sqlite_watch(self.location)
        else:
            self.engine = create_postgresql_engine(self.url, wait_seconds)
            watch_changes = make_postgresql_watch(self.url)
        self.watcher = ChangeWatcher(watch_changes)
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Wait for open transactions, then close all connections."""
        # Close the watcher first. This wakes waiting threads, so that they do not start another
        # read.
        self.watcher.close()
        with self._condition:
            self._is_closed = True
            self._condition.wait_for(
                lambda: self._open_connection_count == 0, CLOSE_TIMEOUT_SECONDS
            )
        self.engine.dispose()

    @contextmanager
    def read_transaction(self, *, is_snapshot: bool = False) -> Iterator[Connection]:
        """Open a transaction that changes nothing.

        Args:
            is_snapshot: Make all statements see the same state, as backups require. Otherwise, in
                PostgreSQL, each statement sees the latest state. SQLite transactions are always
                snapshots.
        """
        with self._connect() as connection:
            if is_snapshot and not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
            connection.rollback()

    @contextmanager
    def write_transaction(self, owner: str) -> Iterator[Connection]:
        """Open a transaction that changes an owner's data, locking out other writers."""
        with self._connect() as connection, begin_write(connection):
            if not self.is_sqlite:
                connection.execute(_LOCK_OWNER_STATEMENT, {"owner": owner})
            yield connection

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        """Yield a connection, and count it as open so that `close` can wait for it.

        Raises:
            ZooUnavailableError: The zoo is closed, or the database cannot be used.
        """
        with self._condition:
            if self._is_closed:
                raise ZooUnavailableError(
                    "the zoo is closed", where=self.location, hint="open it again"
                )
            self._open_connection_count += 1
        try:
            with convert_database_errors(self.location), self.engine.connect() as connection:
                yield connection
        finally:
            with self._condition:
                self._open_connection_count -= 1
                self._condition.notify_all()

    def _prepare_file(self, path: Path, wait_seconds: float) -> None:
        """Create the file if it does not exist, or check it if it does."""
        if not path.exists():
            self._create_file(path, wait_seconds)
        with _convert_system_errors(path):
            check_database_file(path)

    def _create_file(self, path: Path, wait_seconds: float) -> None:
        """Create the database file with its tables, unless another process has just done so.

        The tables are created in a temporary file, so no process ever opens a half-created
        database.
        """
        with _convert_system_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with lock_file(path):
                # Another process may have created it while this one was waiting for the lock.
                if path.exists():
                    return
                with create_new_file(path) as temporary_path:
                    create_tables(temporary_path, wait_seconds)

    def _migrate(self) -> None:
        """Migrate the tables to the current revision."""
        with self.read_transaction() as connection:
            if revisions.get_revision(connection, self.location) == revisions.CURRENT_REVISION:
                return
        # Two processes may start at once. The lock makes the second one wait, and it then finds the
        # tables already migrated. In SQLite, every write transaction has such a lock.
        with self._connect() as connection, begin_write(connection):
            if not self.is_sqlite:
                connection.execute(_LOCK_TABLES_STATEMENT, {"key": _MIGRATION_LOCK_KEY})
            revisions.migrate_tables(connection, self.location)


def _parse_url(url: str) -> URL:
    """Parse a database URL, or the path of a SQLite file.

    Raises:
        ZooUnavailableError: The URL is for neither a SQLite file nor a PostgreSQL server.
    """
    if "://" not in url:
        return URL.create("sqlite", database=str(Path(url).expanduser().absolute()))
    location = None
    # `make_url` raises ValueError for a port that is not a number.
    with suppress(ArgumentError, ValueError):
        parsed_url = make_url(url)
        backend = parsed_url.get_backend_name()
        has_file = parsed_url.database not in (None, "", ":memory:")
        if backend in ("postgresql", "postgres") or (backend == "sqlite" and has_file):
            return parsed_url
        location = parsed_url.render_as_string()
    raise ZooUnavailableError(
        "not a URL of a database for a zoo",
        where=location,
        hint="use sqlite:////path/to/zoo.db or postgresql://user:password@host/name",
    )


def create_sqlite_engine(path: str, wait_seconds: float) -> Engine:
    """Return a SQLAlchemy engine for a SQLite file, with the settings that a zoo needs.

    Args:
        path: The file, which must exist.
        wait_seconds: How long to wait for another writer's lock, or for a free connection.
    """

    def connect() -> sqlite3.Connection:
        # The URI does not create files, so a deleted database leads to an error instead of an empty
        # zoo.
        return sqlite3.connect(
            make_sqlite_uri(path), uri=True, timeout=wait_seconds, check_same_thread=False
        )

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=_SQLITE_POOL_SIZE,
        max_overflow=MAX_CONNECTIONS - _SQLITE_POOL_SIZE,
        pool_timeout=wait_seconds,
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = (
        None  # transactions are begun by `_begin_sqlite`, not by the driver
    )
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction, and take the write lock if it is going to write."""
    writes = connection.get_execution_options().get("paddock_writes", False)
    # A plain BEGIN would take the lock at the first write, and two readers that both become writers
    # would block each other.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def begin_write(connection: Connection) -> Iterator[None]:
    """Begin a transaction that takes SQLite's write lock immediately, and commit it."""
    connection.execution_options(paddock_writes=True)
    with connection.begin():
        yield


@contextmanager
def open_sqlite_transaction(path: Path, wait_seconds: float) -> Iterator[Connection]:
    """Open a zoo's SQLite file, and yield a connection in a write transaction."""
    engine = create_sqlite_engine(str(path), wait_seconds)
    try:
        with engine.connect() as connection, begin_write(connection):
            yield connection
    finally:
        engine.dispose()  # closing the last connection merges the write-ahead log into the file


def create_tables(
    path: Path,
    wait_seconds: float,
    *,
    revision: str = revisions.CURRENT_REVISION,
    where: str | None = None,
) -> None:
    """Create a SQLite file with a zoo's tables, which only the user can read.

    Args:
        path: The file, which may not exist yet.
        wait_seconds: How long to wait for another writer's lock.
        revision: The schema revision of the tables. Older revisions are needed to load old backups.
        where: The file name to use in errors, `path` by default.
    """
    path.touch(mode=0o600)
    with (
        convert_database_errors(str(path)),
        open_sqlite_transaction(path, wait_seconds) as connection,
    ):
        revisions.migrate_tables(connection, where or str(path), to=revision)


def create_postgresql_engine(url: URL | str, wait_seconds: float) -> Engine:
    """Return a SQLAlchemy engine for a PostgreSQL server, with the settings that a zoo needs.

    Args:
        url: The database URL.
        wait_seconds: How long to wait for the server, for a lock, or for a free connection.
    """
    arguments: dict[str, Any] = {"connect_timeout": max(2, round(wait_seconds))}
    engine = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        connect_args=arguments,
        pool_size=_POSTGRESQL_POOL_SIZE,
        max_overflow=MAX_CONNECTIONS - _POSTGRESQL_POOL_SIZE,
        pool_timeout=wait_seconds,
        # A restarted server has closed the pooled connections.
        pool_pre_ping=True,
    )

    def configure(connection: psycopg.Connection, record: object) -> None:
        # With the default cost for random reads, PostgreSQL scans the whole table instead of using
        # the full-text index.
        connection.execute("SET random_page_cost = 1.1")
        # The default lock timeout is infinite.
        connection.execute(f"SET lock_timeout = {max(1, round(wait_seconds * 1000))}".encode())
        connection.commit()

    event.listen(engine, "connect", configure)
    return engine


@contextmanager
def _convert_system_errors(path: Path) -> Iterator[None]:
    """Convert file system errors to errors that name the file."""
    try:
        yield
    except OSError as error:
        raise ZooUnavailableError(
            f"the file cannot be used: {error.strerror or error}",
            where=str(error.filename or path),
            hint="make the file and its directory readable and writable for you",
        ) from None
