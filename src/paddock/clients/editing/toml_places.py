"""Which parts of a TOML text say what stands at one place.

A table may be written as a header with lines below it, as an inline table, as dotted keys, or
spread over several of these. Each such part is a region; together they are all there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from paddock.clients.editing.comma_items import Brackets, without_item
from paddock.clients.editing.document import ByName, Path
from paddock.clients.editing.lines import line_end, line_start, without_lines
from paddock.clients.editing.toml_spans import Assignment, Place, Table, Value, scan


@dataclass(frozen=True)
class Region:
    """A table with its lines, an assignment in a table, or an item between brackets."""

    table: Table
    place: Place
    """The way to what the region says; it may be longer than the one that was looked for."""
    assignment: Assignment | None = None
    container: Value | None = None
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
    def value(self) -> Value | None:
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

    def lines(self, text: str) -> tuple[int, int]:
        """The whole lines that it takes; only for what does not stand between brackets."""
        return line_start(text, self.start), line_end(text, self.end)


def place_of(path: Path, data: object) -> Place:
    """A path with the elements of lists as indices; it has to be in the data."""
    place: Place = ()
    for step in path:
        if isinstance(step, ByName):
            elements = data if isinstance(data, list) else []
            index = max(i for i, element in enumerate(elements) if step.matches(element))
            place, data = (*place, index), elements[index]
        else:
            place, data = (*place, step), data[step] if isinstance(data, dict) else None
    return place


def regions(text: str, place: Place) -> list[Region]:
    """All parts that say what stands at a place, in the order of the text."""
    found: list[Region] = []
    for table in scan(text):
        if place and _begins(table.place, place):
            found.append(Region(table, table.place))
            continue
        for assignment in table.assignments:
            full = (*table.place, *assignment.keys)
            if _begins(full, place):
                found.append(Region(table, full, assignment))
            elif _begins(place, full):
                found += _items(Region(table, full, assignment), place)
    return found


def without_place(text: str, place: Place) -> str:
    """The text without all that says something about a place."""
    for index in reversed(range(len(regions(text, place)))):
        text = without_region(text, regions(text, place)[index])
    return text


def without_region(text: str, region: Region) -> str:
    """The text without one region."""
    if region.container is not None:
        return without_item(text, brackets(region.container), region.index)
    start, end = region.lines(text)
    return without_lines(text, start, end, is_first=not text[:start].strip())


def brackets(value: Value) -> Brackets:
    """An array or inline table as `comma_items` sees it."""
    return Brackets(
        value.start, value.end, tuple((item.start, item.value.end) for item in value.items)
    )


def _items(region: Region, place: Place) -> list[Region]:
    """The items within a value that are at a place or below it."""
    value = region.value
    found: list[Region] = []
    for index, item in enumerate(value.items if value else ()):
        full = (*region.place, *(item.keys or (index,)))
        inner = Region(region.table, full, region.assignment, value, index)
        if _begins(full, place):
            found.append(inner)
        elif _begins(place, full):
            found += _items(inner, place)
    return found


def _begins(longer: Place, shorter: Place) -> bool:
    return longer[: len(shorter)] == shorter
