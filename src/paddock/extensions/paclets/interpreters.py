"""Interpreters as JSON Schema: what a model may send for something that Wolfram makes sense of.

`"Integer"` is an integer, `Restricted["Integer", {1, 10}]` one between bounds, `{"a", "b"}` a
choice. What JSON has no type for, such as `"City"`, is sent as text, and the note names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddock.extensions.paclets.literals import literal
from paddock.extensions.paclets.string_patterns import json_pattern
from paddock.extensions.paclets.tables import (
    arguments_of,
    head_of,
    is_missing,
    key_of,
    table_of,
)
from paddock.extensions.properties import shown
from paddock.wolfram.data import Rule

Schema = dict[str, Any]

MAX_DEPTH = 20
MAX_CHOICES = 100
MAX_NUMBER = 2**63
"""What JSON can carry to every client; infinity is beyond it."""
_NAMES = {
    **dict.fromkeys(("String", "TextLine", "TextArea", "StringCharacter"), "string"),
    **dict.fromkeys(("Integer", "Integer8", "Integer16", "Integer32", "Integer64"), "integer"),
    **dict.fromkeys(("Number", "Real", "Real32", "Real64", "Rational"), "number"),
    "Boolean": "boolean",
}
_NUMERIC = ("integer", "number")
_BOUNDS = (2, 3)


def source_of(interpreter: object) -> str:
    """An interpreter as source text."""
    if is_missing(interpreter):
        return '"String"'
    return literal(interpreter)


class Interpreting:
    """The schema of one parameter; remembers what could only be given as text."""

    def __init__(self) -> None:
        self._unknown: list[str] = []

    def note(self) -> str:
        """What a model should know about text that Wolfram will make something else of."""
        if not self._unknown:
            return ""
        names = ", ".join(dict.fromkeys(self._unknown))
        return f"(Given as text, for the Wolfram interpreter {names}.)"

    def schema(self, interpreter: object, depth: int = 0) -> Schema:
        """The schema of what an interpreter takes."""
        if is_missing(interpreter):
            return {"type": "string"}
        name = key_of(interpreter)
        if name is not None:
            return {"type": _NAMES[name]} if name in _NAMES else self._text(interpreter)
        if depth > MAX_DEPTH:
            return self._text(interpreter)
        if isinstance(interpreter, list | Mapping):
            return _choice(interpreter) or self._text(interpreter)
        return self._composed(interpreter, depth + 1) or self._text(interpreter)

    def _composed(self, interpreter: object, depth: int) -> Schema | None:
        """The schema of what is made of other interpreters, or is a pattern for text."""
        match head_of(interpreter), arguments_of(interpreter):
            case "Interpreter", [form, *_]:
                return self.schema(form, depth)
            case "Restricted", [form, *conditions]:
                return self._restricted(form, conditions, depth)
            case "RepeatingElement", [form, *others]:
                counts = _counts(others[0] if others else None)
                return {"type": "array", "items": self.schema(form, depth), **counts}
            case "AnySubset", [choices, *_]:
                choice = _choice(choices)
                return choice and {"type": "array", "items": choice, "uniqueItems": True}
            case "CompoundElement", [parts, *_]:
                return self._compound(parts, depth)
            case "Alternatives", several:
                return {"anyOf": [self.schema(one, depth) for one in several]}
        pattern = json_pattern(interpreter)
        return None if pattern is None else _patterned(pattern)

    def _restricted(self, form: object, conditions: list[object], depth: int) -> Schema | None:
        base = self.schema(form, depth)
        condition = conditions[0] if conditions else None
        choices = condition[0] if isinstance(condition, list) and len(condition) == 1 else None
        chosen = _choice(choices) if isinstance(choices, list) else None
        if chosen is not None:
            return chosen
        if base.get("type") in _NUMERIC:
            limits = _limits(condition)
            return None if limits is None else {**base, **limits}
        if base == {"type": "string"} and not self._unknown:
            return _restricted_text(conditions)
        return None

    def _compound(self, parts: object, depth: int) -> Schema | None:
        if isinstance(parts, list):
            several = [self.schema(one, depth) for one in parts]
            return {
                "type": "array",
                "prefixItems": several,
                "minItems": len(several),
                "maxItems": len(several),
            }
        table = table_of(parts)
        if table is None:
            return None
        return {
            "type": "object",
            "properties": {name: self.schema(one, depth) for name, one in table.items()},
        }

    def _text(self, interpreter: object) -> Schema:
        name = key_of(interpreter)
        self._unknown.append(name if name is not None else shown(source_of(interpreter))[1:-1])
        return {"type": "string"}


def _choice(value: object) -> Schema | None:
    """The schema of one of several texts or numbers; of rules, those on the left."""
    labels: list[Any]
    if isinstance(value, Mapping):
        labels = list(value)
    elif isinstance(value, list):
        labels = [one.key if isinstance(one, Rule) else one for one in value]
    else:
        return None
    if not labels or not all(isinstance(one, str) or _number(one) is not None for one in labels):
        return None
    for kind, types in (("string", str), ("integer", int), ("number", int | float)):
        if all(isinstance(one, types) for one in labels):
            return {"type": kind, "enum": list(dict.fromkeys(labels))}
    return None


def _number(value: object) -> int | float | None:
    """A bound; None for what is none, such as `Infinity`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < MAX_NUMBER else None


def _limits(condition: object) -> Schema | None:
    """What restricts a number: the greatest, or the least and the greatest and a step."""
    if _number(condition) is not None:
        return {"maximum": condition}
    if not isinstance(condition, list) or len(condition) not in _BOUNDS:
        return None
    least, most = _number(condition[0]), _number(condition[1])
    step = _number(condition[2]) if len(condition) == max(_BOUNDS) else None
    if least is not None and most is not None and step and step > 0:
        count = int((most - least) / step + 1e-9) + 1
        if 0 < count <= MAX_CHOICES:
            return {"enum": [least + step * index for index in range(count)]}
    bounds = {"minimum": least, "maximum": most}
    return {key: bound for key, bound in bounds.items() if bound is not None}


def _counts(condition: object) -> Schema:
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


def _restricted_text(conditions: list[object]) -> Schema | None:
    """What restricts a text: a pattern, and its length."""
    pattern = json_pattern(conditions[0]) if conditions else ""
    if pattern is None:
        return None
    lengths = _counts(conditions[1] if len(conditions) > 1 else None)
    return {
        **_patterned(pattern),
        **{key.replace("Items", "Length"): n for key, n in lengths.items()},
    }


def _patterned(pattern: str) -> Schema:
    return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}
