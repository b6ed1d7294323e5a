"""Transactions on one owner's data, and the events that they record."""

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


# Interval, in events, at which excess events are deleted. Doing so for each event would be slow.
PRUNE_INTERVAL_EVENTS = 500

_NOTIFY_STATEMENT = text("SELECT pg_notify(:channel, :owner)")

EVENT_COLUMNS = [events.c[field.name] for field in msgspec.structs.fields(ZooEvent)]


class ReadTransaction:
    """A transaction that reads one owner's data."""

    def __init__(self, connection: Connection, owner: str) -> None:
        self.connection = connection
        self.owner = owner


class WriteTransaction(ReadTransaction):
    """A transaction that changes one owner's data."""

    def __init__(self, connection: Connection, owner: str, source: str, at: str) -> None:
        super().__init__(connection, owner)
        self.source = source
        self.timestamp = at
        """The time of all changes in the transaction."""
        self._events: list[dict[str, Any]] = []

    def record_event(
        self,
        kind: EventKind,
        agent_id: str | None = None,
        entry_id: str | None = None,
        **detail: Any,
    ) -> None:
        """Record a change event. `flush_events` stores it when the change is complete.

        Args:
            kind: The event kind, such as `agent:updated`.
            agent_id: The agent that changed.
            entry_id: The brain entry that changed.
            **detail: Additional data, such as `version=3`.
        """
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
        """Store the recorded events in the same transaction, and notify waiting processes."""
        if not self._events:
            return
        for event in self._events:
            (event_id,) = self.connection.execute(insert(events), event).inserted_primary_key or (
                0,
            )
            if event_id % PRUNE_INTERVAL_EVENTS == 0:
                self._prune_events(event_id)
        # SQLite needs no notification, because watchers poll its change counter.
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(
                _NOTIFY_STATEMENT, {"channel": NOTIFY_CHANNEL, "owner": self.owner}
            )

    def _prune_events(self, latest_id: int) -> None:
        outdated = (events.c.owner == self.owner) & (
            events.c.id <= latest_id - validation.MAX_EVENTS
        )
        self.connection.execute(delete(events).where(outdated))


def list_events_after(tx: ReadTransaction, event_id: int, max_results: int) -> list[ZooEvent]:
    """Return the events after the given ID, oldest first."""
    statement = (
        select(*EVENT_COLUMNS)
        .where(events.c.owner == tx.owner, events.c.id > event_id)
        .order_by(events.c.id)
        .limit(max_results)
    )
    return [ZooEvent(**row) for row in tx.connection.execute(statement).mappings()]


def get_latest_event_id(tx: ReadTransaction) -> int:
    """Return the ID of the latest event, or 0 if there are no events."""
    statement = select(func.max(events.c.id)).where(events.c.owner == tx.owner)
    return tx.connection.scalar(statement) or 0
