"""Reading JSON quickly: comments are blanked out, and the standard library does the rest.

The blanked text has everything else where it was, so that `json_spans` can find its way in it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from paddock.clients.editing.json_scanner import Scanner, number

if TYPE_CHECKING:
    from paddock.clients.editing.opening import Dialect

# What stands before the next comment; without captures, since it has to run at the speed of C.
_BEFORE_COMMENT = re.compile(r'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))*+', re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_NOT_LINE_END = re.compile(r"[^\r\n]")
# A comma that nothing stands before is a fault and stays.
_STRING_OR_COMMAS = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|[\[{:,][ \t\r\n]*+,|(?P<trailing>,)(?=[ \t\r\n]*+[\]}])', re.DOTALL
)


@dataclass(frozen=True)
class Reading:
    """What a text says, and the same text with blanks in the place of comments."""

    data: object
    plain: str


def read_json(text: str, *, where: str, dialect: Dialect) -> Reading:
    """Read a text; the data is `MISSING` when it says nothing.

    Raises:
        ConfigurationError: with line and column of what is wrong.
    """
    plain = text if dialect == "strict" else without_comments(text)
    for prepare in (_as_it_is, _without_trailing_commas)[: 2 if dialect == "jsonc" else 1]:
        try:
            return Reading(_DECODER.decode(prepare(plain)), plain)
        except (ValueError, RecursionError):
            continue
    return Reading(Scanner(text, where=where, dialect=dialect).scan(), plain)


def without_comments(text: str) -> str:
    """The text with a blank for each character of a comment; line ends stay."""
    if "//" not in text and "/*" not in text:
        return text
    parts: list[str] = []
    at = 0
    while True:
        before = _BEFORE_COMMENT.match(text, at)
        stop = before.end() if before else at
        parts.append(text[at:stop])
        comment = _COMMENT.match(text, stop)
        if comment is None:
            parts.append(text[stop:])
            return "".join(parts)
        parts.append(_NOT_LINE_END.sub(" ", comment[0]))
        at = comment.end()


def _as_it_is(plain: str) -> str:
    return plain


def _without_trailing_commas(plain: str) -> str:
    return _STRING_OR_COMMAS.sub(lambda m: " " if m["trailing"] else m[0], plain)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=number, parse_constant=_refuse_constant)
