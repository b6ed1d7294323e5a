"""Pieces of markdown that reports are made of: tables, blocks of code, times and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZE_UNITS = ((1 << 30, "GB", 3), (1 << 20, "MB", 2), (1 << 10, "KB", 1))


def format_table(kind: str, rows: Mapping[str, str]) -> str:
    """A table of two columns, the first of which names things of a kind."""
    lines = [f"| {kind} | Value |", "| --- | --- |"]
    lines += [f"| **{name}** | {_escape_cell(value)} |" for name, value in rows.items()]
    return "\n".join(lines)


def _escape_cell(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def format_code_block(code: str, language: str) -> str:
    """A block of code, between enough backticks to hold code that has some itself."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def format_share(part: int, total: int) -> str:
    """A count, with its share of another in percent."""
    percent = 100 * part / total if total else 0
    return f"{part} ({_format_number(percent)}%)"


def _format_number(value: float, digits: int = 1) -> str:
    """A number without needless zeros."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_duration(seconds: float | None) -> str:
    """How long something took."""
    if seconds is None:
        return "N/A"
    if seconds < 0.001:
        return "< 1 ms"
    for limit, unit, name in ((1, 0.001, "ms"), (60, 1, "s"), (3600, 60, "min")):
        if seconds < limit:
            return f"{_format_number(seconds / unit, 0 if name == 'ms' else 1)} {name}"
    return f"{_format_number(seconds / 3600)} h"


def format_size(size: int | None) -> str:
    """How much memory something took."""
    if size is None:
        return "N/A"
    for unit, name, digits in _SIZE_UNITS:
        if size >= unit:
            return f"{_format_number(size / unit, digits)} {name}"
    return f"{size} B"
