"""The operations of `EditSymbolDoc`: each changes one part of a page and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.model import Cell
from paddock.wolfram.reference_pages.building import (
    make_history_content,
    make_keyword_cells,
    parse_history,
)
from paddock.wolfram.reference_pages.failures import (
    InvalidContentError,
    InvalidOperationError,
    MissingContentError,
)
from paddock.wolfram.reference_pages.layout import (
    GUIDES_SECTION,
    HISTORY_STYLE,
    KEYWORDS_SECTION,
    METADATA_SECTION,
    NOTES_STYLE,
    OBJECT_NAME_STYLE,
    RELATED_LINKS_SECTION,
    SECTIONS,
    SEE_ALSO_SECTION,
    TECH_NOTES_SECTION,
    USAGE_STYLE,
)
from paddock.wolfram.reference_pages.page import SymbolPage, PageSection, is_placeholder
from paddock.wolfram.reference_pages.prose import PLACEHOLDER, TABLE_STYLE_SUFFIX, make_link_cells, make_note_cells, make_see_also
from paddock.wolfram.reference_pages.tree import CellLeaf
from paddock.wolfram.reference_pages.usage import parse_usage, make_usage_content

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reference_pages.tree import CellElement


class PageEdit(NamedTuple):
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


def resolve_insertion_index(position: int | None, count: int, default: int) -> int:
    """Where to insert among so many, counted from 0; -1 is after the last."""
    place = default if position is None else position
    if place < 0:
        place += count + 2
    return min(max(place, 1), count + 1) - 1


def _set_usage(page: SymbolPage, change: PageEdit) -> None:
    content = make_usage_content(parse_usage(change.content), page.symbol, page.uri)
    title = page.get_or_add_section(OBJECT_NAME_STYLE)
    _set_cells(page, title, USAGE_STYLE, content, at=0)


def _set_cells(
    page: SymbolPage, section: PageSection, style: str, content: str | Expression, at: int
) -> None:
    """Have one cell of a style in a section: the first that is there, or a new one."""
    leaves = [place for place in section.list_positions() if place.leaf.style == style]
    if not leaves:
        body = section.body
        body[at:at] = page.make_elements([Cell(content, style)])
        section.set_body(body)
        return
    leaves[0].leaf.set_content(content)
    for place in reversed(leaves[1:]):
        place.branch.replace(place.index, place.index + 1, [])


def _get_notes_section(page: SymbolPage) -> PageSection:
    """What follows the usage in the group of the title, as if the usage were its heading."""
    title = page.get_or_add_section(OBJECT_NAME_STYLE)
    start = title.start
    for index, element in enumerate(title.body, start=title.start + 1):
        if element.style == USAGE_STYLE:
            start = index
    return PageSection(title.branch, start, title.end)


def _set_notes(page: SymbolPage, change: PageEdit) -> None:
    made = make_note_cells(change.content) or [Cell(PLACEHOLDER, NOTES_STYLE)]
    _get_notes_section(page).set_body(page.make_elements(made))


def _add_note(page: SymbolPage, change: PageEdit) -> None:
    _insert_notes(page, change, make_note_cells(change.content), "There is no note in the content")


def _insert_notes(page: SymbolPage, change: PageEdit, made: list[Cell], fault: str) -> None:
    if not made:
        raise InvalidContentError(fault, hint="headings are no notes; write paragraphs or items")
    section = _get_notes_section(page)
    body = [element for element in section.body if not is_placeholder(element)]
    at = resolve_insertion_index(change.position, len(body), 1)
    body[at:at] = page.make_elements(made)
    section.set_body(body)


def _set_details_table(page: SymbolPage, change: PageEdit) -> None:
    """Put a table where one is, or at a position; other notes stay."""
    made = make_note_cells(change.content)
    if not any(cell.style.endswith(TABLE_STYLE_SUFFIX) for cell in made):
        raise InvalidContentError(
            "There is no table in the content", hint="write one in markdown: | a | b |"
        )
    section = _get_notes_section(page)
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
    body[tables[0] : tables[0] + 1] = page.make_elements(made)
    section.set_body(body)


def _is_table(element: CellElement) -> bool:
    return isinstance(element, CellLeaf) and TABLE_STYLE_SUFFIX in element.style


def _set_see_also(page: SymbolPage, change: PageEdit) -> None:
    content = make_see_also(change.content, change.target)
    _set_cells(page, page.get_or_add_section(SEE_ALSO_SECTION), SECTIONS[SEE_ALSO_SECTION].style, content, at=0)


def _make_link_setter(style: str) -> Callable[[SymbolPage, PageEdit], None]:
    def set_links(page: SymbolPage, change: PageEdit) -> None:
        made = make_link_cells(change.content, SECTIONS[style].style)
        page.get_or_add_section(style).set_body(page.make_elements(made))

    return set_links


def _set_keywords(page: SymbolPage, change: PageEdit) -> None:
    section = page.get_or_add_section(KEYWORDS_SECTION)
    kept = [element for element in section.body if element.style != "Keywords"]
    section.set_body([*page.make_elements(make_keyword_cells(change.content)), *kept])


def _set_history(page: SymbolPage, change: PageEdit) -> None:
    content = make_history_content(parse_history(change.content))
    _set_cells(page, page.get_or_add_section(METADATA_SECTION), HISTORY_STYLE, content, at=0)


_PAGE_OPERATION_HANDLERS: dict[str, Callable[[SymbolPage, PageEdit], None]] = {
    "setUsage": _set_usage,
    "setNotes": _set_notes,
    "addNote": _add_note,
    "setDetailsTable": _set_details_table,
    "setSeeAlso": _set_see_also,
    "setTechNotes": _make_link_setter(TECH_NOTES_SECTION),
    "setRelatedGuides": _make_link_setter(GUIDES_SECTION),
    "setRelatedLinks": _make_link_setter(RELATED_LINKS_SECTION),
    "setKeywords": _set_keywords,
    "setHistory": _set_history,
}
PAGE_OPERATIONS = list(_PAGE_OPERATION_HANDLERS)
"""The names of the operations."""
_OPERATIONS_WITH_TEXT = frozenset(("addNote", "setDetailsTable", "setHistory"))
"""Operations for which an empty content means nothing."""


def edit_page(
    page: SymbolPage,
    operation: str,
    content: str | None,
    position: int | None,
    target: Callable[[str], str],
) -> None:
    """Change a page; `target` says where related symbols have their pages.

    Raises:
        ReferencePageError: when the operation is not known, or its content is not what it takes.
    """
    check_operation(operation, PAGE_OPERATIONS)
    given = check_content(operation, content, may_be_empty=operation not in _OPERATIONS_WITH_TEXT)
    _PAGE_OPERATION_HANDLERS[operation](page, PageEdit(given, position, target))
