"""Token patterns, and a search for the ends of nested comments and box expressions.

Tokenizing takes most of the parse time. The quickest way the standard library offers is one large
regular expression, matched repeatedly at the current position. Pairs that are frequent in notebooks
form single tokens: an atom or closing bracket with the comma after it, or a symbol with its opening
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
    """Nested regions of one kind in a text, such as the comments `(* … (* … *) … *)`.

    An *edge* is a mark that opens or closes a region.

    Normally, the end of a region is found by scanning from its start. After the first unclosed
    region, a single scan of the remaining text records all ends. Otherwise, a text with many
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
            end = self._find_end_by_depth(start)
            if end is not None:
                return end
            self._ends = self._find_all_ends(start)
        return self._ends.get(start)

    def _find_end_by_depth(self, start: int) -> int | None:
        """Return the end of the region that opens at `start`, or None if it is unclosed.

        The end is the first edge at which as many regions have been closed as opened.
        """
        depth = 0
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                depth += 1
            elif edge[0] == self._closing:
                depth -= 1
                if depth == 0:
                    return edge.end()
        return None

    def _find_all_ends(self, start: int) -> dict[int, int]:
        """Map the start of each closed region from `start` on to its end.

        Unclosed regions have no entry.
        """
        ends: dict[int, int] = {}
        open_starts: list[int] = []
        for edge in self._edge.finditer(self._text, start):
            if edge[0] == self._opening:
                open_starts.append(edge.start())
            elif edge[0] == self._closing and open_starts:
                # A closing edge without an opening one is ignored here. The parser reports it.
                ends[open_starts.pop()] = edge.end()
        return ends


SYMBOL, SYMBOL_CALL, SYMBOL_COMMA, SYMBOL_BLANK, STRING, STRING_COMMA = range(1, 7)
LIST, CLOSER, CLOSER_COMMA, PART, OPERATOR, BASED, NUMBER, NUMBER_COMMA = range(7, 15)
SLOT, OUT, NAMED_OPERATOR, CHARACTER, COMMENT, BOXES, BLANK, JOINED = range(15, 23)
"""Group numbers of the token patterns. `Match.lastindex` identifies the kind of a token."""


def _match_any(names: Iterable[str]) -> str:
    """Return a pattern for any of the names. Longer names come first, so they take precedence."""
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
"""Lookahead: the next character is not a letter other than those allowed in a plain symbol."""
_NO_LETTER = r"(?![A-Za-z$`\\]|[^\x00-\xa0])"
"""Lookahead: the next character cannot be a letter."""
_TWO_EMPTY_GROUPS = r"((?!))((?!))"
"""Two groups that never match. They keep the numbers of later groups the same."""
_NEVER = "(?!)"


def _compile_token_pattern(
    symbol: str,
    slot_name: str,
    no_name: str,
    named_operator: str,
    string: str,
    *,
    continued_atom: str,
    number_end: str,
) -> re.Pattern[str]:
    r"""Compile a pattern that matches one Wolfram Language token and the whitespace before it.

    The pattern has one group for each kind of token, numbered like the constants `SYMBOL`,
    `SYMBOL_CALL` and so on. The arguments are parts of the pattern.

    Args:
        symbol: A symbol, such as `x` or `Global`x`.
        slot_name: The name of a slot, such as `key` in `#key`.
        no_name: A lookahead that holds if an optional symbol or slot name is absent.
        named_operator: Two groups for an operator written as `\[Name]` or as its character.
        string: Two groups for a string and the comma after it.
        continued_atom: A symbol or number that a backslash continues on the next line.
        number_end: A lookahead that must hold after a number.
    """
    # `_.5` is a blank times 0.5, not an optional pattern, so no digit may follow `_.`.
    blank = rf"_\.(?![.\d])|_{{1,3}}+(?:{symbol}|{no_name})"
    return re.compile(
        rf"{_SKIPPED_SPACE}(?:(?!{continued_atom})(?:"
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
        rf"|(?>({_BASED})){number_end}|(?>({_DIGITS})){number_end}(?:\s*(,))?"
        # SLOT, OUT
        rf"|(\#(?:\#\d*|\d+|{slot_name}|{_QUOTED}|{no_name}))"
        r"|(%%++|%\d+|%)"
        # NAMED_OPERATOR, CHARACTER
        rf"|{named_operator}"
        # COMMENT, BOXES: only their start, since both can be nested; see `NestedRegions`.
        r"|(\(\*)"
        r"|((?:\\!)?\\\(|\\\)|\\[!@%^_&/`*+])"
        # BLANK, JOINED
        rf"|({blank}))|({continued_atom}))",
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
    continued_atom=_NEVER,
    number_end=r"(?!\\[\r\n]|\^\^)",
)
"""Matches tokens of plain ASCII characters, which are nearly all tokens in a source."""


@cache
def get_full_token_pattern(*, strings: bool = True) -> re.Pattern[str]:
    r"""Return the token pattern that also matches named characters (`\[Alpha]`) and non-ASCII ones.

    It is compiled on first use, because compiling is slow and most sources contain such
    characters only in strings.

    Args:
        strings: Pass False for the text after an unclosed string, where quotes no longer pair up.
            The pattern then matches no strings.
    """
    operators = re.escape("".join(NAMES_BY_CHARACTER))
    # A named character is a letter unless it is an operator or a space, so unknown names are
    # letters.
    letter = (
        rf"\\\[(?!(?:{_match_any(NAMED_SIGNS | set(SPACE_CODES))})\])[A-Za-z0-9]+\]"
        r"|\\:[0-9A-Fa-f]{4}|\\\.[0-9A-Fa-f]{2}|\\\|[0-9A-Fa-f]{6}"
    )
    # A context mark must be followed by a letter. Otherwise it is a precision mark.
    context_mark = r"`(?=[A-Za-z$]|\\[\[:.|]|[^\x00-\xa0])"
    non_ascii_letter = rf"[^\x00-\xa0{operators}{_SPACE_CLASS}]"
    character = rf"(?:[A-Za-z0-9$]|{non_ascii_letter}|{context_mark}|{letter})"
    symbol = rf"(?!\d){character}++"
    named_operator = rf"(\\\[(?:{_match_any(NAMED_SIGNS)})\])|([{operators}])"
    continued_symbol = rf"{symbol}(?:{_LINE_CONTINUATION}{character}++)++"
    return _compile_token_pattern(
        symbol,
        slot_name=symbol,
        no_name="",
        named_operator=named_operator,
        string=_STRING if strings else _TWO_EMPTY_GROUPS,
        continued_atom=rf"{continued_symbol}|{_build_joined_number()}",
        number_end="",
    )


def _build_joined_number() -> str:
    """Build the pattern for a number whose digits continue on another line."""
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
"""An edge of a box expression, or another escape. A quote in an escape does not open a string."""
MESSAGE_TAG = re.compile(rf"[ \t]*((?:[^\W_]|\$)++|{_QUOTED})", re.DOTALL)
FILE_NAME = re.compile(rf"[ \t]*({_QUOTED}|[\w$`/.\\:!*~?-]+)", re.DOTALL)
STATEMENT_START = re.compile(
    r"^(?:[A-Za-z$][\w$`]*(?:\[[^\n]*\])?\s*:?=(?![=!])|[A-Za-z$][\w$`]*::\w+\s*="
    r"|(?:BeginPackage|EndPackage|Begin|End|Needs|VerificationTest|PacletObject|Package\w*)\[|<<)",
    re.MULTILINE,
)
"""A line that very likely starts a new statement. The parser resumes at it after an error."""
