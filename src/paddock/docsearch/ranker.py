"""Page ranking by three criteria: names, words and meaning.

The scores are added. A page whose name is the entire query comes first. Otherwise, names, words
(bm25 over stemmed words, with higher weights for names and titles) and meaning (cosine similarity
of vectors) contribute to a page's score.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.embeddings import model_choice as embeddings
from paddock.docsearch.model import PageHit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.docsearch.embeddings.static_vectors import EmbeddingModel, FloatArray
    from paddock.docsearch.index_store import IndexStore
    from paddock.docsearch.model import SearchQuery

# The weights were chosen with the `tune` half of the benchmark questions. Changes must not be
# checked with the other half, which measures the quality (decision 0012).
COLUMN_WEIGHTS = (3.0, 2.0, 3.0, 1.0)
"""The bm25 weights for names, title, words and text."""
MAX_CANDIDATES = 60  # From the words, and as many from the vectors.
WORD_WEIGHT = 1.0
VECTOR_WEIGHT = 1.0
NAME_WEIGHT = 0.6
EXACT_NAME_WEIGHT = 2.0
"""The weight for a page whose name is the entire query."""
# Pages with the same title are merged, so more are loaded than returned.
CANDIDATES_PER_HIT = 8
# The larger the offset, the smaller the advantage of the first ranks.
RECIPROCAL_RANK_OFFSET = 10


MAX_VECTOR_TABLES = 4  # In memory, one for each combination of corpora.


class _VectorTable(NamedTuple):
    """The pages' vectors as rows, for one state of the index."""

    generation: int
    embedding: EmbeddingModel
    page_ids: list[int]
    rows: FloatArray


