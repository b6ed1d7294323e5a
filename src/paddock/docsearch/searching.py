"""Searching: the one function behind the Context tools, the Search prompts and the command line.

What can be indexed in a moment is indexed with the first question; the rest goes on in another
process, and the answer says so. Without a place to keep an index there is one in memory, of what
can be indexed in a moment.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.symbol_descriptions import SymbolDescriptions
from paddock.docsearch.database import (
    DamagedIndexError,
    Database,
    IndexUnavailableError,
    discard,
    index_file,
)
from paddock.docsearch.indexing import update
from paddock.docsearch.queries import read_query
from paddock.docsearch.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paddock.docsearch.page import Hit

LIMIT = 5
BUDGET = 12_000
"""Characters of the texts of all answers together."""


def search(
    query: str, corpora: Sequence[str], *, limit: int = LIMIT, budget: int = BUDGET
) -> list[Hit]:
    """The pages of some corpora that answer a question, the best first.

    Args:
        query: Words, a question, or the name of something.
        corpora: Where to search.
        limit: How many pages.
        budget: Characters that their texts may have together; the last are left out.
    """
    return look_up(query, corpora, limit=limit, budget=budget).hits


class Found(NamedTuple):
    """What was found, and what should be said about it."""

    hits: list[Hit]
    notes: list[str]


def look_up(
    query: str, corpora: Sequence[str], *, limit: int = LIMIT, budget: int = BUDGET
) -> Found:
    """The same, with what the reader should know about the index."""
    with _LOCK:
        index = _open_index()
        read = read_query(query)
        try:
            hits = index.ranking.best(read, corpora, limit)
        except DamagedIndexError:
            index = _open_index(is_damaged=True)
            hits = index.ranking.best(read, corpora, limit)
    return Found(_within(hits, budget), index.notes)


class _Index(NamedTuple):
    file: Path
    identity: tuple[int, int] | None
    """Of the file that is open; another one may have taken its place."""
    database: Database
    ranking: Ranking
    notes: list[str]


_LOCK = threading.RLock()
_open: list[_Index] = []


def _open_index(*, is_damaged: bool = False) -> _Index:
    file = index_file()
    if _open and not is_damaged and _open[0].file == file and _open[0].identity == _identity(file):
        return _open[0]
    while _open:
        _open.pop().database.close()
    if is_damaged:
        discard(file)
    notes: list[str] = []
    try:
        database = Database(file)
        update(database, [SymbolDescriptions()])
    except IndexUnavailableError as error:
        notes.append(
            f"The index cannot be kept: {error}. Only a part of the documentation is searched."
        )
        database = Database(None)
        update(database, [SymbolDescriptions()])
    _open.append(_Index(file, _identity(file), database, Ranking(database), notes))
    return _open[0]


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _within(hits: list[Hit], budget: int) -> list[Hit]:
    kept: list[Hit] = []
    left = budget
    for hit in hits:
        if kept and len(hit.text) > left:
            break
        kept.append(hit)
        left -= len(hit.text)
    return kept
