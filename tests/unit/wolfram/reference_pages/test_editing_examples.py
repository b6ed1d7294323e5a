"""The operations on the examples of a page."""

import pytest

from paddock.wolfram.reference_pages import (
    EXAMPLE_OPERATIONS,
    SECTION_NAMES,
    ReferencePageError,
    SymbolPage,
    check_example_operation,
    resolve_section_name,
)
from tests.unit.wolfram.reference_pages.pages import (
    PAGES,
    basic,
    cells,
    fresh,
    options,
    sample,
    scope,
    with_examples,
)

TITLES = {
    "BasicExamples": "",
    "Scope": "Scope",
    "GeneralizationsExtensions": "Generalizations & Extensions",
    "Options": "Options",
    "Applications": "Applications",
    "PropertiesRelations": "Properties & Relations",
    "PossibleIssues": "Possible Issues",
    "InteractiveExamples": "Interactive Examples",
    "NeatExamples": "Neat Examples",
}
THREE = "one\n\n---\n\ntwo\n\n---\n\nthree"


def in_section(text: str, section: str) -> list[str]:
    """What is in a section up to the next heading of any kind but a subsection's."""
    found: list[str] = []
    is_inside = False
    for style, said in cells(text):
        if style == "ExampleSection" or style.endswith("sSection") or style == "MetadataSection":
            is_inside = (
                style == "PrimaryExamplesSection"
                if section == "BasicExamples"
                else style == "ExampleSection" and said.startswith(TITLES[section])
            )
        elif is_inside:
            found.append(said)
    return found


@pytest.mark.parametrize("name", [*PAGES, "new"])
@pytest.mark.parametrize("section", SECTION_NAMES)
def test_an_example_can_be_appended_to_every_section(name: str, section: str) -> None:
    text = fresh() if name == "new" else sample(name)

    once = with_examples(text, "appendExample", section, "New one.")
    twice = with_examples(once, "appendExample", section, "New two.")

    found = [said for said in in_section(twice, section) if said]
    assert found.index("New two.") == found.index("New one.") + 1
    assert SymbolPage(twice).symbol == SymbolPage(text).symbol


def test_examples_are_appended_at_the_end_of_a_section() -> None:
    text = with_examples(sample("flat.nb"), "appendExample", "Scope", "Last.\n\n```wl\n1\n```")

    assert scope(text) == ["Put something there.", "", "Last.", "1"]


def test_examples_are_prepended_before_all_others() -> None:
    text = with_examples(sample("saved.nb"), "prependExample", "BasicExamples", "a\n\n---\n\nb")

    assert basic(text)[:5] == ["a", "", "b", "", "Put numbers into lots:"]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (1, "new one two three"),
        (2, "one new two three"),
        (4, "one two three new"),
        (9, "one two three new"),
        (0, "new one two three"),
        (-1, "one two three new"),
        (-2, "one two new three"),
        (-9, "new one two three"),
    ],
)
def test_an_example_is_inserted_at_its_position(position: int, expected: str) -> None:
    text = with_examples(fresh(examples=THREE), "insertExample", "BasicExamples", "new", position)

    assert " ".join(said for said in basic(text) if said) == expected


@pytest.mark.parametrize(
    ("position", "expected"),
    [(1, "two three"), (3, "one two"), (9, "one two"), (-1, "one two"), (-2, "one three"), (0, "")],
)
def test_an_example_is_removed_with_its_line(position: int, expected: str) -> None:
    text = with_examples(fresh(examples=THREE), "removeExample", "BasicExamples", "", position)

    assert basic(text) == (expected or "two three").replace(" ", "  ").split(" ")


def test_an_example_is_replaced_by_those_given() -> None:
    text = with_examples(
        fresh(examples=THREE), "replaceExample", "BasicExamples", "a\n\n---\n\nb", -2
    )

    assert basic(text) == ["one", "", "a", "", "b", "", "three"]


def test_a_line_and_its_examples_may_be_a_group() -> None:
    text = with_examples(sample("saved.nb"), "removeExample", "BasicExamples", "", 1)

    assert basic(text) == ["Nothing makes no lots:", "GatherLot[{}]", "{}"]
    for number in (22, 23, 24):
        assert f"CellID->1000000{number}" in text


