"""What there is to search, and how it is searched, as far as this machine goes."""

from __future__ import annotations

from typing import NamedTuple

from paddock.docsearch.background import IndexJob, get_running_job
from paddock.docsearch.corpora.table import CORPORA
from paddock.docsearch.database import IndexStore, get_index_file
from paddock.docsearch.meaning import embedding as embeddings


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
