"""TOML that is changed in place: the text stays as it is but for the entry.

`tomllib` says what a text means, before and after; `toml_places` says where it stands. New tables
go after the last one of the same parent, and look like those around them. A table that no line
says by itself (`mcp` in `[mcp.servers]`) comes and goes with what is in it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paddock.clients.editing.comma_items import with_item
from paddock.clients.editing.document import (
    MISSING,
    ByName,
    ConfigurationError,
    Path,
    located,
    newline_of,
)
from paddock.clients.editing.lines import (
    after_comments,
    after_last_line,
    has_gap,
    indent_at,
    is_blank,
    line_end,
    line_start,
    with_lines,
    with_lines_replaced,
)
from paddock.clients.editing.plain_data import find, same, with_value, without
from paddock.clients.editing.toml_places import (
    Region,
    brackets,
    place_of,
    regions,
    without_place,
    without_region,
)
from paddock.clients.editing.toml_spans import Place, Table, scan
from paddock.clients.editing.toml_values import (
    TableStyle,
    dotted_lines,
    inline,
    key_text,
    table_lines,
)
from paddock.clients.editing.verification import placed, reread, verified

if TYPE_CHECKING:
    from paddock.clients.editing.opening import Dialect

_SAYS_LITTLE = re.compile("Invalid|Expected|Un")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read(text: str, *, where: str, dialect: Dialect = "jsonc") -> TomlText:
    """Parse a text; an empty one is a document without entries.

    Raises:
        ConfigurationError: when it is not TOML, with line and column.
    """
    document = TomlText(text, where)
    document.data()
    return document


@dataclass(frozen=True)
class TomlText:
    """A TOML document; see `document.Document`."""

    text: str
    where: str

    def data(self) -> dict[str, Any]:
        """What the text says."""
        return self._data

    def get(self, path: Path) -> object:
        """What stands at a path, or `MISSING`."""
        return find(self._data, path)

    def put(self, path: Path, value: object) -> TomlText:
        """Add or replace just the value at a path."""
        expected = with_value(self._data, path, value, place=self._place_of)
        old = self.get(path)
        if same(old, value):
            return self
        with placed(self.where):
            text = self._added(path, value) if old is MISSING else self._exchanged(path, value)
        return verified(self._reread(text), [expected], self.where)

    def remove(self, path: Path, *, prune: int = 0) -> TomlText:
        """Take away the value at a path, and up to `prune` containers that it leaves empty."""
        text = self.text
        document = self
        while document.get(path) is not MISSING:
            text = without_place(text, place_of(path, document.data()))
            document = self._reread(text)
        if document is self:
            return self
        for length in reversed(range(max(len(path) - prune, 1), len(path))):
            text = self._pruned(text, path[:length])
        # Tables that no line says are gone with their last entry; ones with comments stay.
        expected = [without(self._data, path, prune=count) for count in range(len(path))]
        return verified(self._reread(text), expected, self.where)

    @cached_property
    def _data(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            raise ConfigurationError(
                "the values are nested too deeply",
                where=self.where,
                hint="nothing was changed",
            ) from None
        except ValueError as error:
            raise _unreadable(str(error), self.text, self.where) from None

    def _reread(self, text: str) -> TomlText:
        return reread(lambda changed: read(changed, where=self.where), text, self.where)

    def _place_of(self, path: Path) -> str:
        found = regions(self.text, place_of(path, self._data))
        return located(self.where, self.text, found[0].start if found else 0)

    def _exchanged(self, path: Path, value: object) -> str:
        """The text with another value where one is."""
        place = place_of(path, self._data)
        text = self._replaced(place, value)
        if text is None:  # in another form than the value can have: out with it, and in anew
            text = self._reread(without_place(self.text, place)).put(path, value).text
        return text

    def _replaced(self, place: Place, value: object) -> str | None:
        """The text with another value where one is; nothing when its form cannot hold it."""
        found = regions(self.text, place)
        first = found[0]
        if first.value is not None and first.place == place:
            return self.text[: first.value.start] + inline(value) + self.text[first.value.end :]
        if not isinstance(value, dict) or first.is_item:
            return None
        text = self.text
        for region in reversed(found[1:]):
            text = without_region(text, region)
        region = regions(text, place)[0]
        nests = len(found) > 1 or not (
            isinstance(place[-1], int) or _has_inline_tables(region.table)
        )
        style = replace(self._style(region.table), nests=nests)
        start, end = region.lines(text)
        if not region.is_table:
            keys = _keys(place[len(region.table.place) :])
            lines = dotted_lines(keys, value, style)
        elif region.place == place:
            start = line_end(text, region.table.header_end)
            lines = table_lines(_keys(place), value, style)
        else:
            lines = _table(place, value, style)
        return with_lines_replaced(text, start, end, lines, newline=newline_of(text))

    def _added(self, path: Path, value: object) -> str:
        depth = max(d for d in range(len(path)) if find(self._data, path[:d]) is not MISSING)
        place = place_of(path[:depth], self._data)
        found = regions(self.text, place)
        holder = next((r for r in found if r.place == place and r.value), None)
        steps, value = _folded(path[depth:], value)
        if holder is not None and holder.value is not None:
            return self._added_inline(holder, steps, value)
        if not isinstance(value, dict):
            return self._added_scalar(place, steps, value, found)
        lead = self._leading(place, found)
        if lead is not None:
            return self._added_line(lead, place, steps, value)
        return self._added_table(place, steps, value, found)

    def _added_inline(self, holder: Region, steps: Path, value: object) -> str:
        container = holder.value
        assert container is not None  # noqa: S101 - the caller has looked
        item = inline(with_value(MISSING, steps[1:], value) if steps[1:] else value)
        if isinstance(steps[0], str):
            item = f"{key_text(steps[0])} = {item}"
        return with_item(self.text, brackets(container), item, newline_of(self.text))

    def _leading(self, place: Place, found: list[Region]) -> Region | None:
        """The last neighbour, when neighbours stand on lines of their own below one header."""
        tables = [r for r in found if r.is_table and r.place != place]
        inside = [
            Region(r.table, (*r.table.place, *a.keys), a)
            for r in found
            if r.place == place and r.is_table
            for a in r.table.assignments
        ]
        near = [r for r in found if not r.is_table] + inside
        near = [r for r in near if len(r.place) > len(place) + 1 or (r.value and r.value.is_table)]
        return near[-1] if near and not tables and place else None

    def _added_line(self, lead: Region, place: Place, steps: Path, value: dict[str, Any]) -> str:
        keys = _keys((*place[len(lead.table.place) :], *_names(steps)))
        style = self._style(lead.table)
        is_dotted = len(lead.place) > len(place) + 1
        if isinstance(steps[-1], ByName):
            is_dotted, value = False, [value]  # type: ignore[assignment] # an array with one table
        if is_dotted:
            lines = dotted_lines(keys, value, style)
        else:
            lines = [f"{style.indent}{key_text(*keys)}{style.equals}{inline(value)}"]
        return self._with_lines(lead.lines(self.text)[1], lines, blank=False)

    def _added_scalar(self, place: Place, steps: Path, value: object, found: list[Region]) -> str:
        parents = (*place, *_names(steps[:-1]))
        keys = _names(steps[-1:])
        root = scan(self.text)[0]
        if not parents:
            return self._added_to_root(root, key_text(*keys), inline(value))
        table = next((r.table for r in found if r.is_table and r.place == parents), None)
        if table is not None:
            style = self._style(table)
            lines = dotted_lines(keys, value, style)
            return self._with_lines(line_end(self.text, table.end), lines, blank=False)
        dotted = [r for r in found if place and not r.is_table]
        if dotted:
            keys = _keys((*parents[len(dotted[-1].table.place) :], *keys))
            lines = dotted_lines(keys, value, self._style(dotted[-1].table))
            return self._with_lines(dotted[-1].lines(self.text)[1], lines, blank=False)
        return self._added_table(place, steps[:-1], {keys[0]: value}, found)

    def _added_to_root(self, root: Table, key: str, value: str) -> str:
        line = f"{key} = {value}"
        if root.assignments:
            return self._with_lines(line_end(self.text, root.end), [line], blank=False)
        if len(scan(self.text)) == 1:
            at = after_last_line(self.text, len(self.text))
            return self._with_lines(at, [line], blank=False)
        return self._with_lines(0, [line, ""], blank=False)

    def _added_table(
        self, place: Place, steps: Path, value: dict[str, Any], found: list[Region]
    ) -> str:
        tables = [r.table for r in found if r.is_table]
        if tables:
            at = after_comments(self.text, line_end(self.text, tables[-1].end))
        else:
            at = after_last_line(self.text, len(self.text))
        is_element = isinstance(steps[-1], ByName) if steps else False
        style = replace(
            self._style(_model(tables or scan(self.text), place)),
            nests=_has_nested_tables(tables, place)
            or not (is_element or any(_has_inline_tables(table) for table in tables)),
        )
        lines = _table((*place, *_names(steps)), value, style, is_element=is_element)
        return self._with_lines(at, lines, blank=style.blank)

    def _with_lines(self, at: int, lines: list[str], *, blank: bool) -> str:
        return with_lines(self.text, at, lines, newline=newline_of(self.text), blank=blank)

    def _pruned(self, text: str, path: Path) -> str:
        """The text without a container, if that is there, empty, and without comments."""
        data = self._reread(text).data()
        if find(data, path) not in ({}, []):
            return text
        place = place_of(path, data)
        for region in regions(text, place):
            start, end = region.lines(text)
            whole = (region.start, region.end)
            start, end = whole if region.is_item else (start, after_comments(text, end))
            if "#" in text[start:end]:
                return text
        return without_place(text, place)

    def _style(self, table: Table) -> TableStyle:
        """How a table looks, and those around it where that says more."""
        text = self.text
        tables = scan(text)
        headers = [
            t for t in tables if t.place and not is_blank(text, 0, line_start(text, t.start))
        ]
        gaps = [has_gap(text, t.start) for t in headers]
        style = TableStyle(
            header_indent=indent_at(text, table.start) if table.place else "",
            blank=any(gaps) or not gaps,
        )
        if not table.assignments:
            return style
        first = table.assignments[0]
        tight = text[first.key_end : first.value.start] == "="
        return replace(style, indent=indent_at(text, first.start), equals="=" if tight else " = ")


def _has_inline_tables(table: Table) -> bool:
    return any(a.value.is_table and a.value.items for a in table.assignments)


def _has_nested_tables(tables: list[Table], place: Place) -> bool:
    """Whether an entry has a header for a table of its own."""
    model = _model(tables, place) if tables else None
    return any(model and len(t.place) > len(model.place) for t in tables)


def _model(tables: list[Table], place: Place) -> Table:
    """The last entry of a table, to look like; without entries the table itself, or any."""
    entries = [t for t in tables if len(t.place) > len(place)] or tables
    shortest = min(len(t.place) for t in entries)
    return [t for t in entries if len(t.place) == shortest][-1]


def _keys(place: Place) -> tuple[str, ...]:
    """A place as headers say it: always about the last element of an array."""
    return tuple(step for step in place if isinstance(step, str))


def _names(steps: Path) -> tuple[str, ...]:
    return tuple(step for step in steps if isinstance(step, str))


def _table(
    place: Place, value: dict[str, Any], style: TableStyle, *, is_element: bool = False
) -> list[str]:
    keys = _keys(place)
    header = f"[[{key_text(*keys)}]]" if is_element else f"[{key_text(*keys)}]"
    return [f"{style.header_indent}{header}", *table_lines(keys, value, style)]


def _folded(steps: Path, value: object) -> tuple[Path, object]:
    """Steps up to the first one into a list, and the value with what comes after it."""
    for index, step in enumerate(steps):
        if isinstance(step, ByName):
            rest = steps[index + 1 :]
            inner = with_value({step.field: step.name}, rest, value) if rest else value
            return steps[: index + 1], inner
    return steps, value


def _unreadable(message: str, text: str, where: str) -> ConfigurationError:
    found = _PLACE.search(message)
    what = _PLACE.sub("", message)
    if not found:
        return _refused(what, where)
    lines = text.split("\n")
    line, column = int(found[1] or len(lines)), int(found[2] or len(lines[-1]) + 1)
    rest = lines[line - 1][column - 1 :].strip() if line <= len(lines) else ""
    if _SAYS_LITTLE.match(what):
        end = "the end of the line" if "".join(lines[line:]).strip() else "the end of the file"
        what = f"{what}, found {rest[:20] or end}"
    return _refused(what, f"{where}:{line}:{column}")


def _refused(what: str, place: str) -> ConfigurationError:
    return ConfigurationError(
        f"not TOML: {what}",
        where=place,
        hint="put it right by hand; nothing was changed",
    )
