"""Converts Wolfram interpreters and string patterns to JSON Schema.

The parameters of paclet tools have Wolfram interpreters, but MCP clients need a JSON Schema.
`"Integer"` becomes an integer, `Restricted["Integer", {1, 10}]` an integer with bounds, and `{"a",
"b"}` an enumeration. Types without a JSON equivalent, such as `"City"`, are sent as text and named
in a note for the model. String patterns become JavaScript regular expressions, as JSON Schema
requires. Patterns without an equivalent are omitted.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

from paddock.extensions.paclets.code_writer import format_literal
from paddock.extensions.paclets.property_tables import (
    get_arguments,
    get_head_name,
    get_symbol_name,
    is_missing,
    to_key,
    to_table,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.literals import RuleValue

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
"""Wildcards in strings that are used as patterns."""
_LEADING_FLAGS = re.compile(r"^\(\?([a-zA-Z]+)\)")
_INLINE_FLAGS = re.compile(r"\(\?-?[ms]+\)")
_SUPPORTED_FLAGS = frozenset("msuU")
"""Inline flags that can be dropped or translated. Other flags would change the matches."""
_POSIX_CLASS_PATTERN = re.compile(r"\[:(\w+):\]")
_REGEX_TOKEN = re.compile(
    r"\\x\{([0-9A-Fa-f]+)\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.", re.DOTALL
)
# JavaScript lacks anchors for the whole text; without the flag m, these are equivalent.
_ANCHORS = {r"\A": "^", r"\z": "$", r"\Z": "$"}
_SPECIAL_CHARACTERS = frozenset(r".^$*+?()[]{}|\/")
JsonSchema = dict[str, Any]
MAX_INTERPRETER_DEPTH = 20
MAX_ENUM_VALUES = 100
MAX_JSON_NUMBER = 2**63
"""Exclusive limit on the magnitude of numbers in schemas, which excludes infinity."""
_JSON_TYPES = {
    **dict.fromkeys(("String", "TextLine", "TextArea", "StringCharacter"), "string"),
    **dict.fromkeys(("Integer", "Integer8", "Integer16", "Integer32", "Integer64"), "integer"),
    **dict.fromkeys(("Number", "Real", "Real32", "Real64", "Rational"), "number"),
    "Boolean": "boolean",
}
_NUMERIC_TYPES = ("integer", "number")
_BOUND_COUNTS = (2, 3)


def to_json_pattern(value: object) -> str | None:
    """Convert a Wolfram string pattern to a regular expression for a JSON Schema.

    For example, `"a" ~~ DigitCharacter ..` becomes `^(?:a(?:[0-9])+)$`.

    Args:
        value: The string pattern as data.

    Returns:
        The expression, which matches the whole text; "" if it would match any text; or None if it
        has no equivalent in JavaScript, whose syntax JSON Schema uses.
    """
    pattern = _translate_pattern(value, 0)
    if pattern is None or len(pattern) > MAX_PATTERN_CHARACTERS:
        return None
    # A pattern that matches any text is omitted from the schema, because it would only cost tokens.
    if pattern in (f"{_ANY_CHARACTER}*", ""):
        return ""
    return f"^(?:{pattern})$"


def _translate_pattern(value: object, depth: int) -> str | None:
    """Translate a Wolfram string pattern to a regular expression, or return None if impossible.

    Args:
        value: The pattern: a string with wildcards, a symbol such as `DigitCharacter`, a list of
            alternatives, or a call such as `Repeated[…]`.
        depth: The nesting depth of the pattern. Patterns deeper than `MAX_PATTERN_DEPTH` are not
            translated.
    """
    if depth > MAX_PATTERN_DEPTH:
        return None
    if isinstance(value, str):
        return "".join(
            _WILDCARD_PATTERNS.get(character) or _escape_literal(character) for character in value
        )
    name = get_symbol_name(value)
    if name is not None:
        return _SYMBOL_PATTERNS.get(name)
    if isinstance(value, list):
        return _join_patterns(value, "|", depth)
    head, arguments = get_head_name(value), get_arguments(value)
    if head in _BLANK_PATTERNS and not arguments:
        return _BLANK_PATTERNS[head]
    return _translate_call(head, arguments, depth + 1)


def _translate_call(head: str | None, arguments: list[object], depth: int) -> str | None:
    """Translate a string pattern that is a call, such as `Repeated[DigitCharacter, 3]`.

    Args:
        head: The name of the called symbol, or None if it is not a symbol.
        arguments: The arguments of the call.
        depth: The nesting depth of the arguments.
    """
    match head, arguments:
        case "StringExpression", _:
            return _join_patterns(arguments, "", depth)
        case "Alternatives", _:
            return _join_patterns(arguments, "|", depth)
        case "Repeated" | "RepeatedNull", [pattern, *limits]:
            repeated = _translate_pattern(pattern, depth)
            sign = "+" if head == "Repeated" else "*"
            count = _format_quantifier(limits[0]) if limits else sign
            return None if repeated is None or count is None else f"(?:{repeated}){count}"
        case "RegularExpression", [str(text)]:
            return _convert_pcre_to_javascript(text)
        case "CharacterRange", [str(first), str(last)] if len(first) == len(last) == 1:
            bounds = f"{_escape_literal(first)}-{_escape_literal(last)}"
            return f"[{bounds}]" if first <= last else None
        case "Except", [pattern]:
            excluded = _translate_pattern(pattern, depth)
            # One character, preceded by a negative lookahead for the excluded pattern.
            return None if excluded is None else f"(?!{excluded}){_ANY_CHARACTER}"
        case "Pattern", [*_, pattern]:
            return _translate_pattern(pattern, depth)
        case "Longest" | "Shortest" | "HoldPattern", [pattern]:
            return _translate_pattern(pattern, depth)
    return None


def _join_patterns(patterns: list[object], separator: str, depth: int) -> str | None:
    """Join translated patterns, or return None if any of them has no equivalent."""
    parts = [_translate_pattern(pattern, depth) for pattern in patterns]
    if not parts or any(part is None for part in parts):
        return None
    text = separator.join(part for part in parts if part is not None)
    return f"(?:{text})" if separator else text


def _format_quantifier(value: object) -> str | None:
    """Convert the second argument of Wolfram's `Repeated` to a regular expression quantifier.

    For example, `3` (at most 3) becomes `{1,3}`, and `{2, Infinity}` becomes `{2,}`. For any other
    value, return None.
    """
    match value:
        case int():
            return f"{{1,{value}}}"
        case [int(count)]:
            return f"{{{count}}}"
        case [int(minimum), int(maximum)]:
            return f"{{{minimum},{maximum}}}"
        case [int(minimum), other] if get_symbol_name(other) == "Infinity":
            return f"{{{minimum},}}"
    return None


def _convert_pcre_to_javascript(text: str) -> str | None:
    """Convert a regular expression from PCRE to JavaScript syntax.

    Wolfram's `RegularExpression` uses PCRE, and JSON Schema uses JavaScript's syntax. If the
    expression is invalid or has flags without an equivalent, such as `(?i)`, return None.
    """
    leading_flags = _LEADING_FLAGS.match(text)
    flag_letters = set(leading_flags[1]) if leading_flags else set[str]()
    body = _INLINE_FLAGS.sub("", text[leading_flags.end() :] if leading_flags else text)
    if not flag_letters <= _SUPPORTED_FLAGS or not _is_valid_pcre(body):
        return None
    is_dotall = "s" in flag_letters
    return _REGEX_TOKEN.sub(lambda match: _convert_pcre_token(match, is_dotall=is_dotall), body)


def _is_valid_pcre(text: str) -> bool:
    """Return whether a regular expression in PCRE syntax is valid.

    It is compiled with Python's `re` after replacing elements that Python does not support, such as
    `[:alpha:]`.
    """
    text = re.sub(r"\\x\{[0-9A-Fa-f]+\}", "x", text.replace(r"\z", r"\Z"))
    text = _POSIX_CLASS_PATTERN.sub(lambda match: _POSIX_CLASSES.get(match[1], ""), text)
    try:
        # Python warns about syntax whose meaning may change in a later version of Python.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _convert_pcre_token(match: re.Match[str], *, is_dotall: bool) -> str:
    """Convert one token of a regular expression from PCRE to JavaScript syntax.

    Args:
        match: The match of `_REGEX_TOKEN`. Group 1 is the hexadecimal code of an escaped character.
        is_dotall: True if the expression has the flag `s`, which makes `.` match line ends too.
    """
    element, hexadecimal_code = match[0], match[1]
    if hexadecimal_code:
        return _format_javascript_escape(int(hexadecimal_code[-8:], 16))
    is_character_class = element.startswith("[") and len(element) > 1
    if is_character_class:
        return _POSIX_CLASS_PATTERN.sub(
            lambda class_match: _POSIX_CLASSES.get(class_match[1], class_match[0]), element
        )
    if element == "." and is_dotall:
        return _ANY_CHARACTER
    return _ANCHORS.get(element, element)


def _format_javascript_escape(code: int) -> str:
    """Return a character's JavaScript escape sequence: `x` and two digits, or `u` and four.

    A character above U+FFFF becomes two escapes, because JavaScript's strings are UTF-16.
    """
    if code <= 0xFF:
        return f"\\x{code:02x}"
    utf16_bytes = chr(min(code, 0x10FFFF)).encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{utf16_bytes[offset : offset + 2].hex()}" for offset in range(0, len(utf16_bytes), 2)
    )


def _escape_literal(text: str) -> str:
    return "".join(
        f"\\{character}" if character in _SPECIAL_CHARACTERS else character for character in text
    )


def format_interpreter(interpreter: object) -> str:
    """Return the source text of an interpreter."""
    if is_missing(interpreter):
        return '"String"'
    return format_literal(interpreter)


class InterpreterSchemaBuilder:
    """Builds the JSON Schema of one parameter from its Wolfram interpreter.

    An interpreter is the type of a parameter, such as `"Integer"` or `"City"`. Those without a JSON
    Schema equivalent become texts and are collected for a note to the model.
    """

    def __init__(self) -> None:
        self._unknown_interpreters: list[str] = []

    def format_note(self) -> str:
        """Return a note that lists for the model the values passed as text, or ""."""
        if not self._unknown_interpreters:
            return ""
        names = ", ".join(dict.fromkeys(self._unknown_interpreters))
        return f"(Given as text, for the Wolfram interpreter {names}.)"

    def build_schema(self, interpreter: object, depth: int = 0) -> JsonSchema:
        """Return the JSON Schema for the values that an interpreter accepts.

        For example, `"Integer"` gives `{"type": "integer"}`. An interpreter without an equivalent,
        such as `"City"`, gives the schema of a text.

        Args:
            interpreter: The interpreter as data: a name, a list of choices, or a call.
            depth: The nesting depth. Interpreters nested more deeply than `MAX_INTERPRETER_DEPTH`
                become texts.
        """
        if is_missing(interpreter):
            return {"type": "string"}
        name = to_key(interpreter)
        if name in _JSON_TYPES:
            return {"type": _JSON_TYPES[name]}
        if name is not None or depth > MAX_INTERPRETER_DEPTH:
            return self._build_text_schema(interpreter)
        if isinstance(interpreter, list | Mapping):
            return _make_enum_schema(interpreter) or self._build_text_schema(interpreter)
        return self._build_composite_schema(interpreter, depth + 1) or self._build_text_schema(
            interpreter
        )

    def _build_composite_schema(self, interpreter: object, depth: int) -> JsonSchema | None:
        """Return the JSON Schema for an interpreter that is a call, such as `Restricted[…]`.

        The interpreter can also be a string pattern, such as `DigitCharacter ..`. If it has no
        equivalent, return None.
        """
        match get_head_name(interpreter), get_arguments(interpreter):
            case "Interpreter", [form, *_]:
                return self.build_schema(form, depth)
            case "Restricted", [form, *conditions]:
                return self._build_restricted_schema(form, conditions, depth)
            case "RepeatingElement", [form, *others]:
                counts = _make_count_limits(others[0] if others else None)
                return {"type": "array", "items": self.build_schema(form, depth), **counts}
            case "AnySubset", [choices, *_]:
                choice = _make_enum_schema(choices)
                return choice and {"type": "array", "items": choice, "uniqueItems": True}
            case "CompoundElement", [parts, *_]:
                return self._build_compound_schema(parts, depth)
            case "Alternatives", forms:
                return {"anyOf": [self.build_schema(form, depth) for form in forms]}
        pattern = to_json_pattern(interpreter)
        return None if pattern is None else _make_pattern_schema(pattern)

    def _build_restricted_schema(
        self, form: object, conditions: list[object], depth: int
    ) -> JsonSchema | None:
        """Return the JSON Schema for an interpreter with conditions, or None if impossible.

        For example, `Restricted["Integer", {1, 10}]` gives
        `{"type": "integer", "minimum": 1, "maximum": 10}`. The condition can also be a list
        of choices or, for a text, a pattern and a length.

        Args:
            form: The interpreter without the conditions, such as `"Integer"`.
            conditions: The other arguments of `Restricted`.
            depth: The nesting depth of the interpreter.
        """
        base = self.build_schema(form, depth)
        condition = conditions[0] if conditions else None
        choices = condition[0] if isinstance(condition, list) and len(condition) == 1 else None
        enum_schema = _make_enum_schema(choices) if isinstance(choices, list) else None
        if enum_schema is not None:
            return enum_schema
        if base.get("type") in _NUMERIC_TYPES:
            limits = _make_number_limits(condition)
            return None if limits is None else {**base, **limits}
        if base == {"type": "string"} and not self._unknown_interpreters:
            return _make_restricted_text_schema(conditions)
        return None

    def _build_compound_schema(self, parts: object, depth: int) -> JsonSchema | None:
        """Return the JSON Schema for Wolfram's `CompoundElement`, or None if it is malformed.

        Args:
            parts: A list of interpreters, which becomes an array of the same length, or
                interpreters by name, which become an object.
            depth: The nesting depth of the parts.
        """
        if isinstance(parts, list):
            schemas = [self.build_schema(part, depth) for part in parts]
            limits = {"minItems": len(schemas), "maxItems": len(schemas)}
            return {"type": "array", "prefixItems": schemas, **limits}
        table = to_table(parts)
        if table is None:
            return None
        properties = {name: self.build_schema(part, depth) for name, part in table.items()}
        return {"type": "object", "properties": properties}

    def _build_text_schema(self, interpreter: object) -> JsonSchema:
        """Return the schema for a text, and record the interpreter for the note."""
        name = to_key(interpreter) or shorten_repr(format_interpreter(interpreter))[1:-1]
        self._unknown_interpreters.append(name)
        return {"type": "string"}


def _make_enum_schema(value: object) -> JsonSchema | None:
    """Return the JSON Schema for a choice of strings or numbers, or None for other values.

    For example, `{"red" -> RGBColor[1, 0, 0], "blue" -> …}` gives
    `{"type": "string", "enum": ["red", "blue"]}`: the model chooses the left side of a rule.

    Args:
        value: The choices as data: an association, or a list of values or rules.
    """
    choices: list[Any]
    if isinstance(value, Mapping):
        choices = list(value)
    elif isinstance(value, list):
        choices = [choice.key if isinstance(choice, RuleValue) else choice for choice in value]
    else:
        return None
    if not choices or not all(
        isinstance(choice, str) or _to_finite_number(choice) is not None for choice in choices
    ):
        return None
    for json_type, python_type in (("string", str), ("integer", int), ("number", int | float)):
        if all(isinstance(choice, python_type) for choice in choices):
            return {"type": json_type, "enum": list(dict.fromkeys(choices))}
    return None


def _to_finite_number(value: object) -> int | float | None:
    """Return a finite number, or None for other values such as `Infinity`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < MAX_JSON_NUMBER else None


