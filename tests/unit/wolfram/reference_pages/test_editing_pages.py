"""The operations on the parts of a page."""

import pytest

from paddock.wolfram.reference_pages import PAGE_OPERATIONS, ReferencePageError
from tests.unit.wolfram.reference_pages.pages import (
    PAGES,
    below,
    cells,
    edited,
    fresh,
    notes,
    sample,
)

FIRST, LAST = "The lots keep the order of the list.", "Things that cannot be compared are lots"
TABLE = "| a | b |\n|---|---|\n| new | row |"


def styled(text: str, style: str) -> list[str]:
    return [said for kind, said in cells(text) if kind == style]


def beginnings(found: list[str]) -> list[str]:
    return [said.split()[0] if said.split() else "" for said in found]


@pytest.mark.parametrize("name", PAGES)
def test_a_usage_takes_the_place_of_the_one_before(name: str) -> None:
    text = edited(sample(name), "setUsage", "- `f[x]` does *x*.")

    assert [said.split("\u2028")[1] for said in styled(text, "Usage")] == ["does x."]
    assert cells(text)[1][0] == "Usage"


def test_a_usage_leads_to_the_page_of_the_symbol_in_its_paclet() -> None:
    text = edited(sample("saved.nb"), "setUsage", "- `GatherLot[x]` does *x*.")

    assert 'ButtonData -> "paclet:Corner/Lots/ref/GatherLot"' in text
    assert "CellID->100000002" in text


def test_notes_are_replaced_all_of_them() -> None:
    assert notes(edited(sample("saved.nb"), "setNotes", "One.\n\n- Two.")) == ["One.", "Two."]
    assert notes(edited(sample("saved.nb"), "setNotes", "")) == ["XXXX"]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (None, ["New", "The", "SameTest", "Things"]),
        (0, ["New", "The", "SameTest", "Things"]),
        (1, ["New", "The", "SameTest", "Things"]),
        (2, ["The", "New", "SameTest", "Things"]),
        (4, ["The", "SameTest", "Things", "New"]),
        (99, ["The", "SameTest", "Things", "New"]),
        (-1, ["The", "SameTest", "Things", "New"]),
        (-2, ["The", "SameTest", "New", "Things"]),
        (-99, ["New", "The", "SameTest", "Things"]),
    ],
)
def test_a_note_is_inserted_at_its_position(position: int | None, expected: list[str]) -> None:
    text = edited(sample("saved.nb"), "addNote", "New note.", position)

    assert beginnings(notes(text)) == expected


def test_all_notes_of_the_content_are_inserted_and_placeholders_go() -> None:
    assert notes(edited(fresh(), "addNote", "One.\n\nTwo.")) == ["One.", "Two."]


def test_a_table_takes_the_place_of_the_one_among_the_notes() -> None:
    text = edited(sample("saved.nb"), "setDetailsTable", f"Options:\n\n{TABLE}")

    assert beginnings(notes(text)) == ["The", "Options:", "a", "Things"]
    assert "what counts as equal" not in text


def test_a_table_with_a_position_is_inserted_and_nothing_removed() -> None:
    text = edited(sample("saved.nb"), "setDetailsTable", TABLE, -1)

    assert beginnings(notes(text)) == ["The", "SameTest", "Things", "a"]
    with pytest.raises(ReferencePageError) as caught:
        edited(text, "setDetailsTable", TABLE)
    assert caught.value.code == "invalid-operation"


def test_a_page_without_a_table_gets_one() -> None:
    assert beginnings(notes(edited(sample("flat.nb"), "setDetailsTable", TABLE))) == ["a", "It"]


@pytest.mark.parametrize("name", PAGES)
def test_related_symbols_are_set(name: str) -> None:
    text = edited(sample(name), "setSeeAlso", "Plus,Minus")

    (found,) = styled(text, "SeeAlso")
    assert "Plus" in found
    assert "Minus" in found
    assert styled(edited(text, "setSeeAlso", " "), "SeeAlso") == ["XXXX"]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("operation", "style"),
    [
        ("setTechNotes", "Tutorials"),
        ("setRelatedGuides", "MoreAbout"),
        ("setRelatedLinks", "RelatedLinks"),
    ],
)
def test_links_take_the_place_of_all_in_their_section(
    name: str, operation: str, style: str
) -> None:
    text = edited(sample(name), operation, "[A](https://a.org)\n[B](x/y)")

    assert styled(text, style) == ["A", "B"]
    assert styled(edited(text, operation, ""), style) == ["XXXX"]


@pytest.mark.parametrize("name", PAGES)
def test_keywords_are_set(name: str) -> None:
    text = edited(sample(name), "setKeywords", "a, b\nc")

    assert below(text, "KeywordsSection", until=("TemplatesSection",)) == ["a", "b", "c"]


@pytest.mark.parametrize("name", PAGES)
def test_a_history_is_set(name: str) -> None:
    text = edited(sample(name), "setHistory", "New: 1.0, obsolete:2.0")

    assert styled(text, "History") == ["New in: 1.0 | Modified in:   | Obsolete in: 2.0"]


@pytest.mark.parametrize("operation", PAGE_OPERATIONS)
def test_an_operation_without_content_is_refused(operation: str) -> None:
    with pytest.raises(ReferencePageError) as caught:
        edited(sample("saved.nb"), operation, None)

    assert caught.value.code == "missing-content"


@pytest.mark.parametrize(
    ("operation", "content", "code"),
    [
        ("setTitle", "x", "invalid-operation"),
        ("setUsage", "", "empty-usage"),
        ("setUsage", "x", "invalid-usage-format"),
        ("addNote", " ", "missing-content"),
        ("addNote", "# Only a heading", "invalid-content"),
        ("setDetailsTable", "no table", "invalid-content"),
        ("setRelatedLinks", "https://example.org", "invalid-content"),
        ("setHistory", "", "missing-content"),
        ("setHistory", "1.0", "invalid-content"),
        ("setHistory", "new:1.0:2", "invalid-content"),
        ("setHistory", "old:1.0", "invalid-content"),
        ("setHistory", "new:", "invalid-content"),
        ("setHistory", "new:1, new:2", "invalid-content"),
        ("setHistory", ",", "invalid-content"),
    ],
)
def test_what_an_operation_does_not_take_is_refused(
    operation: str, content: str, code: str
) -> None:
    with pytest.raises(ReferencePageError) as caught:
        edited(sample("saved.nb"), operation, content)

    assert caught.value.code == code


@pytest.mark.parametrize("name", ["damaged.nb", "essay.nb"])
def test_what_is_not_a_page_is_refused(name: str) -> None:
    with pytest.raises(ReferencePageError) as caught:
        edited(sample(name), "setNotes", "x")

    assert caught.value.code == "invalid-reference-page"


@pytest.mark.parametrize(
    "text",
    ["", "1 + 1", "Notebook[x]", 'Notebook[{Cell["A", "ObjectName"],}]', "Notebook[{"],
)
def test_what_is_not_a_notebook_is_refused(text: str) -> None:
    with pytest.raises(ReferencePageError) as caught:
        edited(text, "setNotes", "x")

    assert caught.value.code == "invalid-reference-page"


def test_deeply_nested_groups_are_refused() -> None:
    text = 'Cell["A", "ObjectName"]'
    for _ in range(3000):
        text = f"Cell[CellGroupData[{{{text}}}, Open]]"

    with pytest.raises(ReferencePageError) as caught:
        edited(f"Notebook[{{{text}}}]", "setNotes", "x")

    assert caught.value.code == "invalid-reference-page"
