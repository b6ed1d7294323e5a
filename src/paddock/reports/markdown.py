"""Pieces of markdown that reports are made of: tables, blocks of code, times and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZES = ((1 << 30, "GB", 3), (1 << 20, "MB", 2), (1 << 10, "KB", 1))


def table(kind: str, rows: Mapping[str, str]) -> str:
    """A table of two columns, the first of which names things of a kind."""
    lines = [f"| {kind} | Value |", "| --- | --- |"]
    lines += [f"| **{name}** | {_entry(value)} |" for name, value in rows.items()]
    return "\n".join(lines)


def _entry(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def fenced(code: str, language: str) -> str:
    """A block of code, between enough backticks to hold code that has some itself."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def share(part: int, total: int) -> str:
    """A count, with its share of another in percent."""
    percent = 100 * part / total if total else 0
    return f"{part} ({_short(percent)}%)"


def _short(value: float, digits: int = 1) -> str:
    """A number without needless zeros."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def time_text(seconds: float | None) -> str:
    """How long something took."""
    if seconds is None:
        return "N/A"
    if seconds < 0.001:
        return "< 1 ms"
    for limit, unit, name in ((1, 0.001, "ms"), (60, 1, "s"), (3600, 60, "min")):
        if seconds < limit:
            return f"{_short(seconds / unit, 0 if name == 'ms' else 1)} {name}"
    return f"{_short(seconds / 3600)} h"


def size_text(size: int | None) -> str:
    """How much memory something took."""
    if size is None:
        return "N/A"
    for unit, name, digits in _SIZES:
        if size >= unit:
            return f"{_short(size / unit, digits)} {name}"
    return f"{size} B"
