"""Interpreters as JSON Schema: what a model may send for something that Wolfram makes sense of.

`"Integer"` is an integer, `Restricted["Integer", {1, 10}]` one between bounds, `{"a", "b"}` a
choice. What JSON has no type for, such as `"City"`, is sent as text, and the note names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddock.extensions.paclets.literals import write_literal
from paddock.extensions.paclets.string_patterns import to_json_pattern
from paddock.extensions.paclets.tables import (
    get_arguments,
    get_head_name,
    is_missing,
    to_key,
    to_table,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.data import RuleValue

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
            return {"type": _JSON_TYPES[name]} if name in _JSON_TYPES else self._build_text(interpreter)
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

    def _build_restricted(self, form: object, conditions: list[object], depth: int) -> JsonSchema | None:
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
        self._unknown_interpreters.append(name if name is not None else shorten_repr(format_interpreter(interpreter))[1:-1])
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
