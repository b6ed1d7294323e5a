"""What a definition file says about its server, read without a TOML parser.

`tomllib` takes 20 ms to load and a client waits for the first answer. What stands before the first
table is understood as far as it has to be: texts in double quotes, and where other values end. As
soon as a fact is written in any other way, the facts are not certain, and the handshake waits for
the whole definition. Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

from paddock.protocol.server_metadata import ServerMetadata
from paddock.protocol.versions import UI_EXTENSION

DEFAULT_VERSION = "1.0.0"
MAX_FILE_CHARACTERS = 1_000_000
VIEWS_KEY = "views"
_TEXT_KEYS = frozenset({"name", "version", "title", "description", "instructions"})
_WRAPPER_KEY = "LLMEvaluator"
_ALIAS_KEYS = frozenset({"serverversion", "displayname", VIEWS_KEY})
"""Further keys that lead to facts, some of them of the Wolfram documents, in lower case."""
_SIMPLE_ESCAPES = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    '"': '"',
    "\\": "\\",
}
_LONG_ESCAPES = {"u": 4, "U": 8}


class NeedsFullParseError(Exception):
    """The file is not as plain as this reader needs it."""


def read_quick_facts(
    path: str, name: str, version: str = DEFAULT_VERSION
) -> tuple[ServerMetadata, bool]:
    """The facts of the server that a file defines, and whether they are certain.

    Name and version are those of a server that does not say its own.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(MAX_FILE_CHARACTERS + 1)
        return _parse_facts(text, name, version), len(text) <= MAX_FILE_CHARACTERS
    except (OSError, ValueError, NeedsFullParseError):
        return ServerMetadata(name, version=version), False


def _parse_facts(text: str, name: str, version: str) -> ServerMetadata:
    if _WRAPPER_KEY in text:
        raise NeedsFullParseError
    found = _TomlHeadReader(text.removeprefix("\ufeff").replace("\r\n", "\n")).read()
    facts = ServerMetadata(
        found.get("name") or name,
        version=found.get("version") or version,
        title=found.get("title"),
        description=found.get("description"),
        instructions=found.get("instructions"),
    )
    if found.get(VIEWS_KEY) == "true":
        facts.declare_extension(UI_EXTENSION, {})
    return facts


class _TomlHeadReader:
    """Goes through a file up to its first table, key by key."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0

    def read(self) -> dict[str, str]:
        """The values of the keys that matter."""
        found: dict[str, str] = {}
        while self._offset < len(self._text):
            start, line = self._offset, self._read_line()
            plain = line.strip()
            if plain.startswith("["):
                break
            if not plain or plain.startswith("#"):
                continue
            key, equals, _ = line.partition("=")
            if not equals:
                raise NeedsFullParseError
            self._offset = start + len(key) + 1
            self._read_value(key.strip(), found)
        return found

    def _read_value(self, key: str, found: dict[str, str]) -> None:
        if key in _TEXT_KEYS:
            found[key] = self._read_text()
        elif key == VIEWS_KEY:
            found[key] = self._read_line().partition("#")[0].strip()
            if found[key] not in ("true", "false"):
                raise NeedsFullParseError
        elif _is_relevant_key(key):
            raise NeedsFullParseError
        else:
            self._skip_value()
            if not _is_line_end(self._read_line()):
                raise NeedsFullParseError

    def _read_line(self) -> str:
        end = self._text.find("\n", self._offset)
        end = len(self._text) if end < 0 else end
        line = self._text[self._offset : end]
        self._offset = end + 1
        return line

    def _skip_value(self) -> None:
        """Pass over a value, which may be a list that takes several lines."""
        depth = 0
        while True:
            letter = self._text[self._offset : self._offset + 1]
            if not letter or (letter == "\n" and not depth):
                return
            if letter in "\"'":
                self._skip_text(letter)
                continue
            if letter == "#":
                if not depth:
                    return
                self._read_line()
                continue
            depth += (letter in "[{") - (letter in "]}")
            self._offset += 1

    def _skip_text(self, quote: str) -> None:
        if self._text.startswith(quote * 3, self._offset):
            raise NeedsFullParseError
        self._offset += 1
        if quote == '"':
            self._read_until_quote(quote)
            return
        end = self._text.find(quote, self._offset)
        if end < 0 or "\n" in self._text[self._offset : end]:
            raise NeedsFullParseError
        self._offset = end + 1

    def _read_text(self) -> str:
        """The text behind an equals sign."""
        text = self._text
        while text[self._offset : self._offset + 1] in (" ", "\t"):
            self._offset += 1
        quote = '"""' if text.startswith('"""', self._offset) else '"'
        if not text.startswith(quote, self._offset):
            raise NeedsFullParseError
        self._offset += len(quote)
        if quote == '"""' and text.startswith("\n", self._offset):
            self._offset += 1
        value = self._read_until_quote(quote)
        if not _is_line_end(self._read_line()):
            raise NeedsFullParseError
        return value

    def _read_until_quote(self, quote: str) -> str:
        pieces: list[str] = []
        text = self._text
        while True:
            if self._offset >= len(text):
                raise NeedsFullParseError
            if text.startswith(quote, self._offset):
                self._offset += len(quote)
                if quote == '"""' and text.startswith('"', self._offset):
                    raise NeedsFullParseError  # one or two further quotes would belong to the text
                return "".join(pieces)
            letter = text[self._offset]
            if letter == "\n" and quote == '"':
                raise NeedsFullParseError
            self._offset += 1
            pieces.append(self._read_escape() if letter == "\\" else letter)

    def _read_escape(self) -> str:
        letter = self._text[self._offset : self._offset + 1]
        self._offset += 1
        if letter in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[letter]
        digits = _LONG_ESCAPES.get(letter)
        if digits is None:
            raise NeedsFullParseError  # among them the backslash at the end of a line
        code = self._text[self._offset : self._offset + digits]
        self._offset += digits
        return chr(int(code, 16))


def _is_relevant_key(key: str) -> bool:
    """Whether a key, however it is written, may lead to a fact."""
    plain = key.replace("_", "").lower()
    return (
        plain in _TEXT_KEYS
        or plain in _ALIAS_KEYS
        or key == "Prompts"
        or key.startswith(('"', "'"))
    )


def _is_line_end(rest: str) -> bool:
    """Whether nothing but a comment stands at the end of a line."""
    rest = rest.strip()
    return not rest or rest.startswith("#")
