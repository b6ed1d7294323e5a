"""The events of a zoo: the changes that any process has committed, in order."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.store import transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.zoo.model import ZooEvent

MAX_EVENTS_PER_READ = 1_000
# A wake-up can be lost, for instance when PostgreSQL drops the listening connection.
POLL_SECONDS = 15.0
# The longest single wait of a follower. A stopped follower may take this long to notice.
FOLLOW_WAIT_SECONDS = 1.0


@dataclass(frozen=True)
class EventLog:
    """The events of one zoo."""

    context: ZooContext

    def get_latest_id(self) -> int:
        """Return the ID of the latest event, or 0 if there has been none."""
        with self.context.read_transaction() as tx:
            return transaction.get_latest_event_id(tx)

    def list_after(self, event_id: int, limit: int = MAX_EVENTS_PER_READ) -> list[ZooEvent]:
        """Return the events after an ID, oldest first."""
        with self.context.read_transaction() as tx:
            return transaction.list_events_after(tx, event_id, min(limit, MAX_EVENTS_PER_READ))

    def wait_after(self, event_id: int, timeout: float) -> list[ZooEvent]:
        """Wait for events after the given one, and return them, oldest first.

        The events may come from any process that uses the database. The list is empty if `timeout`
        seconds pass without an event, or if the zoo is closed.
        """
        watcher = self.context.database.watcher
        deadline = time.monotonic() + timeout
        while not watcher.is_closed:
            # The counter must be read before the events. A change in between then ends the wait
            # below at once, instead of being missed.
            change_count = watcher.change_count
            try:
                events = self.list_after(event_id)
            except ZooUnavailableError:
                # Closing the zoo during the read raises this error too.
                if watcher.is_closed:
                    break
                raise
            remaining_seconds = deadline - time.monotonic()
            if events or remaining_seconds <= 0:
                return events
            watcher.wait_for_change(change_count, min(remaining_seconds, POLL_SECONDS))
        return []

    def follow(
        self,
        event_id: int,
        on_events: Callable[[list[ZooEvent]], None],
        on_error: Callable[[PaddockError], None],
    ) -> Event:
        """Start a thread that passes new events to a callback as they occur.

        Args:
            event_id: The ID of the last event that the caller has seen.
            on_events: Called in the thread with the events after it, oldest first.
            on_error: Called with a `PaddockError` from the zoo or from `on_events`. The thread
                tries again a second later.

        Returns:
            A flag that stops the thread when it is set. Closing the zoo stops it too.
        """
        stop = Event()
        arguments = (event_id, on_events, on_error, stop)
        Thread(target=self._follow, args=arguments, name="zoo-events", daemon=True).start()
        return stop

    def _follow(
        self,
        after_id: int,
        on_events: Callable[[list[ZooEvent]], None],
        on_error: Callable[[PaddockError], None],
        stop: Event,
    ) -> None:
        """Pass new events to `on_events` until `stop` is set or the zoo is closed.

        Runs in the thread that `follow` starts.
        """
        while not stop.is_set() and not self.context.database.watcher.is_closed:
            try:
                # The wait is short, so the thread soon notices that `stop` was set.
                events = self.wait_after(after_id, FOLLOW_WAIT_SECONDS)
                if events and not stop.is_set():
                    # Advance first, so events that make the callback fail are not repeated.
                    after_id = events[-1].id
                    on_events(events)
            except PaddockError as error:
                on_error(error)
                stop.wait(FOLLOW_WAIT_SECONDS)
