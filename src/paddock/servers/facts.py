"""What a definition file says about its server, read without a TOML parser.

`tomllib` takes 20 ms to load and a client waits for the first answer. Only the plain beginning of
a file is understood: comments, and keys with a text, a number or a truth value. As soon as
anything else might matter, the facts are not certain, and the handshake waits for the whole
definition. Loaded before the first answer, so it needs nothing but the interpreter.
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
_CONSTANTS = ("true", "false", "inf", "nan")


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
    """Goes through the beginning of a file, line by line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> dict[str, str]:
        """The plain values of the keys that matter."""
        found: dict[str, str] = {}
        while self._at < len(self._text):
            start, line = self._at, self._line()
            plain = line.strip()
            if not plain or plain.startswith("#"):
                continue
            if _is_header(plain):
                return found
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals:
                raise Unclear
            if key in _TEXTS:
                self._at = start + line.index("=") + 1
                found[key] = self._value()
            elif key == VIEWS and _word(value) in ("true", "false"):
                found[key] = _word(value)
            elif _matters(key) or not _is_one_line(value):
                self._at = start
                self._check_rest()
                return found
        return found

    def _line(self) -> str:
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        line = self._text[self._at : end]
        self._at = end + 1
        return line

    def _check_rest(self) -> None:
        """Make sure that nothing that matters stands behind what is not understood."""
        while self._at < len(self._text):
            plain = self._line().strip()
            if _is_header(plain):
                return
            if '"""' in plain or "'''" in plain:
                raise Unclear
            key, equals, _ = plain.partition("=")
            if equals and _matters(key.strip()):
                raise Unclear

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


def _word(value: str) -> str:
    return value.partition("#")[0].strip()


def _is_one_line(value: str) -> bool:
    """Whether a value is a plain one that ends with its line."""
    word = _word(value)
    if word in ("true", "false") or word.isdecimal():
        return True
    is_text = value.startswith('"') and value.count('"') == 2 and "\\" not in value
    return is_text and _is_end(value.rpartition('"')[2])


def _is_header(line: str) -> bool:
    """Whether a line begins a table, rather than an array within an array."""
    first = line.lstrip("[")
    is_word = first[:1].isalpha() or first[:1] == "_"
    return line.startswith("[") and is_word and not first.startswith(_CONSTANTS)


def _is_end(rest: str) -> bool:
    """Whether nothing but a comment stands at the end of a line."""
    rest = rest.strip()
    return not rest or rest.startswith("#")
