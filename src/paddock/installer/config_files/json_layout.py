"""The layout of JSON text: item positions, comments, indentation, and the style of new values.

This works only for text that has been parsed successfully. `blanked_text` is the text with its
comments replaced with spaces (see `json_reader.blank_comments`), so its offsets are those of the
text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from paddock.installer.config_files.document import detect_newline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


BLANK_CHARACTERS = " \t\r\n"
_BLANK_RUN = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(r"[^ \t\r\n,\]}]++")
_UNTIL_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_INDENT = re.compile(r"[ \t]*+")
# Comments that begin on the same line, each with the blanks before it.
_COMMENTS_BESIDE = re.compile(r"(?:[ \t]*+(?://[^\r\n]*+|/\*(?s:.*?)\*/))*+")


@dataclass(frozen=True, slots=True)
class JsonItem:
    """The position of a JSON object member or list element in a text.

    All positions are character offsets.
    """

    key: str | None
    """The key of a member; None for an element of a list."""
    start: int
    key_end: int
    value_start: int
    end: int
    """The end of the value."""
    comma: int | None
    """The position of the comma after the item; None if it is not followed by a comma."""


@dataclass(frozen=True, slots=True)
class JsonContainer:
    """The offsets of the brackets of an object or list, and its items."""

    start: int
    end: int
    items: list[JsonItem]


def skip_blanks(text: str, offset: int) -> int:
    """Return the offset of the next non-blank character, or the end of the text."""
    run = _BLANK_RUN.match(text, offset)
    return run.end() if run else offset


def rewind_blanks(text: str, offset: int) -> int:
    """Return the offset just after the last non-blank character before an offset."""
    while offset > 0 and text[offset - 1] in BLANK_CHARACTERS:
        offset -= 1
    return offset


def parse_container(blanked_text: str, start: int) -> JsonContainer | None:
    """Return the positions of the JSON object or list that begins at an offset, and of its items.

    Args:
        blanked_text: A valid JSON text with its comments replaced with spaces.
        start: The offset.

    Returns:
        None if another value begins at the offset.
    """
    if blanked_text[start : start + 1] not in ("{", "["):
        return None
    items: list[JsonItem] = []
    offset = skip_blanks(blanked_text, start + 1)
    while blanked_text[offset] not in "}]":
        item = _parse_item(blanked_text, offset, is_member=blanked_text[start] == "{")
        items.append(item)
        offset = skip_blanks(blanked_text, item.end if item.comma is None else item.comma + 1)
    return JsonContainer(start, offset, items)


def find_line_start(text: str, offset: int) -> int:
    """Return the offset at which a line begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def get_indent(text: str, offset: int) -> str:
    """Return the indentation of the line that contains an offset."""
    run = _INDENT.match(text, find_line_start(text, offset), offset)
    return run[0] if run else ""


def is_first_on_line(text: str, offset: int) -> bool:
    """Return whether only blanks precede an offset on its line, which is not the first line."""
    start = find_line_start(text, offset)
    return start + len(get_indent(text, offset)) == offset and start > 0


def has_line_break(text: str) -> bool:
    """Return whether a text contains a line break."""
    return "\n" in text or "\r" in text


def skip_trailing_comments(text: str, offset: int) -> int:
    """Return the offset after the comments that follow an item on its line.

    Comments with another item after them on the same line belong to that item. They are not
    skipped.

    Args:
        text: The text of the document.
        offset: The end of the item.
    """
    comments = _COMMENTS_BESIDE.match(text, offset)
    comments_end = comments.end() if comments else offset
    blanks = _INDENT.match(text, comments_end)
    next_character = text[blanks.end() : blanks.end() + 1] if blanks else ""
    return comments_end if next_character in ("", "\r", "\n", "}", "]") else offset


def is_after_line_comment(text: str, blanked_text: str, offset: int) -> bool:
    """Return whether the text before an offset ends in a `//` comment."""
    start = rewind_blanks(blanked_text, offset)
    comments = list(_COMMENT.finditer(text, start, offset))
    return bool(comments) and comments[-1][0].startswith("//")


