"""Questions of calculus and algebra put to the engine, and its answers borne out by numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline import checking
from paddock.toolkits.alpha.offline.engine_text import read_result, read_solutions
from paddock.toolkits.alpha.offline.formulas import (
    Call,
    Name,
    NoValueError,
    Number,
    code,
    value,
    variables,
)
from paddock.toolkits.alpha.offline.numbers import DIGITS
from paddock.toolkits.alpha.offline.polynomials import (
    coefficients,
    has_rational_root,
    is_squarefree,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from paddock.toolkits.alpha.offline.answer import Evaluate, Evaluated
    from paddock.toolkits.alpha.offline.formulas import Formula

MOST_DEGREE = 6
"""Of equations."""
_NEXT_TO = (1e-2, 1e-3, 1e-4, 1e-5)
_FAR = (1e2, 1e3, 1e4, 1e5, 1e6)
_CUBIC = 3
CONSTANT = "The constant of integration is left out."
COMPLEX = "With complex solutions."


class UnsureError(ValueError):
    """The engine gives nothing, or nothing that is borne out."""


class Question(NamedTuple):
    """What is asked about a formula of one variable."""

    formula: Formula
    name: str
    start: Formula | float | None = None
    """A limit; a float is infinite."""
    end: Formula | float | None = None


class Finding(NamedTuple):
    """What was found, and borne out."""

    text: str
    engine: str
    notes: tuple[str, ...] = ()


def derivative(question: Question, evaluate: Evaluate) -> Finding:
    """The derivative."""
    found = _evaluated(evaluate, f"D[{code(question.formula)}, {question.name}]")
    _bear_out(checking.is_derivative(read_result(found.text), question.formula, question.name))
    return Finding(found.text, found.engine)


def second_derivative(question: Question, evaluate: Evaluate) -> Finding:
    """The second derivative, by way of the first."""
    first = _evaluated(evaluate, f"D[{code(question.formula)}, {question.name}]")
    formula = read_result(first.text)
    _bear_out(checking.is_derivative(formula, question.formula, question.name))
    return derivative(question._replace(formula=formula), evaluate)


def integral(question: Question, evaluate: Evaluate) -> Finding:
    """An integral, with limits or without."""
    name = question.name
    if question.start is None or question.end is None:
        found = _evaluated(evaluate, f"Integrate[{code(question.formula)}, {name}]")
        _bear_out(checking.is_derivative(question.formula, read_result(found.text), name))
        return Finding(found.text, found.engine, (CONSTANT,))
    start, end = _place(question.start), _place(question.end)
    if not start < end:
        raise UnsureError("limits that are not in order")
    estimate = checking.integral(question.formula, name, start, end)
    limits = f"{{{name}, {_code(question.start)}, {_code(question.end)}}}"
    found = _evaluated(evaluate, f"Integrate[{code(question.formula)}, {limits}]")
    _bear_out(estimate is not None and checking.near(value(read_result(found.text), {}), estimate))
    return Finding(_with_decimal(found), found.engine)


def limit(question: Question, evaluate: Evaluate) -> Finding:
    """A limit from both sides, or at infinity."""
    if question.end is None:
        raise UnsureError("no place")
    name, place = question.name, _place(question.end)
    found = _evaluated(
        evaluate, f"Limit[{code(question.formula)}, {name} -> {_code(question.end)}]"
    )
    result = value(read_result(found.text), {})
    if result.imag:
        raise UnsureError("not real")
    if math.isinf(place):
        sides = [[math.copysign(one, place) for one in _FAR]]
    else:
        sides = [[place + sign * one for one in _NEXT_TO] for sign in (1, -1)]
    for points in sides:
        _bear_out(checking.approaches(question.formula, name, points, result.real))
    return Finding(_with_decimal(found), found.engine)


def roots(question: Question, evaluate: Evaluate) -> Finding:
    """All solutions of an equation with polynomials."""
    polynomial = coefficients(question.formula, question.name)
    degree = len(polynomial) - 1
    if not 1 <= degree <= MOST_DEGREE:
        raise UnsureError("every number, none, or too many")
    found = _evaluated(evaluate, f"Solve[{code(question.formula)} == 0, {question.name}]")
    solutions = [value(one, {}) for one in read_solutions(found.text, question.name)]
    _bear_out(_are_all(solutions, polynomial))
    is_complex = any(abs(one.imag) > checking.TOLERANCE for one in solutions)
    rules = found.text.replace("->", "=").removeprefix("{{").removesuffix("}}").split("}, {")
    shown = " or ".join(dict.fromkeys(rules))  # a double root is listed twice
    return Finding(shown, found.engine, (COMPLEX,) if is_complex else ())


def factors(question: Question, evaluate: Evaluate) -> Finding:
    """A polynomial as a product of irreducible ones, over the whole numbers."""
    coefficients(question.formula, question.name)
    found = _evaluated(evaluate, f"Factor[{code(question.formula)}]")
    result = read_result(found.text)
    _bear_out(checking.are_equal(result, question.formula, question.name))
    for factor in _factors(result):
        _bear_out(_is_irreducible(factor, question.name))
    return Finding(found.text, found.engine)


def expansion(question: Question, evaluate: Evaluate) -> Finding:
    """A polynomial as a sum of powers."""
    polynomial = coefficients(question.formula, question.name)
    found = _evaluated(evaluate, f"Expand[{code(question.formula)}]")
    result = read_result(found.text)
    _bear_out(coefficients(result, question.name) == polynomial and _is_expanded(result))
    return Finding(found.text, found.engine)


def simplification(question: Question, evaluate: Evaluate) -> Finding:
    """A shorter form of the same function."""
    found = _evaluated(evaluate, f"Simplify[{code(question.formula)}]")
    _bear_out(checking.are_equal(read_result(found.text), question.formula, question.name))
    return Finding(found.text, found.engine)


def _evaluated(evaluate: Evaluate, text: str) -> Evaluated:
    found = evaluate(text)
    if found is None:
        raise UnsureError("no engine, or no value")
    return found


def _bear_out(is_true: bool) -> None:
    if not is_true:
        raise UnsureError("the engine's answer is not borne out")


def _place(limit_: Formula | float) -> float:
    if isinstance(limit_, float):
        return limit_
    if variables(limit_):
        raise UnsureError("a variable as a limit")
    found = value(limit_, {})
    if found.imag:
        raise NoValueError("not real")
    return found.real


def _code(limit_: Formula | float) -> str:
    if isinstance(limit_, float):
        return "Infinity" if limit_ > 0 else "-Infinity"
    return code(limit_)


def _with_decimal(found: Evaluated) -> str:
    """A value, and its decimals unless it is a whole number."""
    number = value(read_result(found.text), {})
    is_whole = found.text.lstrip("-").isdigit()
    return found.text if is_whole else f"{found.text} \u2248 {number.real:.{DIGITS - 2}g}"


def _are_all(solutions: list[complex], polynomial: list[Fraction]) -> bool:
    """Whether these are the roots of a polynomial, each once, and no others."""
    distinct: list[complex] = []
    for one in solutions:
        if not any(checking.near(one, other) for other in distinct):
            distinct.append(one)
    if is_squarefree(polynomial):
        known = checking.roots(polynomial)
        return known is not None and _are_same(distinct, known)
    plain = [float(one / polynomial[0]) for one in polynomial]
    return _are_same_with_multiples(distinct, plain)


def _are_same(some: list[complex], others: list[complex]) -> bool:
    return len(some) == len(others) and all(
        any(checking.near(one, other) for other in others) for one in some
    )


def _are_same_with_multiples(distinct: list[complex], monic: list[float]) -> bool:
    """Whether dividing by each root as often as it goes leaves nothing but a number."""
    rest: list[complex] = [*monic]
    for root in distinct:
        before = len(rest)
        while len(rest) > 1 and abs(_at(rest, root)) < checking.TOLERANCE:
            rest = _divided(rest, root)
        if len(rest) == before:
            return False
    return len(rest) == 1


def _at(polynomial: list[complex], x: complex) -> complex:
    found: complex = 0
    for one in polynomial:
        found = found * x + one
    return found


def _divided(polynomial: list[complex], root: complex) -> list[complex]:
    found: list[complex] = []
    for one in polynomial[:-1]:
        found.append((found[-1] * root if found else 0) + one)
    return found


def _factors(formula: Formula) -> list[Formula]:
    """The factors of a product, powers by what they are powers of."""
    if isinstance(formula, Call) and formula.head == "Times":
        return [one for arg in formula.args for one in _factors(arg)]
    if isinstance(formula, Call) and formula.head == "Power":
        return _factors(formula.args[0])
    return [formula]


def _is_irreducible(factor: Formula, name: str) -> bool:
    polynomial = coefficients(factor, name)
    degree = len(polynomial) - 1
    if degree > 0 and math.gcd(*(one.numerator for one in polynomial)) > 1:
        return False
    return degree <= 1 or (degree <= _CUBIC and not has_rational_root(polynomial))


def _is_expanded(formula: Formula) -> bool:
    """Whether no sum is inside of a product or power."""
    terms = formula.args if isinstance(formula, Call) and formula.head == "Plus" else (formula,)
    return not any(_has_sum(term) for term in terms)


def _has_sum(formula: Formula) -> bool:
    if isinstance(formula, Number | Name):
        return False
    return formula.head == "Plus" or any(_has_sum(arg) for arg in formula.args)
