"""Pieces of running text, between what a notebook holds and what markdown writes.

A paragraph is a flat list of runs: each has its look and its link to itself, so that nesting needs
no tree.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

RunKind = Literal["text", "code", "formula", "raw"]


class TextStyle(NamedTuple):
    """How a run looks, and where it leads."""

    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    link: str = ""


PLAIN_STYLE = TextStyle()


class TextRun(NamedTuple):
    """Some text of one look.

    Formulas are TeX. What is `raw` is markdown that has no other form: a picture, or a formula that
    could not be understood.
    """

    text: str
    kind: RunKind = "text"
    style: TextStyle = PLAIN_STYLE


def merge_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """Runs without empty ones; texts of one look that follow each other are one."""
    found: list[TextRun] = []
    for (kind, look), group in groupby((run for run in runs if run.text), key=_get_kind_and_style):
        if kind == "text":
            found.append(TextRun("".join(run.text for run in group), "text", look))
        else:
            found += group
    return found


def _get_kind_and_style(run: TextRun) -> tuple[RunKind, TextStyle]:
    return run.kind, run.style


def get_plain_text(runs: Iterable[TextRun]) -> str:
    """What runs say, without their looks."""
    return "".join(run.text for run in runs)
