"""New pages: what is on them, and what they are not made of."""

import pytest

from paddock.wolfram.notebooks import notebook_to_markdown, read_notebook
from paddock.wolfram.reference_pages import PageSubject, ReferencePageError
from tests.unit.wolfram.reference_pages.pages import basic, cells, fresh, notes

EMPTY = """\
# AddTwo

``AddTwo[x]`` adds 2 to ``x``.

XXXX

## See Also

XXXX

## Tech Notes

XXXX

## Related Guides

XXXX

## Related Links

XXXX

## Examples Initialization

```wl
Needs["Corner`Sums`"]
```

## Basic Examples

## More Examples

### Scope

### Generalizations & Extensions

### Options

#### XXXX

### Applications

### Properties & Relations

### Possible Issues

### Interactive Examples

### Neat Examples

## Metadata

New in: XX \\| Modified in:   \\| Obsolete in:

### Categorization

Symbol

Corner/Sums

Corner\\`Sums\\`

Corner/Sums/ref/AddTwo

### Keywords

XXXX
"""


def test_a_new_page_has_all_sections_in_order_and_placeholders() -> None:
    read = notebook_to_markdown(read_notebook(fresh())).text.partition("\n### Syntax Templates")[0]

    lines = [line.rstrip() for line in read.replace("\u2028", " ").split("\n")]
    assert lines == EMPTY.split("\n")


def test_a_page_knows_its_paclet_and_style_sheet_and_every_cell_has_an_id() -> None:
    notebook = read_notebook(fresh())

    assert notebook.tagging_rules == {"Paclet": "Corner/Sums"}
    assert "FunctionPageStylesExt.nb" in fresh()
    assert all("CellID" in cell.options for cell in notebook)
    assert fresh().isascii()


def test_what_is_given_is_in_its_section() -> None:
    text = fresh(
        notes="# Left out\n\nFirst.\n\n- Second.\n\n| Option | |\n|---|---|\n| `a` | b |",
        see_also="Plus, `Minus`\n- Total",
        tech_notes="[Sums](Corner/Sums/tutorial/Sums)",
        guides="- [All](paclet:Corner/Sums/guide/All)",
        links="[Elsewhere](https://example.org/a_(b))",
        keywords="sum,\ntotal",
        version="1.2",
    )
    found = cells(text)

    assert [said for _, said in found if _ == "Notes"] == ["First.", "Second."]
    assert [said for style, said in found if style == "2ColumnTableMod"] != []
    assert [style for style, said in found if said.startswith("Plus")] == ["SeeAlso"]
    assert 'ButtonData -> "paclet:ref/Total"' in text
    assert 'ButtonData -> "paclet:Corner/Sums/tutorial/Sums"' in text
    assert 'ButtonData -> "paclet:Corner/Sums/guide/All"' in text
    assert 'URL["https://example.org/a_(b)"]' in text
    assert [said for style, said in found if style == "Keywords"] == ["sum", "total"]
    assert [said for style, said in found if style == "History"] == [
        "New in: 1.2 | Modified in:   | Obsolete in:"
    ]


def test_a_table_keeps_its_header_unless_that_is_empty() -> None:
    with_header = notes(fresh(notes="| a | b |\n|---|---|\n| c | d |"))
    without = notes(fresh(notes="| | |\n|---|---|\n| c | d |"))

    assert "a" in with_header[0]
    assert "a" not in without[0]
    assert "d" in without[0]


def test_a_usage_has_its_cases_with_links_and_variables() -> None:
    text = fresh(usage="- `AddTwo[x, y]` - adds *x* and *y*.\n* `AddTwo[*z*]`\n  is an operator.")

    (usage,) = [said for style, said in cells(text) if style == "Usage"]
    assert usage.replace("\u2028", "|").split() == (
        ["AddTwo[x,", "y]|adds", "x", "and", "y.", "AddTwo[z]|is", "an", "operator."]
    )
    assert text.count('ButtonData -> "paclet:Corner/Sums/ref/AddTwo"') == 2
    assert text.count('StyleBox["x", "TI"]') == 2
    assert text.count('StyleBox["z", "TI"]') == 1


@pytest.mark.parametrize(
    ("usage", "code"),
    [
        ("", "empty-usage"),
        (" \n\t", "empty-usage"),
        ("AddTwo adds.", "invalid-usage-format"),
        ("- AddTwo adds.", "invalid-usage-format"),
        ("- `AddTwo[x]` adds.\n- nothing here", "invalid-usage-format"),
        ("Adds:\n- `AddTwo[x]` adds.", "invalid-usage-format"),
        ("- `` `` adds.", "invalid-usage-format"),
    ],
)
def test_a_usage_that_is_not_a_list_of_cases_is_refused(usage: str, code: str) -> None:
    with pytest.raises(ReferencePageError) as caught:
        fresh(usage=usage)

    assert caught.value.code == code


def test_invalid_links_are_refused() -> None:
    with pytest.raises(ReferencePageError) as caught:
        fresh(tech_notes="[Sums](a/b)\nSums")

    assert caught.value.code == "invalid-content"


@pytest.mark.parametrize(
    ("symbol", "paclet", "context"),
    [
        ("", "Sums", ""),
        ("../Up", "Sums", ""),
        ("a b", "Sums", ""),
        ("A`B", "Sums", ""),
        ("2nd", "Sums", ""),
        ("Add_two", "Sums", ""),
        ("AddTwo", "", ""),
        ("AddTwo", "a/b/c", ""),
        ("AddTwo", "../..", ""),
        ("AddTwo", "Sums", 'a"]'),
    ],
)
def test_invalid_names_are_refused(symbol: str, paclet: str, context: str) -> None:
    with pytest.raises(ReferencePageError) as caught:
        PageSubject(symbol, paclet, context)

    assert caught.value.code == "invalid-content"


@pytest.mark.parametrize(
    ("paclet", "given", "context"),
    [("Sums", "", "Sums`"), ("Corner/Sums", "", "Corner`Sums`"), ("Sums", "Other`A", "Other`A`")],
)
def test_the_context_is_that_of_the_paclet_or_the_one_given(
    paclet: str, given: str, context: str
) -> None:
    assert PageSubject("$AddTwo", paclet, given).context == context


def test_examples_become_text_input_and_output_with_lines_between_them() -> None:
    examples = (
        "Add:\n\n```wl\nAddTwo[1]\n```\n\n```wl-output\n3\n```\n\n---\n\n```\n1 + 1\n```\n---\n"
    )
    text = fresh(examples=examples)

    assert [style for style, _ in cells(text)][13:19] == [
        "PrimaryExamplesSection",
        "ExampleText",
        "Input",
        "Output",
        "ExampleDelimiter",
        "Input",
    ]
    assert basic(text) == ["Add:", "AddTwo[1]", "3", "", "1 + 1"]
    assert [cell.label for cell in read_notebook(text) if cell.label.startswith(("In", "Out"))] == [
        "In[1]:=",
        "Out[1]=",
        "In[1]:=",
    ]