def _parse_item(blanked_text: str, start: int, *, is_member: bool) -> JsonItem:
    """Return the positions of the member or list element that begins at an offset.

    Args:
        blanked_text: The text with its comments replaced with spaces.
        start: The offset of the item.
        is_member: True for a member of an object, which begins with a key.
    """
    key, key_end, value_start = None, start, start
    if is_member:
        key_end = _find_string_end(blanked_text, start)
        quoted_key = blanked_text[start:key_end]
        # Most keys have no escape sequences to decode.
        key = json.loads(quoted_key) if "\\" in quoted_key else quoted_key[1:-1]
        colon = skip_blanks(blanked_text, key_end)
        value_start = skip_blanks(blanked_text, colon + 1)
    value_end = _find_value_end(blanked_text, value_start)
    next_offset = skip_blanks(blanked_text, value_end)
    comma = next_offset if blanked_text[next_offset] == "," else None
    return JsonItem(key, start, key_end, value_start, value_end, comma)


def _find_value_end(blanked_text: str, offset: int) -> int:
    """Return the offset after the JSON value that begins at an offset."""
    if blanked_text[offset] == '"':
        return _find_string_end(blanked_text, offset)
    if blanked_text[offset] not in "{[":
        scalar = _SCALAR.match(blanked_text, offset)
        return scalar.end() if scalar else offset
    # The items of an object or list are not parsed, because a client's file can contain many
    # megabytes of other data, such as its history. Only the brackets are counted.
    depth = 0
    while True:
        text_until_bracket = _UNTIL_BRACKET.match(blanked_text, offset)
        offset = text_until_bracket.end() if text_until_bracket else offset
        depth += 1 if blanked_text[offset] in "{[" else -1
        offset += 1
        if depth == 0:
            return offset


def _find_string_end(blanked_text: str, offset: int) -> int:
    match = _STRING.match(blanked_text, offset)
    return match.end() if match else offset


