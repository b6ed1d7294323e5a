"""Writing plain data as YAML that every reader takes for the same, of YAML 1.1 and of 1.2.

A text is written plain only where no reader can take it for a number, a date, a truth value or
anything else; block style follows the indentation it is given.

How the lines of a YAML text look: indentation, dashes and quotes.

The nearest example counts: what stands in the same collection, then the rest of the text.
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
    """How the lines around look, for the new ones to look the same."""

    mapping_indent: int = 2
    """How far a mapping is indented below its key."""
    dash_indent: int = 2
    """How far the dashes of a list are indented below its key; not at all is usual too."""
    dash_gap: int = 2
    """From a dash to what follows it."""
    quote: str = '"'
    is_json: bool = False
    """Whether every text is quoted, as in JSON, which is YAML too."""


def is_nested(value: object) -> bool:
    """Whether a value takes lines of its own in block style."""
    return isinstance(value, dict | list | tuple) and bool(value)


def format_flow(value: object, style: YamlBlockStyle) -> str:
    """A value on one line.

    Raises:
        UneditableError: when it is no plain data.
    """
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{format_scalar(k, style)}: {format_flow(v, style)}" for k, v in value.items()
        )
        return f"{{{pairs}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(format_flow(element, style) for element in value)}]"
    return format_scalar(value, style)


def format_pair_lines(key: str, value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """A key with its value, on lines that begin at a column."""
    head = f"{' ' * column}{format_scalar(key, style)}:"
    if not is_nested(value):
        return [f"{head} {format_flow(value, style)}"]
    return [head, *format_block_lines(value, get_nested_column(value, column, style), style)]


def format_block_lines(value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """The members of a mapping or list that is not empty, on lines that begin at a column."""
    if isinstance(value, dict):
        return [line for k, v in value.items() for line in format_pair_lines(k, v, column, style)]
    elements = value if isinstance(value, list | tuple) else []
    return [line for element in elements for line in format_element_lines(element, column, style)]


def format_element_lines(value: object, column: int, style: YamlBlockStyle) -> list[str]:
    """An element of a list behind its dash."""
    head = f"{' ' * column}-{' ' * (style.dash_gap - 1)}"
    if not is_nested(value):
        return [f"{head}{format_flow(value, style)}"]
    first, *rest = format_block_lines(value, column + style.dash_gap, style)
    return [head + first.lstrip(" "), *rest]


def get_nested_column(value: object, column: int, style: YamlBlockStyle) -> int:
    """The column of a mapping or list below a key at a column."""
    return column + (style.mapping_indent if isinstance(value, dict) else style.dash_indent)


def format_scalar(value: object, style: YamlBlockStyle) -> str:
    """A text, number, truth value or null."""
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
        f"a configuration cannot hold {type(value).__name__}", hint="give plain data"
    )


def _format_float(value: float) -> str:
    """With a point always: readers of YAML 1.1 take `1e3` for a text."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}"


def _format_text(value: str, style: YamlBlockStyle) -> str:
    if _SURROGATE.search(value):
        raise UneditableError(
            f"{value!r} cannot be written as UTF-8", hint="give the text without half characters"
        )
    if style.is_json:
        return _quote_double(value)
    if _PLAIN_TEXT.fullmatch(value) and value.lower() not in _RESERVED_WORDS:
        return value
    if _NEEDS_ESCAPE.search(value):
        return _quote_double(value)
    wants_single = style.quote == "'" or "\\" in value
    if wants_single and "'" not in value:
        return f"'{value}'"
    return _quote_double(value)


def _quote_double(value: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def detect_block_style(root: YamlNode | None, near: YamlNode, text: str) -> YamlBlockStyle:
    """The style for new lines in a collection."""
    nodes = [*walk_nodes(near), *(walk_nodes(root) if root else ())]
    quotes = [node.style for node in nodes if node.style in ("'", '"')]
    is_single = quotes.count("'") > quotes.count('"')
    usual = YamlBlockStyle()
    return YamlBlockStyle(
        mapping_indent=next(_iterate_indents(nodes, "mapping"), usual.mapping_indent),
        dash_indent=next(_iterate_indents(nodes, "sequence"), usual.dash_indent),
        dash_gap=next(_iterate_dash_gaps(nodes, text), usual.dash_gap),
        quote="'" if is_single else usual.quote,
        is_json=near.is_flow and all(node.style == '"' for node in _collect_keys(near)),
    )


def _collect_keys(near: YamlNode) -> list[YamlNode]:
    """The keys of a collection and of its elements; one that has none says nothing."""
    nodes = [near, *(member.value for member in near.members)]
    keys = [member.key for node in nodes for member in node.members if member.key]
    return keys or [near]


def _iterate_indents(nodes: list[YamlNode], kind: str) -> Iterator[int]:
    """How far collections of a kind are indented below their keys."""
    for node in nodes:
        if node.kind == "mapping" and node.is_block:
            for member in node.members:
                if member.value.kind == kind and member.value.is_block:
                    yield member.value.column - node.column


def _iterate_dash_gaps(nodes: list[YamlNode], text: str) -> Iterator[int]:
    """How far elements stand behind their dashes, where they are mappings on the same line."""
    for node in nodes:
        if node.kind == "sequence" and node.is_block:
            for member in node.members:
                value = member.value
                if value.is_block and find_line_start(text, value.start) == find_line_start(
                    text, member.start
                ):
                    yield value.start - member.start
