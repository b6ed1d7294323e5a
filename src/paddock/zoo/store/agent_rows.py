"""Database rows for agents, their versions, and library skills and packs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import delete, insert, select, update

from paddock.zoo import validation
from paddock.zoo.model import Agent, AgentSummary, AgentVersion, LibrarySkill, Pack, ResultPage
from paddock.zoo.prompt_compiler import list_enabled_skills
from paddock.zoo.search_terms import fold_text
from paddock.zoo.store.schema import agent_versions, agents, has_any_tag, library_skills, packs

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement, Select, Table

    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


AGENT_COLUMNS = [agents.c[field.name] for field in msgspec.structs.fields(Agent)]

AgentT = TypeVar("AgentT", Agent, AgentSummary)

LIBRARY_TABLES = {LibrarySkill: library_skills, Pack: packs}


class AgentRow(NamedTuple):
    """An agent with its primary key, which other tables reference."""

    key: int
    agent: Agent


class AgentFilter(NamedTuple):
    """The conditions that listed agents must meet."""

    archived: bool | None = False
    """True for archived agents only, False for the others, None for both."""
    text: str | None = None
    """Substring of the name, the description or a tag, ignoring case."""
    tag: str | None = None
    """A tag that agents must have."""
    is_deleted: bool = False
    """Whether to list the agents in the bin instead of the others."""
    limit: int | None = None
    """Maximum number of agents on the page, or None for all."""
    after: int | None = None
    """The key of the last agent on the previous page."""


def find_agent_row(tx: ReadTransaction, agent_id: str, *, in_bin: bool = False) -> AgentRow | None:
    """Return the agent with the given ID, or None.

    If `in_bin` is True, search the deleted agents instead.
    """
    return _select_agent_row(tx, agents.c.id == agent_id, in_bin=in_bin)


def find_agent_row_by_name(tx: ReadTransaction, name: str) -> AgentRow | None:
    """Return the first agent with the given name, or None.

    Names are compared case-insensitively.
    """
    return _select_agent_row(tx, agents.c.folded_name == fold_text(name.strip()), in_bin=False)


def _select_agent_row(
    tx: ReadTransaction, condition: ColumnElement[bool], *, in_bin: bool
) -> AgentRow | None:
    """Return the oldest agent that meets a condition, or None.

    Args:
        tx: The transaction.
        condition: An SQL condition, for example on the ID or the name.
        in_bin: Whether to search the deleted agents instead of the others.
    """
    statement = (
        select(agents.c.key, *AGENT_COLUMNS)
        .where(agents.c.owner == tx.owner, condition, _matches_deleted(in_bin))
        .order_by(agents.c.key)
        .limit(1)
    )
    row = tx.connection.execute(statement).first()
    if row is None:
        return None
    key, *values = row
    return AgentRow(key, Agent(**_get_values(values, AGENT_COLUMNS)))


def _matches_deleted(in_bin: bool) -> ColumnElement[bool]:
    return agents.c.deleted_at.is_not(None) if in_bin else agents.c.deleted_at.is_(None)


def make_agent_id_predicate(tx: ReadTransaction) -> Callable[[str], bool]:
    """Return a predicate that checks whether an agent ID is in use.

    The IDs of agents in the bin count as used, because those agents can be restored.
    """

    def is_used(agent_id: str) -> bool:
        statement = select(agents.c.key).where(agents.c.owner == tx.owner, agents.c.id == agent_id)
        return tx.connection.scalar(statement) is not None

    return is_used


def insert_agent(tx: WriteTransaction, agent: Agent, **others: Any) -> int:
    """Insert an agent and return its key."""
    # The count is stored, because counting the entries of each agent would slow down lists.
    values = {"entry_count": 0, **_make_row(agent), **others, "owner": tx.owner}
    (key,) = tx.connection.execute(insert(agents), values).inserted_primary_key or (0,)
    return int(key)


def update_agent_columns(tx: WriteTransaction, key: int, **values: Any) -> None:
    """Set columns of an agent's row."""
    tx.connection.execute(update(agents).where(agents.c.key == key), values)


def update_agent(tx: WriteTransaction, key: int, agent: Agent) -> None:
    """Write all fields of an agent.

    Columns without a field, such as the number of entries, keep their values.
    """
    update_agent_columns(tx, key, **_make_row(agent))


def _make_row(agent: Agent) -> dict[str, Any]:
    """Return an agent's columns: its fields, and the values that lists and searches need."""
    values = msgspec.structs.asdict(agent)
    # Names are folded here because the databases fold case differently; SQLite only folds ASCII
    # letters.
    values["folded_name"] = fold_text(agent.name)
    values["folded_text"] = fold_text("\n".join([agent.name, agent.description, *agent.tags]))
    values["skill_names"] = [skill.name for skill in list_enabled_skills(agent)]
    return values


def list_agents(
    tx: ReadTransaction, result_type: type[AgentT], agent_filter: AgentFilter
) -> ResultPage[AgentT]:
    """Return a page of agents that match a filter, in order of creation.

    Args:
        tx: The transaction.
        result_type: `Agent` for complete agents, or `AgentSummary` for the fields that lists show.
        agent_filter: The conditions and the page limits.
    """
    columns = [agents.c[field.name] for field in msgspec.structs.fields(result_type)]
    statement = _filter_agents(select(agents.c.key, *columns), tx, agent_filter)
    # The query returns one more row than the limit if there is a next page.
    rows = tx.connection.execute(statement).all()
    page_rows = rows[: agent_filter.limit]
    items = [result_type(**_get_values(row[1:], columns)) for row in page_rows]
    has_next_page = len(rows) > len(page_rows)
    next_cursor = str(page_rows[-1].key) if has_next_page else None
    return ResultPage(items=items, next_cursor=next_cursor)


