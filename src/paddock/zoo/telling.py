"""What happens in a zoo, as those hear of it who watch it from any process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.part import ZooContext
from paddock.zoo.store import event_rows

if TYPE_CHECKING:
    from paddock.zoo.model import ZooEvent

MAX_EVENTS_PER_READ = 1_000
POLL_SECONDS = 15.0
"""How long to rely on being woken before looking anyway."""


class EventLog(ZooContext):
    """The events of a zoo."""

    def latest_event_id(self) -> int:
        """The id of the last event; 0 before the first."""
        with self._read_transaction() as reading:
            return event_rows.get_latest_event_id(reading)

    def events_after(self, event_id: int, limit: int = MAX_EVENTS_PER_READ) -> list[ZooEvent]:
        """What has happened since an event, the oldest first."""
        with self._read_transaction() as reading:
            return event_rows.list_events_after(reading, event_id, min(limit, MAX_EVENTS_PER_READ))

    def wait_for_events(self, after: int, timeout: float) -> list[ZooEvent]:
        """What happens after an event, as soon as it does; nothing when the time is over.

        Changes of all processes count. Closing the zoo ends the waiting.
        """
        watcher = self._database.watcher
        end = time.monotonic() + timeout
        while not watcher.is_closed:
            turn = watcher.change_count
            try:
                found = self.events_after(after)
            except ZooUnavailableError:
                if watcher.is_closed:
                    break
                raise
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            watcher.wait_for_change(turn, min(left, POLL_SECONDS))
        return []
