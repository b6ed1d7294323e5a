"""Noticing that any process has changed a database.

One thread for each database looks, and only while somebody waits. SQLite is asked ten times a
second whether another connection has written, which reads one number; PostgreSQL tells by itself.
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
"""Between two attempts to reach a database that is away."""


class ChangeWatcher:
    """Lets threads wait for the next change.

    What is watched is an endless sequence; each step takes a moment, and says whether something
    has changed.
    """

    def __init__(self, watched: Callable[[], Iterator[bool]]) -> None:
        self._watch_changes = watched
        self._condition = threading.Condition()
        self._waiter_count = 0
        self._change_count = 0
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Let all go on who wait."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=5)

    @property
    def change_count(self) -> int:
        """A number that grows with each change that is noticed; start watching, then look."""
        with self._condition:
            self._start()
            return self._change_count

    @property
    def is_closed(self) -> bool:
        """Whether nothing will be noticed any more."""
        return self._is_closed

    def wait_for_change(self, turn: int, seconds: float) -> None:
        """Wait until there was a change after that turn, or so long."""
        with self._condition:
            self._waiter_count += 1
            try:
                self._start()
                self._condition.notify_all()
                self._condition.wait_for(
                    lambda: self._is_closed or self._change_count != turn, seconds
                )
            finally:
                self._waiter_count -= 1

    def notify_change(self) -> None:
        """Wake those who wait."""
        with self._condition:
            self._change_count += 1
            self._condition.notify_all()

    def _start(self) -> None:
        if self._thread is None and not self._is_closed:
            self._thread = threading.Thread(target=self._run, name="zoo-watcher", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._is_closed:
            # A database that is away is tried again: those who wait look for themselves meanwhile.
            with suppress(Exception):
                for has_changed in self._watch_changes():
                    if has_changed:
                        self.notify_change()
                    with self._condition:
                        self._condition.wait_for(lambda: self._is_closed or self._waiter_count)
                    if self._is_closed:
                        return
            self.notify_change()
            with self._condition:
                self._condition.wait_for(lambda: self._is_closed, RETRY_SECONDS)


def make_sqlite_watch(path: str) -> Callable[[], Iterator[bool]]:
    """Look at SQLite's count of the changes that other connections have made."""

    def watch() -> Iterator[bool]:
        with closing(sqlite3.connect(make_sqlite_uri(path), uri=True, timeout=1)) as connection:
            last = None
            while True:
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                yield version != last
                last = version
                time.sleep(POLL_SECONDS)

    return watch


def make_postgresql_watch(url: URL) -> Callable[[], Iterator[bool]]:
    """Listen to what PostgreSQL tells."""

    def watch() -> Iterator[bool]:
        import psycopg  # noqa: PLC0415 - of those who use PostgreSQL

        address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"LISTEN {NOTIFY_CHANNEL}")
            yield True
            while True:
                told = list(connection.notifies(timeout=0.5, stop_after=1))
                yield bool(told)

    return watch
