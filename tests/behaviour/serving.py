"""Servers that are started by `paddock serve`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from paddock import Peer
from paddock.testing import connect


@contextmanager
def served(*arguments: str) -> Iterator[Peer]:
    """A connection to what `paddock serve` serves with these arguments."""
    with connect([sys.executable, "-m", "paddock", "serve", *arguments]) as peer:
        yield peer
