"""Where everything stands in a TOML text: tables, assignments, and the items of their values.

For texts that a TOML parser has accepted: nothing is checked here. What the text says comes from
the parser, what to do with it is in `toml_text`.

Which parts of a TOML text say what stands at one place.

A table may be written as a header with lines below it, as an inline table, as dotted keys, or
spread over several of these. Each such part is a region; together they are all there is.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

from paddock.installer.config_files.document import DocumentPath, NamedElementStep
from paddock.installer.config_files.line_edits import (
    BracketedItems,
    find_line_end,
    find_line_start,
    remove_item,
    remove_lines,
)

TomlPath = tuple[str | int, ...]
"""Keys, and indices into arrays: the way to something from the root."""

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|\'[^\']*\'')
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?""""{0,2}'
    r"|'''.*?''''{0,2}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.S,
)
_BARE = re.compile(r"[^,\]}#\r\n]*[^,\]}#\s]")


@dataclass(frozen=True)
class TomlValue:
    """A value: its span, and what is in it when it is an array or an inline table."""

    start: int
    end: int
    items: tuple[TomlItem, ...] = ()
    is_table: bool = False
    is_array: bool = False


@dataclass(frozen=True)
class TomlItem:
    """One item between brackets; those of arrays have no keys."""

    start: int
    keys: tuple[str, ...]
    value: TomlValue


@dataclass(frozen=True)
class TomlAssignment:
    """`key = value` on lines of its own."""

    start: int
    key_end: int
    keys: tuple[str, ...]
    value: TomlValue


