"""Where everything stands in a TOML text: tables, assignments, and the items of their values.

For texts that a TOML parser has accepted: nothing is checked here. What the text says comes from
the parser, what to do with it is in `toml_text`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

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
                tables[-1].assignments.append(TomlAssignment(start, key_end, keys, self._read_value()))
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
