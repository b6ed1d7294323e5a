"""Stretches of a text, and which places they cover."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate


class SpanSet:
    """Stretches that may lie in each other; asked when all are known."""

    __slots__ = ("_ends", "_found", "_starts")

    def __init__(self) -> None:
        self._found: list[tuple[int, int]] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """One more."""
        self._found.append((start, end))

    def covers(self, at: int) -> bool:
        """Whether any holds this place."""
        if len(self._starts) != len(self._found):
            self._found.sort()
            self._starts = [start for start, _ in self._found]
            self._ends = list(accumulate((end for _, end in self._found), max))
        before = bisect_right(self._starts, at)
        return before > 0 and self._ends[before - 1] > at


def count_positions_within(places: list[int], start: int, end: int) -> int:
    """How many of the places, which are in order, lie in a stretch."""
    return bisect_left(places, end) - bisect_left(places, start)
