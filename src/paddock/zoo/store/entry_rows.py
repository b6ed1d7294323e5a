"""Asking the full-text indexes of SQLite (FTS5) and PostgreSQL (GIN) for entries that have words.

Both index every row with a word that names its agent, and SQLite with one for its owner too. Rows
are asked for newest first and a few only, which neither needs to read all matches for.

Brain entries as rows, and the ways to ask for them.
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

from paddock.zoo.model import BrainEntry, Page
from paddock.zoo.search_terms import encode_index_word, make_index_text
from paddock.zoo.store.schema import agents, entries, has_any_tag
from paddock.zoo.validation import make_invalid_field_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select

    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


_ENTRY_WORDS = table("entry_words", column("rowid", Integer), column("entry_words", Text))


class _TextSearchQuery(UserDefinedType[str]):
    """PostgreSQL's tsquery; what is written as one is parsed no further than at its operators."""

    cache_ok = True

    def get_col_spec(self, **keywords: Any) -> str:
        return "tsquery"

    def bind_expression(self, bindvalue: Any) -> ColumnElement[Any]:
        return bindvalue.op("::")(literal_column("tsquery"))  # type: ignore[no-any-return]  # an operator of a parameter


def filter_by_words(
    statement: Select[Any],
    reading: ReadTransaction,
    words: Sequence[str],
    *,
    agent_key: int | None,
    match_any: bool = False,
    last_is_prefix: bool = False,
) -> Select[Any]:
    """Only the entries that have all of the words, or any; the last may be the beginning of one."""
    is_sqlite = _is_sqlite(reading)
    quote, ending, both, either = (
        ('"', "*", " AND ", " OR ") if is_sqlite else ("'", ":*", "&", "|")
    )
    terms = [f"{quote}{encode_index_word(word)}{quote}" for word in words]
    if last_is_prefix:
        terms[-1] += ending
    query = f"({(either if match_any else both).join(terms)})"
    if agent_key is not None:
        query = f"{quote}_a{agent_key}{quote}{both}{query}"
    elif is_sqlite:
        query = f'"_o{reading.owner.encode().hex()}" AND {query}'
    if is_sqlite:
        matches = _ENTRY_WORDS.c.entry_words.op("MATCH")(query)
        return statement.join(_ENTRY_WORDS, _ENTRY_WORDS.c.rowid == entries.c.key).where(matches)
    vector: ColumnElement[Any] = literal_column("entries.word_vector")
    return statement.where(vector.op("@@")(bindparam(None, query, type_=_TextSearchQuery())))


def order_newest_first(reading: ReadTransaction) -> ColumnElement[int]:
    """The order in which the rows of `having` come without being sorted."""
    return (_ENTRY_WORDS.c.rowid if _is_sqlite(reading) else entries.c.key).desc()


def _is_sqlite(reading: ReadTransaction) -> bool:
    return reading.connection.dialect.name == "sqlite"


ENTRY_COLUMNS = [
    agents.c.id.label("agent_id") if field.name == "agent_id" else entries.c[field.name]
    for field in msgspec.structs.fields(BrainEntry)
]


class EntryRow(NamedTuple):
    """An entry, and the key of its row."""

    key: int
    entry: BrainEntry


class EntryFilter(NamedTuple):
    """Which entries of an agent are wanted; None is no condition."""

    type: str | None = None
    tags: Sequence[str] = ()
    """Those with any of them."""
    not_before: str | None = None
    before: str | None = None
    pinned: bool | None = None
    words: Sequence[str] = ()
    """Those with all of them."""
    workspace_id: str | None = None
    is_without_workspace: bool = False


class EntryCursor(NamedTuple):
    """Where a page ended."""

    timestamp: str
    key: int


def parse_entry_cursor(cursor: str | None) -> EntryCursor | None:
    """Where a page ended, from what was given out for it.

    Raises:
        InvalidAgentError: when it is nothing of that kind.
    """
    if cursor is None:
        return None
    timestamp, _, key = cursor.partition("~")
    if not key.isascii() or not key.isdigit() or len(key) > 18:
        raise make_invalid_field_error("cursor", "is none that was given out")
    return EntryCursor(timestamp, int(key))


def _select_entries() -> Select[Any]:
    joined = entries.join(agents, entries.c.agent_key == agents.c.key)
    return select(entries.c.key, *ENTRY_COLUMNS).select_from(joined)


def _make_entry_row(row: Any) -> EntryRow:
    names = (column.name for column in ENTRY_COLUMNS)
    return EntryRow(row[0], BrainEntry(**dict(zip(names, row[1:], strict=True))))


def find_entry_row(
    transaction: ReadTransaction, agent_key: int, entry_id: str, *, in_bin: bool = False
) -> EntryRow | None:
    """The entry of an id."""
    deleted = entries.c.deleted_at
    statement = _select_entries().where(
        entries.c.agent_key == agent_key,
        entries.c.id == entry_id,
        deleted.is_not(None) if in_bin else deleted.is_(None),
    )
    row = transaction.connection.execute(statement).first()
    return None if row is None else _make_entry_row(row)


