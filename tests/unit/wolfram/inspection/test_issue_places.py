"""Issues stand exactly where they are, whatever characters and line ends a text has."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.wolfram import Expression, input_form, parse
from paddock.wolfram.inspection import inspect_code
from tests.unit.wolfram.samples import SAMPLES, expressions, sample

TOKENS = (
    *("f", "x_", "[", "]", "{", "}", "(", ")", ",", ";", "=", ":=", "+", "-", "*", " ", "\n", '"'),
    *("(*", "*)", "#", "&", "/@", "@", "If[", "Which[", "Switch[", "Module[{", "With[{x = ", "1"),
    *("Throw[", "<|", "|>", "->", "Nothing", "Null", "End[]", "/;", "_", "\r\n"),
)


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("\t\tx = x", (1, 3, 1, 8)),
        ("a = 1;\r\n\tx = x\r\n", (2, 2, 2, 7)),
        ("a = 1;\rx = x\r", (2, 1, 2, 6)),
        ("a = 1;\n\r\n\rx = x", (4, 1, 4, 6)),
        ('"日本é"; x = x', (1, 8, 1, 13)),
        ('"\U0001f600"; x = x', (1, 6, 1, 11)),
        ("\\[Alpha] = \\[Alpha]", (1, 1, 1, 20)),
        ("é = é", (1, 1, 1, 6)),
        ("(* \n\n *) x =\n  x", (3, 5, 4, 4)),
        ("x\\\n = x", (1, 1, 2, 5)),
        ("(x = x)", (1, 1, 1, 8)),
        ("\ufeffx = x", (1, 2, 1, 7)),
        ("#!/usr/bin/env wolframscript\nx = x", (2, 1, 2, 6)),
    ],
)
def test_lines_and_columns_count_characters_as_they_are_written(
    code: str, place: tuple[int, int, int, int]
) -> None:
    (issue,) = inspect_code(code)
    assert (issue.tag, tuple(issue.location)) == ("SelfAssignment", place)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_make_the_same_lines(end: str) -> None:
    source = parse(end.join(["a", "", "bc", ""]))
    assert source.line_count == 3
    assert [source.text[slice(*source.get_line_span(number))] for number in (1, 2, 3)] == [
        "a",
        "",
        "bc",
    ]


def check_places(text: str) -> None:
    source = parse(text)
    last = source.get_position(len(text))
    for issue in inspect_code(text):
        place = issue.location
        assert (1, 1) <= (place.line, place.column) <= (place.end_line, place.end_column) <= last
        assert all((1, 1) <= fix.location[:2] <= fix.location[2:] <= last for fix in issue.fixes)


@given(st.text())
def test_any_text_can_be_inspected(text: str) -> None:
    check_places(text)


@given(st.lists(st.sampled_from(TOKENS)))
def test_any_heap_of_tokens_can_be_inspected(tokens: list[str]) -> None:
    check_places("".join(tokens))


@given(expressions())
def test_any_expression_can_be_inspected(expression: Expression) -> None:
    check_places(input_form(expression))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_any_part_of_a_file_can_be_inspected(path: Path) -> None:
    text = sample(path)
    for end in range(0, len(text), 97):
        check_places(text[:end])


@pytest.mark.parametrize(
    "code",
    [
        "f[" * 20_000,
        "(" * 20_000 + "x" + ")" * 20_000,
        "If[a," * 5_000,
        "a:=" * 20_000,
        "{" + "," * 20_000,
        "Module[{x}," * 3_000,
        "-" * 20_000 + "Now",
        "(" * 20_000 + "a" + ":=b)" * 20_000,
        "Which[" * 10_000 + "a" + ",1]" * 10_000,
        "Module[{a, b = " * 10_000,
        "With[{x = 1}, x = 2]\n" * 5_000,
        "Module[{a = 1, b = a}, a]\n" * 5_000,
    ],
    ids=lambda code: code[:12],
)
def test_depth_and_length_do_not_matter(code: str) -> None:
    check_places(code)
