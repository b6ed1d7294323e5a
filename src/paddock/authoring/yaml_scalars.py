"""What plain scalars of YAML mean: the core schema of YAML 1.2, and nothing beyond it.

A date is the text that it is written as, and `yes` is a text. Reading YAML is left to others; this
is what they make of a scalar that stands without quotes.
"""

from __future__ import annotations

import re
from math import inf, nan

MAX_INTEGER_CHARACTERS = 100
"""Of a whole number; one with more is taken for infinite."""

SCALAR_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = re.compile(r"\.(?:nan|NaN|NAN)")


def parse_scalar(text: str) -> object:
    """What a plain scalar says: null, true or false, a number, or the text itself."""
    if text in SCALAR_CONSTANTS:
        return SCALAR_CONSTANTS[text]
    number = parse_number(text)
    return text if number is None else number


def parse_number(text: str) -> float | None:
    """The number that a plain scalar is, which may be infinite or none at all; else None."""
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if len(text) <= MAX_INTEGER_CHARACTERS else inf
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -inf if text.startswith("-") else inf
    return nan if _NOT_A_NUMBER.fullmatch(text) else None
