"""What each kind of cell is in markdown, and which cells markdown makes."""

import pytest

from paddock.wolfram import call, input_form, parse_strict, string
from paddock.wolfram.notebooks import (
    Cell,
    CellGroup,
    Notebook,
    code_to_boxes,
    markdown_to_notebook,
    notebook_to_markdown,
    read_notebook,
)
from tests.unit.wolfram.notebooks.conversions import through_a_file, to_markdown


def code(text: str, style: str = "Input", label: str = "") -> Cell:
    options = {"CellLabel": label} if label else {}
    return Cell(call("BoxData", code_to_boxes(text)), style, **options)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("Title", "# a\n"),
        ("Chapter", "# a\n"),
        ("Section", "## a\n"),
        ("Subsection", "### a\n"),
        ("Subsubsection", "#### a\n"),
        ("Text", "a\n"),
        ("Unheard", "a\n"),
        ("Item", "* a\n"),
        ("Subitem", "\t* a\n"),
        ("Subsubitem", "\t\t* a\n"),
        ("ItemNumbered", "1. a\n"),
        ("ItemParagraph", "a\n"),
        ("Program", "```\na\n```\n"),
    ],
)
def test_text_in_each_style(style: str, expected: str) -> None:
    assert to_markdown(Cell("a", style)) == expected


def test_markdown_characters_in_text_are_escaped() -> None:
    assert to_markdown(Cell("`a` $b $c *d* _e_ #f |g \\h [i](j) ~~k~~", "Text")) == (
        "\\`a\\` \\$b \\$c \\*d\\* \\_e\\_ \\#f \\|g \\\\h [i\\](j) \\~\\~k\\~\\~\n"
    )


def test_code_and_its_results_are_one_block_with_labels() -> None:
    printed = Cell(
        call("BoxData", string('"said"')), "Print", CellLabel="During evaluation of In[1]:="
    )
    cells = [
        code("f[x_] :=\n  x", label="In[1]:="),
        printed,
        code("f[1]", label="In[2]:="),
        code("1", "Output", "Out[2]="),
        Cell(call("BoxData", string("2")), "Echo"),
    ]
    assert to_markdown(*cells) == (
        "```wl\nIn[1]:=\nf[x_] :=\n  x\n\nDuring evaluation of In[1]:= said\n\n"
        "In[2]:= f[1]\n\nOut[2]= 1\n\n>> 2\n```\n"
    )


def test_code_without_labels_is_a_block_for_each_cell() -> None:
    cells = [code("a"), code("b"), code("c", "Code"), code("d", "Output")]
    markdown = to_markdown(*cells)
    assert markdown == (
        "```wl\na\n```\n\n```wl\nb\n```\n\n```wl Code\nc\n```\n\n```wl Output\nd\n```\n"
    )
    styles = [cell.style for cell in markdown_to_notebook(markdown)]
    assert styles == ["Input", "Input", "Code", "Output"]


def test_long_outputs_and_long_cells_are_cut_off_and_say_so() -> None:
    cells = [code('"' + "a" * 600 + '"', "Output", "Out[1]="), Cell("b" * 12_000, "Text")]
    output, text = to_markdown(*cells).split("```\n\n")
    assert output.endswith("a" * 499 + "… (cut off after 500 characters)\n")
    assert text == "b" * 10_000 + "… (cut off after 10000 characters)\n"
    whole = notebook_to_markdown(Notebook(cells), output_limit=999, cell_limit=99_999).text
    assert "cut off" not in whole


def test_blocks_that_contain_a_fence_have_a_longer_one() -> None:
    cell = Cell("```\nx\n```", "Program")
    assert to_markdown(cell) == "````\n```\nx\n```\n````\n"
    assert through_a_file(to_markdown(cell)) == to_markdown(cell)


@pytest.mark.parametrize(
    ("info", "style", "language"),
    [
        ("python", "ExternalLanguage", "Python"),
        ("js", "ExternalLanguage", "NodeJS"),
        ("bash", "ExternalLanguage", "Shell"),
        ("rust", "Program", ""),
        ("", "Program", ""),
    ],
)
def test_other_languages_keep_their_names(info: str, style: str, language: str) -> None:
    markdown = f"```{info}\nx = 1\n```\n"
    (cell,) = markdown_to_notebook(markdown)
    assert (cell.style, cell.get_option_text("CellEvaluationLanguage")) == (style, language)
    assert cell.content == "x = 1"
    assert through_a_file(markdown) == markdown


def test_a_message_is_reported_from_what_was_printed() -> None:
    label = "During evaluation of In[1]:="
    cells = markdown_to_notebook(f"```wl\n{label} Power::infy: no\n\n{label} Power\n```")
    assert [(cell.style, cell.label) for cell in cells] == [("Message", label), ("Print", label)]


def test_headings_make_groups_and_so_do_inputs_with_their_outputs() -> None:
    notebook = markdown_to_notebook(
        "# T\n\n## A\n\ntext\n\n```wl\nIn[1]:= 1\n\nOut[1]= 1\n```\n\n### B\n\n## C\n\n# D\n"
    )
    assert shape(notebook.cells) == [
        ["Title", ["Section", "Text", ["Input", "Output"], "Subsection"], "Section"],
        "Title",
    ]


def shape(cells: list[Cell | CellGroup]) -> list[object]:
    return [shape(cell.cells) if isinstance(cell, CellGroup) else cell.style for cell in cells]


