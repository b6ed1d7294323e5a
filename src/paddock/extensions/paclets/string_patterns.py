"""String patterns as regular expressions of JSON Schema, which are those of JavaScript.

`RegularExpression["…"]` is nearly one already; of patterns such as `DigitCharacter ..` the common
ones are translated. What cannot be said gives none.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from paddock.extensions.paclets.tables import get_arguments, get_head_name, get_symbol_name
from paddock.wolfram.data import UnevaluatedExpression

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_PATTERN_CHARACTERS = 2000
MAX_PATTERN_DEPTH = 20
_ANY_CHARACTER = r"[\s\S]"
_SYMBOL_PATTERNS = {
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
_BLANK_PATTERNS = {"Blank": _ANY_CHARACTER, "BlankSequence": f"{_ANY_CHARACTER}+", "BlankNullSequence": f"{_ANY_CHARACTER}*"}
_TRANSPARENT_HEADS = ("Longest", "Shortest", "HoldPattern")
_POSIX_CLASSES = {
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
_WILDCARD_PATTERNS = {"*": f"{_ANY_CHARACTER}*", "@": "[^A-Z]+"}
"""What stands for more than itself in a plain text that is a pattern."""
_LEADING_FLAGS = re.compile(r"^\(\?([a-zA-Z]+)\)")
_INLINE_FLAGS = re.compile(r"\(\?-?[ms]+\)")
_SUPPORTED_FLAGS = frozenset("msuU")
"""Flags that need not be told; others change what is matched."""
_POSIX_CLASS_PATTERN = re.compile(r"\[:(\w+):\]")
_REGEX_TOKEN = re.compile(r"\\x\{([0-9A-Fa-f]+)\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.", re.DOTALL)
_ANCHORS = {r"\A": "^", r"\z": "$", r"\Z": "$"}
_SPECIAL_CHARACTERS = frozenset(r".^$*+?()[]{}|\/")


def to_json_pattern(value: object) -> str | None:
    """The regular expression that whole texts match; empty when all do, None when there is none."""
    found = _translate(value, 0)
    if found is None or len(found) > MAX_PATTERN_CHARACTERS:
        return None
    if found in (f"{_ANY_CHARACTER}*", ""):
        return ""
    return f"^(?:{found})$"


def _translate(value: object, depth: int) -> str | None:
    if depth > MAX_PATTERN_DEPTH:
        return None
    if isinstance(value, str):
        return "".join(_WILDCARD_PATTERNS.get(letter) or _escape_literal(letter) for letter in value)
    name = get_symbol_name(value)
    if name is not None:
        return _SYMBOL_PATTERNS.get(name)
    if isinstance(value, list):
        return _join_patterns(value, "|", depth)
    head = get_head_name(value)
    if head in _BLANK_PATTERNS and not get_arguments(value):
        return _BLANK_PATTERNS[head]
    work = _TRANSLATORS.get(head or "")
    return work(get_arguments(value), depth + 1) if work and isinstance(value, UnevaluatedExpression) else None


def _join_patterns(several: list[object], separator: str, depth: int) -> str | None:
    parts = [_translate(one, depth) for one in several]
    if not parts or any(part is None for part in parts):
        return None
    text = separator.join(part for part in parts if part is not None)
    return f"(?:{text})" if separator else text


def _make_repeat_translator(sign: str) -> Callable[[list[object], int], str | None]:
    def translate_repeat(arguments: list[object], depth: int) -> str | None:
        if not arguments:
            return None
        part = _translate(arguments[0], depth)
        count = sign if len(arguments) == 1 else _format_count(arguments[1])
        return None if part is None or count is None else f"(?:{part}){count}"

    return translate_repeat


def _format_count(value: object) -> str | None:
    """How often, as `Repeated` has it: at most, exactly, or from and to."""
    match value:
        case int():
            return f"{{1,{value}}}"
        case [int(exactly)]:
            return f"{{{exactly}}}"
        case [int(least), int(most)]:
            return f"{{{least},{most}}}"
        case [int(least), other] if get_symbol_name(other) == "Infinity":
            return f"{{{least},}}"
    return None


def _translate_single(arguments: list[object], depth: int) -> str | None:
    return _translate(arguments[0], depth) if len(arguments) == 1 else None


def _translate_last(arguments: list[object], depth: int) -> str | None:
    return _translate(arguments[-1], depth) if arguments else None


def _translate_range(arguments: list[object], _depth: int) -> str | None:
    match arguments:
        case [str(first), str(last)] if len(first) == len(last) == 1 and first <= last:
            return f"[{_escape_literal(first)}-{_escape_literal(last)}]"
    return None


def _translate_except(arguments: list[object], depth: int) -> str | None:
    """What a single character must not be."""
    part = _translate(arguments[0], depth) if len(arguments) == 1 else None
    if part is None:
        return None
    return f"(?!{part}){_ANY_CHARACTER}"


def _translate_regular_expression(arguments: list[object], _depth: int) -> str | None:
    match arguments:
        case [str(text)]:
            return _convert_to_javascript(text)
    return None


def _convert_to_javascript(text: str) -> str | None:
    try:
        # What a later Python might read otherwise is none of our business.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(_POSIX_CLASS_PATTERN.sub(lambda found: _POSIX_CLASSES.get(found[1], ""), _convert_to_python(text)))
    except (re.error, OverflowError, RecursionError):
        return None
    flags = _LEADING_FLAGS.match(text)
    if flags is not None and not set(flags[1]) <= _SUPPORTED_FLAGS:
        return None
    is_dotall = flags is not None and "s" in flags[1]
    if flags is not None:
        text = text[flags.end() :]
    text = _INLINE_FLAGS.sub("", text)
    return _REGEX_TOKEN.sub(lambda found: _convert_token(found, is_dotall=is_dotall), text)


def _convert_to_python(text: str) -> str:
    """The expression as Python would have it, to find out whether it is one."""
    flags = _LEADING_FLAGS.match(text)
    text = text[flags.end() :] if flags else text
    text = _INLINE_FLAGS.sub("", text).replace(r"\z", r"\Z")
    return re.sub(r"\\x\{[0-9A-Fa-f]+\}", "x", text)


def _convert_token(found: re.Match[str], *, is_dotall: bool) -> str:
    piece = found[0]
    if found[1]:
        return _format_code_point(int(found[1][-8:], 16))
    if piece.startswith("[") and len(piece) > 1:
        return _POSIX_CLASS_PATTERN.sub(lambda one: _POSIX_CLASSES.get(one[1], one[0]), piece)
    if piece == "." and is_dotall:
        return _ANY_CHARACTER
    return _ANCHORS.get(piece, piece)


def _format_code_point(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    encoded = chr(min(code, 0x10FFFF)).encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{encoded[at : at + 2].hex()}" for at in range(0, len(encoded), 2))


def _escape_literal(text: str) -> str:
    return "".join(f"\\{letter}" if letter in _SPECIAL_CHARACTERS else letter for letter in text)


_TRANSLATORS: dict[str, Callable[[list[object], int], str | None]] = {
    "StringExpression": lambda arguments, depth: _join_patterns(arguments, "", depth),
    "Alternatives": lambda arguments, depth: _join_patterns(arguments, "|", depth),
    "Repeated": _make_repeat_translator("+"),
    "RepeatedNull": _make_repeat_translator("*"),
    "RegularExpression": _translate_regular_expression,
    "CharacterRange": _translate_range,
    "Except": _translate_except,
    "Pattern": _translate_last,
    **dict.fromkeys(_TRANSPARENT_HEADS, _translate_single),
}
