"""Agents as rows, and rows as agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import Row, insert, select, update

from paddock.zoo.compiling import list_enabled_skills
from paddock.zoo.model import Agent, AgentSummary, Page
from paddock.zoo.store.columns import has_any_tag
from paddock.zoo.store.tables import agents
from paddock.zoo.words import fold_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement, Select

    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction

AGENT_COLUMNS = [agents.c[field.name] for field in msgspec.structs.fields(Agent)]
SUMMARY_COLUMNS = [agents.c[field.name] for field in msgspec.structs.fields(AgentSummary)]


class AgentRow(NamedTuple):
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
    is_deleted: bool = False


def find_agent_row(transaction: ReadTransaction, agent_id: str, *, in_bin: bool = False) -> AgentRow | None:
    """The agent of an id."""
    return _select_agent_row(transaction, agents.c.id == agent_id, in_bin=in_bin)


def find_agent_row_by_name(transaction: ReadTransaction, name: str) -> AgentRow | None:
    """The first agent of a name, without regard to case."""
    return _select_agent_row(transaction, agents.c.folded_name == fold_text(name.strip()), in_bin=False)


def _select_agent_row(transaction: ReadTransaction, condition: ColumnElement[bool], *, in_bin: bool) -> AgentRow | None:
    statement = (
        select(agents.c.key, *AGENT_COLUMNS)
        .where(agents.c.owner == transaction.owner, condition, _matches_deleted(in_bin))
        .order_by(agents.c.key)
        .limit(1)
    )
    row = transaction.connection.execute(statement).first()
    return None if row is None else AgentRow(row[0], Agent(**_get_values(row[1:], AGENT_COLUMNS)))


def _matches_deleted(in_bin: bool) -> ColumnElement[bool]:
    return agents.c.deleted_at.is_not(None) if in_bin else agents.c.deleted_at.is_(None)


def make_agent_id_check(transaction: ReadTransaction) -> Callable[[str], bool]:
    """Whether an agent has an id; also those in the bin, who may come back."""

    def id_exists(agent_id: str) -> bool:
        same = (agents.c.owner == transaction.owner) & (agents.c.id == agent_id)
        return transaction.connection.scalar(select(agents.c.key).where(same)) is not None

    return id_exists


def insert_agent(transaction: WriteTransaction, agent: Agent, **others: Any) -> int:
    """Put an agent there; its key."""
    values = {"entry_count": 0, **_make_row(agent), **others, "owner": transaction.owner}
    (key,) = transaction.connection.execute(insert(agents), values).inserted_primary_key or (0,)
    return int(key)


def update_agent_columns(transaction: WriteTransaction, key: int, **values: Any) -> None:
    """Set some columns."""
    transaction.connection.execute(update(agents).where(agents.c.key == key), values)


def update_agent(transaction: WriteTransaction, key: int, agent: Agent) -> None:
    """Write everything about an agent but what only the store knows."""
    update_agent_columns(transaction, key, **_make_row(agent))


def _make_row(agent: Agent) -> dict[str, Any]:
    values = msgspec.structs.asdict(agent)
    values["folded_name"] = fold_text(agent.name)
    values["folded_text"] = fold_text("\n".join([agent.name, agent.description, *agent.tags]))
    values["skill_names"] = [skill.name for skill in list_enabled_skills(agent)]
    return values


def list_agent_summaries(
    reading: ReadTransaction, wanted: AgentFilter, limit: int | None, after: int | None
) -> Page[AgentSummary]:
    """What lists show, in the order in which agents came."""
    statement = _filter_agents(select(agents.c.key, *SUMMARY_COLUMNS), reading, wanted, limit, after)
    rows = reading.connection.execute(statement).all()
    items = [AgentSummary(**_get_values(row[1:], SUMMARY_COLUMNS)) for row in rows[:limit]]
    return Page(items=items, next_cursor=_make_cursor(rows, limit))


def list_agent_rows(
    reading: ReadTransaction, wanted: AgentFilter, limit: int | None, after: int | None
) -> Page[AgentRow]:
    """Whole agents, in the order in which they came."""
    statement = _filter_agents(select(agents.c.key, *AGENT_COLUMNS), reading, wanted, limit, after)
    rows = reading.connection.execute(statement).all()
    items = [AgentRow(row[0], Agent(**_get_values(row[1:], AGENT_COLUMNS))) for row in rows[:limit]]
    return Page(items=items, next_cursor=_make_cursor(rows, limit))


def list_agent_names(reading: ReadTransaction, most: int) -> list[tuple[str, str]]:
    """Ids and names, to say which one was meant."""
    statement = (
        select(agents.c.id, agents.c.name)
        .where(agents.c.owner == reading.owner, agents.c.deleted_at.is_(None))
        .order_by(agents.c.key.desc())
        .limit(most)
    )
    return [(one, name) for one, name in reading.connection.execute(statement)]


def _filter_agents(
    statement: Select[Any],
    reading: ReadTransaction,
    wanted: AgentFilter,
    limit: int | None,
    after: int | None,
) -> Select[Any]:
    statement = statement.where(agents.c.owner == reading.owner, _matches_deleted(wanted.is_deleted))
    if wanted.archived is not None:
        statement = statement.where(agents.c.archived == wanted.archived)
    if wanted.text:
        part = fold_text(wanted.text.strip())
        statement = statement.where(agents.c.folded_text.contains(part, autoescape=True))
    if wanted.tag is not None:
        statement = statement.where(has_any_tag(agents.c.tags, [wanted.tag]))
    if after is not None:
        statement = statement.where(agents.c.key > after)
    if limit is not None:
        statement = statement.limit(limit + 1)
    return statement.order_by(agents.c.key)


def _make_cursor(rows: list[Row[Any]] | Any, limit: int | None) -> str | None:
    return str(rows[limit - 1][0]) if limit is not None and len(rows) > limit else None


def _get_values(row: Any, columns: list[Any]) -> dict[str, Any]:
    return {column.name: value for column, value in zip(columns, row, strict=True)}
