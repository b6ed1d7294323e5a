"""What came of Python code, in reading order: prints, pictures, the value or the failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.kernels.outcome import EvaluationResult

FINISHED_STATUSES = frozenset({"done", "failed"})
_NO_OUTPUT_TEXT = "(The code ran; it printed nothing, and its last statement has no value.)"


@dataclass(frozen=True, slots=True)
class PythonFigure:
    """A picture in an answer."""

    data: bytes
    mime: str
    label: str = "(A picture that cannot be shown.)\n"


def build_answer_items(outcome: EvaluationResult, line: int, limit: int) -> tuple[list[str | PythonFigure], str]:
    """The answer, with texts of at most `limit` characters, and what is told beside it."""
    items: list[str | PythonFigure] = []
    for output in outcome.outputs:
        if output.kind == "picture":
            items.append(PythonFigure(output.data, output.mime))
        else:
            items.append(f"{truncate_middle(output.text, limit)}\n")
    if outcome.status not in FINISHED_STATUSES:
        items.append(f"[{outcome.note}]\n")
        return items, ""
    if outcome.result is not None:
        text = truncate_middle(outcome.result, limit)
        items.append(f"Out[{line}]: " + (f"\n{text}" if "\n" in text else text))
    if not items:
        items.append(_NO_OUTPUT_TEXT)
    return items, outcome.note


def truncate_middle(text: str, limit: int) -> str:
    """A text without its middle, if it is longer than that."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit - limit // 4], text[len(text) - limit // 4 :]
    return f"{head}\n… {len(text) - limit} characters are left out …\n{tail}"
