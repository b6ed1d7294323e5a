"""Questions of calculus and algebra put to the engine, and its answers borne out by numbers.

Calculus and algebra: what the engine gives, when numbers bear it out.

Functions of one variable only.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline import numeric_checks
from paddock.toolkits.alpha.offline.arithmetic import (
    UnknownFormError,
    list_assumptions,
    parse_result,
    parse_solutions,
)
from paddock.toolkits.alpha.offline.exact import (
    NotPolynomialError,
    get_coefficients,
    has_rational_root,
    is_squarefree,
)
from paddock.toolkits.alpha.offline.formulas import (
    FormulaCall,
    FormulaName,
    FormulaNumber,
    FormulaSyntaxError,
    NoValueError,
    evaluate_formula,
    find_variables,
    parse_formula,
    to_number,
    to_wolfram_code,
)
from paddock.toolkits.alpha.offline.offline_answer import ROUNDED_DIGITS, OfflineAnswer

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from paddock.toolkits.alpha.offline.formulas import Formula
    from paddock.toolkits.alpha.offline.offline_answer import EngineResult, EvaluateCode


MAX_EQUATION_DEGREE = 6
"""Of equations."""
_NEAR_DISTANCES = (1e-2, 1e-3, 1e-4, 1e-5)
_FAR_POINTS = (1e2, 1e3, 1e4, 1e5, 1e6)
_CUBIC_DEGREE = 3
CONSTANT_NOTE = "The constant of integration is left out."
COMPLEX_NOTE = "With complex solutions."


class UnverifiedResultError(ValueError):
    """The engine gives nothing, or nothing that is borne out."""


class FormulaQuestion(NamedTuple):
    """What is asked about a formula of one variable."""

    formula: Formula
    variable: str
    start: Formula | float | None = None
    """A limit; a float is infinite."""
    end: Formula | float | None = None


class VerifiedResult(NamedTuple):
    """What was found, and borne out."""

    text: str
    engine: str
    notes: tuple[str, ...] = ()


def differentiate(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """The derivative."""
    found = _evaluate_code(evaluate, f"D[{to_wolfram_code(question.formula)}, {question.variable}]")
    _require_verified(
        numeric_checks.is_derivative(parse_result(found.text), question.formula, question.variable)
    )
    return VerifiedResult(found.text, found.engine)


def differentiate_twice(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """The second derivative, by way of the first."""
    first = _evaluate_code(evaluate, f"D[{to_wolfram_code(question.formula)}, {question.variable}]")
    formula = parse_result(first.text)
    _require_verified(numeric_checks.is_derivative(formula, question.formula, question.variable))
    return differentiate(question._replace(formula=formula), evaluate)


def integrate(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """An integral, with limits or without."""
    name = question.variable
    if question.start is None or question.end is None:
        found = _evaluate_code(evaluate, f"Integrate[{to_wolfram_code(question.formula)}, {name}]")
        _require_verified(
            numeric_checks.is_derivative(question.formula, parse_result(found.text), name)
        )
        return VerifiedResult(found.text, found.engine, (CONSTANT_NOTE,))
    start, end = _get_limit_value(question.start), _get_limit_value(question.end)
    if not start < end:
        raise UnverifiedResultError("limits that are not in order")
    estimate = numeric_checks.estimate_integral(question.formula, name, start, end)
    limits = f"{{{name}, {_format_limit(question.start)}, {_format_limit(question.end)}}}"
    found = _evaluate_code(evaluate, f"Integrate[{to_wolfram_code(question.formula)}, {limits}]")
    _require_verified(
        estimate is not None
        and numeric_checks.is_close(evaluate_formula(parse_result(found.text), {}), estimate)
    )
    return VerifiedResult(_append_decimal(found), found.engine)


def find_limit(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """A limit from both sides, or at infinity."""
    if question.end is None:
        raise UnverifiedResultError("no place")
    name, place = question.variable, _get_limit_value(question.end)
    found = _evaluate_code(
        evaluate,
        f"Limit[{to_wolfram_code(question.formula)}, {name} -> {_format_limit(question.end)}]",
    )
    result = evaluate_formula(parse_result(found.text), {})
    if result.imag:
        raise UnverifiedResultError("not real")
    if math.isinf(place):
        sides = [[math.copysign(one, place) for one in _FAR_POINTS]]
    else:
        sides = [[place + sign * one for one in _NEAR_DISTANCES] for sign in (1, -1)]
    for points in sides:
        _require_verified(
            numeric_checks.approaches_limit(question.formula, name, points, result.real)
        )
    return VerifiedResult(_append_decimal(found), found.engine)


def solve_equation(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """All solutions of an equation with polynomials."""
    polynomial = get_coefficients(question.formula, question.variable)
    degree = len(polynomial) - 1
    if not 1 <= degree <= MAX_EQUATION_DEGREE:
        raise UnverifiedResultError("every number, none, or too many")
    found = _evaluate_code(
        evaluate, f"Solve[{to_wolfram_code(question.formula)} == 0, {question.variable}]"
    )
    solutions = [
        evaluate_formula(one, {}) for one in parse_solutions(found.text, question.variable)
    ]
    _require_verified(_are_all_roots(solutions, polynomial))
    is_complex = any(abs(one.imag) > numeric_checks.TOLERANCE for one in solutions)
    rules = found.text.replace("->", "=").removeprefix("{{").removesuffix("}}").split("}, {")
    shown = " or ".join(dict.fromkeys(rules))  # a double root is listed twice
    return VerifiedResult(shown, found.engine, (COMPLEX_NOTE,) if is_complex else ())


def factorize(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """A polynomial as a product of irreducible ones, over the whole numbers."""
    get_coefficients(question.formula, question.variable)
    found = _evaluate_code(evaluate, f"Factor[{to_wolfram_code(question.formula)}]")
    result = parse_result(found.text)
    _require_verified(numeric_checks.have_equal_values(result, question.formula, question.variable))
    for factor in _list_factors(result):
        _require_verified(_is_irreducible(factor, question.variable))
    return VerifiedResult(found.text, found.engine)


def expand(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """A polynomial as a sum of powers."""
    polynomial = get_coefficients(question.formula, question.variable)
    found = _evaluate_code(evaluate, f"Expand[{to_wolfram_code(question.formula)}]")
    result = parse_result(found.text)
    _require_verified(
        get_coefficients(result, question.variable) == polynomial and _is_expanded(result)
    )
    return VerifiedResult(found.text, found.engine)


def simplify(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """A shorter form of the same function."""
    found = _evaluate_code(evaluate, f"Simplify[{to_wolfram_code(question.formula)}]")
    _require_verified(
        numeric_checks.have_equal_values(
            parse_result(found.text), question.formula, question.variable
        )
    )
    return VerifiedResult(found.text, found.engine)


def _evaluate_code(evaluate: EvaluateCode, text: str) -> EngineResult:
    found = evaluate(text)
    if found is None:
        raise UnverifiedResultError("no engine, or no value")
    return found


def _require_verified(is_true: bool) -> None:
    if not is_true:
        raise UnverifiedResultError("the engine's answer is not borne out")


def _get_limit_value(limit_: Formula | float) -> float:
    if isinstance(limit_, float):
        return limit_
    if find_variables(limit_):
        raise UnverifiedResultError("a variable as a limit")
    found = evaluate_formula(limit_, {})
    if found.imag:
        raise NoValueError("not real")
    return found.real


def _format_limit(limit_: Formula | float) -> str:
    if isinstance(limit_, float):
        return "Infinity" if limit_ > 0 else "-Infinity"
    return to_wolfram_code(limit_)


def _append_decimal(found: EngineResult) -> str:
    """A value, and its decimals unless it is a whole number."""
    number = evaluate_formula(parse_result(found.text), {})
    is_whole = found.text.lstrip("-").isdigit()
    return found.text if is_whole else f"{found.text} \u2248 {number.real:.{ROUNDED_DIGITS - 2}g}"


def _are_all_roots(solutions: list[complex], polynomial: list[Fraction]) -> bool:
    """Whether these are the roots of a polynomial, each once, and no others."""
    distinct: list[complex] = []
    for one in solutions:
        if not any(numeric_checks.is_close(one, other) for other in distinct):
            distinct.append(one)
    if is_squarefree(polynomial):
        known = numeric_checks.find_polynomial_roots(polynomial)
        return known is not None and _are_same_roots(distinct, known)
    plain = [float(one / polynomial[0]) for one in polynomial]
    return _are_roots_with_multiplicity(distinct, plain)


def _are_same_roots(some: list[complex], others: list[complex]) -> bool:
    return len(some) == len(others) and all(
        any(numeric_checks.is_close(one, other) for other in others) for one in some
    )


def _are_roots_with_multiplicity(distinct: list[complex], monic: list[float]) -> bool:
    """Whether dividing by each root as often as it goes leaves nothing but a number."""
    rest: list[complex] = [*monic]
    for root in distinct:
        before = len(rest)
        while len(rest) > 1 and abs(_evaluate_polynomial(rest, root)) < numeric_checks.TOLERANCE:
            rest = _divide_by_root(rest, root)
        if len(rest) == before:
            return False
    return len(rest) == 1


def _evaluate_polynomial(polynomial: list[complex], x: complex) -> complex:
    found: complex = 0
    for one in polynomial:
        found = found * x + one
    return found


def _divide_by_root(polynomial: list[complex], root: complex) -> list[complex]:
    found: list[complex] = []
    for one in polynomial[:-1]:
        found.append((found[-1] * root if found else 0) + one)
    return found


def _list_factors(formula: Formula) -> list[Formula]:
    """The factors of a product, powers by what they are powers of."""
    if isinstance(formula, FormulaCall) and formula.head == "Times":
        return [one for arg in formula.arguments for one in _list_factors(arg)]
    if isinstance(formula, FormulaCall) and formula.head == "Power":
        return _list_factors(formula.arguments[0])
    return [formula]


def _is_irreducible(factor: Formula, name: str) -> bool:
    polynomial = get_coefficients(factor, name)
    degree = len(polynomial) - 1
    if degree > 0 and math.gcd(*(one.numerator for one in polynomial)) > 1:
        return False
    return degree <= 1 or (degree <= _CUBIC_DEGREE and not has_rational_root(polynomial))


def _is_expanded(formula: Formula) -> bool:
    """Whether no sum is inside of a product or power."""
    terms = (
        formula.arguments
        if isinstance(formula, FormulaCall) and formula.head == "Plus"
        else (formula,)
    )
    return not any(_has_sum(term) for term in terms)


def _has_sum(formula: Formula) -> bool:
    if isinstance(formula, FormulaNumber | FormulaName):
        return False
    return formula.head == "Plus" or any(_has_sum(arg) for arg in formula.arguments)


_VARIABLE_CLAUSE = r"(?: (?:with respect to|wrt) (?P<name>[a-z]))?"
_LIMITS_CLAUSE = r"(?: from (?:(?P<in>[a-z]) ?= ?)?(?P<start>[^=]+?) to (?P<end>[^=]+?))?"
_PHRASES = (
    (rf"(?:first )?derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (rf"differentiate (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (r"d/d(?P<name>[a-z]) ?(?P<formula>[^=]+)", "derivative"),
    (rf"second derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "second derivative"),
    (
        rf"(?:integrate|integral of|antiderivative of) (?P<formula>[^=]+?){_VARIABLE_CLAUSE}{_LIMITS_CLAUSE}",
        "integral",
    ),
    (r"solve (?P<formula>[^=]+)=(?P<right>[^=]+?)(?: for (?P<name>[a-z]))?", "roots"),
    (r"(?:roots|zeros|zeroes) of (?P<formula>[^=]+)", "roots"),
    (r"(?P<formula>[^=]+)=(?P<right>[^=]+)", "roots"),
    (r"factor(?:ize|ise)? (?P<formula>[^=]+)", "factors"),
    (r"expand (?P<formula>[^=]+)", "expansion"),
    (r"simplify (?P<formula>[^=]+)", "simplification"),
    (
        (
            r"limit of (?P<formula>[^=]+?) as (?P<name>[a-z]) ?"
            r"(?:->|\u2192|approaches|goes to|tends to) ?(?P<end>[^=]+)"
        ),
        "limit",
    ),
    (
        r"lim(?:it)? (?P<name>[a-z]) ?(?:->|\u2192) ?(?P<end>\S+) (?:of )?(?P<formula>[^=]+)",
        "limit",
    ),
)
_INFINITY_VALUES = {
    **dict.fromkeys(("infinity", "inf", "\u221e", "+infinity", "oo"), float("inf")),
    **dict.fromkeys(("-infinity", "-inf", "-\u221e", "minus infinity", "-oo"), -float("inf")),
}
_SOLVERS: dict[str, Callable[[FormulaQuestion, EvaluateCode], VerifiedResult]] = {
    "derivative": differentiate,
    "second derivative": differentiate_twice,
    "integral": integrate,
    "roots": solve_equation,
    "factors": factorize,
    "expansion": expand,
    "simplification": simplify,
    "limit": find_limit,
}


def answer_symbolic(text: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """The answer to a question of calculus or algebra."""
    for pattern, kind in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            try:
                question = _parse_question(text, found.groupdict())
                finding = _SOLVERS[kind](question, evaluate)
            except (
                *(FormulaSyntaxError, UnknownFormError, NoValueError, NotPolynomialError),
                *(UnverifiedResultError, ArithmeticError, RecursionError),
            ):
                return None
            notes = (*list_assumptions(question.formula), *finding.notes)
            return OfflineAnswer(text, finding.text, notes, f"{finding.engine}, checked by Paddock")
    return None


def _parse_question(text: str, parts: dict[str, str | None]) -> FormulaQuestion:
    """What is asked, if there is one variable and everything can be read.

    Raises:
        UnreadableError: when it is not so.
    """
    written = parts["formula"] or ""
    without = re.fullmatch(r"(.+?) ?d([a-z])", written)
    name = parts.get("name")
    if without and text.lower().startswith("integra"):
        written = without[1]
        name = name or without[2]
    formula = parse_formula(written)
    right = parts.get("right")
    if right is not None:
        formula = FormulaCall(
            "Plus", (formula, FormulaCall("Times", (to_number(-1), parse_formula(right))))
        )
    found = sorted(find_variables(formula))
    if len(found) != 1 or {name, parts.get("in")} - {None, found[0]}:
        raise FormulaSyntaxError("not one variable")
    limits = [_parse_limit(parts.get(key)) for key in ("start", "end")]
    return FormulaQuestion(formula, found[0], *limits)


def _parse_limit(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    plain = text.strip().lower()
    return _INFINITY_VALUES[plain] if plain in _INFINITY_VALUES else parse_formula(text)
