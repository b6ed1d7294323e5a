"""Detects changes that any process makes to a database.

One thread per database watches it, and only while another thread is waiting. In SQLite, it polls
the counter of changes by other connections ten times a second, which reads one number. PostgreSQL
sends notifications.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from paddock.zoo.store.sqlite_files import make_sqlite_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL

NOTIFY_CHANNEL = "paddock_zoo"
POLL_SECONDS = 0.1
RETRY_SECONDS = 1.0
"""Time between attempts to connect to an unreachable database."""


class ChangeWatcher:
    """Lets threads wait for the next change to a database.

    Args:
        watch_changes: Returns an endless iterator. Each step takes a moment, and yields whether the
            database has changed.
    """

    def __init__(self, watch_changes: Callable[[], Iterator[bool]]) -> None:
        self._watch_changes = watch_changes
        self._condition = threading.Condition()
        self._waiter_count = 0
        self._change_count = 0
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Stop watching, and wake all waiting threads."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=5)

    @property
    def change_count(self) -> int:
        """A number that grows with each detected change to the database.

        Read it before reading the data. If the data changes in the meantime, `wait_for_change`
        returns immediately instead of missing the change. Reading the number starts the watcher.
        """
        with self._condition:
            self._start()
            return self._change_count

    @property
    def is_closed(self) -> bool:
        """Whether the watcher has been closed."""
        return self._is_closed

    def wait_for_change(self, change_count: int, seconds: float) -> None:
        """Wait until the database changes, for at most `seconds`.

        Args:
            change_count: The count that the caller read before reading the data. If the current
                count already differs, the method returns immediately.
            seconds: The maximum time to wait.
        """
        with self._condition:
            self._waiter_count += 1
            try:
                self._start()
                # Wakes the watcher thread, which sleeps while no thread is waiting.
                self._condition.notify_all()
                self._condition.wait_for(
                    lambda: self._is_closed or self._change_count != change_count, seconds
                )
            finally:
                self._waiter_count -= 1

    def notify_change(self) -> None:
        """Count a change, and wake all waiting threads."""
        with self._condition:
            self._change_count += 1
            self._condition.notify_all()

    def _start(self) -> None:
        if self._thread is None and not self._is_closed:
            self._thread = threading.Thread(target=self._run, name="zoo-watcher", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """Watch the database and count its changes until the watcher is closed.

        Runs in the thread that `_start` starts.
        """
        while not self._is_closed:
            # After an error, watching resumes a little later. Waiting threads are notified below.
            # They get the same error when they read the data, and report it.
            with suppress(Exception):
                for has_changed in self._watch_changes():
                    if has_changed:
                        self.notify_change()
                    # The database is only polled while a thread is waiting, so an idle program uses
                    # no CPU.
                    with self._condition:
                        self._condition.wait_for(lambda: self._is_closed or self._waiter_count)
                    if self._is_closed:
                        return
            self.notify_change()
            with self._condition:
                self._condition.wait_for(lambda: self._is_closed, RETRY_SECONDS)


def make_sqlite_watch(path: str) -> Callable[[], Iterator[bool]]:
    """Return a function whose iterators yield whether a SQLite database has changed.

    SQLite cannot notify other processes, so the iterators poll its `data_version` counter, which
    changes when another connection commits. The first item is always True.
    """

    def watch() -> Iterator[bool]:
        with closing(sqlite3.connect(make_sqlite_uri(path), uri=True, timeout=1)) as connection:
            last_version = None
            while True:
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                yield version != last_version
                last_version = version
                time.sleep(POLL_SECONDS)

    return watch


def make_postgresql_watch(url: URL) -> Callable[[], Iterator[bool]]:
    """Return a function whose iterators yield whether a PostgreSQL database has changed.

    The iterators listen to the notifications that write transactions send. The first item is always
    True.
    """

    def watch() -> Iterator[bool]:
        # The driver is an optional dependency, so SQLAlchemy imports it when needed.
        psycopg = url.set(drivername="postgresql+psycopg").get_dialect().import_dbapi()
        address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"LISTEN {NOTIFY_CHANNEL}")
            # Changes made before this point triggered no notification.
            yield True
            while True:
                notifications = list(connection.notifies(timeout=0.5, stop_after=1))
                yield bool(notifications)

    return watch
