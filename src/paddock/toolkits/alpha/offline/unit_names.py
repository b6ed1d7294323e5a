"""The names of units that have one meaning, and what pint calls them.

Left out is what differs from place to place without saying so (ounces of fluid, tons, calories,
kilobytes), and what only the context could tell (`C` alone, `M`, `lb` of force).
"""

from __future__ import annotations

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
"""Short names: another case of letters may mean another unit, such as Mm, or mW for W."""
CONVENTIONAL_SPELLINGS = {
    "C": "c", "F": "f", "K": "k", "W": "w", "J": "j", "kW": "kw", "kJ": "kj", "Pa": "pa",
    "kPa": "kpa", "L": "l", "mL": "ml", "kWh": "kwh",
}  # fmt: skip
"""How some of these are written."""
DIMENSIONLESS_GROUPS = (
    frozenset({"degree", "radian"}),
    frozenset({"bit", "byte", "kibibyte", "mebibyte", "gibibyte"}),
)
"""Units without a dimension, which go together with their own kind only."""
TEMPERATURE_LETTERS = frozenset({"c", "f", "k"})
"""Temperatures only when the other unit is a temperature too."""
