"""What the text of an atom is worth: a string, a number, the name of a symbol."""

from __future__ import annotations

import re

from paddock.wolfram.expressions import CONSTANT_LETTERS
from paddock.wolfram.letters import get_character

_ESCAPE_SEQUENCE = re.compile(
    r"\\(?:\[([A-Za-z0-9]+)\]|:([0-9A-Fa-f]{4})|\.([0-9A-Fa-f]{2})|\|([0-9A-Fa-f]{6})"
    r"|([0-7]{3})|(\r?\n)|(.))",
    re.DOTALL,
)
_SIMPLE_ESCAPES = {
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
_MAX_CODE_POINT = 0x10FFFF
_NUMBER_LITERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<base>\d{1,2})\^\^)?(?P<whole>[0-9A-Za-z]*)(?P<point>\.(?P<part>[0-9A-Za-z]*))?"
    r"(?P<mark>`.*?)?(?:\*\^(?P<exponent>[-+]?\d+))?"
)
_MAX_PLAIN_REAL, _MIN_PLAIN_REAL = 1e6, 1e-5
"""Between these, numbers with a point are written without an exponent."""
_MAX_DIGITS = 4000
"""Of a whole number: Python refuses to read and to write much longer ones."""


_MAX_BITS = 13_288
"""As many digits in base 2."""


def parse_string(text: str) -> str:
    """What a string literal stands for; unknown named characters stay as they are written."""
    inner = text[1:-1]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, inner) if "\\" in inner else inner


def parse_symbol_name(text: str) -> str:
    r"""The name of a symbol with its characters themselves: `\[EAcute]x` is `éx`.

    A letter that alone stands for a constant is that: `\[Pi]` is `Pi`.
    """
    if text in CONSTANT_LETTERS:
        return CONSTANT_LETTERS[text]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(found: re.Match[str]) -> str:
    name, four, two, six, octal, line, other = found.groups()
    if name is not None:
        return get_character(name) or found[0]
    for digits, base in ((four, 16), (two, 16), (six, 16), (octal, 8)):
        if digits is not None:
            code = int(digits, base)
            return chr(code) if code <= _MAX_CODE_POINT else found[0]
    return "" if line is not None else _SIMPLE_ESCAPES.get(other, other)


def parse_number(text: str) -> int | float | None:
    """What a number literal is worth; None for one that Python has no number for."""
    found = _NUMBER_LITERAL.fullmatch(text)
    if found is None or len(text) > _MAX_DIGITS:
        return None
    base, exponent = int(found["base"] or 10), int(found["exponent"] or 0)
    is_whole = found["point"] is None and found["mark"] is None and exponent >= 0
    try:
        if is_whole:
            return _parse_integer(found["sign"] + found["whole"], base, exponent)
        if base != 10:
            return _parse_based_real(found, base, exponent)
        part = found["part"] or "0"
        return _drop_infinity(float(f"{found['sign']}{found['whole'] or '0'}.{part}e{exponent}"))
    except (ValueError, OverflowError):
        return None


def _parse_integer(digits: str, base: int, exponent: int) -> int | None:
    if exponent > _MAX_DIGITS:
        return None
    value = int(digits, base) * base**exponent
    return None if has_too_many_digits(value) else value


def has_too_many_digits(value: float) -> bool:
    """Whether a whole number has more digits than one in a source may have."""
    return isinstance(value, int) and value.bit_length() > _MAX_BITS


def _parse_based_real(found: re.Match[str], base: int, exponent: int) -> float | None:
    part = found["part"] or ""
    digits = int(found["sign"] + found["whole"] + part, base)
    return _drop_infinity(digits * float(base) ** (exponent - len(part)))


def _drop_infinity(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value


def format_real(text: str) -> str:
    """A number with a point as Python writes it, as kernels do: `2.`, `1.5*^20` for `1.5e+20`."""
    mantissa, _, exponent = text.lower().partition("e")
    value = abs(float(text))
    if value == 0 or (not exponent and _MIN_PLAIN_REAL <= value < _MAX_PLAIN_REAL):
        return _trim_zeros(mantissa)
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, part = mantissa.lstrip("-").partition(".")
    digits = f"{whole}{part}"
    significant = digits.lstrip("0")
    power = int(exponent or 0) + len(whole) - (len(digits) - len(significant)) - 1
    return f"{sign}{_trim_zeros(f'{significant[0]}.{significant[1:]}')}*^{power}"


def _trim_zeros(number: str) -> str:
    return number.rstrip("0") if "." in number else f"{number}."
