"""Offline answers of calculus and algebra: results of an engine that pass a numeric check.

Formulas have one variable.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.arithmetic import (
    list_assumptions,
    parse_result,
    parse_solutions,
)
from paddock.toolkits.alpha.offline.exact import (
    evaluate_polynomial,
    get_coefficients,
    has_rational_root,
    is_squarefree,
)
from paddock.toolkits.alpha.offline.formulas import (
    FormulaCall,
    evaluate_formula,
    find_calls,
    find_variables,
    negate,
    parse_formula,
    to_wolfram_code,
)
from paddock.toolkits.alpha.offline.numeric_checks import (
    TOLERANCE,
    approaches_limit,
    estimate_integral,
    find_polynomial_roots,
    have_equal_values,
    is_close,
    is_derivative,
)
from paddock.toolkits.alpha.offline.offline_answer import (
    ROUNDED_DIGITS,
    EngineResult,
    OfflineAnswer,
    UncertainAnswerError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from paddock.toolkits.alpha.offline.formulas import Formula
    from paddock.toolkits.alpha.offline.offline_answer import EvaluateCode


MAX_EQUATION_DEGREE = 6
_NEAR_DISTANCES = (1e-2, 1e-3, 1e-4, 1e-5)
_FAR_POINTS = (1e2, 1e3, 1e4, 1e5, 1e6)
# The highest degree at which missing rational roots prove that a polynomial is irreducible.
_CUBIC_DEGREE = 3
CONSTANT_NOTE = "The constant of integration is omitted."
COMPLEX_NOTE = "With complex solutions."
_FORMULA = r"(?P<formula>[^=]+?)"
_INTEGRATE = r"(?:integrate|integral of|antiderivative of)"
_ARROW = r"(?:->|\u2192)"
_APPROACHES = rf"(?:{_ARROW}|approaches|goes to|tends to)"
_VARIABLE_CLAUSE = r"(?: (?:with respect to|wrt) (?P<name>[a-z]))?"
_LIMITS_CLAUSE = r"(?: from (?:(?P<in>[a-z]) ?= ?)?(?P<start>[^=]+?) to (?P<end>[^=]+?))?"
_INFINITY_VALUES = {
    **dict.fromkeys(("infinity", "inf", "\u221e", "+infinity", "oo"), float("inf")),
    **dict.fromkeys(("-infinity", "-inf", "-\u221e", "minus infinity", "-oo"), -float("inf")),
}


class FormulaQuestion(NamedTuple):
    """A question about a formula of one variable.

    `start` and `end` are the limits of an integral. For a limit, only `end` is set, to the point.
    """

    formula: Formula
    variable: str
    start: Formula | float | None = None
    """The start of an interval; a float is infinite."""
    end: Formula | float | None = None

    @property
    def code(self) -> str:
        """The formula as Wolfram Language code."""
        return to_wolfram_code(self.formula)


def differentiate(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the derivative of a formula, compared with finite differences."""
    return _evaluate_verified(
        evaluate,
        f"D[{question.code}, {question.variable}]",
        lambda result: is_derivative(result, question.formula, question.variable),
    )


