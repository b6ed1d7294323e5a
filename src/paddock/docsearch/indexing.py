"""Bringing the index up to date: only what has changed is read, and each part is kept at once.

A part that cannot be read is put down as such, with the reason, and tried again when it changes.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.meaning import embedding as embeddings
from paddock.docsearch.page import Source
from paddock.docsearch.queries import split_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paddock.docsearch.database import Database
    from paddock.docsearch.page import Corpus, Page

MOST_CHARACTERS = 1_500
"""Of a page's text, that its vector is made of."""
LONGEST_PAGE = 200_000
"""Characters of one page; what comes after is not searched."""


VECTORS = " vectors: "
"""Comes before the name of the vectors in a stamp."""


class Progress(NamedTuple):
    """How far the indexing of one corpus has come."""

    corpus: str
    done: int
    total: int
    pages: int
    """Written in this run."""


def update(
    database: Database,
    corpora: Iterable[Corpus],
    *,
    seconds: float | None = None,
    vectors: str | None = None,
    report: Callable[[Progress], None] = lambda _progress: None,
) -> bool:
    """Index what has changed; False when the time was over before everything was done.

    Args:
        database: The index.
        corpora: What is to be in it.
        seconds: How long it may take.
        vectors: Which vectors pages get when they have none yet; those that are chosen here, for
            all pages, unless given.
        report: Is told how far it has come.

    Raises:
        IndexUnavailableError: when the index cannot be written.
        ModelError: when the user's sentence model cannot be read.
    """
    end = None if seconds is None else monotonic() + seconds
    with_vectors = embeddings.chosen() if vectors is None else vectors
    any_vectors = vectors is not None or with_vectors == embeddings.NONE
    for corpus in corpora:
        sources = [
            Source(key, f"{stamp}{VECTORS}{with_vectors}") for key, stamp in corpus.sources()
        ]
        known = database.stamps(corpus.name)
        gone = known.keys() - {source.key for source in sources}
        if gone:
            database.remove(corpus.name, gone)
        stale = [s for s in sources if not _is_fresh(s, known, any_vectors=any_vectors)]
        written = 0
        for done, source in enumerate(stale):
            report(Progress(corpus.name, done, len(stale), written))
            if end is not None and monotonic() > end:
                return False
            written += _index(database, corpus, source, with_vectors)
        if stale:
            report(Progress(corpus.name, len(stale), len(stale), written))
    return True


def _is_fresh(source: Source, known: dict[str, str], *, any_vectors: bool) -> bool:
    """Whether a part is in the index as it is, with the wanted vectors or, if so said, with any."""
    there = known.get(source.key)
    if not any_vectors or there is None:
        return there == source.stamp
    return there.partition(VECTORS)[0] == source.stamp.partition(VECTORS)[0]


def _index(database: Database, corpus: Corpus, source: Source, with_vectors: str) -> int:
    problem = None
    pages: list[Page] = []
    try:
        pages += (_cut(page) for page in corpus.pages(source.key))
    except (OSError, ValueError, RecursionError, SyntaxError, MemoryError) as error:
        problem = f"{type(error).__name__}: {error}"[:500]
    database.replace(
        corpus.name, source, _with_vectors(pages, with_vectors), kind=with_vectors, problem=problem
    )
    return len(pages)


def _cut(page: Page) -> Page:
    return page if len(page.text) <= LONGEST_PAGE else replace(page, text=page.text[:LONGEST_PAGE])


def _with_vectors(pages: Sequence[Page], name: str) -> list[tuple[Page, bytes | None]]:
    embedding = embeddings.load(name)
    if embedding is None or not pages:
        return [(page, None) for page in pages]
    from paddock.docsearch.meaning.quantised import packed  # noqa: PLC0415 - needs numpy

    vectors = packed(embedding.embed([meaning_of(page) for page in pages]))
    return list(zip(pages, vectors, strict=True))


def meaning_of(page: Page) -> str:
    """The part of a page that its vector is made of."""
    names = split_names(" ".join(page.names[:1] or (page.title,)))
    return f"{names}. {page.words}. {page.text[:MOST_CHARACTERS]}"
