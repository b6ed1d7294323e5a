"""Operations that edit a reference page or its examples.

Page operations change one part of a page. Example operations change the examples of a section or
subsection. Delimiters separate examples, and the examples of a section end at its first subsection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.reference_pages import layout
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
    make_see_also_content,
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

_OPERATIONS_WITH_TEXT = frozenset(("addNote", "setDetailsTable", "setHistory"))
"""Operations that require non-blank content."""
_OPERATIONS_WITH_POSITION = frozenset(("insertExample", "replaceExample", "removeExample"))
_OPERATIONS_WITHOUT_CONTENT = frozenset(("removeExample", "clearExamples"))
_WHOLE_SECTION_OPERATIONS = frozenset(("clearExamples", "setExamples"))
"""Operations on a whole section, including its subsections."""
_EXISTING_EXAMPLE_OPERATIONS = frozenset(("replaceExample", "removeExample", "clearExamples"))


class PageEdit(NamedTuple):
    """The arguments of an operation that edits a reference page."""

    content: str
    """The Markdown content."""
    position: int | None
    resolve_link: Callable[[str], str]
    """A function that returns the link target for the name of a symbol."""


def check_operation(operation: str, operations: list[str]) -> None:
    """Raise an error if an edit operation such as `addNote` does not exist.

    Args:
        operation: The name of the operation.
        operations: The names of all operations.

    Raises:
        InvalidOperationError: The operation does not exist.
    """
    if operation not in operations:
        raise InvalidOperationError(
            f"There is no operation {operation!r}",
            hint=did_you_mean(operation, operations) or f"use one of {', '.join(operations)}",
        )


def check_content(operation: str, content: str | None, *, may_be_empty: bool = False) -> str:
    """Return the content of an edit operation, which must not be missing.

    Args:
        operation: The name of the operation, for the error.
        content: The content.
        may_be_empty: Accept content that is empty or blank.

    Raises:
        MissingContentError: The content is missing or blank.
    """
    if content is None or not (may_be_empty or content.strip()):
        raise MissingContentError(f"The operation {operation} needs `content`")
    return content


def resolve_insertion_index(position: int | None, count: int, default: int) -> int:
    """Convert a position that the user specified to the list index at which to insert an item.

    Args:
        position: The position, starting at 1. Negative ones count from the end: -1 inserts after
            the last item. Out-of-range positions insert before the first or after the last item.
        count: The number of items in the list.
        default: The position if none is given.
    """
    insertion_position = default if position is None else position
    if insertion_position < 0:
        insertion_position += count + 2
    return min(max(insertion_position, 1), count + 1) - 1


def _set_usage(page: SymbolPage, edit: PageEdit) -> None:
    """Replace the usage."""
    content = make_usage_content(parse_usage(edit.content), page.symbol, page.uri)
    _set_cells(page, layout.OBJECT_NAME_STYLE, layout.USAGE_STYLE, content)


def _set_cells(page: SymbolPage, heading: str, style: str, content: str | Expression) -> None:
    """Replace all cells with a given style in a page section with one new cell.

    If no cell has the style, the new cell is inserted at the beginning of the section.

    Args:
        page: The page to edit.
        heading: The style of the section's heading.
        style: The style of the cells to replace.
        content: The content of the new cell.
    """
    section = page.get_or_add_section(heading)
    positions = [position for position in section.list_positions() if position.leaf.style == style]
    if not positions:
        section.set_body([*page.make_elements([Cell(content, style)]), *section.body])
        return
    positions[0].leaf.set_content(content)
    # Iterate in reverse, because removing an element shifts the indices after it.
    for position in reversed(positions[1:]):
        position.branch.replace(position.position, position.position + 1, [])


def _get_notes_section(page: SymbolPage) -> PageSection:
    """Return the notes as a section whose heading is the usage cell."""
    branch, start, end = page.get_or_add_section(layout.OBJECT_NAME_STYLE)
    for index in range(start, end):
        if branch.elements[index].style == layout.USAGE_STYLE:
            start = index
    return PageSection(branch, start, end)


def _set_notes(page: SymbolPage, edit: PageEdit) -> None:
    """Replace all notes."""
    cells = make_note_cells(edit.content) or [Cell(PLACEHOLDER, layout.NOTES_STYLE)]
    _get_notes_section(page).set_body(page.make_elements(cells))


def _add_note(page: SymbolPage, edit: PageEdit) -> None:
    """Insert notes."""
    _insert_notes(page, edit, make_note_cells(edit.content), "The content contains no note")


def _insert_notes(page: SymbolPage, edit: PageEdit, cells: list[Cell], error_message: str) -> None:
    """Insert cells among the notes of a page, at the position specified by the operation.

    Args:
        page: The page to edit.
        edit: The arguments of the operation.
        cells: The cells of the notes.
        error_message: The error message if there are no cells.
    """
    if not cells:
        raise InvalidContentError(
            error_message, hint="write paragraphs or items; headings are ignored"
        )
    section = _get_notes_section(page)
    # The first note replaces the placeholder of a new page.
    body = [element for element in section.body if not is_placeholder(element)]
    index = resolve_insertion_index(edit.position, len(body), 1)
    body[index:index] = page.make_elements(cells)
    section.set_body(body)


def _set_details_table(page: SymbolPage, edit: PageEdit) -> None:
    """Replace the table in the notes of a page, and leave the other notes unchanged.

    If the notes contain no table, or if the operation specifies a position, the table is
    inserted without replacing any.
    """
    cells = make_note_cells(edit.content)
    if not any(cell.style.endswith(TABLE_STYLE_SUFFIX) for cell in cells):
        raise InvalidContentError(
            "The content contains no table", hint="write a Markdown table: | a | b |"
        )
    section = _get_notes_section(page)
    table_indices = [index for index, element in enumerate(section.body) if _is_table(element)]
    if edit.position is not None or not table_indices:
        _insert_notes(page, edit, cells, "")
        return
    if len(table_indices) > 1:
        raise InvalidOperationError(
            f"The notes contain {len(table_indices)} tables; it is unclear which one to replace",
            hint="insert another table with a position, or replace all notes with setNotes",
        )
    body = section.body
    index = table_indices[0]
    body[index : index + 1] = page.make_elements(cells)
    section.set_body(body)


def _is_table(element: CellElement) -> bool:
    return isinstance(element, CellLeaf) and TABLE_STYLE_SUFFIX in element.style


def _set_see_also(page: SymbolPage, edit: PageEdit) -> None:
    """Replace the links to related symbols."""
    content = make_see_also_content(edit.content, edit.resolve_link)
    style = layout.SEE_ALSO_SECTION
    _set_cells(page, style, layout.SECTIONS[style].style, content)


def _make_link_setter(style: str) -> Callable[[SymbolPage, PageEdit], None]:
    """Return the handler of an operation that replaces all links in a section of a page.

    Args:
        style: The style of the section's heading.
    """

    def set_links(page: SymbolPage, edit: PageEdit) -> None:
        cells = make_link_cells(edit.content, layout.SECTIONS[style].style)
        page.get_or_add_section(style).set_body(page.make_elements(cells))

    return set_links


def _set_keywords(page: SymbolPage, edit: PageEdit) -> None:
    """Replace the keywords. Other cells in their section remain unchanged."""
    section = page.get_or_add_section(layout.KEYWORDS_SECTION)
    other_elements = [element for element in section.body if element.style != "Keywords"]
    section.set_body([*page.make_elements(make_keyword_cells(edit.content)), *other_elements])


def _set_history(page: SymbolPage, edit: PageEdit) -> None:
    content = make_history_content(parse_history(edit.content))
    _set_cells(page, layout.METADATA_SECTION, layout.HISTORY_STYLE, content)


_PAGE_OPERATION_HANDLERS: dict[str, Callable[[SymbolPage, PageEdit], None]] = {
    "setUsage": _set_usage,
    "setNotes": _set_notes,
    "addNote": _add_note,
    "setDetailsTable": _set_details_table,
    "setSeeAlso": _set_see_also,
    "setTechNotes": _make_link_setter(layout.TECH_NOTES_SECTION),
    "setRelatedGuides": _make_link_setter(layout.GUIDES_SECTION),
    "setRelatedLinks": _make_link_setter(layout.RELATED_LINKS_SECTION),
    "setKeywords": _set_keywords,
    "setHistory": _set_history,
}
PAGE_OPERATIONS = list(_PAGE_OPERATION_HANDLERS)
"""Names of the page operations."""


def edit_page(
    page: SymbolPage,
    operation: str,
    content: str | None,
    position: int | None,
    resolve_link: Callable[[str], str],
) -> None:
    """Apply an edit operation, such as `addNote`, to a reference page.

    Args:
        page: The page to edit.
        operation: One of `PAGE_OPERATIONS`.
        content: The Markdown content of the operation.
        position: The position at which to insert notes, starting at 1. -1 is after the last note.
        resolve_link: A function that returns the link target for the name of a symbol.

    Raises:
        ReferencePageError: The operation does not exist, or its content is invalid.
    """
    check_operation(operation, PAGE_OPERATIONS)
    checked_content = check_content(
        operation, content, may_be_empty=operation not in _OPERATIONS_WITH_TEXT
    )
    _PAGE_OPERATION_HANDLERS[operation](page, PageEdit(checked_content, position, resolve_link))


class _ExampleGroup(NamedTuple):
    """The cells and groups of one example on a page, and the delimiter cell above it.

    The first example of a section and new examples have no delimiter.
    """

    elements: list[CellElement]
    delimiter: CellElement | None = None


def _insert_examples(
    groups: list[_ExampleGroup], new_groups: list[_ExampleGroup], position: int | None
) -> list[_ExampleGroup]:
    """Return the examples with new ones inserted at a position."""
    index = resolve_insertion_index(position, len(groups), 1)
    return [*groups[:index], *new_groups, *groups[index:]]


def _replace_example(
    groups: list[_ExampleGroup], new_groups: list[_ExampleGroup], position: int | None
) -> list[_ExampleGroup]:
    """Return the examples of a section with one replaced by new examples.

    If there are no new examples, the example is removed.

    Args:
        groups: The examples of the section.
        new_groups: The new examples.
        position: The position of the example to replace, starting at 1. The position -1 is the last
            example. Out-of-range positions refer to the first or last example.

    Raises:
        ExampleNotFoundError: The section contains no examples.
    """
    if not groups:
        raise ExampleNotFoundError(
            "The section contains no examples", hint="add one with appendExample"
        )
    example_number = position or 1
    if example_number < 0:
        example_number += len(groups) + 1
    index = min(max(example_number, 1), len(groups)) - 1
    return [*groups[:index], *new_groups, *groups[index + 1 :]]


_EXAMPLE_OPERATION_HANDLERS: dict[
    str, Callable[[list[_ExampleGroup], list[_ExampleGroup], int | None], list[_ExampleGroup]]
] = {
    "appendExample": lambda groups, new_groups, _position: [*groups, *new_groups],
    "prependExample": lambda groups, new_groups, _position: [*new_groups, *groups],
    "insertExample": _insert_examples,
    "replaceExample": _replace_example,
    "removeExample": _replace_example,
    "clearExamples": lambda _groups, new_groups, _position: new_groups,
    "setExamples": lambda _groups, new_groups, _position: new_groups,
}
"""Functions that take a section's examples, new examples and a position, and return the result."""
EXAMPLE_OPERATIONS = list(_EXAMPLE_OPERATION_HANDLERS)
"""Names of the example operations."""


