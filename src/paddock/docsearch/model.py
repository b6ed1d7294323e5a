"""What is indexed and what is found, in the words of this package.

A corpus is made of sources (a file, a package, a folder), and a source of pages. A page is what an
answer shows: everything about one symbol, function or section.

What somebody asks, taken apart: words to look for, and names that may be meant.

Anything may be asked: signs that the database would obey, other scripts, a whole book. Nothing of
it gets into a search expression but words of letters and digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class DocPage:
    """One page of documentation."""

    title: str
    """What people see: a name with its arguments, or a heading."""
    origin: str
    """Where it is from: a URL, a path, or the name of what it belongs to."""
    text: str
    names: tuple[str, ...] = ()
    """What somebody who knows the page calls it: `Map`, `/@`, `os.path.join`."""
    keywords: str = ""
    """What else people call it; it is searched and not shown."""


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page that was found."""

    title: str
    source: str
    """Where it is from: a URL, a path, or the name of what it belongs to."""
    text: str
    score: float
    """From 1 for the best that can be to 0."""
    corpus: str


class CorpusSource(NamedTuple):
    """A part of a corpus that is indexed in one go."""

    key: str
    """Which part, such as the path of a file."""
    stamp: str
    """Changes when the part changes."""


class Corpus(Protocol):
    """Something that can be indexed."""

    name: str

    def list_sources(self) -> Iterable[CorpusSource]:
        """All of its parts, the most wanted first; cheap, since it is asked for often."""

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """The pages of one part.

        Raises:
            OSError: when it cannot be read.
        """


MAX_QUERY_CHARACTERS = 2_000
"""Of a question; what comes after is not read."""
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
"""Words that say nothing about what is wanted."""


class SearchQuery(NamedTuple):
    """A question, taken apart."""

    text: str
    """The question, shortened."""
    words: tuple[str, ...]
    """In lower case, each once, without those that say nothing."""
    names: tuple[str, ...]
    """What may be the name of something, as it was written."""

    @property
    def fts_expression(self) -> str:
        """Any of the words, as FTS5 is asked for them."""
        return " OR ".join(f'"{word}"' for word in self.words)


def parse_query(question: str) -> SearchQuery:
    """Take a question apart."""
    text = (
        question[:MAX_QUERY_CHARACTERS]
        .encode("utf-8", "replace")
        .decode("utf-8")
        .replace("\0", " ")
    )
    names = tuple(dict.fromkeys(name for name in _extract_names(text) if name))
    found = [word.lower() for word in _WORD_PATTERN.findall(split_identifiers(text))]
    found += [word.lower() for word in _WORD_PATTERN.findall(text)]
    wanted = [word for word in found if word not in STOP_WORDS] or found
    return SearchQuery(
        text.strip(), tuple(dict.fromkeys(wanted))[:MAX_QUERY_WORDS], names[:MAX_QUERY_WORDS]
    )


def _extract_names(text: str) -> list[str]:
    whole = text.strip()
    alone = [whole, whole.strip("\"'`?").rstrip("()[]")] if not re.search(r"\s", whole) else []
    written = [
        name for name in _NAME_PATTERN.findall(text) if len(name) > 1 and is_identifier_like(name)
    ]
    capitals = [name for name in _NAME_PATTERN.findall(text) if len(name) > 1 and name[0].isupper()]
    return [*alone, *_OPERATOR_PATTERN.findall(text), *written, *capitals]


def is_identifier_like(word: str) -> bool:
    """Whether a word is none of a sentence: it has signs, digits, or capitals within."""
    return not word.isalpha() or not (word.islower() or word.istitle())


def split_identifiers(text: str) -> str:
    """A text with the parts of its names as words: `ListLinePlot` becomes `List Line Plot`."""
    return " ".join(_CAMEL_CASE_PATTERN.findall(text))
