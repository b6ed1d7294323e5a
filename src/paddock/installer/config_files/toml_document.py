"""TOML documents, edited as text.

In TOML, the same table can be written with a header, as dotted keys, or inline in braces. A new
table goes after the last table with the same parent, and is written in the same form. A table
without its own header (`mcp` in `[mcp.servers]`) is created and removed together with its content.
`toml_reader` locates values in the text, and `tomllib` verifies the data before and after a change.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from paddock.installer.config_files.data_changes import (
    FIX_BY_HAND_HINT,
    find_value,
    put_value,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    detect_newline,
)
from paddock.installer.config_files.editable_document import EditableDocument
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
    TomlValue,
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
    format_table_lines,
)
from paddock.toml_writer import format_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.installer.config_files.document import JsonDialect

_VAGUE_PARSER_MESSAGE = re.compile("Invalid|Expected|Un")
_POSITION_SUFFIX = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read(text: str, *, where: str, dialect: JsonDialect = "jsonc") -> TomlDocument:
    """Parse the text of a TOML file.

    Args:
        text: The text of the file.
        where: The path of the file, for errors.
        dialect: Not used. The readers of all formats have the same parameters.

    Raises:
        ConfigurationError: The text is not valid; `where` has line and column.
    """
    document = TomlDocument(text, where)
    _ = document.data  # parses the text, and raises an error if it is not valid
    return document


class TomlDocument(EditableDocument):
    """A TOML document."""

    @property
    def data(self) -> dict[str, Any]:
        """The data, which must not be modified."""
        return _parse_toml(self.text, self.where)

    def _parse(self, text: str) -> TomlDocument:
        return read(text, where=self.where)

    def _write_value(self, path: DocumentPath, value: object) -> str:
        if self.get(path) is MISSING:
            return self._add_value(path, value)
        return self._replace_value(path, value)

    def delete_text(self, path: DocumentPath) -> str:
        """Return the text without the value at a path."""
        return remove_path(self.text, resolve_path(path, self.data))

    def is_prunable(self, path: DocumentPath) -> bool:
        """Return whether the table or array at a path can be removed.

        It must be empty, with no comments in it or next to it.
        """
        if not path or self.get(path) not in ({}, []):
            return False
        for region in find_regions(self.text, resolve_path(path, self.data)):
            start, end = region.start, region.end
            if not region.is_item:
                start, end = region.get_line_range(self.text)
                end = skip_attached_comments(self.text, end)
            if "#" in self.text[start:end]:
                return False
        return True

    def _find_offset(self, path: DocumentPath) -> int:
        regions = find_regions(self.text, resolve_path(path, self.data))
        return regions[0].start if regions else 0

    def _replace_value(self, path: DocumentPath, value: object) -> str:
        """Return the text of the document with the value at a path replaced.

        The notation is kept if it can represent the new value. Otherwise, as when a table with a
        header becomes a number, the old value is removed and the new one is added.
        """
        toml_path = resolve_path(path, self.data)
        text = self._replace_in_same_form(toml_path, value)
        if text is None:
            text = self.reparse(remove_path(self.text, toml_path)).put(path, value).text
        return text

    def _replace_in_same_form(self, path: TomlPath, value: object) -> str | None:
        """Return the text with a value replaced in its current notation, or None if impossible.

        The text of a table can consist of several regions: its header with the lines below it,
        nested tables, and lines with dotted keys elsewhere. The first region is rewritten with the
        complete new value, and the others are removed.
        """
        regions = find_regions(self.text, path)
        first_region = regions[0]
        old_value = first_region.value
        if old_value is not None and first_region.path == path:
            return self.text[: old_value.start] + format_inline(value) + self.text[old_value.end :]
        if not isinstance(value, dict) or first_region.is_item:
            return None
        text = self.text
        for region in reversed(regions[1:]):
            text = remove_region(text, region)
        region = find_regions(text, path)[0]
        nests = len(regions) > 1 or not (
            isinstance(path[-1], int) or _has_inline_tables(region.table)
        )
        style = replace(self._detect_style(region.table), nests_tables=nests)
        start, end = region.get_line_range(text)
        if not region.is_table:
            keys = _filter_keys(path[len(region.table.path) :])
            lines = format_dotted_lines(keys, value, style)
        elif region.path == path:
            start = find_line_end(text, region.table.header_end)
            lines = format_table_lines(_filter_keys(path), value, style)
        else:
            lines = _format_table(path, value, style)
        return replace_lines(text, start, end, lines, newline=detect_newline(text))

    def _add_value(self, path: DocumentPath, value: object) -> str:
        """Return the text with a value added at a path that does not exist.

        The value is added to the innermost existing table or array, in the notation of its
        neighbours: an item between brackets, a line `key = value`, or a table with a header.
        """
        depth = max(
            depth
            for depth in range(len(path))
            if find_value(self.data, path[:depth]) is not MISSING
        )
        parent = resolve_path(path[:depth], self.data)
        regions = find_regions(self.text, parent)
        parent_values = (region.value for region in regions if region.path == parent)
        inline_parent = next((parent_value for parent_value in parent_values if parent_value), None)
        steps, value = _fold_steps_into_element(path[depth:], value)
        if inline_parent is not None:
            return self._add_inline_item(inline_parent, steps, value)
        if not isinstance(value, dict):
            return self._add_scalar(parent, steps, value, regions)
        neighbour = self._find_line_neighbour(parent, regions)
        if neighbour is not None:
            return self._add_line(neighbour, parent, steps, value)
        return self._add_table(parent, steps, value, regions)

    def _add_inline_item(self, container: TomlValue, steps: DocumentPath, value: object) -> str:
        """Return the text with an item added to an array `[…]` or an inline table `{…}`.

        Args:
            container: The array or inline table.
            steps: The path of the value below the container.
            value: The value.
        """
        item = format_inline(put_value(MISSING, steps[1:], value) if steps[1:] else value)
        if isinstance(steps[0], str):
            item = f"{format_key(steps[0])} = {item}"
        return append_item(
            self.text, to_bracketed_items(container), item, detect_newline(self.text)
        )

    def _find_line_neighbour(
        self, parent: TomlPath, regions: list[TomlRegion]
    ) -> TomlRegion | None:
        """Return the last table in a parent table whose tables are written as lines.

        Such a line is `charts = { … }` or `charts.command = "…"`. The result is None if the tables
        have headers such as `[servers.charts]`, or if the parent does not contain any tables.

        Args:
            parent: The path of the parent table.
            regions: The spans of the text that define the parent table.
        """
        if not parent or any(region.is_table and region.path != parent for region in regions):
            return None
        assignments = [
            TomlRegion(region.table, (*region.table.path, *assignment.keys), assignment)
            for region in regions
            if region.path == parent and region.is_table
            for assignment in region.table.assignments
        ]
        lines = [region for region in regions if not region.is_table] + assignments
        sibling_tables = [
            line
            for line in lines
            if len(line.path) > len(parent) + 1 or (line.value and line.value.is_table)
        ]
        return sibling_tables[-1] if sibling_tables else None

    def _add_line(
        self,
        neighbour: TomlRegion,
        parent: TomlPath,
        steps: DocumentPath,
        value: dict[str, Any],
    ) -> str:
        """Return the text with a table added as a line, or as lines with dotted keys.

        Args:
            neighbour: The table after which the new one is added, in the same notation.
            parent: The path of the table that contains both.
            steps: The path of the new table below the parent.
            value: The content of the new table.
        """
        keys = _filter_keys((*parent[len(neighbour.table.path) :], *_filter_keys(steps)))
        style = self._detect_style(neighbour.table)
        is_dotted = len(neighbour.path) > len(parent) + 1
        if isinstance(steps[-1], NamedElementStep):
            is_dotted, value = False, [value]  # type: ignore[assignment] # an array with one table
        if is_dotted:
            lines = format_dotted_lines(keys, value, style)
        else:
            lines = [f"{style.indent}{format_key(*keys)}{style.equals}{format_inline(value)}"]
        return self._insert_lines(neighbour.get_line_range(self.text)[1], lines)

    def _add_scalar(
        self, parent: TomlPath, steps: DocumentPath, value: object, regions: list[TomlRegion]
    ) -> str:
        """Return the text with a key added whose value is not a table.

        The key is added below the header of its table. If the table is only written as lines with
        dotted keys, another such line is added. A missing table is added with a header.

        Args:
            parent: The path of the innermost existing table.
            steps: The path of the value below this table.
            value: The value.
            regions: The spans of the text that define the existing table.
        """
        table_path = (*parent, *_filter_keys(steps[:-1]))
        keys = _filter_keys(steps[-1:])
        root = parse_tables(self.text)[0]
        if not table_path:
            return self._add_to_root(root, format_key(*keys), format_inline(value))
        tables = (region.table for region in regions if region.is_table)
        table = next((table for table in tables if table.path == table_path), None)
        if table is not None:
            style = self._detect_style(table)
            lines = format_dotted_lines(keys, value, style)
            return self._insert_lines(find_line_end(self.text, table.end), lines)
        dotted_lines = [region for region in regions if parent and not region.is_table]
        if dotted_lines:
            last = dotted_lines[-1]
            keys = _filter_keys((*table_path[len(last.table.path) :], *keys))
            lines = format_dotted_lines(keys, value, self._detect_style(last.table))
            return self._insert_lines(last.get_line_range(self.text)[1], lines)
        return self._add_table(parent, steps[:-1], {keys[0]: value}, regions)

    def _add_to_root(self, root: TomlTable, key: str, value: str) -> str:
        """Return the text with a line `key = value` added to the root table."""
        line = f"{key} = {value}"
        # The line must be above the first header. Below it, the key would belong to its table.
        if root.assignments:
            return self._insert_lines(find_line_end(self.text, root.end), [line])
        if len(parse_tables(self.text)) == 1:
            at = find_content_end(self.text, len(self.text))
            return self._insert_lines(at, [line])
        return self._insert_lines(0, [line, ""])

    def _add_table(
        self,
        parent: TomlPath,
        steps: DocumentPath,
        value: dict[str, Any],
        regions: list[TomlRegion],
    ) -> str:
        """Return the text with a table added after its last sibling, or at the end of the file.

        The table has a header such as `[servers.charts]`.

        Args:
            parent: The path of the innermost existing table.
            steps: The path of the new table below it.
            value: The content of the new table.
            regions: The spans of the text that define the existing table.
        """
        tables = [region.table for region in regions if region.is_table]
        if tables:
            # The new table is added after the comments that belong to the last one.
            at = skip_attached_comments(self.text, find_line_end(self.text, tables[-1].end))
        else:
            at = find_content_end(self.text, len(self.text))
        is_element = isinstance(steps[-1], NamedElementStep) if steps else False
        style = replace(
            self._detect_style(_select_model_table(tables or parse_tables(self.text), parent)),
            nests_tables=_has_nested_tables(tables, parent)
            or not (is_element or any(_has_inline_tables(table) for table in tables)),
        )
        lines = _format_table((*parent, *_filter_keys(steps)), value, style, is_element=is_element)
        return self._insert_lines(at, lines, blank=style.has_blank_lines)

    def _insert_lines(self, at: int, lines: list[str], *, blank: bool = False) -> str:
        return insert_lines(self.text, at, lines, newline=detect_newline(self.text), blank=blank)

    def _detect_style(self, table: TomlTable) -> TomlTableStyle:
        """Detect the style for new lines from a table and from the headers in the whole file."""
        text = self.text
        tables = parse_tables(text)
        # A header at the beginning of the file has no blank line above it in any style.
        headers = [
            other.start
            for other in tables
            if other.path and not is_blank(text, 0, find_line_start(text, other.start))
        ]
        have_blank_line = [has_blank_line_above(text, header) for header in headers]
        style = TomlTableStyle(
            header_indent=get_indent(text, table.start) if table.path else "",
            has_blank_lines=any(have_blank_line) or not have_blank_line,
        )
        if not table.assignments:
            return style
        first_assignment = table.assignments[0]
        has_spaces = text[first_assignment.key_end : first_assignment.value.start] != "="
        equals = " = " if has_spaces else "="
        return replace(style, indent=get_indent(text, first_assignment.start), equals=equals)


@lru_cache(maxsize=4)
def _parse_toml(text: str, where: str) -> dict[str, Any]:
    """Parse the text of a TOML file as data. The result is cached, so it must not be modified.

    Raises:
        ConfigurationError: The text is not valid; `where` has line and column.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigurationError(
            "the values are nested too deeply", where=where, hint=FIX_BY_HAND_HINT
        ) from None
    except ValueError as error:
        raise _make_parse_error(str(error), text, where) from None


