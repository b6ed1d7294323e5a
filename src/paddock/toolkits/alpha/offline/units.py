"""Conversion of units, by pint, between names that have one meaning.

Pint is loaded for the first conversion only; without it (extra `wolfram`) nothing is converted.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.numbers import format_finite_decimal, is_finite_decimal, round_fraction
from paddock.toolkits.alpha.offline.percentages import NUMBER_PATTERN
from paddock.toolkits.alpha.offline.unit_names import CASE_SENSITIVE_NAMES, DIMENSIONLESS_GROUPS, TEMPERATURE_LETTERS, UNIT_NAMES, CONVENTIONAL_SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIT_PATTERN = r"([^\d\s][^\d]*?[23]?)"
_SIGNED_NUMBER_PATTERN = rf"((?:-|\u2212)?(?:{NUMBER_PATTERN[1:-1]}))"
_PHRASES = (
    (rf"(?:convert )?{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} (?:in|to|into|as) {_UNIT_PATTERN}", (0, 1, 2)),
    (rf"how many {_UNIT_PATTERN} (?:is|are|are in|are there in|in) {_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN}", (1, 2, 0)),
    (rf"{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} (?:is|equals|=) how many {_UNIT_PATTERN}", (0, 1, 2)),
)
_MAX_DECIMAL_CHARACTERS = 20
_TEMPERATURE_UNITS = {"degree_Celsius", "degree_Fahrenheit", "kelvin"}
_ABSOLUTE_ZERO = {
    "degree_Celsius": Fraction("-273.15"),
    "degree_Fahrenheit": Fraction("-459.67"),
    "kelvin": Fraction(0),
}
_UNIT_SYMBOLS = {
    "degree_Celsius": "\u00b0C",
    "degree_Fahrenheit": "\u00b0F",
    "kelvin": "K",
    "gallon": "US gallon",
}
_ARTICLE_PATTERN = re.compile(r"\b(how many .+ (?:is|are in|are there in|in)) (?:a|an|one) ", re.IGNORECASE)


def answer_unit_conversion(text: str) -> OfflineAnswer | None:
    """A quantity in another unit."""
    text = _ARTICLE_PATTERN.sub(r"\1 1 ", text)
    for pattern, order in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            amount, source, target = (found.groups()[place] for place in order)
            return _convert_amount(amount, source, target)
    return None


def _convert_amount(amount: str, source: str, target: str) -> OfflineAnswer | None:
    units = [_find_unit(source), _find_unit(target)]
    if None in units or not _are_compatible(units, (source, target)):
        return None
    first, second = (str(unit) for unit in units)
    value = Fraction(amount.replace(",", "").replace("\u2212", "-"))
    if first in _TEMPERATURE_UNITS and value < _ABSOLUTE_ZERO[first]:
        return None
    if first not in _TEMPERATURE_UNITS and value < 0:
        return None
    result = _convert_with_pint(value, first, second)
    if result is None:
        return None
    exact = format_finite_decimal(result) if is_finite_decimal(result) else ""
    amount = exact if exact and len(exact) <= _MAX_DECIMAL_CHARACTERS else f"\u2248 {round_fraction(result)}"
    return OfflineAnswer(
        f"{round_fraction(value, 40)} {_format_unit(first)} in {_format_unit(second)}",
        f"{amount} {_UNIT_SYMBOLS.get(second, target)}",
        computed_by="Paddock with pint",
    )


def _find_unit(name: str) -> str | None:
    """What pint calls a unit; nothing when a name is unknown or could mean several."""
    name = CONVENTIONAL_SPELLINGS.get(name, name)
    lower = name.lower()
    if lower in CASE_SENSITIVE_NAMES and name != lower:
        return None
    return UNIT_NAMES.get(lower)


def _are_compatible(units: Sequence[str | None], names: Sequence[str]) -> bool:
    """Whether both are temperatures, or angles, or data: pint mixes some of these up."""
    if all(unit in _TEMPERATURE_UNITS for unit in units):
        return True
    is_alike = all((units[0] in kind) == (units[1] in kind) for kind in (_TEMPERATURE_UNITS, *DIMENSIONLESS_GROUPS))
    return is_alike and not any(name.lower() in TEMPERATURE_LETTERS for name in names)


def _format_unit(unit: str) -> str:
    return _UNIT_SYMBOLS.get(unit) or unit.replace("_", " ").replace(" ** ", "^").replace(" / ", "/")


def _convert_with_pint(value: Fraction, source: str, target: str) -> Fraction | None:
    """The exact value in the other unit; nothing when they measure different things."""
    registry = _load_unit_registry()
    if registry is None:
        return None
    import pint  # noqa: PLC0415 - 0.3 s, and only for conversions

    try:
        found = registry.Quantity(value, source).to(target).magnitude
    except pint.PintError:
        return None
    return Fraction(found) if isinstance(found, Fraction | int) else Fraction(repr(float(found)))


@cache
def _load_unit_registry() -> Any:
    """Pint with exact numbers, or nothing when it is not installed."""
    try:
        import pint  # noqa: PLC0415 - 0.3 s, and only for conversions
    except ModuleNotFoundError:
        return None
    return pint.UnitRegistry(non_int_type=Fraction)
