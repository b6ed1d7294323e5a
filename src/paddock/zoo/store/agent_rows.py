"""Agents as rows, and rows as agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import Row, insert, select, update

from paddock.zoo.compiling import enabled_skills
from paddock.zoo.model import Agent, AgentSummary, Page
from paddock.zoo.store.columns import has_any_tag
from paddock.zoo.store.tables import agents
from paddock.zoo.words import folded

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement, Select

    from paddock.zoo.store.transaction import Reading, Writing

AGENT_COLUMNS = [agents.c[field.name] for field in msgspec.structs.fields(Agent)]
SUMMARY_COLUMNS = [agents.c[field.name] for field in msgspec.structs.fields(AgentSummary)]


class KeptAgent(NamedTuple):
    """An agent, and the key that the rows of others refer to it by."""

    key: int
    agent: Agent


class AgentFilter(NamedTuple):
    """Which agents are listed."""

    archived: bool | None = False
    """None for both."""
    text: str | None = None
    """What is part of the name, the description or a tag, without regard to case."""
    tag: str | None = None
    in_bin: bool = False


def find(transaction: Reading, agent_id: str, *, in_bin: bool = False) -> KeptAgent | None:
    """The agent of an id."""
    return _one(transaction, agents.c.id == agent_id, in_bin=in_bin)


def find_by_name(transaction: Reading, name: str) -> KeptAgent | None:
    """The first agent of a name, without regard to case."""
    return _one(transaction, agents.c.folded_name == folded(name.strip()), in_bin=False)


def _one(transaction: Reading, condition: ColumnElement[bool], *, in_bin: bool) -> KeptAgent | None:
    statement = (
        select(agents.c.key, *AGENT_COLUMNS)
        .where(agents.c.owner == transaction.owner, condition, _is_binned(in_bin))
        .order_by(agents.c.key)
        .limit(1)
    )
    row = transaction.connection.execute(statement).first()
    return None if row is None else KeptAgent(row[0], Agent(**_values(row[1:], AGENT_COLUMNS)))


def _is_binned(in_bin: bool) -> ColumnElement[bool]:
    return agents.c.deleted_at.is_not(None) if in_bin else agents.c.deleted_at.is_(None)


def is_taken(transaction: Reading) -> Callable[[str], bool]:
    """Whether an agent has an id; also those in the bin, who may come back."""

    def taken(agent_id: str) -> bool:
        same = (agents.c.owner == transaction.owner) & (agents.c.id == agent_id)
        return transaction.connection.scalar(select(agents.c.key).where(same)) is not None

    return taken


def add(transaction: Writing, agent: Agent, **others: Any) -> int:
    """Put an agent there; its key."""
    values = {"entry_count": 0, **_row(agent), **others, "owner": transaction.owner}
    (key,) = transaction.connection.execute(insert(agents), values).inserted_primary_key or (0,)
    return int(key)


def change(transaction: Writing, key: int, **values: Any) -> None:
    """Set some columns."""
    transaction.connection.execute(update(agents).where(agents.c.key == key), values)


def replace(transaction: Writing, key: int, agent: Agent) -> None:
    """Write everything about an agent but what only the store knows."""
    change(transaction, key, **_row(agent))


def _row(agent: Agent) -> dict[str, Any]:
    values = msgspec.structs.asdict(agent)
    values["folded_name"] = folded(agent.name)
    values["folded_text"] = folded("\n".join([agent.name, agent.description, *agent.tags]))
    values["skill_names"] = [skill.name for skill in enabled_skills(agent)]
    return values


def list_summaries(
    reading: Reading, wanted: AgentFilter, limit: int | None, after: int | None
) -> Page[AgentSummary]:
    """What lists show, in the order in which agents came."""
    statement = _listed(select(agents.c.key, *SUMMARY_COLUMNS), reading, wanted, limit, after)
    rows = reading.connection.execute(statement).all()
    items = [AgentSummary(**_values(row[1:], SUMMARY_COLUMNS)) for row in rows[:limit]]
    return Page(items=items, next_cursor=_cursor(rows, limit))


def list_agents(
    reading: Reading, wanted: AgentFilter, limit: int | None, after: int | None
) -> Page[KeptAgent]:
    """Whole agents, in the order in which they came."""
    statement = _listed(select(agents.c.key, *AGENT_COLUMNS), reading, wanted, limit, after)
    rows = reading.connection.execute(statement).all()
    items = [KeptAgent(row[0], Agent(**_values(row[1:], AGENT_COLUMNS))) for row in rows[:limit]]
    return Page(items=items, next_cursor=_cursor(rows, limit))


def all_names(reading: Reading, most: int) -> list[tuple[str, str]]:
    """Ids and names, to say which one was meant."""
    statement = (
        select(agents.c.id, agents.c.name)
        .where(agents.c.owner == reading.owner, agents.c.deleted_at.is_(None))
        .order_by(agents.c.key.desc())
        .limit(most)
    )
    return [(one, name) for one, name in reading.connection.execute(statement)]


def _listed(
    statement: Select[Any],
    reading: Reading,
    wanted: AgentFilter,
    limit: int | None,
    after: int | None,
) -> Select[Any]:
    statement = statement.where(agents.c.owner == reading.owner, _is_binned(wanted.in_bin))
    if wanted.archived is not None:
        statement = statement.where(agents.c.archived == wanted.archived)
    if wanted.text:
        part = folded(wanted.text.strip())
        statement = statement.where(agents.c.folded_text.contains(part, autoescape=True))
    if wanted.tag is not None:
        statement = statement.where(has_any_tag(agents.c.tags, [wanted.tag]))
    if after is not None:
        statement = statement.where(agents.c.key > after)
    if limit is not None:
        statement = statement.limit(limit + 1)
    return statement.order_by(agents.c.key)


def _cursor(rows: list[Row[Any]] | Any, limit: int | None) -> str | None:
    return str(rows[limit - 1][0]) if limit is not None and len(rows) > limit else None


def _values(row: Any, columns: list[Any]) -> dict[str, Any]:
    return {column.name: value for column, value in zip(columns, row, strict=True)}
