"""JSON files, with comments or without, changed by cutting and pasting text.

Everything outside the cut stays as it is. What is put in follows the file's own style
(`json_style`); where to cut is decided in `json_changes`. Every change is read again and has to say
what the data said before with just that change.

Where a JSON text has to be cut, and what to put there, to add, replace or remove one item.

What is put in begins right after something that is not blank, and what is cut out begins there too:
so removing what was added gives the text that was there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from paddock.installer.config_files.data_changes import (
    describe_type,
    find_value,
    is_same_data,
    put_value,
    remove_value,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    JsonDialect,
    NamedElementStep,
    UneditableError,
    detect_newline,
    format_location,
    format_path,
)
from paddock.installer.config_files.json_layout import (
    BLANK_CHARACTERS,
    JsonContainer,
    JsonItem,
    JsonStyle,
    detect_style,
    find_line_start,
    get_indent,
    has_line_break,
    is_after_line_comment,
    is_first_on_line,
    parse_container,
    rewind_blanks,
    skip_blanks,
    skip_trailing_comments,
)
from paddock.installer.config_files.json_reader import ParsedJson, parse_json

if TYPE_CHECKING:
    from paddock.installer.config_files.document import DocumentPath


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

    def plan_edits(
        self, text: str, container: JsonContainer, *, may_unfold: bool
    ) -> list[JsonTextEdit]:
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

    def _insert_into_empty(
        self, text: str, container: JsonContainer, *, may_unfold: bool
    ) -> JsonTextEdit:
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
        return JsonTextEdit(
            place, place, separator + self.style.format_member(self.key, self.value, None)
        )

    def _find_inner_indent(self, text: str, container: JsonContainer, place: int) -> str:
        """That of a comment which stands there alone on its line, else one step in."""
        start = skip_blanks(text, container.start + 1)
        if start < place and is_first_on_line(text, start):
            return get_indent(text, start)
        return get_indent(text, container.start) + self.style.indent_unit


def plan_item_removal(
    text: str, plain: str, container: JsonContainer, index: int
) -> list[JsonTextEdit]:
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


def _has_fixed_leading_blanks(
    text: str, plain: str, cut: JsonTextEdit, *, is_followed: bool
) -> bool:
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


_UNSAFE_CHANGE_MESSAGE = "the change cannot be made without changing something else"


def read(text: str, *, where: str, dialect: JsonDialect = "jsonc") -> JsonDocument:
    """Parse a JSON text whose root is an object or a list; a blank text is an empty document.

    Raises:
        ConfigurationError: with line and column of what is wrong.
    """
    reading = parse_json(text, where=where, dialect=dialect)
    if reading.data is not MISSING and not isinstance(reading.data, dict | list):
        raise ConfigurationError(
            f"the whole file is {describe_type(reading.data)}, expected a mapping",
            where=format_location(where, text, skip_blanks(reading.blanked_text, 0)),
            hint="put it right by hand; nothing was changed",
        )
    return JsonDocument(text, where, dialect, reading)


@dataclass(frozen=True)
class _PathLevel:
    """A container on the way along a path, and the places in it of what the next step means."""

    container: JsonContainer
    match_indices: list[int]

    @property
    def item(self) -> JsonItem | None:
        """What the step leads to; the last one where a key stands several times."""
        return self.container.items[self.match_indices[-1]] if self.match_indices else None


@dataclass(frozen=True)
class JsonDocument:
    """A JSON text with its data; see `document.Document`.

    Taking away what was just added gives the same text again, except where different texts become
    the same one: brackets with nothing but a line end between them come back as `{}`, a file of
    nothing but one line end comes back empty, and one of nothing but comments keeps a `{}`.
    """

    text: str
    _where: str
    _dialect: JsonDialect
    _parsed_json: ParsedJson

    def to_data(self) -> object:
        """What the text says; not to be changed."""
        return {} if self._parsed_json.data is MISSING else self._parsed_json.data

    def get(self, path: DocumentPath) -> object:
        """What stands at a path, or `MISSING`; not to be changed."""
        return find_value(self._parsed_json.data, path)

    def put(self, path: DocumentPath, value: object) -> Self:
        """Add or replace just the value at a path; a new member comes last.

        Null in place of a container is an empty one.

        Raises:
            ConfigurationError: when something on the way is not a container of the right kind.
            UneditableError: when JSON has no such value, or the change would change more.
        """
        expected = put_value(self._parsed_json.data, path, value, place=self._format_location)
        if is_same_data(self.get(path), value):
            return self
        try:
            text = self._put_text(path, value)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._make_uneditable_error(
                f"{format_path(path)} cannot be written as JSON: {error}"
            ) from None
        return self._check_change(self._reparse(text), expected)

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Take away what stands at a path, and up to `prune` containers that it leaves empty.

        The comments beside it on its line go too, others stay. Of a key that stands several times,
        all go, else an earlier one would come to count.

        Raises:
            UneditableError: when the change would change more.
        """
        if not path or self.get(path) is MISSING:
            return self
        document: Self = self._remove_all(path)
        steps, pruned = path[:-1], 0
        while pruned < prune and document._is_empty_container(steps):
            document = document._remove_all(steps)
            steps, pruned = steps[:-1], pruned + 1
        return self._check_change(
            document, remove_value(self._parsed_json.data, path, prune=pruned)
        )

    def _is_empty_container(self, path: DocumentPath) -> bool:
        """Whether a container holds nothing, not even a comment.

        The root has to be alone in the file. A key that stands several times is left alone, since
        with the last one the others would have to go too.
        """
        levels = self._find_levels((*path, ""))
        if len(levels) <= len(path) or any(len(level.match_indices) > 1 for level in levels[-2:-1]):
            return False
        container = levels[-1].container
        if rewind_blanks(self.text, container.end) > container.start + 1:
            return False
        outside = self.text[: container.start], self.text[container.end + 1 :]
        return bool(path) or not any(part.strip() for part in outside)

    def _remove_all(self, path: DocumentPath) -> Self:
        document = self
        while document.get(path) is not MISSING:
            document = document._reparse(document._remove_text(path))
        return document

    def _put_text(self, path: DocumentPath, value: object) -> str:
        levels = self._find_levels(path)
        if not levels:
            return self._put_root_text(put_value(MISSING, path, value))
        *outer, innermost = [level.container for level in levels]
        item = levels[-1].item
        example = item or next(reversed(innermost.items), None)
        beside = (
            parse_container(self._parsed_json.blanked_text, example.value_start)
            if example
            else None
        )
        style = detect_style(self.text, [*outer, *([beside] if beside else []), innermost])
        if item is not None:
            rest = path[len(levels) :]  # what is to stand in the place of a null
            value = put_value(MISSING, rest, value) if rest else value
            return apply_text_edits(self.text, [self._make_replacement(item, value, style)])
        rest = path[len(levels) - 1 :]
        fresh = put_value(MISSING, rest, value)
        key = None if isinstance(rest[0], NamedElementStep) else rest[0]
        addition = JsonItemInsertion(key, find_value(fresh, rest[:1]), style)
        holder = levels[-2].item if len(levels) > 1 else None
        may_unfold = holder is None or is_first_on_line(self.text, holder.start)
        edits = addition.plan_edits(self.text, levels[-1].container, may_unfold=may_unfold)
        return apply_text_edits(self.text, edits)

    def _put_root_text(self, root: object) -> str:
        """The first container of a file that has none, after the comments that it may have."""
        style = detect_style(self.text, [])
        rendered = style.format_value(root, "")
        if not self.text.strip():
            end = "" if has_line_break(self.text) else style.newline
            return rendered + end + self.text
        start = "" if self.text.endswith(("\r", "\n")) else style.newline
        return f"{self.text}{start}{rendered}{style.newline}"

    def _make_replacement(self, item: JsonItem, value: object, style: JsonStyle) -> JsonTextEdit:
        old = self.text[item.value_start : item.end]
        is_short_container = old[0] in "{[" and old[1:-1].strip() and not has_line_break(old)
        is_on_own_line = is_first_on_line(self.text, item.start)
        stays_short = is_short_container or not (is_on_own_line or has_line_break(old))
        indent = None if stays_short else get_indent(self.text, item.value_start)
        return JsonTextEdit(item.value_start, item.end, style.format_value(value, indent))

    def _remove_text(self, path: DocumentPath) -> str:
        if not path:
            left = self.text.replace(self.text.strip(), "", 1)
            return "" if left in ("\n", "\r\n", "\r") else left
        level = self._find_levels(path)[-1]
        edits = plan_item_removal(
            self.text, self._parsed_json.blanked_text, level.container, level.match_indices[-1]
        )
        return apply_text_edits(self.text, edits)

    def _find_levels(self, path: DocumentPath) -> list[_PathLevel]:
        """The containers along a path, as far as there are any."""
        plain, data = self._parsed_json.blanked_text, self._parsed_json.data
        levels: list[_PathLevel] = []
        start = skip_blanks(plain, 0)
        for depth, step in enumerate(path):
            container = parse_container(plain, start)
            if container is None:
                break
            here = find_value(data, path[:depth])
            level = _PathLevel(container, _find_matches(step, container, here))
            levels.append(level)
            if level.item is None:
                break
            start = level.item.value_start
        return levels

    def _format_location(self, path: DocumentPath) -> str:
        offset = skip_blanks(self._parsed_json.blanked_text, 0)
        for level in self._find_levels(path):
            offset = level.item.value_start if level.item else offset
        return format_location(self._where, self.text, offset)

    def _reparse(self, text: str) -> Self:
        """A text of our own making; what is wrong with it is not the user's fault."""
        try:
            reading = parse_json(text, where=self._where, dialect=self._dialect)
        except ConfigurationError:
            raise self._make_uneditable_error(_UNSAFE_CHANGE_MESSAGE) from None
        return replace(self, text=text, _parsed_json=reading)

    def _check_change(self, document: Self, expected: object) -> Self:
        if is_same_data(document._parsed_json.data, expected):
            return document
        raise self._make_uneditable_error(_UNSAFE_CHANGE_MESSAGE)

    def _make_uneditable_error(self, message: str) -> UneditableError:
        return UneditableError(
            message, where=self._where, hint="make the change by hand; nothing was changed"
        )


def _find_matches(
    step: str | NamedElementStep, container: JsonContainer, data: object
) -> list[int]:
    if isinstance(step, str):
        return [place for place, item in enumerate(container.items) if item.key == step]
    elements = data if isinstance(data, list) else []
    return [place for place, element in enumerate(elements) if step.matches(element)]
