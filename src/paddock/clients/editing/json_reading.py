"""Reading JSON quickly: comments are blanked out, and the standard library does the rest.

The blanked text has everything else where it was, so that `json_spans` can find its way in it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from paddock.clients.editing.json_scanner import JsonScanner, parse_number

if TYPE_CHECKING:
    from paddock.clients.editing.opening import JsonDialect

# What stands before the next comment; without captures, since it has to run at the speed of C.
_UNTIL_COMMENT_PATTERN = re.compile(r'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))*+', re.DOTALL)
_COMMENT_PATTERN = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_NOT_LINE_END_PATTERN = re.compile(r"[^\r\n]")
# A comma that nothing stands before is a fault and stays.
_STRING_OR_COMMAS_PATTERN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|[\[{:,][ \t\r\n]*+,|(?P<trailing>,)(?=[ \t\r\n]*+[\]}])', re.DOTALL
)


@dataclass(frozen=True)
class ParsedJson:
    """What a text says, and the same text with blanks in the place of comments."""

    data: object
    blanked_text: str


def parse_json(text: str, *, where: str, dialect: JsonDialect) -> ParsedJson:
    """Read a text; the data is `MISSING` when it says nothing.

    Raises:
        ConfigurationError: with line and column of what is wrong.
    """
    plain = text if dialect == "strict" else blank_comments(text)
    for prepare in (_keep_text, _blank_trailing_commas)[: 2 if dialect == "jsonc" else 1]:
        try:
            return ParsedJson(_DECODER.decode(prepare(plain)), plain)
        except (ValueError, RecursionError):
            continue
    return ParsedJson(JsonScanner(text, where=where, dialect=dialect).scan(), plain)


def blank_comments(text: str) -> str:
    """The text with a blank for each character of a comment; line ends stay."""
    if "//" not in text and "/*" not in text:
        return text
    parts: list[str] = []
    at = 0
    while True:
        before = _UNTIL_COMMENT_PATTERN.match(text, at)
        stop = before.end() if before else at
        parts.append(text[at:stop])
        comment = _COMMENT_PATTERN.match(text, stop)
        if comment is None:
            parts.append(text[stop:])
            return "".join(parts)
        parts.append(_NOT_LINE_END_PATTERN.sub(" ", comment[0]))
        at = comment.end()


def _keep_text(plain: str) -> str:
    return plain


def _blank_trailing_commas(plain: str) -> str:
    return _STRING_OR_COMMAS_PATTERN.sub(lambda m: " " if m["trailing"] else m[0], plain)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=parse_number, parse_constant=_reject_constant)
