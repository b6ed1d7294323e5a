"""What the text of an atom is worth: a string, a number, the name of a symbol."""

from __future__ import annotations

import re

from paddock.wolfram.expressions import CONSTANTS
from paddock.wolfram.letters import character

_ESCAPE = re.compile(
    r"\\(?:\[([A-Za-z0-9]+)\]|:([0-9A-Fa-f]{4})|\.([0-9A-Fa-f]{2})|\|([0-9A-Fa-f]{6})"
    r"|([0-7]{3})|(\r?\n)|(.))",
    re.DOTALL,
)
_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "<": "",
    ">": "",
    # The signs of box syntax have no plain character; they stay as they are written.
    **{sign: f"\\{sign}" for sign in "!()*@%^_&/`+"},
}
_LAST_CHARACTER = 0x10FFFF
_NUMBER = re.compile(
    r"(?P<sign>-?)(?:(?P<base>\d{1,2})\^\^)?(?P<whole>[0-9A-Za-z]*)(?P<point>\.(?P<part>[0-9A-Za-z]*))?"
    r"(?P<mark>`.*?)?(?:\*\^(?P<exponent>[-+]?\d+))?"
)
_LARGEST_PLAIN, _SMALLEST_PLAIN = 1e6, 1e-5
"""Between these, numbers with a point are written without an exponent."""
_MOST_DIGITS = 4000
"""Of a whole number: Python refuses to read and to write much longer ones."""


_MOST_BITS = 13_288
"""As many digits in base 2."""


def string_value(text: str) -> str:
    """What a string literal stands for; unknown named characters stay as they are written."""
    inner = text[1:-1]
    return _ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def symbol_name(text: str) -> str:
    r"""The name of a symbol with its characters themselves: `\[EAcute]x` is `éx`.

    A letter that alone stands for a constant is that: `\[Pi]` is `Pi`.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    name, four, two, six, octal, line, other = found.groups()
    if name is not None:
        return character(name) or found[0]
    for digits, base in ((four, 16), (two, 16), (six, 16), (octal, 8)):
        if digits is not None:
            code = int(digits, base)
            return chr(code) if code <= _LAST_CHARACTER else found[0]
    return "" if line is not None else _SIMPLE.get(other, other)


def number_value(text: str) -> int | float | None:
    """What a number literal is worth; None for one that Python has no number for."""
    found = _NUMBER.fullmatch(text)
    if found is None or len(text) > _MOST_DIGITS:
        return None
    base, exponent = int(found["base"] or 10), int(found["exponent"] or 0)
    is_whole = found["point"] is None and found["mark"] is None and exponent >= 0
    try:
        if is_whole:
            return _whole(found["sign"] + found["whole"], base, exponent)
        if base != 10:
            return _based_real(found, base, exponent)
        part = found["part"] or "0"
        return _finite(float(f"{found['sign']}{found['whole'] or '0'}.{part}e{exponent}"))
    except (ValueError, OverflowError):
        return None


def _whole(digits: str, base: int, exponent: int) -> int | None:
    if exponent > _MOST_DIGITS:
        return None
    value = int(digits, base) * base**exponent
    return None if is_too_long(value) else value


def is_too_long(value: float) -> bool:
    """Whether a whole number has more digits than one in a source may have."""
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def _based_real(found: re.Match[str], base: int, exponent: int) -> float | None:
    part = found["part"] or ""
    digits = int(found["sign"] + found["whole"] + part, base)
    return _finite(digits * float(base) ** (exponent - len(part)))


def _finite(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value


def real_text(text: str) -> str:
    """A number with a point as Python writes it, as kernels do: `2.`, `1.5*^20` for `1.5e+20`."""
    mantissa, _, exponent = text.lower().partition("e")
    value = abs(float(text))
    if value == 0 or (not exponent and _SMALLEST_PLAIN <= value < _LARGEST_PLAIN):
        return _trimmed(mantissa)
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, part = mantissa.lstrip("-").partition(".")
    digits = f"{whole}{part}"
    significant = digits.lstrip("0")
    power = int(exponent or 0) + len(whole) - (len(digits) - len(significant)) - 1
    return f"{sign}{_trimmed(f'{significant[0]}.{significant[1:]}')}*^{power}"


def _trimmed(number: str) -> str:
    return number.rstrip("0") if "." in number else f"{number}."
