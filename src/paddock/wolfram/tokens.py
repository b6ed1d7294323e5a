"""Where comments and pieces of box syntax end, which may hold others of their kind.

The pattern that finds the next token of a source, and what its groups mean.

One pattern for all, tried at one place after the other, is the quickest that the standard library
has: reading is what most of the time of parsing goes into. The pairs that notebooks are full of, an
atom or a closing bracket with its comma and a symbol with its bracket, are one token each.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from paddock.wolfram.named_characters import NAMES_BY_CHARACTER, SPACE_CHARACTERS, SPACE_CODES
from paddock.wolfram.operators import NAMED_SIGNS, PLAIN_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterable


class NestedRegions:
    """Regions of one kind in a text: between an opening and its closing edge.

    Most are found by looking from their beginning. Once one has no end, all further ones are looked
    up in what a single pass over the rest found, so that many without an end cost no more than one.
    """

    __slots__ = ("_closing", "_edge", "_ends", "_opening", "_text")

    def __init__(self, text: str, edge: re.Pattern[str], opening: str, closing: str) -> None:
        self._text = text
        self._edge = edge
        self._opening = opening
        self._closing = closing
        self._ends: dict[int, int] | None = None

    def find_end(self, start: int) -> int | None:
        """Where the region ends whose opening edge is here; None if it has no end."""
        if self._ends is None:
            found = self._scan_region(start)
            if found is not None:
                return found
            self._ends = self._scan_all(start)
        return self._ends.get(start)

    def _scan_region(self, start: int) -> int | None:
        depth = 0
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                depth += 1
            elif edge[0] == self._closing:
                depth -= 1
                if depth == 0:
                    return edge.end()
        return None

    def _scan_all(self, start: int) -> dict[int, int]:
        ends: dict[int, int] = {}
        opened: list[int] = []
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                opened.append(edge.start())
            elif edge[0] == self._closing and opened:
                ends[opened.pop()] = edge.end()
        return ends


SYMBOL, SYMBOL_CALL, SYMBOL_COMMA, SYMBOL_BLANK, STRING, STRING_COMMA = range(1, 7)
LIST, CLOSER, CLOSER_COMMA, PART, OPERATOR, BASED, NUMBER, NUMBER_COMMA = range(7, 15)
SLOT, OUT, NAMED_OPERATOR, CHARACTER, COMMENT, BOXES, BLANK, JOINED = range(15, 23)
"""Groups of `TOKEN`: the last one that matched says what was found."""


def _match_any(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_SPACE_CLASS = re.escape(SPACE_CHARACTERS)
_WORD = r"[A-Za-z$][A-Za-z0-9$]*+"
_SYMBOL = rf"`?{_WORD}(?:`{_WORD})*+"
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PRECISION_DIGITS = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_NUMBER_SUFFIX = rf"(?:``{_PRECISION_DIGITS}|`(?!`)(?:{_PRECISION_DIGITS})?)?(?:\*\^[-+]?\d+)?"
_DIGITS = rf"(?:\d+\.(?!\.)\d*|\.\d+|\d+){_NUMBER_SUFFIX}"
_BASED = rf"\d{{1,2}}\^\^[0-9a-zA-Z]+(?:\.(?!\.)[0-9a-zA-Z]*)?{_NUMBER_SUFFIX}"
_LINE_CONTINUATION = r"\\\r?\n[ \t]*"
"""The end of a line that a number or name goes on after."""
_SPACE = rf"[\s{_SPACE_CLASS}]|\\\r?\n|\\\[(?:{_match_any(SPACE_CODES)})\]"
_SKIPPED_SPACE = rf"\s*+(?:(?:{_SPACE})++)?"
# `=.5` and `/.5` are an operator and a number.
_PLAIN_SIGN = _match_any(PLAIN_SIGNS).replace(r"=\.", r"=\.(?!\d)").replace(r"|/\.", r"|/\.(?!\d)")
_NO_FOREIGN_LETTER = r"(?!`?(?:\\[\[:.|\r\n]|[^\x00-\xa0]))"
"""What follows is no letter that a simple symbol does not have."""
_NO_LETTER = r"(?![A-Za-z$`\\]|[^\x00-\xa0])"
"""What follows is nothing that may be a letter."""
_TWO_EMPTY_GROUPS = r"((?!))((?!))"
"""Two groups that match nothing, to keep the numbers of others."""
_NEVER = "(?!)"


def _compile_token_pattern(
    symbol: str, word: str, none: str, named: str, string: str, joined: str, joins: str
) -> re.Pattern[str]:
    """A pattern with a group for each kind; `none` stands where a symbol is left out.

    `joined` is an atom that goes on in another line, and `joins` what no number is followed by.
    """
    blank = rf"_\.(?![.\d])|_{{1,3}}+(?:{symbol}|{none})"
    return re.compile(
        rf"{_SKIPPED_SPACE}(?:(?!{joined})(?:"
        rf"({symbol})(?:(\[)(?!\s*\[)|(,)|({blank})|(?!_))"
        rf"|{string}"
        r"|(\{)|([\]}])(?:\s*(,))?|(\[\s*\[)"
        rf"|(?!\(\*|\.\d)({_PLAIN_SIGN})"
        rf"|(?>({_BASED})){joins}|(?>({_DIGITS})){joins}(?:\s*(,))?"
        rf"|(\#(?:\#\d*|\d+|{word}|{_QUOTED}|{none}))"
        r"|(%%++|%\d+|%)"
        rf"|{named}"
        r"|(\(\*)"
        r"|((?:\\!)?\\\(|\\\)|\\[!@%^_&/`*+])"
        rf"|({blank}))|({joined}))",
        re.DOTALL,
    )


_STRING = rf"({_QUOTED})(?:\s*(,))?"
TOKEN_PATTERN = _compile_token_pattern(
    *(
        _SYMBOL + _NO_FOREIGN_LETTER,
        _WORD + _NO_FOREIGN_LETTER,
        _NO_LETTER,
        _TWO_EMPTY_GROUPS,
        _STRING,
    ),
    joined=_NEVER,
    joins=r"(?!\\[\r\n]|\^\^)",
)
"""Finds tokens of plain characters: nearly all that there are."""


@cache
def get_full_token_pattern(*, strings: bool = True) -> re.Pattern[str]:
    """What finds every token; for what follows a string without an end, no other string.

    It takes long to compile and is seldom needed: names and foreign letters stand in strings.
    """
    operators = re.escape("".join(NAMES_BY_CHARACTER))
    letter = (
        rf"\\\[(?!(?:{_match_any(NAMED_SIGNS | set(SPACE_CODES))})\])[A-Za-z0-9]+\]"
        r"|\\:[0-9A-Fa-f]{4}|\\\.[0-9A-Fa-f]{2}|\\\|[0-9A-Fa-f]{6}"
    )
    mark = r"`(?=[A-Za-z$]|\\[\[:.|]|[^\x00-\xa0])"
    other = rf"[^\x00-\xa0{operators}{_SPACE_CLASS}]"
    character = rf"(?:[A-Za-z0-9$]|{other}|{mark}|{letter})"
    symbol = rf"(?!\d){character}++"
    named = rf"(\\\[(?:{_match_any(NAMED_SIGNS)})\])|([{operators}])"
    joined = rf"{symbol}(?:{_LINE_CONTINUATION}{character}++)++|{_build_joined_number()}"
    string = _STRING if strings else _TWO_EMPTY_GROUPS
    return _compile_token_pattern(symbol, symbol, "", named, string, joined=joined, joins="")


def _build_joined_number() -> str:
    """A number of which a row of digits goes on in another line."""
    digits, others = map(_build_joined_digits, (r"\d", "[0-9a-zA-Z]"))
    return rf"(?:\d{{1,2}}\^\^(?:{others})|{digits}){_NUMBER_SUFFIX}"


def _build_joined_digits(one: str) -> str:
    more = rf"(?:{_LINE_CONTINUATION}{one}++)"
    part = rf"\.(?!\.){one}*+"
    return rf"{one}++{more}++(?:{part}{more}*+)?|(?:{one}++{part}|\.{one}++){more}++"


def is_symbol_name(text: str) -> bool:
    """Whether a text is a symbol and nothing else."""
    found = TOKEN_PATTERN.fullmatch(text) or get_full_token_pattern().fullmatch(text)
    return found is not None and found.lastindex == SYMBOL and found[SYMBOL] == text


NUMBER_PATTERN = re.compile(rf"-?(?:{_BASED}|{_DIGITS})")
SPACE_PATTERN = re.compile(_SKIPPED_SPACE)
REST_OF_LINE = re.compile(r"[^\r\n]*+")
LINE_END = re.compile(
    r"(?<!\\)(?<!\\\r)[\n\r\u2028\u2029\uf3a3]|\\\[(?:IndentingNewLine|NewLine|LineSeparator)\]"
)
"""The end of a line that goes on in no other."""
LINE_JOIN = re.compile(_LINE_CONTINUATION)
OPENING_BRACKET = re.compile(r"\\\[\w+\]|::\[|\[\s*\[|<\||.", re.DOTALL)
"""An opening bracket, as it was written."""
SCRIPT_LINE = re.compile(r"\#![ \t]*/[^\r\n]*+")
"""The line that names the interpreter of a script."""
COMMENT_EDGE = re.compile(r"\(\*|\*\)")
BOX_EDGE = re.compile(rf"\\.|{_QUOTED}", re.DOTALL)
"""Or another escape: a quote in one begins no string."""
MESSAGE_TAG = re.compile(rf"[ \t]*((?:[^\W_]|\$)++|{_QUOTED})", re.DOTALL)
FILE_NAME = re.compile(rf"[ \t]*({_QUOTED}|[\w$`/.\\:!*~?-]+)", re.DOTALL)
STATEMENT_START = re.compile(
    r"^(?:[A-Za-z$][\w$`]*(?:\[[^\n]*\])?\s*:?=(?![=!])|[A-Za-z$][\w$`]*::\w+\s*="
    r"|(?:BeginPackage|EndPackage|Begin|End|Needs|VerificationTest|PacletObject|Package\w*)\[|<<)",
    re.MULTILINE,
)
"""A line that very likely begins something new."""
