"""The order of the versions of paclets: numbers between dots, each compared as a number."""

from __future__ import annotations

import re

_PART_PATTERN = re.compile(r"(\d*)(.*)", re.DOTALL)
_MAX_DIGITS = 18
_MIN_PARTS = 8
_EMPTY_PART = (0, True, "")
"""A part that is zero, or not there."""

PacletVersionKey = tuple[tuple[int, bool, str], ...]


def make_version_key(version: str) -> PacletVersionKey:
    """What versions are sorted by.

    `1.10` is above `1.9`, `1.0` is the same as `1.0.0`, and a part with letters after its number
    (`2.0-beta`) is below the number alone.
    """
    parts = [_parse_part(part) for part in version.strip().split(".")]
    while parts and parts[-1] == _EMPTY_PART:
        parts.pop()
    return (*parts, *[_EMPTY_PART] * (_MIN_PARTS - len(parts)))


def _parse_part(text: str) -> tuple[int, bool, str]:
    found = _PART_PATTERN.fullmatch(text)
    digits, rest = (found[1], found[2]) if found else ("", text)
    return int(digits[:_MAX_DIGITS] or 0), not rest, rest
