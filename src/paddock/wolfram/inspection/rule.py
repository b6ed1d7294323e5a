"""What a rule is, and how code is written in what rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from paddock.reports.issues import Severity

_MAX_QUOTED_CHARACTERS = 60
"""How many characters of code stand in a sentence."""


class InspectionRule(NamedTuple):
    """What is looked for; `summary` goes on after "reports"."""

    tag: str
    severity: Severity
    confidence: float
    summary: str


def format_code(code: str) -> str:
    """Code in backticks, on one line, and not too much of it."""
    line = " ".join(code.split())
    if len(line) > _MAX_QUOTED_CHARACTERS:
        line = f"{line[: _MAX_QUOTED_CHARACTERS - 1]}…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"
