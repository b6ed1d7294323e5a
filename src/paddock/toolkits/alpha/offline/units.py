"""Offline unit conversions by pint, between names with a single meaning.

Excluded are units that differ between countries (fluid ounces, tons, calories, kilobytes), and
names that depend on the context (`C` alone, `M`, `lb` of force). Pint is loaded for the first
conversion. Without it (extra `wolfram`) there are no conversions.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.offline.offline_answer import (
    NUMBER_PATTERN,
    OfflineAnswer,
    format_finite_decimal,
    is_finite_decimal,
    round_fraction,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


UNIT_NAMES = {
    # length
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "meter"),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), "kilometer"),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), "centimeter"),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), "millimeter"),
    **dict.fromkeys(("nm", "nanometer", "nanometers", "nanometre", "nanometres"), "nanometer"),
    **dict.fromkeys(
        ("um", "\u00b5m", "\u03bcm", "micrometer", "micrometers", "micron", "microns"), "micrometer"
    ),
    **dict.fromkeys(("in", "inch", "inches"), "inch"),
    **dict.fromkeys(("ft", "foot", "feet"), "foot"),
    **dict.fromkeys(("yd", "yard", "yards"), "yard"),
    **dict.fromkeys(("mi", "mile", "miles"), "mile"),
    **dict.fromkeys(("nautical mile", "nautical miles"), "nautical_mile"),
    **dict.fromkeys(("light year", "light years", "light-year", "light-years"), "light_year"),
    **dict.fromkeys(("astronomical unit", "astronomical units"), "astronomical_unit"),
    # mass
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilo", "kilos"), "kilogram"),
    **dict.fromkeys(("g", "gram", "grams"), "gram"),
    **dict.fromkeys(("mg", "milligram", "milligrams"), "milligram"),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), "pound"),
    **dict.fromkeys(("metric ton", "metric tons", "tonne", "tonnes"), "metric_ton"),
    # time
    **dict.fromkeys(("s", "sec", "second", "seconds"), "second"),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), "millisecond"),
    **dict.fromkeys(("min", "minute", "minutes"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "hour"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    # temperature
    **dict.fromkeys(
        ("\u00b0c", "deg c", "degrees c", "degree celsius", "degrees celsius", "celsius", "c"),
        "degree_Celsius",
    ),
    **dict.fromkeys(
        (
            "\u00b0f",
            "deg f",
            "degrees f",
            "degree fahrenheit",
            "degrees fahrenheit",
            "fahrenheit",
            "f",
        ),
        "degree_Fahrenheit",
    ),
    **dict.fromkeys(("kelvin", "kelvins", "k"), "kelvin"),
    # area and volume
    **dict.fromkeys(
        ("m^2", "m2", "m\u00b2", "square meter", "square meters", "square metre", "square metres"),
        "meter ** 2",
    ),
    **dict.fromkeys(
        (
            "km^2",
            "km2",
            "km\u00b2",
            "square kilometer",
            "square kilometers",
            "square kilometre",
            "square kilometres",
        ),
        "kilometer ** 2",
    ),
    **dict.fromkeys(("ft^2", "ft2", "ft\u00b2", "square foot", "square feet"), "foot ** 2"),
    **dict.fromkeys(("square mile", "square miles"), "mile ** 2"),
    **dict.fromkeys(("ha", "hectare", "hectares"), "hectare"),
    **dict.fromkeys(("l", "liter", "liters", "litre", "litres"), "liter"),
    **dict.fromkeys(("ml", "milliliter", "milliliters", "millilitre", "millilitres"), "milliliter"),
    **dict.fromkeys(
        ("m^3", "m3", "m\u00b3", "cubic meter", "cubic meters", "cubic metre", "cubic metres"),
        "meter ** 3",
    ),
    **dict.fromkeys(("us gallon", "us gallons"), "gallon"),
    **dict.fromkeys(("imperial gallon", "imperial gallons"), "imperial_gallon"),
    # speed
    **dict.fromkeys(
        ("km/h", "kph", "kmh", "kilometers per hour", "kilometres per hour"), "kilometer / hour"
    ),
    **dict.fromkeys(("mph", "miles per hour", "mi/h"), "mile / hour"),
    **dict.fromkeys(("m/s", "meters per second", "metres per second"), "meter / second"),
    **dict.fromkeys(("ft/s", "feet per second"), "foot / second"),
    **dict.fromkeys(("knot", "knots"), "knot"),
    # energy, power, pressure, force, angle
    **dict.fromkeys(("j", "joule", "joules"), "joule"),
    **dict.fromkeys(("kj", "kilojoule", "kilojoules"), "kilojoule"),
    **dict.fromkeys(("kwh", "kilowatt hour", "kilowatt hours", "kilowatt-hours"), "kilowatt_hour"),
    **dict.fromkeys(("w", "watt", "watts"), "watt"),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), "kilowatt"),
    **dict.fromkeys(("pa", "pascal", "pascals"), "pascal"),
    **dict.fromkeys(("kpa", "kilopascal", "kilopascals"), "kilopascal"),
    **dict.fromkeys(("bar", "bars"), "bar"),
    **dict.fromkeys(("psi",), "psi"),
    **dict.fromkeys(("atm", "atmosphere", "atmospheres"), "atmosphere"),
    **dict.fromkeys(("newton", "newtons"), "newton"),
    **dict.fromkeys(("degrees", "degree", "deg"), "degree"),
    **dict.fromkeys(("rad", "radian", "radians"), "radian"),
    # data
    **dict.fromkeys(("bit", "bits"), "bit"),
    **dict.fromkeys(("byte", "bytes"), "byte"),
    **dict.fromkeys(("kib", "kibibyte", "kibibytes"), "kibibyte"),
    **dict.fromkeys(("mib", "mebibyte", "mebibytes"), "mebibyte"),
    **dict.fromkeys(("gib", "gibibyte", "gibibytes"), "gibibyte"),
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
"""Dimensionless units, which convert within their group only."""
TEMPERATURE_LETTERS = frozenset({"c", "f", "k"})
"""Letters that mean temperatures only if the other unit is one too."""


_UNIT_PATTERN = r"([^\d\s][^\d]*?[23]?)"
_TARGET_PATTERN = rf"(?:in|to|into|as) {_UNIT_PATTERN}"
_CONTAINED_PATTERN = r"(?:is|are|are in|are there in|in)"
_SIGNED_NUMBER_PATTERN = rf"((?:-|\u2212)?(?:{NUMBER_PATTERN[1:-1]}))"
_PHRASES = (
    (
        rf"(?:convert )?{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} {_TARGET_PATTERN}",
        (0, 1, 2),
    ),
    (
        rf"how many {_UNIT_PATTERN} {_CONTAINED_PATTERN} {_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN}",
        (1, 2, 0),
    ),
    (
        rf"{_SIGNED_NUMBER_PATTERN} ?{_UNIT_PATTERN} (?:is|equals|=) how many {_UNIT_PATTERN}",
        (0, 1, 2),
    ),
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
_ARTICLE_PATTERN = re.compile(
    r"\b(how many .+ (?:is|are in|are there in|in)) (?:a|an|one) ", re.IGNORECASE
)


def answer_unit_conversion(text: str) -> OfflineAnswer | None:
    """Answer a question about a unit conversion, or return None."""
    text = _ARTICLE_PATTERN.sub(r"\1 1 ", text)
    for pattern, order in _PHRASES:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            amount, source, target = (match.groups()[index] for index in order)
            return _convert_amount(amount, source, target)
    return None


def _convert_amount(amount: str, source: str, target: str) -> OfflineAnswer | None:
    """Convert an amount, or return None if the units or the amount are not plausible.

    Rejected are temperatures below absolute zero and negative amounts of other quantities.
    """
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
    # An exact result is shown in full if it is short. Otherwise it is rounded and marked as such.
    exact = format_finite_decimal(result) if is_finite_decimal(result) else ""
    amount = (
        exact
        if exact and len(exact) <= _MAX_DECIMAL_CHARACTERS
        else f"\u2248 {round_fraction(result)}"
    )
    return OfflineAnswer(
        f"{round_fraction(value, 40)} {_format_unit(first)} in {_format_unit(second)}",
        f"{amount} {_UNIT_SYMBOLS.get(second, target)}",
        computed_by="Paddock with pint",
    )


def _find_unit(name: str) -> str | None:
    """Return pint's name of a unit, or None for unknown or ambiguous names."""
    name = CONVENTIONAL_SPELLINGS.get(name, name)
    lower = name.lower()
    if lower in CASE_SENSITIVE_NAMES and name != lower:
        return None
    return UNIT_NAMES.get(lower)


def _are_compatible(units: Sequence[str | None], names: Sequence[str]) -> bool:
    """Return True if two units measure the same kind of quantity by their names."""
    # Pint treats angles and data sizes alike as dimensionless and would convert one to the other.
    if all(unit in _TEMPERATURE_UNITS for unit in units):
        return True
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
    """Convert exactly, or return None if the units measure different quantities."""
    registry = _load_unit_registry()
    if registry is None:
        return None
    import pint  # noqa: PLC0415 - 0.3 s, only for conversions

    try:
        magnitude = registry.Quantity(value, source).to(target).magnitude
    except pint.PintError:
        return None
    return (
        Fraction(magnitude)
        if isinstance(magnitude, Fraction | int)
        else Fraction(repr(float(magnitude)))
    )


@cache
def _load_unit_registry() -> Any:
    """Return a pint registry with exact numbers, or None if pint is not installed."""
    try:
        import pint  # noqa: PLC0415 - optional dependency
    except ModuleNotFoundError:
        return None
    # Floating point would turn exact factors, such as 2.54 cm per inch, into rounded ones.
    return pint.UnitRegistry(non_int_type=Fraction)
