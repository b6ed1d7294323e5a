"""A JSON parser with precise errors that can accept comments and trailing commas.

Comments and trailing commas are replaced with spaces, and the standard library parses the rest,
which is much faster than a parser in Python. All offsets stay the same, so an error's offset is
also valid in the original text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from paddock.installer.config_files.data_changes import FIX_BY_HAND_HINT
from paddock.installer.config_files.document import MISSING, ConfigurationError, format_location

if TYPE_CHECKING:
    from paddock.installer.config_files.document import JsonDialect

MAX_SHOWN_CHARACTERS = 20
BLANKS = " \t\r\n"
# Possessive quantifiers and no captures, so that a text of many megabytes is matched at C speed.
_UNTIL_COMMENT_PATTERN = re.compile(r'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))*+', re.DOTALL)
_COMMENT_PATTERN = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_NOT_LINE_END_PATTERN = re.compile(r"[^\r\n]")
# The second alternative skips commas without a value before them, which are errors.
_STRING_OR_COMMAS_PATTERN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|[\[{:,][ \t\r\n]*+,|(?P<trailing>,)(?=[ \t\r\n]*+[\]}])', re.DOTALL
)
_STRING_OR_CONSTANT_PATTERN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|(?P<constant>-?Infinity|NaN)', re.DOTALL
)
_TRAILING_COMMA_PATTERN = re.compile(r",[ \t\r\n]*([\]}])")
_WORD_PATTERN = re.compile(r"[\w$.+-]++|.", re.DOTALL)


@dataclass(frozen=True)
class ParsedJson:
    """The data of a text (`MISSING` if it is blank), and the text with its comments blanked out."""

    data: object
    blanked_text: str


@lru_cache(maxsize=4)
def parse_json(text: str, *, where: str, dialect: JsonDialect) -> ParsedJson:
    """Parse a JSON text and return its data, together with the text without comments.

    The result must not be modified. It is cached, because an installation parses the same text for
    the preview of a change and for the change itself.

    Args:
        text: The text.
        where: The path of the file, for errors.
        dialect: The dialect of JSON, which decides whether comments and trailing commas are
            allowed.

    Raises:
        ConfigurationError: The text is not valid; `where` has line and column.
    """
    blanked_text = text if dialect == "strict" else blank_comments(text)
    try:
        return ParsedJson(decode_json(blanked_text, dialect), blanked_text)
    except RecursionError:
        message, offset = "the values are nested too deeply", 0
    except json.JSONDecodeError as error:
        message, offset = _describe_error(error, dialect)
    raise ConfigurationError(
        message, where=format_location(where, text, offset), hint=FIX_BY_HAND_HINT
    )


def blank_comments(text: str) -> str:
    """Replace the comments in a JSON text with spaces so that a JSON parser accepts it.

    Line ends in comments are kept, and so are the offsets of all other characters.
    """
    if "//" not in text and "/*" not in text:
        return text
    parts: list[str] = []
    offset = 0
    while True:
        code = _UNTIL_COMMENT_PATTERN.match(text, offset)
        code_end = code.end() if code else offset
        parts.append(text[offset:code_end])
        comment = _COMMENT_PATTERN.match(text, code_end)
        if comment is None:
            parts.append(text[code_end:])
            return "".join(parts)
        parts.append(_NOT_LINE_END_PATTERN.sub(" ", comment[0]))
        offset = comment.end()


def parse_number(text: str) -> int | float:
    """Parse a JSON integer. One with more digits than `int` accepts becomes a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def decode_json(blanked_text: str, dialect: JsonDialect) -> object:
    """Decode a JSON text whose comments have been replaced with spaces.

    In the dialect `jsonc`, trailing commas are allowed.

    Returns:
        The data, or `MISSING` if the text is blank.

    Raises:
        JSONDecodeError: The text is not valid in the dialect.
    """
    if not blanked_text.strip(BLANKS):
        return MISSING
    try:
        return _decode_strictly(blanked_text)
    except json.JSONDecodeError:
        if dialect != "jsonc":
            raise
    return _decode_strictly(
        _STRING_OR_COMMAS_PATTERN.sub(
            lambda match: " " if match["trailing"] else match[0], blanked_text
        )
    )


