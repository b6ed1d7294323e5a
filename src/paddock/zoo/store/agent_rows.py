"""Agents as rows, and rows as agents.

What agents were: one row for each version that is kept.

The skills and packs of the library as rows; both are kept in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import Row, delete, insert, select, update

from paddock.zoo import validation
from paddock.zoo.model import Agent, AgentSummary, AgentVersion, LibrarySkill, Pack, Page
from paddock.zoo.prompt_compiler import list_enabled_skills
from paddock.zoo.search_terms import fold_text
from paddock.zoo.store.schema import agent_versions, agents, has_any_tag, library_skills, packs

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


def find_agent_row(
    transaction: ReadTransaction, agent_id: str, *, in_bin: bool = False
) -> AgentRow | None:
    """The agent of an id."""
    return _select_agent_row(transaction, agents.c.id == agent_id, in_bin=in_bin)


def find_agent_row_by_name(transaction: ReadTransaction, name: str) -> AgentRow | None:
    """The first agent of a name, without regard to case."""
    return _select_agent_row(
        transaction, agents.c.folded_name == fold_text(name.strip()), in_bin=False
    )


def _select_agent_row(
    transaction: ReadTransaction, condition: ColumnElement[bool], *, in_bin: bool
) -> AgentRow | None:
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
    statement = _filter_agents(
        select(agents.c.key, *SUMMARY_COLUMNS), reading, wanted, limit, after
    )
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
    statement = statement.where(
        agents.c.owner == reading.owner, _matches_deleted(wanted.is_deleted)
    )
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


def insert_version(writing: WriteTransaction, kept: AgentRow, summary: str) -> None:
    """Keep what an agent is now, and forget what is very long ago."""
    version = kept.agent.version
    values = {
        "agent_key": kept.key,
        "version": version,
        "saved_at": writing.timestamp,
        "source": writing.source,
        "summary": summary,
        "agent": kept.agent,
    }
    writing.connection.execute(insert(agent_versions), values)
    outdated = agent_versions.c.version <= version - validation.MAX_AGENT_VERSIONS
    same = agent_versions.c.agent_key == kept.key
    writing.connection.execute(delete(agent_versions).where(same, outdated))


def list_versions(reading: ReadTransaction, key: int) -> list[AgentVersion]:
    """All that are kept, the newest first, without the agents themselves."""
    columns = agent_versions.c
    statement = (
        select(columns.version, columns.saved_at, columns.source, columns.summary)
        .where(columns.agent_key == key)
        .order_by(columns.version.desc())
    )
    return [
        AgentVersion(version=version, saved_at=at, source=source, summary=summary)
        for version, at, source, summary in reading.connection.execute(statement)
    ]


def find_version(reading: ReadTransaction, key: int, version: int) -> AgentVersion | None:
    """One of them, with the agent."""
    columns = agent_versions.c
    statement = select(columns.saved_at, columns.source, columns.summary, columns.agent).where(
        columns.agent_key == key, columns.version == version
    )
    row = reading.connection.execute(statement).first()
    if row is None:
        return None
    agent: Agent = row.agent
    return AgentVersion(
        version=version, saved_at=row.saved_at, source=row.source, summary=row.summary, agent=agent
    )


LibraryItem = TypeVar("LibraryItem", LibrarySkill, Pack)

LIBRARY_TABLES = {LibrarySkill: library_skills, Pack: packs}


def list_library_items(reading: ReadTransaction, kind: type[LibraryItem]) -> list[LibraryItem]:
    """All of a kind, in the order in which they were made."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    statement = select(*columns).where(table.c.owner == reading.owner).order_by(table.c.key)
    return [kind(**row) for row in reading.connection.execute(statement).mappings()]


def find_library_item(
    reading: ReadTransaction, kind: type[LibraryItem], item_id: str
) -> LibraryItem | None:
    """The one of an id."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    same = (table.c.owner == reading.owner) & (table.c.id == item_id)
    row = reading.connection.execute(select(*columns).where(same)).mappings().first()
    return None if row is None else kind(**row)


def make_library_id_check(
    reading: ReadTransaction, kind: type[LibraryItem]
) -> Callable[[str], bool]:
    """Whether one has an id."""
    return lambda item_id: find_library_item(reading, kind, item_id) is not None


def insert_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Put one there."""
    values = {**msgspec.structs.asdict(item), "owner": writing.owner}
    writing.connection.execute(insert(LIBRARY_TABLES[type(item)]), values)


def update_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Write everything about one."""
    table = LIBRARY_TABLES[type(item)]
    same = (table.c.owner == writing.owner) & (table.c.id == item.id)
    writing.connection.execute(update(table).where(same), msgspec.structs.asdict(item))


def delete_library_item(writing: WriteTransaction, item: LibraryItem) -> None:
    """Take one away."""
    table = LIBRARY_TABLES[type(item)]
    same = (table.c.owner == writing.owner) & (table.c.id == item.id)
    writing.connection.execute(delete(table).where(same))


def clear_pack(writing: WriteTransaction, pack_id: str) -> None:
    """Have the skills of a pack be in none."""
    same = (library_skills.c.owner == writing.owner) & (library_skills.c.pack_id == pack_id)
    values: dict[str, Any] = {"pack_id": None, "version": library_skills.c.version + 1}
    writing.connection.execute(update(library_skills).where(same).values(values))
