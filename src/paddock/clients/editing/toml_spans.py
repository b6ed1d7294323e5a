"""Where everything stands in a TOML text: tables, assignments, and the items of their values.

For texts that a TOML parser has accepted: nothing is checked here. What the text says comes from
the parser, what to do with it is in `toml_text`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

Place = tuple[str | int, ...]
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
class Value:
    """A value: its span, and what is in it when it is an array or an inline table."""

    start: int
    end: int
    items: tuple[Item, ...] = ()
    is_table: bool = False
    is_array: bool = False


@dataclass(frozen=True)
class Item:
    """One item between brackets; those of arrays have no keys."""

    start: int
    keys: tuple[str, ...]
    value: Value


@dataclass(frozen=True)
class Assignment:
    """`key = value` on lines of its own."""

    start: int
    key_end: int
    keys: tuple[str, ...]
    value: Value


@dataclass(frozen=True)
class Table:
    """A header with the assignments below it; the root table has an empty header."""

    start: int
    header_end: int
    place: Place
    assignments: list[Assignment] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Where the last thing in it ends."""
        return self.assignments[-1].value.end if self.assignments else self.header_end


def scan(text: str) -> list[Table]:
    """The tables of a text in their order, the root first."""
    return _Scanner(text).tables()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lengths: dict[Place, int] = {}

    def tables(self) -> list[Table]:
        tables = [Table(0, 0, ())]
        self._skip(_SPACE)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                tables.append(self._header())
            else:
                start, keys, key_end = self._at, self._keys(), self._at
                self._at = self._text.index("=", key_end) + 1
                self._skip(_BLANKS)
                tables[-1].assignments.append(Assignment(start, key_end, keys, self._value()))
            self._skip(_SPACE)
        return tables

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _header(self) -> Table:
        start = self._at
        is_array = self._text.startswith("[[", start)
        self._at += 1 + is_array
        self._skip(_BLANKS)
        keys = self._keys()
        self._at = self._text.index("]", self._at) + 1 + is_array
        return Table(start, self._at, self._place(keys, is_array=is_array))

    def _place(self, keys: tuple[str, ...], *, is_array: bool) -> Place:
        place: Place = ()
        for key in keys[:-1]:
            place = self._last_element((*place, key))
        place = (*place, keys[-1])
        if is_array:
            self._lengths[place] = self._lengths.get(place, 0) + 1
        return self._last_element(place)

    def _last_element(self, place: Place) -> Place:
        length = self._lengths.get(place)
        return place if length is None else (*place, length - 1)

    def _keys(self) -> tuple[str, ...]:
        """A dotted key; afterwards the place is right behind its last part."""
        keys = []
        while found := _KEY.match(self._text, self._at):
            keys.append(_plain_key(found[0]))
            self._at = end = found.end()
            self._skip(_BLANKS)
            if not self._text.startswith(".", self._at):
                self._at = end
                break
            self._at += 1
            self._skip(_BLANKS)
        return tuple(keys)

    def _value(self) -> Value:
        if self._text[self._at] in "[{":
            return self._container()
        start = self._at
        found = _STRING.match(self._text, start) or _BARE.match(self._text, start)
        self._at = found.end() if found else start
        return Value(start, self._at)

    def _container(self) -> Value:
        start = self._at
        is_table = self._text[start] == "{"
        self._at += 1
        items: list[Item] = []
        self._skip(_SPACE)
        while self._text[self._at] not in "]}":
            items.append(self._item(is_table=is_table))
            self._skip(_SPACE)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_SPACE)
        self._at += 1
        return Value(start, self._at, tuple(items), is_table, not is_table)

    def _item(self, *, is_table: bool) -> Item:
        start = self._at
        if not is_table:
            return Item(start, (), self._value())
        keys = self._keys()
        self._at = self._text.index("=", self._at) + 1
        self._skip(_SPACE)
        return Item(start, keys, self._value())


def _plain_key(text: str) -> str:
    if text[0] not in "\"'":
        return text
    key: str = tomllib.loads(f"key = {text}")["key"]
    return key
