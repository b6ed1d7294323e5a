"""What a definition file says about its server, read without a TOML parser.

`tomllib` takes 20 ms to load and a client waits for the first answer. What stands before the first
table is understood as far as it has to be: texts in double quotes, and where other values end. As
soon as a fact is written in any other way, the facts are not certain, and the handshake waits for
the whole definition. Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

from paddock.protocol.extensions import UI
from paddock.protocol.facts import ServerFacts

DEFAULT_VERSION = "1.0.0"
MAX_FILE = 1_000_000
VIEWS = "views"
_TEXTS = frozenset({"name", "version", "title", "description", "instructions"})
_WRAPPER = "LLMEvaluator"
_FOREIGN = frozenset({"serverversion", "displayname", VIEWS})
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


class Unclear(Exception):  # noqa: N818 - never leaves this module
    """The file is not as plain as this reader needs it."""


def read_facts(path: str, name: str, version: str = DEFAULT_VERSION) -> tuple[ServerFacts, bool]:
    """The facts of the server that a file defines, and whether they are certain.

    Name and version are those of a server that does not say its own.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(MAX_FILE + 1)
        return _facts(text, name, version), len(text) <= MAX_FILE
    except (OSError, ValueError, Unclear):
        return ServerFacts(name, version=version), False


def _facts(text: str, name: str, version: str) -> ServerFacts:
    if _WRAPPER in text:
        raise Unclear
    found = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n")).read()
    facts = ServerFacts(
        found.get("name") or name,
        version=found.get("version") or version,
        title=found.get("title"),
        description=found.get("description"),
        instructions=found.get("instructions"),
    )
    if found.get(VIEWS) == "true":
        facts.declare_extension(UI, {})
    return facts


class _Reader:
    """Goes through a file up to its first table, key by key."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> dict[str, str]:
        """The values of the keys that matter."""
        found: dict[str, str] = {}
        while self._at < len(self._text):
            start, line = self._at, self._line()
            plain = line.strip()
            if plain.startswith("["):
                break
            if not plain or plain.startswith("#"):
                continue
            key, equals, _ = line.partition("=")
            if not equals:
                raise Unclear
            self._at = start + len(key) + 1
            self._read_value(key.strip(), found)
        return found

    def _read_value(self, key: str, found: dict[str, str]) -> None:
        if key in _TEXTS:
            found[key] = self._value()
        elif key == VIEWS:
            found[key] = self._line().partition("#")[0].strip()
            if found[key] not in ("true", "false"):
                raise Unclear
        elif _matters(key):
            raise Unclear
        else:
            self._skip()
            if not _is_end(self._line()):
                raise Unclear

    def _line(self) -> str:
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        line = self._text[self._at : end]
        self._at = end + 1
        return line

    def _skip(self) -> None:
        """Pass over a value, which may be a list that takes several lines."""
        depth = 0
        while True:
            letter = self._text[self._at : self._at + 1]
            if not letter or (letter == "\n" and not depth):
                return
            if letter in "\"'":
                self._skip_text(letter)
                continue
            if letter == "#":
                if not depth:
                    return
                self._line()
                continue
            depth += (letter in "[{") - (letter in "]}")
            self._at += 1

    def _skip_text(self, quote: str) -> None:
        if self._text.startswith(quote * 3, self._at):
            raise Unclear
        self._at += 1
        if quote == '"':
            self._until(quote)
            return
        end = self._text.find(quote, self._at)
        if end < 0 or "\n" in self._text[self._at : end]:
            raise Unclear
        self._at = end + 1

    def _value(self) -> str:
        """The text behind an equals sign."""
        text = self._text
        while text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        quote = '"""' if text.startswith('"""', self._at) else '"'
        if not text.startswith(quote, self._at):
            raise Unclear
        self._at += len(quote)
        if quote == '"""' and text.startswith("\n", self._at):
            self._at += 1
        value = self._until(quote)
        if not _is_end(self._line()):
            raise Unclear
        return value

    def _until(self, quote: str) -> str:
        pieces: list[str] = []
        text = self._text
        while True:
            if self._at >= len(text):
                raise Unclear
            if text.startswith(quote, self._at):
                self._at += len(quote)
                if quote == '"""' and text.startswith('"', self._at):
                    raise Unclear  # one or two further quotes would belong to the text
                return "".join(pieces)
            letter = text[self._at]
            if letter == "\n" and quote == '"':
                raise Unclear
            self._at += 1
            pieces.append(self._escaped() if letter == "\\" else letter)

    def _escaped(self) -> str:
        letter = self._text[self._at : self._at + 1]
        self._at += 1
        if letter in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[letter]
        digits = _LONG_ESCAPES.get(letter)
        if digits is None:
            raise Unclear  # among them the backslash at the end of a line
        code = self._text[self._at : self._at + digits]
        self._at += digits
        return chr(int(code, 16))


def _matters(key: str) -> bool:
    """Whether a key, however it is written, may lead to a fact."""
    plain = key.replace("_", "").lower()
    return plain in _TEXTS or plain in _FOREIGN or key == "Prompts" or key.startswith(('"', "'"))


def _is_end(rest: str) -> bool:
    """Whether nothing but a comment stands at the end of a line."""
    rest = rest.strip()
    return not rest or rest.startswith("#")
