"""Notebook files: what is written, and what is made of what is there."""

import pytest

from paddock.wolfram import call, parse_strict, symbol
from paddock.wolfram.notebooks import (
    Cell,
    CellGroup,
    Notebook,
    NotebookError,
    code_to_boxes,
    read_notebook,
    write_notebook,
)
from tests.unit.wolfram.notebooks.conversions import saved

FILE = r"""(* Content-type: application/vnd.wolfram.mathematica *)

(*** Wolfram Notebook File ***)
(* http://www.wolfram.com/nb *)

(* CreatedBy='Paddock' *)

(* Beginning of Notebook Content *)
Notebook[{

Cell[CellGroupData[{

Cell["\[CapitalSigma] \:4e2d \|01f600 \"q\" \\ \n\t", "Title"],

Cell[CellGroupData[{

Cell[BoxData[RowBox[{"1", "+", "1"}]], "Input",
 CellLabel->"In[1]:="],

Cell[BoxData["2"], "Output",
 CellLabel->"Out[1]=",
 Editable->False]

}, Closed]]

}, Open]]

},
 StyleDefinitions->"Default.nb"
]
(* End of Notebook Content *)
"""


def test_a_file_has_the_comments_groups_and_escapes_that_its_format_asks_for() -> None:
    code = Cell(call("BoxData", code_to_boxes("1+1")), "Input", CellLabel="In[1]:=")
    output = Cell(
        call("BoxData", code_to_boxes("2")), "Output", CellLabel="Out[1]=", Editable=False
    )
    title = Cell('Σ 中 😀 "q" \\ \n\t', "Title")
    notebook = Notebook(
        [CellGroup([title, CellGroup([code, output], "Closed")])], StyleDefinitions="Default.nb"
    )
    assert write_notebook(notebook) == FILE
    (found,) = parse_strict(FILE)
    assert found is not None


def test_a_file_reads_back_as_the_notebook_that_it_was() -> None:
    notebook = read_notebook(FILE)
    assert notebook.problems == []
    assert write_notebook(notebook) == FILE
    (group,) = notebook.cells
    assert isinstance(group, CellGroup)
    title, inner = group.cells
    assert isinstance(title, Cell)
    assert isinstance(inner, CellGroup)
    assert title.content == 'Σ 中 😀 "q" \\ \n\t'
    assert [cell.style for cell in notebook] == ["Title", "Input", "Output"]


def test_values_of_options_are_python_values_or_expressions() -> None:
    cell = Cell(
        "x",
        ("Text", "Mine"),
        CellFrame=[[1, 0], [0.5, 0]],
        TaggingRules={"a": {"b": [1, "two", None, True]}},
        CellDingbat=symbol("None"),
    )
    (again,) = saved(Notebook([cell]))
    assert (again.style, again.styles) == ("Text", ("Text", "Mine"))
    assert again.tagging_rules == {"a": {"b": [1, "two", None, True]}}
    assert write_notebook(Notebook([again])) == write_notebook(Notebook([cell]))


def test_options_that_are_evaluated_later_stay_so() -> None:
    text = 'Notebook[{Cell["a", "Text", CellEventActions :> {f[x]}]}]'
    (cell,) = saved(read_notebook(text))
    assert "CellEventActions :> {f[x]}" in write_notebook(Notebook([cell]))


def test_a_value_that_no_notebook_can_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="value of the type set"):
        Cell("x", "Text", A={1})


@pytest.mark.parametrize("text", ["", "1 + 1", "Cell[]", "%PDF-1.7", "notebook"])
def test_a_text_without_a_notebook_is_invalid(text: str) -> None:
    with pytest.raises(NotebookError) as caught:
        read_notebook(text)
    assert caught.value.code == "notebook"


@pytest.mark.parametrize(
    ("text", "styles"),
    [
        ("Notebook[{}]", []),
        ("Notebook[]", []),
        ('Notebook[Cell["a", "Text"]]', ["Text"]),
        ('Notebook[{Cell["a", "Text"], Cell[]}]', ["Text", ""]),
        ('Notebook[{"a", CellGroupData[{Cell["b", "Text"]}]}]', ["", "Text"]),
    ],
)
def test_odd_notebooks_are_read_too(text: str, styles: list[str]) -> None:
    assert [cell.style for cell in read_notebook(text)] == styles


def test_a_damaged_file_is_read_as_much_as_it_goes() -> None:
    notebook = read_notebook('Notebook[{Cell["a", "Title"],\nCell["b", "Te')
    assert next(iter(notebook)).content == "a"
    assert notebook.problems[0] == "line 1, column 9: [ is not closed"
