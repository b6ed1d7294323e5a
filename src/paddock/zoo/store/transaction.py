"""One reading or changing of one owner's zoo, and the events that others are told of then.

Events, as those read them who were away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, func, insert, select, text

from paddock.zoo import validation
from paddock.zoo.model import ZooEvent
from paddock.zoo.store.change_watcher import NOTIFY_CHANNEL
from paddock.zoo.store.schema import events

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from paddock.zoo.model import EventKind


PRUNE_INTERVAL_EVENTS = 500
"""After so many events, about, those that are too many are deleted."""

_NOTIFY_STATEMENT = text("SELECT pg_notify(:channel, :owner)")


class ReadTransaction:
    """A state of a zoo."""

    def __init__(self, connection: Connection, owner: str) -> None:
        self.connection = connection
        self.owner = owner


class WriteTransaction(ReadTransaction):
    """A change of a zoo."""

    def __init__(self, connection: Connection, owner: str, source: str, at: str) -> None:
        super().__init__(connection, owner)
        self.source = source
        self.timestamp = at
        """When everything in it happens."""
        self._events: list[dict[str, Any]] = []

    def record_event(
        self,
        kind: EventKind,
        agent_id: str | None = None,
        entry_id: str | None = None,
        **detail: Any,
    ) -> None:
        """Have all who look at the zoo know, once the change is made."""
        self._events.append(
            {
                "owner": self.owner,
                "kind": kind,
                "at": self.timestamp,
                "source": self.source,
                "agent_id": agent_id,
                "entry_id": entry_id,
                "detail": detail,
            }
        )

    def flush_events(self) -> None:
        """Write the events down, in the same transaction."""
        if not self._events:
            return
        last = 0
        for one in self._events:
            (last,) = self.connection.execute(insert(events), one).inserted_primary_key or (0,)
            if last % PRUNE_INTERVAL_EVENTS == 0:
                self._prune_events(last)
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(
                _NOTIFY_STATEMENT, {"channel": NOTIFY_CHANNEL, "owner": self.owner}
            )

    def _prune_events(self, last: int) -> None:
        outdated = (events.c.owner == self.owner) & (events.c.id <= last - validation.MAX_EVENTS)
        self.connection.execute(delete(events).where(outdated))


EVENT_COLUMNS = [events.c[field.name] for field in msgspec.structs.fields(ZooEvent)]


def list_events_after(reading: ReadTransaction, event_id: int, most: int) -> list[ZooEvent]:
    """What has happened since, the oldest first."""
    statement = (
        select(*EVENT_COLUMNS)
        .where(events.c.owner == reading.owner, events.c.id > event_id)
        .order_by(events.c.id)
        .limit(most)
    )
    return [ZooEvent(**row) for row in reading.connection.execute(statement).mappings()]


def get_latest_event_id(reading: ReadTransaction) -> int:
    """The id of the last event; 0 before the first."""
    statement = select(func.max(events.c.id)).where(events.c.owner == reading.owner)
    return reading.connection.scalar(statement) or 0
