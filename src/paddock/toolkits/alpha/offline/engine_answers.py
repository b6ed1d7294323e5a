"""Offline answers of calculus and algebra: results of an engine that pass a numeric check.

Formulas have one variable.
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
_NEAR_DISTANCES = (1e-2, 1e-3, 1e-4, 1e-5)
_FAR_POINTS = (1e2, 1e3, 1e4, 1e5, 1e6)
# The highest degree at which missing rational roots prove that a polynomial is irreducible.
_CUBIC_DEGREE = 3
CONSTANT_NOTE = "The constant of integration is omitted."
COMPLEX_NOTE = "With complex solutions."
_VARIABLE_CLAUSE = r"(?: (?:with respect to|wrt) (?P<name>[a-z]))?"
_LIMITS_CLAUSE = r"(?: from (?:(?P<in>[a-z]) ?= ?)?(?P<start>[^=]+?) to (?P<end>[^=]+?))?"
_PHRASES = (
    (rf"(?:first )?derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (rf"differentiate (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (r"d/d(?P<name>[a-z]) ?(?P<formula>[^=]+)", "derivative"),
    (rf"second derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "second derivative"),
    (
        (
            r"(?:integrate|integral of|antiderivative of) (?P<formula>[^=]+?)"
            rf"{_VARIABLE_CLAUSE}{_LIMITS_CLAUSE}"
        ),
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


class UnverifiedResultError(ValueError):
    """The engine has no result, or one that fails its check."""


class FormulaQuestion(NamedTuple):
    """A question about a formula of one variable.

    `start` and `end` are the limits of an integral. For a limit, only `end` is set, to the point.
    """

    formula: Formula
    variable: str
    start: Formula | float | None = None
    """The start of an interval; a float is infinite."""
    end: Formula | float | None = None


class VerifiedResult(NamedTuple):
    """A result that has passed its check."""

    text: str
    engine: str
    notes: tuple[str, ...] = ()


def differentiate(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return the derivative of a formula, compared with finite differences."""
    engine_result = _evaluate_code(
        evaluate, f"D[{to_wolfram_code(question.formula)}, {question.variable}]"
    )
    _require_verified(
        numeric_checks.is_derivative(
            parse_result(engine_result.text), question.formula, question.variable
        )
    )
    return VerifiedResult(engine_result.text, engine_result.engine)


