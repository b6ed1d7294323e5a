"""A database that holds zoos: connections, transactions, and waiting for changes.

SQLite is read and written through its write-ahead log, so that readers never wait. A writer takes
its lock when it begins, not in the middle, where two of them could only give up. A change is on the
disk before it is told of (`synchronous = FULL`). PostgreSQL does the like by a lock for each zoo.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool

from paddock.files import locked
from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.store import revisions
from paddock.zoo.store.faults import telling_faults
from paddock.zoo.store.sqlite_files import address_of, check_file, new_file
from paddock.zoo.store.watching import Watcher, watched_postgresql, watched_sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg
    from sqlalchemy import Connection, Engine

WAIT_SECONDS = 10.0
"""How long to wait for the lock of another writer."""
CLOSE_SECONDS = 30.0
"""How long to wait for what is under way when a database is to be closed."""
MOST_CONNECTIONS = 32

_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "cache_size = -16000",  # kB: the upper pages of the trees of a million entries
)
_MIGRATION_LOCK = 0x7A6F6F  # "zoo"


class Database:
    """Connections to one database; safe to use from any thread."""

    def __init__(self, url: str, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self.url = _parsed(url)
        self._changed = threading.Condition()
        self._under_way = 0
        self._is_closed = False
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.where = (self.url.database or "") if self.is_sqlite else self.url.render_as_string()
        if self.is_sqlite:
            self._prepare_file(Path(self.where), wait_seconds)
            self.engine = sqlite_engine(self.where, wait_seconds)
            watched = watched_sqlite(self.where)
        else:
            self.engine = postgresql_engine(self.url, wait_seconds)
            watched = watched_postgresql(self.url)
        self.watcher = Watcher(watched)
        try:
            self._bring_up_to_date()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections, when what is under way has ended."""
        self.watcher.close()
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: self._under_way == 0, CLOSE_SECONDS)
        self.engine.dispose()

    @contextmanager
    def reading(self, *, at_one_moment: bool = False) -> Iterator[Connection]:
        """A transaction that changes nothing.

        In SQLite all its statements see one state of the database; in PostgreSQL each one sees the
        newest, unless they all have to fit together.
        """
        with self._connected() as connection:
            if at_one_moment and not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self, owner: str) -> Iterator[Connection]:
        """A transaction that changes what an owner has; nobody else does so meanwhile."""
        with self._connected() as connection:
            connection.execution_options(paddock_writes=True)
            with connection.begin():
                if not self.is_sqlite:
                    connection.execute(_LOCK_OWNER, {"owner": owner})
                yield connection

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with self._changed:
            if self._is_closed:
                raise ZooUnavailableError("it is closed", where=self.where, hint="open it again")
            self._under_way += 1
        try:
            with telling_faults(self.where), self.engine.connect() as connection:
                yield connection
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _prepare_file(self, path: Path, wait_seconds: float) -> None:
        """Make a new file whole before it gets its name; leave alone what is no database."""
        if not path.exists():
            self._make_file(path, wait_seconds)
        with _telling_system_faults(path):
            check_file(path)

    def _make_file(self, path: Path, wait_seconds: float) -> None:
        with _telling_system_faults(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path):
                if path.exists():
                    return
                with new_file(path) as new:
                    fill_file(new, wait_seconds)

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            if revisions.revision_of(connection, self.where) == revisions.CURRENT:
                return
        with self._connected() as connection:
            connection.execution_options(paddock_writes=True)
            with connection.begin():
                if not self.is_sqlite:
                    connection.execute(_LOCK_TABLES, {"key": _MIGRATION_LOCK})
                revisions.migrate(connection, self.where)


_LOCK_OWNER = text("SELECT pg_advisory_xact_lock(8026223, hashtext(:owner))")
_LOCK_TABLES = text("SELECT pg_advisory_xact_lock(:key)")


def _parsed(url: str) -> URL:
    if "://" not in url:
        return URL.create("sqlite", database=str(Path(url).expanduser().absolute()))
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        parsed = None
    backend = parsed.get_backend_name() if parsed is not None else ""
    if parsed is not None and backend in ("postgresql", "postgres"):
        return parsed
    if parsed is not None and backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    raise ZooUnavailableError(
        "it is no address of a database for a zoo",
        where=parsed.render_as_string() if parsed is not None else None,
        hint="give sqlite:////path/to/zoo.db or postgresql://user:password@host/name",
    )


def sqlite_engine(path: str, wait_seconds: float) -> Engine:
    """Connections to a file as every part of a zoo has them."""

    def connected() -> sqlite3.Connection:
        # Never making a file: one that is gone is told of, and not taken for an empty zoo.
        return sqlite3.connect(
            address_of(path), uri=True, timeout=wait_seconds, check_same_thread=False
        )

    engine = create_engine(
        "sqlite://",
        creator=connected,
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=MOST_CONNECTIONS - 8,
        pool_timeout=wait_seconds,
    )
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("paddock_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def fill_file(
    path: Path,
    wait_seconds: float,
    *,
    revision: str = revisions.CURRENT,
    where: str | None = None,
) -> None:
    """Make the tables in a file that nobody else knows yet."""
    path.touch(mode=0o600)
    engine = sqlite_engine(str(path), wait_seconds)
    try:
        with telling_faults(str(path)), engine.connect() as connection:
            connection.execution_options(paddock_writes=True)
            with connection.begin():
                revisions.migrate(connection, where or str(path), to=revision)
    finally:
        engine.dispose()  # the last connection takes the log into the file


def postgresql_engine(url: URL | str, wait_seconds: float) -> Engine:
    """Connections to a server as every part of a zoo has them."""
    arguments: dict[str, Any] = {"connect_timeout": max(2, round(wait_seconds))}
    engine = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        connect_args=arguments,
        pool_size=5,
        max_overflow=MOST_CONNECTIONS - 5,
        pool_timeout=wait_seconds,
        pool_pre_ping=True,
    )

    def set_up(connection: psycopg.Connection, record: object) -> None:
        # By default PostgreSQL takes disks for slow at jumping, and rather reads a whole table
        # backwards than an index of words; and it waits for a lock without end.
        connection.execute("SET random_page_cost = 1.1")
        connection.execute(f"SET lock_timeout = {max(1, round(wait_seconds * 1000))}".encode())
        connection.commit()

    event.listen(engine, "connect", set_up)
    return engine


@contextmanager
def _telling_system_faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ZooUnavailableError(
            f"it cannot be used: {error.strerror or error}",
            where=str(error.filename or path),
            hint="make the file and its directory readable and writable for you",
        ) from None
