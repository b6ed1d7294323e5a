"""Which parts of a TOML text say what stands at one place.

A table may be written as a header with lines below it, as an inline table, as dotted keys, or
spread over several of these. Each such part is a region; together they are all there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from paddock.clients.editing.comma_items import BracketedItems, remove_item
from paddock.clients.editing.document import NamedElementStep, DocumentPath
from paddock.clients.editing.lines import find_line_end, find_line_start, remove_lines
from paddock.clients.editing.toml_spans import TomlAssignment, TomlPath, TomlTable, TomlValue, parse_tables


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
