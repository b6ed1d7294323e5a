"""The operations of `EditSymbolDocExamples`: on the examples of one section, or of a subsection.

An example is what stands between two delimiters. Those of a section are what comes before its first
subsection; subsections have their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.notebooks.model import Group
from paddock.wolfram.reference_pages.editing import check_content, check_operation, insertion
from paddock.wolfram.reference_pages.examples import DELIMITER, delimiter, example_cells
from paddock.wolfram.reference_pages.failures import (
    ExampleNotFoundError,
    InvalidContentError,
    InvalidOperationError,
)
from paddock.wolfram.reference_pages.layout import (
    BASIC,
    BASIC_EXAMPLES,
    EXAMPLE_SECTION,
    EXAMPLE_SECTIONS,
    EXAMPLE_SUBSECTION,
    EXTENDED,
    example_heading,
    key_of,
    level_of,
    title_of,
)
from paddock.wolfram.reference_pages.page import (
    Page,
    Section,
    insert_in_order,
    is_placeholder,
    section_at,
)
from paddock.wolfram.reference_pages.prose import PLACEHOLDER
from paddock.wolfram.reference_pages.tree import Branch

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.reference_pages.examples import Example
    from paddock.wolfram.reference_pages.tree import Element


class _Group(NamedTuple):
    """One example on a page, with the line above it, which the first one has not."""

    elements: list[Element]
    line: Element | None = None


def _appended(groups: list[_Group], made: list[_Group], _position: int | None) -> list[_Group]:
    return [*groups, *made]


def _prepended(groups: list[_Group], made: list[_Group], _position: int | None) -> list[_Group]:
    return [*made, *groups]


def _inserted(groups: list[_Group], made: list[_Group], position: int | None) -> list[_Group]:
    at = insertion(position, len(groups), 1)
    return [*groups[:at], *made, *groups[at:]]


def _replaced(groups: list[_Group], made: list[_Group], position: int | None) -> list[_Group]:
    at = _existing(position, len(groups))
    return [*groups[:at], *made, *groups[at + 1 :]]


def _set(_groups: list[_Group], made: list[_Group], _position: int | None) -> list[_Group]:
    return made


def _existing(position: int | None, count: int) -> int:
    """Which of so many is meant, counted from 0; -1 is the last."""
    if not count:
        raise ExampleNotFoundError("There are no examples here", hint="appendExample adds one")
    place = position or 1
    if place < 0:
        place += count + 1
    return min(max(place, 1), count) - 1


_OPERATIONS: dict[str, Callable[[list[_Group], list[_Group], int | None], list[_Group]]] = {
    "appendExample": _appended,
    "prependExample": _prepended,
    "insertExample": _inserted,
    "replaceExample": _replaced,
    "removeExample": _replaced,
    "clearExamples": _set,
    "setExamples": _set,
}
EXAMPLE_OPERATIONS = list(_OPERATIONS)
"""The names of the operations."""
_NEED_POSITION = frozenset(("insertExample", "replaceExample", "removeExample"))
_WITHOUT_CONTENT = frozenset(("removeExample", "clearExamples"))
_WHOLE = frozenset(("clearExamples", "setExamples"))
"""Operations on all that is in a section, subsections too."""
_ON_WHAT_IS_THERE = frozenset(("replaceExample", "removeExample", "clearExamples"))


def check_example_operation(operation: str, content: str | None, position: int | None) -> str:
    """The content of an operation, empty for one that takes none.

    Raises:
        ReferencePageError: when there is no such operation, or it lacks a position or content.
    """
    check_operation(operation, EXAMPLE_OPERATIONS)
    if operation in _NEED_POSITION and position is None:
        raise InvalidOperationError(
            f"The operation {operation} needs `position`",
            hint="1 is the first example, -1 the last; for insertExample, -1 is after the last",
        )
    return "" if operation in _WITHOUT_CONTENT else check_content(operation, content)


def edit_examples(
    page: Page,
    operation: str,
    section: str,
    examples: list[Example],
    *,
    position: int | None = None,
    subsection: str | None = None,
) -> None:
    """Change the examples of a section of a page, or of a subsection.

    Raises:
        ReferencePageError: when there is nothing to change, or nothing to put there.
    """
    if not examples and operation not in _WITHOUT_CONTENT:
        raise InvalidContentError("There is no example in the content")
    is_new = operation not in _ON_WHAT_IS_THERE
    found = _section(page, section, is_made=is_new)
    if subsection is not None and subsection.strip():
        found = _subsection(page, found, subsection.strip(), is_made=is_new)
    found = _ungrouped(found)
    own = len(found.body) if operation in _WHOLE else _own(found.body)
    made = [_Group(page.elements(example_cells(example))) for example in examples]
    groups = _OPERATIONS[operation](_groups(found.body[:own]), made, position)
    rest = found.body[own:]
    if groups and all(map(is_placeholder, rest)):
        rest = []
    found.set_body([*_together(page, groups), *rest])


def _section(page: Page, name: str, *, is_made: bool) -> Section:
    style, title = BASIC, "Basic Examples"
    found = page.find(BASIC) if name == BASIC_EXAMPLES else None
    if name != BASIC_EXAMPLES:
        style, title = EXAMPLE_SECTION, EXAMPLE_SECTIONS[name]
        found = page.find(style, lambda leaf: key_of(title_of(leaf.cell)) == key_of(title))
    if found is not None:
        return found
    if not is_made:
        raise ExampleNotFoundError(
            f"The page has no section {title!r}", hint="appendExample makes it"
        )
    if style == BASIC:
        return page.section(BASIC)
    made = page.elements([Group([example_heading(title)])])
    insert_in_order(page.section(EXTENDED), made, _rank, title)
    return _section(page, name, is_made=False)


def _rank(found: Element | str) -> int | None:
    """The place of a section among those below "More Examples"."""
    if not isinstance(found, str):
        if found.style != EXAMPLE_SECTION:
            return None
        found = _title(found)
    keys = [key_of(title) for title in EXAMPLE_SECTIONS.values()]
    key = key_of(found)
    return keys.index(key) if key in keys else None


def _title(element: Element) -> str:
    """The title of the heading that an element is, or begins with."""
    while isinstance(element, Branch):
        element = element.elements[0]
    return title_of(element.cell)


def _subsection(page: Page, section: Section, title: str, *, is_made: bool) -> Section:
    places = [place for place in section.places() if place.leaf.style == EXAMPLE_SUBSECTION]
    for place in places:
        if key_of(title_of(place.leaf.cell)) == key_of(title):
            return section_at(place)
    known = [title_of(place.leaf.cell) for place in places]
    if not is_made:
        raise ExampleNotFoundError(
            f"There is no subsection {title!r}",
            hint=f"the subsections are {', '.join(known)}"
            if known
            else "the section has no subsections",
        )
    made = example_heading(title, EXAMPLE_SUBSECTION)
    for place in places:
        if title_of(place.leaf.cell) == PLACEHOLDER:
            place.leaf.set_content(made.content)
            return section_at(place)
    section.branch.replace(section.end, section.end, page.elements([Group([made])]))
    longer = Section(section.branch, section.start, section.end + 1)
    return _subsection(page, longer, title, is_made=False)


def _ungrouped(section: Section) -> Section:
    """The same with delimiters beside their examples; some front ends make groups of both."""
    body: list[Element] = []
    waiting = section.body[::-1]
    while waiting:
        element = waiting.pop()
        if isinstance(element, Branch) and element.style == DELIMITER:
            element.elements[0].lead = element.lead
            waiting += reversed(element.elements)
        else:
            body.append(element)
    if len(body) > len(section.body):
        section.set_body(body)
    return Section(section.branch, section.start, section.start + 1 + len(body))


def _own(body: list[Element]) -> int:
    """How many elements come before the first subsection."""
    return next((at for at, one in enumerate(body) if level_of(one.style)), len(body))


def _groups(elements: list[Element]) -> list[_Group]:
    """The examples that elements make up; placeholders are none."""
    groups = [_Group([])]
    for element in elements:
        if element.style == DELIMITER:
            groups.append(_Group([], element))
        else:
            groups[-1].elements.append(element)
    return [group for group in groups if not all(map(is_placeholder, group.elements))]


def _together(page: Page, groups: list[_Group]) -> list[Element]:
    """Examples with a line between each two."""
    elements: list[Element] = []
    for group in groups:
        if elements:
            elements += [group.line] if group.line is not None else page.elements([delimiter()])
        elements += group.elements
    return elements
