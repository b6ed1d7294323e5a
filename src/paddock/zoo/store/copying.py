"""All that an owner has as plain rows, and such rows put back; keys are given out anew.

Rows are copied from one database to another, of either kind, when both are at the present revision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, MetaData, Table, delete, insert, select
from sqlalchemy.types import TypeDecorator

from paddock.zoo.store import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection, Select

BATCH_ROWS = 1_000

RowData = dict[str, Any]

_PLAIN_METADATA = MetaData()


def _make_plain_table(table: Table) -> Table:
    """A table whose data is text as it stands, so that nothing is lost on the way."""
    columns = [
        Column(
            column.name,
            column.type.impl if isinstance(column.type, TypeDecorator) else column.type,
            primary_key=column.primary_key,
        )
        for column in table.columns
    ]
    return Table(table.name, _PLAIN_METADATA, *columns)


_PLAIN_AGENTS = _make_plain_table(tables.agents)
_PLAIN_VERSIONS = _make_plain_table(tables.agent_versions)
COPIED_TABLES = {
    str(table.name): table
    for table in (
        _PLAIN_AGENTS,
        _PLAIN_VERSIONS,
        _make_plain_table(tables.entries),
        _make_plain_table(tables.library_skills),
        _make_plain_table(tables.packs),
        _make_plain_table(tables.imported_files),
    )
}
"""In the order in which they can be put back. Events are told once, and not copied."""


def iterate_rows(connection: Connection, owner: str) -> Iterator[tuple[str, RowData]]:
    """The names of tables with their rows, read while they are taken."""
    for name, table in COPIED_TABLES.items():
        columns = [column for column in table.columns if column.name != "owner"]
        statement = _filter_by_owner(select(*columns), table, owner)
        in_parts = statement.execution_options(yield_per=BATCH_ROWS)
        for row in connection.execute(in_parts).mappings():
            yield name, {str(key): value for key, value in row.items()}


def _filter_by_owner(statement: Select[Any], table: Table, owner: str) -> Select[Any]:
    if table is _PLAIN_VERSIONS:
        statement = statement.join(_PLAIN_AGENTS, _PLAIN_AGENTS.c.key == _PLAIN_VERSIONS.c.agent_key)
        statement = statement.where(_PLAIN_AGENTS.c.owner == owner)
    else:
        statement = statement.where(table.c.owner == owner)
    return statement.order_by(*table.primary_key.columns)


def has_only_other_owners(connection: Connection, owner: str) -> bool:
    """Whether there are agents, and none of an owner."""
    owners = set(connection.scalars(select(_PLAIN_AGENTS.c.owner).distinct()))
    return bool(owners) and owner not in owners


def delete_owner_rows(connection: Connection, owner: str) -> None:
    """Delete what an owner has, but for the events."""
    for table in COPIED_TABLES.values():
        if "owner" in table.columns:  # versions go with their agents
            connection.execute(delete(table).where(table.c.owner == owner))


def insert_rows(connection: Connection, owner: str, rows: Iterable[tuple[str, RowData]]) -> None:
    """Insert rows, in the order of `rows_of`.

    Raises:
        KeyError: for a table, or an agent, that there is not.
    """
    keys: dict[int, int] = {}
    batch: list[RowData] = []
    of = _PLAIN_AGENTS
    for name, given in rows:
        table = COPIED_TABLES[name]
        if table is not of or len(batch) >= BATCH_ROWS:
            _insert_batch(connection, of, batch)
            batch, of = [], table
        row = _adapt_row(table, given, owner, keys)
        if table is _PLAIN_AGENTS:
            inserted = connection.execute(insert(_PLAIN_AGENTS), row).inserted_primary_key or (0,)
            keys[given["key"]] = inserted[0]
        else:
            batch.append(row)
    _insert_batch(connection, of, batch)


def _adapt_row(table: Table, given: Mapping[str, Any], owner: str, keys: dict[int, int]) -> RowData:
    row = {name: value for name, value in given.items() if name != "key"}
    if "owner" in table.columns:
        row["owner"] = owner
    if "agent_key" in row:
        row["agent_key"] = keys[row["agent_key"]]
    return row


def _insert_batch(connection: Connection, table: Table, batch: list[RowData]) -> None:
    if batch:
        connection.execute(insert(table), batch)
