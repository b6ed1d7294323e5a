"""Positions of tables, assignments and values in a TOML text, and the regions that define a value.

`tomllib` reports no positions, so the text is scanned again. It must have been accepted by
`tomllib` before, because nothing is checked here. A table can be written with a header, inline,
with dotted keys, or in multiple such parts. Each part is a region.
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
"""Keys and array indices that lead from the root to a value."""

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
    """A value's position in the text of a TOML file, as character offsets."""

    start: int
    end: int
    items: tuple[TomlItem, ...] = ()
    """The items of an array or an inline table."""
    is_table: bool = False
    is_array: bool = False


@dataclass(frozen=True)
class TomlItem:
    """`key = value` below a header or in an inline table, or an item of an array (without keys)."""

    start: int
    key_end: int
    keys: tuple[str, ...]
    value: TomlValue


@dataclass(frozen=True)
class TomlTable:
    """The position of a table in the text of a TOML file: a header and the lines below it.

    The root table has an empty header at offset 0.
    """

    start: int
    header_end: int
    path: TomlPath
    """The keys in the header, and the indices of elements in arrays of tables."""
    assignments: list[TomlItem] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The end of the last assignment, or of the header."""
        return self.assignments[-1].value.end if self.assignments else self.header_end


def parse_tables(text: str) -> list[TomlTable]:
    """Return the tables in a text in order, the root first."""
    return _TomlScanner(text).parse()


class _TomlScanner:
    """Scans one text from start to end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._array_lengths: dict[TomlPath, int] = {}

    def parse(self) -> list[TomlTable]:
        """Return the tables of the text in order, beginning with the root table."""
        tables = [TomlTable(0, 0, ())]
        self._skip_pattern(_SPACE)
        while self._offset < len(self._text):
            if self._text[self._offset] == "[":
                tables.append(self._read_header())
            else:
                tables[-1].assignments.append(self._read_assignment())
            self._skip_pattern(_SPACE)
        return tables

    def _skip_pattern(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._offset)
        self._offset = match.end() if match else self._offset

    def _read_header(self) -> TomlTable:
        """Read a header `[key]` or `[[key]]`, and return its table without assignments."""
        start = self._offset
        is_array = self._text.startswith("[[", start)
        self._offset += 1 + is_array
        self._skip_pattern(_BLANKS)
        keys = self._read_dotted_key()
        self._offset = self._text.index("]", self._offset) + 1 + is_array
        return TomlTable(start, self._offset, self._resolve_table_path(keys, is_array=is_array))

    def _resolve_table_path(self, keys: tuple[str, ...], *, is_array: bool) -> TomlPath:
        """Return the path of the table that a header defines.

        The path also contains an index after each key of an array of tables. For example, the
        second header `[[servers]]` has the path `("servers", 1)`.

        Args:
            keys: The keys in the header.
            is_array: True for `[[…]]`, which adds an element to an array of tables.
        """
        path: TomlPath = ()
        for key in keys[:-1]:
            path = self._append_last_index((*path, key))
        path = (*path, keys[-1])
        if is_array:
            self._array_lengths[path] = self._array_lengths.get(path, 0) + 1
        return self._append_last_index(path)

    def _append_last_index(self, path: TomlPath) -> TomlPath:
        # A key of an array of tables in a header means the last element so far.
        length = self._array_lengths.get(path)
        return path if length is None else (*path, length - 1)

    def _read_dotted_key(self) -> tuple[str, ...]:
        """Read a dotted key such as `a."b c".d`, and return its parts.

        The scanner stops directly after the last part, before any blanks.
        """
        keys = []
        while match := _KEY.match(self._text, self._offset):
            keys.append(_unquote_key(match[0]))
            self._offset = key_end = match.end()
            self._skip_pattern(_BLANKS)
            if not self._text.startswith(".", self._offset):
                self._offset = key_end
                break
            self._offset += 1
            self._skip_pattern(_BLANKS)
        return tuple(keys)

    def _read_value(self) -> TomlValue:
        if self._text[self._offset] in "[{":
            return self._read_container()
        start = self._offset
        match = _STRING.match(self._text, start) or _BARE.match(self._text, start)
        self._offset = match.end() if match else start
        return TomlValue(start, self._offset)

    def _read_container(self) -> TomlValue:
        """Read an array `[…]` or an inline table `{…}`, with all its items."""
        start = self._offset
        is_table = self._text[start] == "{"
        self._offset += 1
        items: list[TomlItem] = []
        self._skip_pattern(_SPACE)
        while self._text[self._offset] not in "]}":
            items.append(self._read_assignment() if is_table else self._read_element())
            self._skip_pattern(_SPACE)
            if self._text[self._offset] == ",":
                self._offset += 1
                self._skip_pattern(_SPACE)
        self._offset += 1
        return TomlValue(start, self._offset, tuple(items), is_table, not is_table)

    def _read_assignment(self) -> TomlItem:
        start, keys, key_end = self._offset, self._read_dotted_key(), self._offset
        self._offset = self._text.index("=", key_end) + 1
        self._skip_pattern(_BLANKS)
        return TomlItem(start, key_end, keys, self._read_value())

    def _read_element(self) -> TomlItem:
        return TomlItem(self._offset, self._offset, (), self._read_value())


