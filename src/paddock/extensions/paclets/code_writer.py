"""Formatting of JSON data and parsed Wolfram data as Wolfram Language code."""

from __future__ import annotations

from collections.abc import Mapping

from paddock.wolfram import (
    RuleValue,
    StringTemplate,
    UnevaluatedExpression,
    format_real,
    quote_string,
)

_STRING_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_literal(value: object) -> str:
    """Return a value as code. Unevaluated expressions are code already."""
    if value is None:
        return "Null"
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, float):
        return format_real(repr(value))
    if isinstance(value, UnevaluatedExpression):
        return value.text
    if isinstance(value, StringTemplate):
        return f"StringTemplate[{write_string(value.text)}]"
    return _write_composite(value)


def _write_composite(value: object) -> str:
    """Return a rule, an association, a list or another value as code."""
    if isinstance(value, RuleValue):
        return f"{write_literal(value.key)} -> {write_literal(value.value)}"
    if isinstance(value, Mapping):
        return write_association(
            {write_literal(key): write_literal(item) for key, item in value.items()}
        )
    if isinstance(value, list | tuple):
        return f"{{{', '.join(map(write_literal, value))}}}"
    return write_string(str(value))


def write_association(parts: Mapping[str, str]) -> str:
    """Return an association from keys and values that are code."""
    return f"<|{', '.join(f'{key} -> {value}' for key, value in parts.items())}|>"


def write_string(text: str) -> str:
    """Return a string as code on one line."""
    code = quote_string(text)
    for character, escape in _STRING_ESCAPES.items():
        code = code.replace(character, escape)
    return code
