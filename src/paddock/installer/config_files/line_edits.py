"""Text edits for TOML and YAML: whole lines, and items between brackets.

Removing what was inserted restores the text. To make that possible, lines are inserted right after
a line that is not blank, with at most one blank line before them, which is removed together with
them. A file without a final line ending stays that way. The only syntax known here is `#`
comments and comma-separated items: arrays and inline tables in TOML, flow collections in
YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def find_line_start(text: str, offset: int) -> int:
    """Return the offset where a character's line begins."""
    return text.rfind("\n", 0, offset) + 1


def find_line_end(text: str, offset: int) -> int:
    """Return the offset just after the line ending of a character's line."""
    line_feed = text.find("\n", offset)
    return len(text) if line_feed < 0 else line_feed + 1


def is_blank(text: str, start: int, end: int) -> bool:
    """Return whether there is only whitespace between two offsets."""
    return not text[start:end].strip()


def get_indent(text: str, offset: int) -> str:
    """Return the whitespace at the beginning of a character's line."""
    start = find_line_start(text, offset)
    line = text[start : find_line_end(text, offset)]
    return line[: len(line) - len(line.lstrip(" \t"))]


def has_blank_line_above(text: str, offset: int) -> bool:
    """Return whether there is a blank line above a line and the comments directly above it.

    The result is also True if the text begins with this line or its comments.
    """
    start = find_line_start(text, offset)
    while start:
        previous_start = find_line_start(text, start - 1)
        if is_blank(text, previous_start, start):
            return True
        if not text[previous_start:start].lstrip().startswith("#"):
            return False
        start = previous_start
    return True


def find_content_end(text: str, end: int) -> int:
    """Return the offset just after the last non-blank line before `end`."""
    content = len(text[:end].rstrip())
    return min(find_line_end(text, content), end) if content else 0


def skip_attached_comments(text: str, at: int, *, column: int = 0) -> int:
    """Return the offset after the comment lines that belong to the lines above them.

    Comments belong to the lines above if they are indented by at least `column`. They belong to the
    lines below if these follow without a blank line and are indented at least as much.

    Args:
        text: The text of the file.
        at: The offset of the line after the content, where the comments begin.
        column: The indentation of the content.
    """
    comments: list[tuple[int, int]] = []  # the indentation and the end of each line
    offset = at
    while offset < len(text) and text.startswith("#", offset + len(get_indent(text, offset))):
        comments.append((len(get_indent(text, offset)), find_line_end(text, offset)))
        offset = find_line_end(text, offset)
    leads_to_content = not is_blank(text, offset, find_line_end(text, offset))
    next_column = len(get_indent(text, offset)) if leads_to_content else -1
    while comments and leads_to_content and comments[-1][0] <= next_column:
        comments.pop()
    for indent, end in comments:
        if indent < column:
            break
        at = end
    return at


def insert_lines(text: str, at: int, lines: list[str], *, newline: str, blank: bool) -> str:
    """Insert lines into a text.

    If the text does not end with a line ending, neither does the result. Therefore, removing the
    lines restores the text.

    Args:
        text: The text.
        at: The beginning of a line, or the end of the text.
        lines: The lines, without line endings.
        newline: The line ending of the file.
        blank: Insert a blank line before the lines.
    """
    body = newline.join(lines)
    gap = newline if blank and at else ""
    if at and not text[:at].endswith("\n"):
        return f"{text[:at]}{newline}{gap}{body}{text[at:]}"
    return f"{text[:at]}{gap}{body}{newline}{text[at:]}"


def replace_lines(text: str, start: int, end: int, lines: list[str], *, newline: str) -> str:
    """Replace the whole lines between two offsets."""
    before = text[:start]
    if before and not before.endswith("\n"):
        before += newline
    lacks_line_end = end == len(text) and not text.endswith("\n")
    return f"{before}{newline.join(lines)}{'' if lacks_line_end else newline}{text[end:]}"


