"""What is printed reads back as what it was, and looks as people write."""

import pytest
from hypothesis import given, settings

from paddock.wolfram import (
    Expression,
    are_equal,
    call,
    full_form,
    input_form,
    parse_strict,
    string,
    symbol,
)
from tests.unit.wolfram.samples import expressions

AS_WRITTEN = """
a/b
-x
a - b
a - b*c
a + b - 5
x^2
-x^2
(a + b)*c
- --a
- --a^2
a - --b
a^(-1)
f /@ x
f @@ x
f @@@ x
#1 &
#1 + ##2 &
#name &
f'[x]
f''
x_Integer
x__
_.
x_.
x_Integer:3
n:_Integer?Positive
n:_Integer?Positive:3
x_ + (y_:0)
a | (s:b)
Optional[a | b, c]
Optional[x_?q, 0]
x_:a:b
a; b;
a; b
f[x_] := x^2
x = y = z
x =.
x /: f[x] := 5
a -> b
a :> b /; c
{a, <|"k" -> 1|>, {}}
x[[1 ;; -2, All]]
a == b == c
a < b <= c
a === b
!a && b || c
a | b ..
"a" <> "b"
s ~~ t
f @* g
i++
--i
x!
a . b
f[x][y]
F::usage
a /. b -> c
(a -> b) -> c
a += 1
1.5`20*^3
"a\\"b"
"""


@pytest.mark.parametrize("text", AS_WRITTEN.strip().splitlines())
def test_input_form_is_what_people_write(text: str) -> None:
    (expression,) = parse_strict(text)
    assert input_form(expression) == text


@settings(max_examples=400, deadline=None)
@given(expressions())
def test_what_is_printed_reads_back_as_the_same(expression: Expression) -> None:
    for text in (full_form(expression), input_form(expression)):
        (again,) = parse_strict(text)
        assert are_equal(again, expression)


def test_full_form_has_every_head() -> None:
    (expression,) = parse_strict('{a + b, f[#], "s"} -> -1')
    assert full_form(expression) == 'Rule[List[Plus[a, b], f[Slot[1]], "s"], -1]'


def test_heads_with_a_sign_is_in_parentheses() -> None:
    (expression,) = parse_strict("(-1)[x]")
    assert full_form(expression) == input_form(expression) == "(-1)[x]"


def test_expressions_of_ones_own_are_printed() -> None:
    made = call("Rule", string('say "\\"'), call(call("f", symbol("x")), symbol("y")))
    assert input_form(made) == '"say \\"\\\\\\"" -> f[x][y]'
