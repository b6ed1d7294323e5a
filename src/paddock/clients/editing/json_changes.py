"""Where a JSON text has to be cut, and what to put there, to add, replace or remove one item.

What is put in begins right after something that is not blank, and what is cut out begins there too:
so removing what was added gives the text that was there.
"""

from __future__ import annotations

from dataclasses import dataclass

from paddock.clients.editing.document import newline_of
from paddock.clients.editing.json_spans import (
    BLANKS,
    Container,
    Item,
    after_blanks,
    after_own_comments,
    before_blanks,
    begins_line,
    ends_in_line_comment,
    has_line_end,
    indent_at,
    line_start,
)
from paddock.clients.editing.json_style import Style


@dataclass(frozen=True)
class Edit:
    """A piece of text to be replaced by another."""

    start: int
    end: int
    replacement: str = ""


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text with all edits made; they do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.start):
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


@dataclass(frozen=True)
class Addition:
    """An item that is to become the last one of a container."""

    key: str | None
    value: object
    style: Style

    def to(self, text: str, container: Container, *, may_unfold: bool) -> list[Edit]:
        """The edits; an empty pair of brackets is unfolded to several lines where it may be."""
        if container.items:
            return self._after(text, container)
        return [self._into_empty(text, container, may_unfold=may_unfold)]

    def _after(self, text: str, container: Container) -> list[Edit]:
        last = container.items[-1]
        item_end = last.end if last.comma is None else last.comma + 1
        place = after_own_comments(text, item_end)
        has_own_line = has_line_end(text[place : place + 1]) if place > item_end else False
        if begins_line(text, last.start) or has_own_line:
            indent: str | None = self._indent_beside(text, container)
            separator = f"{self.style.newline}{indent}"
        else:
            is_long = has_line_end(text[last.value : last.end])
            indent = indent_at(text, last.start) if is_long else None
            separator = self.style.gap
        added = separator + self.style.member(self.key, self.value, indent)
        if last.comma is not None:
            return [Edit(place, place, added + ",")]
        return [Edit(last.end, last.end, ","), Edit(place, place, added)]

    def _indent_beside(self, text: str, container: Container) -> str:
        """That of the line of the last item, unless the container begins on it too."""
        last = container.items[-1]
        if line_start(text, last.start) > container.start:
            return indent_at(text, last.start)
        return indent_at(text, container.start) + self.style.unit

    def _into_empty(self, text: str, container: Container, *, may_unfold: bool) -> Edit:
        outer = indent_at(text, container.start)
        place = before_blanks(text, container.end)
        blanks = text[place : container.end]
        is_bare = container.end == container.start + 1
        if has_line_end(blanks) or (is_bare and may_unfold):
            indent = self._indent_inside(text, container, place)
            item = self.style.member(self.key, self.value, indent)
            closing = self.style.newline + outer if is_bare else ""
            return Edit(place, place, f"{self.style.newline}{indent}{item}{closing}")
        has_comment = place > container.start + 1
        separator = blanks or " " if has_comment else blanks
        return Edit(place, place, separator + self.style.member(self.key, self.value, None))

    def _indent_inside(self, text: str, container: Container, place: int) -> str:
        """That of a comment which stands there alone on its line, else one step in."""
        start = after_blanks(text, container.start + 1)
        if start < place and begins_line(text, start):
            return indent_at(text, start)
        return indent_at(text, container.start) + self.style.unit


def removal(text: str, plain: str, container: Container, index: int) -> list[Edit]:
    """The edits that take away one item with its comma and the comments beside it."""
    item = container.items[index]
    is_last = index == len(container.items) - 1
    edits: list[Edit] = []
    begin, end = before_blanks(text, item.start), _end_of(text, item)
    if item.comma is not None and item.comma >= end:
        edits.append(Edit(item.comma, item.comma + 1))
    if is_last and index > 0 and item.comma is None:
        comma = container.items[index - 1].comma or 0
        if begin == comma + 1:
            begin = before_blanks(text, comma)
        else:
            edits.append(Edit(comma, comma + 1))
    if _keeps_blanks_before(text, plain, Edit(begin, end), is_followed=not is_last):
        begin, end = item.start, after_blanks(text, end)
    elif len(container.items) == 1 and begin == container.start + 1:
        end = _end_of_unfolded(text, container, end)
    return [*edits, Edit(begin, end)]


def _end_of(text: str, item: Item) -> int:
    """The end of an item with its comma and comments, as far as nothing of others is between."""
    if item.comma is None:
        return after_own_comments(text, item.end)
    before_comma = text[item.end : item.comma]
    if before_comma.strip(BLANKS) and has_line_end(before_comma):
        return after_own_comments(text, item.end)
    return after_own_comments(text, item.comma + 1)


def _keeps_blanks_before(text: str, plain: str, cut: Edit, *, is_followed: bool) -> bool:
    """Whether the blanks before an item stay, and those after it go instead.

    So it is with the first of several on one line, and after a line comment, which would swallow
    what comes next.
    """
    if plain[cut.start - 1] in "{[":
        after = after_blanks(text, cut.end)
        return is_followed and not has_line_end(text[cut.end : after])
    follows = text[cut.end : cut.end + 1]
    return ends_in_line_comment(text, plain, cut.start) and not has_line_end(follows)


def _end_of_unfolded(text: str, container: Container, end: int) -> int:
    """The closing bracket, if it stands where it does when an item is unfolded into `{}`."""
    item = container.items[0]
    tail = text[end : container.end]
    is_unfolded = has_line_end(text[container.start + 1 : item.start])
    closing = newline_of(tail) + indent_at(text, container.start)
    return container.end if is_unfolded and tail == closing else end
