"""The operations of `EditSymbolDoc`: each changes one part of a page and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.model import Cell
from paddock.wolfram.reference_pages.building import (
    history_content,
    keyword_cells,
    read_history,
)
from paddock.wolfram.reference_pages.failures import (
    InvalidContentError,
    InvalidOperationError,
    MissingContentError,
)
from paddock.wolfram.reference_pages.layout import (
    GUIDES,
    HISTORY,
    KEYWORDS,
    METADATA,
    NOTES,
    OBJECT_NAME,
    RELATED_LINKS,
    SECTIONS,
    SEE_ALSO,
    TECH_NOTES,
    USAGE,
)
from paddock.wolfram.reference_pages.page import Page, Section, is_placeholder
from paddock.wolfram.reference_pages.prose import PLACEHOLDER, TABLE, links, notes, see_also
from paddock.wolfram.reference_pages.tree import Leaf
from paddock.wolfram.reference_pages.usage import read_usage, usage_content

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reference_pages.tree import Element


class Change(NamedTuple):
    """What is to be put on a page, and where."""

    content: str
    position: int | None
    target: Callable[[str], str]
    """Where a symbol has its page."""


def check_operation(operation: str, operations: list[str]) -> None:
    """Go on only if there is such an operation.

    Raises:
        InvalidOperationError: when there is none.
    """
    if operation not in operations:
        raise InvalidOperationError(
            f"There is no operation {operation!r}",
            hint=did_you_mean(operation, operations) or f"one of {', '.join(operations)}",
        )


def check_content(operation: str, content: str | None, *, may_be_empty: bool = False) -> str:
    """Go on only if there is something to put on the page.

    Raises:
        MissingContentError: when there is nothing.
    """
    if content is None or not (may_be_empty or content.strip()):
        raise MissingContentError(f"The operation {operation} needs `content`")
    return content


def insertion(position: int | None, count: int, default: int) -> int:
    """Where to insert among so many, counted from 0; -1 is after the last."""
    place = default if position is None else position
    if place < 0:
        place += count + 2
    return min(max(place, 1), count + 1) - 1


def _set_usage(page: Page, change: Change) -> None:
    content = usage_content(read_usage(change.content), page.symbol, page.uri)
    title = page.section(OBJECT_NAME)
    _set_cells(page, title, USAGE, content, at=0)


def _set_cells(
    page: Page, section: Section, style: str, content: str | Expression, at: int
) -> None:
    """Have one cell of a style in a section: the first that is there, or a new one."""
    leaves = [place for place in section.places() if place.leaf.style == style]
    if not leaves:
        body = section.body
        body[at:at] = page.elements([Cell(content, style)])
        section.set_body(body)
        return
    leaves[0].leaf.set_content(content)
    for place in reversed(leaves[1:]):
        place.branch.replace(place.at, place.at + 1, [])


def _notes_of(page: Page) -> Section:
    """What follows the usage in the group of the title, as if the usage were its heading."""
    title = page.section(OBJECT_NAME)
    start = title.start
    for index, element in enumerate(title.body, start=title.start + 1):
        if element.style == USAGE:
            start = index
    return Section(title.branch, start, title.end)


def _set_notes(page: Page, change: Change) -> None:
    made = notes(change.content) or [Cell(PLACEHOLDER, NOTES)]
    _notes_of(page).set_body(page.elements(made))


def _add_note(page: Page, change: Change) -> None:
    _insert_notes(page, change, notes(change.content), "There is no note in the content")


def _insert_notes(page: Page, change: Change, made: list[Cell], fault: str) -> None:
    if not made:
        raise InvalidContentError(fault, hint="headings are no notes; write paragraphs or items")
    section = _notes_of(page)
    body = [element for element in section.body if not is_placeholder(element)]
    at = insertion(change.position, len(body), 1)
    body[at:at] = page.elements(made)
    section.set_body(body)


def _set_details_table(page: Page, change: Change) -> None:
    """Put a table where one is, or at a position; other notes stay."""
    made = notes(change.content)
    if not any(cell.style.endswith(TABLE) for cell in made):
        raise InvalidContentError(
            "There is no table in the content", hint="write one in markdown: | a | b |"
        )
    section = _notes_of(page)
    tables = [at for at, one in enumerate(section.body) if _is_table(one)]
    if change.position is not None or not tables:
        _insert_notes(page, change, made, "")
        return
    if len(tables) > 1:
        raise InvalidOperationError(
            f"There are {len(tables)} tables among the notes, so it is not clear which is meant",
            hint="give a position to insert a further one, or replace all notes with setNotes",
        )
    body = section.body
    body[tables[0] : tables[0] + 1] = page.elements(made)
    section.set_body(body)


def _is_table(element: Element) -> bool:
    return isinstance(element, Leaf) and TABLE in element.style


def _set_see_also(page: Page, change: Change) -> None:
    content = see_also(change.content, change.target)
    _set_cells(page, page.section(SEE_ALSO), SECTIONS[SEE_ALSO].style, content, at=0)


def _set_links(style: str) -> Callable[[Page, Change], None]:
    def set_links(page: Page, change: Change) -> None:
        made = links(change.content, SECTIONS[style].style)
        page.section(style).set_body(page.elements(made))

    return set_links


def _set_keywords(page: Page, change: Change) -> None:
    section = page.section(KEYWORDS)
    kept = [element for element in section.body if element.style != "Keywords"]
    section.set_body([*page.elements(keyword_cells(change.content)), *kept])


def _set_history(page: Page, change: Change) -> None:
    content = history_content(read_history(change.content))
    _set_cells(page, page.section(METADATA), HISTORY, content, at=0)


_OPERATIONS: dict[str, Callable[[Page, Change], None]] = {
    "setUsage": _set_usage,
    "setNotes": _set_notes,
    "addNote": _add_note,
    "setDetailsTable": _set_details_table,
    "setSeeAlso": _set_see_also,
    "setTechNotes": _set_links(TECH_NOTES),
    "setRelatedGuides": _set_links(GUIDES),
    "setRelatedLinks": _set_links(RELATED_LINKS),
    "setKeywords": _set_keywords,
    "setHistory": _set_history,
}
OPERATIONS = list(_OPERATIONS)
"""The names of the operations."""
_NEED_TEXT = frozenset(("addNote", "setDetailsTable", "setHistory"))
"""Operations for which an empty content means nothing."""


def edit_page(
    page: Page,
    operation: str,
    content: str | None,
    position: int | None,
    target: Callable[[str], str],
) -> None:
    """Change a page; `target` says where related symbols have their pages.

    Raises:
        ReferencePageError: when the operation is not known, or its content is not what it takes.
    """
    check_operation(operation, OPERATIONS)
    given = check_content(operation, content, may_be_empty=operation not in _NEED_TEXT)
    _OPERATIONS[operation](page, Change(given, position, target))
