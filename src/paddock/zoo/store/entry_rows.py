"""Database rows for brain entries, and full-text search with FTS5 (SQLite) or GIN (PostgreSQL).

Each row is indexed with an extra word for its agent and, in SQLite, another for its owner, so that
a search does not read other agents' or owners' matches. Matches are read newest first up to a
limit, without any sorting by the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import (
    Integer,
    Text,
    and_,
    bindparam,
    column,
    insert,
    literal_column,
    or_,
    select,
    table,
    update,
)
from sqlalchemy.types import UserDefinedType

from paddock.zoo.model import BrainEntry, ResultPage
from paddock.zoo.search_terms import encode_index_word, make_index_text
from paddock.zoo.store.schema import agents, entries, has_any_tag
from paddock.zoo.validation import parse_cursor_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select

    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


_ENTRY_WORDS = table("entry_words", column("rowid", Integer), column("entry_words", Text))

ENTRY_COLUMNS = [
    agents.c.id.label("agent_id") if field.name == "agent_id" else entries.c[field.name]
    for field in msgspec.structs.fields(BrainEntry)
]


class _TextSearchQuery(UserDefinedType[str]):
    """PostgreSQL's `tsquery` type, a full-text query.

    Parameters of this type are cast with `::tsquery`. Unlike `to_tsquery`, the cast does not
    normalize the words, which have already been normalized here.
    """

    cache_ok = True

    def get_col_spec(self, **keywords: Any) -> str:
        return "tsquery"

    def bind_expression(self, bindvalue: Any) -> ColumnElement[Any]:
        return bindvalue.op("::")(literal_column("tsquery"))  # type: ignore[no-any-return]  # an operator of a parameter


class _QuerySyntax(NamedTuple):
    """The full-text query syntax of one database system."""

    quote: str
    prefix_mark: str
    """Follows a quoted word that may be the beginning of a longer word."""
    and_operator: str
    or_operator: str


_FTS5_SYNTAX = _QuerySyntax('"', "*", " AND ", " OR ")
_TSQUERY_SYNTAX = _QuerySyntax("'", ":*", "&", "|")


def filter_by_words(
    statement: Select[Any],
    tx: ReadTransaction,
    words: Sequence[str],
    *,
    agent_key: int | None,
    match_any: bool = False,
    last_is_prefix: bool = False,
) -> Select[Any]:
    """Restrict a query to the entries that contain all of the words, or any of them.

    For agent 7 and the words `red` and `fox`, SQLite gets the query `"_a7" AND ("red" AND "fox")`,
    and PostgreSQL gets `'_a7'&('red'&'fox')`. Every entry is also indexed with such a word for its
    agent and, in SQLite, another for its owner. This keeps searches from reading the matches of
    others.

    Args:
        statement: The query to restrict.
        tx: The transaction.
        words: At least one word, as returned by `extract_words`.
        agent_key: The agent to search, or None for all of the owner's agents.
        match_any: One of the words is enough.
        last_is_prefix: The last word may be the beginning of a word.
    """
    is_sqlite = _is_sqlite(tx)
    syntax = _FTS5_SYNTAX if is_sqlite else _TSQUERY_SYNTAX
    terms = [f"{syntax.quote}{encode_index_word(word)}{syntax.quote}" for word in words]
    if last_is_prefix:
        terms[-1] += syntax.prefix_mark
    operator = syntax.or_operator if match_any else syntax.and_operator
    query = f"({operator.join(terms)})"
    if agent_key is not None:
        query = f"{syntax.quote}_a{agent_key}{syntax.quote}{syntax.and_operator}{query}"
    elif is_sqlite:
        query = f'"_o{tx.owner.encode().hex()}" AND {query}'
    if is_sqlite:
        matches = _ENTRY_WORDS.c.entry_words.op("MATCH")(query)
        return statement.join(_ENTRY_WORDS, _ENTRY_WORDS.c.rowid == entries.c.key).where(matches)
    vector: ColumnElement[Any] = literal_column("entries.word_vector")
    return statement.where(vector.op("@@")(bindparam(None, query, type_=_TextSearchQuery())))


def order_newest_first(tx: ReadTransaction) -> ColumnElement[int]:
    """Return the sort order that both indexes provide without sorting."""
    return (_ENTRY_WORDS.c.rowid if _is_sqlite(tx) else entries.c.key).desc()


def _is_sqlite(tx: ReadTransaction) -> bool:
    return tx.connection.dialect.name == "sqlite"


class EntryRow(NamedTuple):
    """An entry with its primary key."""

    key: int
    entry: BrainEntry


class EntryCursor(NamedTuple):
    """The position where a page ended."""

    timestamp: str
    key: int


class EntryMatch(NamedTuple):
    """An entry found by a search, with the name of its agent."""

    entry: BrainEntry
    agent_name: str


class EntryFilter(NamedTuple):
    """The conditions that listed entries must meet.

    None and empty values mean no condition.
    """

    type: str | None = None
    tags: Sequence[str] = ()
    """An entry must have at least one of them."""
    not_before: str | None = None
    """Earliest timestamp, inclusive."""
    before: str | None = None
    """Latest timestamp, exclusive."""
    pinned: bool | None = None
    words: Sequence[str] = ()
    """An entry must contain all of them."""
    workspace_id: str | None = None
    """The workspace that the entry's metadata must name."""
    is_without_workspace: bool = False
    """Whether the metadata must not name a workspace."""
    limit: int | None = None
    """Maximum number of entries on the page."""
    after: EntryCursor | None = None
    """The last entry on the previous page."""


