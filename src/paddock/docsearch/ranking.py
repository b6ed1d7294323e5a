"""Which pages answer a question best: those that are called so, have its words, or its meaning.

Three lists are fused. Pages whose name stands in the question come first, when the name is all
there is to it; else names, words (bm25 over stemmed words, names and titles weighing most) and
meaning (the cosine of vectors) each add to the score of a page.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.docsearch.meaning import embedding as embeddings
from paddock.docsearch.page import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paddock.docsearch.database import Database
    from paddock.docsearch.queries import Query

COLUMN_WEIGHTS = (3.0, 2.0, 3.0, 1.0)
"""Of names, title, words and text, for bm25."""
CANDIDATES = 60
"""That words and meaning each put forward."""
WORDS_SHARE = 1.0
MEANING_SHARE = 1.0
NAME_SHARE = 0.6
WHOLE_NAME_SHARE = 2.0
"""Of a page whose name is all of the question."""
SPARE = 8
"""Pages looked at for each one wanted; several pages of one title become one."""
RANK_OFFSET = 10
"""The larger, the less the first places of a list stand out."""


KEPT = 4
"""Tables of vectors in memory, each for the corpora of a question."""


class _Vectors(NamedTuple):
    generation: int
    kind: str
    pages: list[int]
    rows: NDArray[np.float32]


class Ranking:
    """Answers questions from one index; used by one thread at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._vectors: dict[tuple[str, ...], _Vectors] = {}

    def best(self, query: Query, corpora: Sequence[str], limit: int) -> list[Hit]:
        """The pages that answer a question, the best first."""
        shares: dict[int, float] = {}
        for place, page in enumerate(self._by_words(query, corpora)):
            _add(shares, page, WORDS_SHARE, place)
        for place, page in enumerate(self._by_meaning(query, corpora)):
            _add(shares, page, MEANING_SHARE, place)
        for page, is_whole in self._by_name(query, corpora).items():
            shares[page] = shares.get(page, 0.0) + (WHOLE_NAME_SHARE if is_whole else NAME_SHARE)
        found = sorted(shares, key=lambda page: (-shares[page], page))[: limit * SPARE]
        return self._hits(found, shares)[:limit]

    def _by_name(self, query: Query, corpora: Sequence[str]) -> dict[int, bool]:
        found: dict[int, bool] = {}
        for name in query.names:
            pages = self._database.rows(
                "SELECT page FROM names WHERE name = ?"
                " AND corpus IN (SELECT value FROM json_each(?)) LIMIT 20",
                name.lower(),
                json.dumps(corpora),
            )
            for row in pages:
                page = _number(row[0])
                found[page] = found.get(page, False) or name == query.text
        return found

    def _by_words(self, query: Query, corpora: Sequence[str]) -> list[int]:
        if not query.words:
            return []
        rows = self._database.rows(
            "SELECT rowid FROM texts WHERE texts MATCH ?"
            " AND corpus IN (SELECT value FROM json_each(?))"
            " ORDER BY bm25(texts, ?, ?, ?, ?) LIMIT ?",
            query.expression,
            json.dumps(corpora),
            *COLUMN_WEIGHTS,
            CANDIDATES,
        )
        return [_number(row[0]) for row in rows]

    def _by_meaning(self, query: Query, corpora: Sequence[str]) -> list[int]:
        if not query.text or embeddings.chosen() == embeddings.NONE:
            return []
        vectors = self._vectors_of(tuple(corpora))
        embedding = embeddings.load(vectors.kind)
        if embedding is None or not vectors.pages:
            return []
        import numpy as np  # noqa: PLC0415 - slow to import, and not always there

        wanted = embedding.embed([query.text])[0]
        likeness = vectors.rows @ wanted
        first = np.argsort(-likeness)[:CANDIDATES]
        return [vectors.pages[place] for place in first if likeness[place] > 0]

    def _vectors_of(self, corpora: tuple[str, ...]) -> _Vectors:
        generation = self._database.generation
        kept = self._vectors.get(corpora)
        if kept is not None and kept.generation == generation:
            return kept
        from paddock.docsearch.meaning.quantised import unpacked  # noqa: PLC0415 - needs numpy

        kind = self._kind(corpora)
        rows: list[tuple[Any, ...]] = self._database.rows(
            "SELECT page, vector FROM vectors WHERE kind = ?"
            " AND corpus IN (SELECT value FROM json_each(?))",
            kind,
            json.dumps(corpora),
        )
        pages = [row[0] for row in rows]
        found = _Vectors(generation, kind, pages, unpacked([row[1] for row in rows]))
        while len(self._vectors) >= KEPT:
            self._vectors.pop(next(iter(self._vectors)))
        self._vectors[corpora] = found
        return found

    def _kind(self, corpora: tuple[str, ...]) -> str:
        """The vectors that are chosen, once most pages have them; until then the static ones."""
        chosen = embeddings.chosen()
        rows = self._database.rows(
            "SELECT kind, count(*) FROM vectors"
            " WHERE corpus IN (SELECT value FROM json_each(?)) GROUP BY kind",
            json.dumps(corpora),
        )
        counts = {str(kind): _number(count) for kind, count in rows}
        has_most = counts.get(chosen, 0) >= counts.get(embeddings.STATIC, 0)
        return chosen if has_most else embeddings.STATIC

    def _hits(self, pages: Sequence[int], shares: dict[int, float]) -> list[Hit]:
        rows: list[tuple[Any, ...]] = self._database.rows(
            "SELECT id, title, origin, text, corpus FROM pages"
            " WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(pages),
        )
        by_page = {row[0]: row[1:] for row in rows}
        most = (WORDS_SHARE + MEANING_SHARE) / RANK_OFFSET + WHOLE_NAME_SHARE
        hits: dict[tuple[str, str], Hit] = {}
        for page in (page for page in pages if page in by_page):  # others are gone meanwhile
            title, origin, text, corpus = by_page[page]
            known = hits.get((corpus, title))
            share = shares[page] / most + (known.score if known else 0.0)
            if known is not None and len(known.text) >= len(text):
                origin, text = known.source, known.text
            hits[corpus, title] = Hit(title, origin, text, share, corpus)
        best = sorted(hits.values(), key=lambda hit: -hit.score)
        return [replace(hit, score=round(min(hit.score, 1.0), 4)) for hit in best]


def _add(shares: dict[int, float], page: int, share: float, place: int) -> None:
    shares[page] = shares.get(page, 0.0) + share / (RANK_OFFSET + place)


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number of a page")
    return value
