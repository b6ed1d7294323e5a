"""Events, as those read them who were away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import func, select

from paddock.zoo.model import ZooEvent
from paddock.zoo.store.tables import events

if TYPE_CHECKING:
    from paddock.zoo.store.transaction import ReadTransaction

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
