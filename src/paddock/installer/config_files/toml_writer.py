"""Writing plain data as TOML: values on one line, tables below a header, dotted keys."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from paddock.installer.config_files.document import UneditableError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LITERAL = re.compile(r"[^'\x00-\x1f\x7f]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class TomlTableStyle:
    """How the tables around look, for the new one to look the same."""

    header_indent: str = ""
    indent: str = ""
    equals: str = " = "
    nests: bool = True
    """Whether a table in a table gets a header of its own."""
    blank: bool = True
    """Whether a blank line stands before a header."""


def format_inline(value: object) -> str:
    """A value on one line.

    Raises:
        UneditableError: when TOML has no way to say it.
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
    found = "null" if value is None else type(value).__name__
    raise UneditableError(f"TOML cannot say {found}", hint="leave the key out")


def format_key(*keys: str) -> str:
    """A key, dotted when there are several parts, quoted where it has to be."""
    return ".".join(key if _BARE_KEY.fullmatch(key) else _format_basic_string(key) for key in keys)


def format_table_lines(
    keys: tuple[str, ...], value: dict[str, object], style: TomlTableStyle
) -> list[str]:
    """The lines of a table below its header."""
    nested = {key: inner for key, inner in value.items() if _is_table(inner) and style.nests}
    lines = [
        f"{style.indent}{format_key(key)}{style.equals}{format_inline(inner)}"
        for key, inner in value.items()
        if key not in nested
    ]
    for key, inner in nested.items():
        lines += [""] * style.blank
        lines.append(f"{style.header_indent}[{format_key(*keys, key)}]")
        lines += format_table_lines((*keys, key), inner, style)  # type: ignore[arg-type] # a dictionary, see above
    return lines


def format_dotted_lines(keys: tuple[str, ...], value: object, style: TomlTableStyle) -> list[str]:
    """One line for each value that is no table, with the whole way to it as its key."""
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
    """Literal where that saves escapes, as in the paths of Windows."""
    _check_encodable(value)
    if "\\" in value and _LITERAL.fullmatch(value):
        return f"'{value}'"
    return _format_basic_string(value)


def _format_basic_string(value: str) -> str:
    _check_encodable(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _check_encodable(value: str) -> None:
    if _SURROGATE.search(value):
        raise UneditableError(
            f"{value!r} cannot be written as UTF-8", hint="give the text without half characters"
        )
