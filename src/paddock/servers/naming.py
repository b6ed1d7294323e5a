"""Telling apart tools that would be exposed under one name."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def number_duplicate_names(names: Iterable[str]) -> list[str]:
    """The names in order, those that several share with numbers: Search1, Search2.

    A name that nobody shares stays as it is, and no number leads to a name that is taken.
    """
    wanted = list(names)
    counts = Counter(wanted)
    taken = set(wanted)
    used: Counter[str] = Counter()
    return [name if counts[name] == 1 else _find_free_name(name, taken, used) for name in wanted]


def _find_free_name(name: str, taken: set[str], used: Counter[str]) -> str:
    while True:
        used[name] += 1
        candidate = f"{name}{used[name]}"
        if candidate not in taken:
            taken.add(candidate)
            return candidate
