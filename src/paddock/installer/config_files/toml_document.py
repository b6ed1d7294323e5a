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

from paddock.installer.config_files.data_changes import (
    add_error_location,
    check_change,
    find_value,
    is_same_data,
    put_value,
    remove_value,
    reparse,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    detect_newline,
    format_location,
)
from paddock.installer.config_files.line_edits import (
    append_item,
    find_content_end,
    find_line_end,
    find_line_start,
    get_indent,
    has_blank_line_above,
    insert_lines,
    is_blank,
    replace_lines,
    skip_attached_comments,
)
from paddock.installer.config_files.toml_reader import (
    TomlPath,
    TomlRegion,
    TomlTable,
    find_regions,
    parse_tables,
    remove_path,
    remove_region,
    resolve_path,
    to_bracketed_items,
)
from paddock.installer.config_files.toml_writer import (
    TomlTableStyle,
    format_dotted_lines,
    format_inline,
    format_key,
    format_table_lines,
)

if TYPE_CHECKING:
    from paddock.installer.config_files.document import JsonDialect

_VAGUE_PARSER_MESSAGE = re.compile("Invalid|Expected|Un")
_POSITION_SUFFIX = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read(text: str, *, where: str, dialect: JsonDialect = "jsonc") -> TomlDocument:
    """Parse a text; an empty one is a document without entries.

    Raises:
        ConfigurationError: when it is not TOML, with line and column.
    """
    document = TomlDocument(text, where)
    document.to_data()
    return document


