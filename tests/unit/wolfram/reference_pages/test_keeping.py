"""What an operation does not touch stays as it is, whatever is done in whichever order."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.wolfram.reference_pages import (
    EXAMPLE_OPERATIONS,
    SECTION_NAMES,
    ReferencePageError,
    SymbolPage,
    edit_examples,
    examples_to_markdown,
    parse_examples,
)
from paddock.wolfram.reference_pages.layout import (
    EXAMPLE_SECTIONS,
    SECTIONS,
    get_heading_level,
    get_title,
    normalize_title,
)
from paddock.wolfram.reference_pages.notebook_tree import parse_tree
from tests.unit.wolfram.reference_pages.pages import (
    PAGES,
    cells,
    edited,
    fresh,
    sample,
    with_examples,
)

EDITS = {
    "setUsage": ("ObjectName", "- `f[x]` does *x*.\n- `f[]` \u4e2d."),
    "setNotes": ("ObjectName", "One.\n\n| a | b |\n|---|---|\n| c | d |"),
    "addNote": ("ObjectName", 'A "note" with `code[\\[Alpha]]` and $x^2$.'),
    "setDetailsTable": ("ObjectName", "| a | b |\n|---|---|\n| c | d |"),
    "setSeeAlso": ("SeeAlsoSection", "Plus, Minus"),
    "setTechNotes": ("TechNotesSection", "[a](b)"),
    "setRelatedGuides": ("MoreAboutSection", ""),
    "setRelatedLinks": ("RelatedLinksSection", "[a](https://b.c)"),
    "setKeywords": ("KeywordsSection", "a,b"),
    "setHistory": ("MetadataSection", "new:1"),
}
"""The section that each changes, and a content for it."""
CONTENTS = [
    "Text.",
    'a\n\n---\n\nb\n\n```wl\nf[x]\n```\n\n```wl-output\n{1, "]},"}\n```',
    "```wl\nf[1, (* a comment, with ]]}} *) 2]\n```",
    "XXXX",
]

Step = tuple[str, Callable[[str], str]]


def _edit(operation: str, position: int | None) -> Step:
    section, content = EDITS[operation]
    return section, lambda text: edited(text, operation, content, position)


def _examples(
    operation: str, section: str, content: str, position: int, subsection: str | None
) -> Step:
    touched = EXAMPLE_SECTIONS.get(section, "PrimaryExamplesSection")
    given = "" if operation in ("removeExample", "clearExamples") else content
    return normalize_title(
        touched
    ) if section in EXAMPLE_SECTIONS else touched, lambda text: with_examples(
        text, operation, section, given, position, subsection
    )


positions = st.integers(-4, 4)
steps = st.one_of(
    st.builds(_edit, st.sampled_from(sorted(EDITS)), st.none() | positions),
    st.builds(
        _examples,
        st.sampled_from(EXAMPLE_OPERATIONS),
        st.sampled_from(SECTION_NAMES),
        st.sampled_from(CONTENTS),
        positions,
        st.sampled_from([None, None, "Method", "Other"]),
    ),
)


def parts(text: str) -> dict[str, list[str]]:
    """The texts of the cells of each section."""
    found: dict[str, list[str]] = {}
    section = ""
    for place in parse_tree(text).root.iter_positions():
        style = place.leaf.style
        if style == "ExampleSection":
            section = normalize_title(get_title(place.leaf.cell))
        elif 0 < get_heading_level(style) <= 2:
            section = style
        found.setdefault(section, []).append(place.leaf.text)
    return found


def around(text: str) -> tuple[str, str]:
    """What is before and after the cells."""
    root = parse_tree(text).root
    return root.prefix.replace("(*CacheID: 234*)\n", ""), root.suffix


def is_in_order(text: str) -> bool:
    styles = list(SECTIONS)
    titles = [normalize_title(title) for title in EXAMPLE_SECTIONS.values()]
    found = [(style, normalize_title(said)) for style, said in cells(text)]
    main = [styles.index(style) for style, _ in found if style in styles]
    extended = [titles.index(key) for style, key in found if style == "ExampleSection"]
    return main == sorted(main) and extended == sorted(extended)


@pytest.mark.parametrize("name", [*PAGES, "new"])
@given(sequence=st.lists(steps, max_size=8))
@settings(max_examples=40)
def test_any_sequence_of_operations_keeps_the_rest_the_page_and_its_order(
    name: str, sequence: list[Step]
) -> None:
    text = fresh(examples="a\n\n---\n\nb") if name == "new" else sample(name)
    for touched, change in sequence:
        before = parts(text)
        try:
            after = change(text)
        except ReferencePageError:
            continue
        assert is_in_order(after)
        assert around(after) == around(text)
        kept = {key: found for key, found in parts(after).items() if key in before}
        assert {**kept, touched: []} == {**before, touched: []}
        text = after


@given(content=st.text(st.sampled_from('ab1 \n`*-_|[](){}<>"\\$#,:;@XéØ\u4e2d'), max_size=60))
@settings(max_examples=150)
@pytest.mark.parametrize(
    "operation", ["setUsage", "setNotes", "addNote", "setSeeAlso", "setTechNotes", "setKeywords"]
)
def test_whatever_the_content_is_the_page_stays_readable(operation: str, content: str) -> None:
    with suppress(ReferencePageError):
        text = edited(sample("flat.nb"), operation, content)
        assert text.isascii()
        assert is_in_order(text)
        assert edited(text, operation, content)


@given(content=st.text(st.sampled_from('ab1 \n`-|[](){}"\\$#,:;@Xé\u4e2d~'), max_size=60))
@settings(max_examples=150)
def test_whatever_the_examples_are_the_page_stays_readable(content: str) -> None:
    examples = parse_examples(f"{content}\n\n```wl\n{content}1\n```\n")
    page = SymbolPage(sample("flat.nb"))
    edit_examples(page, "appendExample", "Scope", examples)

    assert is_in_order(page.to_text())
    again = parse_examples(examples_to_markdown(examples))
    assert [one.code_parts for one in again] == [one.code_parts for one in examples]


@pytest.mark.parametrize("name", PAGES)
def test_reading_alone_changes_nothing_but_the_trust_in_the_outline(name: str) -> None:
    text = sample(name)

    assert parse_tree(text).to_text() == text.replace("(*CacheID: 234*)\n", "")


def test_only_the_changed_cell_differs() -> None:
    before, after = sample("saved.nb"), edited(sample("saved.nb"), "setHistory", "new:1.0")

    start = before.index('Cell[TextData[{\n "New in: ",')
    end = before.index(', "History"')
    left = before[:start].replace("(*CacheID: 234*)\n", "")
    assert after.startswith(left)
    assert after.endswith(before[end:])


def test_comments_between_cells_stay() -> None:
    text = with_examples(sample("flat.nb"), "replaceExample", "BasicExamples", "New.", 1)

    assert "(* not grouped, and with a comment, in a list *)" in text
    assert "(* somebody was here *)" in edited(sample("saved.nb"), "setRelatedLinks", "[a](b:c)")


def test_new_cells_have_the_line_ends_of_the_file() -> None:
    text = with_examples(
        sample("saved.nb").replace("\n", "\r\n"), "appendExample", "Scope", CONTENTS[1]
    )

    assert text.count("\n") == text.count("\r\n")


def test_what_follows_the_notebook_may_be_broken() -> None:
    text = sample("flat.nb") + "(* an outline that was cut off"

    assert edited(text, "setKeywords", "new").endswith("(* an outline that was cut off")
