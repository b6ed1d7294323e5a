"""How well the search in documentation finds: our questions, asked of it and of plain FTS5.

Run as `python -m benchmarks.docsearch`. The questions are in `benchmarks/questions`, each with the
pages that answer it. The half named `tune` is what weights were chosen by; the half named `report`
was looked at for figures only.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.docsearch.corpora.standard_library import DESCRIPTIONS_SOURCE, StandardLibrary
from paddock.docsearch.corpora.wolfram_symbols import SymbolDescriptions
from paddock.docsearch.index_store import IndexStore
from paddock.docsearch.indexer import update_index
from paddock.docsearch.model import parse_query
from paddock.docsearch.ranker import Ranker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.docsearch.model import Corpus

QUESTIONS = Path(__file__).parent / "questions"
HALVES = ("tune", "report")
DEPTH = 5
"""A question is answered when one of this many pages is right."""


class Question(NamedTuple):
    """What somebody asks, and what answers it."""

    text: str
    answers: frozenset[str]


class Quality(NamedTuple):
    """How well questions were answered."""

    first: float
    """The part whose first page was right."""
    early: float
    """The part with a right page among the first five."""
    missed: tuple[str, ...]
    """The questions without one."""


def questions(corpus: str, half: str) -> list[Question]:
    """The questions about `wolfram` or `python`, of one half."""
    lines = (QUESTIONS / f"{corpus}_{half}.txt").read_text("utf-8").splitlines()
    pairs = [line.split(" — ") for line in lines]
    return [Question(text, frozenset(answers.split())) for text, answers in pairs]


def quality(asked: Sequence[Question], titles: Callable[[str], list[str]]) -> Quality:
    """How well a search answers questions; it gives the titles of pages, the best first."""
    first = early = 0
    missed = []
    for question in asked:
        found = titles(question.text)[:DEPTH]
        right = [title in question.answers for title in found]
        first += right[:1] == [True]
        early += any(right)
        if not any(right):
            missed.append(f"{question.text}: {', '.join(found)}")
    return Quality(first / len(asked), early / len(asked), tuple(missed))


def ours(database: IndexStore, corpus: str) -> Callable[[str], list[str]]:
    """Our search."""
    ranking = Ranker(database)

    def titles(question: str) -> list[str]:
        return [hit.title for hit in ranking.rank(parse_query(question), [corpus], DEPTH)]

    return titles


def plain(
    database: IndexStore, corpus: str, *, with_our_words: bool = True
) -> Callable[[str], list[str]]:
    """FTS5 as it comes, over the same titles and texts: any word of the question, by bm25.

    Without our words, over what the documentation says by itself.
    """
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE pages USING fts5 (title, text)")
    rows: list[tuple[Any, ...]] = database.fetch_rows(
        "SELECT title, text, key FROM pages JOIN sources ON sources.id = pages.source"
        " WHERE pages.corpus = ?",
        corpus,
    )
    for title, text, key in rows:
        if with_our_words:
            table.execute("INSERT INTO pages VALUES (?, ?)", (title, text))
        elif key != DESCRIPTIONS_SOURCE:
            bare = re.split(r"\n\n(?:In other|Related) words: ", text)[0]
            table.execute("INSERT INTO pages VALUES (?, ?)", (title, bare))

    def titles(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = table.execute(
            "SELECT title FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?", (words, DEPTH)
        )
        return [str(row[0]) for row in found]

    return titles


def indexed(file: Path, corpus: Corpus) -> tuple[IndexStore, float]:
    """An index with one corpus, and the seconds that it took."""
    start = perf_counter()
    database = IndexStore(file)
    update_index(database, [corpus])
    return database, perf_counter() - start


def main() -> None:
    """Print a table of everything that is promised about the search."""
    with tempfile.TemporaryDirectory() as folder:
        for corpus, kind in (("wolfram", SymbolDescriptions()), ("python", StandardLibrary())):
            database, seconds = indexed(Path(folder) / f"{corpus}.db", kind)
            pages = int(str(database.fetch_rows("SELECT count(*) FROM pages")[0][0]))
            rate = seconds / pages * 1e6
            print(f"{corpus}: {pages} pages in {seconds:.2f} s, {rate:.0f} ms for 1000")
            searches = {
                "FTS5, documentation only": plain(database, kind.name, with_our_words=False),
                "FTS5, same texts": plain(database, kind.name),
                "ours": ours(database, kind.name),
            }
            for half in HALVES:
                asked = questions(corpus, half)
                for name, titles in searches.items():
                    titles("warm")
                    start = perf_counter()
                    found = quality(asked, titles)
                    each = (perf_counter() - start) / len(asked) * 1e3
                    print(
                        f"  {half:7} {name:25} hit@1 {found.first:.3f} hit@5 {found.early:.3f}"
                        f"  {each:.1f} ms a question"
                    )
            database.close()


if __name__ == "__main__":
    main()
