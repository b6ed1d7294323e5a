"""What the text of a string or number atom is worth."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from paddock.wolfram.characters import OPERATOR_CODES, SPACE_CODES

_ESCAPE = re.compile(
    r"\\(?:\[([A-Za-z0-9]+)\]|:([0-9A-Fa-f]{4})|\.([0-9A-Fa-f]{2})|\|([0-9A-Fa-f]{6})|([0-7]{3})"
    r"|(\r?\n)|(.))",
    re.DOTALL,
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "<": "", ">": ""}
_GREEK = [
    *("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa"),
    *("Lambda", "Mu", "Nu", "Xi", "Omicron", "Pi", "Rho", "FinalSigma", "Sigma", "Tau"),
    *("Upsilon", "Phi", "Chi", "Psi", "Omega"),
]
_OTHERS = {
    "Degree": 0xB0,
    "Infinity": 0x221E,
    "ExponentialE": 0xF74D,
    "ImaginaryI": 0xF74E,
    "ImaginaryJ": 0xF74F,
    "Micro": 0xB5,
    "Ellipsis": 0x2026,
    "Bullet": 0x2022,
    "Dash": 0x2013,
    "LongDash": 0x2014,
    "Copyright": 0xA9,
    "RegisteredTrademark": 0xAE,
    "Trademark": 0x2122,
    "Section": 0xA7,
    "Paragraph": 0xB6,
    "Checkmark": 0x2713,
    "OpenCurlyQuote": 0x2018,
    "CloseCurlyQuote": 0x2019,
    "OpenCurlyDoubleQuote": 0x201C,
    "CloseCurlyDoubleQuote": 0x201D,
    "LeftGuillemet": 0xAB,
    "RightGuillemet": 0xBB,
    "RawQuote": 0x27,
    "RawDoubleQuote": 0x22,
    "RawBackslash": 0x5C,
}
CODES = {
    **OPERATOR_CODES,
    **SPACE_CODES,
    **{name: 0x3B1 + place for place, name in enumerate(_GREEK)},
    **{f"Capital{name}": 0x391 + place for place, name in enumerate(_GREEK)},
    **_OTHERS,
}
"""The codes of named characters that strings are known to hold."""


def string_value(text: str) -> str:
    """What a string literal stands for; unknown named characters stay as they are written."""
    inner = text[1:-1]
    return _ESCAPE.sub(_character, inner) if "\\" in inner else inner


def _character(found: re.Match[str]) -> str:
    name, four, two, six, octal, line, other = found.groups()
    if name is not None:
        return chr(CODES[name]) if name in CODES else found[0]
    for digits, base in ((four, 16), (two, 16), (six, 16), (octal, 8)):
        if digits is not None:
            return chr(int(digits, base))
    return "" if line is not None else _SIMPLE.get(other, other)


def number_value(text: str) -> int | float | None:
    """What a number literal is worth; None for one that Python has no number for."""
    sign = -1 if text.startswith("-") else 1
    digits = text.removeprefix("-")
    digits, _, exponent = digits.partition("*^")
    digits, _, _ = digits.partition("`")
    try:
        if "^^" in digits:
            base, _, digits = digits.partition("^^")
            value = Decimal(int(digits, int(base)))
        else:
            value = Decimal(digits)
        scaled = sign * value * Decimal(10) ** int(exponent or 0)
        return int(scaled) if "." not in text and scaled == int(scaled) else float(scaled)
    except (ArithmeticError, InvalidOperation, ValueError):
        return None
