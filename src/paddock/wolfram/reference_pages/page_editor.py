"""The operations of `EditSymbolDoc`: each changes one part of a page and nothing else.

The operations of `EditSymbolDocExamples`: on the examples of one section, or of a subsection.

An example is what stands between two delimiters. Those of a section are what comes before its first
subsection; subsections have their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.reference_pages.errors import (
    ExampleNotFoundError,
    InvalidContentError,
    InvalidOperationError,
    MissingContentError,
)
from paddock.wolfram.reference_pages.examples import (
    EXAMPLE_DELIMITER_STYLE,
    make_delimiter,
    make_example_cells,
    make_usage_content,
    parse_usage,
)
from paddock.wolfram.reference_pages.layout import (
    BASIC_EXAMPLES,
    BASIC_EXAMPLES_SECTION,
    EXAMPLE_SECTION_STYLE,
    EXAMPLE_SECTIONS,
    EXAMPLE_SUBSECTION_STYLE,
    EXTENDED_EXAMPLES_SECTION,
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
    get_heading_level,
    get_title,
    make_example_heading,
    normalize_title,
)
from paddock.wolfram.reference_pages.notebook_tree import CellBranch, CellLeaf
from paddock.wolfram.reference_pages.page_builder import (
    make_history_content,
    make_keyword_cells,
    parse_history,
)
from paddock.wolfram.reference_pages.prose import (
    PLACEHOLDER,
    TABLE_STYLE_SUFFIX,
    make_link_cells,
    make_note_cells,
    make_see_also,
)
from paddock.wolfram.reference_pages.symbol_page import (
    PageSection,
    SymbolPage,
    get_section_at,
    insert_in_order,
    is_placeholder,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reference_pages.examples import Example
    from paddock.wolfram.reference_pages.notebook_tree import CellElement


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
        place.branch.replace(place.position, place.position + 1, [])


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
    _set_cells(
        page,
        page.get_or_add_section(SEE_ALSO_SECTION),
        SECTIONS[SEE_ALSO_SECTION].style,
        content,
        at=0,
    )


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


class _ExampleGroup(NamedTuple):
    """One example on a page, with the line above it, which the first one has not."""

    elements: list[CellElement]
    line: CellElement | None = None


def _append_examples(
    groups: list[_ExampleGroup], made: list[_ExampleGroup], _position: int | None
) -> list[_ExampleGroup]:
    return [*groups, *made]


def _prepend_examples(
    groups: list[_ExampleGroup], made: list[_ExampleGroup], _position: int | None
) -> list[_ExampleGroup]:
    return [*made, *groups]


def _insert_examples(
    groups: list[_ExampleGroup], made: list[_ExampleGroup], position: int | None
) -> list[_ExampleGroup]:
    at = resolve_insertion_index(position, len(groups), 1)
    return [*groups[:at], *made, *groups[at:]]


def _replace_example(
    groups: list[_ExampleGroup], made: list[_ExampleGroup], position: int | None
) -> list[_ExampleGroup]:
    at = _resolve_example_index(position, len(groups))
    return [*groups[:at], *made, *groups[at + 1 :]]


def _set_examples(
    _groups: list[_ExampleGroup], made: list[_ExampleGroup], _position: int | None
) -> list[_ExampleGroup]:
    return made


def _resolve_example_index(position: int | None, count: int) -> int:
    """Which of so many is meant, counted from 0; -1 is the last."""
    if not count:
        raise ExampleNotFoundError("There are no examples here", hint="appendExample adds one")
    place = position or 1
    if place < 0:
        place += count + 1
    return min(max(place, 1), count) - 1


_EXAMPLE_OPERATION_HANDLERS: dict[
    str, Callable[[list[_ExampleGroup], list[_ExampleGroup], int | None], list[_ExampleGroup]]
] = {
    "appendExample": _append_examples,
    "prependExample": _prepend_examples,
    "insertExample": _insert_examples,
    "replaceExample": _replace_example,
    "removeExample": _replace_example,
    "clearExamples": _set_examples,
    "setExamples": _set_examples,
}
EXAMPLE_OPERATIONS = list(_EXAMPLE_OPERATION_HANDLERS)
"""The names of the operations."""
_OPERATIONS_WITH_POSITION = frozenset(("insertExample", "replaceExample", "removeExample"))
_OPERATIONS_WITHOUT_CONTENT = frozenset(("removeExample", "clearExamples"))
_WHOLE_SECTION_OPERATIONS = frozenset(("clearExamples", "setExamples"))
"""Operations on all that is in a section, subsections too."""
_EXISTING_EXAMPLE_OPERATIONS = frozenset(("replaceExample", "removeExample", "clearExamples"))


def check_example_operation(operation: str, content: str | None, position: int | None) -> str:
    """The content of an operation, empty for one that takes none.

    Raises:
        ReferencePageError: when there is no such operation, or it lacks a position or content.
    """
    check_operation(operation, EXAMPLE_OPERATIONS)
    if operation in _OPERATIONS_WITH_POSITION and position is None:
        raise InvalidOperationError(
            f"The operation {operation} needs `position`",
            hint="1 is the first example, -1 the last; for insertExample, -1 is after the last",
        )
    return "" if operation in _OPERATIONS_WITHOUT_CONTENT else check_content(operation, content)


def edit_examples(
    page: SymbolPage,
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
    if not examples and operation not in _OPERATIONS_WITHOUT_CONTENT:
        raise InvalidContentError("There is no example in the content")
    is_new = operation not in _EXISTING_EXAMPLE_OPERATIONS
    found = _get_section(page, section, is_made=is_new)
    if subsection is not None and subsection.strip():
        found = _get_subsection(page, found, subsection.strip(), is_made=is_new)
    found = _flatten_delimiter_groups(found)
    own = (
        len(found.body)
        if operation in _WHOLE_SECTION_OPERATIONS
        else _count_own_elements(found.body)
    )
    made = [_ExampleGroup(page.make_elements(make_example_cells(example))) for example in examples]
    groups = _EXAMPLE_OPERATION_HANDLERS[operation](
        _split_examples(found.body[:own]), made, position
    )
    rest = found.body[own:]
    if groups and all(map(is_placeholder, rest)):
        rest = []
    found.set_body([*_join_examples(page, groups), *rest])


def _get_section(page: SymbolPage, name: str, *, is_made: bool) -> PageSection:
    style, title = BASIC_EXAMPLES_SECTION, "Basic Examples"
    found = page.find_section(BASIC_EXAMPLES_SECTION) if name == BASIC_EXAMPLES else None
    if name != BASIC_EXAMPLES:
        style, title = EXAMPLE_SECTION_STYLE, EXAMPLE_SECTIONS[name]
        found = page.find_section(
            style, lambda leaf: normalize_title(get_title(leaf.cell)) == normalize_title(title)
        )
    if found is not None:
        return found
    if not is_made:
        raise ExampleNotFoundError(
            f"The page has no section {title!r}", hint="appendExample makes it"
        )
    if style == BASIC_EXAMPLES_SECTION:
        return page.get_or_add_section(BASIC_EXAMPLES_SECTION)
    made = page.make_elements([CellGroup([make_example_heading(title)])])
    insert_in_order(
        page.get_or_add_section(EXTENDED_EXAMPLES_SECTION), made, _get_section_rank, title
    )
    return _get_section(page, name, is_made=False)


def _get_section_rank(found: CellElement | str) -> int | None:
    """The place of a section among those below "More Examples"."""
    if not isinstance(found, str):
        if found.style != EXAMPLE_SECTION_STYLE:
            return None
        found = _get_heading_title(found)
    keys = [normalize_title(title) for title in EXAMPLE_SECTIONS.values()]
    key = normalize_title(found)
    return keys.index(key) if key in keys else None


def _get_heading_title(element: CellElement) -> str:
    """The title of the heading that an element is, or begins with."""
    while isinstance(element, CellBranch):
        element = element.elements[0]
    return get_title(element.cell)


def _get_subsection(
    page: SymbolPage, section: PageSection, title: str, *, is_made: bool
) -> PageSection:
    places = [
        place for place in section.list_positions() if place.leaf.style == EXAMPLE_SUBSECTION_STYLE
    ]
    for place in places:
        if normalize_title(get_title(place.leaf.cell)) == normalize_title(title):
            return get_section_at(place)
    known = [get_title(place.leaf.cell) for place in places]
    if not is_made:
        raise ExampleNotFoundError(
            f"There is no subsection {title!r}",
            hint=f"the subsections are {', '.join(known)}"
            if known
            else "the section has no subsections",
        )
    made = make_example_heading(title, EXAMPLE_SUBSECTION_STYLE)
    for place in places:
        if get_title(place.leaf.cell) == PLACEHOLDER:
            place.leaf.set_content(made.content)
            return get_section_at(place)
    section.branch.replace(section.end, section.end, page.make_elements([CellGroup([made])]))
    longer = PageSection(section.branch, section.start, section.end + 1)
    return _get_subsection(page, longer, title, is_made=False)


def _flatten_delimiter_groups(section: PageSection) -> PageSection:
    """The same with delimiters beside their examples; some front ends make groups of both."""
    body: list[CellElement] = []
    waiting = section.body[::-1]
    while waiting:
        element = waiting.pop()
        if isinstance(element, CellBranch) and element.style == EXAMPLE_DELIMITER_STYLE:
            element.elements[0].lead = element.lead
            waiting += reversed(element.elements)
        else:
            body.append(element)
    if len(body) > len(section.body):
        section.set_body(body)
    return PageSection(section.branch, section.start, section.start + 1 + len(body))


def _count_own_elements(body: list[CellElement]) -> int:
    """How many elements come before the first subsection."""
    return next((at for at, one in enumerate(body) if get_heading_level(one.style)), len(body))


def _split_examples(elements: list[CellElement]) -> list[_ExampleGroup]:
    """The examples that elements make up; placeholders are none."""
    groups = [_ExampleGroup([])]
    for element in elements:
        if element.style == EXAMPLE_DELIMITER_STYLE:
            groups.append(_ExampleGroup([], element))
        else:
            groups[-1].elements.append(element)
    return [group for group in groups if not all(map(is_placeholder, group.elements))]


def _join_examples(page: SymbolPage, groups: list[_ExampleGroup]) -> list[CellElement]:
    """Examples with a line between each two."""
    elements: list[CellElement] = []
    for group in groups:
        if elements:
            elements += (
                [group.line] if group.line is not None else page.make_elements([make_delimiter()])
            )
        elements += group.elements
    return elements
