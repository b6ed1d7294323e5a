"""Offline answers to arithmetic questions, and engine results as formulas.

Values are exact if they are fractions. Otherwise, they are decimals with only certain digits.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline import error_bounds, offline_answer
from paddock.toolkits.alpha.offline.exact import InexactValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import (
    CONSTANT_VALUES,
    NUMERIC_FUNCTIONS,
    TRIGONOMETRIC_FUNCTIONS,
    VARIABLE_NAMES,
    FormulaCall,
    FormulaName,
    FormulaNumber,
    evaluate_formula,
    find_calls,
    find_variables,
    invert,
    parse_formula,
    to_number,
    to_wolfram_code,
    walk_formula,
)
from paddock.toolkits.alpha.offline.offline_answer import OfflineAnswer, UncertainAnswerError
from paddock.wolfram import Atom, Node, WolframSyntaxError, parse_number, parse_strict

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.formulas import Formula
    from paddock.toolkits.alpha.offline.offline_answer import EvaluateCode
    from paddock.wolfram import Expression


_OPERATION_ARITIES = {"Plus": None, "Times": None, "Power": 2}
_IMAGINARY_UNIT = FormulaCall("Power", (to_number(-1), to_number(Fraction(1, 2))))
RADIANS_NOTE = "Angles without a degree sign are taken to be in radians."
_ZERO_TOLERANCE = 1e-9
_NON_ARITHMETIC_PATTERN = re.compile(
    r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}[-/]\d{1,2}[-/]\d{1,2}|[-\d ()+]*\d{3}-\d{4}"
)
"""Dates and telephone numbers, which are not subtractions."""
_MAX_PLAIN_RADIANS = 6
"""Integers up to this one are plausible angles in radians."""


def parse_result(text: str) -> Formula:
    """Parse an engine's result in InputForm so that it can be checked numerically.

    Raises:
        UncertainAnswerError: The form is unknown, for example because the code was not evaluated.
    """
    return _convert_expression(_parse_expression(text))


def parse_solutions(text: str, name: str) -> list[Formula]:
    """Return the values of a variable in the engine's solutions, such as `{{x -> 1}, {x -> 2}}`.

    Raises:
        UncertainAnswerError: The text is not a list of solutions for the variable.
    """
    expression = _parse_expression(text)
    return [
        _convert_expression(_get_solution_value(solution, name))
        for solution in _get_arguments(expression, "List")
    ]


def _get_solution_value(solution: Expression, name: str) -> Expression:
    rules = _get_arguments(solution, "List")
    sides = _get_arguments(rules[0], "Rule") if len(rules) == 1 else []
    if len(sides) != 2 or not (isinstance(sides[0], Atom) and sides[0].text == name):
        raise UncertainAnswerError("not a rule for the variable")
    return sides[1]


def _parse_expression(text: str) -> Expression:
    try:
        expressions = parse_strict(text)
    except (WolframSyntaxError, RecursionError) as error:
        raise UncertainAnswerError(str(error)) from None
    if len(expressions) != 1:
        raise UncertainAnswerError("not one expression")
    return expressions[0]


def _get_arguments(expression: Expression, head: str) -> list[Expression]:
    if not isinstance(expression, Node) or _get_head(expression) != head:
        raise UncertainAnswerError(f"expected {head}")
    return list(expression.args)


def _get_head(node: Node) -> str:
    return node.head.text if isinstance(node.head, Atom) else ""


def _convert_expression(expression: Expression) -> Formula:
    """Convert a parsed Wolfram Language expression to a formula.

    Raises:
        UncertainAnswerError: The expression contains a function or symbol that formulas lack.
    """
    if isinstance(expression, Atom):
        return _convert_atom(expression)
    if not isinstance(expression, Node):
        raise UncertainAnswerError("an unknown kind of expression")
    # The head is the function of a call: `Sin` in `Sin[x]`.
    head, args = _get_head(expression), tuple(_convert_expression(arg) for arg in expression.args)
    if head == "Rational" and all(isinstance(arg, FormulaNumber) for arg in args):
        return FormulaCall("Times", (args[0], invert(args[1])))
    if head == "Log" and len(args) == 2:  # Log[base, x]
        return FormulaCall(
            "Times", (FormulaCall("Log", args[1:]), invert(FormulaCall("Log", args[:1])))
        )
    arity = _OPERATION_ARITIES.get(head, 1)
    is_known = head in _OPERATION_ARITIES or head in NUMERIC_FUNCTIONS
    if not is_known or arity not in (None, len(args)):
        raise UncertainAnswerError(f"{head} with {len(args)} arguments")
    return FormulaCall(head, args)


def _convert_atom(atom: Atom) -> Formula:
    """Convert an integer, a constant such as `Pi`, a variable, or the imaginary unit `I`.

    Raises:
        UncertainAnswerError: The atom is anything else, for example a rounded number.
    """
    if atom.kind == "number":
        value = parse_number(atom.text)
        if isinstance(value, int):
            return to_number(value)
    if atom.text in CONSTANT_VALUES or atom.text in VARIABLE_NAMES:
        return FormulaName(atom.text)
    if atom.text == "I":
        return _IMAGINARY_UNIT
    raise UncertainAnswerError(atom.text)


def answer_arithmetic(text: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """Answer a question such as `sqrt(2)*3` with the value of the formula.

    The value is exact if it is a fraction. Otherwise, it is a decimal whose digits are all certain.
    Returns None if the text is a formula, but not a question about its value.

    Raises:
        UncertainAnswerError: The text is not a formula, or is ambiguous, or the value is unknown.
    """
    if _NON_ARITHMETIC_PATTERN.fullmatch(text):
        return None
    formula = parse_formula(text)
    if find_variables(formula) or _may_be_in_degrees(formula):
        return None
    if not isinstance(formula, FormulaCall):
        return None  # a number or constant alone is not a question
    try:
        value = compute_fraction(formula)
    except InexactValueError:
        return _answer_inexact(text, formula, evaluate)
    return OfflineAnswer(
        text, offline_answer.format_fraction(value, as_decimal=_has_decimals(formula))
    )


def list_assumptions(formula: Formula) -> tuple[str, ...]:
    """Return notes about the assumptions in a formula."""
    has_degrees = to_number(Fraction(1, 180)) in walk_formula(formula)
    is_in_radians = find_calls(formula, TRIGONOMETRIC_FUNCTIONS) and not has_degrees
    return (RADIANS_NOTE,) if is_in_radians else ()


def _answer_inexact(text: str, formula: Formula, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """Answer with a rounded decimal whose digits are all certain, or return None.

    If a value is zero, rounding errors leave none of its digits certain. If a value is close to
    zero, an engine is therefore asked whether it is exactly zero.
    """
    bounded = error_bounds.evaluate_with_bounds(formula)
    if error_bounds.is_certain(bounded):
        return OfflineAnswer(
            text, f"\u2248 {error_bounds.format_value(bounded)}", list_assumptions(formula)
        )
    if abs(bounded.value) + bounded.error > _ZERO_TOLERANCE or _has_decimals(formula):
        return None
    return _confirm_zero(text, formula, evaluate)


def _confirm_zero(text: str, formula: Formula, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """Return the answer 0 for a value that is numerically zero, if an engine returns 0 too."""
    result = evaluate(to_wolfram_code(formula))
    if result is None or evaluate_formula(parse_result(result.text), {}) != 0:
        return None
    return OfflineAnswer(text, "0", list_assumptions(formula), result.engine)


def _may_be_in_degrees(formula: Formula) -> bool:
    """Return True if the user may have forgotten the degree sign, as in `sin 30`."""
    angles = [call.arguments[0] for call in find_calls(formula, TRIGONOMETRIC_FUNCTIONS)]
    return any(
        isinstance(angle, FormulaNumber) and abs(angle.value) > _MAX_PLAIN_RADIANS
        for angle in angles
    )


def _has_decimals(formula: Formula) -> bool:
    return any(
        isinstance(node, FormulaNumber) and node.is_decimal for node in walk_formula(formula)
    )
