"""Line positions in text, and parts of Markdown reports: tables, code, durations and sizes."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


_LINE_END_PATTERN = re.compile(r"\r\n?|\n")
_SIZE_UNITS = ((1 << 30, "GB", 3), (1 << 20, "MB", 2), (1 << 10, "KB", 1))


class LineIndex:
    """A text with an index for converting between character offsets and line numbers.

    Lines may have Unix, Windows or old Mac endings. The index is built when it is first used.
    """

    __slots__ = ("_line_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_starts: list[int] | None = None

    def get_position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        starts = self._get_line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def get_line_span(self, number: int) -> tuple[int, int]:
        """Return the start and end offsets of a line, without its line ending.

        Lines are counted from 1.
        """
        starts = self._get_line_starts()
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    @property
    def line_count(self) -> int:
        """The number of lines. A line ending at the end of the text does not start another line."""
        starts = self._get_line_starts()
        return len(starts) - (starts[-1] == len(self.text))

    def _get_line_starts(self) -> list[int]:
        # No position is ever requested for most texts, so the index is not built in advance.
        if self._line_starts is None:
            line_ends = _LINE_END_PATTERN.finditer(self.text)
            self._line_starts = [0, *(line_end.end() for line_end in line_ends)]
        return self._line_starts


def format_table(kind: str, rows: Mapping[str, str]) -> str:
    """Return a Markdown table with two columns, for names and values.

    Args:
        kind: The heading of the first column, such as `Metric`.
        rows: The values by name.
    """
    lines = [f"| {kind} | Value |", "| --- | --- |"]
    lines += [f"| **{name}** | {_escape_cell(value)} |" for name, value in rows.items()]
    return "\n".join(lines)


def _escape_cell(text: str) -> str:
    """Escape a text so that it fits into one cell of a Markdown table."""
    # A line end would end the row, and a pipe the cell.
    return " ".join(text.split()).replace("|", "\\|")


def format_code_block(code: str, language: str) -> str:
    """Return a fenced code block, with a fence that does not occur in the code."""
    fence = "```"
    # CommonMark: a fence of the same length within the code would end the block.
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def format_share(part: int, total: int) -> str:
    """Return a count with its percentage of a total."""
    percent = 100 * part / total if total else 0
    return f"{part} ({_format_number(percent)}%)"


def _format_number(value: float, digits: int = 1) -> str:
    """Format a number without trailing zeros."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_duration(seconds: float | None) -> str:
    """Format a duration with a suitable unit, such as `350 ms` or `2.5 min`."""
    if seconds is None:
        return "N/A"
    if seconds < 0.001:
        return "< 1 ms"
    if seconds < 1:
        return f"{_format_number(seconds / 0.001, 0)} ms"
    if seconds < 60:
        return f"{_format_number(seconds, 1)} s"
    if seconds < 3600:
        return f"{_format_number(seconds / 60, 1)} min"
    return f"{_format_number(seconds / 3600)} h"


def format_size(size: int | None) -> str:
    """Format a number of bytes with a suitable unit, such as `12 KB`."""
    if size is None:
        return "N/A"
    for unit_size, unit, digits in _SIZE_UNITS:
        if size >= unit_size:
            return f"{_format_number(size / unit_size, digits)} {unit}"
    return f"{size} B"