def list_agent_names(tx: ReadTransaction, max_results: int) -> list[tuple[str, str]]:
    """Return the IDs and names of the newest agents, for hints in error messages."""
    statement = (
        select(agents.c.id, agents.c.name)
        .where(agents.c.owner == tx.owner, agents.c.deleted_at.is_(None))
        .order_by(agents.c.key.desc())
        .limit(max_results)
    )
    return [(agent_id, name) for agent_id, name in tx.connection.execute(statement)]


def _filter_agents(
    statement: Select[Any], tx: ReadTransaction, agent_filter: AgentFilter
) -> Select[Any]:
    """Restrict a query to one page of the agents that match a filter."""
    statement = statement.where(
        agents.c.owner == tx.owner, _matches_deleted(agent_filter.is_deleted)
    )
    if agent_filter.archived is not None:
        statement = statement.where(agents.c.archived == agent_filter.archived)
    if agent_filter.text:
        substring = fold_text(agent_filter.text.strip())
        statement = statement.where(agents.c.folded_text.contains(substring, autoescape=True))
    if agent_filter.tag is not None:
        statement = statement.where(has_any_tag(agents.c.tags, [agent_filter.tag]))
    if agent_filter.after is not None:
        statement = statement.where(agents.c.key > agent_filter.after)
    if agent_filter.limit is not None:
        # Read one agent more than fits on the page, to find out whether there is a next page.
        statement = statement.limit(agent_filter.limit + 1)
    return statement.order_by(agents.c.key)


def _get_values(row: Any, columns: list[Any]) -> dict[str, Any]:
    """Return a row's values by column name, for creating a model object."""
    return {column.name: value for column, value in zip(columns, row, strict=True)}


def insert_version(tx: WriteTransaction, row: AgentRow, summary: str) -> None:
    """Store an agent's current state as a version, and delete the oldest versions above the limit.

    Args:
        tx: The transaction.
        row: The agent.
        summary: A short description of the change, for the history.
    """
    version = row.agent.version
    values = {
        "agent_key": row.key,
        "version": version,
        "saved_at": tx.timestamp,
        "source": tx.source,
        "summary": summary,
        "agent": row.agent,
    }
    tx.connection.execute(insert(agent_versions), values)
    outdated = agent_versions.c.version <= version - validation.MAX_AGENT_VERSIONS
    tx.connection.execute(
        delete(agent_versions).where(agent_versions.c.agent_key == row.key, outdated)
    )


def list_versions(tx: ReadTransaction, agent_key: int) -> list[AgentVersion]:
    """Return the stored versions of an agent, newest first, without their content."""
    columns = agent_versions.c
    statement = (
        select(columns.version, columns.saved_at, columns.source, columns.summary)
        .where(columns.agent_key == agent_key)
        .order_by(columns.version.desc())
    )
    return [AgentVersion(**row) for row in tx.connection.execute(statement).mappings()]


def find_version(tx: ReadTransaction, agent_key: int, version: int) -> AgentVersion | None:
    """Return a stored version of an agent, including its content, or None."""
    columns = [agent_versions.c[field.name] for field in msgspec.structs.fields(AgentVersion)]
    statement = select(*columns).where(
        agent_versions.c.agent_key == agent_key, agent_versions.c.version == version
    )
    row = tx.connection.execute(statement).mappings().first()
    return None if row is None else AgentVersion(**row)


LibraryItem = TypeVar("LibraryItem", LibrarySkill, Pack)


def list_library_items(tx: ReadTransaction, kind: type[LibraryItem]) -> list[LibraryItem]:
    """Return all skills or all packs, in order of creation."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    statement = select(*columns).where(table.c.owner == tx.owner).order_by(table.c.key)
    return [kind(**row) for row in tx.connection.execute(statement).mappings()]


def find_library_item(
    tx: ReadTransaction, kind: type[LibraryItem], item_id: str
) -> LibraryItem | None:
    """Return the skill or pack with the given ID, or None."""
    table = LIBRARY_TABLES[kind]
    columns = [table.c[field.name] for field in msgspec.structs.fields(kind)]
    statement = select(*columns).where(_has_item_id(tx, table, item_id))
    row = tx.connection.execute(statement).mappings().first()
    return None if row is None else kind(**row)


def _has_item_id(tx: ReadTransaction, table: Table, item_id: str) -> ColumnElement[bool]:
    return (table.c.owner == tx.owner) & (table.c.id == item_id)


def insert_library_item(tx: WriteTransaction, item: LibraryItem) -> None:
    """Insert a skill or pack."""
    values = {**msgspec.structs.asdict(item), "owner": tx.owner}
    tx.connection.execute(insert(LIBRARY_TABLES[type(item)]), values)


def update_library_item(tx: WriteTransaction, item: LibraryItem) -> None:
    """Write all fields of a skill or pack."""
    table = LIBRARY_TABLES[type(item)]
    statement = update(table).where(_has_item_id(tx, table, item.id))
    tx.connection.execute(statement, msgspec.structs.asdict(item))


def delete_library_item(tx: WriteTransaction, item: LibraryItem) -> None:
    """Delete a skill or pack."""
    table = LIBRARY_TABLES[type(item)]
    tx.connection.execute(delete(table).where(_has_item_id(tx, table, item.id)))


def detach_skills_from_pack(tx: WriteTransaction, pack_id: str) -> None:
    """Remove all skills from a pack, which also changes the skills' versions."""
    is_in_pack = (library_skills.c.owner == tx.owner) & (library_skills.c.pack_id == pack_id)
    # The version changes too; otherwise a client could save the skill with the deleted pack.
    values: dict[str, Any] = {"pack_id": None, "version": library_skills.c.version + 1}
    tx.connection.execute(update(library_skills).where(is_in_pack).values(values))