def entry_id_exists(transaction: WriteTransaction, agent_key: int, entry_id: str) -> bool:
    """Whether an id is in use, if only in the bin."""
    same = (entries.c.agent_key == agent_key) & (entries.c.id == entry_id)
    return transaction.connection.scalar(select(entries.c.key).where(same)) is not None


def insert_entry(transaction: WriteTransaction, agent_key: int, entry: BrainEntry) -> None:
    """Put an entry into a brain."""
    values = {**_make_row(entry), "agent_key": agent_key, "owner": transaction.owner}
    transaction.connection.execute(insert(entries), values)
    change_entry_count(transaction, agent_key, 1)


def change_entry_count(transaction: WriteTransaction, agent_key: int, more: int) -> None:
    """Have the agent's number of entries right."""
    counted = {"entry_count": agents.c.entry_count + more}
    transaction.connection.execute(update(agents).where(agents.c.key == agent_key).values(counted))


def update_entry(transaction: WriteTransaction, key: int, entry: BrainEntry) -> None:
    """Write everything about an entry."""
    update_entry_columns(transaction, key, **_make_row(entry))


def update_entry_columns(transaction: WriteTransaction, key: int, **values: Any) -> None:
    """Set some columns."""
    transaction.connection.execute(update(entries).where(entries.c.key == key), values)


def _make_row(entry: BrainEntry) -> dict[str, Any]:
    values = msgspec.structs.asdict(entry)
    del values["agent_id"]
    values["workspace_id"] = entry.metadata.get("workspaceId")
    values["words"] = make_index_text([entry.content, *entry.tags])
    return values


def list_entry_page(
    reading: ReadTransaction,
    agent_key: int,
    wanted: EntryFilter,
    limit: int | None,
    after: EntryCursor | None,
) -> Page[BrainEntry]:
    """Entries of an agent, the newest first."""
    statement = _select_entries().where(
        entries.c.agent_key == agent_key, entries.c.deleted_at.is_(None), *_make_conditions(wanted)
    )
    if wanted.words:
        statement = filter_by_words(statement, reading, wanted.words, agent_key=agent_key)
    if after is not None:
        same_time = entries.c.timestamp == after.timestamp
        statement = statement.where(
            entries.c.timestamp <= after.timestamp,
            or_(entries.c.timestamp < after.timestamp, and_(same_time, entries.c.key < after.key)),
        )
    statement = statement.order_by(entries.c.timestamp.desc(), entries.c.key.desc())
    if limit is not None:
        statement = statement.limit(limit + 1)
    kept = [_make_entry_row(row) for row in reading.connection.execute(statement)]
    cursor = None
    if limit is not None and len(kept) > limit:
        last = kept[limit - 1]
        cursor = f"{last.entry.timestamp}~{last.key}"
    return Page(items=[one.entry for one in kept[:limit]], next_cursor=cursor)


def _make_conditions(wanted: EntryFilter) -> list[ColumnElement[bool]]:
    columns = entries.c
    found: list[ColumnElement[bool]] = []
    if wanted.type is not None:
        found.append(columns.type == wanted.type)
    if wanted.tags:
        found.append(has_any_tag(columns.tags, list(wanted.tags)))
    if wanted.not_before is not None:
        found.append(columns.timestamp >= wanted.not_before)
    if wanted.before is not None:
        found.append(columns.timestamp < wanted.before)
    if wanted.pinned is not None:
        found.append(columns.pinned == wanted.pinned)
    if wanted.workspace_id is not None:
        found.append(columns.workspace_id == wanted.workspace_id)
    if wanted.is_without_workspace:
        found.append(columns.workspace_id.is_(None))
    return found


def search_entries(
    reading: ReadTransaction,
    words: Sequence[str],
    *,
    agent_key: int | None,
    max_results: int,
    match_any: bool = False,
    last_is_prefix: bool = False,
) -> list[tuple[EntryRow, str]]:
    """The newest entries that have the words, with the names of their agents.

    With `match_any` one of the words will do; with `last_is_prefix` the last need only begin so.
    """
    statement = _select_entries().add_columns(agents.c.name)
    statement = statement.where(entries.c.deleted_at.is_(None), agents.c.deleted_at.is_(None))
    if agent_key is None:
        statement = statement.where(entries.c.owner == reading.owner)
    else:
        statement = statement.where(entries.c.agent_key == agent_key)
    statement = filter_by_words(
        statement,
        reading,
        words,
        agent_key=agent_key,
        match_any=match_any,
        last_is_prefix=last_is_prefix,
    )
    statement = statement.order_by(order_newest_first(reading)).limit(max_results)
    rows = reading.connection.execute(statement)
    return [(_make_entry_row(row[:-1]), row[-1]) for row in rows]
