"""The pattern that finds the next token of a source, and what its groups mean.

One pattern for all, tried at one place after the other, is the quickest that the standard library
has: reading is what most of the time of parsing goes into.
"""

from __future__ import annotations

import re

from paddock.wolfram.characters import NAME_OF_CHARACTER, OPERATOR_NAMES, SPACE_CODES, SPACES
from paddock.wolfram.operators import PLAIN

SYMBOL, BLANK, STRING, PLAIN_OPERATOR, NUMBER, SLOT, OUT = range(1, 8)
NAMED, CHARACTER, COMMENT, BOXES, BARE_BLANK = range(8, 13)
"""Groups of `TOKEN`: the last one that matched says what was found."""

_OPERATORS = re.escape("".join(NAME_OF_CHARACTER))
_NOT_LETTERS = "|".join(sorted(OPERATOR_NAMES | set(SPACE_CODES), key=len, reverse=True))
_NAMED_LETTER = (
    rf"\\\[(?!(?:{_NOT_LETTERS})\])[A-Za-z0-9]+\]|\\:[0-9A-Fa-f]{{4}}|\\\.[0-9A-Fa-f]{{2}}"
    r"|\\\|[0-9A-Fa-f]{6}"
)
_OTHER_LETTER = rf"[^\x00-\xa0{_OPERATORS}{re.escape(SPACES)}]"
_LETTER = rf"(?:[A-Za-z$]|{_OTHER_LETTER}|{_NAMED_LETTER})"
_RARE = rf"(?:{_OTHER_LETTER}|{_NAMED_LETTER})"
_WORD = rf"(?:[A-Za-z$][A-Za-z0-9$]*(?:{_RARE}[A-Za-z0-9$]*)*|{_RARE}(?:{_LETTER}|\d)*)"
_SYMBOL = rf"`?{_WORD}(?:`{_WORD})*"
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_DIGITS = r"(?:\d{1,2}\^\^[0-9a-zA-Z]+(?:\.[0-9a-zA-Z]*)?|\d+\.(?!\.)\d*|\.\d+|\d+)"
_ACCURACY = r"(?:``?(?:[-+]?(?:\d+\.?\d*|\.\d+))?)?"
_NUMBER = rf"{_DIGITS}{_ACCURACY}(?:\*\^[-+]?\d+(?:\.\d*)?)?"
_SPACE = rf"[\s{re.escape(SPACES)}]|\\\r?\n|\\\[(?:{'|'.join(SPACE_CODES)})\]"

TOKEN = re.compile(
    rf"(?:{_SPACE})*(?:"
    rf"({_SYMBOL})(_{{1,3}}(?:\.(?![.\d])|{_SYMBOL})?)?"
    rf"|({_QUOTED})"
    rf"|(?!\(\*|\.\d|_)({'|'.join(re.escape(text) for text in PLAIN)})"
    rf"|({_NUMBER})"
    rf"|(\#(?:\#\d*|\d+|[A-Za-z$][A-Za-z0-9$]*|{_QUOTED})?)"
    r"|(%+(?!\d)|%\d+)"
    rf"|(\\\[(?:{'|'.join(sorted(OPERATOR_NAMES, key=len, reverse=True))})\])"
    rf"|([{_OPERATORS}])"
    r"|(\(\*)"
    r"|(\\!?\\?[(]|\\\)|\\[!@%^_&/`*+])"
    rf"|(_{{1,3}}(?:\.(?![.\d])|{_SYMBOL})?)"
    r")",
    re.DOTALL,
)
SPACE = re.compile(rf"(?:{_SPACE})*")
COMMENT_EDGE = re.compile(r"\(\*|\*\)")
BOX_EDGE = re.compile(r"\\\(|\\\)|\"[^\"\\]*(?:\\.[^\"\\]*)*\"", re.DOTALL)
TAG = re.compile(rf"\s*([A-Za-z0-9$]+|{_QUOTED})", re.DOTALL)
FILE_NAME = re.compile(rf"[ \t]*({_QUOTED}|[\w$`/.\\:!*~?-]+)", re.DOTALL)
UNSET_DIGIT = re.compile(r"=\.\d")
