"""Token patterns, and the ends of nested comments and box expressions.

Tokenizing takes most of the parse time. The quickest way the standard library offers is one large
regular expression, matched repeatedly at the current position. Pairs that are frequent in notebooks
are single tokens: an atom or closing bracket with the comma after it, a symbol with its opening
bracket.
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
    """Nested regions of one kind in a text, such as comments.

    Normally the end of a region is found by scanning from its start. After the first unclosed
    region, a single scan of the remaining text records all ends: otherwise a text with many
    unclosed openings would take quadratic time.
    """

    __slots__ = ("_closing", "_edge", "_ends", "_opening", "_text")

    def __init__(self, text: str, edge: re.Pattern[str], opening: str, closing: str) -> None:
        self._text = text
        self._edge = edge
        self._opening = opening
        self._closing = closing
        self._ends: dict[int, int] | None = None

    def find_end(self, start: int) -> int | None:
        """Return the end of the region that opens at `start`, or None if it is unclosed."""
        if self._ends is None:
            end = self._scan_region(start)
            if end is not None:
                return end
            self._ends = self._scan_all(start)
        return self._ends.get(start)

    def _scan_region(self, start: int) -> int | None:
        """Return the end of the region that opens at `start`, by counting nested edges."""
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
        """Return the ends of all closed regions after `start`, by their starts."""
        ends: dict[int, int] = {}
        opened: list[int] = []
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                opened.append(edge.start())
            elif edge[0] == self._closing and opened:
                # A closing edge without an opening one is ignored here. The parser reports it.
                ends[opened.pop()] = edge.end()
        return ends


SYMBOL, SYMBOL_CALL, SYMBOL_COMMA, SYMBOL_BLANK, STRING, STRING_COMMA = range(1, 7)
LIST, CLOSER, CLOSER_COMMA, PART, OPERATOR, BASED, NUMBER, NUMBER_COMMA = range(7, 15)
SLOT, OUT, NAMED_OPERATOR, CHARACTER, COMMENT, BOXES, BLANK, JOINED = range(15, 23)
"""Group numbers of the token patterns. `Match.lastindex` identifies the kind of a token."""


def _match_any(names: Iterable[str]) -> str:
    """Return a pattern for any of the names. Longer names come first, so that they win."""
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
"""A backslash at the end of a line, which continues a number or name on the next line."""
_SPACE = rf"[\s{_SPACE_CLASS}]|\\\r?\n|\\\[(?:{_match_any(SPACE_CODES)})\]"
_SKIPPED_SPACE = rf"\s*+(?:(?:{_SPACE})++)?"
# `=.` and `/.` may not be followed by a digit: `x=.5` and `x/.5` contain the number `.5`.
_PLAIN_SIGN = _match_any(PLAIN_SIGNS).replace(r"=\.", r"=\.(?!\d)").replace(r"|/\.", r"|/\.(?!\d)")
_NO_FOREIGN_LETTER = r"(?!`?(?:\\[\[:.|\r\n]|[^\x00-\xa0]))"
"""Lookahead: the next character is not a letter beyond those of a plain symbol."""
_NO_LETTER = r"(?![A-Za-z$`\\]|[^\x00-\xa0])"
"""Lookahead: the next character cannot be a letter."""
_TWO_EMPTY_GROUPS = r"((?!))((?!))"
"""Two groups that never match. They keep the numbers of later groups the same."""
_NEVER = "(?!)"


def _compile_token_pattern(
    symbol: str, word: str, none: str, named: str, string: str, joined: str, joins: str
) -> re.Pattern[str]:
    r"""Compile a token pattern with one group per token kind, in the order of the constants.

    Args:
        symbol: The pattern of a symbol.
        word: The pattern of a slot name.
        none: Matches where an optional symbol or slot name is absent.
        named: Two groups for named operators: written as `\[Name]` and as the character.
        string: Two groups for a string and the comma after it.
        joined: The pattern of an atom that continues on another line.
        joins: Lookahead that must hold after a number.
    """
    # `_.5` is a blank times 0.5, not an optional pattern, so no digit may follow `_.`.
    blank = rf"_\.(?![.\d])|_{{1,3}}+(?:{symbol}|{none})"
    return re.compile(
        rf"{_SKIPPED_SPACE}(?:(?!{joined})(?:"
        # SYMBOL, SYMBOL_CALL, SYMBOL_COMMA, SYMBOL_BLANK. `f[[` is a part and not a call, so `[`
        # may not be followed by another one.
        rf"({symbol})(?:(\[)(?!\s*\[)|(,)|({blank})|(?!_))"
        # STRING, STRING_COMMA
        rf"|{string}"
        # LIST, CLOSER, CLOSER_COMMA, PART
        r"|(\{)|([\]}])(?:\s*(,))?|(\[\s*\[)"
        # OPERATOR. `(*` starts a comment and `.5` is a number, although `(` and `.` are signs.
        rf"|(?!\(\*|\.\d)({_PLAIN_SIGN})"
        # BASED, NUMBER, NUMBER_COMMA. Atomic, so that a shorter number cannot match instead.
        rf"|(?>({_BASED})){joins}|(?>({_DIGITS})){joins}(?:\s*(,))?"
        # SLOT, OUT
        rf"|(\#(?:\#\d*|\d+|{word}|{_QUOTED}|{none}))"
        r"|(%%++|%\d+|%)"
        # NAMED_OPERATOR, CHARACTER
        rf"|{named}"
        # COMMENT, BOXES: only their start, since both can be nested; see `NestedRegions`.
        r"|(\(\*)"
        r"|((?:\\!)?\\\(|\\\)|\\[!@%^_&/`*+])"
        # BLANK, JOINED
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
"""Matches tokens of plain ASCII characters, which are nearly all tokens of a source."""


@cache
def get_full_token_pattern(*, strings: bool = True) -> re.Pattern[str]:
    """Return the pattern that also matches named and non-ASCII characters.

    It is compiled on first use because compiling it is slow and most sources have such
    characters only in strings. Pass `strings=False` for the text after an unclosed string,
    where quotes no longer pair up.
    """
    operators = re.escape("".join(NAMES_BY_CHARACTER))
    # A named character is a letter unless it is an operator or a space, so unknown names are
    # letters.
    letter = (
        rf"\\\[(?!(?:{_match_any(NAMED_SIGNS | set(SPACE_CODES))})\])[A-Za-z0-9]+\]"
        r"|\\:[0-9A-Fa-f]{4}|\\\.[0-9A-Fa-f]{2}|\\\|[0-9A-Fa-f]{6}"
    )
    # A context mark must be followed by a letter. Otherwise it is a precision mark.
    mark = r"`(?=[A-Za-z$]|\\[\[:.|]|[^\x00-\xa0])"
    other = rf"[^\x00-\xa0{operators}{_SPACE_CLASS}]"
    character = rf"(?:[A-Za-z0-9$]|{other}|{mark}|{letter})"
    symbol = rf"(?!\d){character}++"
    named = rf"(\\\[(?:{_match_any(NAMED_SIGNS)})\])|([{operators}])"
    joined = rf"{symbol}(?:{_LINE_CONTINUATION}{character}++)++|{_build_joined_number()}"
    string = _STRING if strings else _TWO_EMPTY_GROUPS
    return _compile_token_pattern(symbol, symbol, "", named, string, joined=joined, joins="")


def _build_joined_number() -> str:
    """Build the pattern of a number with digits that continue on another line."""
    digits, letters = map(_build_joined_digits, (r"\d", "[0-9a-zA-Z]"))
    return rf"(?:\d{{1,2}}\^\^(?:{letters})|{digits}){_NUMBER_SUFFIX}"


def _build_joined_digits(digit: str) -> str:
    continued = rf"(?:{_LINE_CONTINUATION}{digit}++)"
    fraction = rf"\.(?!\.){digit}*+"
    joined_whole = rf"{digit}++{continued}++(?:{fraction}{continued}*+)?"
    joined_fraction = rf"(?:{digit}++{fraction}|\.{digit}++){continued}++"
    return f"{joined_whole}|{joined_fraction}"


def is_symbol_name(text: str) -> bool:
    """Return whether the text is exactly one symbol."""
    # The plain pattern covers nearly all names and avoids compiling the full one.
    match = TOKEN_PATTERN.fullmatch(text) or get_full_token_pattern().fullmatch(text)
    return match is not None and match.lastindex == SYMBOL and match[SYMBOL] == text


NUMBER_PATTERN = re.compile(rf"-?(?:{_BASED}|{_DIGITS})")
SPACE_PATTERN = re.compile(_SKIPPED_SPACE)
REST_OF_LINE = re.compile(r"[^\r\n]*+")
LINE_END = re.compile(
    r"(?<!\\)(?<!\\\r)[\n\r\u2028\u2029\uf3a3]|\\\[(?:IndentingNewLine|NewLine|LineSeparator)\]"
)
"""A line end that is not escaped by a backslash."""
LINE_JOIN = re.compile(_LINE_CONTINUATION)
OPENING_BRACKET = re.compile(r"\\\[\w+\]|::\[|\[\s*\[|<\||.", re.DOTALL)
"""An opening bracket as written in the source."""
SCRIPT_LINE = re.compile(r"\#![ \t]*/[^\r\n]*+")
"""A shebang line."""
COMMENT_EDGE = re.compile(r"\(\*|\*\)")
BOX_EDGE = re.compile(rf"\\.|{_QUOTED}", re.DOTALL)
"""An edge of a box expression, or another escape: a quote in an escape opens no string."""
MESSAGE_TAG = re.compile(rf"[ \t]*((?:[^\W_]|\$)++|{_QUOTED})", re.DOTALL)
FILE_NAME = re.compile(rf"[ \t]*({_QUOTED}|[\w$`/.\\:!*~?-]+)", re.DOTALL)
STATEMENT_START = re.compile(
    r"^(?:[A-Za-z$][\w$`]*(?:\[[^\n]*\])?\s*:?=(?![=!])|[A-Za-z$][\w$`]*::\w+\s*="
    r"|(?:BeginPackage|EndPackage|Begin|End|Needs|VerificationTest|PacletObject|Package\w*)\[|<<)",
    re.MULTILINE,
)
"""A line that very likely starts a new statement. The parser resumes at it after an error."""
