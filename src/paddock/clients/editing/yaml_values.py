"""Writing plain data as YAML that every reader takes for the same, of YAML 1.1 and of 1.2.

A text is written plain only where no reader can take it for a number, a date, a truth value or
anything else; block style follows the indentation it is given.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

from paddock.clients.editing.document import UneditableError

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+(][A-Za-z0-9_./+()-]*)*")
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NEEDS_ESCAPE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class BlockStyle:
    """How the lines around look, for the new ones to look the same."""

    step: int = 2
    """How far a mapping is indented below its key."""
    dash: int = 2
    """How far the dashes of a list are indented below its key; not at all is usual too."""
    gap: int = 2
    """From a dash to what follows it."""
    quote: str = '"'
    is_json: bool = False
    """Whether every text is quoted, as in JSON, which is YAML too."""


def is_nested(value: object) -> bool:
    """Whether a value takes lines of its own in block style."""
    return isinstance(value, dict | list | tuple) and bool(value)


def flow(value: object, style: BlockStyle) -> str:
    """A value on one line.

    Raises:
        UneditableError: when it is no plain data.
    """
    if isinstance(value, dict):
        pairs = ", ".join(f"{scalar(k, style)}: {flow(v, style)}" for k, v in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(flow(element, style) for element in value)}]"
    return scalar(value, style)


def pair_lines(key: str, value: object, column: int, style: BlockStyle) -> list[str]:
    """A key with its value, on lines that begin at a column."""
    head = f"{' ' * column}{scalar(key, style)}:"
    if not is_nested(value):
        return [f"{head} {flow(value, style)}"]
    return [head, *block_lines(value, below(value, column, style), style)]


def block_lines(value: object, column: int, style: BlockStyle) -> list[str]:
    """The members of a mapping or list that is not empty, on lines that begin at a column."""
    if isinstance(value, dict):
        return [line for k, v in value.items() for line in pair_lines(k, v, column, style)]
    elements = value if isinstance(value, list | tuple) else []
    return [line for element in elements for line in element_lines(element, column, style)]


def element_lines(value: object, column: int, style: BlockStyle) -> list[str]:
    """An element of a list behind its dash."""
    head = f"{' ' * column}-{' ' * (style.gap - 1)}"
    if not is_nested(value):
        return [f"{head}{flow(value, style)}"]
    first, *rest = block_lines(value, column + style.gap, style)
    return [head + first.lstrip(" "), *rest]


def below(value: object, column: int, style: BlockStyle) -> int:
    """The column of a mapping or list below a key at a column."""
    return column + (style.step if isinstance(value, dict) else style.dash)


def scalar(value: object, style: BlockStyle) -> str:
    """A text, number, truth value or null."""
    if isinstance(value, str):
        return _text(value, style)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    raise UneditableError(
        f"a configuration cannot hold {type(value).__name__}", hint="give plain data"
    )


def _float(value: float) -> str:
    """With a point always: readers of YAML 1.1 take `1e3` for a text."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}"


def _text(value: str, style: BlockStyle) -> str:
    if _SURROGATE.search(value):
        raise UneditableError(
            f"{value!r} cannot be written as UTF-8", hint="give the text without half characters"
        )
    if style.is_json:
        return _double(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if _NEEDS_ESCAPE.search(value):
        return _double(value)
    wants_single = style.quote == "'" or "\\" in value
    if wants_single and "'" not in value:
        return f"'{value}'"
    return _double(value)


def _double(value: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
