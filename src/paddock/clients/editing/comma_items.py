"""Adding and removing items between brackets, for formats that separate them with commas.

Arrays and inline tables of TOML, flow lists and flow mappings of YAML: one line or many, with or
without a comma after the last item, with `#` comments between. What is added can be removed again
and leaves the text as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from paddock.clients.editing.lines import is_blank, find_line_end, find_line_start

_TRIVIA_PATTERN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANKS_PATTERN = re.compile(r"[ \t]*")
_LINE_REST_PATTERN = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=\r?\n|\Z)")


@dataclass(frozen=True)
class BracketedItems:
    """A container: where its brackets stand, and where each of its items begins and ends."""

    start: int
    end: int
    items: tuple[tuple[int, int], ...]


def append_item(text: str, container: BracketedItems, item: str, newline: str) -> str:
    """The text with one more item at the end of a container."""
    if not container.items:
        place = container.start + 1
        return f"{text[:place]}{item}{text[place:]}"
    start, end = container.items[-1]
    comma = _find_comma(text, end)
    tail = "" if comma is None else ","
    if not _is_first_on_line(text, start):
        place = end if comma is None else comma + 1
        lead = ", " if comma is None else " "
        return f"{text[:place]}{lead}{item}{tail}{text[place:]}"
    indent = text[find_line_start(text, start) : start]
    place = _skip_line_comment(text, end if comma is None else comma + 1)
    lead = "," if comma is None else ""
    return f"{text[:end]}{lead}{text[end:place]}{newline}{indent}{item}{tail}{text[place:]}"


def remove_item(text: str, container: BracketedItems, index: int) -> str:
    """The text without one item of a container, and without the comma that it needed."""
    start, end = container.items[index]
    comma = _find_comma(text, end)
    is_last = index == len(container.items) - 1
    stop = end if comma is None else comma + 1
    if _is_first_on_line(text, start):
        begin, stop = _expand_to_line(text, start, stop)
    elif is_last and index:
        begin = start - len(text[:start]) + len(text[:start].rstrip(" \t"))
    else:
        begin = start
        stop = _BLANKS_PATTERN.match(text, stop).end() if not is_last else stop  # type: ignore[union-attr] # matches anything
    shortened = text[:begin] + text[stop:]
    if is_last and index and comma is None:
        before = _find_comma(shortened, container.items[index - 1][1])
        if before is not None:
            shortened = shortened[:before] + shortened[before + 1 :]
    return shortened


def _expand_to_line(text: str, start: int, stop: int) -> tuple[int, int]:
    """What goes with an item that begins its line: the line end before it, a comment behind it."""
    begin = find_line_start(text, start)
    begin -= 2 if text[:begin].endswith("\r\n") else 1
    rest = _LINE_REST_PATTERN.match(text, stop)
    return begin, rest.end() if rest else stop


def _find_comma(text: str, end: int) -> int | None:
    found = _TRIVIA_PATTERN.match(text, end)
    place = found.end() if found else end
    return place if text.startswith(",", place) else None


def _is_first_on_line(text: str, start: int) -> bool:
    begin = find_line_start(text, start)
    return begin > 0 and is_blank(text, begin, start)


def _skip_line_comment(text: str, place: int) -> int:
    """After a comment that ends the line, or the place itself when more items follow."""
    rest = _LINE_REST_PATTERN.match(text, place)
    return rest.end() if rest and place < find_line_end(text, place) else place