def check_example_operation(operation: str, content: str | None, position: int | None) -> str:
    """Check the arguments of an operation on examples, such as `replaceExample`.

    Returns:
        The content of the operation, or an empty string if the operation uses no content.

    Raises:
        ReferencePageError: The operation does not exist, or its position or content is missing.
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
    """Apply an operation such as `appendExample` to the examples of a section or subsection.

    Operations that add examples create a missing section. `setExamples` and `clearExamples` also
    replace the subsections of the section. Other operations change only the examples before the
    first subsection.

    Args:
        page: The page to edit.
        operation: One of `EXAMPLE_OPERATIONS`.
        section: The canonical name of the section.
        examples: The new examples.
        position: The position of the example to replace or insert, starting at 1.
        subsection: The title of a subsection.

    Raises:
        ReferencePageError: The section or example does not exist, or the content contains no
            example.
    """
    if not examples and operation not in _OPERATIONS_WITHOUT_CONTENT:
        raise InvalidContentError("The content contains no example")
    may_create = operation not in _EXISTING_EXAMPLE_OPERATIONS
    page_section = _get_section(page, section, may_create=may_create)
    if subsection is not None and subsection.strip():
        title = subsection.strip()
        page_section = _get_subsection(page, page_section, title, may_create=may_create)
    page_section = _flatten_delimiter_groups(page_section)
    body = page_section.body
    replaces_subsections = operation in _WHOLE_SECTION_OPERATIONS
    example_end = len(body) if replaces_subsections else _count_own_elements(body)
    new_groups = [
        _ExampleGroup(page.make_elements(make_example_cells(example))) for example in examples
    ]
    change_groups = _EXAMPLE_OPERATION_HANDLERS[operation]
    groups = change_groups(_split_examples(body[:example_end]), new_groups, position)
    subsections = body[example_end:]
    # A section with examples does not need a placeholder for a subsection.
    if groups and all(map(is_placeholder, subsections)):
        subsections = []
    page_section.set_body([*_join_examples(page, groups), *subsections])


def _get_section(page: SymbolPage, name: str, *, may_create: bool) -> PageSection:
    """Return a section of examples by its canonical name.

    Args:
        page: The page.
        name: The name, such as `PossibleIssues`.
        may_create: If true, create a missing section at its place in the page order.

    Raises:
        ExampleNotFoundError: The section is missing and `may_create` is false.
    """
    section = _find_section(page, name)
    if section is not None:
        return section
    title = layout.EXAMPLE_SECTIONS.get(name, "Basic Examples")
    if not may_create:
        raise ExampleNotFoundError(
            f"The page has no section {title!r}", hint="create it with appendExample"
        )
    if name == layout.BASIC_EXAMPLES:
        return page.get_or_add_section(layout.BASIC_EXAMPLES_SECTION)
    titles = [normalize_title(section_title) for section_title in layout.EXAMPLE_SECTIONS.values()]
    later_titles = titles[titles.index(normalize_title(title)) + 1 :]
    elements = page.make_elements([CellGroup([make_example_heading(title)])])
    insert_in_order(
        page.get_or_add_section(layout.EXTENDED_EXAMPLES_SECTION),
        elements,
        lambda element: (
            element.style == layout.EXAMPLE_SECTION_STYLE
            and normalize_title(_get_heading_title(element)) in later_titles
        ),
    )
    return _get_section(page, name, may_create=False)


def _find_section(page: SymbolPage, name: str) -> PageSection | None:
    """Return a section of examples by its canonical name, or None if the page does not have it."""
    if name == layout.BASIC_EXAMPLES:
        return page.find_section(layout.BASIC_EXAMPLES_SECTION)
    title = normalize_title(layout.EXAMPLE_SECTIONS[name])
    return page.find_section(
        layout.EXAMPLE_SECTION_STYLE, lambda leaf: normalize_title(get_title(leaf.cell)) == title
    )


def _get_heading_title(element: CellElement) -> str:
    """Return the title of a heading, or of a group's first heading."""
    while isinstance(element, CellBranch):
        element = element.elements[0]
    return get_title(element.cell)


