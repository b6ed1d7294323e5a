"""Documentation search for the Context tools, the Search prompts and the command line.

The first query indexes small corpora immediately. A background process indexes the others, and
notes in the result mention that it has not finished. If the index file cannot be written, an index
in memory contains everything that can be indexed quickly.
"""

from __future__ import annotations

import threading
from contextlib import closing
from math import inf
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
MIN_EXCERPT_CHARACTERS = 80  # A shorter excerpt is not worth showing.
TRUNCATION_MARK = " …"
DEFAULT_MAX_HITS = 5
DEFAULT_MAX_TEXT_CHARACTERS = 12_000
FIRST_QUERY_WAIT_SECONDS = 1.5
"""Time that the first query waits for the partial index of a large corpus."""
# After this time a background process checks the sources for changes again.
RECHECK_INTERVAL_SECONDS = 600.0


def format_hits(hits: Sequence[PageHit], budget: int = MAX_ANSWER_CHARACTERS) -> str:
    """Format the pages that match a query as Markdown for a model.

    Texts are shortened to fit, and the last pages are omitted if necessary. Each page may use an
    equal share of the remaining budget. The first pages, which match best, may also use characters
    that later pages do not need.

    Args:
        hits: The pages, best first.
        budget: The maximum number of characters in the result.
    """
    formatted_hits: list[str] = []
    remaining = budget
    for index, hit in enumerate(hits):
        header = (
            f"<result url='{_escape_attribute(hit.source)}'>\n\n"
            f"# {_collapse_whitespace(hit.title)}\n\n"
        )
        footer = "\n\n</result>"
        separator_length = 2 if formatted_hits else 0
        available = remaining - separator_length - len(header) - len(footer)
        if available < min(MIN_EXCERPT_CHARACTERS, len(hit.text)):
            break
        later_hits = hits[index + 1 :]
        # With multiple pages, each gets at least a useful excerpt. The last may use the rest.
        min_excerpt = min(available, MIN_EXCERPT_CHARACTERS * 4)
        fair_share = max(available // (len(later_hits) + 1), min_excerpt)
        share = max(fair_share, available - _count_characters(later_hits))
        text = _truncate_text(hit.text.strip(), share)
        formatted_hits.append(header + text + footer)
        remaining -= separator_length + len(formatted_hits[-1])
    return "\n\n".join(formatted_hits)


def _count_characters(hits: Sequence[PageHit]) -> int:
    """Return the approximate number of characters that unshortened pages need."""
    return sum(len(hit.text) + len(hit.title) + len(hit.source) + 40 for hit in hits)


def _truncate_text(text: str, max_characters: int) -> str:
    """Shorten a text at the end of a line or word, and close any open code fence.

    The text is cut in the last quarter of the allowed length. If there is no line break or space
    there, it is cut within a word.
    """
    if len(text) <= max_characters:
        return text
    closing_fence = "\n```"
    excerpt = text[: max(max_characters - len(TRUNCATION_MARK) - len(closing_fence), 0)]
    for separator in ("\n", " "):
        end = excerpt.rfind(separator)
        if end > len(excerpt) * 3 // 4:
            excerpt = excerpt[:end]
            break
    is_fence_open = excerpt.count("```") % 2 == 1
    return excerpt.rstrip() + TRUNCATION_MARK + (closing_fence if is_fence_open else "")


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _escape_attribute(text: str) -> str:
    return _collapse_whitespace(text).replace("'", "%27")


class CorpusStatus(NamedTuple):
    """The state of a corpus in the search index."""

    name: str
    description: str
    sources: int
    """Number of sources in the index, such as files or packages."""
    pages: int
    """Number of pages in the index."""
    problems: tuple[str, ...]
    """Sources that could not be read, with the reasons why."""


class IndexStatus(NamedTuple):
    """The state of the search index."""

    file: str
    size: int
    """Size of the file in bytes."""
    vectors: str
    """The embedding for new pages: `none`, `static`, or the directory of a sentence model."""
    corpora: tuple[CorpusStatus, ...]
    work: IndexJob | None
    """The indexing in progress, if any."""


def get_index_status() -> IndexStatus:
    """Return the state of the search index, without indexing anything.

    Raises:
        IndexUnavailableError: The index cannot be read.
    """
    file = get_index_file()
    if not file.exists():
        corpora = tuple(
            CorpusStatus(name, entry.description, 0, 0, ()) for name, entry in CORPORA.items()
        )
        return IndexStatus(str(file), 0, embeddings.choose_embedding(), corpora, None)
    with closing(IndexStore(file)) as database:
        corpora = tuple(_get_corpus_status(database, name) for name in CORPORA)
        job = get_running_job(database)
    return IndexStatus(str(file), file.stat().st_size, embeddings.choose_embedding(), corpora, job)


def _get_corpus_status(database: IndexStore, name: str) -> CorpusStatus:
    sources = database.fetch_rows("SELECT key, problem FROM sources WHERE corpus = ?", name)
    pages = database.fetch_rows("SELECT count(*) FROM pages WHERE corpus = ?", name)[0][0]
    problems = tuple(f"{key}: {problem}" for key, problem in sources if problem)
    return CorpusStatus(name, CORPORA[name].description, len(sources), pages, problems)


class SearchResult(NamedTuple):
    """A query's hits, and notes about the index."""

    hits: list[PageHit]
    notes: list[str]


def search_with_notes(
    query: str,
    corpora: Sequence[str],
    *,
    limit: int = DEFAULT_MAX_HITS,
    budget: int = DEFAULT_MAX_TEXT_CHARACTERS,
) -> SearchResult:
    """Return the pages that match a query, best first, and notes about the state of the index.

    A damaged index file is deleted and rebuilt once, because all of its content can be indexed
    again.

    Args:
        query: Words, a question, or a name.
        corpora: The names of the corpora to search.
        limit: The maximum number of pages.
        budget: The maximum total length of all texts. If necessary, the last pages are omitted.
    """
    parsed_query = parse_query(query)
    with _INDEX_LOCK:
        try:
            index = _get_open_index()
            _ensure_indexed(index, corpora)
            hits = index.ranker.rank(parsed_query, corpora, limit)
        except DamagedIndexError:
            index = _get_open_index(is_damaged=True)
            _ensure_indexed(index, corpora)
            hits = index.ranker.rank(parsed_query, corpora, limit)
        notes = [*index.notes, *_describe_progress(index, corpora)]
    return SearchResult(_select_fitting_hits(hits, budget), notes)


class _OpenIndex:
    """The search index that this process has opened.

    Attributes:
        file: The path to the index.
        file_identity: The identity of the opened file, used to detect that it was replaced.
        store: The connection to the index, in the file or in memory.
        ranker: The ranker for the store.
        notes: Notes about the index for search results.
        prepared_corpora: The corpora that a first query has already indexed.
        indexing_started_at: The time at which a background process was last started, by corpus.
    """

    def __init__(self, file: Path, database: IndexStore, notes: list[str]) -> None:
        self.file = file
        self.file_identity = _get_file_identity(file)
        self.store = database
        self.ranker = Ranker(database)
        self.notes = notes
        self.prepared_corpora: set[str] = set()
        self.indexing_started_at: dict[str, float] = {}

    def switch_to_memory(self, error: Exception) -> None:
        """Continue with an index in memory, because the file cannot be written.

        The new index is empty, so small corpora are indexed again.
        """
        self.store.close()
        self.store = IndexStore(None)
        self.ranker = Ranker(self.store)
        self.prepared_corpora.clear()
        self.notes.append(_format_memory_note(error))


_INDEX_LOCK = threading.Lock()
"""Held while this process uses its open index."""
_open_indexes: list[_OpenIndex] = []


def _get_open_index(*, is_damaged: bool = False) -> _OpenIndex:
    """Return this process's search index, opening or reopening it if necessary.

    If the file cannot be written, the index is in memory, and its notes mention this.

    Args:
        is_damaged: Whether to delete the file first, because a query found that it is damaged.
    """
    file = get_index_file()
    if (
        _open_indexes
        and not is_damaged
        and _open_indexes[0].file == file
        # Another process may have deleted a damaged file and created a new one.
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
        # Writing a setting fails immediately if the file cannot be written. Without it, the error
        # would occur in the middle of indexing.
        database.set_setting("opened", "1")
    except (IndexUnavailableError, OSError) as error:
        notes.append(_format_memory_note(error))
        database = IndexStore(None)
    _open_indexes.append(_OpenIndex(file, database, notes))
    return _open_indexes[0]


def _format_memory_note(error: Exception) -> str:
    return f"The index cannot be saved, so only a part of the corpora is searched: {error}"


def _ensure_indexed(index: _OpenIndex, names: Sequence[str]) -> None:
    """Prepare corpora for a query: index small ones now, and others in a background process.

    The first query must be answered quickly, so it only indexes part of each large corpus. Later
    queries only start the background process occasionally, to find changed sources.
    """
    try:
        _index_for_first_query(index, names)
    except IndexUnavailableError as error:
        if index.store.file is None or isinstance(error, DamagedIndexError):
            raise
        index.switch_to_memory(error)
        _index_for_first_query(index, names)
    if index.store.file is not None:
        _start_due_indexing(index, names)


def _index_for_first_query(index: _OpenIndex, names: Sequence[str]) -> None:
    """Index small corpora completely, and the most important part of large ones.

    Corpora already indexed by an earlier query are skipped.
    """
    new_names = [name for name in names if name not in index.prepared_corpora]
    small_corpora = [name for name in new_names if name in INDEX_ON_FIRST_QUERY]
    large_corpora = [name for name in new_names if name in INDEX_PARTLY_ON_FIRST_QUERY]
    # A sentence model is too slow for the first query. Pages get static vectors for now, and the
    # background process replaces them.
    vectors = embeddings.STATIC_VECTORS
    if embeddings.choose_embedding() == embeddings.NO_VECTORS:
        vectors = embeddings.NO_VECTORS
    update_index(index.store, load_corpora(small_corpora), vectors=vectors)
    seconds = FIRST_QUERY_WAIT_SECONDS
    update_index(index.store, load_corpora(large_corpora), vectors=vectors, seconds=seconds)
    index.prepared_corpora.update(small_corpora, large_corpora)


def _start_due_indexing(index: _OpenIndex, names: Sequence[str]) -> None:
    """Start a background process that updates those of the named corpora that are due.

    Corpora for which this process recently started one are skipped.
    """
    vectors = embeddings.choose_embedding()
    has_model = vectors not in (embeddings.NO_VECTORS, embeddings.STATIC_VECTORS)
    now = monotonic()
    due_names = [
        name
        for name in names
        if name in CORPORA
        # The first query indexes small corpora completely, but without a model's vectors.
        and (has_model or name not in INDEX_ON_FIRST_QUERY)
        and now - index.indexing_started_at.get(name, -inf) >= RECHECK_INTERVAL_SECONDS
    ]
    if due_names:
        index.indexing_started_at.update(dict.fromkeys(due_names, now))
        start_background_indexing(due_names)


def _describe_progress(index: _OpenIndex, names: Sequence[str]) -> Iterator[str]:
    """Yield a note if one of the searched corpora is still being indexed."""
    job = get_running_job(index.store)
    if job is not None and job.corpus in names:
        yield (
            f"The corpus {job.corpus} is still being indexed ({job.done} of {job.total} "
            "sources); repeat the query later for more."
        )


def _get_file_identity(file: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, which change when the file is replaced, or None."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _select_fitting_hits(hits: list[PageHit], budget: int) -> list[PageHit]:
    """Return the first hits whose texts have at most `budget` characters in total.

    The first hit is always returned.
    """
    fitting_hits: list[PageHit] = []
    remaining = budget
    for hit in hits:
        if fitting_hits and len(hit.text) > remaining:
            break
        fitting_hits.append(hit)
        remaining -= len(hit.text)
    return fitting_hits
