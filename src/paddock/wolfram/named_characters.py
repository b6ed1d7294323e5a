r"""Named characters: operators, brackets, spaces and letters by name and code.

A source may contain a character or its name: `\[Rule]`, `\[EAcute]`. The table in
`named_characters.txt` has all names except those of accented letters, which follow a rule.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

from paddock.wolfram.operators import NAMED_SIGNS


def _read_codes() -> dict[str, dict[str, int]]:
    """Return the codes of the names in the table, by the kind of character.

    A line such as `operator 2018 OpenCurlyQuote CloseCurlyQuote - - OpenCurlyDoubleQuote` has the
    kind, the hexadecimal code of the first name, and names with consecutive codes. The name `-`
    skips a code.
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


_CODES_BY_KIND = _read_codes()
OPERATOR_CODES = _CODES_BY_KIND["operator"]
"""Codes of the characters that are operators or brackets."""
SPACE_CODES = _CODES_BY_KIND["space"]
"""Codes of the whitespace characters."""
_CODES_BY_NAME = {**OPERATOR_CODES, **SPACE_CODES, **_CODES_BY_KIND["letter"]}

NAMES_BY_CHARACTER = {
    chr(code): f"\\[{name}]" for name, code in OPERATOR_CODES.items() if name in NAMED_SIGNS
}
r"""Names of the operator and bracket characters, written as `\[Name]`."""

SPACE_CHARACTERS = "".join(map(chr, SPACE_CODES.values())) + "\u200b\ufeff"
"""The whitespace characters, and two without names."""

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
"""The first non-ASCII printable code, and the start of the Unicode private use area."""
_UNUSED_NAMES = ("UnknownGlyph", "LineSeparator", "ParagraphSeparator")
_ACCENTED_LETTER = re.compile(rf"(Capital)?([A-Z])({'|'.join(_COMBINING_ACCENTS)})")


@cache
def get_character(name: str) -> str | None:
    """Return the character with the given name, or None if the name is unknown.

    Names of accented letters are composed from the letter and the accent: `CapitalEAcute` is `É`.
    """
    code = _CODES_BY_NAME.get(name)
    if code is not None:
        return chr(code)
    match = _ACCENTED_LETTER.fullmatch(name)
    if match is None:
        return None
    letter = match[2] if match[1] else match[2].lower()
    # A letter without a composed form stays a pair of characters, which is not a letter name.
    accented = unicodedata.normalize("NFC", letter + _COMBINING_ACCENTS[match[3]])
    return accented if len(accented) == 1 else None


_PRIVATE_CHARACTER = re.compile("[\ue000-\uf8ff]")
"""Characters of the private use area: other programs cannot display them."""


def escape_private_characters(text: str) -> str:
    r"""Return the text with private-use characters as `\[Name]`, or as `\:f351` if unnamed."""
    return _PRIVATE_CHARACTER.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    name = _get_names_by_character().get(match[0])
    return f"\\[{name}]" if name else f"\\:{ord(match[0]):04x}"


@cache
def _get_names_by_character() -> dict[str, str]:
    return {chr(code): name for name, code in _CODES_BY_NAME.items()}


def get_character_name(letter: str) -> str | None:
    """Return the name by which a character is written in a file, or None to write its code.

    Letters of Unicode, operators and spaces are written by name. Letters of the private use area
    are safer by code.
    """
    name = _get_names_by_character().get(letter)
    if name is None or ord(letter) < _FIRST_FOREIGN_CODE or name in _UNUSED_NAMES:
        return None
    is_known = ord(letter) < _FIRST_PRIVATE_CODE or name in OPERATOR_CODES or name in SPACE_CODES
    return name if is_known else None
