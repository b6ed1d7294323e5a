"""Long expressions on several lines, which read back as the same."""

import pytest
from hypothesis import given

from paddock.wolfram import are_equal, format_expression, input_form, iter_assignments, parse
from tests.unit.wolfram.samples import expressions

LONG = (
    "f[x_, y_] /; x > 0 := Module[{first = x + 1, second}, second = first + y; "
    'If[first > second, <|"a" -> {1, 2, 3}, "b" -> "some text that needs room"|>, '
    "x -> (first = 3; second = 4; first)]]"
)


def test_what_fits_on_a_line_stays_on_it() -> None:
    assert format_expression(parse("f[x_]:=x+1").expressions[0]) == "f[x_] := x + 1"


def test_what_does_not_is_broken_where_people_break_it() -> None:
    assert format_expression(parse(LONG).expressions[0], 60) == "\n".join(
        [
            "f[x_, y_] /; x > 0 :=",
            "    Module[",
            "        {first = x + 1, second},",
            "        second = first + y;",
            "        If[",
            "            first > second,",
            "            <|",
            '                "a" -> {1, 2, 3},',
            '                "b" -> "some text that needs room"',
            "            |>,",
            "            x -> (first = 3; second = 4; first)",
            "        ]",
            "    ]",
        ]
    )


@given(expressions())
def test_it_reads_back_as_the_same(expression: object) -> None:
    text = format_expression(expression, 20)  # type: ignore[arg-type]  # of the strategy
    (read,) = parse(text).expressions
    assert are_equal(read, parse(input_form(expression)).expressions[0])  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("f[x_] := 1", [("f", "down")]),
        ("f[x_] /; x > 1 := 1", [("f", "down")]),
        ("f[a_][b_] := 1", [("f", "sub")]),
        ("x = y = 3", [("x", "own")]),
        ("{a, b} = {1, 2}", [("a", "own"), ("b", "own")]),
        ("g /: f[g] := 1", [("g", "up")]),
        ("f[g[x_], h] ^:= 1", [("g", "up"), ("h", "up")]),
        ('f::usage = "text"; Options[g] = {}', [("f", "message"), ("g", "options")]),
        ("SetAttributes[{a, b}, HoldAll]", [("a", "attributes"), ("b", "attributes")]),
        ("Format[f[x_]] := 1", [("f", "other")]),
        ("If[True, f[x_] := 1]", [("f", "down")]),
        ("f[x]; 3 = 4; g", []),
    ],
)
def test_definitions_are_found_in_code(code: str, made: list[tuple[str, str]]) -> None:
    found = [one for part in parse(code).expressions for one in iter_assignments(part)]
    assert [(one.symbol.text, one.kind) for one in found] == made
