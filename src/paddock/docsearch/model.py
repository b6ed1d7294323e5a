"""The data model of documentation search: corpora, their pages, hits and queries.

A corpus consists of sources (a file, a package, a folder), and a source consists of pages. A page
contains everything about one symbol, function or section. Queries may contain any text, so only
words made of letters and digits become part of a search expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_QUERY_CHARACTERS = 2_000  # The rest of a longer query is ignored.
MAX_QUERY_WORDS = 48
_WORD_PATTERN = re.compile(r"[^\W_]+")
_NAME_PATTERN = re.compile(r"\$?[^\W\d_][\w$]*(?:[.`][^\W\d][\w$]*)*")
_OPERATOR_PATTERN = re.compile(r"(?<!\S)[^\w\s\"'(),]{1,4}(?!\S)")
_CAMEL_CASE_PATTERN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+[A-Z]?|[^\W\d_]+")
_STOP_WORD_TEXT = """
a about all am an and any are as at be been but by can could did do does doing for from get gets
give given go had has have having how i if in into is it its just know let like make me more most
my need no not of on one only or other our out over please should show so some such tell than that
the their them then there these they this those to up us use used using want was way we were what
when where which while who why will with would you your wolfram mathematica python language
function
"""
STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())
"""Words that do not help to find pages. Most of them are common in questions."""


@dataclass(frozen=True, slots=True)
class DocPage:
    """A documentation page that a corpus yields for the search index."""

    title: str
    """The title to show: a name with its arguments, or a heading."""
    origin: str
    """The source to show: a URL, a path, or a package name."""
    text: str
    names: tuple[str, ...] = ()
    """Names that find the page, such as `Map`, `/@` or `os.path.join`."""
    keywords: str = ""
    """Additional search terms, which are not shown."""


@dataclass(frozen=True, slots=True)
class PageHit:
    """A documentation page that matches a query."""

    title: str
    source: str
    """The page's origin: a URL, a path, or a package name."""
    text: str
    score: float
    """The relevance, between 0 and 1."""
    corpus: str


class CorpusSource(NamedTuple):
    """A part of a corpus that is indexed as a whole."""

    key: str
    """The key that identifies the part, such as a file path."""
    stamp: str
    """A string that changes when the content changes."""


class Corpus(Protocol):
    """A collection of documentation that can be indexed for search.

    It consists of sources, such as files or packages, and each source consists of pages.
    """

    name: str

    def list_sources(self) -> Iterable[CorpusSource]:
        """Return all sources, the most important first. Called often, so it must be fast."""

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield the pages of the source with the given key.

        Raises:
            OSError: The source cannot be read.
        """


class SearchQuery(NamedTuple):
    """A search query, split into words and possible names."""

    text: str
    """The query, truncated if necessary."""
    words: tuple[str, ...]
    """Distinct lower-case words without stop words."""
    names: tuple[str, ...]
    """Parts that may be names or operators, as written."""

    @property
    def fts_expression(self) -> str:
        """An expression for SQLite's full-text search that matches any of the words.

        The words only contain letters and digits, so they need no escaping.
        """
        return " OR ".join(f'"{word}"' for word in self.words)


def parse_query(question: str) -> SearchQuery:
    """Split a search query's text into words and possible names.

    Words are searched for in the pages' text, and names are compared with the pages' names.
    Identifiers become words both as a whole and in parts: `ListPlot` is searched for as "list",
    "plot" and "listplot".
    """
    # The sqlite3 module rejects lone surrogates, and some functions of SQLite end a text at a null
    # character.
    text = (
        question[:MAX_QUERY_CHARACTERS]
        .encode("utf-8", "replace")
        .decode("utf-8")
        .replace("\0", " ")
    )
    names = tuple(dict.fromkeys(name for name in _extract_names(text) if name))
    words = [word.lower() for word in _WORD_PATTERN.findall(split_identifiers(text))]
    words += [word.lower() for word in _WORD_PATTERN.findall(text)]
    # A query that only contains stop words, such as "and", is searched for as it is.
    search_words = [word for word in words if word not in STOP_WORDS] or words
    distinct_words = tuple(dict.fromkeys(search_words))
    return SearchQuery(text.strip(), distinct_words[:MAX_QUERY_WORDS], names[:MAX_QUERY_WORDS])


def _extract_names(text: str) -> list[str]:
    """Return the parts of a query that may be names or operators, such as `ListPlot` and `/@`.

    A single-word query is always a possible name. In longer queries, only operators, capitalized
    words and words spelled like identifiers are possible names.
    """
    query = text.strip()
    is_single_word = not re.search(r"\s", query)
    # `Plot[]` and "Plot" in quotation marks are also searched for without these characters.
    whole_query = [query, query.strip("\"'`?").rstrip("()[]")] if is_single_word else []
    words = [word for word in _NAME_PATTERN.findall(text) if len(word) > 1]
    identifiers = [word for word in words if is_identifier_like(word)]
    capitalized = [word for word in words if word[0].isupper()]
    return [*whole_query, *_OPERATOR_PATTERN.findall(text), *identifiers, *capitalized]


def is_identifier_like(word: str) -> bool:
    """Return whether a word has symbols, digits or inner capitals, unlike words in a sentence."""
    return not word.isalpha() or not (word.islower() or word.istitle())


def split_identifiers(text: str) -> str:
    """Split identifiers into words: `ListLinePlot` becomes `List Line Plot`."""
    return " ".join(_CAMEL_CASE_PATTERN.findall(text))
