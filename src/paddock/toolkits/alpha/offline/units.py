"""Offline unit conversions with pint, between unit names that have a single meaning.

Units that differ between countries (fluid ounces, tons, calories, kilobytes) and names that depend
on the context (`C` alone, `M`, `lb` of force) are excluded. Pint is loaded for the first
conversion. Conversions are unavailable without it (extra `wolfram`).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.offline.offline_answer import (
    NUMBER_PATTERN,
    OfflineAnswer,
    answer_by_phrase,
    format_finite_decimal,
    is_finite_decimal,
    round_fraction,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.toolkits.alpha.offline.offline_answer import Phrases


_UNIT_TABLE = """\
meter: m, meter, meters, metre, metres
kilometer: km, kilometer, kilometers, kilometre, kilometres
centimeter: cm, centimeter, centimeters, centimetre, centimetres
millimeter: mm, millimeter, millimeters, millimetre, millimetres
nanometer: nm, nanometer, nanometers, nanometre, nanometres
micrometer: um, \u00b5m, \u03bcm, micrometer, micrometers, micron, microns
inch: in, inch, inches
foot: ft, foot, feet
yard: yd, yard, yards
mile: mi, mile, miles
nautical_mile: nautical mile, nautical miles
light_year: light year, light years, light-year, light-years
astronomical_unit: astronomical unit, astronomical units
kilogram: kg, kilogram, kilograms, kilo, kilos
gram: g, gram, grams
milligram: mg, milligram, milligrams
pound: lb, lbs, pound, pounds
metric_ton: metric ton, metric tons, tonne, tonnes
second: s, sec, second, seconds
millisecond: ms, millisecond, milliseconds
minute: min, minute, minutes
hour: h, hr, hrs, hour, hours
day: day, days
week: week, weeks
degree_Celsius: °c, deg c, degrees c, degree celsius, degrees celsius, celsius, c
degree_Fahrenheit: °f, deg f, degrees f, degree fahrenheit, degrees fahrenheit, fahrenheit, f
kelvin: kelvin, kelvins, k
meter ** 2: m^2, m2, m², square meter, square meters, square metre, square metres
kilometer ** 2: km^2, km2, km², square kilometer, square kilometers, square kilometre,\
 square kilometres
foot ** 2: ft^2, ft2, ft², square foot, square feet
mile ** 2: square mile, square miles
hectare: ha, hectare, hectares
liter: l, liter, liters, litre, litres
milliliter: ml, milliliter, milliliters, millilitre, millilitres
meter ** 3: m^3, m3, m³, cubic meter, cubic meters, cubic metre, cubic metres
gallon: us gallon, us gallons
imperial_gallon: imperial gallon, imperial gallons
kilometer / hour: km/h, kph, kmh, kilometers per hour, kilometres per hour
mile / hour: mph, miles per hour, mi/h
meter / second: m/s, meters per second, metres per second
foot / second: ft/s, feet per second
knot: knot, knots
joule: j, joule, joules
kilojoule: kj, kilojoule, kilojoules
kilowatt_hour: kwh, kilowatt hour, kilowatt hours, kilowatt-hours
watt: w, watt, watts
kilowatt: kw, kilowatt, kilowatts
pascal: pa, pascal, pascals
kilopascal: kpa, kilopascal, kilopascals
bar: bar, bars
psi: psi
atmosphere: atm, atmosphere, atmospheres
newton: newton, newtons
degree: degrees, degree, deg
radian: rad, radian, radians
bit: bit, bits
byte: byte, bytes
kibibyte: kib, kibibyte, kibibytes
mebibyte: mib, mebibyte, mebibytes
gibibyte: gib, gibibyte, gibibytes
"""
"""One unit per line: pint's name for it, and the names that questions may use."""
UNIT_NAMES = {
    name.strip(): unit
    for unit, _, names in (line.partition(":") for line in _UNIT_TABLE.splitlines())
    for name in names.split(",")
}
CASE_SENSITIVE_NAMES = frozenset(
    {"m", "mm", "ms", "mg", "g", "s", "min", "h", "nm", "cm", "km", "kg", "w", "j", "k", "c", "f",
     "kw", "kj", "pa", "kpa", "l", "ml", "kwh", "in", "bar", "rad"}
)  # fmt: skip
"""Names whose other spellings may mean other units, such as Mm, or mW for W."""
CONVENTIONAL_SPELLINGS = {
    "C": "c", "F": "f", "K": "k", "W": "w", "J": "j", "kW": "kw", "kJ": "kj", "Pa": "pa",
    "kPa": "kpa", "L": "l", "mL": "ml", "kWh": "kwh",
}  # fmt: skip
"""The usual spellings of some case-sensitive names."""
DIMENSIONLESS_GROUPS = (
    frozenset({"degree", "radian"}),
    frozenset({"bit", "byte", "kibibyte", "mebibyte", "gibibyte"}),
)
"""Dimensionless units, which can be converted only within their group."""
TEMPERATURE_LETTERS = frozenset({"c", "f", "k"})
"""Letters that mean temperature units only if the other unit is one too."""


