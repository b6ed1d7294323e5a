"""What happens in a zoo, as those hear of it who watch it from any process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.part import Part
from paddock.zoo.store import event_rows

if TYPE_CHECKING:
    from paddock.zoo.model import Event

MOST_EVENTS = 1_000
LOOK_SECONDS = 15.0
"""How long to rely on being woken before looking anyway."""


class Telling(Part):
    """The events of a zoo."""

    def latest_event_id(self) -> int:
        """The id of the last event; 0 before the first."""
        with self._reading() as reading:
            return event_rows.latest_id(reading)

    def events_after(self, event_id: int, limit: int = MOST_EVENTS) -> list[Event]:
        """What has happened since an event, the oldest first."""
        with self._reading() as reading:
            return event_rows.list_after(reading, event_id, min(limit, MOST_EVENTS))

    def wait_for_events(self, after: int, timeout: float) -> list[Event]:
        """What happens after an event, as soon as it does; nothing when the time is over.

        Changes of all processes count. Closing the zoo ends the waiting.
        """
        watcher = self._database.watcher
        end = time.monotonic() + timeout
        while not watcher.is_closed:
            turn = watcher.turn
            try:
                found = self.events_after(after)
            except ZooUnavailableError:
                if watcher.is_closed:
                    break
                raise
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            watcher.wait(turn, min(left, LOOK_SECONDS))
        return []