def test_lists_may_be_nested_and_numbered_and_have_paragraphs() -> None:
    markdown = "* a\n\t1. b\n\t2. c\n\n\tmore of a\n\n* d\n\n5. e\n6. f\n"
    cells = list(markdown_to_notebook(markdown))
    assert [cell.style for cell in cells] == [
        *("Item", "SubitemNumbered", "SubitemNumbered", "ItemParagraph", "Item"),
        *("ItemNumbered", "ItemNumbered"),
    ]
    assert through_a_file(markdown) == markdown


def test_lists_as_others_indent_them_are_read_too() -> None:
    cells = markdown_to_notebook("- a\n  - b\n    + c\n- d\n\n1) e\n   - f\n")
    assert [cell.style for cell in cells] == [
        *("Item", "Subitem", "Subsubitem", "Item", "ItemNumbered", "Subitem"),
    ]


def test_quotations_are_cells_with_a_second_style() -> None:
    markdown = "> a\n>\n> > b\n\nc\n"
    cells = list(markdown_to_notebook(markdown))
    quote = "BlockQuote"
    assert [cell.styles for cell in cells] == [("Text", quote), ("Text", quote, quote), ("Text",)]
    assert through_a_file(markdown) == markdown


def test_looks_links_and_code_in_a_text() -> None:
    (cell,) = markdown_to_notebook(
        "**b** *i* ~~s~~ `f[x]` [t](http://a.b) [p](paclet:ref/Plot) [c](#tag)"
    )
    assert not isinstance(cell.content, str)
    assert input_form(cell.content) == (
        'TextData[{StyleBox["b", FontWeight -> "Bold"], " ", StyleBox["i", FontSlant -> "Italic"], '
        '" ", StyleBox["s", FontVariations -> {"StrikeThrough" -> True}], " ", '
        'Cell[BoxData[RowBox[{"f", "[", "x", "]"}]], "InlineCode"], " ", '
        'ButtonBox["t", BaseStyle -> "Hyperlink", ButtonData -> {URL["http://a.b"], None}, '
        'ButtonNote -> "http://a.b"], " ", '
        'ButtonBox["p", BaseStyle -> "Link", ButtonData -> "paclet:ref/Plot"], " ", '
        'ButtonBox["c", BaseStyle -> "Hyperlink", ButtonData -> "tag"]}]'
    )


def test_looks_that_markdown_cannot_write_side_by_side_give_way_to_the_words() -> None:
    (content,) = parse_strict(
        'TextData[{"x", StyleBox[" ", FontWeight -> "Bold"], StyleBox["*", FontSlant -> "Italic"],'
        ' StyleBox["y", FontWeight -> "Bold"], "z"}]'
    )
    markdown = to_markdown(Cell(content, "Text"))
    assert [cell.style for cell in markdown_to_notebook(markdown)] == ["Text"]
    assert through_a_file(markdown) == markdown
    assert markdown.replace("*", "").replace("\\", "") == "x yz\n"


def test_a_table_is_a_grid_with_a_line_below_its_header() -> None:
    markdown = "| a | b |\n| :---: | --- |\n| ``x\\|y`` | **c** |\n"
    (cell,) = markdown_to_notebook(markdown)
    assert not isinstance(cell.content, str)
    assert input_form(cell.content).startswith(
        'BoxData[GridBox[{{Cell["a"], Cell["b"]}, {Cell[TextData[{Cell[BoxData["x|y"'
    ) or "GridBox" in input_form(cell.content)
    assert "GridBoxDividers" in input_form(cell.content)
    assert through_a_file(markdown) == markdown


def test_hard_and_soft_ends_of_lines() -> None:
    (cell,) = markdown_to_notebook("a\nb  \nc\\\nd")
    assert cell.content == "a b\nc\nd"
    assert to_markdown(cell) == "a b\\\nc\\\nd\n"


@pytest.mark.parametrize(
    ("markdown", "style"), [("Title\n===", "Title"), ("Part\n---", "Section"), ("a\n\n---", "Text")]
)
def test_underlined_headings(markdown: str, style: str) -> None:
    assert next(iter(markdown_to_notebook(markdown))).style == style


@pytest.mark.parametrize(
    ("markdown", "styles"),
    [
        ("para\n\n    def f():\n\n        x\n\nend", ["Text", "Program", "Text"]),
        ("para\n    goes on", ["Text"]),
        ("- a\n\n    para\n\n        code", ["Item", "ItemParagraph", "Program"]),
        ("\ufeff# Title", ["Title"]),
    ],
)
def test_indented_lines_are_code_where_no_paragraph_is_open(
    markdown: str, styles: list[str]
) -> None:
    notebook = markdown_to_notebook(markdown)
    assert [cell.style for cell in notebook] == styles
    for cell in notebook:
        if cell.content and "f()" in str(cell.content):
            assert cell.content == "def f():\n\n    x"


@pytest.mark.parametrize(
    "before", ["", 'Cell["a", "Text"], ', 'Cell["a", "Item"], Cell["x", "Program"], ']
)
def test_paragraphs_of_no_item_are_not_code(before: str) -> None:
    notebook = read_notebook(f'Notebook[{{{before}Cell["four", "SubitemParagraph"]}}]')
    assert notebook_to_markdown(notebook).text.endswith("four\n")
    assert "\tfour" not in notebook_to_markdown(notebook).text


def test_many_empty_lines_of_code_take_no_more_than_their_time() -> None:
    # With a quadratic search this takes minutes.
    notebook = read_notebook(f'Notebook[{{Cell["x{chr(10) * 300_000}y", "Program"]}}]')
    assert notebook_to_markdown(notebook, cell_limit=10**9).text.endswith("y\n```\n")
