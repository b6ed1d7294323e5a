"""Which pages answer a question best: those that are called so, have its words, or its meaning.

Three lists are fused. Pages whose name stands in the question come first, when the name is all
there is to it; else names, words (bm25 over stemmed words, names and titles weighing most) and
meaning (the cosine of vectors) each add to the score of a page.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.docsearch.embeddings import model_choice as embeddings
from paddock.docsearch.model import PageHit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paddock.docsearch.index_store import IndexStore
    from paddock.docsearch.model import SearchQuery

COLUMN_WEIGHTS = (3.0, 2.0, 3.0, 1.0)
"""Of names, title, words and text, for bm25."""
MAX_CANDIDATES = 60
"""That words and meaning each put forward."""
WORD_WEIGHT = 1.0
VECTOR_WEIGHT = 1.0
NAME_WEIGHT = 0.6
EXACT_NAME_WEIGHT = 2.0
"""Of a page whose name is all of the question."""
CANDIDATES_PER_HIT = 8
"""Pages looked at for each one wanted; several pages of one title become one."""
RECIPROCAL_RANK_OFFSET = 10
"""The larger, the less the first places of a list stand out."""


MAX_VECTOR_TABLES = 4
"""Tables of vectors in memory, each for the corpora of a question."""


class _VectorTable(NamedTuple):
    generation: int
    embedding_name: str
    page_ids: list[int]
    rows: NDArray[np.float32]


class Ranker:
    """Answers questions from one index; used by one thread at a time."""

    def __init__(self, database: IndexStore) -> None:
        self._store = database
        self._vector_tables: dict[tuple[str, ...], _VectorTable] = {}

    def rank(self, query: SearchQuery, corpora: Sequence[str], limit: int) -> list[PageHit]:
        """The pages that answer a question, the best first."""
        shares: dict[int, float] = {}
        for place, page in enumerate(self._match_words(query, corpora)):
            _add_rank_score(shares, page, WORD_WEIGHT, place)
        for place, page in enumerate(self._match_vectors(query, corpora)):
            _add_rank_score(shares, page, VECTOR_WEIGHT, place)
        for page, is_whole in self._match_names(query, corpora).items():
            shares[page] = shares.get(page, 0.0) + (EXACT_NAME_WEIGHT if is_whole else NAME_WEIGHT)
        found = sorted(shares, key=lambda page: (-shares[page], page))[: limit * CANDIDATES_PER_HIT]
        return self._load_hits(found, shares)[:limit]

    def _match_names(self, query: SearchQuery, corpora: Sequence[str]) -> dict[int, bool]:
        found: dict[int, bool] = {}
        for name in query.names:
            pages = self._store.fetch_rows(
                "SELECT page FROM names WHERE name = ?"
                " AND corpus IN (SELECT value FROM json_each(?)) LIMIT 20",
                name.lower(),
                json.dumps(corpora),
            )
            for row in pages:
                page = _require_int(row[0])
                found[page] = found.get(page, False) or name == query.text
        return found

    def _match_words(self, query: SearchQuery, corpora: Sequence[str]) -> list[int]:
        if not query.words:
            return []
        rows = self._store.fetch_rows(
            "SELECT rowid FROM texts WHERE texts MATCH ?"
            " AND corpus IN (SELECT value FROM json_each(?))"
            " ORDER BY bm25(texts, ?, ?, ?, ?) LIMIT ?",
            query.fts_expression,
            json.dumps(corpora),
            *COLUMN_WEIGHTS,
            MAX_CANDIDATES,
        )
        return [_require_int(row[0]) for row in rows]

    def _match_vectors(self, query: SearchQuery, corpora: Sequence[str]) -> list[int]:
        if not query.text or embeddings.choose_embedding() == embeddings.NO_VECTORS:
            return []
        vectors = self._load_vectors(tuple(corpora))
        embedding = embeddings.load_embedding(vectors.embedding_name)
        if embedding is None or not vectors.page_ids:
            return []
        import numpy as np  # noqa: PLC0415 - slow to import, and not always there

        wanted = embedding.embed([query.text])[0]
        likeness = vectors.rows @ wanted
        first = np.argsort(-likeness)[:MAX_CANDIDATES]
        return [vectors.page_ids[place] for place in first if likeness[place] > 0]

    def _load_vectors(self, corpora: tuple[str, ...]) -> _VectorTable:
        generation = self._store.generation
        kept = self._vector_tables.get(corpora)
        if kept is not None and kept.generation == generation:
            return kept
        from paddock.docsearch.embeddings.static_vectors import dequantize_vectors  # noqa: PLC0415 - needs numpy

        kind = self._choose_embedding_name(corpora)
        rows: list[tuple[Any, ...]] = self._store.fetch_rows(
            "SELECT page, vector FROM vectors WHERE kind = ?"
            " AND corpus IN (SELECT value FROM json_each(?))",
            kind,
            json.dumps(corpora),
        )
        pages = [row[0] for row in rows]
        found = _VectorTable(generation, kind, pages, dequantize_vectors([row[1] for row in rows]))
        while len(self._vector_tables) >= MAX_VECTOR_TABLES:
            self._vector_tables.pop(next(iter(self._vector_tables)))
        self._vector_tables[corpora] = found
        return found

    def _choose_embedding_name(self, corpora: tuple[str, ...]) -> str:
        """The vectors that are chosen, once most pages have them; until then the static ones."""
        chosen = embeddings.choose_embedding()
        rows = self._store.fetch_rows(
            "SELECT kind, count(*) FROM vectors"
            " WHERE corpus IN (SELECT value FROM json_each(?)) GROUP BY kind",
            json.dumps(corpora),
        )
        counts = {str(kind): _require_int(count) for kind, count in rows}
        has_most = counts.get(chosen, 0) >= counts.get(embeddings.STATIC_VECTORS, 0)
        return chosen if has_most else embeddings.STATIC_VECTORS

    def _load_hits(self, pages: Sequence[int], shares: dict[int, float]) -> list[PageHit]:
        rows: list[tuple[Any, ...]] = self._store.fetch_rows(
            "SELECT id, title, origin, text, corpus FROM pages"
            " WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(pages),
        )
        by_page = {row[0]: row[1:] for row in rows}
        most = (WORD_WEIGHT + VECTOR_WEIGHT) / RECIPROCAL_RANK_OFFSET + EXACT_NAME_WEIGHT
        hits: dict[tuple[str, str], PageHit] = {}
        for page in (page for page in pages if page in by_page):  # others are gone meanwhile
            title, origin, text, corpus = by_page[page]
            known = hits.get((corpus, title))
            share = shares[page] / most + (known.score if known else 0.0)
            if known is not None and len(known.text) >= len(text):
                origin, text = known.source, known.text
            hits[corpus, title] = PageHit(title, origin, text, share, corpus)
        best = sorted(hits.values(), key=lambda hit: -hit.score)
        return [replace(hit, score=round(min(hit.score, 1.0), 4)) for hit in best]


def _add_rank_score(shares: dict[int, float], page: int, share: float, place: int) -> None:
    shares[page] = shares.get(page, 0.0) + share / (RECIPROCAL_RANK_OFFSET + place)


def _require_int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number of a page")
    return value
