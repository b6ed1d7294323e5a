"""Arithmetic: exact where the value is a fraction, else as many digits as are certain."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline import bounded, numbers
from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.engine_text import UnknownFormError, parse_result
from paddock.toolkits.alpha.offline.exact import InexactValueError, UndefinedValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import (
    TRIGONOMETRIC_FUNCTIONS,
    FormulaCall,
    FormulaName,
    NoValueError,
    FormulaNumber,
    to_wolfram_code,
    has_function,
    evaluate_formula,
    find_variables,
)
from paddock.toolkits.alpha.offline.reading import FormulaSyntaxError, parse_formula

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.answer import EvaluateCode
    from paddock.toolkits.alpha.offline.formulas import Formula

RADIANS_NOTE = "Angles without a degree sign are taken to be in radians."
_ZERO_TOLERANCE = 1e-9
_NON_ARITHMETIC_PATTERN = re.compile(
    r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}[-/]\d{1,2}[-/]\d{1,2}|[-\d ()+]*\d{3}-\d{4}"
)
"""Dates and telephone numbers."""
_MAX_PLAIN_RADIANS = 6
"""Whole numbers up to here may well be angles in radians."""


def answer_arithmetic(text: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """The value of a formula without variables."""
    if _NON_ARITHMETIC_PATTERN.fullmatch(text):
        return None
    try:
        formula = parse_formula(text)
    except FormulaSyntaxError:
        return None
    if find_variables(formula) or isinstance(formula, FormulaName) or _may_be_in_degrees(formula):
        return None
    if isinstance(formula, FormulaNumber):
        return None  # a number alone asks nothing
    try:
        found = compute_fraction(formula)
    except InexactValueError:
        return _answer_inexact(text, formula, evaluate)
    except UndefinedValueError:
        return None
    return OfflineAnswer(text, numbers.format_fraction(found, as_decimal=_has_decimals(formula)))


def list_assumptions(formula: Formula) -> tuple[str, ...]:
    """What is taken for granted in a formula."""
    is_in_radians = has_function(formula, TRIGONOMETRIC_FUNCTIONS) and not _has_degrees(formula)
    return (RADIANS_NOTE,) if is_in_radians else ()


def _answer_inexact(text: str, formula: Formula, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """A value that is no fraction, or one that only an engine sees to be one."""
    try:
        found = bounded.evaluate_with_bounds(formula)
    except (UndefinedValueError, bounded.UncertainValueError):
        return None
    if bounded.is_certain(found):
        return OfflineAnswer(text, f"\u2248 {bounded.format_value(found)}", list_assumptions(formula))
    if abs(found.value) + found.error > _ZERO_TOLERANCE or _has_decimals(formula):
        return None
    return _confirm_zero(text, formula, evaluate)


def _confirm_zero(text: str, formula: Formula, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """What is as good as zero is zero if an engine says so too."""
    evaluated = evaluate(to_wolfram_code(formula))
    try:
        if evaluated is not None and evaluate_formula(parse_result(evaluated.text), {}) == 0:
            return OfflineAnswer(text, "0", list_assumptions(formula), evaluated.engine)
    except (UnknownFormError, NoValueError):
        pass
    return None


def _may_be_in_degrees(formula: Formula) -> bool:
    """Whether somebody may have left out the degree sign, as in `sin 30`."""
    if not isinstance(formula, FormulaCall):
        return False
    angle = formula.arguments[0]
    if formula.head in TRIGONOMETRIC_FUNCTIONS and isinstance(angle, FormulaNumber) and abs(angle.value) > _MAX_PLAIN_RADIANS:
        return True
    return any(map(_may_be_in_degrees, formula.arguments))


def _has_decimals(formula: Formula) -> bool:
    if isinstance(formula, FormulaCall):
        return any(map(_has_decimals, formula.arguments))
    return isinstance(formula, FormulaNumber) and formula.is_decimal


def _has_degrees(formula: Formula) -> bool:
    if isinstance(formula, FormulaCall):
        return any(map(_has_degrees, formula.arguments))
    return isinstance(formula, FormulaNumber) and formula.value == Fraction(1, 180)
