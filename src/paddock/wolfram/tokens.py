"""The pattern that finds the next token of a source, and what its groups mean.

One pattern for all, tried at one place after the other, is the quickest that the standard library
has: reading is what most of the time of parsing goes into. The pairs that notebooks are full of, an
atom or a closing bracket with its comma and a symbol with its bracket, are one token each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.characters import NAME_OF_CHARACTER, SPACE_CODES, SPACES
from paddock.wolfram.operators import NAMED, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

SYMBOL, SYMBOL_CALL, SYMBOL_COMMA, SYMBOL_BLANK, STRING, STRING_COMMA = range(1, 7)
LIST, CLOSER, CLOSER_COMMA, PART, OPERATOR, BASED, NUMBER, NUMBER_COMMA = range(7, 15)
SLOT, OUT, NAMED_OPERATOR, CHARACTER, COMMENT, BOXES, BLANK = range(15, 22)
"""Groups of `TOKEN`: the last one that matched says what was found."""


def _one_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_OPERATORS = re.escape("".join(NAME_OF_CHARACTER))
_SEPARATORS = re.escape(SPACES)
_NAMED_LETTER = (
    rf"\\\[(?!(?:{_one_of(NAMED | set(SPACE_CODES))})\])[A-Za-z0-9]+\]"
    r"|\\:[0-9A-Fa-f]{4}|\\\.[0-9A-Fa-f]{2}|\\\|[0-9A-Fa-f]{6}"
)
_OTHER_LETTER = rf"[^\x00-\xa0{_OPERATORS}{_SEPARATORS}]"
_LETTER = rf"(?:[A-Za-z$]|{_OTHER_LETTER}|{_NAMED_LETTER})"
_RARE = rf"(?:{_OTHER_LETTER}|{_NAMED_LETTER})"
_WORD = rf"(?:[A-Za-z$][A-Za-z0-9$]*+(?:{_RARE}[A-Za-z0-9$]*+)*+|{_RARE}(?:{_LETTER}|\d)*+)"
_SYMBOL = rf"`?{_WORD}(?:`{_WORD})*+"
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BLANK = rf"_\.(?![.\d])|_{{1,3}}(?:{_SYMBOL})?"
_MARKS = r"(?:``?(?:[-+]?(?:\d+\.?\d*|\.\d+))?)?(?:\*\^[-+]?\d+)?"
_DIGITS = rf"(?:\d+\.(?!\.)\d*|\.\d+|\d+){_MARKS}"
_BASED = rf"\d{{1,2}}\^\^[0-9a-zA-Z]+(?:\.(?!\.)[0-9a-zA-Z]*)?{_MARKS}"
_SPACE = rf"[\s{_SEPARATORS}]|\\\r?\n|\\\[(?:{_one_of(SPACE_CODES)})\]"
_SKIPPED = rf"\s*+(?:(?:{_SPACE})++)?"
# `=.5` and `/.5` are an operator and a number.
_PLAIN = _one_of(PLAIN).replace(r"=\.", r"=\.(?!\d)").replace(r"|/\.", r"|/\.(?!\d)")


def _token(string: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_SKIPPED}(?:"
        rf"({_SYMBOL})(?:(\[)(?!\s*\[)|(,)|({_BLANK}))?"
        rf"|{string}"
        r"|(\{)|([\]}])(?:\s*(,))?|(\[\s*\[)"
        rf"|(?!\(\*|\.\d)({_PLAIN})"
        rf"|({_BASED})|({_DIGITS})(?:\s*(,))?"
        rf"|(\#(?:\#\d*|\d+|{_WORD}|{_QUOTED})?)"
        r"|(%+(?!\d)|%\d+)"
        rf"|(\\\[(?:{_one_of(NAMED)})\])"
        rf"|([{_OPERATORS}])"
        r"|(\(\*)"
        r"|((?:\\!)?\\\(|\\\)|\\[!@%^_&/`*+])"
        rf"|({_BLANK}))",
        re.DOTALL,
    )


TOKEN = _token(rf"({_QUOTED})(?:\s*(,))?")
OPEN_TOKEN = _token(r"((?!))((?!))")
"""For what follows a string that has no end: there is no other string, and none is looked for."""

SYMBOL_NAME = re.compile(_SYMBOL)
NUMERAL = re.compile(rf"-?(?:{_BASED}|{_DIGITS})")
SPACE = re.compile(_SKIPPED)
REST_OF_LINE = re.compile(r"[^\r\n]*+")
LINE_END = re.compile(
    r"(?<!\\)(?<!\\\r)[\n\r\u2028\u2029\uf3a3]|\\\[(?:IndentingNewLine|NewLine|LineSeparator)\]"
)
"""The end of a line that goes on in no other."""
COMMENT_EDGE = re.compile(r"\(\*|\*\)")
BOX_EDGE = re.compile(rf"\\\(|\\\)|{_QUOTED}", re.DOTALL)
TAG = re.compile(rf"[ \t]*({_WORD}|\d+|{_QUOTED})", re.DOTALL)
FILE_NAME = re.compile(rf"[ \t]*({_QUOTED}|[\w$`/.\\:!*~?-]+)", re.DOTALL)
STATEMENT = re.compile(
    r"^(?:[A-Za-z$][\w$`]*(?:\[[^\n]*\])?\s*:?=(?![=!])|[A-Za-z$][\w$`]*::\w+\s*="
    r"|(?:BeginPackage|EndPackage|Begin|End|Needs|VerificationTest|PacletObject|Package\w*)\[|<<)",
    re.MULTILINE,
)
"""A line that very likely begins something new."""
