"""What is indexed and what is found, in the words of this package.

A corpus is made of sources (a file, a package, a folder), and a source of pages. A page is what an
answer shows: everything about one symbol, function or section.
"""

from __future__ import annotations

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
