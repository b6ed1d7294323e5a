"""Calculus and algebra: what the engine gives, when numbers bear it out.

Functions of one variable only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline import verified
from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.arithmetic import list_assumptions
from paddock.toolkits.alpha.offline.engine_text import UnknownFormError
from paddock.toolkits.alpha.offline.formulas import FormulaCall, NoValueError, to_number, find_variables
from paddock.toolkits.alpha.offline.polynomials import NotPolynomialError
from paddock.toolkits.alpha.offline.reading import FormulaSyntaxError, parse_formula

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.answer import EvaluateCode
    from paddock.toolkits.alpha.offline.formulas import Formula

_VARIABLE_CLAUSE = r"(?: (?:with respect to|wrt) (?P<name>[a-z]))?"
_LIMITS_CLAUSE = r"(?: from (?:(?P<in>[a-z]) ?= ?)?(?P<start>[^=]+?) to (?P<end>[^=]+?))?"
_PHRASES = (
    (rf"(?:first )?derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (rf"differentiate (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "derivative"),
    (r"d/d(?P<name>[a-z]) ?(?P<formula>[^=]+)", "derivative"),
    (rf"second derivative of (?P<formula>[^=]+?){_VARIABLE_CLAUSE}", "second derivative"),
    (rf"(?:integrate|integral of|antiderivative of) (?P<formula>[^=]+?){_VARIABLE_CLAUSE}{_LIMITS_CLAUSE}", "integral"),
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
_SOLVERS: dict[str, Callable[[verified.FormulaQuestion, EvaluateCode], verified.VerifiedResult]] = {
    "derivative": verified.differentiate,
    "second derivative": verified.differentiate_twice,
    "integral": verified.integrate,
    "roots": verified.solve_equation,
    "factors": verified.factorize,
    "expansion": verified.expand,
    "simplification": verified.simplify,
    "limit": verified.find_limit,
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
                *(verified.UnverifiedResultError, ArithmeticError, RecursionError),
            ):
                return None
            notes = (*list_assumptions(question.formula), *finding.notes)
            return OfflineAnswer(text, finding.text, notes, f"{finding.engine}, checked by Paddock")
    return None


def _parse_question(text: str, parts: dict[str, str | None]) -> verified.FormulaQuestion:
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
        formula = FormulaCall("Plus", (formula, FormulaCall("Times", (to_number(-1), parse_formula(right)))))
    found = sorted(find_variables(formula))
    if len(found) != 1 or {name, parts.get("in")} - {None, found[0]}:
        raise FormulaSyntaxError("not one variable")
    limits = [_parse_limit(parts.get(key)) for key in ("start", "end")]
    return verified.FormulaQuestion(formula, found[0], *limits)


def _parse_limit(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    plain = text.strip().lower()
    return _INFINITY_VALUES[plain] if plain in _INFINITY_VALUES else parse_formula(text)
