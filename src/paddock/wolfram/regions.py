"""Where comments and pieces of box syntax end, which may hold others of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


class NestedRegions:
    """Regions of one kind in a text: between an opening and its closing edge.

    Most are found by looking from their beginning. Once one has no end, all further ones are looked
    up in what a single pass over the rest found, so that many without an end cost no more than one.
    """

    __slots__ = ("_closing", "_edge", "_ends", "_opening", "_text")

    def __init__(self, text: str, edge: re.Pattern[str], opening: str, closing: str) -> None:
        self._text = text
        self._edge = edge
        self._opening = opening
        self._closing = closing
        self._ends: dict[int, int] | None = None

    def find_end(self, start: int) -> int | None:
        """Where the region ends whose opening edge is here; None if it has no end."""
        if self._ends is None:
            found = self._scan_region(start)
            if found is not None:
                return found
            self._ends = self._scan_all(start)
        return self._ends.get(start)

    def _scan_region(self, start: int) -> int | None:
        depth = 0
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                depth += 1
            elif edge[0] == self._closing:
                depth -= 1
                if depth == 0:
                    return edge.end()
        return None

    def _scan_all(self, start: int) -> dict[int, int]:
        ends: dict[int, int] = {}
        opened: list[int] = []
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                opened.append(edge.start())
            elif edge[0] == self._closing and opened:
                ends[opened.pop()] = edge.end()
        return ends