@dataclass(frozen=True)
class TomlTable:
    """A header with the assignments below it; the root table has an empty header."""

    start: int
    header_end: int
    path: TomlPath
    assignments: list[TomlAssignment] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Where the last thing in it ends."""
        return self.assignments[-1].value.end if self.assignments else self.header_end


def parse_tables(text: str) -> list[TomlTable]:
    """The tables of a text in their order, the root first."""
    return _TomlScanner(text).parse()


class _TomlScanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._array_lengths: dict[TomlPath, int] = {}

    def parse(self) -> list[TomlTable]:
        tables = [TomlTable(0, 0, ())]
        self._skip_pattern(_SPACE)
        while self._offset < len(self._text):
            if self._text[self._offset] == "[":
                tables.append(self._read_header())
            else:
                start, keys, key_end = self._offset, self._read_dotted_key(), self._offset
                self._offset = self._text.index("=", key_end) + 1
                self._skip_pattern(_BLANKS)
                tables[-1].assignments.append(
                    TomlAssignment(start, key_end, keys, self._read_value())
                )
            self._skip_pattern(_SPACE)
        return tables

    def _skip_pattern(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._offset)
        self._offset = found.end() if found else self._offset

    def _read_header(self) -> TomlTable:
        start = self._offset
        is_array = self._text.startswith("[[", start)
        self._offset += 1 + is_array
        self._skip_pattern(_BLANKS)
        keys = self._read_dotted_key()
        self._offset = self._text.index("]", self._offset) + 1 + is_array
        return TomlTable(start, self._offset, self._resolve_table_path(keys, is_array=is_array))

    def _resolve_table_path(self, keys: tuple[str, ...], *, is_array: bool) -> TomlPath:
        place: TomlPath = ()
        for key in keys[:-1]:
            place = self._append_last_index((*place, key))
        place = (*place, keys[-1])
        if is_array:
            self._array_lengths[place] = self._array_lengths.get(place, 0) + 1
        return self._append_last_index(place)

    def _append_last_index(self, place: TomlPath) -> TomlPath:
        length = self._array_lengths.get(place)
        return place if length is None else (*place, length - 1)

    def _read_dotted_key(self) -> tuple[str, ...]:
        """A dotted key; afterwards the place is right behind its last part."""
        keys = []
        while found := _KEY.match(self._text, self._offset):
            keys.append(_unquote_key(found[0]))
            self._offset = end = found.end()
            self._skip_pattern(_BLANKS)
            if not self._text.startswith(".", self._offset):
                self._offset = end
                break
            self._offset += 1
            self._skip_pattern(_BLANKS)
        return tuple(keys)

    def _read_value(self) -> TomlValue:
        if self._text[self._offset] in "[{":
            return self._read_container()
        start = self._offset
        found = _STRING.match(self._text, start) or _BARE.match(self._text, start)
        self._offset = found.end() if found else start
        return TomlValue(start, self._offset)

    def _read_container(self) -> TomlValue:
        start = self._offset
        is_table = self._text[start] == "{"
        self._offset += 1
        items: list[TomlItem] = []
        self._skip_pattern(_SPACE)
        while self._text[self._offset] not in "]}":
            items.append(self._read_item(is_table=is_table))
            self._skip_pattern(_SPACE)
            if self._text[self._offset] == ",":
                self._offset += 1
                self._skip_pattern(_SPACE)
        self._offset += 1
        return TomlValue(start, self._offset, tuple(items), is_table, not is_table)

    def _read_item(self, *, is_table: bool) -> TomlItem:
        start = self._offset
        if not is_table:
            return TomlItem(start, (), self._read_value())
        keys = self._read_dotted_key()
        self._offset = self._text.index("=", self._offset) + 1
        self._skip_pattern(_SPACE)
        return TomlItem(start, keys, self._read_value())


def _unquote_key(text: str) -> str:
    if text[0] not in "\"'":
        return text
    key: str = tomllib.loads(f"key = {text}")["key"]
    return key


@dataclass(frozen=True)
class TomlRegion:
    """A table with its lines, an assignment in a table, or an item between brackets."""

    table: TomlTable
    path: TomlPath
    """The way to what the region says; it may be longer than the one that was looked for."""
    assignment: TomlAssignment | None = None
    container: TomlValue | None = None
    index: int = 0

    @property
    def is_table(self) -> bool:
        """Whether it is a header with its lines."""
        return self.assignment is None

    @property
    def is_item(self) -> bool:
        """Whether it stands between brackets."""
        return self.container is not None

    @property
    def value(self) -> TomlValue | None:
        """The value, unless it is a header."""
        if self.container is not None:
            return self.container.items[self.index].value
        return self.assignment.value if self.assignment else None

    @property
    def start(self) -> int:
        """Where it begins."""
        if self.container is not None:
            return self.container.items[self.index].start
        return self.assignment.start if self.assignment else self.table.start

    @property
    def end(self) -> int:
        """Where it ends, without a comment behind it."""
        return self.value.end if self.value else self.table.end

    def get_line_range(self, text: str) -> tuple[int, int]:
        """The whole lines that it takes; only for what does not stand between brackets."""
        return find_line_start(text, self.start), find_line_end(text, self.end)


def resolve_path(path: DocumentPath, data: object) -> TomlPath:
    """A path with the elements of lists as indices; it has to be in the data."""
    place: TomlPath = ()
    for step in path:
        if isinstance(step, NamedElementStep):
            elements = data if isinstance(data, list) else []
            index = max(i for i, element in enumerate(elements) if step.matches(element))
            place, data = (*place, index), elements[index]
        else:
            place, data = (*place, step), data[step] if isinstance(data, dict) else None
    return place


def find_regions(text: str, place: TomlPath) -> list[TomlRegion]:
    """All parts that say what stands at a place, in the order of the text."""
    found: list[TomlRegion] = []
    for table in parse_tables(text):
        if place and _has_prefix(table.path, place):
            found.append(TomlRegion(table, table.path))
            continue
        for assignment in table.assignments:
            full = (*table.path, *assignment.keys)
            if _has_prefix(full, place):
                found.append(TomlRegion(table, full, assignment))
            elif _has_prefix(place, full):
                found += _find_item_regions(TomlRegion(table, full, assignment), place)
    return found


def remove_path(text: str, place: TomlPath) -> str:
    """The text without all that says something about a place."""
    for index in reversed(range(len(find_regions(text, place)))):
        text = remove_region(text, find_regions(text, place)[index])
    return text


def remove_region(text: str, region: TomlRegion) -> str:
    """The text without one region."""
    if region.container is not None:
        return remove_item(text, to_bracketed_items(region.container), region.index)
    start, end = region.get_line_range(text)
    return remove_lines(text, start, end, is_first=not text[:start].strip())


def to_bracketed_items(value: TomlValue) -> BracketedItems:
    """An array or inline table as `comma_items` sees it."""
    return BracketedItems(
        value.start, value.end, tuple((item.start, item.value.end) for item in value.items)
    )


def _find_item_regions(region: TomlRegion, place: TomlPath) -> list[TomlRegion]:
    """The items within a value that are at a place or below it."""
    value = region.value
    found: list[TomlRegion] = []
    for index, item in enumerate(value.items if value else ()):
        full = (*region.path, *(item.keys or (index,)))
        inner = TomlRegion(region.table, full, region.assignment, value, index)
        if _has_prefix(full, place):
            found.append(inner)
        elif _has_prefix(place, full):
            found += _find_item_regions(inner, place)
    return found


def _has_prefix(longer: TomlPath, shorter: TomlPath) -> bool:
    return longer[: len(shorter)] == shorter
