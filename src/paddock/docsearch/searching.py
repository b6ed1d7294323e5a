"""Searching: the one function behind the Context tools, the Search prompts and the command line.

What can be indexed in a moment is indexed with the first question; the rest goes on in another
process, and the answer says so. Without a place to keep an index there is one in memory, of what
can be indexed in a moment.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.background import start_background_indexing, get_running_job
from paddock.docsearch.corpora.table import INDEX_PARTLY_ON_FIRST_QUERY, CORPORA, INDEX_ON_FIRST_QUERY, load_corpora
from paddock.docsearch.database import (
    DamagedIndexError,
    IndexStore,
    IndexUnavailableError,
    delete_index_files,
    get_index_file,
)
from paddock.docsearch.indexing import update_index
from paddock.docsearch.meaning import embedding as embeddings
from paddock.docsearch.queries import parse_query
from paddock.docsearch.ranking import Ranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paddock.docsearch.page import PageHit

DEFAULT_MAX_HITS = 5
DEFAULT_MAX_TEXT_CHARACTERS = 12_000
"""Characters of the texts of all answers together."""
FIRST_QUERY_WAIT_SECONDS = 1.5
"""Seconds that the first question waits for what is begun with it."""
RECHECK_INTERVAL_SECONDS = 600.0
"""After so long another process looks whether anything has changed."""


class SearchResult(NamedTuple):
    """What was found, and what should be said about it."""

    hits: list[PageHit]
    notes: list[str]


def search(
    query: str, corpora: Sequence[str], *, limit: int = DEFAULT_MAX_HITS, budget: int = DEFAULT_MAX_TEXT_CHARACTERS
) -> list[PageHit]:
    """The pages of some corpora that answer a question, the best first.

    Args:
        query: Words, a question, or the name of something.
        corpora: Where to search.
        limit: How many pages.
        budget: Characters that their texts may have together; the last are left out.
    """
    return search_with_notes(query, corpora, limit=limit, budget=budget).hits


def search_with_notes(
    query: str, corpora: Sequence[str], *, limit: int = DEFAULT_MAX_HITS, budget: int = DEFAULT_MAX_TEXT_CHARACTERS
) -> SearchResult:
    """The same, with what the reader should know about the index."""
    names = tuple(corpora)
    with _INDEX_LOCK:
        index = _get_open_index()
        read = parse_query(query)
        try:
            _ensure_indexed(index, names)
            hits = index.ranker.rank(read, names, limit)
        except DamagedIndexError:
            index = _get_open_index(is_damaged=True)
            _ensure_indexed(index, names)
            hits = index.ranker.rank(read, names, limit)
        notes = [*index.notes, *_describe_progress(index, names)]
    return SearchResult(_limit_text(hits, budget), notes)


class _OpenIndex:
    """An open index, and what this process has done for it."""

    def __init__(self, file: Path, database: IndexStore, notes: list[str]) -> None:
        self.file = file
        self.file_identity = _get_file_identity(file)
        self.store = database
        self.ranker = Ranker(database)
        self.notes = notes
        self.started_corpora: set[str] = set()
        self.checked_at: dict[str, float] = {}

    def switch_to_memory(self, error: Exception) -> None:
        """Go on without the file, which cannot be written."""
        self.store.close()
        self.store = IndexStore(None)
        self.ranker = Ranker(self.store)
        self.started_corpora.clear()
        self.notes.append(f"The index cannot be kept, so that only a part is searched: {error}")


_INDEX_LOCK = threading.RLock()
_open_indexes: list[_OpenIndex] = []


def _get_open_index(*, is_damaged: bool = False) -> _OpenIndex:
    file = get_index_file()
    if _open_indexes and not is_damaged and _open_indexes[0].file == file and _open_indexes[0].file_identity == _get_file_identity(file):
        return _open_indexes[0]
    while _open_indexes:
        _open_indexes.pop().store.close()
    notes: list[str] = []
    try:
        if is_damaged:
            delete_index_files(file)
        database = IndexStore(file)
        database.set_setting("opened", "1")
    except (IndexUnavailableError, OSError) as error:
        notes.append(f"The index cannot be kept, so that only a part is searched: {error}")
        database = IndexStore(None)
    _open_indexes.append(_OpenIndex(file, database, notes))
    return _open_indexes[0]


def _ensure_indexed(index: _OpenIndex, names: Sequence[str]) -> None:
    """Index what takes a moment, and have the rest indexed elsewhere."""
    quick = [name for name in names if name in INDEX_ON_FIRST_QUERY and name not in index.started_corpora]
    begun = [name for name in names if name in INDEX_PARTLY_ON_FIRST_QUERY and name not in index.started_corpora]
    vectors = embeddings.choose_embedding()
    first = vectors if vectors == embeddings.NO_VECTORS else embeddings.STATIC_VECTORS
    try:
        update_index(index.store, load_corpora(quick), vectors=first)
        update_index(index.store, load_corpora(begun), vectors=first, seconds=FIRST_QUERY_WAIT_SECONDS)
    except DamagedIndexError:
        raise
    except IndexUnavailableError as error:
        if index.store.file is None:
            raise
        index.switch_to_memory(error)
        _ensure_indexed(index, names)
        return
    index.started_corpora.update(quick, begun)
    has_model = vectors not in (embeddings.NO_VECTORS, embeddings.STATIC_VECTORS)
    slow = [n for n in names if n in CORPORA and (has_model or n not in INDEX_ON_FIRST_QUERY)]
    now = monotonic()
    due = [n for n in slow if now - index.checked_at.get(n, -RECHECK_INTERVAL_SECONDS) >= RECHECK_INTERVAL_SECONDS]
    if due and index.store.file is not None:
        index.checked_at.update(dict.fromkeys(due, now))
        start_background_indexing(due)


def _describe_progress(index: _OpenIndex, names: Sequence[str]) -> Iterator[str]:
    work = get_running_job(index.store)
    if work is not None and work.corpus in names:
        yield (
            f"The corpus {work.corpus} is still being indexed ({work.done} of {work.total} parts); "
            "ask again later for more."
        )


def _get_file_identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _limit_text(hits: list[PageHit], budget: int) -> list[PageHit]:
    kept: list[PageHit] = []
    left = budget
    for hit in hits:
        if kept and len(hit.text) > left:
            break
        kept.append(hit)
        left -= len(hit.text)
    return kept