_UNIT_PATTERN = r"([^\d\s][^\d]*?[23]?)"
_TARGET_PATTERN = rf"(?:in|to|into|as) {_UNIT_PATTERN}"
_CONTAINED_PATTERN = r"(?:is|are|are in|are there in|in)"
_SIGNED_NUMBER_PATTERN = rf"((?:-|\u2212)?(?:{NUMBER_PATTERN[1:-1]}))"
_MAX_DECIMAL_CHARACTERS = 20
_ABSOLUTE_ZERO = {
    "degree_Celsius": Fraction("-273.15"),
    "degree_Fahrenheit": Fraction("-459.67"),
    "kelvin": Fraction(0),
}
_TEMPERATURE_UNITS = _ABSOLUTE_ZERO.keys()
_UNIT_SYMBOLS = {
    "degree_Celsius": "\u00b0C",
    "degree_Fahrenheit": "\u00b0F",
    "kelvin": "K",
    "gallon": "US gallon",
}
_ARTICLE_PATTERN = re.compile(
    r"\b(how many .+ (?:is|are in|are there in|in)) (?:a|an|one) ", re.IGNORECASE
)


def answer_unit_conversion(text: str) -> OfflineAnswer | None:
    """Answer a question about a unit conversion, or return None."""
    return answer_by_phrase(_PHRASES, _ARTICLE_PATTERN.sub(r"\1 1 ", text))


def _convert_amount(amount: str, source: str, target: str) -> OfflineAnswer | None:
    """Convert an amount from one unit to another, for example `3` from `feet` to `m`.

    Returns None if a unit is unknown or ambiguous, if the units are incompatible, or if the amount
    is impossible: a temperature below absolute zero, or another quantity below zero.
    """
    source_unit, target_unit = _find_unit(source), _find_unit(target)
    if not source_unit or not target_unit:
        return None
    if not _are_compatible((source_unit, target_unit), (source, target)):
        return None
    value = Fraction(amount.replace(",", "").replace("\u2212", "-"))
    if value < _ABSOLUTE_ZERO.get(source_unit, 0):
        return None
    result = _convert_with_pint(value, source_unit, target_unit)
    if result is None:
        return None
    return OfflineAnswer(
        f"{round_fraction(value, 40)} {_format_unit(source_unit)} in {_format_unit(target_unit)}",
        f"{_format_result(result)} {_UNIT_SYMBOLS.get(target_unit, target)}",
        computed_by="Paddock with pint",
    )


def _format_result(result: Fraction) -> str:
    """Format a converted amount: in full if it is exact and short, or else rounded, with a sign."""
    exact_decimal = format_finite_decimal(result) if is_finite_decimal(result) else ""
    is_short = 0 < len(exact_decimal) <= _MAX_DECIMAL_CHARACTERS
    return exact_decimal if is_short else f"\u2248 {round_fraction(result)}"


def _find_unit(name: str) -> str | None:
    """Return pint's name for a unit, or None if the given name is unknown or ambiguous."""
    name = CONVENTIONAL_SPELLINGS.get(name, name)
    lower = name.lower()
    if lower in CASE_SENSITIVE_NAMES and name != lower:
        return None
    return UNIT_NAMES.get(lower)


def _are_compatible(units: Sequence[str], names: Sequence[str]) -> bool:
    """Return True if a conversion between two units makes sense, judging by their names.

    Pint checks their dimensions later.

    Args:
        units: The names of both units in pint.
        names: The names as the user wrote them. A single letter, such as `C`, means a
            temperature only if the other unit is a temperature too.
    """
    if all(unit in _TEMPERATURE_UNITS for unit in units):
        return True
    # For pint, angles and data sizes are both dimensionless, so it would convert one to the other.
    are_same_group = all(
        (units[0] in group) == (units[1] in group)
        for group in (_TEMPERATURE_UNITS, *DIMENSIONLESS_GROUPS)
    )
    return are_same_group and not any(name.lower() in TEMPERATURE_LETTERS for name in names)


def _format_unit(unit: str) -> str:
    return _UNIT_SYMBOLS.get(unit) or unit.replace("_", " ").replace(" ** ", "^").replace(
        " / ", "/"
    )


def _convert_with_pint(value: Fraction, source: str, target: str) -> Fraction | None:
    """Convert a value from one unit to another with pint, exactly if possible.

    Returns None if pint is not installed, or if the units measure different quantities.
    """
    registry = _load_unit_registry()
    if registry is None:
        return None
    quantity = registry.Quantity(value, source)
    if not quantity.is_compatible_with(target):
        return None
    magnitude = quantity.to(target).magnitude
    if isinstance(magnitude, Fraction | int):
        return Fraction(magnitude)
    # `repr` gives the shortest decimal for the float, instead of the digits of its binary value.
    return Fraction(repr(float(magnitude)))


@cache
def _load_unit_registry() -> Any:
    """Return a pint registry with exact numbers, or None if pint is not installed."""
    try:
        # Pint is an optional dependency that takes 0.3 s to load.
        pint = import_module("pint")
    except ModuleNotFoundError:
        return None
    # Floating point would round exact factors, such as 2.54 cm per inch.
    return pint.UnitRegistry(non_int_type=Fraction)


def _convert_reversed(target: str, amount: str, source: str) -> OfflineAnswer | None:
    """Convert an amount in a question that gives the target unit first."""
    return _convert_amount(amount, source, target)


_PHRASES: Phrases = (
    (rf"(?:convert )?{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} {_TARGET_PATTERN}", _convert_amount),
    (
        rf"how many {_UNIT_PATTERN} {_CONTAINED_PATTERN} {_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN}",
        _convert_reversed,
    ),
    (
        rf"{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} (?:is|equals|=) how many {_UNIT_PATTERN}",
        _convert_amount,
    ),
)