def _get_subsection(
    page: SymbolPage, section: PageSection, title: str, *, may_create: bool
) -> PageSection:
    """Return a subsection of an examples section by its title.

    Args:
        page: The page.
        section: The section.
        title: The title of the subsection.
        may_create: If true, create a missing subsection. It replaces the section's placeholder if
            there is one.

    Raises:
        ExampleNotFoundError: The subsection is missing and `may_create` is false.
    """
    headings = [
        position
        for position in section.list_positions()
        if position.leaf.style == layout.EXAMPLE_SUBSECTION_STYLE
    ]
    titles = [get_title(heading.leaf.cell) for heading in headings]
    for heading, heading_title in zip(headings, titles, strict=True):
        if normalize_title(heading_title) == normalize_title(title):
            return get_section_at(heading)
    if not may_create:
        hint = f"the subsections are {', '.join(titles)}"
        if not titles:
            hint = "the section has no subsections"
        raise ExampleNotFoundError(f"There is no subsection {title!r}", hint=hint)
    new_heading = make_example_heading(title, layout.EXAMPLE_SUBSECTION_STYLE)
    if PLACEHOLDER in titles:
        placeholder = headings[titles.index(PLACEHOLDER)]
        placeholder.leaf.set_content(new_heading.content)
        return get_section_at(placeholder)
    section.branch.replace(section.end, section.end, page.make_elements([CellGroup([new_heading])]))
    extended_section = PageSection(section.branch, section.start, section.end + 1)
    return _get_subsection(page, extended_section, title, may_create=False)


