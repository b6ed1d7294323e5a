"""Adding, replacing and cutting whole lines of a text, for formats whose entries stand on lines.

Whatever is added can be cut again and leaves the text as it was: lines go in right after a line
that is not blank, with at most one blank line before them, and that one is cut with them. A file
without a line end at its end keeps none. Knows nothing of any format but `#` comments.

Adding and removing items between brackets, for formats that separate them with commas.

Arrays and inline tables of TOML, flow lists and flow mappings of YAML: one line or many, with or
without a comma after the last item, with `#` comments between. What is added can be removed again
and leaves the text as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def find_line_start(text: str, offset: int) -> int:
    """Where the line begins that a character stands on."""
    return text.rfind("\n", 0, offset) + 1


def find_line_end(text: str, offset: int) -> int:
    """Where the line ends that a character stands on, after its line end."""
    found = text.find("\n", offset)
    return len(text) if found < 0 else found + 1


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space between two places."""
    return not text[start:end].strip()


def get_indent(text: str, offset: int) -> str:
    """The white space at the beginning of the line that a character stands on."""
    start = find_line_start(text, offset)
    rest = text[start : find_line_end(text, offset)]
    return rest[: len(rest) - len(rest.lstrip(" \t"))]


def has_blank_line_above(text: str, offset: int) -> bool:
    """Whether a blank line stands before a line and the comments right above it."""
    start = find_line_start(text, offset)
    while start:
        above = find_line_start(text, start - 1)
        if is_blank(text, above, start):
            return True
        if not text[above:start].lstrip().startswith("#"):
            return False
        start = above
    return True


def find_content_end(text: str, end: int) -> int:
    """The place right after the last line before `end` that is not blank."""
    content = len(text[:end].rstrip())
    return min(find_line_end(text, content), end) if content else 0


def skip_attached_comments(text: str, at: int, *, column: int = 0) -> int:
    """The place after the comment lines at a line's start that belong to what stands above them.

    They follow without a blank line, and are indented by `column` at least. Those that go on
    without a blank line to the next content, at its own indentation, belong to that.
    """
    lines: list[tuple[int, int]] = []
    place = at
    while place < len(text) and text.startswith("#", place + len(get_indent(text, place))):
        lines.append((len(get_indent(text, place)), find_line_end(text, place)))
        place = find_line_end(text, place)
    attached = not is_blank(text, place, find_line_end(text, place))
    next_column = len(get_indent(text, place)) if attached else -1
    while lines and attached and lines[-1][0] <= next_column:
        lines.pop()
    for indent, end in lines:
        if indent < column:
            break
        at = end
    return at


def insert_lines(text: str, at: int, lines: list[str], *, newline: str, blank: bool) -> str:
    """The text with lines added at a place, which is the beginning of a line or the text's end."""
    body = newline.join(lines)
    gap = newline if blank and at else ""
    if at and not text[:at].endswith("\n"):
        return f"{text[:at]}{newline}{gap}{body}{text[at:]}"
    return f"{text[:at]}{gap}{body}{newline}{text[at:]}"


def replace_lines(text: str, start: int, end: int, lines: list[str], *, newline: str) -> str:
    """The text with other lines in the place of the whole lines between two places."""
    before = text[:start]
    if before and not before.endswith("\n"):
        before += newline
    is_open = end == len(text) and not text.endswith("\n")
    return f"{before}{newline.join(lines)}{'' if is_open else newline}{text[end:]}"


def remove_lines(text: str, start: int, end: int, *, floor: int = 0, is_first: bool = False) -> str:
    """The text without the whole lines between two places, and without a blank line before them.

    The blank line stays when it begins before `floor`. Where there is none, the lines are the
    first of their kind and more follows, a blank line after them goes.
    """
    is_open = end == len(text) and not text.endswith("\n")
    blank = find_line_start(text, start - 1) if start else 0
    if start and blank >= floor and is_blank(text, blank, start):
        start = blank
    elif is_first and is_blank(text, end, find_line_end(text, end)) and text[end:].strip():
        end = find_line_end(text, end)
    if is_open and start:
        start -= 2 if text[:start].endswith("\r\n") else 1
    return text[:start] + text[end:]


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
