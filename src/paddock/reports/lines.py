"""Where lines begin in a text, and which line and column a place is."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END_PATTERN = re.compile(r"\r\n?|\n")


class LineIndex:
    """A text by its lines, however they end: as on Unix, Windows or old Macs."""

    __slots__ = ("_lines", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: list[int] | None = None

    def get_position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1."""
        starts = self._get_line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def get_line_span(self, number: int) -> tuple[int, int]:
        """Where a line begins and ends, without what ends it; lines are counted from 1."""
        starts = self._get_line_starts()
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    @property
    def line_count(self) -> int:
        """How many lines there are; what follows the last line end is one if it is not empty."""
        starts = self._get_line_starts()
        return len(starts) - (starts[-1] == len(self.text))

    def _get_line_starts(self) -> list[int]:
        """Where lines begin, whatever ends them."""
        if self._lines is None:
            self._lines = [0, *(end.end() for end in _LINE_END_PATTERN.finditer(self.text))]
        return self._lines