class Ranker:
    """Ranks the pages in an index. Only one thread may use it at a time."""

    def __init__(self, database: IndexStore) -> None:
        self._store = database
        self._vector_tables: dict[tuple[str, ...], _VectorTable] = {}

    def rank(self, query: SearchQuery, corpora: Sequence[str], limit: int) -> list[PageHit]:
        """Return the best pages for a query, best first.

        Pages are ranked by matching words and by similar vectors. A page's score depends on both
        ranks, because the scores from the two methods have different scales (reciprocal rank
        fusion). A matching name adds a fixed weight.

        Args:
            query: The parsed query.
            corpora: The names of the corpora to search.
            limit: The maximum number of pages.
        """
        scores: defaultdict[int, float] = defaultdict(float)
        for rank, page_id in enumerate(self._match_words(query, corpora), RECIPROCAL_RANK_OFFSET):
            scores[page_id] += WORD_WEIGHT / rank
        for rank, page_id in enumerate(self._match_vectors(query, corpora), RECIPROCAL_RANK_OFFSET):
            scores[page_id] += VECTOR_WEIGHT / rank
        for page_id, is_exact in self._match_names(query, corpora).items():
            scores[page_id] += EXACT_NAME_WEIGHT if is_exact else NAME_WEIGHT
        best_ids = sorted(scores, key=lambda page_id: (-scores[page_id], page_id))
        return self._load_hits(best_ids[: limit * CANDIDATES_PER_HIT], scores)[:limit]

    def _match_names(self, query: SearchQuery, corpora: Sequence[str]) -> dict[int, bool]:
        """Find the pages that have one of the names in the query.

        Returns:
            The ids of the pages, each with True if the name is the entire query.
        """
        is_exact_by_page: dict[int, bool] = {}
        for name in query.names:
            rows = self._store.fetch_rows(
                "SELECT page FROM names WHERE name = ?"
                " AND corpus IN (SELECT value FROM json_each(?)) LIMIT 20",
                name.lower(),
                json.dumps(corpora),
            )
            is_whole_query = name == query.text
            for (page_id,) in rows:
                is_exact_by_page[page_id] = is_exact_by_page.get(page_id, False) or is_whole_query
        return is_exact_by_page

    def _match_words(self, query: SearchQuery, corpora: Sequence[str]) -> list[int]:
        """Return the ids of the pages that contain words from the query, best first."""
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
        return [page_id for (page_id,) in rows]

    def _match_vectors(self, query: SearchQuery, corpora: Sequence[str]) -> list[int]:
        """Return the ids of the pages whose vectors are most similar to the query's, best first.

        The query's vector is computed with the same embedding as the pages' vectors, because
        vectors from different embeddings cannot be compared.
        """
        table = self._load_vectors(tuple(corpora)) if query.text else None
        if table is None or not table.page_ids:
            return []
        rows = table.embedding.find_similar_rows(query.text, table.rows, MAX_CANDIDATES)
        return [table.page_ids[row] for row in rows]

    def _load_vectors(self, corpora: tuple[str, ...]) -> _VectorTable | None:
        """Load the vectors of all pages in some corpora into memory.

        The table is cached until this or another process changes the index.

        Returns:
            The table, or None if the user has disabled vectors or has not installed numpy.
        """
        if embeddings.choose_embedding() == embeddings.NO_VECTORS:
            return None
        generation = self._store.generation
        cached = self._vector_tables.get(corpora)
        if cached is not None and cached.generation == generation:
            return cached
        name = self._choose_embedding_name(corpora)
        embedding = embeddings.load_embedding(name)
        if embedding is None:
            return None
        rows = self._store.fetch_rows(
            "SELECT page, vector FROM vectors WHERE kind = ?"
            " AND corpus IN (SELECT value FROM json_each(?))",
            name,
            json.dumps(corpora),
        )
        vectors = embedding.decode_vectors([vector for _, vector in rows])
        table = _VectorTable(generation, embedding, [page_id for page_id, _ in rows], vectors)
        # The oldest table is discarded first.
        while len(self._vector_tables) >= MAX_VECTOR_TABLES:
            self._vector_tables.pop(next(iter(self._vector_tables)))
        self._vector_tables[corpora] = table
        return table

    def _choose_embedding_name(self, corpora: tuple[str, ...]) -> str:
        """Return the name of the embedding whose vectors a search compares.

        While a background process replaces static vectors with those from a sentence model, the
        index contains both kinds. The search then uses the kind that more pages have.
        """
        configured = embeddings.choose_embedding()
        rows = self._store.fetch_rows(
            "SELECT kind, count(*) FROM vectors"
            " WHERE corpus IN (SELECT value FROM json_each(?)) GROUP BY kind",
            json.dumps(corpora),
        )
        counts: dict[str, int] = dict(rows)
        is_most_frequent = counts.get(configured, 0) >= counts.get(embeddings.STATIC_VECTORS, 0)
        return configured if is_most_frequent else embeddings.STATIC_VECTORS

    def _load_hits(self, page_ids: Sequence[int], scores: dict[int, float]) -> list[PageHit]:
        """Load the pages with the given ids as hits, best first.

        Pages with the same title in a corpus become a single hit. Its score is the sum of their
        scores, and its text is the longest of their texts.

        Args:
            page_ids: The pages, ordered by score.
            scores: The score of each page.
        """
        rows = self._store.fetch_rows(
            "SELECT id, title, origin, text, corpus FROM pages"
            " WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(page_ids),
        )
        rows_by_page = {row[0]: row[1:] for row in rows}
        max_score = (WORD_WEIGHT + VECTOR_WEIGHT) / RECIPROCAL_RANK_OFFSET + EXACT_NAME_WEIGHT
        hits: dict[tuple[str, str], PageHit] = {}
        for page_id in page_ids:
            # Another process may have removed a page after it was ranked.
            if page_id not in rows_by_page:
                continue
            title, origin, text, corpus = rows_by_page[page_id]
            previous = hits.get((corpus, title))
            score = scores[page_id] / max_score + (previous.score if previous else 0.0)
            if previous is not None and len(previous.text) >= len(text):
                origin, text = previous.source, previous.text
            hits[corpus, title] = PageHit(title, origin, text, score, corpus)
        best = sorted(hits.values(), key=lambda hit: -hit.score)
        return [replace(hit, score=round(min(hit.score, 1.0), 4)) for hit in best]
