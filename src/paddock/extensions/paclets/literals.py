"""Data as Wolfram Language code: what came from JSON, or from a file that was read."""

from __future__ import annotations

from collections.abc import Mapping

from paddock.wolfram import Held, Rule, Template, quoted, real_text

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def literal(value: object) -> str:
    """A value as code; what was held when it was read is code already."""
    if value is None:
        return "Null"
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, float):
        return real_text(repr(value))
    if isinstance(value, Held):
        return value.text
    if isinstance(value, Template):
        return f"StringTemplate[{string_literal(value.text)}]"
    return _composed(value)


def _composed(value: object) -> str:
    if isinstance(value, Rule):
        return f"{literal(value.key)} -> {literal(value.value)}"
    if isinstance(value, Mapping):
        return association({literal(key): literal(one) for key, one in value.items()})
    if isinstance(value, list | tuple):
        return f"{{{', '.join(map(literal, value))}}}"
    return string_literal(str(value))


def association(parts: Mapping[str, str]) -> str:
    """An association of keys and values that are code."""
    return f"<|{', '.join(f'{key} -> {value}' for key, value in parts.items())}|>"


def string_literal(text: str) -> str:
    """A string as code, on one line."""
    written = quoted(text)
    for character, escape in _ESCAPES.items():
        written = written.replace(character, escape)
    return written
