"""Rules on comments, and the comments that switch rules off."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Node, has_head, walk
from paddock.wolfram.inspection.rule import Rule
from paddock.wolfram.inspection.spans import Spans

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Found, Inspection
    from paddock.wolfram.source import Source

FIX_ME_COMMENT = Rule(
    "FixMeComment", "Warning", 0.9, "a comment that begins with `FIXME:`; it is the description"
)
RULES = (FIX_ME_COMMENT,)

_MOST_SAID = 500
"""Characters of a comment that are a description."""
_DIRECTIVE = re.compile(
    r"\(\*\s*:!CodeAnalysis::(?:(BeginBlock|EndBlock)|Disable::(\w+(?:::[\w$`]+)?))::\s*\*\)"
)


def _fix_me(inspection: Inspection) -> None:
    text = inspection.text
    for start, end in inspection.source.comments:
        if text.startswith("FIXME:", start + 2) or text[start + 2 : end].lstrip().startswith(
            "FIXME:"
        ):
            said = text[start + 2 : end].removesuffix("*)").strip()
            said = " ".join(said[:_MOST_SAID].split()) + ("…" if len(said) > _MOST_SAID else "")
            inspection.report(FIX_ME_COMMENT, start, end, said)


def silences(source: Source) -> dict[str, Spans]:
    """Where which tags, or tags with an argument, are switched off by comments.

    `Disable` in a block holds for all of the block, elsewhere for the expression that follows.
    """
    text = source.text
    if ":!CodeAnalysis::" not in text:
        return {}
    found: defaultdict[str, Spans] = defaultdict(Spans)
    blocks: list[tuple[int, list[str]]] = []
    single: list[tuple[int, str]] = []
    for start, end in source.comments:
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            continue
        if directive[1] == "BeginBlock":
            blocks.append((start, []))
        elif directive[1] == "EndBlock":
            _close(blocks, end, found)
        elif blocks:
            blocks[-1][1].append(directive[2])
        else:
            single.append((end, directive[2]))
    while blocks:
        _close(blocks, len(text) + 1, found)
    _silence_next(source, single, found)
    return found


def _close(blocks: list[tuple[int, list[str]]], end: int, found: dict[str, Spans]) -> None:
    if blocks:
        start, names = blocks.pop()
        for name in names:
            found[name].add(start, end)


def _silence_next(source: Source, single: list[tuple[int, str]], found: dict[str, Spans]) -> None:
    """For each comment, the first expression that begins after it, and of those the longest."""
    if not single:
        return
    parts = [
        part
        for expression in source.expressions
        for part in walk(expression)
        if part.start < part.end
    ]
    parts.sort(key=lambda part: (part.start, -part.end))
    starts = [part.start for part in parts]
    for at, name in single:
        place = bisect_left(starts, at)
        end = _statement(parts[place]).end if place < len(parts) else at
        found[name].add(at, end)


def is_silent(silent: dict[str, Spans], found: Found) -> bool:
    """Whether an issue is switched off where it is; a tag is meant with any argument."""
    return any(
        name in silent and silent[name].covers(found.start)
        for name in (found.rule.tag, f"{found.rule.tag}::{found.argument}")
    )


def _statement(expression: Expression) -> Expression:
    """Of several statements the first."""
    while (
        isinstance(expression, Node)
        and has_head(expression, "CompoundExpression")
        and not expression.is_grouped
    ):
        expression = expression.args[0]
    return expression


ALWAYS: tuple[Afterwards, ...] = (_fix_me,)