def _flatten_delimiter_groups(section: PageSection) -> PageSection:
    """Replace each group of a delimiter cell and the example below it with the group's elements.

    Some front ends save such groups, but the other functions here expect delimiters and examples
    side by side. Returns the section with its new end.
    """
    body: list[CellElement] = []
    pending = section.body[::-1]
    while pending:
        element = pending.pop()
        if isinstance(element, CellBranch) and element.style == EXAMPLE_DELIMITER_STYLE:
            # Keep the whitespace before the group, so that the rest of the file is unchanged.
            element.elements[0].lead = element.lead
            pending += reversed(element.elements)
        else:
            body.append(element)
    if len(body) > len(section.body):
        section.set_body(body)
    return PageSection(section.branch, section.start, section.start + 1 + len(body))


def _count_own_elements(body: list[CellElement]) -> int:
    """Return the number of elements before the first subsection."""
    for index, element in enumerate(body):
        if get_heading_level(element.style):
            return index
    return len(body)


def _split_examples(elements: list[CellElement]) -> list[_ExampleGroup]:
    """Split a list of cells and groups at its delimiter cells into examples.

    Examples that consist only of placeholders are omitted.
    """
    groups = [_ExampleGroup([])]
    for element in elements:
        if element.style == EXAMPLE_DELIMITER_STYLE:
            groups.append(_ExampleGroup([], element))
        else:
            groups[-1].elements.append(element)
    return [group for group in groups if not all(map(is_placeholder, group.elements))]


def _join_examples(page: SymbolPage, groups: list[_ExampleGroup]) -> list[CellElement]:
    """Return the cells and groups of the examples, separated by delimiter cells.

    Existing delimiters are reused. A delimiter above the first example is dropped.
    """
    elements: list[CellElement] = []
    for group in groups:
        if elements and group.delimiter is not None:
            elements.append(group.delimiter)
        elif elements:
            elements += page.make_elements([make_delimiter()])
        elements += group.elements
    return elements
