"""Asking the full-text indexes of SQLite (FTS5) and PostgreSQL (GIN) for entries that have words.

Both index every row with a word that names its agent, and SQLite with one for its owner too. Rows
are asked for newest first and a few only, which neither needs to read all matches for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, Text, bindparam, column, literal_column, table
from sqlalchemy.types import UserDefinedType

from paddock.zoo.store.tables import entries
from paddock.zoo.words import encode_index_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select

    from paddock.zoo.store.transaction import ReadTransaction

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
    is_any_enough: bool = False,
    is_last_open: bool = False,
) -> Select[Any]:
    """Only the entries that have all of the words, or any; the last may be the beginning of one."""
    is_sqlite = _is_sqlite(reading)
    quote, ending, both, either = (
        ('"', "*", " AND ", " OR ") if is_sqlite else ("'", ":*", "&", "|")
    )
    terms = [f"{quote}{encode_index_word(word)}{quote}" for word in words]
    if is_last_open:
        terms[-1] += ending
    query = f"({(either if is_any_enough else both).join(terms)})"
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
