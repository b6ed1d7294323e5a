"""The pattern that finds the next token of a source, and what its groups mean.

One pattern for all, tried at one place after the other, is the quickest that the standard library
has: reading is what most of the time of parsing goes into. The pairs that notebooks are full of, an
atom or a closing bracket with its comma and a symbol with its bracket, are one token each.
"""

from __future__ import annotations

import re
from functools import cache
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
_OTHER_LETTER = rf"[^\x00-\xa0{_OPERATORS}{_SEPARATORS}]"
_WORD = (
    rf"(?:[A-Za-z$][A-Za-z0-9$]*+(?:{_OTHER_LETTER}[A-Za-z0-9$]*+)*+"
    rf"|{_OTHER_LETTER}(?:[A-Za-z0-9$]|{_OTHER_LETTER})*+)"
)
_SYMBOL = rf"`?{_WORD}(?:`{_WORD})*+"
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_MARKS = r"(?:``?(?:[-+]?(?:\d+\.?\d*|\.\d+))?)?(?:\*\^[-+]?\d+)?"
_DIGITS = rf"(?:\d+\.(?!\.)\d*|\.\d+|\d+){_MARKS}"
_BASED = rf"\d{{1,2}}\^\^[0-9a-zA-Z]+(?:\.(?!\.)[0-9a-zA-Z]*)?{_MARKS}"
_SPACE = rf"[\s{_SEPARATORS}]|\\\r?\n|\\\[(?:{_one_of(SPACE_CODES)})\]"
_SKIPPED = rf"\s*+(?:(?:{_SPACE})++)?"
# `=.5` and `/.5` are an operator and a number.
_PLAIN = _one_of(PLAIN).replace(r"=\.", r"=\.(?!\d)").replace(r"|/\.", r"|/\.(?!\d)")
_NO_ESCAPE = r"(?!\\[\[:.|])"
"""What follows is no character that is written with its name or code."""
_NO_LETTER = r"(?![A-Za-z$`\\]|[^\x00-\xa0])"
"""What follows is nothing that may be a letter."""
_NO_STRING = r"((?!))((?!))"


def _token(symbol: str, word: str, none: str, named: str, string: str) -> re.Pattern[str]:
    """A pattern with one group for each kind; `none` stands where a symbol is left out."""
    blank = rf"_\.(?![.\d])|_{{1,3}}+(?:{symbol}|{none})"
    return re.compile(
        rf"{_SKIPPED}(?:"
        rf"({symbol})(?:(\[)(?!\s*\[)|(,)|({blank}))?"
        rf"|{string}"
        r"|(\{)|([\]}])(?:\s*(,))?|(\[\s*\[)"
        rf"|(?!\(\*|\.\d)({_PLAIN})"
        rf"|({_BASED})|({_DIGITS})(?:\s*(,))?"
        rf"|(\#(?:\#\d*|\d+|{word}|{_QUOTED}|{none}))"
        r"|(%+(?!\d)|%\d+)"
        rf"|({named})"
        rf"|([{_OPERATORS}])"
        r"|(\(\*)"
        r"|((?:\\!)?\\\(|\\\)|\\[!@%^_&/`*+])"
        rf"|({blank}))",
        re.DOTALL,
    )


_STRING = rf"({_QUOTED})(?:\s*(,))?"
TOKEN = _token(_SYMBOL + _NO_ESCAPE, _WORD + _NO_ESCAPE, _NO_LETTER, "(?!)", _STRING)
"""Finds all tokens but those with characters that are written with their names."""


@cache
def full_token(*, strings: bool = True) -> re.Pattern[str]:
    """What finds every token; for what follows a string without an end, no other string.

    It takes long to compile and is seldom needed: names stand mostly in strings.
    """
    letter = (
        rf"\\\[(?!(?:{_one_of(NAMED | set(SPACE_CODES))})\])[A-Za-z0-9]+\]"
        r"|\\:[0-9A-Fa-f]{4}|\\\.[0-9A-Fa-f]{2}|\\\|[0-9A-Fa-f]{6}"
    )
    mark = r"`(?=[A-Za-z$\\]|[^\x00-\xa0])"
    symbol = rf"(?!\d)(?:[A-Za-z0-9$]|{_OTHER_LETTER}|{mark}|{letter})++"
    named = rf"\\\[(?:{_one_of(NAMED)})\]"
    return _token(symbol, symbol, "", named, _STRING if strings else _NO_STRING)


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
