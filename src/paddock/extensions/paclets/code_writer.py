"""Formats JSON data and parsed Wolfram data as Wolfram Language code."""

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


def format_literal(value: object) -> str:
    """Format JSON data or parsed Wolfram data as Wolfram Language code.

    For example, `{"size": [1, 2]}` becomes `<|"size" -> {1, 2}|>`. An unevaluated expression, which
    is code from a definition file, is returned as written.
    """
    if value is None:
        return "Null"
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, float):
        return format_real(repr(value))
    if isinstance(value, UnevaluatedExpression):
        return value.text
    if isinstance(value, StringTemplate):
        return f"StringTemplate[{format_string_literal(value.text)}]"
    return _format_composite(value)


def _format_composite(value: object) -> str:
    """Format a rule, association or list, including its elements, as Wolfram Language code.

    Any other value is formatted as a string.
    """
    if isinstance(value, RuleValue):
        return f"{format_literal(value.key)} -> {format_literal(value.value)}"
    if isinstance(value, Mapping):
        return format_association(
            {format_literal(key): format_literal(item) for key, item in value.items()}
        )
    if isinstance(value, list | tuple):
        return f"{{{', '.join(map(format_literal, value))}}}"
    return format_string_literal(str(value))


def format_association(parts: Mapping[str, str]) -> str:
    """Format an association, a Wolfram dictionary, whose keys and values are already code."""
    return f"<|{', '.join(f'{key} -> {value}' for key, value in parts.items())}|>"


def format_string_literal(text: str) -> str:
    """Format a text as a Wolfram Language string on one line, with line breaks escaped."""
    code = quote_string(text)
    for character, escape in _STRING_ESCAPES.items():
        code = code.replace(character, escape)
    return code
