"""Plain YAML scalars, interpreted only by the core schema of YAML 1.2.

Dates and words such as `yes` remain strings. The YAML parsers that use this module handle
everything except unquoted scalars.
"""

from __future__ import annotations

import re
from math import inf, isfinite, nan

MAX_INTEGER_CHARACTERS = 100
"""Longer integers are read as infinity, because parsing takes quadratic time."""

SCALAR_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = re.compile(r"\.(?:nan|NaN|NAN)")

JSON_INTEGERS = range(-(2**63), 2**64)
"""The integers that a JSON message can contain."""


def is_json_number(number: float) -> bool:
    """Return whether a JSON message can contain a number."""
    return number in JSON_INTEGERS if isinstance(number, int) else isfinite(number)


def parse_scalar(text: str) -> object:
    """Convert a plain scalar to None, a boolean or a number, or return the string."""
    if text in SCALAR_CONSTANTS:
        return SCALAR_CONSTANTS[text]
    number = parse_number(text)
    return text if number is None else number


def parse_number(text: str) -> float | None:
    """Return the number that an unquoted YAML scalar represents, or None if it is not a number.

    For example, `0x1F` gives 31 and `-.inf` gives negative infinity. An integer with too many
    digits also gives infinity, because converting it would be slow.
    """
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if len(text) <= MAX_INTEGER_CHARACTERS else inf
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -inf if text.startswith("-") else inf
    return nan if _NOT_A_NUMBER.fullmatch(text) else None
