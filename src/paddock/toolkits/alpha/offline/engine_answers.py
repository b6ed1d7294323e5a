"""Offline answers to calculus and algebra questions: engine results that pass a numeric check.

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
    """A question about a formula in one variable, such as its derivative or its roots."""

    formula: Formula
    variable: str
    start: Formula | float | None = None
    """The lower bound of a definite integral. A float is plus or minus infinity."""
    end: Formula | float | None = None
    """The upper bound of a definite integral, or the point that a limit approaches."""

    @property
    def code(self) -> str:
        """The formula as Wolfram Language code."""
        return to_wolfram_code(self.formula)


def differentiate(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the derivative of a formula, computed by the engine.

    The derivative is verified against numeric derivatives.
    """
    return _evaluate_verified(
        evaluate,
        f"D[{question.code}, {question.variable}]",
        lambda result: is_derivative(result, question.formula, question.variable),
    )


def differentiate_twice(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the second derivative of a formula, computed by the engine.

    The first derivative is also computed and verified because only first derivatives can be
    checked.
    """
    first_derivative = differentiate(question, evaluate)
    formula = parse_result(first_derivative.text)
    return differentiate(question._replace(formula=formula), evaluate)


def integrate(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the integral of a formula: a value if the question has bounds, or else a function."""
    if question.start is None or question.end is None:
        return _find_antiderivative(question, evaluate)
    return _integrate_between(question, question.start, question.end, evaluate)


def _find_antiderivative(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the indefinite integral of a formula, verified by differentiating it."""
    variable = question.variable
    result = _evaluate_verified(
        evaluate,
        f"Integrate[{question.code}, {variable}]",
        lambda antiderivative: is_derivative(question.formula, antiderivative, variable),
    )
    return result._replace(notes=(CONSTANT_NOTE,))


def _integrate_between(
    question: FormulaQuestion, start: Formula | float, end: Formula | float, evaluate: EvaluateCode
) -> EngineResult:
    """Return the definite integral of a formula, which must agree with a numeric estimate."""
    start_value, end_value = _evaluate_bound(start), _evaluate_bound(end)
    if not start_value < end_value:
        raise UncertainAnswerError("the bounds are not in order")
    # Engines return values for divergent integrals, as woxi 0.3 does for 1/x from -1 to 1. The
    # numeric estimate does not converge for them.
    estimate = estimate_integral(question.formula, question.variable, start_value, end_value)
    if estimate is None:
        raise UncertainAnswerError("the integral may be infinite")
    interval = f"{{{question.variable}, {_format_bound(start)}, {_format_bound(end)}}}"
    result = _evaluate_verified(
        evaluate,
        f"Integrate[{question.code}, {interval}]",
        lambda integral: is_close(evaluate_formula(integral, {}), estimate),
    )
    return _append_decimal(result)


def find_limit(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return the limit of a formula at a finite point, from both sides, or at infinity.

    The engine's result is verified: as points get closer to the limit point, the values of the
    formula must approach the result.
    """
    if question.end is None:
        raise UncertainAnswerError("the point is missing")
    variable = question.variable
    approaches = _list_approaching_points(_evaluate_bound(question.end))

    def is_limit(result: Formula) -> bool:
        limit = evaluate_formula(result, {})
        is_real = not limit.imag
        return is_real and all(
            approaches_limit(question.formula, variable, points, limit.real)
            for points in approaches
        )

    code = f"Limit[{question.code}, {variable} -> {_format_bound(question.end)}]"
    return _append_decimal(_evaluate_verified(evaluate, code, is_limit))


def _list_approaching_points(limit_point: float) -> list[list[float]]:
    """Return sequences of points that approach a limit point, from both sides if it is finite."""
    if math.isinf(limit_point):
        return [[math.copysign(magnitude, limit_point) for magnitude in _FAR_POINTS]]
    points_above = [limit_point + distance for distance in _NEAR_DISTANCES]
    points_below = [limit_point - distance for distance in _NEAR_DISTANCES]
    return [points_above, points_below]


def solve_equation(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return all real and complex solutions of a polynomial equation, such as `x = 1 or x = 2`.

    The question's formula is zero at a solution. The engine's solutions are compared with roots
    that are found numerically.
    """
    polynomial = get_coefficients(question.formula, question.variable)
    degree = len(polynomial) - 1
    if not 1 <= degree <= MAX_EQUATION_DEGREE:
        raise UncertainAnswerError("the degree is zero or too high")
    result = _evaluate_code(evaluate, f"Solve[{question.code} == 0, {question.variable}]")
    solutions = [
        evaluate_formula(solution, {})
        for solution in parse_solutions(result.text, question.variable)
    ]
    if not _are_all_roots(solutions, polynomial):
        raise UncertainAnswerError("the engine's solutions are not the roots")
    is_complex = any(abs(solution.imag) > TOLERANCE for solution in solutions)
    # The engine's text has the form {{x -> 1}, {x -> 2}}, and contains a double root twice.
    equations = result.text.replace("->", "=").removeprefix("{{").removesuffix("}}").split("}, {")
    text = " or ".join(dict.fromkeys(equations))
    return EngineResult(text, result.engine, (COMPLEX_NOTE,) if is_complex else ())


def factorize(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return a polynomial as a product of irreducible factors with integer coefficients.

    The engine's product must equal the polynomial, and each factor must be irreducible. Otherwise,
    the engine could have stopped before the last factor.
    """
    # This raises an error if the formula is not a polynomial.
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
    """Return a polynomial as a sum of terms such as `3 x^2`, with all products multiplied out.

    The engine's sum must have the same coefficients as the polynomial.
    """
    polynomial = get_coefficients(question.formula, question.variable)
    return _evaluate_verified(
        evaluate,
        f"Expand[{question.code}]",
        lambda result: (
            get_coefficients(result, question.variable) == polynomial and _is_expanded(result)
        ),
    )


def simplify(question: FormulaQuestion, evaluate: EvaluateCode) -> EngineResult:
    """Return a simpler form of a formula, found by the engine.

    Both forms are checked to have equal values, but the new form is not checked to be simpler.
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
    """Evaluate code with an engine, and return its result if it passes a check.

    Args:
        evaluate: Evaluates Wolfram Language code with an engine.
        code: The code.
        is_correct: Checks the result numerically, because engines can return wrong results.

    Raises:
        UncertainAnswerError: There is no engine or no result, or the result fails the check.
    """
    result = _evaluate_code(evaluate, code)
    if not is_correct(parse_result(result.text)):
        raise UncertainAnswerError("the result of the engine fails its check")
    return result


def _evaluate_bound(bound: Formula | float) -> float:
    """Return the real value of an integration bound or limit point, which may be infinite."""
    if isinstance(bound, float | int):  # Plus and minus infinity are not represented by formulas.
        return bound
    if find_variables(bound):
        raise UncertainAnswerError("a bound contains a variable")
    value = evaluate_formula(bound, {})
    if value.imag:
        raise UncertainAnswerError("a bound is not real")
    return value.real


def _format_bound(bound: Formula | float) -> str:
    if isinstance(bound, float | int):
        return "Infinity" if bound > 0 else "-Infinity"
    return to_wolfram_code(bound)


def _append_decimal(result: EngineResult) -> EngineResult:
    """Return a result, followed by its decimal approximation unless it is an integer."""
    if result.text.lstrip("-").isdigit():
        return result
    value = evaluate_formula(parse_result(result.text), {}).real
    return result._replace(text=f"{result.text} \u2248 {value:.{ROUNDED_DIGITS - 2}g}")


def _are_all_roots(solutions: list[complex], polynomial: list[Fraction]) -> bool:
    """Return True if the solutions are exactly the roots of a polynomial.

    If the polynomial has no multiple roots, its roots are found numerically and compared. That
    method is inaccurate for multiple roots, so such a polynomial is divided by the solutions.
    """
    distinct_solutions: list[complex] = []
    for solution in solutions:
        if not any(is_close(solution, other) for other in distinct_solutions):
            distinct_solutions.append(solution)
    has_multiple_roots = not is_squarefree(polynomial)
    if has_multiple_roots:
        coefficients = [float(coefficient / polynomial[0]) for coefficient in polynomial]
        return _are_roots_with_multiplicity(distinct_solutions, coefficients)
    roots = find_polynomial_roots(polynomial)
    return roots is not None and _are_same_roots(distinct_solutions, roots)


def _are_same_roots(roots: list[complex], others: list[complex]) -> bool:
    return len(roots) == len(others) and all(
        any(is_close(root, other) for other in others) for root in roots
    )


def _are_roots_with_multiplicity(roots: list[complex], coefficients: list[float]) -> bool:
    """Return True if a polynomial has these roots and no others, counted with multiplicity.

    The polynomial is divided by each root as often as possible. A constant must remain.

    Args:
        roots: The distinct roots.
        coefficients: The coefficients, starting with the highest power, whose coefficient is 1.
    """
    quotient: list[complex] = [*coefficients]
    for root in roots:
        length_before = len(quotient)
        while len(quotient) > 1 and abs(evaluate_polynomial(quotient, root)) < TOLERANCE:
            quotient = _divide_by_root(quotient, root)
        if len(quotient) == length_before:
            return False  # The polynomial does not have this root.
    return len(quotient) == 1


def _divide_by_root(polynomial: list[complex], root: complex) -> list[complex]:
    """Return the quotient of a polynomial and `x - root` by Horner's method."""
    quotient: list[complex] = []
    for coefficient in polynomial[:-1]:
        quotient.append((quotient[-1] * root if quotient else 0) + coefficient)
    return quotient


def _list_factors(formula: Formula) -> list[Formula]:
    """Return the factors of a product, replacing powers with their bases."""
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
    # A reducible polynomial of degree 2 or 3 has a linear factor, and therefore a rational root.
    return degree <= 1 or (degree <= _CUBIC_DEGREE and not has_rational_root(polynomial))


def _is_expanded(formula: Formula) -> bool:
    """Return True if a polynomial is multiplied out: no product or power contains a sum."""
    terms: tuple[Formula, ...] = (formula,)
    if isinstance(formula, FormulaCall) and formula.head == "Plus":
        terms = formula.arguments
    return not any(find_calls(term, frozenset({"Plus"})) for term in terms)


def answer_symbolic(text: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """Answer a calculus or algebra question, such as "derivative of x^2", or return None.

    The first pattern that matches the question determines its kind.

    Args:
        text: The question.
        evaluate: Evaluates Wolfram Language code. Returns None if there is no engine.

    Raises:
        UncertainAnswerError: The formula is ambiguous, or the result fails its check.
    """
    for pattern, compute_result in _QUESTION_PATTERNS:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            question = _parse_question(text, match.groupdict())
            result = compute_result(question, evaluate)
            notes = (*list_assumptions(question.formula), *result.notes)
            return OfflineAnswer(text, result.text, notes, f"{result.engine}, checked by Paddock")
    return None


def _parse_question(text: str, parts: dict[str, str | None]) -> FormulaQuestion:
    """Parse the formula, the variable and the bounds of a question.

    An equation is converted to a formula that is zero at its solutions.

    Args:
        text: The question.
        parts: The texts of its parts: `formula`, `right` (the right side of an equation), `name`
            and `in` (the variable), `start` and `end` (the bounds). Most questions lack some.

    Raises:
        UncertainAnswerError: A part is invalid, or there is not exactly one variable.
    """
    formula_text = parts["formula"] or ""
    name = parts.get("name")
    # In "integrate x^2 dx", the differential dx names the variable and is not part of the formula.
    differential = re.fullmatch(r"(.+?) ?d([a-z])", formula_text)
    if differential and text.lower().startswith("integra"):
        formula_text = differential[1]
        name = name or differential[2]
    formula = parse_formula(formula_text)
    right_side = parts.get("right")
    if right_side is not None:
        formula = FormulaCall("Plus", (formula, negate(parse_formula(right_side))))
    variables = find_variables(formula)
    named_variables = {variable for variable in (name, parts.get("in")) if variable is not None}
    # If the question names a variable, it must be the only one in the formula.
    if len(variables) != 1 or not named_variables <= set(variables):
        raise UncertainAnswerError("there is not exactly one variable")
    start, end = _parse_bound(parts.get("start")), _parse_bound(parts.get("end"))
    return FormulaQuestion(formula, min(variables), start, end)


def _parse_bound(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    normalized = text.strip().lower()
    return _INFINITY_VALUES[normalized] if normalized in _INFINITY_VALUES else parse_formula(text)


_QUESTION_PATTERNS: tuple[
    tuple[str, Callable[[FormulaQuestion, EvaluateCode], EngineResult]], ...
] = (
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
