"""Conversion of units, by pint, between names that have one meaning.

Pint is loaded for the first conversion only; without it (extra `wolfram`) nothing is converted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.numbers import finite_decimal, is_finite_decimal, rounded
from paddock.toolkits.alpha.offline.percentages import NUMBER
from paddock.toolkits.alpha.offline.unit_names import EXACT_CASE, KINDS, LONELY, UNITS, USUAL_CASE

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIT = r"([^\d\s][^\d]*?[23]?)"
_NUMBER = rf"((?:-|\u2212)?(?:{NUMBER[1:-1]}))"
_PHRASES = (
    (rf"(?:convert )?{_NUMBER} ?{_UNIT} (?:in|to|into|as) {_UNIT}", (0, 1, 2)),
    (rf"how many {_UNIT} (?:is|are|are in|are there in|in) {_NUMBER} ?{_UNIT}", (1, 2, 0)),
    (rf"{_NUMBER} ?{_UNIT} (?:is|equals|=) how many {_UNIT}", (0, 1, 2)),
)
_LONG = 20
_TEMPERATURES = {"degree_Celsius", "degree_Fahrenheit", "kelvin"}
_ABSOLUTE_ZERO = {
    "degree_Celsius": Fraction("-273.15"),
    "degree_Fahrenheit": Fraction("-459.67"),
    "kelvin": Fraction(0),
}
_SHOWN = {
    "degree_Celsius": "\u00b0C",
    "degree_Fahrenheit": "\u00b0F",
    "kelvin": "K",
    "gallon": "US gallon",
}
_ARTICLE = re.compile(r"\b(how many .+ (?:is|are in|are there in|in)) (?:a|an|one) ", re.IGNORECASE)


def answer_units(text: str) -> OfflineAnswer | None:
    """A quantity in another unit."""
    text = _ARTICLE.sub(r"\1 1 ", text)
    for pattern, order in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            amount, source, target = (found.groups()[place] for place in order)
            return _converted(amount, source, target)
    return None


def _converted(amount: str, source: str, target: str) -> OfflineAnswer | None:
    units = [_known(source), _known(target)]
    if None in units or not _go_together(units, (source, target)):
        return None
    first, second = (str(unit) for unit in units)
    value = Fraction(amount.replace(",", "").replace("\u2212", "-"))
    if first in _TEMPERATURES and value < _ABSOLUTE_ZERO[first]:
        return None
    if first not in _TEMPERATURES and value < 0:
        return None
    result = _by_pint(value, first, second)
    if result is None:
        return None
    exact = finite_decimal(result) if is_finite_decimal(result) else ""
    amount = exact if exact and len(exact) <= _LONG else f"\u2248 {rounded(result)}"
    return OfflineAnswer(
        f"{rounded(value, 40)} {_shown(first)} in {_shown(second)}",
        f"{amount} {_SHOWN.get(second, target)}",
        by="Paddock with pint",
    )


def _known(name: str) -> str | None:
    """What pint calls a unit; nothing when a name is unknown or could mean several."""
    name = USUAL_CASE.get(name, name)
    lower = name.lower()
    if lower in EXACT_CASE and name != lower:
        return None
    return UNITS.get(lower)


def _go_together(units: Sequence[str | None], names: Sequence[str]) -> bool:
    """Whether both are temperatures, or angles, or data: pint mixes some of these up."""
    if all(unit in _TEMPERATURES for unit in units):
        return True
    is_alike = all((units[0] in kind) == (units[1] in kind) for kind in (_TEMPERATURES, *KINDS))
    return is_alike and not any(name.lower() in LONELY for name in names)


def _shown(unit: str) -> str:
    return _SHOWN.get(unit) or unit.replace("_", " ").replace(" ** ", "^").replace(" / ", "/")


def _by_pint(value: Fraction, source: str, target: str) -> Fraction | None:
    """The exact value in the other unit; nothing when they measure different things."""
    registry = _registry()
    if registry is None:
        return None
    import pint  # noqa: PLC0415 - 0.3 s, and only for conversions

    try:
        found = registry.Quantity(value, source).to(target).magnitude
    except pint.PintError:
        return None
    return Fraction(found) if isinstance(found, Fraction | int) else Fraction(repr(float(found)))


@cache
def _registry() -> Any:
    """Pint with exact numbers, or nothing when it is not installed."""
    try:
        import pint  # noqa: PLC0415 - 0.3 s, and only for conversions
    except ModuleNotFoundError:
        return None
    return pint.UnitRegistry(non_int_type=Fraction)