def _has_inline_tables(table: TomlTable) -> bool:
    return any(
        assignment.value.is_table and assignment.value.items for assignment in table.assignments
    )


def _has_nested_tables(tables: list[TomlTable], parent: TomlPath) -> bool:
    """Return whether some entry has a nested table with a header."""
    model = _select_model_table(tables, parent) if tables else None
    return any(model and len(table.path) > len(model.path) for table in tables)


def _select_model_table(tables: list[TomlTable], parent: TomlPath) -> TomlTable:
    """Return the table whose style a new entry copies: the last entry, or any table otherwise."""
    entries = [table for table in tables if len(table.path) > len(parent)] or tables
    depth = min(len(table.path) for table in entries)
    return [table for table in entries if len(table.path) == depth][-1]


def _filter_keys(path: Iterable[object]) -> tuple[str, ...]:
    # Headers contain no indices, because they always refer to the last element of an array.
    return tuple(step for step in path if isinstance(step, str))


def _format_table(
    path: TomlPath, value: dict[str, Any], style: TomlTableStyle, *, is_element: bool = False
) -> list[str]:
    keys = _filter_keys(path)
    header = f"[[{format_key(*keys)}]]" if is_element else f"[{format_key(*keys)}]"
    return [f"{style.header_indent}{header}", *format_table_lines(keys, value, style)]


