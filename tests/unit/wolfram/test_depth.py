"""Depth costs memory, and never the interpreter's stack."""

import pytest

from paddock.wolfram import (
    DataError,
    Node,
    UnevaluatedExpression,
    are_equal,
    evaluate,
    full_form,
    input_form,
    parse_strict,
    read_wxf,
    walk,
    write_wxf,
)

LEVELS = 100_000
FEWER = 20_000
DEEP = {
    "calls": "f[" * LEVELS + "]" * LEVELS,
    "heads": "f" + "[]" * FEWER,
    "lists": "{" * FEWER + "}" * FEWER,
    "groups": "(" * FEWER + "a" + ")" * FEWER,
    "powers": "a^" * FEWER + "b",
    "rules": "a->" * FEWER + "b",
    "signs": "- " * FEWER + "a",
    "quotients": "a" + "/b" * FEWER,
    "parts": "a" + "[[1]]" * FEWER,
    "associations": "<|1->" * FEWER + "2" + "|>" * FEWER,
    "defaults": "Optional[" * FEWER + "a" + "]" * FEWER,
    "comments": "(*" * FEWER + "*)" * FEWER + "a",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_sources_are_read_and_printed(name: str) -> None:
    (expression,) = parse_strict(DEEP[name])
    for text in (full_form(expression), input_form(expression)):
        (again,) = parse_strict(text)
        assert are_equal(again, expression)
    assert repr(expression)


def test_deep_expressions_go_through_wxf() -> None:
    (expression,) = parse_strict(DEEP["calls"])
    assert are_equal(read_wxf(write_wxf(expression)), expression)
    assert sum(1 for _ in walk(expression)) == 2 * LEVELS


@pytest.mark.parametrize("name", ["lists", "associations"])
def test_data_has_a_limit_to_its_depth(name: str) -> None:
    (expression,) = parse_strict(DEEP[name])
    with pytest.raises(DataError):
        evaluate(expression)


@pytest.mark.parametrize("operator", ["1/(", "1+(", "1*(", '"a" <> (', "{(", "a -> ("])
def test_the_limit_comes_before_the_end_of_the_stack(operator: str) -> None:
    closing = "})" if operator == "{(" else ")"
    (expression,) = parse_strict(operator * 250 + "1" + closing[::-1] * 250)
    with pytest.raises(DataError):
        evaluate(expression)


def test_code_may_be_deeper_than_data() -> None:
    (expression,) = parse_strict(f"{{1, {DEEP['calls']}}}")
    assert isinstance(expression, Node)
    found = evaluate(expression)
    assert found == [1, UnevaluatedExpression(expression.args[1])]
