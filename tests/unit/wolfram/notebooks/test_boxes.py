"""Code as boxes, and boxes as text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.wolfram import input_form, parse_strict
from paddock.wolfram.notebooks import boxes_to_text, code_to_boxes
from tests.unit.wolfram.samples import SAMPLES, sample

PIECES = [
    *("f", "x", "[", "]", "{", "}", "(", ")", ",", "1", "2.5", "+", "-", "*", "/", "^", "!", "'"),
    *("$", "&", "#", "_", "@", "//", "->", ":=", ";", "::", "..", "%", "?", "~", "`", "\\", "="),
    *('"a"', "é", "a_b", "<|", "|>", "(*", "*)", " ", "\n", "\t"),
]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("f[x, y]", 'RowBox[{"f", "[", RowBox[{"x", ",", " ", "y"}], "]"}]'),
        ("{1,2}", 'RowBox[{"{", RowBox[{"1", ",", "2"}], "}"}]'),
        ("a+b*c", 'RowBox[{"a", "+", RowBox[{"b", "*", "c"}]}]'),
        ("a - 2*b", 'RowBox[{"a", " ", "-", " ", RowBox[{"2", "*", "b"}]}]'),
        ("a[[1]]", 'RowBox[{"a", "[", RowBox[{"[", "1", "]"}], "]"}]'),
        ("x_Integer", '"x_Integer"'),
        ('"a\\n"', r'"\"a\\n\""'),
        ("\\[Alpha]", r'"\[Alpha]"'),
        ("a\nb", '{"a", "\\n", "b"}'),
        ("a (* why *)", 'RowBox[{"a", " ", RowBox[{"(*", " why ", "*)"}]}]'),
        ("f[", 'RowBox[{"f", "["}]'),
    ],
)
def test_code_becomes_rows_as_a_front_end_keeps_them(code: str, expected: str) -> None:
    assert input_form(code_to_boxes(code)) == expected


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_boxes_say_what_the_code_said(code: str) -> None:
    assert boxes_to_text(code_to_boxes(code)) == code


@pytest.mark.parametrize("path", [path for path in SAMPLES if path.suffix != ".nb"], ids=str)
def test_boxes_of_a_source_say_what_it_says(path: Path) -> None:
    code = sample(path).replace("\r\n", "\n")
    code = code.replace("\\[", "[")
    assert boxes_to_text(code_to_boxes(code)) == code


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ('FractionBox["a", RowBox[{"b", "+", "c"}]]', "a/(b+c)"),
        ('FractionBox[SuperscriptBox["x", "2"], "2"]', "x^2/2"),
        ('SuperscriptBox[RowBox[{"a", "+", "b"}], "n"]', "(a+b)^n"),
        ('SuperscriptBox[RowBox[{"f", "[", "x", "]"}], "n"]', "f[x]^n"),
        ('SuperscriptBox["f", "\\[Prime]"]', "f'"),
        ('SubscriptBox["x", "1"]', "Subscript[x, 1]"),
        ('SubsuperscriptBox["x", "1", "2"]', "Subscript[x, 1]^2"),
        ('SqrtBox[RowBox[{"a", "+", "b"}]]', "Sqrt[a+b]"),
        ('RadicalBox["x", "3"]', "x^(1/3)"),
        ('OverscriptBox["x", "~"]', "OverTilde[x]"),
        ('UnderoverscriptBox["a", "b", "c"]', "Underoverscript[a, b, c]"),
        ('GridBox[{{"a", "b"}, {"c", "d"}}]', "{{a, b}, {c, d}}"),
        ('RowBox[{"x", "y"}]', "x y"),
        ('RowBox[{"2", "x"}]', "2x"),
        ('StyleBox[TagBox[FormBox["x", TraditionalForm], f], Red]', "x"),
        ('InterpretationBox["shown", Meant[1], Editable -> False]', "Meant[1]"),
        ('TemplateBox[{"x"}, "Abs"]', "Abs[x]"),
        ('TemplateBox[{",", "a", "b"}, "RowWithSeparator"]', "a,b"),
        ('PaneSelectorBox[{False -> "a", True -> "b"}, Dynamic[x]]', "a"),
        ("DynamicBox[ToBoxes[x, StandardForm]]", "Dynamic[x]"),
        ('DynamicModuleBox[{x = 1}, "shown"]', "shown"),
        ("GraphicsBox[{}]", "-Graphics-"),
        ("SliderBox[Dynamic[x]]", "Dynamic[x]"),
        ("UnheardOfBox[1]", "UnheardOfBox[1]"),
        (r"\(x\^2\/\(a + b\)\)", "x^2/(a + b)"),
        (
            'RowBox[{UnderoverscriptBox["\\[Product]", RowBox[{"i", "=", "1"}], "n"], "i"}]',
            "Product[i, {i, 1, n}]",
        ),
        (
            'RowBox[{"\\[Integral]", RowBox[{"x", RowBox[{"\\[DifferentialD]", "x"}]}]}]',
            "Integrate[x, x]",
        ),
    ],
)
def test_each_kind_of_box_is_code_that_means_it(box: str, expected: str) -> None:
    (expression,) = parse_strict(box)
    assert boxes_to_text(expression) == expected


def test_text_is_for_people_and_output_without_the_marks_of_numbers() -> None:
    (row,) = parse_strict(r'RowBox[{"\"a\\tb\"", " ", "1.50`", InterpretationBox["s", t]}]')
    assert boxes_to_text(row) == '"a\\tb" 1.50`t'
    assert boxes_to_text(row, form="output") == '"a\\tb" 1.50t'
    assert boxes_to_text(row, form="text") == "a\tb 1.50`s"


def test_new_lines_that_indent_do_so_by_the_brackets_around_them() -> None:
    (row,) = parse_strict(
        r'RowBox[{"f", "[", "\[IndentingNewLine]", RowBox[{"{", "\[IndentingNewLine]", "1"}]}]'
    )
    assert boxes_to_text(row) == "f[\n  {\n    1"
