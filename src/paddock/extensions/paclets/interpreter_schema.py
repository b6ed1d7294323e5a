"""String patterns as regular expressions of JSON Schema, which are those of JavaScript.

`RegularExpression["…"]` is nearly one already; of patterns such as `DigitCharacter ..` the common
ones are translated. What cannot be said gives none.

Interpreters as JSON Schema: what a model may send for something that Wolfram makes sense of.

`"Integer"` is an integer, `Restricted["Integer", {1, 10}]` one between bounds, `{"a", "b"}` a
choice. What JSON has no type for, such as `"City"`, is sent as text, and the note names it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.extensions.paclets.code_writer import write_literal
from paddock.extensions.paclets.property_tables import (
    get_arguments,
    get_head_name,
    get_symbol_name,
    is_missing,
    to_key,
    to_table,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.literals import RuleValue, UnevaluatedExpression

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
_BLANK_PATTERNS = {
    "Blank": _ANY_CHARACTER,
    "BlankSequence": f"{_ANY_CHARACTER}+",
    "BlankNullSequence": f"{_ANY_CHARACTER}*",
}
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
_REGEX_TOKEN = re.compile(
    r"\\x\{([0-9A-Fa-f]+)\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.", re.DOTALL
)
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
        return "".join(
            _WILDCARD_PATTERNS.get(letter) or _escape_literal(letter) for letter in value
        )
    name = get_symbol_name(value)
    if name is not None:
        return _SYMBOL_PATTERNS.get(name)
    if isinstance(value, list):
        return _join_patterns(value, "|", depth)
    head = get_head_name(value)
    if head in _BLANK_PATTERNS and not get_arguments(value):
        return _BLANK_PATTERNS[head]
    work = _TRANSLATORS.get(head or "")
    return (
        work(get_arguments(value), depth + 1)
        if work and isinstance(value, UnevaluatedExpression)
        else None
    )


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
            re.compile(
                _POSIX_CLASS_PATTERN.sub(
                    lambda found: _POSIX_CLASSES.get(found[1], ""), _convert_to_python(text)
                )
            )
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


JsonSchema = dict[str, Any]

MAX_INTERPRETER_DEPTH = 20
MAX_ENUM_VALUES = 100
MAX_JSON_NUMBER = 2**63
"""What JSON can carry to every client; infinity is beyond it."""
_JSON_TYPES = {
    **dict.fromkeys(("String", "TextLine", "TextArea", "StringCharacter"), "string"),
    **dict.fromkeys(("Integer", "Integer8", "Integer16", "Integer32", "Integer64"), "integer"),
    **dict.fromkeys(("Number", "Real", "Real32", "Real64", "Rational"), "number"),
    "Boolean": "boolean",
}
_NUMERIC_TYPES = ("integer", "number")
_BOUND_COUNTS = (2, 3)


def format_interpreter(interpreter: object) -> str:
    """An interpreter as source text."""
    if is_missing(interpreter):
        return '"String"'
    return write_literal(interpreter)


class InterpreterSchemaBuilder:
    """The schema of one parameter; remembers what could only be given as text."""

    def __init__(self) -> None:
        self._unknown_interpreters: list[str] = []

    def format_note(self) -> str:
        """What a model should know about text that Wolfram will make something else of."""
        if not self._unknown_interpreters:
            return ""
        names = ", ".join(dict.fromkeys(self._unknown_interpreters))
        return f"(Given as text, for the Wolfram interpreter {names}.)"

    def build_schema(self, interpreter: object, depth: int = 0) -> JsonSchema:
        """The schema of what an interpreter takes."""
        if is_missing(interpreter):
            return {"type": "string"}
        name = to_key(interpreter)
        if name is not None:
            return (
                {"type": _JSON_TYPES[name]}
                if name in _JSON_TYPES
                else self._build_text(interpreter)
            )
        if depth > MAX_INTERPRETER_DEPTH:
            return self._build_text(interpreter)
        if isinstance(interpreter, list | Mapping):
            return _make_enum_schema(interpreter) or self._build_text(interpreter)
        return self._build_composite(interpreter, depth + 1) or self._build_text(interpreter)

    def _build_composite(self, interpreter: object, depth: int) -> JsonSchema | None:
        """The schema of what is made of other interpreters, or is a pattern for text."""
        match get_head_name(interpreter), get_arguments(interpreter):
            case "Interpreter", [form, *_]:
                return self.build_schema(form, depth)
            case "Restricted", [form, *conditions]:
                return self._build_restricted(form, conditions, depth)
            case "RepeatingElement", [form, *others]:
                counts = _make_count_limits(others[0] if others else None)
                return {"type": "array", "items": self.build_schema(form, depth), **counts}
            case "AnySubset", [choices, *_]:
                choice = _make_enum_schema(choices)
                return choice and {"type": "array", "items": choice, "uniqueItems": True}
            case "CompoundElement", [parts, *_]:
                return self._build_compound(parts, depth)
            case "Alternatives", several:
                return {"anyOf": [self.build_schema(one, depth) for one in several]}
        pattern = to_json_pattern(interpreter)
        return None if pattern is None else _make_pattern_schema(pattern)

    def _build_restricted(
        self, form: object, conditions: list[object], depth: int
    ) -> JsonSchema | None:
        base = self.build_schema(form, depth)
        condition = conditions[0] if conditions else None
        choices = condition[0] if isinstance(condition, list) and len(condition) == 1 else None
        chosen = _make_enum_schema(choices) if isinstance(choices, list) else None
        if chosen is not None:
            return chosen
        if base.get("type") in _NUMERIC_TYPES:
            limits = _make_number_limits(condition)
            return None if limits is None else {**base, **limits}
        if base == {"type": "string"} and not self._unknown_interpreters:
            return _make_restricted_text_schema(conditions)
        return None

    def _build_compound(self, parts: object, depth: int) -> JsonSchema | None:
        if isinstance(parts, list):
            several = [self.build_schema(one, depth) for one in parts]
            return {
                "type": "array",
                "prefixItems": several,
                "minItems": len(several),
                "maxItems": len(several),
            }
        table = to_table(parts)
        if table is None:
            return None
        return {
            "type": "object",
            "properties": {name: self.build_schema(one, depth) for name, one in table.items()},
        }

    def _build_text(self, interpreter: object) -> JsonSchema:
        name = to_key(interpreter)
        self._unknown_interpreters.append(
            name if name is not None else shorten_repr(format_interpreter(interpreter))[1:-1]
        )
        return {"type": "string"}


def _make_enum_schema(value: object) -> JsonSchema | None:
    """The schema of one of several texts or numbers; of rules, those on the left."""
    labels: list[Any]
    if isinstance(value, Mapping):
        labels = list(value)
    elif isinstance(value, list):
        labels = [one.key if isinstance(one, RuleValue) else one for one in value]
    else:
        return None
    if not labels or not all(isinstance(one, str) or _to_bound(one) is not None for one in labels):
        return None
    for kind, types in (("string", str), ("integer", int), ("number", int | float)):
        if all(isinstance(one, types) for one in labels):
            return {"type": kind, "enum": list(dict.fromkeys(labels))}
    return None


def _to_bound(value: object) -> int | float | None:
    """A bound; None for what is none, such as `Infinity`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < MAX_JSON_NUMBER else None


