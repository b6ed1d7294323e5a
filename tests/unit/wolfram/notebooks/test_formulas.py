"""Formulas: TeX in markdown, boxes in notebooks."""

import pytest

from paddock.wolfram import call, input_form, parse_strict, symbol
from paddock.wolfram.notebooks import Cell, markdown_to_notebook, read_notebook
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.tex_writer import boxes_to_tex
from tests.unit.wolfram.notebooks.conversions import saved, through_a_file, to_markdown

KNOWN = {
    "x^2": 'SuperscriptBox["x", "2"]',
    r"\frac{a+b}{c}": 'FractionBox[RowBox[{"a", "+", "b"}], "c"]',
    r"\sqrt{x}": 'SqrtBox["x"]',
    r"\sqrt[3]{x}": 'RadicalBox["x", "3"]',
    r"a_i^2": 'SubsuperscriptBox["a", "i", "2"]',
    r"\sum_{i=1}^n i": (
        'RowBox[{UnderoverscriptBox["\\[Sum]", RowBox[{"i", "=", "1"}], "n"], "i"}]'
    ),
    r"\lim_{x\to 0}": 'UnderscriptBox["lim", RowBox[{"x", "\\[RightArrow]", "0"}]]',
    r"\begin{pmatrix}a & b\\c & d\end{pmatrix}": (
        'RowBox[{"(", GridBox[{{"a", "b"}, {"c", "d"}}], ")"}]'
    ),
    r"\left(\frac12\right)": 'RowBox[{"(", FractionBox["1", "2"], ")"}]',
    r"\hat{x}": 'OverscriptBox["x", "^"]',
    r"\text{if }x": 'RowBox[{"\\"if \\"", "x"}]',
    r"\mathbf{v}": 'StyleBox["v", FontWeight -> "Bold"]',
    r"\binom{n}{k}": 'TemplateBox[{"n", "k"}, "Binomial"]',
    "f''": 'SuperscriptBox["f", "\\[Prime]\\[Prime]"]',
    r"\alpha\leq\beta": 'RowBox[{"\\[Alpha]", "\\[LessEqual]", "\\[Beta]"}]',
}
UNKNOWN = [r"\unheard{of}", "x^", "{", "a}", r"\frac{a}", r"\left(x", "x^2^3", r"\begin{x}\end{x}"]


@pytest.mark.parametrize(("tex", "expected"), KNOWN.items())
def test_tex_becomes_boxes_and_these_tex_that_means_the_same(tex: str, expected: str) -> None:
    made = tex_to_boxes(tex)
    assert made is not None
    assert input_form(made) == expected
    written = boxes_to_tex(made)
    assert written is not None
    again = tex_to_boxes(written)
    assert again is not None
    assert input_form(again) == expected


@pytest.mark.parametrize("tex", UNKNOWN)
def test_what_is_not_known_stays_text_and_comes_back_the_same(tex: str) -> None:
    assert tex_to_boxes(tex) is None
    for markdown in (f"a ${tex}$ b\n", f"$${tex}$$\n"):
        assert through_a_file(markdown) == markdown


@pytest.mark.parametrize("tex", [*KNOWN, r"\int_0^1 x\,dx", r"{ x } ^ { 2 }"])
def test_formulas_come_back_as_they_were_written(tex: str) -> None:
    for markdown in (f"so ${tex}$ holds\n", f"$${tex}$$\n"):
        assert through_a_file(markdown) == markdown


def test_a_formula_that_was_changed_since_is_written_again() -> None:
    (cell,) = saved(markdown_to_notebook("$$x^{2}$$"))
    (changed,) = parse_strict('FormBox[SuperscriptBox["x", "3"], TraditionalForm]')
    assert to_markdown(cell) == "$$x^{2}$$\n"
    cell.content = call("BoxData", changed)
    assert to_markdown(cell) == "$$x^3$$\n"


def test_a_formula_that_tex_cannot_write_is_shown_as_code() -> None:
    formula = call("FormBox", call("UnheardBox", symbol("x")), symbol("TraditionalForm"))
    inner = Cell(call("BoxData", formula), "DisplayFormula")
    assert to_markdown(inner) == "```wl\nUnheardBox[x]\n```\n"
    text = (
        'Notebook[{Cell[TextData[{"a ", Cell[BoxData[FormBox[UnheardBox[x], TraditionalForm]]]}]]}]'
    )
    (cell,) = read_notebook(text)
    assert to_markdown(cell) == "a ``UnheardBox[x]``\n"
