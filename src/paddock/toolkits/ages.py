"""How old something may become, as people write it: `1 month`, `Quantity[2, "Weeks"]`, seconds."""

from __future__ import annotations

import re
from math import isfinite

_UNIT_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 7 * 86_400,
    "month": 30 * 86_400,
    "year": 365 * 86_400,
}
_DURATION_PATTERN = re.compile(
    r"\s*(?:Quantity\[\s*)?([0-9.]+)\s*,?\s*\"?([A-Za-z]+?)s?\"?\s*\]?\s*", re.IGNORECASE
)


def parse_duration(age: object) -> float | None:
    """An age in seconds; None for one that never comes, or that is none."""
    if isinstance(age, bool):
        return None
    if isinstance(age, int | float):
        return float(age) if isfinite(age) and age > 0 else None
    found = _DURATION_PATTERN.fullmatch(age) if isinstance(age, str) else None
    if found is None:
        return None
    unit = _UNIT_SECONDS.get(found[2].lower())
    try:
        return float(found[1]) * unit if unit else None
    except ValueError:
        return None