def differentiate_twice(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the second derivative of a formula.

    Both derivatives are computed and verified one after the other, because the check covers only
    first derivatives.
    """
    first = differentiate(question, evaluate)
    return differentiate(question._replace(formula=parse_result(first.text)), evaluate)


def integrate(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the definite or indefinite integral of a formula.

    The derivative of an indefinite integral must be the formula. A definite integral must agree
    with numeric quadrature.
    """
    name = question.variable
    if question.start is None or question.end is None:
        result = _evaluate_verified(
            evaluate,
            f"Integrate[{question.code}, {name}]",
            lambda result: is_derivative(question.formula, result, name),
        )
        return result._replace(notes=(CONSTANT_NOTE,))
    start, end = _get_limit_value(question.start), _get_limit_value(question.end)
    if not start < end:
        raise UncertainAnswerError("the limits are not in order")
    # Engines return values for divergent integrals: woxi 0.3 does so for 1/x from -1 to 1. The
    # estimate does not converge for them.
    estimate = estimate_integral(question.formula, name, start, end)
    if estimate is None:
        raise UncertainAnswerError("the integral may be infinite")
    limits = f"{{{name}, {_format_limit(question.start)}, {_format_limit(question.end)}}}"
    result = _evaluate_verified(
        evaluate,
        f"Integrate[{question.code}, {limits}]",
        lambda result: is_close(evaluate_formula(result, {}), estimate),
    )
    return _append_decimal(result)


def find_limit(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the two-sided limit of a formula, or its limit at infinity.

    The formula must approach the engine's result at points that come closer to the limit point,
    from both sides if it is finite.
    """
    if question.end is None:
        raise UncertainAnswerError("the point is missing")
    name, point = question.variable, _get_limit_value(question.end)
    # At infinity there is one side to check, at a finite point there are two.
    if math.isinf(point):
        sides = [[math.copysign(magnitude, point) for magnitude in _FAR_POINTS]]
    else:
        sides = [[point + sign * distance for distance in _NEAR_DISTANCES] for sign in (1, -1)]

    def is_limit(result: Formula) -> bool:
        limit = evaluate_formula(result, {})
        return not limit.imag and all(
            approaches_limit(question.formula, name, points, limit.real) for points in sides
        )

    code = f"Limit[{question.code}, {name} -> {_format_limit(question.end)}]"
    return _append_decimal(_evaluate_verified(evaluate, code, is_limit))


def solve_equation(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return all solutions of a polynomial equation, real and complex."""
    polynomial = get_coefficients(question.formula, question.variable)
    if not 1 <= len(polynomial) - 1 <= MAX_EQUATION_DEGREE:
        raise UncertainAnswerError("the degree is zero or too high")
    result = _evaluate_code(evaluate, f"Solve[{question.code} == 0, {question.variable}]")
    solutions = [
        evaluate_formula(solution, {})
        for solution in parse_solutions(result.text, question.variable)
    ]
    if not _are_all_roots(solutions, polynomial):
        raise UncertainAnswerError("the engine's solutions are not the roots")
    is_complex = any(abs(solution.imag) > TOLERANCE for solution in solutions)
    rules = result.text.replace("->", "=").removeprefix("{{").removesuffix("}}").split("}, {")
    shown = " or ".join(dict.fromkeys(rules))  # a double root is listed twice
    return EngineResult(shown, result.engine, (COMPLEX_NOTE,) if is_complex else ())


def factorize(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return a polynomial as a product of irreducible factors with integer coefficients.

    The product must equal the polynomial, and each factor must be irreducible, so that the answer
    is complete.
    """
    # Raises an error for formulas that are not polynomials.
    get_coefficients(question.formula, question.variable)
    return _evaluate_verified(
        evaluate,
        f"Factor[{question.code}]",
        lambda result: (
            have_equal_values(result, question.formula, question.variable)
            and all(_is_irreducible(factor, question.variable) for factor in _list_factors(result))
        ),
    )


def expand(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return a polynomial as a sum of powers."""
    polynomial = get_coefficients(question.formula, question.variable)
    return _evaluate_verified(
        evaluate,
        f"Expand[{question.code}]",
        lambda result: (
            get_coefficients(result, question.variable) == polynomial and _is_expanded(result)
        ),
    )


def simplify(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return a simpler form of the same function.

    Only the equality of both forms is verified.
    """
    return _evaluate_verified(
        evaluate,
        f"Simplify[{question.code}]",
        lambda result: have_equal_values(result, question.formula, question.variable),
    )


def _evaluate_code(evaluate: EvaluateCode, code: str) -> EngineResult:
    result = evaluate(code)
    if result is None:
        raise UncertainAnswerError("there is no engine, or no result")
    return result


def _evaluate_verified(
    evaluate: EvaluateCode, code: str, is_correct: Callable[[Formula], bool]
) -> EngineResult:
    """Return the engine's result if it passes a check.

    Raises:
        UncertainAnswerError: There is no result, or it fails the check.
    """
    result = _evaluate_code(evaluate, code)
    if not is_correct(parse_result(result.text)):
        raise UncertainAnswerError("the result of the engine fails its check")
    return result


def _get_limit_value(bound: Formula | float) -> float:
    """Return the real value of an integration limit or limit point, which may be infinite."""
    if isinstance(bound, float | int):
        return bound
    if find_variables(bound):
        raise UncertainAnswerError("a limit contains a variable")
    value = evaluate_formula(bound, {})
    if value.imag:
        raise UncertainAnswerError("not real")
    return value.real


def _format_limit(bound: Formula | float) -> str:
    if isinstance(bound, float | int):
        return "Infinity" if bound > 0 else "-Infinity"
    return to_wolfram_code(bound)


def _append_decimal(result: EngineResult) -> EngineResult:
    """Return a result with its decimal approximation, unless it is an integer."""
    if result.text.lstrip("-").isdigit():
        return result
    value = evaluate_formula(parse_result(result.text), {}).real
    return result._replace(text=f"{result.text} \u2248 {value:.{ROUNDED_DIGITS - 2}g}")


def _are_all_roots(solutions: list[complex], polynomial: list[Fraction]) -> bool:
    """Return True if solutions are exactly the roots of a polynomial.

    The roots of a polynomial without multiple roots are found numerically and compared. With
    multiple roots that method is inaccurate, so the polynomial is divided by the solutions instead.
    """
    distinct: list[complex] = []
    for solution in solutions:
        if not any(is_close(solution, other) for other in distinct):
            distinct.append(solution)
    if is_squarefree(polynomial):
        roots = find_polynomial_roots(polynomial)
        return roots is not None and _are_same_roots(distinct, roots)
    monic = [float(coefficient / polynomial[0]) for coefficient in polynomial]
    return _are_roots_with_multiplicity(distinct, monic)


def _are_same_roots(roots: list[complex], others: list[complex]) -> bool:
    return len(roots) == len(others) and all(
        any(is_close(root, other) for other in others) for root in roots
    )


def _are_roots_with_multiplicity(distinct: list[complex], monic: list[float]) -> bool:
    """Return True if dividing by each root, as often as possible, leaves a constant.

    Args:
        distinct: The roots without repetition.
        monic: The coefficients from the highest power on, with the first one equal to 1.
    """
    quotient: list[complex] = [*monic]
    for root in distinct:
        degree = len(quotient)
        while len(quotient) > 1 and abs(evaluate_polynomial(quotient, root)) < TOLERANCE:
            quotient = _divide_by_root(quotient, root)
        if len(quotient) == degree:
            return False
    return len(quotient) == 1


def _divide_by_root(polynomial: list[complex], root: complex) -> list[complex]:
    """Return the quotient of a polynomial and `x - root` by Horner's method."""
    quotient: list[complex] = []
    for coefficient in polynomial[:-1]:
        quotient.append((quotient[-1] * root if quotient else 0) + coefficient)
    return quotient


def _list_factors(formula: Formula) -> list[Formula]:
    """Return the factors of a product, with powers replaced by their bases."""
    if isinstance(formula, FormulaCall) and formula.head == "Times":
        return [factor for arg in formula.arguments for factor in _list_factors(arg)]
    if isinstance(formula, FormulaCall) and formula.head == "Power":
        return _list_factors(formula.arguments[0])
    return [formula]


def _is_irreducible(factor: Formula, name: str) -> bool:
    polynomial = get_coefficients(factor, name)
    degree = len(polynomial) - 1
    if degree > 0 and math.gcd(*(coefficient.numerator for coefficient in polynomial)) > 1:
        return False
    # A reducible polynomial of degree 2 or 3 has a linear factor, which means a rational root.
    return degree <= 1 or (degree <= _CUBIC_DEGREE and not has_rational_root(polynomial))


def _is_expanded(formula: Formula) -> bool:
    """Return True if no product or power contains a sum."""
    terms = (
        formula.arguments
        if isinstance(formula, FormulaCall) and formula.head == "Plus"
        else (formula,)
    )
    return not any(find_calls(term, frozenset({"Plus"})) for term in terms)


def answer_symbolic(text: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """Answer a question of calculus or algebra, or return None.

    The first phrase that matches decides on the kind of question.

    Raises:
        UncertainAnswerError: The formula is ambiguous, or the result fails its check.
    """
    for pattern, solve in _PHRASES:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            question = _parse_question(text, match.groupdict())
            result = solve(question, evaluate)
            notes = (*list_assumptions(question.formula), *result.notes)
            return OfflineAnswer(text, result.text, notes, f"{result.engine}, checked by Paddock")
    return None


def _parse_question(text: str, parts: dict[str, str | None]) -> FormulaQuestion:
    """Parse the formula and limits of a question.

    An equation is converted to a formula that is zero at its solutions. A differential at the end
    of an integrand, as in `x^2 dx`, names the variable.

    Raises:
        UncertainAnswerError: A part is invalid, or there is not exactly one variable.
    """
    formula_text = parts["formula"] or ""
    with_differential = re.fullmatch(r"(.+?) ?d([a-z])", formula_text)
    name = parts.get("name")
    # In "integrate x^2 dx", the d belongs to the differential and not to the formula.
    if with_differential and text.lower().startswith("integra"):
        formula_text = with_differential[1]
        name = name or with_differential[2]
    formula = parse_formula(formula_text)
    right = parts.get("right")
    if right is not None:
        formula = FormulaCall("Plus", (formula, negate(parse_formula(right))))
    variables = sorted(find_variables(formula))
    # A variable that the question names must be the only one in the formula.
    if len(variables) != 1 or {name, parts.get("in")} - {None, variables[0]}:
        raise UncertainAnswerError("there is not exactly one variable")
    limits = [_parse_limit(parts.get(key)) for key in ("start", "end")]
    return FormulaQuestion(formula, variables[0], *limits)


def _parse_limit(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    normalized = text.strip().lower()
    return _INFINITY_VALUES[normalized] if normalized in _INFINITY_VALUES else parse_formula(text)


_PHRASES: tuple[tuple[str, Callable[[FormulaQuestion, EvaluateCode], EngineResult]], ...] = (
    (rf"(?:first )?derivative of {_FORMULA}{_VARIABLE_CLAUSE}", differentiate),
    (rf"differentiate {_FORMULA}{_VARIABLE_CLAUSE}", differentiate),
    (rf"d/d(?P<name>[a-z]) ?{_FORMULA}", differentiate),
    (rf"second derivative of {_FORMULA}{_VARIABLE_CLAUSE}", differentiate_twice),
    (rf"{_INTEGRATE} {_FORMULA}{_VARIABLE_CLAUSE}{_LIMITS_CLAUSE}", integrate),
    (rf"solve {_FORMULA}=(?P<right>[^=]+?)(?: for (?P<name>[a-z]))?", solve_equation),
    (rf"(?:roots|zeros|zeroes) of {_FORMULA}", solve_equation),
    (rf"{_FORMULA}=(?P<right>[^=]+)", solve_equation),
    (rf"factor(?:ize|ise)? {_FORMULA}", factorize),
    (rf"expand {_FORMULA}", expand),
    (rf"simplify {_FORMULA}", simplify),
    (rf"limit of {_FORMULA} as (?P<name>[a-z]) ?{_APPROACHES} ?(?P<end>[^=]+)", find_limit),
    (rf"lim(?:it)? (?P<name>[a-z]) ?{_ARROW} ?(?P<end>\S+) (?:of )?{_FORMULA}", find_limit),
)