def _unquote_key(text: str) -> str:
    if text[0] not in "\"'":
        return text
    key: str = tomllib.loads(f"key = {text}")["key"]
    return key


@dataclass(frozen=True)
class TomlRegion:
    """A span of a TOML text that defines a value or a part of it.

    It is a header with the lines below it, a line `key = value`, or an item of an array or inline
    table.
    """

    table: TomlTable
    """The table, or the one that contains the line or item."""
    path: TomlPath
    """The path of the value that the span defines."""
    item: TomlItem | None = None
    """The line or the item; None for a table."""
    container: TomlValue | None = None
    """The array or inline table that contains the item at `index`; None for a line."""
    index: int = 0

    @property
    def is_table(self) -> bool:
        """True for a header with the lines below it."""
        return self.item is None

    @property
    def is_item(self) -> bool:
        """True for an item of an array or inline table."""
        return self.container is not None

    @property
    def value(self) -> TomlValue | None:
        """The position of the value; None for a header."""
        return self.item.value if self.item else None

    @property
    def start(self) -> int:
        """The offset of the first character."""
        return self.item.start if self.item else self.table.start

    @property
    def end(self) -> int:
        """The offset just after the last character, excluding any comment that follows."""
        return self.value.end if self.value else self.table.end

    def get_line_range(self, text: str) -> tuple[int, int]:
        """Return the offsets of the whole lines of a table or line. Not valid for an item."""
        return find_line_start(text, self.start), find_line_end(text, self.end)


def resolve_path(path: DocumentPath, data: object) -> TomlPath:
    """Convert a path to keys and indices by looking up named list elements in the data.

    For example, `("servers", NamedElementStep("charts"))` becomes `("servers", 0)`.

    Args:
        path: The path of an existing value.
        data: The data of the document.
    """
    toml_path: TomlPath = ()
    for step in path:
        if isinstance(step, NamedElementStep):
            elements = data if isinstance(data, list) else []
            index = max(index for index, element in enumerate(elements) if step.matches(element))
            toml_path, data = (*toml_path, index), elements[index]
        else:
            toml_path, data = (*toml_path, step), data[step] if isinstance(data, dict) else None
    return toml_path


def find_regions(text: str, path: TomlPath) -> list[TomlRegion]:
    """Return all spans of a TOML text that define the value at a path, in text order.

    There can be more than one. For example, the table `a` can consist of the lines `a.b = 1` and
    `a.c = 2`, or of the tables with the headers `[a]` and `[a.d]`.
    """
    regions: list[TomlRegion] = []
    for table in parse_tables(text):
        if path and _has_prefix(table.path, path):
            regions.append(TomlRegion(table, table.path))
            continue
        for assignment in table.assignments:
            full_path = (*table.path, *assignment.keys)
            region = TomlRegion(table, full_path, assignment)
            if _has_prefix(full_path, path):
                regions.append(region)
            elif _has_prefix(path, full_path):
                regions += _find_item_regions(region, path)
    return regions


def remove_path(text: str, path: TomlPath) -> str:
    """Remove all regions of a path from a text."""
    for index in reversed(range(len(find_regions(text, path)))):
        # Each removal moves the following regions, so they are located again.
        text = remove_region(text, find_regions(text, path)[index])
    return text


def remove_region(text: str, region: TomlRegion) -> str:
    """Remove one region from a text."""
    if region.container is not None:
        return remove_item(text, to_bracketed_items(region.container), region.index)
    start, end = region.get_line_range(text)
    return remove_lines(text, start, end, is_first=not text[:start].strip())


def to_bracketed_items(value: TomlValue) -> BracketedItems:
    """Return the brackets and items of an array or inline table for `line_edits`."""
    return BracketedItems(
        value.start, value.end, tuple((item.start, item.value.end) for item in value.items)
    )


def _find_item_regions(region: TomlRegion, path: TomlPath) -> list[TomlRegion]:
    """Return the items inside an array or inline table that define the value at a path.

    Args:
        region: The line or item whose value is the array or inline table.
        path: The path, below the path of the region.
    """
    value = region.value
    regions: list[TomlRegion] = []
    for index, item in enumerate(value.items if value else ()):
        full_path = (*region.path, *(item.keys or (index,)))
        item_region = TomlRegion(region.table, full_path, item, value, index)
        if _has_prefix(full_path, path):
            regions.append(item_region)
        elif _has_prefix(path, full_path):
            regions += _find_item_regions(item_region, path)
    return regions


def _has_prefix(path: TomlPath, prefix: TomlPath) -> bool:
    return path[: len(prefix)] == prefix
