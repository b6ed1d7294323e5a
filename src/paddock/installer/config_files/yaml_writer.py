"""Formats data as YAML in the style of a file.

Strings are written without quotes only if neither YAML 1.1 nor YAML 1.2 can read them as a number,
a date, a boolean or anything else. The style is that of the nearest example: in the same collection
first, then anywhere in the file.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.installer.config_files.document import UneditableError
from paddock.installer.config_files.line_edits import find_line_start
from paddock.installer.config_files.yaml_reader import walk_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.installer.config_files.yaml_reader import YamlNode


_PLAIN_TEXT = re.compile(r"[A-Za-z_/][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+(][A-Za-z0-9_./+()-]*)*")
_RESERVED_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NEEDS_ESCAPE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class YamlBlockStyle:
    """The style of the mappings and lists in a YAML file, which new lines follow."""

    mapping_indent: int = 2
    """The indentation of a mapping below its key."""
    dash_indent: int = 2
    """The indentation of dashes below the key of their list; 0 is common too."""
    dash_gap: int = 2
    """The distance from a dash to its element, in characters."""
    quote: str = '"'
    """The quotation mark for strings that need quotes."""
    is_json: bool = False
    """True if every string is quoted, as in JSON, which is also YAML."""


def is_nested(value: object) -> bool:
    """Return whether a value takes multiple lines in block style."""
    return isinstance(value, dict | list | tuple) and bool(value)


def format_flow(value: object, style: YamlBlockStyle) -> str:
    """Format a value as YAML on one line, such as `{a: 1, b: [2, 3]}`.

    Raises:
        UneditableError: YAML cannot represent the value.
    """
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{format_scalar(key, style)}: {format_flow(inner, style)}"
            for key, inner in value.items()
        )
        return f"{{{pairs}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(format_flow(element, style) for element in value)}]"
    return format_scalar(value, style)


def format_pair_lines(key: str, value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """Format a key and its value as lines that begin at a given column."""
    head = f"{' ' * column}{format_scalar(key, style)}:"
    if not is_nested(value):
        return [f"{head} {format_flow(value, style)}"]
    return [head, *format_block_lines(value, get_nested_column(value, column, style), style)]


def format_block_lines(value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """Format a non-empty mapping or list as YAML on multiple lines.

    Args:
        value: The mapping or list.
        column: The indentation of its keys or dashes.
        style: The style of the file.
    """
    if isinstance(value, dict):
        return [
            line
            for key, inner in value.items()
            for line in format_pair_lines(key, inner, column, style)
        ]
    elements = value if isinstance(value, list | tuple) else []
    return [line for element in elements for line in format_element_lines(element, column, style)]


def format_element_lines(value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """Format a list element after its dash."""
    head = f"{' ' * column}-{' ' * (style.dash_gap - 1)}"
    if not is_nested(value):
        return [f"{head}{format_flow(value, style)}"]
    first_line, *lines = format_block_lines(value, column + style.dash_gap, style)
    return [head + first_line.lstrip(" "), *lines]


def get_nested_column(value: object, column: int, style: YamlBlockStyle) -> int:
    """Return the column of a mapping or list that is nested below a key at a given column."""
    return column + (style.mapping_indent if isinstance(value, dict) else style.dash_indent)


def format_scalar(value: object, style: YamlBlockStyle) -> str:
    """Format a string, number, boolean or null as YAML.

    Raises:
        UneditableError: YAML cannot represent the value.
    """
    if isinstance(value, str):
        return _format_text(value, style)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _format_float(value)
    raise UneditableError(
        f"YAML cannot represent {type(value).__name__}", hint="use strings and numbers"
    )


def _format_float(value: float) -> str:
    # A decimal point is always written, because YAML 1.1 parsers read `1e3` as a string.
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}"


def _format_text(value: str, style: YamlBlockStyle) -> str:
    """Format a string as YAML, adding quotes only if it would otherwise have another meaning.

    For example, `no` needs quotes, because some programs read it as a boolean.

    Raises:
        UneditableError: The string contains half of a surrogate pair, which UTF-8 cannot represent.
    """
    if _SURROGATE.search(value):
        raise UneditableError(
            f"{value!r} cannot be written as UTF-8", hint="remove the unpaired surrogate"
        )
    if style.is_json:
        return _quote_double(value)
    if _PLAIN_TEXT.fullmatch(value) and value.lower() not in _RESERVED_WORDS:
        return value
    if _NEEDS_ESCAPE.search(value):
        return _quote_double(value)
    prefers_single = style.quote == "'" or "\\" in value
    if prefers_single and "'" not in value:
        return f"'{value}'"
    return _quote_double(value)


def _quote_double(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def detect_block_style(root: YamlNode | None, collection: YamlNode, text: str) -> YamlBlockStyle:
    """Detect the style for new lines in a mapping or list of a YAML file.

    Each property is taken from the mapping or list itself, or else from the rest of the file.

    Args:
        root: The root of the file, or None for an empty file.
        collection: The mapping or list.
        text: The text of the file.
    """
    nodes = [*walk_nodes(collection), *(walk_nodes(root) if root else ())]
    quotes = [node.style for node in nodes if node.style in ("'", '"')]
    is_single = quotes.count("'") > quotes.count('"')
    default = YamlBlockStyle()
    return YamlBlockStyle(
        mapping_indent=next(_iterate_indents(nodes, "mapping"), default.mapping_indent),
        dash_indent=next(_iterate_indents(nodes, "sequence"), default.dash_indent),
        dash_gap=next(_iterate_dash_gaps(nodes, text), default.dash_gap),
        quote="'" if is_single else default.quote,
        is_json=collection.is_flow and all(node.style == '"' for node in _collect_keys(collection)),
    )


def _collect_keys(collection: YamlNode) -> list[YamlNode]:
    """Return the keys of a collection and of its elements, or the collection if it has none."""
    nodes = [collection, *(member.value for member in collection.members)]
    keys = [member.key for node in nodes for member in node.members if member.key]
    return keys or [collection]


def _iterate_indents(nodes: list[YamlNode], kind: str) -> Iterator[int]:
    """Yield the indentation of the collections of a kind below their keys."""
    for node in nodes:
        if node.kind == "mapping" and node.is_block:
            for member in node.members:
                if member.value.kind == kind and member.value.is_block:
                    yield member.value.column - node.column


def _iterate_dash_gaps(nodes: list[YamlNode], text: str) -> Iterator[int]:
    """Yield the distances between dashes and elements in lists, in characters.

    Only elements that are mappings or lists, and begin on the line of their dash, are considered.
    """
    for node in nodes:
        if node.kind == "sequence" and node.is_block:
            for member in node.members:
                value = member.value
                value_line = find_line_start(text, value.start)
                dash_line = find_line_start(text, member.start)
                if value.is_block and value_line == dash_line:
                    yield value.start - member.start