def _make_number_limits(condition: object) -> JsonSchema | None:
    """What restricts a number: the greatest, or the least and the greatest and a step."""
    if _to_bound(condition) is not None:
        return {"maximum": condition}
    if not isinstance(condition, list) or len(condition) not in _BOUND_COUNTS:
        return None
    least, most = _to_bound(condition[0]), _to_bound(condition[1])
    step = _to_bound(condition[2]) if len(condition) == max(_BOUND_COUNTS) else None
    if least is not None and most is not None and step and step > 0:
        count = int((most - least) / step + 1e-9) + 1
        if 0 < count <= MAX_ENUM_VALUES:
            return {"enum": [least + step * index for index in range(count)]}
    bounds = {"minimum": least, "maximum": most}
    return {key: bound for key, bound in bounds.items() if bound is not None}


def _make_count_limits(condition: object) -> JsonSchema:
    """How often an element may be repeated: at most, or from and to."""
    if isinstance(condition, list) and condition and isinstance(condition[-1], list):
        condition = condition[-1]
    least, most = (
        condition if isinstance(condition, list) and len(condition) == 2 else (0, condition)
    )
    found = {"minItems": least, "maxItems": most}
    return {
        key: one
        for key, one in found.items()
        if isinstance(one, int) and (one or key != "minItems")
    }


def _make_restricted_text_schema(conditions: list[object]) -> JsonSchema | None:
    """What restricts a text: a pattern, and its length."""
    pattern = to_json_pattern(conditions[0]) if conditions else ""
    if pattern is None:
        return None
    lengths = _make_count_limits(conditions[1] if len(conditions) > 1 else None)
    return {
        **_make_pattern_schema(pattern),
        **{key.replace("Items", "Length"): n for key, n in lengths.items()},
    }


def _make_pattern_schema(pattern: str) -> JsonSchema:
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}