def test_examples_are_set_and_cleared() -> None:
    text = with_examples(sample("saved.nb"), "setExamples", "BasicExamples", "All.")

    assert basic(text) == ["All."]
    assert basic(with_examples(text, "clearExamples", "BasicExamples")) == []


def test_options_really_change() -> None:
    text = with_examples(sample("saved.nb"), "appendExample", "Options", "General.")

    assert options(text)[:2] == ["General.", "SameTest"]
    assert options(with_examples(text, "clearExamples", "Options")) == []


def test_a_subsection_has_examples_of_its_own() -> None:
    text = sample("saved.nb")
    text = with_examples(text, "appendExample", "Options", "Three:", subsection="Method")
    text = with_examples(text, "removeExample", "Options", "", 1, subsection="method")
    text = with_examples(text, "setExamples", "Options", "Words:", subsection="SameTest")

    assert options(text) == ["SameTest", "Words:", "Method", "Two:", "", "Three:"]


def test_a_subsection_that_is_not_there_is_made_after_the_others() -> None:
    text = with_examples(sample("saved.nb"), "appendExample", "Options", "New:", subsection="Depth")

    assert options(text)[-2:] == ["Depth", "New:"]


def test_a_placeholder_is_used_up() -> None:
    one = with_examples(fresh(), "appendExample", "Options", "Text", subsection="Depth")

    assert options(one)[:2] == ["Depth", "Text"]
    assert "XXXX" not in options(one)
    assert options(with_examples(fresh(), "appendExample", "Options", "Text")) == ["Text"]


def test_missing_sections_are_made_in_their_order() -> None:
    text = sample("sparse.nb")
    for section in reversed(SECTION_NAMES):
        text = with_examples(text, "appendExample", section, "x")

    titles = [said for style, said in cells(text) if style == "ExampleSection"]
    assert titles == list(TITLES.values())[1:]


@pytest.mark.parametrize("operation", ["removeExample", "replaceExample"])
def test_an_example_that_is_not_there_is_neither_removed_nor_replaced(operation: str) -> None:
    content = "x" if operation == "replaceExample" else ""
    for arguments in (
        {"section": "Scope", "subsection": None},
        {"section": "Options", "subsection": "Nothing"},
        {"section": "NeatExamples", "subsection": None},
    ):
        with pytest.raises(ReferencePageError) as caught:
            with_examples(
                sample("saved.nb"),
                operation,
                str(arguments["section"]),
                content,
                1,
                arguments["subsection"],
            )
        assert caught.value.code == "example-not-found"


def test_content_without_an_example_is_refused() -> None:
    with pytest.raises(ReferencePageError) as caught:
        with_examples(sample("saved.nb"), "setExamples", "Scope", "---")

    assert caught.value.code == "invalid-content"


@pytest.mark.parametrize("operation", EXAMPLE_OPERATIONS)
def test_an_operation_says_what_it_needs(operation: str) -> None:
    needs_position = operation in ("insertExample", "replaceExample", "removeExample")
    if needs_position:
        with pytest.raises(ReferencePageError) as caught:
            check_example_operation(operation, "x", None)
        assert caught.value.code == "invalid-operation"
    if operation in ("removeExample", "clearExamples"):
        assert check_example_operation(operation, None, 1) == ""
        return
    for content in (None, "", " \n"):
        with pytest.raises(ReferencePageError) as caught:
            check_example_operation(operation, content, 1)
        assert caught.value.code == "missing-content"


def test_an_unknown_operation_is_refused() -> None:
    with pytest.raises(ReferencePageError) as caught:
        check_example_operation("moveExample", "x", 1)

    assert caught.value.code == "invalid-operation"


def test_a_section_is_known_by_its_name_or_title() -> None:
    assert resolve_section_name("PropertiesRelations") == "PropertiesRelations"
    assert resolve_section_name("Properties & Relations") == "PropertiesRelations"
    with pytest.raises(ReferencePageError) as caught:
        resolve_section_name("Metadata")
    assert caught.value.code == "invalid-section"