def parse_entry_cursor(cursor: str | None) -> EntryCursor | None:
    """Parse a page cursor, such as `2026-01-31T12:00:00.000Z~17`, or return None for None.

    A cursor consists of the timestamp and row key of the last entry on the previous page.

    Raises:
        InvalidAgentError: The cursor is not one that a page returned.
    """
    if cursor is None:
        return None
    timestamp, _, key = cursor.partition("~")
    return EntryCursor(timestamp, parse_cursor_key(key))


def _select_entries() -> Select[Any]:
    joined = entries.join(agents, entries.c.agent_key == agents.c.key)
    return select(entries.c.key, *ENTRY_COLUMNS).select_from(joined)


def _make_entry_row(row: Any) -> EntryRow:
    names = (column.name for column in ENTRY_COLUMNS)
    return EntryRow(row[0], BrainEntry(**dict(zip(names, row[1:], strict=True))))


def find_entry_row(
    tx: ReadTransaction, agent_key: int, entry_id: str, *, in_bin: bool = False
) -> EntryRow | None:
    """Return the agent's entry with the given ID, or None.

    Args:
        tx: The transaction.
        agent_key: The agent's row key.
        entry_id: The ID of the entry.
        in_bin: Whether to search the deleted entries instead of the others.
    """
    deleted = entries.c.deleted_at
    statement = _select_entries().where(
        entries.c.agent_key == agent_key,
        entries.c.id == entry_id,
        deleted.is_not(None) if in_bin else deleted.is_(None),
    )
    row = tx.connection.execute(statement).first()
    return None if row is None else _make_entry_row(row)


def entry_id_exists(tx: WriteTransaction, agent_key: int, entry_id: str) -> bool:
    """Return whether an ID is in use, including by an entry in the bin."""
    has_id = (entries.c.agent_key == agent_key) & (entries.c.id == entry_id)
    return tx.connection.scalar(select(entries.c.key).where(has_id)) is not None


def insert_entry(tx: WriteTransaction, agent_key: int, entry: BrainEntry) -> None:
    """Insert an entry into a brain."""
    values = {**_make_row(entry), "agent_key": agent_key, "owner": tx.owner}
    tx.connection.execute(insert(entries), values)
    change_entry_count(tx, agent_key, 1)


def change_entry_count(tx: WriteTransaction, agent_key: int, difference: int) -> None:
    """Adjust the agent's stored entry count, which summaries show."""
    counted = {"entry_count": agents.c.entry_count + difference}
    tx.connection.execute(update(agents).where(agents.c.key == agent_key).values(counted))


def update_entry(tx: WriteTransaction, key: int, entry: BrainEntry) -> None:
    """Write all fields of an entry."""
    update_entry_columns(tx, key, **_make_row(entry))


def update_entry_columns(tx: WriteTransaction, key: int, **values: Any) -> None:
    """Set columns of an entry's row."""
    tx.connection.execute(update(entries).where(entries.c.key == key), values)


