"""What was found as Markdown that fits a budget: title, where it is from, text.

What there is to search, and how it is searched, as far as this machine goes.

Searching: the one function behind the Context tools, the Search prompts and the command line.

What can be indexed in a moment is indexed with the first question; the rest goes on in another
process, and the answer says so. Without a place to keep an index there is one in memory, of what
can be indexed in a moment.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.registry import (
    CORPORA,
    INDEX_ON_FIRST_QUERY,
    INDEX_PARTLY_ON_FIRST_QUERY,
    load_corpora,
)
from paddock.docsearch.embeddings import model_choice as embeddings
from paddock.docsearch.index_store import (
    DamagedIndexError,
    IndexStore,
    IndexUnavailableError,
    delete_index_files,
    get_index_file,
)
from paddock.docsearch.indexer import (
    IndexJob,
    get_running_job,
    start_background_indexing,
    update_index,
)
from paddock.docsearch.model import parse_query
from paddock.docsearch.ranker import Ranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paddock.docsearch.model import PageHit


MAX_ANSWER_CHARACTERS = 12_000
"""Characters of an answer, unless the caller says otherwise."""
MIN_EXCERPT_CHARACTERS = 80
"""Characters of a text that is cut; below it the page is left out."""
TRUNCATION_MARK = " …"


def format_hits(hits: Sequence[PageHit], budget: int = MAX_ANSWER_CHARACTERS) -> str:
    """Pages below each other; texts are cut, and the last pages left out, where they do not fit.

    An early page may take what later ones leave, and each takes at most a fair share first.
    """
    parts: list[str] = []
    left = budget
    for place, hit in enumerate(hits):
        head = f"<result url='{_escape_attribute(hit.source)}'>\n\n# {_collapse_whitespace(hit.title)}\n\n"
        tail = "\n\n</result>"
        joint = 2 if parts else 0
        room = left - joint - len(head) - len(tail)
        waiting = len(hits) - place - 1
        fair = (
            max(room // (waiting + 1), min(room, MIN_EXCERPT_CHARACTERS * 4)) if waiting else room
        )
        text = _truncate_text(
            hit.text.strip(), max(fair, room - _count_characters(hits[place + 1 :]))
        )
        if room < min(MIN_EXCERPT_CHARACTERS, len(hit.text)):
            break
        parts.append(head + text + tail)
        left -= joint + len(parts[-1])
    return "\n\n".join(parts)


def _count_characters(hits: Sequence[PageHit]) -> int:
    """Characters that pages would take if none were cut."""
    return sum(len(hit.text) + len(hit.title) + len(hit.source) + 40 for hit in hits)


def _truncate_text(text: str, room: int) -> str:
    """The beginning of a text, up to the end of a line or word; an open fence is closed."""
    if len(text) <= room:
        return text
    closing = "\n```"
    kept = text[: max(room - len(TRUNCATION_MARK) - len(closing), 0)]
    for sign in ("\n", " "):
        end = kept.rfind(sign)
        if end > len(kept) * 3 // 4:
            kept = kept[:end]
            break
    is_open = kept.count("```") % 2 == 1
    return kept.rstrip() + TRUNCATION_MARK + (closing if is_open else "")


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _escape_attribute(text: str) -> str:
    return _collapse_whitespace(text).replace("'", "%27")


class CorpusStatus(NamedTuple):
    """How much of a corpus is in the index."""

    name: str
    description: str
    sources: int
    pages: int
    problems: tuple[str, ...]
    """Parts that could not be read, with the reason."""


class IndexStatus(NamedTuple):
    """The state of the index."""

    file: str
    size: int
    """Bytes."""
    vectors: str
    """`none`, `static`, or the directory of a sentence model."""
    corpora: tuple[CorpusStatus, ...]
    work: IndexJob | None
    """What is being indexed now."""


def get_index_status() -> IndexStatus:
    """Look at the index; nothing is indexed.

    Raises:
        IndexUnavailableError: when it cannot be read.
    """
    file = get_index_file()
    if not file.exists():
        rows = tuple(CorpusStatus(name, row[1], 0, 0, ()) for name, row in CORPORA.items())
        return IndexStatus(str(file), 0, embeddings.choose_embedding(), rows, None)
    database = IndexStore(file)
    try:
        rows = tuple(_get_corpus_status(database, name) for name in CORPORA)
        work = get_running_job(database)
    finally:
        database.close()
    return IndexStatus(str(file), file.stat().st_size, embeddings.choose_embedding(), rows, work)


def _get_corpus_status(database: IndexStore, name: str) -> CorpusStatus:
    sources = database.fetch_rows("SELECT key, problem FROM sources WHERE corpus = ?", name)
    pages = database.fetch_rows("SELECT count(*) FROM pages WHERE corpus = ?", name)[0][0]
    problems = tuple(f"{key}: {problem}" for key, problem in sources if problem)
    return CorpusStatus(name, CORPORA[name][1], len(sources), int(str(pages)), problems)


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
    query: str,
    corpora: Sequence[str],
    *,
    limit: int = DEFAULT_MAX_HITS,
    budget: int = DEFAULT_MAX_TEXT_CHARACTERS,
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
    query: str,
    corpora: Sequence[str],
    *,
    limit: int = DEFAULT_MAX_HITS,
    budget: int = DEFAULT_MAX_TEXT_CHARACTERS,
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
    if (
        _open_indexes
        and not is_damaged
        and _open_indexes[0].file == file
        and _open_indexes[0].file_identity == _get_file_identity(file)
    ):
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
    quick = [
        name for name in names if name in INDEX_ON_FIRST_QUERY and name not in index.started_corpora
    ]
    begun = [
        name
        for name in names
        if name in INDEX_PARTLY_ON_FIRST_QUERY and name not in index.started_corpora
    ]
    vectors = embeddings.choose_embedding()
    first = vectors if vectors == embeddings.NO_VECTORS else embeddings.STATIC_VECTORS
    try:
        update_index(index.store, load_corpora(quick), vectors=first)
        update_index(
            index.store, load_corpora(begun), vectors=first, seconds=FIRST_QUERY_WAIT_SECONDS
        )
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
    due = [
        n
        for n in slow
        if now - index.checked_at.get(n, -RECHECK_INTERVAL_SECONDS) >= RECHECK_INTERVAL_SECONDS
    ]
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
