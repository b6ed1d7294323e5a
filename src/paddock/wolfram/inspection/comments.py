"""Rules on comments, and the comments that switch rules off."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Node, has_head, walk
from paddock.wolfram.inspection.rule import InspectionRule
from paddock.wolfram.inspection.spans import SpanSet

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import SourceCheck, RawIssue, Inspection
    from paddock.wolfram.source import ParsedSource

FIX_ME_COMMENT = InspectionRule(
    "FixMeComment", "Warning", 0.9, "a comment that begins with `FIXME:`; it is the description"
)
COMMENT_RULES = (FIX_ME_COMMENT,)

_MAX_DESCRIPTION_CHARACTERS = 500
"""Characters of a comment that are a description."""
_DIRECTIVE = re.compile(
    r"\(\*\s*:!CodeAnalysis::(?:(BeginBlock|EndBlock)|Disable::(\w+(?:::[\w$`]+)?))::\s*\*\)"
)


def _check_fix_me(inspection: Inspection) -> None:
    text = inspection.text
    for start, end in inspection.source.comments:
        if text.startswith("FIXME:", start + 2) or text[start + 2 : end].lstrip().startswith(
            "FIXME:"
        ):
            said = text[start + 2 : end].removesuffix("*)").strip()
            said = " ".join(said[:_MAX_DESCRIPTION_CHARACTERS].split()) + ("…" if len(said) > _MAX_DESCRIPTION_CHARACTERS else "")
            inspection.report_issue(FIX_ME_COMMENT, start, end, said)


def find_suppressions(source: ParsedSource) -> dict[str, SpanSet]:
    """Where which tags, or tags with an argument, are switched off by comments.

    `Disable` in a block holds for all of the block, elsewhere for the expression that follows.
    """
    text = source.text
    if ":!CodeAnalysis::" not in text:
        return {}
    found: defaultdict[str, SpanSet] = defaultdict(SpanSet)
    blocks: list[tuple[int, list[str]]] = []
    single: list[tuple[int, str]] = []
    for start, end in source.comments:
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            continue
        if directive[1] == "BeginBlock":
            blocks.append((start, []))
        elif directive[1] == "EndBlock":
            _close_block(blocks, end, found)
        elif blocks:
            blocks[-1][1].append(directive[2])
        else:
            single.append((end, directive[2]))
    while blocks:
        _close_block(blocks, len(text) + 1, found)
    _suppress_next_expression(source, single, found)
    return found


def _close_block(blocks: list[tuple[int, list[str]]], end: int, found: dict[str, SpanSet]) -> None:
    if blocks:
        start, names = blocks.pop()
        for name in names:
            found[name].add(start, end)


def _suppress_next_expression(source: ParsedSource, single: list[tuple[int, str]], found: dict[str, SpanSet]) -> None:
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
        end = _get_first_statement(parts[place]).end if place < len(parts) else at
        found[name].add(at, end)


def is_suppressed(silent: dict[str, SpanSet], found: RawIssue) -> bool:
    """Whether an issue is switched off where it is; a tag is meant with any argument."""
    return any(
        name in silent and silent[name].covers(found.start)
        for name in (found.rule.tag, f"{found.rule.tag}::{found.argument}")
    )


def _get_first_statement(expression: Expression) -> Expression:
    """Of several statements the first."""
    while (
        isinstance(expression, Node)
        and has_head(expression, "CompoundExpression")
        and not expression.is_grouped
    ):
        expression = expression.args[0]
    return expression


COMMENT_CHECKS: tuple[SourceCheck, ...] = (_check_fix_me,)
