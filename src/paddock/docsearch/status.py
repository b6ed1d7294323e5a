"""What there is to search, and how it is searched, as far as this machine goes."""

from __future__ import annotations

from typing import NamedTuple

from paddock.docsearch.background import Work, work_in_progress
from paddock.docsearch.corpora.table import CORPORA
from paddock.docsearch.database import Database, index_file
from paddock.docsearch.meaning import embedding as embeddings


class CorpusStatus(NamedTuple):
    """How much of a corpus is in the index."""

    name: str
    description: str
    sources: int
    pages: int
    problems: tuple[str, ...]
    """Parts that could not be read, with the reason."""


class Status(NamedTuple):
    """The state of the index."""

    file: str
    size: int
    """Bytes."""
    vectors: str
    """`none`, `static`, or the directory of a sentence model."""
    corpora: tuple[CorpusStatus, ...]
    work: Work | None
    """What is being indexed now."""


def status() -> Status:
    """Look at the index; nothing is indexed.

    Raises:
        IndexUnavailableError: when it cannot be read.
    """
    file = index_file()
    if not file.exists():
        rows = tuple(CorpusStatus(name, row[1], 0, 0, ()) for name, row in CORPORA.items())
        return Status(str(file), 0, embeddings.chosen(), rows, None)
    database = Database(file)
    try:
        rows = tuple(_corpus(database, name) for name in CORPORA)
        work = work_in_progress(database)
    finally:
        database.close()
    return Status(str(file), file.stat().st_size, embeddings.chosen(), rows, work)


def _corpus(database: Database, name: str) -> CorpusStatus:
    sources = database.rows("SELECT key, problem FROM sources WHERE corpus = ?", name)
    pages = database.rows("SELECT count(*) FROM pages WHERE corpus = ?", name)[0][0]
    problems = tuple(f"{key}: {problem}" for key, problem in sources if problem)
    return CorpusStatus(name, CORPORA[name][1], len(sources), int(str(pages)), problems)