def _make_row(entry: BrainEntry) -> dict[str, Any]:
    """Return an entry's columns: its fields, and the values that queries and searches need."""
    values = msgspec.structs.asdict(entry)
    # The row refers to its agent by key.
    del values["agent_id"]
    # Queries filter by workspace, so it needs its own column. Metadata is opaque JSON.
    values["workspace_id"] = entry.metadata.get("workspaceId")
    values["words"] = make_index_text([entry.content, *entry.tags])
    return values


def list_entry_page(
    tx: ReadTransaction, agent_key: int, entry_filter: EntryFilter
) -> ResultPage[BrainEntry]:
    """Return a page of entries that meet all conditions, newest first."""
    limit, after = entry_filter.limit, entry_filter.after
    statement = _select_entries().where(
        entries.c.agent_key == agent_key,
        entries.c.deleted_at.is_(None),
        *_make_conditions(entry_filter),
    )
    if entry_filter.words:
        statement = filter_by_words(statement, tx, entry_filter.words, agent_key=agent_key)
    if after is not None:
        same_time = entries.c.timestamp == after.timestamp
        statement = statement.where(
            # This condition is implied by the second one, but lets both databases use the index.
            entries.c.timestamp <= after.timestamp,
            or_(entries.c.timestamp < after.timestamp, and_(same_time, entries.c.key < after.key)),
        )
    statement = statement.order_by(entries.c.timestamp.desc(), entries.c.key.desc())
    if limit is not None:
        # Read one entry more than fits on the page, to find out whether there is a next page.
        statement = statement.limit(limit + 1)
    rows = [_make_entry_row(row) for row in tx.connection.execute(statement)]
    next_cursor = None
    if limit is not None and len(rows) > limit:
        last_row = rows[limit - 1]
        next_cursor = f"{last_row.entry.timestamp}~{last_row.key}"
    return ResultPage(items=[row.entry for row in rows[:limit]], next_cursor=next_cursor)


def _make_conditions(entry_filter: EntryFilter) -> list[ColumnElement[bool]]:
    """Return a filter's SQL conditions, except for its words."""
    columns = entries.c
    conditions: list[ColumnElement[bool]] = []
    if entry_filter.type is not None:
        conditions.append(columns.type == entry_filter.type)
    if entry_filter.tags:
        conditions.append(has_any_tag(columns.tags, list(entry_filter.tags)))
    if entry_filter.not_before is not None:
        conditions.append(columns.timestamp >= entry_filter.not_before)
    if entry_filter.before is not None:
        conditions.append(columns.timestamp < entry_filter.before)
    if entry_filter.pinned is not None:
        conditions.append(columns.pinned == entry_filter.pinned)
    if entry_filter.workspace_id is not None:
        conditions.append(columns.workspace_id == entry_filter.workspace_id)
    if entry_filter.is_without_workspace:
        conditions.append(columns.workspace_id.is_(None))
    return conditions


def search_entries(
    tx: ReadTransaction,
    words: Sequence[str],
    *,
    agent_key: int | None,
    max_results: int,
    match_any: bool = False,
    last_is_prefix: bool = False,
) -> list[EntryMatch]:
    """Return the newest entries that contain the words, with their agents' names.

    Args:
        tx: The transaction.
        words: At least one word, as returned by `extract_words`.
        agent_key: The agent whose brain to search, or None for all of the owner's agents.
        max_results: The maximum number of entries.
        match_any: One of the words is enough.
        last_is_prefix: The last word may be the beginning of a word.
    """
    statement = _select_entries().add_columns(agents.c.name)
    statement = statement.where(entries.c.deleted_at.is_(None), agents.c.deleted_at.is_(None))
    if agent_key is None:
        statement = statement.where(entries.c.owner == tx.owner)
    else:
        statement = statement.where(entries.c.agent_key == agent_key)
    statement = filter_by_words(
        statement,
        tx,
        words,
        agent_key=agent_key,
        match_any=match_any,
        last_is_prefix=last_is_prefix,
    )
    statement = statement.order_by(order_newest_first(tx)).limit(max_results)
    rows = tx.connection.execute(statement)
    return [EntryMatch(_make_entry_row(row[:-1]).entry, row[-1]) for row in rows]
