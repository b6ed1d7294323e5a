"""Arithmetic: exact where the value is a fraction, else as many digits as are certain."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline import bounded, numbers
from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.engine_text import UnknownFormError, read_result
from paddock.toolkits.alpha.offline.exact import NotExactError, UndefinedError, exact
from paddock.toolkits.alpha.offline.formulas import (
    TRIGONOMETRIC,
    Call,
    Name,
    NoValueError,
    Number,
    code,
    has_head,
    value,
    variables,
)
from paddock.toolkits.alpha.offline.reading import UnreadableError, read_formula

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.answer import Evaluate
    from paddock.toolkits.alpha.offline.formulas import Formula

RADIANS = "Angles without a degree sign are taken to be in radians."
_NEAR_ZERO = 1e-9
_NO_SUM = re.compile(
    r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}[-/]\d{1,2}[-/]\d{1,2}|[-\d ()+]*\d{3}-\d{4}"
)
"""Dates and telephone numbers."""
_TURN = 6
"""Whole numbers up to here may well be angles in radians."""


def answer_arithmetic(text: str, evaluate: Evaluate) -> OfflineAnswer | None:
    """The value of a formula without variables."""
    if _NO_SUM.fullmatch(text):
        return None
    try:
        formula = read_formula(text)
    except UnreadableError:
        return None
    if variables(formula) or isinstance(formula, Name) or _may_be_in_degrees(formula):
        return None
    if isinstance(formula, Number):
        return None  # a number alone asks nothing
    try:
        found = exact(formula)
    except NotExactError:
        return _inexact(text, formula, evaluate)
    except UndefinedError:
        return None
    return OfflineAnswer(text, numbers.shown(found, as_decimal=_has_decimals(formula)))


def notes_on(formula: Formula) -> tuple[str, ...]:
    """What is taken for granted in a formula."""
    is_in_radians = has_head(formula, TRIGONOMETRIC) and not _has_degrees(formula)
    return (RADIANS,) if is_in_radians else ()


def _inexact(text: str, formula: Formula, evaluate: Evaluate) -> OfflineAnswer | None:
    """A value that is no fraction, or one that only an engine sees to be one."""
    try:
        found = bounded.bounded(formula)
    except (UndefinedError, bounded.UncertainError):
        return None
    if bounded.is_certain(found):
        return OfflineAnswer(text, f"\u2248 {bounded.shown(found)}", notes_on(formula))
    if abs(found.value) + found.error > _NEAR_ZERO or _has_decimals(formula):
        return None
    return _zero(text, formula, evaluate)


def _zero(text: str, formula: Formula, evaluate: Evaluate) -> OfflineAnswer | None:
    """What is as good as zero is zero if an engine says so too."""
    evaluated = evaluate(code(formula))
    try:
        if evaluated is not None and value(read_result(evaluated.text), {}) == 0:
            return OfflineAnswer(text, "0", notes_on(formula), evaluated.engine)
    except (UnknownFormError, NoValueError):
        pass
    return None


def _may_be_in_degrees(formula: Formula) -> bool:
    """Whether somebody may have left out the degree sign, as in `sin 30`."""
    if not isinstance(formula, Call):
        return False
    angle = formula.args[0]
    if formula.head in TRIGONOMETRIC and isinstance(angle, Number) and abs(angle.value) > _TURN:
        return True
    return any(map(_may_be_in_degrees, formula.args))


def _has_decimals(formula: Formula) -> bool:
    if isinstance(formula, Call):
        return any(map(_has_decimals, formula.args))
    return isinstance(formula, Number) and formula.is_decimal


def _has_degrees(formula: Formula) -> bool:
    if isinstance(formula, Call):
        return any(map(_has_degrees, formula.args))
    return isinstance(formula, Number) and formula.value == Fraction(1, 180)
