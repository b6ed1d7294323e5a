"""What somebody asks, taken apart: words to look for, and names that may be meant.

Anything may be asked: signs that the database would obey, other scripts, a whole book. Nothing of
it gets into a search expression but words of letters and digits.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_CHARACTERS = 2_000
"""Of a question; what comes after is not read."""
MOST_WORDS = 48
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\$?[^\W\d_][\w$]*(?:[.`][^\W\d][\w$]*)*")
_OPERATOR = re.compile(r"(?<!\S)[^\w\s\"'(),]{1,4}(?!\S)")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+[A-Z]?|[^\W\d_]+")
_SAYING_NOTHING = """
a about all am an and any are as at be been but by can could did do does doing for from get gets
give given go had has have having how i if in into is it its just know let like make me more most
my need no not of on one only or other our out over please should show so some such tell than that
the their them then there these they this those to up us use used using want was way we were what
when where which while who why will with would you your wolfram mathematica python language
function
"""
STOP_WORDS = frozenset(_SAYING_NOTHING.split())
"""Words that say nothing about what is wanted."""


class Query(NamedTuple):
    """A question, taken apart."""

    text: str
    """The question, shortened."""
    words: tuple[str, ...]
    """In lower case, each once, without those that say nothing."""
    names: tuple[str, ...]
    """What may be the name of something, as it was written."""

    @property
    def expression(self) -> str:
        """Any of the words, as FTS5 is asked for them."""
        return " OR ".join(f'"{word}"' for word in self.words)


def read_query(question: str) -> Query:
    """Take a question apart."""
    text = question[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    names = tuple(dict.fromkeys(name for name in _names(text) if name))
    found = [word.lower() for word in _WORD.findall(split_names(text))]
    found += [word.lower() for word in _WORD.findall(text)]
    wanted = [word for word in found if word not in STOP_WORDS] or found
    return Query(text.strip(), tuple(dict.fromkeys(wanted))[:MOST_WORDS], names[:MOST_WORDS])


def _names(text: str) -> list[str]:
    whole = text.strip()
    alone = [whole, whole.strip("\"'`?").rstrip("()[]")] if not re.search(r"\s", whole) else []
    written = [name for name in _NAME.findall(text) if len(name) > 1 and is_unusual(name)]
    capitals = [name for name in _NAME.findall(text) if len(name) > 1 and name[0].isupper()]
    return [*alone, *_OPERATOR.findall(text), *written, *capitals]


def is_unusual(word: str) -> bool:
    """Whether a word is none of a sentence: it has signs, digits, or capitals within."""
    return not word.isalpha() or not (word.islower() or word.istitle())


def split_names(text: str) -> str:
    """A text with the parts of its names as words: `ListLinePlot` becomes `List Line Plot`."""
    return " ".join(_HUMPS.findall(text))