def differentiate_twice(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return the second derivative of a formula.

    Both derivatives are computed and verified one after the other, because the check covers only
    first derivatives.
    """
    first = _evaluate_code(evaluate, f"D[{to_wolfram_code(question.formula)}, {question.variable}]")
    formula = parse_result(first.text)
    _require_verified(numeric_checks.is_derivative(formula, question.formula, question.variable))
    return differentiate(question._replace(formula=formula), evaluate)


def integrate(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return the definite or indefinite integral of a formula.

    The derivative of an indefinite integral must be the formula. A definite integral must agree
    with numeric quadrature.
    """
    name = question.variable
    if question.start is None or question.end is None:
        engine_result = _evaluate_code(
            evaluate, f"Integrate[{to_wolfram_code(question.formula)}, {name}]"
        )
        _require_verified(
            numeric_checks.is_derivative(question.formula, parse_result(engine_result.text), name)
        )
        return VerifiedResult(engine_result.text, engine_result.engine, (CONSTANT_NOTE,))
    start, end = _get_limit_value(question.start), _get_limit_value(question.end)
    if not start < end:
        raise UnverifiedResultError("the limits are not in order")
    # Engines return values for divergent integrals: woxi 0.3 does so for 1/x from -1 to 1. The
    # estimate does not converge for them.
    estimate = numeric_checks.estimate_integral(question.formula, name, start, end)
    limits = f"{{{name}, {_format_limit(question.start)}, {_format_limit(question.end)}}}"
    engine_result = _evaluate_code(
        evaluate, f"Integrate[{to_wolfram_code(question.formula)}, {limits}]"
    )
    _require_verified(
        estimate is not None
        and numeric_checks.is_close(
            evaluate_formula(parse_result(engine_result.text), {}), estimate
        )
    )
    return VerifiedResult(_append_decimal(engine_result), engine_result.engine)


def find_limit(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return the two-sided limit of a formula, or its limit at infinity.

    The formula must approach the engine's result at points that come closer to the limit point,
    from both sides if it is finite.
    """
    if question.end is None:
        raise UnverifiedResultError("the point is missing")
    name, point = question.variable, _get_limit_value(question.end)
    engine_result = _evaluate_code(
        evaluate,
        f"Limit[{to_wolfram_code(question.formula)}, {name} -> {_format_limit(question.end)}]",
    )
    result = evaluate_formula(parse_result(engine_result.text), {})
    if result.imag:
        raise UnverifiedResultError("not real")
    # At infinity there is one side to check, at a finite point there are two.
    if math.isinf(point):
        sides = [[math.copysign(magnitude, point) for magnitude in _FAR_POINTS]]
    else:
        sides = [[point + sign * distance for distance in _NEAR_DISTANCES] for sign in (1, -1)]
    for points in sides:
        _require_verified(
            numeric_checks.approaches_limit(question.formula, name, points, result.real)
        )
    return VerifiedResult(_append_decimal(engine_result), engine_result.engine)


def solve_equation(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return all solutions of a polynomial equation, real and complex."""
    polynomial = get_coefficients(question.formula, question.variable)
    degree = len(polynomial) - 1
    if not 1 <= degree <= MAX_EQUATION_DEGREE:
        raise UnverifiedResultError("the degree is zero or too high")
    engine_result = _evaluate_code(
        evaluate, f"Solve[{to_wolfram_code(question.formula)} == 0, {question.variable}]"
    )
    solutions = [
        evaluate_formula(solution, {})
        for solution in parse_solutions(engine_result.text, question.variable)
    ]
    _require_verified(_are_all_roots(solutions, polynomial))
    is_complex = any(abs(solution.imag) > numeric_checks.TOLERANCE for solution in solutions)
    rules = (
        engine_result.text.replace("->", "=").removeprefix("{{").removesuffix("}}").split("}, {")
    )
    shown = " or ".join(dict.fromkeys(rules))  # a double root is listed twice
    return VerifiedResult(shown, engine_result.engine, (COMPLEX_NOTE,) if is_complex else ())


def factorize(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return a polynomial as a product of irreducible factors with integer coefficients.

    The product must equal the polynomial, and each factor must be irreducible, so that the answer
    is complete.
    """
    # Raises an error for formulas that are not polynomials.
    get_coefficients(question.formula, question.variable)
    engine_result = _evaluate_code(evaluate, f"Factor[{to_wolfram_code(question.formula)}]")
    result = parse_result(engine_result.text)
    _require_verified(numeric_checks.have_equal_values(result, question.formula, question.variable))
    for factor in _list_factors(result):
        _require_verified(_is_irreducible(factor, question.variable))
    return VerifiedResult(engine_result.text, engine_result.engine)


def expand(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return a polynomial as a sum of powers."""
    polynomial = get_coefficients(question.formula, question.variable)
    engine_result = _evaluate_code(evaluate, f"Expand[{to_wolfram_code(question.formula)}]")
    result = parse_result(engine_result.text)
    _require_verified(
        get_coefficients(result, question.variable) == polynomial and _is_expanded(result)
    )
    return VerifiedResult(engine_result.text, engine_result.engine)


def simplify(question: FormulaQuestion, evaluate: EvaluateCode) -> VerifiedResult:
    """Return a simpler form of the same function.

    Only the equality of both forms is verified.
    """
    engine_result = _evaluate_code(evaluate, f"Simplify[{to_wolfram_code(question.formula)}]")
    _require_verified(
        numeric_checks.have_equal_values(
            parse_result(engine_result.text), question.formula, question.variable
        )
    )
    return VerifiedResult(engine_result.text, engine_result.engine)


def _evaluate_code(evaluate: EvaluateCode, text: str) -> EngineResult:
    engine_result = evaluate(text)
    if engine_result is None:
        raise UnverifiedResultError("there is no engine, or no result")
    return engine_result


def _require_verified(is_true: bool) -> None:
    if not is_true:
        raise UnverifiedResultError("the result of the engine fails its check")


def _get_limit_value(bound: Formula | float) -> float:
    """Return the real value of an integration limit or limit point, which may be infinite."""
    if isinstance(bound, float | int):
        return bound
    if find_variables(bound):
        raise UnverifiedResultError("a limit contains a variable")
    value = evaluate_formula(bound, {})
    if value.imag:
        raise NoValueError("not real")
    return value.real


def _format_limit(bound: Formula | float) -> str:
    if isinstance(bound, float | int):
        return "Infinity" if bound > 0 else "-Infinity"
    return to_wolfram_code(bound)


def _append_decimal(engine_result: EngineResult) -> str:
    """Return a result with its decimal approximation, unless it is an integer."""
    text = engine_result.text
    value = evaluate_formula(parse_result(text), {})
    is_integer = text.lstrip("-").isdigit()
    return text if is_integer else f"{text} \u2248 {value.real:.{ROUNDED_DIGITS - 2}g}"


def _are_all_roots(solutions: list[complex], polynomial: list[Fraction]) -> bool:
    """Return True if solutions are exactly the roots of a polynomial.

    The roots of a polynomial without multiple roots are found numerically and compared. With
    multiple roots that method is inaccurate, so the polynomial is divided by the solutions instead.
    """
    distinct: list[complex] = []
    for solution in solutions:
        if not any(numeric_checks.is_close(solution, other) for other in distinct):
            distinct.append(solution)
    if is_squarefree(polynomial):
        roots = numeric_checks.find_polynomial_roots(polynomial)
        return roots is not None and _are_same_roots(distinct, roots)
    monic = [float(coefficient / polynomial[0]) for coefficient in polynomial]
    return _are_roots_with_multiplicity(distinct, monic)


def _are_same_roots(roots: list[complex], others: list[complex]) -> bool:
    return len(roots) == len(others) and all(
        any(numeric_checks.is_close(root, other) for other in others) for root in roots
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
        while (
            len(quotient) > 1
            and abs(numeric_checks.evaluate_polynomial(quotient, root)) < numeric_checks.TOLERANCE
        ):
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
    return not any(_has_sum(term) for term in terms)


def _has_sum(formula: Formula) -> bool:
    if isinstance(formula, FormulaNumber | FormulaName):
        return False
    return formula.head == "Plus" or any(_has_sum(arg) for arg in formula.arguments)


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
    """Answer a question of calculus or algebra, or return None.

    The first phrase that matches decides on the kind of question. Any doubt, such as an ambiguous
    formula or a result that fails its check, means that there is no answer.
    """
    for pattern, kind in _PHRASES:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            try:
                question = _parse_question(text, match.groupdict())
                result = _SOLVERS[kind](question, evaluate)
            except (
                *(FormulaSyntaxError, UnknownFormError, NoValueError, NotPolynomialError),
                *(UnverifiedResultError, ArithmeticError, RecursionError),
            ):
                return None
            notes = (*list_assumptions(question.formula), *result.notes)
            return OfflineAnswer(text, result.text, notes, f"{result.engine}, checked by Paddock")
    return None


def _parse_question(text: str, parts: dict[str, str | None]) -> FormulaQuestion:
    """Parse the formula and limits of a question.

    An equation is converted to a formula that is zero at its solutions. A differential at the end
    of an integrand, as in `x^2 dx`, names the variable.

    Raises:
        FormulaSyntaxError: A part is invalid, or there is not exactly one variable.
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
        formula = FormulaCall(
            "Plus", (formula, FormulaCall("Times", (to_number(-1), parse_formula(right))))
        )
    variables = sorted(find_variables(formula))
    # A variable that the question names must be the only one in the formula.
    if len(variables) != 1 or {name, parts.get("in")} - {None, variables[0]}:
        raise FormulaSyntaxError("there is not exactly one variable")
    limits = [_parse_limit(parts.get(key)) for key in ("start", "end")]
    return FormulaQuestion(formula, variables[0], *limits)


def _parse_limit(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    normalized = text.strip().lower()
    return _INFINITY_VALUES[normalized] if normalized in _INFINITY_VALUES else parse_formula(text)
