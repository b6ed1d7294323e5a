"""Events, as those read them who were away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import func, select

from paddock.zoo.model import Event
from paddock.zoo.store.tables import events

if TYPE_CHECKING:
    from paddock.zoo.store.transaction import Reading

EVENT_COLUMNS = [events.c[field.name] for field in msgspec.structs.fields(Event)]


def list_after(reading: Reading, event_id: int, most: int) -> list[Event]:
    """What has happened since, the oldest first."""
    statement = (
        select(*EVENT_COLUMNS)
        .where(events.c.owner == reading.owner, events.c.id > event_id)
        .order_by(events.c.id)
        .limit(most)
    )
    return [Event(**row) for row in reading.connection.execute(statement).mappings()]


def latest_id(reading: Reading) -> int:
    """The id of the last event; 0 before the first."""
    statement = select(func.max(events.c.id)).where(events.c.owner == reading.owner)
    return reading.connection.scalar(statement) or 0
