"""Calculus and algebra: what the engine gives, when numbers bear it out.

Functions of one variable only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline import verified
from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.arithmetic import notes_on
from paddock.toolkits.alpha.offline.engine_text import UnknownFormError
from paddock.toolkits.alpha.offline.formulas import Call, NoValueError, number, variables
from paddock.toolkits.alpha.offline.polynomials import NoPolynomialError
from paddock.toolkits.alpha.offline.reading import UnreadableError, read_formula

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.answer import Evaluate
    from paddock.toolkits.alpha.offline.formulas import Formula

_BY = r"(?: (?:with respect to|wrt) (?P<name>[a-z]))?"
_LIMITS = r"(?: from (?:(?P<in>[a-z]) ?= ?)?(?P<start>[^=]+?) to (?P<end>[^=]+?))?"
_PHRASES = (
    (rf"(?:first )?derivative of (?P<formula>[^=]+?){_BY}", "derivative"),
    (rf"differentiate (?P<formula>[^=]+?){_BY}", "derivative"),
    (r"d/d(?P<name>[a-z]) ?(?P<formula>[^=]+)", "derivative"),
    (rf"second derivative of (?P<formula>[^=]+?){_BY}", "second derivative"),
    (rf"(?:integrate|integral of|antiderivative of) (?P<formula>[^=]+?){_BY}{_LIMITS}", "integral"),
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
_INFINITIES = {
    **dict.fromkeys(("infinity", "inf", "\u221e", "+infinity", "oo"), float("inf")),
    **dict.fromkeys(("-infinity", "-inf", "-\u221e", "minus infinity", "-oo"), -float("inf")),
}
_WORK: dict[str, Callable[[verified.Question, Evaluate], verified.Finding]] = {
    "derivative": verified.derivative,
    "second derivative": verified.second_derivative,
    "integral": verified.integral,
    "roots": verified.roots,
    "factors": verified.factors,
    "expansion": verified.expansion,
    "simplification": verified.simplification,
    "limit": verified.limit,
}


def answer_symbolic(text: str, evaluate: Evaluate) -> OfflineAnswer | None:
    """The answer to a question of calculus or algebra."""
    for pattern, kind in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            try:
                question = _question(text, found.groupdict())
                finding = _WORK[kind](question, evaluate)
            except (
                *(UnreadableError, UnknownFormError, NoValueError, NoPolynomialError),
                *(verified.UnsureError, ArithmeticError, RecursionError),
            ):
                return None
            notes = (*notes_on(question.formula), *finding.notes)
            return OfflineAnswer(text, finding.text, notes, f"{finding.engine}, checked by Paddock")
    return None


def _question(text: str, parts: dict[str, str | None]) -> verified.Question:
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
    formula = read_formula(written)
    right = parts.get("right")
    if right is not None:
        formula = Call("Plus", (formula, Call("Times", (number(-1), read_formula(right)))))
    found = sorted(variables(formula))
    if len(found) != 1 or {name, parts.get("in")} - {None, found[0]}:
        raise UnreadableError("not one variable")
    limits = [_limit(parts.get(key)) for key in ("start", "end")]
    return verified.Question(formula, found[0], *limits)


def _limit(text: str | None) -> Formula | float | None:
    if text is None:
        return None
    plain = text.strip().lower()
    return _INFINITIES[plain] if plain in _INFINITIES else read_formula(text)
