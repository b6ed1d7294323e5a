"""Answers without the service: right ones, and none where one cannot be sure."""

import datetime
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.kernels.kernel import EvaluationLimits, Kernel
from paddock.kernels.wolfram.engines import find_woxi
from paddock.toolkits.alpha.offline import EngineResult, answer_offline
from tests.alpha.phrases import ANSWERED, REFUSED, WITH_AN_ENGINE

LIMITS = EvaluationLimits(seconds=10)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    """One kernel for all questions, which leave nothing behind."""
    found = find_woxi().start(LIMITS)
    yield found
    found.close()


def result(kernel: Kernel | None, query: str) -> str | None:
    """The result for a question; without a kernel, no engine is there."""

    def evaluate(code: str) -> EngineResult | None:
        if kernel is None:
            return None
        outcome = kernel.evaluate(code, LIMITS)
        is_fine = outcome.status == "done" and outcome.result and not outcome.outputs
        return EngineResult(outcome.result or "", "Woxi") if is_fine else None

    found = answer_offline(query, evaluate)
    return None if found is None else found.result


@pytest.mark.parametrize("query", ANSWERED)
def test_what_is_sure_is_right(kernel: Kernel, query: str) -> None:
    assert result(kernel, query) == ANSWERED[query]


@pytest.mark.parametrize("query", WITH_AN_ENGINE)
def test_an_engine_answers_what_numbers_bear_out(kernel: Kernel, query: str) -> None:
    assert result(kernel, query) == WITH_AN_ENGINE[query]
    assert result(None, query) is None


@pytest.mark.parametrize("query", REFUSED)
def test_what_is_not_sure_is_not_answered(kernel: Kernel, query: str) -> None:
    assert result(kernel, query) is None


@pytest.mark.parametrize(
    ("query", "lie"),
    [
        ("derivative of x^2", "3*x"),
        ("integrate x^2", "x^3/4"),
        ("integral of x^2 from 0 to 1", "1/2"),
        ("integrate 1/x from -1 to 1", "(-I)*Pi"),
        ("solve x^2 - 5x + 6 = 0", "{{x -> 2}, {x -> 4}}"),
        ("solve x^2 - 5x + 6 = 0", "{{x -> 2}}"),
        ("x^2 - 2x + 1 = 0", "{{x -> 1}, {x -> 2}}"),
        ("x^3 - 3x + 2 = 0", "{{x -> 1}}"),
        ("factor x^2 - 5x + 6", "6 - 5*x + x^2"),
        ("factor x^4 + 4", "4 + x^4"),
        ("factor 2x^2 - 8", "2*(-2 + x)*(4 + 2*x)/2"),
        ("expand (x+1)^2", "1 + x^2"),
        ("expand (x+1)^2", "(1 + x)^2"),
        ("simplify sin(x)^2 + cos(x)^2", "2"),
        ("limit of sin(x)/x as x -> 0", "0"),
        ("limit of 1/x as x -> 0", "Infinity"),
        ("derivative of x^2", "D[x^2, x]"),
        ("derivative of x^2", "2*x +"),
        ("sin(pi)", "1"),
    ],
)
def test_a_wrong_answer_of_an_engine_is_not_passed_on(query: str, lie: str) -> None:
    assert answer_offline(query, lambda _: EngineResult(lie, "Liar")) is None


def test_an_answer_says_how_it_was_understood_and_what_was_taken_for_granted() -> None:
    found = answer_offline("sin(1)", lambda _: None)
    assert found is not None
    assert found.markdown_pieces == (
        *("# Input interpretation", "sin(1)", "# Result", "≈ 0.8414709848", "# Notes"),
        "Angles without a degree sign are taken to be in radians.",
    )
    assert found.attribution == "Offline: computed by Paddock, not by Wolfram|Alpha."


def test_today_is_the_day_of_this_machine() -> None:
    before = datetime.datetime.now().astimezone().date()
    found = answer_offline("days since 2000-01-01", lambda _: None)
    after = datetime.datetime.now().astimezone().date()
    assert found is not None
    days = {(day - datetime.date(2000, 1, 1)).days for day in (before, after)}
    assert found.result in {f"{count} days" for count in days}
    assert "by the clock of the machine" in found.notes[0]


numbers = st.integers(0, 10**6)
signs = st.sampled_from("+-*/")


@given(first=numbers, one=signs, second=numbers, other=signs, third=numbers)
def test_exact_arithmetic_is_that_of_fractions(
    first: int, one: str, second: int, other: str, third: int
) -> None:
    query = f"({first} {one} {second}) {other} {third}"
    work = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
    }
    found = result(None, query)
    try:
        expected = work[other](work[one](Fraction(first), Fraction(second)), Fraction(third))
    except ZeroDivisionError:
        assert found is None
    else:
        assert found is not None
        assert Fraction(found.partition(" ")[0]) == expected


@given(st.lists(st.tuples(signs, st.integers(1, 99)), min_size=1, max_size=6), st.integers(1, 99))
def test_signs_bind_as_everyone_expects(more: list[tuple[str, int]], first: int) -> None:
    query = str(first) + "".join(f" {sign} {number}" for sign, number in more)
    terms = [Fraction(first)]
    for sign, number in more:
        if sign in "+-":
            terms.append(Fraction(number if sign == "+" else -number))
        else:
            terms[-1] *= Fraction(number) if sign == "*" else Fraction(1, number)
    found = result(None, query)
    assert found is not None
    assert Fraction(found.partition(" ")[0]) == sum(terms)


@given(st.text(alphabet="0123456789+-*/^().,!% xyesincoqrt°=", max_size=30))
def test_no_text_makes_it_fail(text: str) -> None:
    found = answer_offline(text, lambda _: None)
    assert found is None or found.result
