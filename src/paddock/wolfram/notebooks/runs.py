"""Pieces of running text, between what a notebook holds and what markdown writes.

A paragraph is a flat list of runs: each has its look and its link to itself, so that nesting needs
no tree.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["text", "code", "formula", "raw"]


class Look(NamedTuple):
    """How a run looks, and where it leads."""

    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    link: str = ""


PLAIN = Look()


class Run(NamedTuple):
    """Some text of one look.

    Formulas are TeX. What is `raw` is markdown that has no other form: a picture, or a formula that
    could not be understood.
    """

    text: str
    kind: Kind = "text"
    look: Look = PLAIN


def joined(runs: Iterable[Run]) -> list[Run]:
    """Runs without empty ones; texts of one look that follow each other are one."""
    found: list[Run] = []
    for (kind, look), group in groupby((run for run in runs if run.text), key=_kind_and_look):
        if kind == "text":
            found.append(Run("".join(run.text for run in group), "text", look))
        else:
            found += group
    return found


def _kind_and_look(run: Run) -> tuple[Kind, Look]:
    return run.kind, run.look


def plain_text(runs: Iterable[Run]) -> str:
    """What runs say, without their looks."""
    return "".join(run.text for run in runs)