def remove_lines(text: str, start: int, end: int, *, floor: int = 0, is_first: bool = False) -> str:
    """Remove whole lines from a text, together with one blank line before or after them.

    Args:
        text: The text.
        start: The beginning of the first line.
        end: The end of the last line.
        floor: The offset from which a blank line before the lines is removed.
        is_first: True if the lines are the first of several entries. A blank line after them is
            removed if there is not one before them.
    """
    lacks_line_end = end == len(text) and not text.endswith("\n")
    previous_start = find_line_start(text, start - 1) if start else 0
    if start and previous_start >= floor and is_blank(text, previous_start, start):
        start = previous_start
    elif is_first and is_blank(text, end, find_line_end(text, end)) and text[end:].strip():
        end = find_line_end(text, end)
    # The previous line becomes the last line of the file, and must not have a line ending either.
    if lacks_line_end and start:
        start -= 2 if text[:start].endswith("\r\n") else 1
    return text[:start] + text[end:]


_TRIVIA_PATTERN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_LINE_REST_PATTERN = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=\r?\n|\Z)")


@dataclass(frozen=True)
class BracketedItems:
    """The offsets of a container's brackets, and of the start and end of each item."""

    start: int
    end: int
    items: tuple[tuple[int, int], ...]


def append_item(text: str, container: BracketedItems, item: str, newline: str) -> str:
    """Add an item to the end of a TOML array or similar list, with the layout of the last item.

    The item has a line of its own if the last item begins a line, and a trailing comma if the last
    item has one.

    Args:
        text: The text of the file.
        container: The positions of the brackets and of the items.
        item: The text of the new item.
        newline: The line ending of the file.
    """
    if not container.items:
        offset = container.start + 1
        return f"{text[:offset]}{item}{text[offset:]}"
    start, end = container.items[-1]
    comma = _find_comma(text, end)
    final_comma = "" if comma is None else ","
    if not _is_first_on_line(text, start):
        offset = end if comma is None else comma + 1
        separator = ", " if comma is None else " "
        return f"{text[:offset]}{separator}{item}{final_comma}{text[offset:]}"
    indent = text[find_line_start(text, start) : start]
    offset = _skip_line_comment(text, end if comma is None else comma + 1)
    separator = "," if comma is None else ""
    line = f"{newline}{indent}{item}{final_comma}"
    return f"{text[:end]}{separator}{text[end:offset]}{line}{text[offset:]}"


def remove_item(text: str, container: BracketedItems, index: int) -> str:
    """Remove an item of a TOML array or a similar list, with its comma.

    If the item begins a line, the whole line is removed.

    Args:
        text: The text of the file.
        container: The positions of the brackets and of the items.
        index: The index of the item.
    """
    start, end = container.items[index]
    comma = _find_comma(text, end)
    is_last = index == len(container.items) - 1
    cut_start, cut_end = start, end if comma is None else comma + 1
    if _is_first_on_line(text, start):
        cut_start, cut_end = _expand_to_line(text, start, cut_end)
    elif is_last and index:
        cut_start = len(text[:start].rstrip(" \t"))
    elif not is_last:
        cut_end += len(text) - cut_end - len(text[cut_end:].lstrip(" \t"))
    shortened = text[:cut_start] + text[cut_end:]
    if is_last and index and comma is None:
        # The previous item becomes the last one, and must not have a comma.
        previous_comma = _find_comma(shortened, container.items[index - 1][1])
        if previous_comma is not None:
            shortened = shortened[:previous_comma] + shortened[previous_comma + 1 :]
    return shortened


def _expand_to_line(text: str, start: int, end: int) -> tuple[int, int]:
    """Expand an item's span to include the line ending before it and a comment after it."""
    line_start = find_line_start(text, start)
    line_start -= 2 if text[:line_start].endswith("\r\n") else 1
    line_rest = _LINE_REST_PATTERN.match(text, end)
    return line_start, line_rest.end() if line_rest else end


def _find_comma(text: str, end: int) -> int | None:
    trivia = _TRIVIA_PATTERN.match(text, end)
    offset = trivia.end() if trivia else end
    return offset if text.startswith(",", offset) else None


def _is_first_on_line(text: str, start: int) -> bool:
    line_start = find_line_start(text, start)
    return line_start > 0 and is_blank(text, line_start, start)


def _skip_line_comment(text: str, offset: int) -> int:
    """Return the end of a comment that ends the line, or the offset itself if items follow."""
    line_rest = _LINE_REST_PATTERN.match(text, offset)
    return line_rest.end() if line_rest and offset < find_line_end(text, offset) else offset
