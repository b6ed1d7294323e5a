"""Formats data as TOML: values on one line, tables below a header, and dotted keys."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paddock.installer.config_files.document import UneditableError
from paddock.toml_writer import format_basic_string, format_key

_LITERAL = re.compile("[^'\x00-\x1f\x7f\ud800-\udfff]*")


@dataclass(frozen=True)
class TomlTableStyle:
    """The style of the tables in a TOML file, which new tables follow."""

    header_indent: str = ""
    """The whitespace before headers."""
    indent: str = ""
    """The whitespace before keys."""
    equals: str = " = "
    """The equals sign with the spaces around it."""
    nests_tables: bool = True
    """True if nested tables have headers; otherwise they are written inline."""
    has_blank_lines: bool = True
    """True if headers are preceded by a blank line."""


def format_inline(value: object) -> str:
    """Format a value as TOML on one line, with inline tables such as `{ a = 1 }`.

    Raises:
        UneditableError: TOML cannot represent the value, such as null.
    """
    if isinstance(value, str):
        return _format_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(format_inline(element) for element in value)}]"
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{format_key(key)} = {format_inline(inner)}" for key, inner in value.items()
        )
        return f"{{ {pairs} }}" if pairs else "{}"
    type_name = "null" if value is None else type(value).__name__
    raise UneditableError(f"TOML cannot represent {type_name}", hint="leave out the key")


def format_table_lines(
    keys: tuple[str, ...], value: dict[str, object], style: TomlTableStyle
) -> list[str]:
    """Format the content of a table as the lines below its header.

    Args:
        keys: The keys in the header, for the headers of nested tables.
        value: The content of the table.
        style: The style of the file, which decides whether nested tables have headers.
    """
    nested = {key: inner for key, inner in value.items() if _is_table(inner) and style.nests_tables}
    lines = [
        f"{style.indent}{format_key(key)}{style.equals}{format_inline(inner)}"
        for key, inner in value.items()
        if key not in nested
    ]
    for key, inner in nested.items():
        lines += [""] * style.has_blank_lines
        lines.append(f"{style.header_indent}[{format_key(*keys, key)}]")
        lines += format_table_lines((*keys, key), inner, style)  # type: ignore[arg-type] # _is_table has checked the type
    return lines


def format_dotted_lines(keys: tuple[str, ...], value: object, style: TomlTableStyle) -> list[str]:
    """Format a table as lines with dotted keys, such as `servers.charts.command = "uvx"`.

    Args:
        keys: The keys of the table, such as `("servers", "charts")`.
        value: The content of the table, or a single value.
        style: The style of the file.
    """
    if isinstance(value, dict) and value:
        return [
            line
            for key, inner in value.items()
            for line in format_dotted_lines((*keys, key), inner, style)
        ]
    return [f"{style.indent}{format_key(*keys)}{style.equals}{format_inline(value)}"]


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and bool(value)


def _format_string(value: str) -> str:
    # A literal string needs no escapes, which keeps Windows paths readable.
    if "\\" in value and _LITERAL.fullmatch(value):
        return f"'{value}'"
    return format_basic_string(value)
