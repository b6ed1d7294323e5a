"""Each expression knows exactly where it stands."""

from pathlib import Path

import pytest

from paddock.wolfram import Atom, Expression, Node, are_equal, is_symbol, parse, parse_strict, walk
from tests.unit.wolfram.samples import SAMPLES, sample
from tests.unit.wolfram.test_parser import NAMED, OPERATORS, PATTERNS

SOURCES = [
    *(pytest.param(sample(path), id=path.name) for path in SAMPLES),
    *(pytest.param(text, id=text) for text, _ in [*OPERATORS, *PATTERNS, *NAMED]),
]


def again(expression: Expression, text: str) -> Expression:
    """What its text means when it is alone, in brackets, so that lines do not matter."""
    if isinstance(expression, Node) and expression.form == "-":
        # What is taken away is read with its sign only where something is before.
        (group,) = parse_strict(f"{{0{text}\n}}")
        assert isinstance(group, Node)
        difference = group.args[0]
        assert isinstance(difference, Node)
        return difference if is_symbol(expression.head, "Plus") else difference.args[1]
    (group,) = parse_strict(f"{{{text}\n}}")
    assert isinstance(group, Node)
    assert len(group.args) == 1
    return group.args[0]


@pytest.mark.parametrize("text", SOURCES)
def test_the_text_at_a_place_is_the_expression(text: str) -> None:
    for top in parse(text).expressions:
        for expression in walk(top):
            found = text[expression.start : expression.end]
            if expression.start < 0 or not found:
                continue
            if isinstance(expression, Atom) and expression.kind == "string" and found[0] != '"':
                # The name of a message or file: a string without quotes.
                assert expression.text == '"' + found.replace("\\", "\\\\") + '"'
            elif not (isinstance(expression, Node) and is_symbol(expression.head, "Plus")):
                assert are_equal(again(expression, found), expression)
            else:
                (whole,) = parse_strict(f"({found}\n)")
                assert are_equal(whole, expression)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_places_nest(path: Path) -> None:
    for top in parse(sample(path)).expressions:
        for expression in walk(top):
            if isinstance(expression, Node) and expression.start >= 0:
                places = [arg for arg in expression.args if arg.start >= 0]
                assert all(expression.start <= arg.start for arg in places)
                assert all(arg.end <= expression.end for arg in places)


def test_comments_have_their_places() -> None:
    text = "a (* b (* c *) *) + d (**)"
    assert [text[start:end] for start, end in parse(text).comments] == ["(* b (* c *) *)", "(**)"]


def test_offsets_become_lines_and_columns() -> None:
    source = parse("a\r\nbc\nd")
    assert [source.get_position(offset) for offset in (0, 3, 4, 6, 7)] == [
        *((1, 1), (2, 1), (2, 2), (3, 1), (3, 2))
    ]


def test_a_comment_after_a_semicolon_is_not_a_part_of_what_it_ends() -> None:
    text = "x; (* one *)\n(* two *) y"
    assert [text[found.start : found.end] for found in parse(text).expressions] == ["x;", "y"]
