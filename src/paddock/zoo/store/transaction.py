"""One reading or changing of one owner's zoo, and the events that others are told of then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, text

from paddock.zoo import limits
from paddock.zoo.store.tables import events
from paddock.zoo.store.watching import NOTIFY_CHANNEL

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
            self.connection.execute(_NOTIFY_STATEMENT, {"channel": NOTIFY_CHANNEL, "owner": self.owner})

    def _prune_events(self, last: int) -> None:
        outdated = (events.c.owner == self.owner) & (events.c.id <= last - limits.MAX_EVENTS)
        self.connection.execute(delete(events).where(outdated))