def _make_number_limits(condition: object) -> JsonSchema | None:
    """Convert the condition on a restricted number to JSON Schema keywords.

    For example, `10` gives `{"maximum": 10}`, `{1, 10}` also gives a minimum, and `{1, 2, 0.5}`,
    which has a step, gives `{"enum": [1, 1.5, 2]}`. For any other condition, return None.
    """
    if _to_finite_number(condition) is not None:
        return {"maximum": condition}
    if not isinstance(condition, list) or len(condition) not in _BOUND_COUNTS:
        return None
    minimum, maximum = _to_finite_number(condition[0]), _to_finite_number(condition[1])
    step = _to_finite_number(condition[2]) if len(condition) == max(_BOUND_COUNTS) else None
    if minimum is not None and maximum is not None and step and step > 0:
        count = int((maximum - minimum) / step + 1e-9) + 1
        if 0 < count <= MAX_ENUM_VALUES:
            return {"enum": [minimum + step * index for index in range(count)]}
    bounds = {"minimum": minimum, "maximum": maximum}
    return {key: bound for key, bound in bounds.items() if bound is not None}


def _make_count_limits(condition: object) -> JsonSchema:
    """Convert a repetition count, such as `5` (at most 5) or `{2, 5}`, to array limits.

    For example, `{2, 5}` gives `{"minItems": 2, "maxItems": 5}`. Any other value does not set
    limits.
    """
    if isinstance(condition, list) and condition and isinstance(condition[-1], list):
        condition = condition[-1]
    minimum, maximum = 0, condition
    if isinstance(condition, list) and len(condition) == 2:
        minimum, maximum = condition
    limits = {"minItems": minimum} if isinstance(minimum, int) and minimum else {}
    return {**limits, "maxItems": maximum} if isinstance(maximum, int) else limits


def _make_restricted_text_schema(conditions: list[object]) -> JsonSchema | None:
    """Return the JSON Schema for a text with conditions, or None if it has no equivalent.

    Args:
        conditions: A string pattern and, optionally, the length of the text.
    """
    pattern = to_json_pattern(conditions[0]) if conditions else ""
    if pattern is None:
        return None
    lengths = _make_count_limits(conditions[1] if len(conditions) > 1 else None)
    return {
        **_make_pattern_schema(pattern),
        # Arrays have `minItems`, and strings have `minLength`.
        **{key.replace("Items", "Length"): length for key, length in lengths.items()},
    }


def _make_pattern_schema(pattern: str) -> JsonSchema:
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}
