"""Searching: the one function behind the Context tools, the Search prompts and the command line.

What can be indexed in a moment is indexed with the first question; the rest goes on in another
process, and the answer says so. Without a place to keep an index there is one in memory, of what
can be indexed in a moment.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.background import start_indexing, work_in_progress
from paddock.docsearch.corpora.table import BEGUN, CORPORA, QUICK, corpora
from paddock.docsearch.database import (
    DamagedIndexError,
    Database,
    IndexUnavailableError,
    discard,
    index_file,
)
from paddock.docsearch.indexing import update
from paddock.docsearch.meaning import embedding as embeddings
from paddock.docsearch.queries import read_query
from paddock.docsearch.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paddock.docsearch.page import Hit

LIMIT = 5
BUDGET = 12_000
"""Characters of the texts of all answers together."""
MOMENT = 1.5
"""Seconds that the first question waits for what is begun with it."""
CHECK_SECONDS = 600.0
"""After so long another process looks whether anything has changed."""


class Found(NamedTuple):
    """What was found, and what should be said about it."""

    hits: list[Hit]
    notes: list[str]


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


def look_up(
    query: str, corpora: Sequence[str], *, limit: int = LIMIT, budget: int = BUDGET
) -> Found:
    """The same, with what the reader should know about the index."""
    names = tuple(corpora)
    with _LOCK:
        index = _open_index()
        read = read_query(query)
        try:
            _begin(index, names)
            hits = index.ranking.best(read, names, limit)
        except DamagedIndexError:
            index = _open_index(is_damaged=True)
            _begin(index, names)
            hits = index.ranking.best(read, names, limit)
        notes = [*index.notes, *_notes(index, names)]
    return Found(_within(hits, budget), notes)


class _Index:
    """An open index, and what this process has done for it."""

    def __init__(self, file: Path, database: Database, notes: list[str]) -> None:
        self.file = file
        self.identity = _identity(file)
        self.database = database
        self.ranking = Ranking(database)
        self.notes = notes
        self.begun: set[str] = set()
        self.checked: dict[str, float] = {}

    def keep_in_memory(self, error: Exception) -> None:
        """Go on without the file, which cannot be written."""
        self.database.close()
        self.database = Database(None)
        self.ranking = Ranking(self.database)
        self.begun.clear()
        self.notes.append(f"The index cannot be kept, so that only a part is searched: {error}")


_LOCK = threading.RLock()
_open: list[_Index] = []


def _open_index(*, is_damaged: bool = False) -> _Index:
    file = index_file()
    if _open and not is_damaged and _open[0].file == file and _open[0].identity == _identity(file):
        return _open[0]
    while _open:
        _open.pop().database.close()
    notes: list[str] = []
    try:
        if is_damaged:
            discard(file)
        database = Database(file)
        database.set("opened", "1")
    except (IndexUnavailableError, OSError) as error:
        notes.append(f"The index cannot be kept, so that only a part is searched: {error}")
        database = Database(None)
    _open.append(_Index(file, database, notes))
    return _open[0]


def _begin(index: _Index, names: Sequence[str]) -> None:
    """Index what takes a moment, and have the rest indexed elsewhere."""
    quick = [name for name in names if name in QUICK and name not in index.begun]
    begun = [name for name in names if name in BEGUN and name not in index.begun]
    vectors = embeddings.chosen()
    first = vectors if vectors == embeddings.NONE else embeddings.STATIC
    try:
        update(index.database, corpora(quick), vectors=first)
        update(index.database, corpora(begun), vectors=first, seconds=MOMENT)
    except DamagedIndexError:
        raise
    except IndexUnavailableError as error:
        if index.database.file is None:
            raise
        index.keep_in_memory(error)
        _begin(index, names)
        return
    index.begun.update(quick, begun)
    has_model = vectors not in (embeddings.NONE, embeddings.STATIC)
    slow = [n for n in names if n in CORPORA and (has_model or n not in QUICK)]
    now = monotonic()
    due = [n for n in slow if now - index.checked.get(n, -CHECK_SECONDS) >= CHECK_SECONDS]
    if due and index.database.file is not None:
        index.checked.update(dict.fromkeys(due, now))
        start_indexing(due)


def _notes(index: _Index, names: Sequence[str]) -> Iterator[str]:
    work = work_in_progress(index.database)
    if work is not None and work.corpus in names:
        yield (
            f"The corpus {work.corpus} is still being indexed ({work.done} of {work.total} parts); "
            "ask again later for more."
        )


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
