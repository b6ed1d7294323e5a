"""What is wrong with a source is reported with its place, and the rest is read."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paddock.wolfram import full_form, input_form, parse, walk
from paddock.wolfram.source import ParsedSource
from tests.unit.wolfram.samples import SAMPLES, sample

if TYPE_CHECKING:
    from pathlib import Path

FAULTS = [
    ("f[a", [("[ is not closed", 1, 2)], ["f[a]"]),
    ("a]", [("Unexpected ]", 1, 2)], ["a"]),
    ("{a,(b}", [("( is not closed", 3, 4)], ["List[a, b]"]),
    ("f[a}]", [("Unexpected }", 3, 4)], ["f[a]"]),
    ("a[[1]", [("Expected ]] and found ]", 4, 5)], ["Part[a, 1]"]),
    ("[a]", [("Expected an expression before '[a]'", 0, 0)], ["[a]"]),
    ("a+", [("Expected an expression before the end", 2, 2)], ["Plus[a, ]"]),
    ("f[a *]", [("Expected an expression before ']'", 5, 5)], ["f[Times[a, ]]"]),
    ("a; [b]", [("Expected an expression before '[b]'", 3, 3)], None),
    ("()", [("Nothing in parentheses", 0, 2)], ["()"]),
    ("(a, b)", [("A comma in parentheses", 2, 3)], ["Sequence[a, b]"]),
    ("a, b", [("A comma outside of brackets", 1, 2)], ["a", "b"]),
    ('"a\nb', [("The string has no end", 0, 2)], ['"a', "b"]),
    ("(* a\nb", [("The comment has no end", 0, 2)], ["b"]),
    ("\\(a", [("The box syntax has no end", 0, 2)], None),
    ("a\\)", [("\\) outside of box syntax", 1, 3)], None),
    ("a \\? b", [("Unexpected character '\\\\'", 2, 3)], None),
    ("a \x01\x02 b", [("Unexpected character '\\x01'", 2, 4)], ["Times[a, b]"]),
    ("16^^fg", [("g is not a digit in base 16", 5, 6)], ["16^^fg"]),
    ("37^^1", [("37 is not a base from 2 to 36", 0, 2)], ["37^^1"]),
    ("1^^1", [("1 is not a base from 2 to 36", 0, 1)], ["1^^1"]),
    ("1`` ", [("Unexpected character '`'", 1, 3)], ["1"]),
    ("\uf603", [("\\[LeftBracketingBar] is not closed", 0, 1)], None),
    ("\u230aa", [("\\[LeftFloor] is not closed", 0, 1)], ["Floor[a]"]),
    ("\\[LeftAssociation]a", [("<| is not closed", 0, 18)], None),
    ("a[ [1", [("[[ is not closed", 1, 4)], None),
    ("a::", [("Expected the name of a message after ::", 1, 3)], None),
    ("<<", [("Expected the name of a file", 0, 2)], None),
    ("a~f", [("Expected a second ~", 1, 2)], ["f[a]"]),
    ("a/:b", [("Expected = or := after /:", 1, 3)], ["TagSet[a, b]"]),
]


@pytest.mark.parametrize(("text", "problems", "forms"), FAULTS)
def test_a_fault_is_reported_with_its_place(
    text: str, problems: list[tuple[str, int, int]], forms: list[str] | None
) -> None:
    source = parse(text)
    assert [tuple(problem) for problem in source.problems] == problems
    if forms is not None:
        assert [full_form(expression) for expression in source.expressions] == forms


def test_definitions_after_an_open_bracket_are_read_on_their_own() -> None:
    source = parse("a = 1;\nf[x_] := g[x, {1, 2];\n\nh[y_] := y + 1\nb = 2\n")
    assert [problem.message for problem in source.problems] == ["{ is not closed"]
    source = parse("a = 1;\nf[x_] := g[x, (* b = 3 *)\n  i[2];\n\nh[y_] := y + 1\nb = 2\n")
    assert [tuple(problem) for problem in source.problems] == [("[ is not closed", 17, 18)]
    assert [input_form(expression) for expression in source.expressions] == [
        *("a = 1;", "f[x_] := g[x, i[2];]", "h[y_] := y + 1", "b = 2")
    ]


def check(source: ParsedSource) -> None:
    """Everything has a place inside of the text, and all that was read can be printed."""
    end = len(source.text)
    assert all(0 <= problem.start <= problem.end <= end for problem in source.problems)
    assert all(0 <= start < stop <= end for start, stop in source.comments)
    assert source.problems == sorted(source.problems, key=lambda problem: problem.start)
    for expression in source.expressions:
        full_form(expression)
        input_form(expression)
        assert all(-1 <= one.start <= one.end <= end for one in walk(expression))


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("\uf603")
def test_any_text_is_read_without_an_exception(text: str) -> None:
    check(parse(text))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab1[]{}()<>|,;:=.#%_'\"`\\!@~/*+-^&? \n"))
def test_any_text_of_signs_is_read_without_an_exception(text: str) -> None:
    check(parse(text))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_code_is_read_without_an_exception(data: st.DataObject) -> None:
    path: Path = data.draw(st.sampled_from(SAMPLES))
    text = sample(path)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 5)))
        signs = st.text(alphabet='[]{}()<>|,;"\\*a1\n', max_size=3)
        text = text[:start] + data.draw(signs) + text[end:]
    check(parse(text))


HOSTILE = {
    "open brackets": "f[" * 20_000,
    "wrong brackets": "(" * 20_000 + "]" * 20_000,
    "open comments": "(*\n" * 20_000,
    "open strings": 'x\\"\n' * 20_000,
    "open boxes": "\\(\n" * 20_000,
    "open definitions": "f[x_] := {g[\n" * 20_000,
    "blanks": " " * 500_000,
    "bars": "_" * 100_000,
    "quotes": '"' * 100_001,
    "backslashes": "\\" * 100_001,
    "quotes in boxes": "\\(" + 'x\\"' * 200_000,
    "strings in boxes": '\\("' + 'x\\"' * 200_000,
    "comments after a bracket": "f[<|\n" + "(*\nx = 1\n*)\n" * 60_000,
    "differentials": "a=" + "b\\[DifferentialD]c=" * 60_000 + "d",
    "integrals": "\\[Integral]a=" * 40_000 + "b\\[DifferentialD]c=" * 40_000 + "d",
    "defaults": "x_^a|" * 20_000 + "y_:1^" * 20_000 + "n:a|_:" * 20_000 + "1",
    "numbers after an open string": '"\n' + ".1" * 100_000,
    "digits": "1" * 100_000 + "^^" + "z" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str) -> None:
    # Quadratic, any of these would take longer than the limit for a test.
    assert isinstance(parse(HOSTILE[name]), ParsedSource)
