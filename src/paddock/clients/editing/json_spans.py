"""Where the members and elements of a container stand in a JSON text, and what is beside them.

Works on texts that have been read without a fault. `plain` is always the text with its comments
blanked out, as `json_reading` makes it, so both have the same offsets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

BLANK_CHARACTERS = " \t\r\n"
_BLANK_RUN = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(r"[^ \t\r\n,\]}]++")
_UNTIL_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_INDENT = re.compile(r"[ \t]*+")
# Comments that begin on the line, with the blanks before each.
_COMMENTS_BESIDE = re.compile(r"(?:[ \t]*+(?://[^\r\n]*+|/\*(?s:.*?)\*/))*+")


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A member of an object or an element of a list, from its key or value to its end."""

    key: str | None
    start: int
    key_end: int
    value_start: int
    end: int
    comma: int | None


@dataclass(frozen=True, slots=True)
class JsonContainer:
    """An object or list: the offsets of its two brackets, and what is in it."""

    start: int
    end: int
    items: list[JsonItem]


def skip_blanks(text: str, at: int) -> int:
    """The first offset from here on that is not blank, or the end of the text."""
    run = _BLANK_RUN.match(text, at)
    return run.end() if run else at


def rewind_blanks(text: str, at: int) -> int:
    """The end of what stands before the blanks before an offset."""
    while at > 0 and text[at - 1] in BLANK_CHARACTERS:
        at -= 1
    return at


def parse_container(plain: str, start: int) -> JsonContainer | None:
    """The container whose bracket stands at an offset; none when something else stands there."""
    if plain[start : start + 1] not in ("{", "["):
        return None
    items: list[JsonItem] = []
    at = skip_blanks(plain, start + 1)
    while plain[at] not in "}]":
        item = _parse_item(plain, at, is_member=plain[start] == "{")
        items.append(item)
        at = skip_blanks(plain, item.end if item.comma is None else item.comma + 1)
    return JsonContainer(start, at, items)


def find_line_start(text: str, at: int) -> int:
    """The offset at which the line of another offset begins."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def get_indent(text: str, at: int) -> str:
    """The blanks that the line of an offset begins with."""
    run = _INDENT.match(text, find_line_start(text, at), at)
    return run[0] if run else ""


def is_first_on_line(text: str, at: int) -> bool:
    """Whether nothing but blanks stands before an offset on its line."""
    start = find_line_start(text, at)
    return start + len(get_indent(text, at)) == at and start > 0


def has_line_break(text: str) -> bool:
    """Whether a text goes on to another line."""
    return "\n" in text or "\r" in text


def skip_trailing_comments(text: str, at: int) -> int:
    """The end of the comments that stand beside what ends here, on the same line.

    Comments with something else after them on that line belong to that, unless it is a bracket.
    """
    beside = _COMMENTS_BESIDE.match(text, at)
    end = beside.end() if beside else at
    rest = _INDENT.match(text, end)
    following = text[rest.end() : rest.end() + 1] if rest else ""
    return end if following in ("", "\r", "\n", "}", "]") else at


def is_after_line_comment(text: str, plain: str, at: int) -> bool:
    """Whether what ends here is a comment that goes on to the end of its line."""
    start = rewind_blanks(plain, at)
    comments = list(_COMMENT.finditer(text, start, at))
    return bool(comments) and comments[-1][0].startswith("//")


def _parse_item(plain: str, start: int, *, is_member: bool) -> JsonItem:
    key, key_end, value = None, start, start
    if is_member:
        key_end = _find_string_end(plain, start)
        raw = plain[start:key_end]
        key = json.loads(raw) if "\\" in raw else raw[1:-1]
        value = skip_blanks(plain, skip_blanks(plain, key_end) + 1)
    end = _find_value_end(plain, value)
    after = skip_blanks(plain, end)
    return JsonItem(key, start, key_end, value, end, after if plain[after] == "," else None)


def _find_value_end(plain: str, at: int) -> int:
    if plain[at] == '"':
        return _find_string_end(plain, at)
    if plain[at] not in "{[":
        scalar = _SCALAR.match(plain, at)
        return scalar.end() if scalar else at
    depth = 0
    while True:
        run = _UNTIL_BRACKET.match(plain, at)
        at = run.end() if run else at
        depth += 1 if plain[at] in "{[" else -1
        at += 1
        if depth == 0:
            return at


def _find_string_end(plain: str, at: int) -> int:
    found = _STRING.match(plain, at)
    return found.end() if found else at
