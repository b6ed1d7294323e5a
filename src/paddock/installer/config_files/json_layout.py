"""Where the members and elements of a container stand in a JSON text, and what is beside them.

Works on texts that have been read without a fault. `plain` is always the text with its comments
blanked out, as `json_reading` makes it, so both have the same offsets.

How a JSON file is written: its indentation and spacing, and new values in the same manner.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
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


DEFAULT_INDENT = "  "
DEFAULT_KEY_SEPARATOR = ": "
_KEY_SEPARATOR = re.compile(r"[ \t]*:[ \t]*")
_NON_EMPTY_LIST = re.compile(r":[ \t]*\[(?P<inside>[ \t\r\n]*+)[^\]]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class JsonStyle:
    """What a file does where JSON leaves a choice."""

    newline: str = "\n"
    indent_unit: str = DEFAULT_INDENT
    key_separator: str = DEFAULT_KEY_SEPARATOR
    item_gap: str = " "
    brace_padding: str = ""
    has_short_lists: bool = True

    def format_member(self, key: str | None, value: object, indent: str | None) -> str:
        """A member of an object, or an element of a list when there is no key."""
        rendered = self.format_value(value, indent)
        return rendered if key is None else f"{_format_scalar(key)}{self.key_separator}{rendered}"

    def format_value(self, value: object, indent: str | None) -> str:
        """A value whose line begins with `indent`, or one that stays on one line when that is None.

        Raises:
            ValueError: when JSON has no such value.
        """
        if isinstance(value, dict) and value:
            return self._format_container("{}", value.items(), self.brace_padding, indent)
        if isinstance(value, list) and value:
            is_short = self.has_short_lists and not any(isinstance(v, dict | list) for v in value)
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
        if indent is None:
            inside = f",{self.item_gap}".join(self.format_member(k, v, None) for k, v in items)
            return f"{brackets[0]}{padding}{inside}{padding}{brackets[1]}"
        deeper = indent + self.indent_unit
        separator = f",{self.newline}{deeper}"
        inside = separator.join(self.format_member(k, v, deeper) for k, v in items)
        return f"{brackets[0]}{self.newline}{deeper}{inside}{self.newline}{indent}{brackets[1]}"


def detect_style(text: str, containers: list[JsonContainer]) -> JsonStyle:
    """The style of a file, from the containers on the way to a change: the innermost says most."""
    inwards = list(reversed(containers))
    colon = next(_iterate_key_separators(text, inwards), DEFAULT_KEY_SEPARATOR)
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
    """What stands between a comma and the next item on the same line."""
    for container in containers:
        for one, other in zip(container.items, container.items[1:], strict=False):
            between = text[(one.comma or one.end) + 1 : other.start]
            if not between.strip(" \t"):
                yield between


def _iterate_brace_paddings(text: str, containers: list[JsonContainer]) -> Iterator[str]:
    """What stands between the brace and the first member on the same line."""
    for container in containers:
        for item in container.items[:1]:
            between = text[container.start + 1 : item.start]
            if text[container.start] == "{" and not between.strip(" \t"):
                yield between


def _has_short_lists(text: str, containers: list[JsonContainer]) -> bool:
    for start, end in [*((c.start, c.end) for c in containers), (0, len(text))]:
        found = _NON_EMPTY_LIST.search(text, start, end)
        if found:
            return not has_line_break(found["inside"])
    return True


def _format_scalar(value: object) -> str:
    if not (isinstance(value, str | int | float) or value in (None, {}, [])):
        raise ValueError(f"{value!r} is no plain data")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
