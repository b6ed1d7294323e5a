"""Reading JSON quickly: comments are blanked out, and the standard library does the rest.

The blanked text has everything else where it was, so that `json_spans` can find its way in it.

Reading JSON and its dialects with comments exactly: every fault has its line and column.

`json_reading` is the quick way and comes here for what the standard library cannot do: to say what
is wrong, and to read what is nested more deeply than Python's stack.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.installer.config_files.document import MISSING, ConfigurationError, format_location

if TYPE_CHECKING:
    from paddock.installer.config_files.document import JsonDialect


_BLANKS_TOKEN = re.compile(r"[ \t\r\n]*+")
_COMMENT_TOKEN = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_NUMBER_TOKEN = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-])")
_STRING_START_TOKEN = re.compile(
    r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
)
_WORD_TOKEN = re.compile(r"[\w$.+-]++|.", re.DOTALL)
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None}
_CLOSING_BRACKETS = {dict: "}", list: "]"}
_MAX_SHOWN_CHARACTERS = 20


def parse_number(text: str) -> int | float:
    """The value of a JSON number; what Python refuses to read as an integer is a float."""
    if not text.lstrip("-").isdigit():
        return float(text)
    try:
        return int(text)
    except ValueError:
        return float(text)


class JsonScanner:
    """One pass over one text, with a stack of its own instead of recursion."""

    def __init__(self, text: str, *, where: str, dialect: JsonDialect) -> None:
        self._text = text
        self._where = where
        self._dialect = dialect
        self._offset = 0
        self._open_containers: list[dict[str, Any] | list[Any]] = []
        self._last_comma: int | None = None

    def scan(self) -> object:
        """What the text says, or `MISSING` when it says nothing.

        Raises:
            ConfigurationError: at the first fault.
        """
        self._skip_blanks()
        if self._offset == len(self._text):
            return MISSING
        root = self._read_value("a value")
        while self._open_containers:
            self._read_item()
        self._skip_blanks()
        if self._offset < len(self._text):
            raise self._make_unexpected_error("the end of the file")
        return root

    def _read_item(self) -> None:
        """One member or element with the comma after it, or the end of the innermost container."""
        container = self._open_containers[-1]
        closing = _CLOSING_BRACKETS[type(container)]
        self._skip_blanks()
        if self._text.startswith(closing, self._offset):
            self._reject_trailing_comma(closing)
            self._offset += 1
            self._open_containers.pop()
            self._read_comma()
            return
        either = f" or {closing!r}" if self._can_close() else ""
        depth = len(self._open_containers)
        if isinstance(container, dict):
            key = self._read_key(either)
            container[key] = self._read_value("a value")
        else:
            container.append(self._read_value("a value" + either))
        if len(self._open_containers) == depth:
            self._read_comma()

    def _read_comma(self) -> None:
        self._last_comma = None
        if not self._open_containers:
            return
        self._skip_blanks()
        closing = _CLOSING_BRACKETS[type(self._open_containers[-1])]
        if self._text.startswith(",", self._offset):
            self._last_comma = self._offset
            self._offset += 1
        elif not self._text.startswith(closing, self._offset):
            raise self._make_unexpected_error(f"',' or {closing!r}")

    def _can_close(self) -> bool:
        return self._last_comma is None or self._dialect == "jsonc"

    def _reject_trailing_comma(self, closing: str) -> None:
        if self._can_close():
            return
        raise self._make_error(
            f"a comma before {closing!r}, which this client does not read",
            self._last_comma or 0,
            hint="remove the comma; nothing was changed",
        )

    def _read_key(self, either: str) -> str:
        if not self._text.startswith('"', self._offset):
            raise self._make_unexpected_error("a key in double quotes" + either)
        key = self._read_string()
        self._skip_blanks()
        if not self._text.startswith(":", self._offset):
            raise self._make_unexpected_error("':' after the key")
        self._offset += 1
        self._skip_blanks()
        return key

    def _read_value(self, expected: str) -> object:
        """A scalar, or a container that has just been opened."""
        first = self._text[self._offset : self._offset + 1]
        if first == '"':
            return self._read_string()
        if first in ("{", "["):
            container: dict[str, Any] | list[Any] = {} if first == "{" else []
            self._open_containers.append(container)
            self._last_comma = None
            self._offset += 1
            return container
        digits = _NUMBER_TOKEN.match(self._text, self._offset)
        if digits:
            self._offset = digits.end()
            return parse_number(digits[0])
        word = _WORD_TOKEN.match(self._text, self._offset)
        if word is None or word[0] not in _LITERALS:
            raise self._make_unexpected_error(expected)
        self._offset = word.end()
        return _LITERALS[word[0]]

    def _read_string(self) -> str:
        start = self._offset
        found = _STRING_START_TOKEN.match(self._text, start)
        stop = found.end() if found else start
        if not self._text.startswith('"', stop):
            raise self._make_string_error(start, stop)
        self._offset = stop + 1
        raw = self._text[start + 1 : stop]
        return json.loads(f'"{raw}"') if "\\" in raw else raw

    def _make_string_error(self, start: int, stop: int) -> ConfigurationError:
        culprit = self._text[stop : stop + 1]
        if culprit in ("", "\r", "\n"):
            return self._make_error(
                "a string that is not closed, expected '\"' on the same line", start
            )
        if culprit == "\\":
            shown = self._text[stop : stop + 2]
            return self._make_error(
                f"{shown} in a string, expected an escape that JSON knows", stop
            )
        code = f"{ord(culprit):04x}"
        return self._make_error(f"a control character in a string, expected \\u{code}", stop)

    def _skip_blanks(self) -> None:
        """Go on to what is neither blank nor comment."""
        while True:
            blanks = _BLANKS_TOKEN.match(self._text, self._offset)
            self._offset = blanks.end() if blanks else self._offset
            if not self._text.startswith(("//", "/*"), self._offset):
                return
            if self._dialect == "strict":
                raise self._make_error(
                    "a comment, which this client does not read",
                    self._offset,
                    hint="remove the comment; nothing was changed",
                )
            comment = _COMMENT_TOKEN.match(self._text, self._offset)
            if comment is None:
                raise self._make_error("a comment that is not closed, expected '*/'", self._offset)
            self._offset = comment.end()

    def _make_unexpected_error(self, expected: str) -> ConfigurationError:
        found = _WORD_TOKEN.match(self._text, self._offset)
        if found is None:
            return self._make_error(f"the file ends, expected {expected}", self._offset)
        word = found[0]
        shown = word if len(word) <= _MAX_SHOWN_CHARACTERS else f"{word[:_MAX_SHOWN_CHARACTERS]}…"
        return self._make_error(f"found {shown!r}, expected {expected}", self._offset)

    def _make_error(
        self, message: str, offset: int, *, hint: str = "mend the file; nothing was changed"
    ) -> ConfigurationError:
        return ConfigurationError(
            message, where=format_location(self._where, self._text, offset), hint=hint
        )


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
