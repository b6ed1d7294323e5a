r"""The named characters: operators, brackets, spaces and letters, by name and code.

A source may contain a character or its name: `\[Rule]`, `\[EAcute]`. The table in
`named_characters.txt` lists all names except those of accented letters, which follow a rule.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

from paddock.wolfram.operators import NAMED_SIGNS


def _read_character_codes() -> dict[str, dict[str, int]]:
    """Return the codes of the named characters in `named_characters.txt`, by kind and name.

    A line such as `operator 2018 OpenCurlyQuote CloseCurlyQuote - - OpenCurlyDoubleQuote` contains
    the characters' kind, the hexadecimal code of the first one, and the names of the characters
    with consecutive codes from there. The name `-` skips a code.
    """
    codes: dict[str, dict[str, int]] = {"operator": {}, "space": {}, "letter": {}}
    for line in Path(__file__).with_name("named_characters.txt").read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        kind, first_code, *names = line.split()
        for code, name in enumerate(names, int(first_code, 16)):
            if name != "-":
                codes[kind][name] = code
    return codes


_CODES_BY_KIND = _read_character_codes()
OPERATOR_CODES = _CODES_BY_KIND["operator"]
"""Codes of the operator and bracket characters."""
SPACE_CODES = _CODES_BY_KIND["space"]
"""Codes of the whitespace characters."""
_CODES_BY_NAME = {**OPERATOR_CODES, **SPACE_CODES, **_CODES_BY_KIND["letter"]}

NAMES_BY_CHARACTER = {
    chr(code): f"\\[{name}]" for name, code in OPERATOR_CODES.items() if name in NAMED_SIGNS
}
r"""Names of the operator and bracket characters, written as `\[Name]`."""

SPACE_CHARACTERS = "".join(map(chr, SPACE_CODES.values())) + "\u200b\ufeff"
"""The whitespace characters, including two without names."""

_COMBINING_ACCENTS = {
    "Grave": "\u0300",
    "Acute": "\u0301",
    "Hat": "\u0302",
    "Tilde": "\u0303",
    "Bar": "\u0304",
    "Cup": "\u0306",
    "DoubleDot": "\u0308",
    "Ring": "\u030a",
    "DoubleAcute": "\u030b",
    "Hacek": "\u030c",
    "Cedilla": "\u0327",
}
_FIRST_FOREIGN_CODE, _FIRST_PRIVATE_CODE = 0xA0, 0xE000
"""The first printable code beyond ASCII, and the start of Unicode's private use area."""
_UNUSED_NAMES = ("UnknownGlyph", "LineSeparator", "ParagraphSeparator")
_ACCENTED_LETTER = re.compile(rf"(Capital)?([A-Z])({'|'.join(_COMBINING_ACCENTS)})")


@cache
def get_character(name: str) -> str | None:
    r"""Return the character with a name in Wolfram Language, or None if the name is unknown.

    For example, `Alpha` is the name of the character written as `\[Alpha]`. The name of an accented
    letter combines the letter and the accent: `CapitalEAcute` is `É`.
    """
    code = _CODES_BY_NAME.get(name)
    if code is not None:
        return chr(code)
    match = _ACCENTED_LETTER.fullmatch(name)
    if match is None:
        return None
    letter = match[2] if match[1] else match[2].lower()
    # If Unicode has no composed form of the letter, the result has two characters.
    accented_letter = unicodedata.normalize("NFC", letter + _COMBINING_ACCENTS[match[3]])
    return accented_letter if len(accented_letter) == 1 else None


_PRIVATE_CHARACTER = re.compile("[\ue000-\uf8ff]")
"""Characters in the private use area, which other programs cannot display."""


def escape_private_characters(text: str) -> str:
    r"""Return the text with private-use characters written as `\[Name]`, or `\:f351` if unnamed."""
    return _PRIVATE_CHARACTER.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    name = _get_names_by_character().get(match[0])
    return f"\\[{name}]" if name else f"\\:{ord(match[0]):04x}"


@cache
def _get_names_by_character() -> dict[str, str]:
    return {chr(code): name for name, code in _CODES_BY_NAME.items()}


def get_character_name(character: str) -> str | None:
    r"""Return the name used to write a character in a file: `Alpha` for `\[Alpha]`.

    Returns None if the character is written as ASCII or by its code. Codes are safer for letters in
    Unicode's private use area.
    """
    name = _get_names_by_character().get(character)
    code = ord(character)
    if name is None or code < _FIRST_FOREIGN_CODE or name in _UNUSED_NAMES:
        return None
    is_private_letter = (
        code >= _FIRST_PRIVATE_CODE and name not in OPERATOR_CODES and name not in SPACE_CODES
    )
    return None if is_private_letter else name
