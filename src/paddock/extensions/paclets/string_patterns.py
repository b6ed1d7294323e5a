"""String patterns as regular expressions of JSON Schema, which are those of JavaScript.

`RegularExpression["…"]` is nearly one already; of patterns such as `DigitCharacter ..` the common
ones are translated. What cannot be said gives none.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from paddock.extensions.paclets.tables import arguments_of, head_of, symbol_name
from paddock.wolfram.data import Held

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LENGTH = 2000
MAX_DEPTH = 20
_ANY = r"[\s\S]"
_SYMBOLS = {
    "DigitCharacter": "[0-9]",
    "LetterCharacter": "[A-Za-z]",
    "WordCharacter": "[A-Za-z0-9]",
    "HexadecimalCharacter": "[0-9A-Fa-f]",
    "WhitespaceCharacter": r"\s",
    "Whitespace": r"\s+",
    "PunctuationCharacter": r"[!-/:-@\[-`{-~]",
    "NumberString": r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)",
    "StartOfString": "^",
    "EndOfString": "$",
    "StartOfLine": "^",
    "EndOfLine": "$",
    "WordBoundary": r"\b",
}
_BLANKS = {"Blank": _ANY, "BlankSequence": f"{_ANY}+", "BlankNullSequence": f"{_ANY}*"}
_TRANSPARENT = ("Longest", "Shortest", "HoldPattern")
_POSIX = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "A-Za-z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "xdigit": "0-9A-Fa-f",
    "word": r"\w",
    "punct": r"!-/:-@\[-`{-~",
}
_WILD = {"*": f"{_ANY}*", "@": "[^A-Z]+"}
"""What stands for more than itself in a plain text that is a pattern."""
_LEADING_FLAGS = re.compile(r"^\(\?([a-zA-Z]+)\)")
_WRAPPED_FLAGS = re.compile(r"\(\?-?[ms]+\)")
_KNOWN_FLAGS = frozenset("msuU")
"""Flags that need not be told; others change what is matched."""
_POSIX_CLASS = re.compile(r"\[:(\w+):\]")
_PIECE = re.compile(r"\\x\{([0-9A-Fa-f]+)\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.", re.DOTALL)
_ENDS = {r"\A": "^", r"\z": "$", r"\Z": "$"}
_SPECIAL = frozenset(r".^$*+?()[]{}|\/")


def json_pattern(value: object) -> str | None:
    """The regular expression that whole texts match; empty when all do, None when there is none."""
    found = _translated(value, 0)
    if found is None or len(found) > MAX_LENGTH:
        return None
    if found in (f"{_ANY}*", ""):
        return ""
    return f"^(?:{found})$"


def _translated(value: object, depth: int) -> str | None:
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, str):
        return "".join(_WILD.get(letter) or _literal(letter) for letter in value)
    name = symbol_name(value)
    if name is not None:
        return _SYMBOLS.get(name)
    if isinstance(value, list):
        return _joined(value, "|", depth)
    head = head_of(value)
    if head in _BLANKS and not arguments_of(value):
        return _BLANKS[head]
    work = _HEADS.get(head or "")
    return work(arguments_of(value), depth + 1) if work and isinstance(value, Held) else None


def _joined(several: list[object], separator: str, depth: int) -> str | None:
    parts = [_translated(one, depth) for one in several]
    if not parts or any(part is None for part in parts):
        return None
    text = separator.join(part for part in parts if part is not None)
    return f"(?:{text})" if separator else text


def _repeated(sign: str) -> Callable[[list[object], int], str | None]:
    def work(arguments: list[object], depth: int) -> str | None:
        if not arguments:
            return None
        part = _translated(arguments[0], depth)
        count = sign if len(arguments) == 1 else _count(arguments[1])
        return None if part is None or count is None else f"(?:{part}){count}"

    return work


def _count(value: object) -> str | None:
    """How often, as `Repeated` has it: at most, exactly, or from and to."""
    match value:
        case int():
            return f"{{1,{value}}}"
        case [int(exactly)]:
            return f"{{{exactly}}}"
        case [int(least), int(most)]:
            return f"{{{least},{most}}}"
        case [int(least), other] if symbol_name(other) == "Infinity":
            return f"{{{least},}}"
    return None


def _only(arguments: list[object], depth: int) -> str | None:
    return _translated(arguments[0], depth) if len(arguments) == 1 else None


def _last(arguments: list[object], depth: int) -> str | None:
    return _translated(arguments[-1], depth) if arguments else None


def _range(arguments: list[object], _depth: int) -> str | None:
    match arguments:
        case [str(first), str(last)] if len(first) == len(last) == 1 and first <= last:
            return f"[{_literal(first)}-{_literal(last)}]"
    return None


def _except(arguments: list[object], depth: int) -> str | None:
    """What a single character must not be."""
    part = _translated(arguments[0], depth) if len(arguments) == 1 else None
    if part is None:
        return None
    return f"(?!{part}){_ANY}"


def _regular_expression(arguments: list[object], _depth: int) -> str | None:
    match arguments:
        case [str(text)]:
            return _for_javascript(text)
    return None


def _for_javascript(text: str) -> str | None:
    try:
        # What a later Python might read otherwise is none of our business.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(_POSIX_CLASS.sub(lambda found: _POSIX.get(found[1], ""), _python(text)))
    except (re.error, OverflowError, RecursionError):
        return None
    flags = _LEADING_FLAGS.match(text)
    if flags is not None and not set(flags[1]) <= _KNOWN_FLAGS:
        return None
    is_dotall = flags is not None and "s" in flags[1]
    if flags is not None:
        text = text[flags.end() :]
    text = _WRAPPED_FLAGS.sub("", text)
    return _PIECE.sub(lambda found: _piece(found, is_dotall=is_dotall), text)


def _python(text: str) -> str:
    """The expression as Python would have it, to find out whether it is one."""
    flags = _LEADING_FLAGS.match(text)
    text = text[flags.end() :] if flags else text
    text = _WRAPPED_FLAGS.sub("", text).replace(r"\z", r"\Z")
    return re.sub(r"\\x\{[0-9A-Fa-f]+\}", "x", text)


def _piece(found: re.Match[str], *, is_dotall: bool) -> str:
    piece = found[0]
    if found[1]:
        return _code(int(found[1][-8:], 16))
    if piece.startswith("[") and len(piece) > 1:
        return _POSIX_CLASS.sub(lambda one: _POSIX.get(one[1], one[0]), piece)
    if piece == "." and is_dotall:
        return _ANY
    return _ENDS.get(piece, piece)


def _code(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    encoded = chr(min(code, 0x10FFFF)).encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{encoded[at : at + 2].hex()}" for at in range(0, len(encoded), 2))


def _literal(text: str) -> str:
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in text)


_HEADS: dict[str, Callable[[list[object], int], str | None]] = {
    "StringExpression": lambda arguments, depth: _joined(arguments, "", depth),
    "Alternatives": lambda arguments, depth: _joined(arguments, "|", depth),
    "Repeated": _repeated("+"),
    "RepeatedNull": _repeated("*"),
    "RegularExpression": _regular_expression,
    "CharacterRange": _range,
    "Except": _except,
    "Pattern": _last,
    **dict.fromkeys(_TRANSPARENT, _only),
}
