"""What an offline answer is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class EngineResult(NamedTuple):
    """The value of Wolfram Language code."""

    text: str
    engine: str
    """Who evaluated it."""


EvaluateCode = Callable[[str], EngineResult | None]
"""Evaluates Wolfram Language code; gives nothing when there is no engine, or it cannot."""


class OfflineAnswer(NamedTuple):
    """An answer that is sure."""

    interpretation: str
    """The question as it was understood."""
    result: str
    notes: tuple[str, ...] = ()
    """What was taken for granted."""
    computed_by: str = "Paddock"
    """Who worked it out."""

    @property
    def attribution(self) -> str:
        """What it begins with, so that nobody takes it for an answer of Wolfram|Alpha."""
        return f"Offline: worked out by {self.computed_by}, not by Wolfram|Alpha."

    @property
    def markdown_pieces(self) -> tuple[str, ...]:
        """The answer in Markdown, in the form that those of Wolfram|Alpha have."""
        parts = ["# Input interpretation", self.interpretation, "# Result", self.result]
        if self.notes:
            parts += ["# Notes", *self.notes]
        return tuple(parts)
