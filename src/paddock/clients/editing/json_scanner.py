"""Reading JSON and its dialects with comments exactly: every fault has its line and column.

`json_reading` is the quick way and comes here for what the standard library cannot do: to say what
is wrong, and to read what is nested more deeply than Python's stack.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from paddock.clients.editing.document import MISSING, ConfigurationError, located

if TYPE_CHECKING:
    from paddock.clients.editing.opening import Dialect

_BLANKS = re.compile(r"[ \t\r\n]*+")
_COMMENT = re.compile(r"//[^\r\n]*+|/\*(?s:.*?)\*/")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-])")
_STRING_START = re.compile(
    r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
)
_WORD = re.compile(r"[\w$.+-]++|.", re.DOTALL)
_LITERALS: dict[str, object] = {"true": True, "false": False, "null": None}
_CLOSING = {dict: "}", list: "]"}
_LONGEST_SHOWN = 20


def number(text: str) -> int | float:
    """The value of a JSON number; what Python refuses to read as an integer is a float."""
    if not text.lstrip("-").isdigit():
        return float(text)
    try:
        return int(text)
    except ValueError:
        return float(text)


class Scanner:
    """One pass over one text, with a stack of its own instead of recursion."""

    def __init__(self, text: str, *, where: str, dialect: Dialect) -> None:
        self._text = text
        self._where = where
        self._dialect = dialect
        self._at = 0
        self._open: list[dict[str, Any] | list[Any]] = []
        self._comma: int | None = None

    def scan(self) -> object:
        """What the text says, or `MISSING` when it says nothing.

        Raises:
            ConfigurationError: at the first fault.
        """
        self._skip_blanks()
        if self._at == len(self._text):
            return MISSING
        root = self._value("a value")
        while self._open:
            self._read_item()
        self._skip_blanks()
        if self._at < len(self._text):
            raise self._unexpected("the end of the file")
        return root

    def _read_item(self) -> None:
        """One member or element with the comma after it, or the end of the innermost container."""
        container = self._open[-1]
        closing = _CLOSING[type(container)]
        self._skip_blanks()
        if self._text.startswith(closing, self._at):
            self._refuse_trailing_comma(closing)
            self._at += 1
            self._open.pop()
            self._read_comma()
            return
        either = f" or {closing!r}" if self._may_close() else ""
        depth = len(self._open)
        if isinstance(container, dict):
            key = self._key(either)
            container[key] = self._value("a value")
        else:
            container.append(self._value("a value" + either))
        if len(self._open) == depth:
            self._read_comma()

    def _read_comma(self) -> None:
        self._comma = None
        if not self._open:
            return
        self._skip_blanks()
        closing = _CLOSING[type(self._open[-1])]
        if self._text.startswith(",", self._at):
            self._comma = self._at
            self._at += 1
        elif not self._text.startswith(closing, self._at):
            raise self._unexpected(f"',' or {closing!r}")

    def _may_close(self) -> bool:
        return self._comma is None or self._dialect == "jsonc"

    def _refuse_trailing_comma(self, closing: str) -> None:
        if self._may_close():
            return
        raise self._error(
            f"a comma before {closing!r}, which this client does not read",
            self._comma or 0,
            hint="remove the comma; nothing was changed",
        )

    def _key(self, either: str) -> str:
        if not self._text.startswith('"', self._at):
            raise self._unexpected("a key in double quotes" + either)
        key = self._string()
        self._skip_blanks()
        if not self._text.startswith(":", self._at):
            raise self._unexpected("':' after the key")
        self._at += 1
        self._skip_blanks()
        return key

    def _value(self, expected: str) -> object:
        """A scalar, or a container that has just been opened."""
        first = self._text[self._at : self._at + 1]
        if first == '"':
            return self._string()
        if first in ("{", "["):
            container: dict[str, Any] | list[Any] = {} if first == "{" else []
            self._open.append(container)
            self._comma = None
            self._at += 1
            return container
        digits = _NUMBER.match(self._text, self._at)
        if digits:
            self._at = digits.end()
            return number(digits[0])
        word = _WORD.match(self._text, self._at)
        if word is None or word[0] not in _LITERALS:
            raise self._unexpected(expected)
        self._at = word.end()
        return _LITERALS[word[0]]

    def _string(self) -> str:
        start = self._at
        found = _STRING_START.match(self._text, start)
        stop = found.end() if found else start
        if not self._text.startswith('"', stop):
            raise self._string_fault(start, stop)
        self._at = stop + 1
        raw = self._text[start + 1 : stop]
        return json.loads(f'"{raw}"') if "\\" in raw else raw

    def _string_fault(self, start: int, stop: int) -> ConfigurationError:
        culprit = self._text[stop : stop + 1]
        if culprit in ("", "\r", "\n"):
            return self._error("a string that is not closed, expected '\"' on the same line", start)
        if culprit == "\\":
            shown = self._text[stop : stop + 2]
            return self._error(f"{shown} in a string, expected an escape that JSON knows", stop)
        code = f"{ord(culprit):04x}"
        return self._error(f"a control character in a string, expected \\u{code}", stop)

    def _skip_blanks(self) -> None:
        """Go on to what is neither blank nor comment."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if not self._text.startswith(("//", "/*"), self._at):
                return
            if self._dialect == "strict":
                raise self._error(
                    "a comment, which this client does not read",
                    self._at,
                    hint="remove the comment; nothing was changed",
                )
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                raise self._error("a comment that is not closed, expected '*/'", self._at)
            self._at = comment.end()

    def _unexpected(self, expected: str) -> ConfigurationError:
        found = _WORD.match(self._text, self._at)
        if found is None:
            return self._error(f"the file ends, expected {expected}", self._at)
        word = found[0]
        shown = word if len(word) <= _LONGEST_SHOWN else f"{word[:_LONGEST_SHOWN]}…"
        return self._error(f"found {shown!r}, expected {expected}", self._at)

    def _error(
        self, message: str, offset: int, *, hint: str = "mend the file; nothing was changed"
    ) -> ConfigurationError:
        return ConfigurationError(
            message, where=located(self._where, self._text, offset), hint=hint
        )
