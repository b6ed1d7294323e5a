"""Layout of a JSON text: positions of items, comments, indentation, and the style of new values.

Only for texts that have been parsed successfully. A parameter `blanked_text` is the text with its
comments replaced by spaces (see `json_reader.blank_comments`), so its offsets are those of the
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
    """The offsets of a member of an object, or of an element of a list (without a key)."""

    key: str | None
    start: int
    key_end: int
    value_start: int
    end: int
    comma: int | None


@dataclass(frozen=True, slots=True)
class JsonContainer:
    """The offsets of the brackets of an object or list, and its items."""

    start: int
    end: int
    items: list[JsonItem]


def skip_blanks(text: str, offset: int) -> int:
    """Return the offset of the next character that is not blank, or the end of the text."""
    run = _BLANK_RUN.match(text, offset)
    return run.end() if run else offset


def rewind_blanks(text: str, offset: int) -> int:
    """Return the offset after the last character before an offset that is not blank."""
    while offset > 0 and text[offset - 1] in BLANK_CHARACTERS:
        offset -= 1
    return offset


def parse_container(blanked_text: str, start: int) -> JsonContainer | None:
    """Return the container that begins at an offset, or None if none begins there."""
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
    """Return the indentation of the line of an offset."""
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
    """Return the end of the comments on the same line that belong to the item ending here.

    Comments that are followed by another item on the line belong to that item.
    """
    beside = _COMMENTS_BESIDE.match(text, offset)
    end = beside.end() if beside else offset
    rest = _INDENT.match(text, end)
    following = text[rest.end() : rest.end() + 1] if rest else ""
    return end if following in ("", "\r", "\n", "}", "]") else offset


def is_after_line_comment(text: str, blanked_text: str, offset: int) -> bool:
    """Return whether the text before an offset ends in a `//` comment."""
    start = rewind_blanks(blanked_text, offset)
    comments = list(_COMMENT.finditer(text, start, offset))
    return bool(comments) and comments[-1][0].startswith("//")


def _parse_item(blanked_text: str, start: int, *, is_member: bool) -> JsonItem:
    """Return the offsets of the item that begins at an offset.

    Args:
        blanked_text: The text with its comments replaced by spaces.
        start: The offset of the item.
        is_member: True for a member of an object, which begins with a key.
    """
    key, key_end, value = None, start, start
    if is_member:
        key_end = _find_string_end(blanked_text, start)
        raw = blanked_text[start:key_end]
        key = json.loads(raw) if "\\" in raw else raw[1:-1]  # most keys have no escapes to decode
        value = skip_blanks(blanked_text, skip_blanks(blanked_text, key_end) + 1)
    end = _find_value_end(blanked_text, value)
    after = skip_blanks(blanked_text, end)
    return JsonItem(key, start, key_end, value, end, after if blanked_text[after] == "," else None)


def _find_value_end(blanked_text: str, offset: int) -> int:
    if blanked_text[offset] == '"':
        return _find_string_end(blanked_text, offset)
    if blanked_text[offset] not in "{[":
        scalar = _SCALAR.match(blanked_text, offset)
        return scalar.end() if scalar else offset
    # The content of a container is skipped without parsing its items, because only containers on
    # the path of a change matter, and a file can have many megabytes of history.
    depth = 0
    while True:
        run = _UNTIL_BRACKET.match(blanked_text, offset)
        offset = run.end() if run else offset
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
    """The formatting of a file where JSON leaves a choice."""

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
        """Format a value in this style.

        Lines below the first are indented relative to `indent`. With None, the value stays on one
        line.

        Raises:
            ValueError: JSON has no such value.
        """
        if isinstance(value, dict) and value:
            return self._format_container("{}", value.items(), self.brace_padding, indent)
        if isinstance(value, list) and value:
            is_short = self.has_short_lists and not any(
                isinstance(part, dict | list) for part in value
            )
            elements = [(None, part) for part in value]
            return self._format_container("[]", elements, "", None if is_short else indent)
        return _format_scalar(value)

    def _format_container(
        self,
        brackets: str,
        items: Iterable[tuple[str | None, object]],
        padding: str,
        indent: str | None,
    ) -> str:
        """Format a non-empty object or list, on one line if `indent` is None."""
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
    """Return the style of a file, which new text should follow.

    Each property is taken from the innermost container that shows it, because parts of a file can
    differ in style.

    Args:
        text: The text of the document.
        containers: The containers around a change, the outermost first.
    """
    inwards = list(reversed(containers))
    colon = next(_iterate_key_separators(text, inwards), DEFAULT_KEY_SEPARATOR)
    # A file without a space after colons is compact, and has none after commas either.
    default_gap = "" if colon == ":" else " "
    return JsonStyle(
        newline=detect_newline(text),
        indent_unit=next(_iterate_indent_units(text, inwards), DEFAULT_INDENT),
        key_separator=colon,
        item_gap=next(_iterate_item_gaps(text, inwards), default_gap),
        brace_padding=next(_iterate_brace_paddings(text, inwards), ""),
        has_short_lists=_has_short_lists(text, inwards),
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
    """Return whether the first list in the containers, or else in the file, begins on one line."""
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