def _fold_steps_into_element(steps: DocumentPath, value: object) -> tuple[DocumentPath, object]:
    """Shorten a path so that it ends at the first element of a list on it.

    The steps after this element become keys of the value. For example, the path
    `("servers", NamedElementStep("charts"), "args")` with the value `[]` becomes
    `("servers", NamedElementStep("charts"))` with `{"name": "charts", "args": []}`.
    """
    for index, step in enumerate(steps):
        if isinstance(step, NamedElementStep):
            inner_steps = steps[index + 1 :]
            element = {step.field: step.name}
            return steps[: index + 1], (
                put_value(element, inner_steps, value) if inner_steps else value
            )
    return steps, value


def _make_parse_error(message: str, text: str, where: str) -> ConfigurationError:
    """Convert a syntax error reported by `tomllib`.

    The position in the message is moved into the location of the error. A message such as "Invalid
    value" is completed with the text at this position.

    Args:
        message: The message of `tomllib`, such as `Invalid value (at line 1, column 5)`.
        text: The text of the file.
        where: The path of the file.
    """
    position = _POSITION_SUFFIX.search(message)
    problem = _POSITION_SUFFIX.sub("", message)
    if not position:
        return _make_toml_error(problem, where)
    lines = text.split("\n")
    line, column = int(position[1] or len(lines)), int(position[2] or len(lines[-1]) + 1)
    line_rest = lines[line - 1][column - 1 :].strip() if line <= len(lines) else ""
    if _VAGUE_PARSER_MESSAGE.match(problem):
        end = "the end of the line" if "".join(lines[line:]).strip() else "the end of the file"
        problem = f"{problem}, found {line_rest[:20] or end}"
    return _make_toml_error(problem, f"{where}:{line}:{column}")


def _make_toml_error(problem: str, where: str) -> ConfigurationError:
    return ConfigurationError(f"not valid TOML: {problem}", where=where, hint=FIX_BY_HAND_HINT)