def _decode_strictly(text: str) -> object:
    """Decode a JSON text, rejecting `NaN` and `Infinity`, which Python's decoder accepts.

    Raises:
        JSONDecodeError: The text is not valid.
    """

    def reject_constant(_: str) -> NoReturn:
        # The decoder does not pass the offset of the constant, so it is searched for.
        matches = _STRING_OR_CONSTANT_PATTERN.finditer(text)
        offset = next((match.start() for match in matches if match["constant"]), 0)
        raise json.JSONDecodeError("Expecting value", text, offset)

    return json.JSONDecoder(parse_int=parse_number, parse_constant=reject_constant).decode(text)


def _describe_error(error: json.JSONDecodeError, dialect: JsonDialect) -> tuple[str, int]:
    """Return a message for a syntax error in a JSON text, and the offset of the error.

    The message names the text at this position and the expected text, such as `found '}', expected
    a value`. The decoder's own messages are less precise.
    """
    text, offset = error.doc, error.pos
    if text.startswith(("//", "/*"), offset):
        if dialect == "strict":
            return "a comment, which this client does not read", offset
        return "a comment that is not closed, expected '*/'", offset
    before = text[:offset].rstrip(BLANKS)
    # Python 3.13 reports a trailing comma at the comma, earlier versions report the bracket.
    comma = offset if error.msg.startswith("Illegal trailing comma") else len(before) - 1
    trailing_comma = _TRAILING_COMMA_PATTERN.match(text, max(comma, 0))
    if trailing_comma and dialect != "jsonc":
        return f"a comma before {trailing_comma[1]!r}, which this client does not read", comma
    if error.msg.startswith(("Unterminated", "Invalid")):
        return _describe_string_error(error)
    word = _WORD_PATTERN.match(text, offset)
    expected = _describe_expected(error.msg, before[-1:], dialect)
    if word is None:
        return f"the file ends, expected {expected}", offset
    is_long = len(word[0]) > MAX_SHOWN_CHARACTERS
    shown = f"{word[0][:MAX_SHOWN_CHARACTERS]}…" if is_long else word[0]
    return f"found {shown!r}, expected {expected}", offset


def _describe_expected(decoder_message: str, character_before: str, dialect: JsonDialect) -> str:
    """Return a description of the text that is expected at a syntax error, such as `a value`.

    Args:
        decoder_message: The message of Python's JSON decoder.
        character_before: The last character before the error that is not whitespace.
        dialect: The dialect of JSON; `jsonc` allows trailing commas.
    """
    can_close = character_before in "[{" or dialect == "jsonc"
    if decoder_message.startswith("Expecting property name"):
        return "a key in double quotes" + (" or '}'" if can_close else "")
    if decoder_message.startswith("Expecting ':'"):
        return "':' after the key"
    if decoder_message.startswith("Expecting ','"):
        return "',' or a closing bracket"
    if decoder_message.startswith("Extra data"):
        return "the end of the file"
    in_list = character_before in ("[", ",")
    return "a value" + (" or ']'" if in_list and can_close else "")


def _describe_string_error(error: json.JSONDecodeError) -> tuple[str, int]:
    """Return a message for a syntax error inside a JSON string, and the offset of the error."""
    text = error.doc
    character = text[error.pos : error.pos + 1]
    if error.msg.startswith("Unterminated") or character in "\r\n":
        return "a string that is not closed, expected '\"' on the same line", error.pos
    if error.msg.startswith("Invalid control character"):
        code = f"{ord(character):04x}"
        return f"a control character in a string, expected \\u{code}", error.pos
    backslash = text.rfind("\\", 0, error.pos + 1)
    shown = text[backslash : backslash + 2]
    return f"{shown} in a string, expected a valid escape sequence", backslash