DEFAULT_INDENT = "  "
DEFAULT_KEY_SEPARATOR = ": "
_KEY_SEPARATOR = re.compile(r"[ \t]*:[ \t]*")
_NON_EMPTY_LIST = re.compile(r":[ \t]*\[(?P<inside>[ \t\r\n]*+)[^\]]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class JsonStyle:
    """A file's formatting, where JSON allows a choice."""

    newline: str = "\n"
    indent_unit: str = DEFAULT_INDENT
    """The indentation that each level adds."""
    key_separator: str = DEFAULT_KEY_SEPARATOR
    item_gap: str = " "
    """The blanks after a comma on one line."""
    brace_padding: str = ""
    """The blanks inside the braces of an object on one line."""
    has_short_lists: bool = True
    """True if lists of scalars are written on one line."""

    def format_member(self, key: str | None, value: object, indent: str | None) -> str:
        """Format a member of an object, or an element of a list if `key` is None."""
        rendered = self.format_value(value, indent)
        return rendered if key is None else f"{_format_scalar(key)}{self.key_separator}{rendered}"

    def format_value(self, value: object, indent: str | None) -> str:
        """Format a value as JSON in this style.

        Args:
            value: The value.
            indent: The indentation of the line on which the value begins, such as four spaces.
                None formats the value on one line.

        Raises:
            ValueError: JSON cannot represent the value, such as infinity.
        """
        if isinstance(value, dict) and value:
            return self._format_container("{}", value.items(), self.brace_padding, indent)
        if isinstance(value, list) and value:
            has_only_scalars = not any(isinstance(element, dict | list) for element in value)
            is_short = self.has_short_lists and has_only_scalars
            elements = [(None, element) for element in value]
            return self._format_container("[]", elements, "", None if is_short else indent)
        return _format_scalar(value)

    def _format_container(
        self,
        brackets: str,
        items: Iterable[tuple[str | None, object]],
        padding: str,
        indent: str | None,
    ) -> str:
        """Format a non-empty object or list as JSON.

        Args:
            brackets: The opening and the closing bracket.
            items: Keys and values; the keys are None for the elements of a list.
            padding: The spaces inside the brackets if everything is on one line.
            indent: The indentation of the line on which the value begins, or None to format it on
                one line.
        """
        if indent is None:
            members = (self.format_member(key, value, None) for key, value in items)
            inside = f",{self.item_gap}".join(members)
            return f"{brackets[0]}{padding}{inside}{padding}{brackets[1]}"
        inner_indent = indent + self.indent_unit
        members = (self.format_member(key, value, inner_indent) for key, value in items)
        inside = f",{self.newline}{inner_indent}".join(members)
        return (
            f"{brackets[0]}{self.newline}{inner_indent}{inside}{self.newline}{indent}{brackets[1]}"
        )


def detect_style(text: str, containers: list[JsonContainer]) -> JsonStyle:
    """Detect a JSON text's indentation, line endings and spacing, for values to be inserted.

    The parts of a file can differ in style. Therefore, each property is taken from the innermost
    object or list around the change that exhibits it.

    Args:
        text: The text of the document.
        containers: The objects and lists around a change, the outermost first.
    """
    innermost_first = list(reversed(containers))
    key_separator = next(_iterate_key_separators(text, innermost_first), DEFAULT_KEY_SEPARATOR)
    # A file without spaces after colons is compact, and has no spaces after commas either.
    default_gap = "" if key_separator == ":" else " "
    return JsonStyle(
        newline=detect_newline(text),
        indent_unit=next(_iterate_indent_units(text, innermost_first), DEFAULT_INDENT),
        key_separator=key_separator,
        item_gap=next(_iterate_item_gaps(text, innermost_first), default_gap),
        brace_padding=next(_iterate_brace_paddings(text, innermost_first), ""),
        has_short_lists=_has_short_lists(text, innermost_first),
    )


def _iterate_key_separators(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    for item in _iterate_items(containers):
        between = text[item.key_end : item.value_start]
        if item.key is not None and _KEY_SEPARATOR.fullmatch(between):
            yield between


def _iterate_items(containers: list[JsonContainer]) -> Iterator[JsonItem]:
    for container in containers:
        yield from reversed(container.items)


def _iterate_indent_units(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    for container in containers:
        outer = get_indent(text, container.start)
        for item in container.items[:1]:
            inner = get_indent(text, item.start)
            if is_first_on_line(text, item.start) and inner.startswith(outer):
                yield inner.removeprefix(outer)


def _iterate_item_gaps(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    """Yield the blanks between a comma and the next item on the same line."""
    for container in containers:
        for item, next_item in pairwise(container.items):
            between = text[(item.comma or item.end) + 1 : next_item.start]
            if not between.strip(" \t"):
                yield between


def _iterate_brace_paddings(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    """Yield the blanks between a brace and the first member on the same line."""
    for container in containers:
        for item in container.items[:1]:
            between = text[container.start + 1 : item.start]
            if text[container.start] == "{" and not between.strip(" \t"):
                yield between


def _has_short_lists(text: str, containers: list[JsonContainer]) -> bool:
    """Return whether lists are written on one line, based on the first non-empty list.

    The containers are searched first, and then the whole text. The result is True if all
    lists are empty.
    """
    for start, end in [
        *((container.start, container.end) for container in containers),
        (0, len(text)),
    ]:
        match = _NON_EMPTY_LIST.search(text, start, end)
        if match:
            return not has_line_break(match["inside"])
    return True


def _format_scalar(value: object) -> str:
    if not (isinstance(value, str | int | float) or value in (None, {}, [])):
        raise ValueError(f"{value!r} is not JSON data")
    # Text is not escaped unnecessarily, but an unpaired surrogate cannot be encoded as UTF-8.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
