"""Where a JSON text has to be cut, and what to put there, to add, replace or remove one item.

What is put in begins right after something that is not blank, and what is cut out begins there too:
so removing what was added gives the text that was there.
"""

from __future__ import annotations

from dataclasses import dataclass

from paddock.clients.editing.document import detect_newline
from paddock.clients.editing.json_spans import (
    BLANK_CHARACTERS,
    JsonContainer,
    JsonItem,
    skip_blanks,
    skip_trailing_comments,
    rewind_blanks,
    is_first_on_line,
    is_after_line_comment,
    has_line_break,
    get_indent,
    find_line_start,
)
from paddock.clients.editing.json_style import JsonStyle


@dataclass(frozen=True)
class JsonTextEdit:
    """A piece of text to be replaced by another."""

    start: int
    end: int
    replacement: str = ""


def apply_text_edits(text: str, edits: list[JsonTextEdit]) -> str:
    """The text with all edits made; they do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.start):
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


@dataclass(frozen=True)
class JsonItemInsertion:
    """An item that is to become the last one of a container."""

    key: str | None
    value: object
    style: JsonStyle

    def plan_edits(self, text: str, container: JsonContainer, *, may_unfold: bool) -> list[JsonTextEdit]:
        """The edits; an empty pair of brackets is unfolded to several lines where it may be."""
        if container.items:
            return self._append_to_items(text, container)
        return [self._insert_into_empty(text, container, may_unfold=may_unfold)]

    def _append_to_items(self, text: str, container: JsonContainer) -> list[JsonTextEdit]:
        last = container.items[-1]
        item_end = last.end if last.comma is None else last.comma + 1
        place = skip_trailing_comments(text, item_end)
        has_own_line = has_line_break(text[place : place + 1]) if place > item_end else False
        if is_first_on_line(text, last.start) or has_own_line:
            indent: str | None = self._find_sibling_indent(text, container)
            separator = f"{self.style.newline}{indent}"
        else:
            is_long = has_line_break(text[last.value_start : last.end])
            indent = get_indent(text, last.start) if is_long else None
            separator = self.style.item_gap
        added = separator + self.style.format_member(self.key, self.value, indent)
        if last.comma is not None:
            return [JsonTextEdit(place, place, added + ",")]
        return [JsonTextEdit(last.end, last.end, ","), JsonTextEdit(place, place, added)]

    def _find_sibling_indent(self, text: str, container: JsonContainer) -> str:
        """That of the line of the last item, unless the container begins on it too."""
        last = container.items[-1]
        if find_line_start(text, last.start) > container.start:
            return get_indent(text, last.start)
        return get_indent(text, container.start) + self.style.indent_unit

    def _insert_into_empty(self, text: str, container: JsonContainer, *, may_unfold: bool) -> JsonTextEdit:
        outer = get_indent(text, container.start)
        place = rewind_blanks(text, container.end)
        blanks = text[place : container.end]
        is_bare = container.end == container.start + 1
        if has_line_break(blanks) or (is_bare and may_unfold):
            indent = self._find_inner_indent(text, container, place)
            item = self.style.format_member(self.key, self.value, indent)
            closing = self.style.newline + outer if is_bare else ""
            return JsonTextEdit(place, place, f"{self.style.newline}{indent}{item}{closing}")
        has_comment = place > container.start + 1
        separator = blanks or " " if has_comment else blanks
        return JsonTextEdit(place, place, separator + self.style.format_member(self.key, self.value, None))

    def _find_inner_indent(self, text: str, container: JsonContainer, place: int) -> str:
        """That of a comment which stands there alone on its line, else one step in."""
        start = skip_blanks(text, container.start + 1)
        if start < place and is_first_on_line(text, start):
            return get_indent(text, start)
        return get_indent(text, container.start) + self.style.indent_unit


def plan_item_removal(text: str, plain: str, container: JsonContainer, index: int) -> list[JsonTextEdit]:
    """The edits that take away one item with its comma and the comments beside it."""
    item = container.items[index]
    is_last = index == len(container.items) - 1
    edits: list[JsonTextEdit] = []
    begin, end = rewind_blanks(text, item.start), _find_item_end(text, item)
    if item.comma is not None and item.comma >= end:
        edits.append(JsonTextEdit(item.comma, item.comma + 1))
    if is_last and index > 0 and item.comma is None:
        comma = container.items[index - 1].comma or 0
        if begin == comma + 1:
            begin = rewind_blanks(text, comma)
        else:
            edits.append(JsonTextEdit(comma, comma + 1))
    if _has_fixed_leading_blanks(text, plain, JsonTextEdit(begin, end), is_followed=not is_last):
        begin, end = item.start, skip_blanks(text, end)
    elif len(container.items) == 1 and begin == container.start + 1:
        end = _find_unfolded_end(text, container, end)
    return [*edits, JsonTextEdit(begin, end)]


def _find_item_end(text: str, item: JsonItem) -> int:
    """The end of an item with its comma and comments, as far as nothing of others is between."""
    if item.comma is None:
        return skip_trailing_comments(text, item.end)
    before_comma = text[item.end : item.comma]
    if before_comma.strip(BLANK_CHARACTERS) and has_line_break(before_comma):
        return skip_trailing_comments(text, item.end)
    return skip_trailing_comments(text, item.comma + 1)


def _has_fixed_leading_blanks(text: str, plain: str, cut: JsonTextEdit, *, is_followed: bool) -> bool:
    """Whether the blanks before an item stay, and those after it go instead.

    So it is with the first of several on one line, and after a line comment, which would swallow
    what comes next.
    """
    if plain[cut.start - 1] in "{[":
        after = skip_blanks(text, cut.end)
        return is_followed and not has_line_break(text[cut.end : after])
    follows = text[cut.end : cut.end + 1]
    return is_after_line_comment(text, plain, cut.start) and not has_line_break(follows)


def _find_unfolded_end(text: str, container: JsonContainer, end: int) -> int:
    """The closing bracket, if it stands where it does when an item is unfolded into `{}`."""
    item = container.items[0]
    tail = text[end : container.end]
    is_unfolded = has_line_break(text[container.start + 1 : item.start])
    closing = detect_newline(tail) + get_indent(text, container.start)
    return container.end if is_unfolded and tail == closing else end
