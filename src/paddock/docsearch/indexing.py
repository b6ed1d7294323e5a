"""Bringing the index up to date: only what has changed is read, and each part is kept at once.

A part that cannot be read is put down as such, with the reason, and tried again when it changes.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.meaning import embedding as embeddings
from paddock.docsearch.page import CorpusSource
from paddock.docsearch.queries import split_identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paddock.docsearch.database import IndexStore
    from paddock.docsearch.page import Corpus, DocPage

MAX_EMBEDDED_CHARACTERS = 1_500
"""Of a page's text, that its vector is made of."""
MAX_PAGE_CHARACTERS = 200_000
"""Characters of one page; what comes after is not searched."""


VECTORS_STAMP_SEPARATOR = " vectors: "
"""Comes before the name of the vectors in a stamp."""


class IndexProgress(NamedTuple):
    """How far the indexing of one corpus has come."""

    corpus: str
    indexed_sources: int
    total_sources: int
    indexed_pages: int
    """Written in this run."""


def update_index(
    database: IndexStore,
    corpora: Iterable[Corpus],
    *,
    seconds: float | None = None,
    vectors: str | None = None,
    report: Callable[[IndexProgress], None] = lambda _progress: None,
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
    with_vectors = embeddings.choose_embedding() if vectors is None else vectors
    any_vectors = vectors is not None or with_vectors == embeddings.NO_VECTORS
    for corpus in corpora:
        sources = [
            CorpusSource(key, f"{stamp}{VECTORS_STAMP_SEPARATOR}{with_vectors}") for key, stamp in corpus.list_sources()
        ]
        known = database.get_stamps(corpus.name)
        gone = known.keys() - {source.key for source in sources}
        if gone:
            database.remove_sources(corpus.name, gone)
        stale = [s for s in sources if not _is_up_to_date(s, known, any_vectors=any_vectors)]
        written = 0
        for done, source in enumerate(stale):
            report(IndexProgress(corpus.name, done, len(stale), written))
            if end is not None and monotonic() > end:
                return False
            written += _index_source(database, corpus, source, with_vectors)
        if stale:
            report(IndexProgress(corpus.name, len(stale), len(stale), written))
    return True


def _is_up_to_date(source: CorpusSource, known: dict[str, str], *, any_vectors: bool) -> bool:
    """Whether a part is in the index as it is, with the wanted vectors or, if so said, with any."""
    there = known.get(source.key)
    if not any_vectors or there is None:
        return there == source.stamp
    return there.partition(VECTORS_STAMP_SEPARATOR)[0] == source.stamp.partition(VECTORS_STAMP_SEPARATOR)[0]


def _index_source(database: IndexStore, corpus: Corpus, source: CorpusSource, with_vectors: str) -> int:
    problem = None
    pages: list[DocPage] = []
    try:
        pages += (_truncate_page(page) for page in corpus.read_pages(source.key))
    except (OSError, ValueError, RecursionError, SyntaxError, MemoryError) as error:
        problem = f"{type(error).__name__}: {error}"[:500]
    database.replace_source(
        corpus.name, source, _embed_pages(pages, with_vectors), kind=with_vectors, problem=problem
    )
    return len(pages)


def _truncate_page(page: DocPage) -> DocPage:
    return page if len(page.text) <= MAX_PAGE_CHARACTERS else replace(page, text=page.text[:MAX_PAGE_CHARACTERS])


def _embed_pages(pages: Sequence[DocPage], name: str) -> list[tuple[DocPage, bytes | None]]:
    embedding = embeddings.load_embedding(name)
    if embedding is None or not pages:
        return [(page, None) for page in pages]
    from paddock.docsearch.meaning.quantised import quantize_vectors  # noqa: PLC0415 - needs numpy

    vectors = quantize_vectors(embedding.embed([get_embedding_text(page) for page in pages]))
    return list(zip(pages, vectors, strict=True))


def get_embedding_text(page: DocPage) -> str:
    """The part of a page that its vector is made of."""
    names = split_identifiers(" ".join(page.names[:1] or (page.title,)))
    return f"{names}. {page.keywords}. {page.text[:MAX_EMBEDDED_CHARACTERS]}"