@dataclass(frozen=True)
class TomlDocument:
    """A TOML document; see `document.Document`."""

    text: str
    where: str

    def to_data(self) -> dict[str, Any]:
        """What the text says."""
        return self._parsed_data

    def get(self, path: DocumentPath) -> object:
        """What stands at a path, or `MISSING`."""
        return find_value(self._parsed_data, path)

    def put(self, path: DocumentPath, value: object) -> TomlDocument:
        """Add or replace just the value at a path."""
        expected = put_value(self._parsed_data, path, value, place=self._format_location)
        old = self.get(path)
        if is_same_data(old, value):
            return self
        with add_error_location(self.where):
            text = (
                self._add_value(path, value) if old is MISSING else self._replace_value(path, value)
            )
        return check_change(self._reparse(text), [expected], self.where)

    def remove(self, path: DocumentPath, *, prune: int = 0) -> TomlDocument:
        """Take away the value at a path, and up to `prune` containers that it leaves empty."""
        text = self.text
        document = self
        while document.get(path) is not MISSING:
            text = remove_path(text, resolve_path(path, document.to_data()))
            document = self._reparse(text)
        if document is self:
            return self
        for length in reversed(range(max(len(path) - prune, 1), len(path))):
            text = self._prune_container(text, path[:length])
        # Tables that no line says are gone with their last entry; ones with comments stay.
        expected = [
            remove_value(self._parsed_data, path, prune=count) for count in range(len(path))
        ]
        return check_change(self._reparse(text), expected, self.where)

    @cached_property
    def _parsed_data(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            raise ConfigurationError(
                "the values are nested too deeply",
                where=self.where,
                hint="nothing was changed",
            ) from None
        except ValueError as error:
            raise _make_parse_error(str(error), self.text, self.where) from None

    def _reparse(self, text: str) -> TomlDocument:
        return reparse(lambda changed: read(changed, where=self.where), text, self.where)

    def _format_location(self, path: DocumentPath) -> str:
        found = find_regions(self.text, resolve_path(path, self._parsed_data))
        return format_location(self.where, self.text, found[0].start if found else 0)

    def _replace_value(self, path: DocumentPath, value: object) -> str:
        """The text with another value where one is."""
        place = resolve_path(path, self._parsed_data)
        text = self._replace_in_same_form(place, value)
        if text is None:  # in another form than the value can have: out with it, and in anew
            text = self._reparse(remove_path(self.text, place)).put(path, value).text
        return text

    def _replace_in_same_form(self, place: TomlPath, value: object) -> str | None:
        """The text with another value where one is; nothing when its form cannot hold it."""
        found = find_regions(self.text, place)
        first = found[0]
        if first.value is not None and first.path == place:
            return (
                self.text[: first.value.start] + format_inline(value) + self.text[first.value.end :]
            )
        if not isinstance(value, dict) or first.is_item:
            return None
        text = self.text
        for region in reversed(found[1:]):
            text = remove_region(text, region)
        region = find_regions(text, place)[0]
        nests = len(found) > 1 or not (
            isinstance(place[-1], int) or _has_inline_tables(region.table)
        )
        style = replace(self._detect_style(region.table), nests=nests)
        start, end = region.get_line_range(text)
        if not region.is_table:
            keys = _filter_keys(place[len(region.table.path) :])
            lines = format_dotted_lines(keys, value, style)
        elif region.path == place:
            start = find_line_end(text, region.table.header_end)
            lines = format_table_lines(_filter_keys(place), value, style)
        else:
            lines = _format_table(place, value, style)
        return replace_lines(text, start, end, lines, newline=detect_newline(text))

    def _add_value(self, path: DocumentPath, value: object) -> str:
        depth = max(
            d for d in range(len(path)) if find_value(self._parsed_data, path[:d]) is not MISSING
        )
        place = resolve_path(path[:depth], self._parsed_data)
        found = find_regions(self.text, place)
        holder = next((r for r in found if r.path == place and r.value), None)
        steps, value = _fold_list_step(path[depth:], value)
        if holder is not None and holder.value is not None:
            return self._add_inline_item(holder, steps, value)
        if not isinstance(value, dict):
            return self._add_scalar(place, steps, value, found)
        lead = self._find_leading_region(place, found)
        if lead is not None:
            return self._add_line(lead, place, steps, value)
        return self._add_table(place, steps, value, found)

    def _add_inline_item(self, holder: TomlRegion, steps: DocumentPath, value: object) -> str:
        container = holder.value
        assert container is not None  # noqa: S101 - the caller has looked
        item = format_inline(put_value(MISSING, steps[1:], value) if steps[1:] else value)
        if isinstance(steps[0], str):
            item = f"{format_key(steps[0])} = {item}"
        return append_item(
            self.text, to_bracketed_items(container), item, detect_newline(self.text)
        )

    def _find_leading_region(self, place: TomlPath, found: list[TomlRegion]) -> TomlRegion | None:
        """The last neighbour, when neighbours stand on lines of their own below one header."""
        tables = [r for r in found if r.is_table and r.path != place]
        inside = [
            TomlRegion(r.table, (*r.table.path, *a.keys), a)
            for r in found
            if r.path == place and r.is_table
            for a in r.table.assignments
        ]
        near = [r for r in found if not r.is_table] + inside
        near = [r for r in near if len(r.path) > len(place) + 1 or (r.value and r.value.is_table)]
        return near[-1] if near and not tables and place else None

    def _add_line(
        self, lead: TomlRegion, place: TomlPath, steps: DocumentPath, value: dict[str, Any]
    ) -> str:
        keys = _filter_keys((*place[len(lead.table.path) :], *_filter_string_steps(steps)))
        style = self._detect_style(lead.table)
        is_dotted = len(lead.path) > len(place) + 1
        if isinstance(steps[-1], NamedElementStep):
            is_dotted, value = False, [value]  # type: ignore[assignment] # an array with one table
        if is_dotted:
            lines = format_dotted_lines(keys, value, style)
        else:
            lines = [f"{style.indent}{format_key(*keys)}{style.equals}{format_inline(value)}"]
        return self._insert_lines(lead.get_line_range(self.text)[1], lines, blank=False)

    def _add_scalar(
        self, place: TomlPath, steps: DocumentPath, value: object, found: list[TomlRegion]
    ) -> str:
        parents = (*place, *_filter_string_steps(steps[:-1]))
        keys = _filter_string_steps(steps[-1:])
        root = parse_tables(self.text)[0]
        if not parents:
            return self._add_to_root(root, format_key(*keys), format_inline(value))
        table = next((r.table for r in found if r.is_table and r.path == parents), None)
        if table is not None:
            style = self._detect_style(table)
            lines = format_dotted_lines(keys, value, style)
            return self._insert_lines(find_line_end(self.text, table.end), lines, blank=False)
        dotted = [r for r in found if place and not r.is_table]
        if dotted:
            keys = _filter_keys((*parents[len(dotted[-1].table.path) :], *keys))
            lines = format_dotted_lines(keys, value, self._detect_style(dotted[-1].table))
            return self._insert_lines(dotted[-1].get_line_range(self.text)[1], lines, blank=False)
        return self._add_table(place, steps[:-1], {keys[0]: value}, found)

    def _add_to_root(self, root: TomlTable, key: str, value: str) -> str:
        line = f"{key} = {value}"
        if root.assignments:
            return self._insert_lines(find_line_end(self.text, root.end), [line], blank=False)
        if len(parse_tables(self.text)) == 1:
            at = find_content_end(self.text, len(self.text))
            return self._insert_lines(at, [line], blank=False)
        return self._insert_lines(0, [line, ""], blank=False)

    def _add_table(
        self, place: TomlPath, steps: DocumentPath, value: dict[str, Any], found: list[TomlRegion]
    ) -> str:
        tables = [r.table for r in found if r.is_table]
        if tables:
            at = skip_attached_comments(self.text, find_line_end(self.text, tables[-1].end))
        else:
            at = find_content_end(self.text, len(self.text))
        is_element = isinstance(steps[-1], NamedElementStep) if steps else False
        style = replace(
            self._detect_style(_select_model_table(tables or parse_tables(self.text), place)),
            nests=_has_nested_tables(tables, place)
            or not (is_element or any(_has_inline_tables(table) for table in tables)),
        )
        lines = _format_table(
            (*place, *_filter_string_steps(steps)), value, style, is_element=is_element
        )
        return self._insert_lines(at, lines, blank=style.blank)

    def _insert_lines(self, at: int, lines: list[str], *, blank: bool) -> str:
        return insert_lines(self.text, at, lines, newline=detect_newline(self.text), blank=blank)

    def _prune_container(self, text: str, path: DocumentPath) -> str:
        """The text without a container, if that is there, empty, and without comments."""
        data = self._reparse(text).to_data()
        if find_value(data, path) not in ({}, []):
            return text
        place = resolve_path(path, data)
        for region in find_regions(text, place):
            start, end = region.get_line_range(text)
            whole = (region.start, region.end)
            start, end = whole if region.is_item else (start, skip_attached_comments(text, end))
            if "#" in text[start:end]:
                return text
        return remove_path(text, place)

    def _detect_style(self, table: TomlTable) -> TomlTableStyle:
        """How a table looks, and those around it where that says more."""
        text = self.text
        tables = parse_tables(text)
        headers = [
            t for t in tables if t.path and not is_blank(text, 0, find_line_start(text, t.start))
        ]
        gaps = [has_blank_line_above(text, t.start) for t in headers]
        style = TomlTableStyle(
            header_indent=get_indent(text, table.start) if table.path else "",
            blank=any(gaps) or not gaps,
        )
        if not table.assignments:
            return style
        first = table.assignments[0]
        tight = text[first.key_end : first.value.start] == "="
        return replace(style, indent=get_indent(text, first.start), equals="=" if tight else " = ")


def _has_inline_tables(table: TomlTable) -> bool:
    return any(a.value.is_table and a.value.items for a in table.assignments)


def _has_nested_tables(tables: list[TomlTable], place: TomlPath) -> bool:
    """Whether an entry has a header for a table of its own."""
    model = _select_model_table(tables, place) if tables else None
    return any(model and len(t.path) > len(model.path) for t in tables)


def _select_model_table(tables: list[TomlTable], place: TomlPath) -> TomlTable:
    """The last entry of a table, to look like; without entries the table itself, or any."""
    entries = [t for t in tables if len(t.path) > len(place)] or tables
    shortest = min(len(t.path) for t in entries)
    return [t for t in entries if len(t.path) == shortest][-1]


def _filter_keys(place: TomlPath) -> tuple[str, ...]:
    """A place as headers say it: always about the last element of an array."""
    return tuple(step for step in place if isinstance(step, str))


def _filter_string_steps(steps: DocumentPath) -> tuple[str, ...]:
    return tuple(step for step in steps if isinstance(step, str))


def _format_table(
    place: TomlPath, value: dict[str, Any], style: TomlTableStyle, *, is_element: bool = False
) -> list[str]:
    keys = _filter_keys(place)
    header = f"[[{format_key(*keys)}]]" if is_element else f"[{format_key(*keys)}]"
    return [f"{style.header_indent}{header}", *format_table_lines(keys, value, style)]


def _fold_list_step(steps: DocumentPath, value: object) -> tuple[DocumentPath, object]:
    """Steps up to the first one into a list, and the value with what comes after it."""
    for index, step in enumerate(steps):
        if isinstance(step, NamedElementStep):
            rest = steps[index + 1 :]
            inner = put_value({step.field: step.name}, rest, value) if rest else value
            return steps[: index + 1], inner
    return steps, value


def _make_parse_error(message: str, text: str, where: str) -> ConfigurationError:
    found = _POSITION_SUFFIX.search(message)
    what = _POSITION_SUFFIX.sub("", message)
    if not found:
        return _make_toml_error(what, where)
    lines = text.split("\n")
    line, column = int(found[1] or len(lines)), int(found[2] or len(lines[-1]) + 1)
    rest = lines[line - 1][column - 1 :].strip() if line <= len(lines) else ""
    if _VAGUE_PARSER_MESSAGE.match(what):
        end = "the end of the line" if "".join(lines[line:]).strip() else "the end of the file"
        what = f"{what}, found {rest[:20] or end}"
    return _make_toml_error(what, f"{where}:{line}:{column}")


def _make_toml_error(what: str, place: str) -> ConfigurationError:
    return ConfigurationError(
        f"not TOML: {what}",
        where=place,
        hint="put it right by hand; nothing was changed",
    )
