"""Rules on comments, and the comments that switch rules off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Node, has_head
from paddock.wolfram.inspection.rule import Rule

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Found, Inspection
    from paddock.wolfram.source import Source

FIX_ME_COMMENT = Rule(
    "FixMeComment", "Warning", 0.9, "a comment that begins with `FIXME:`; it is the description"
)
RULES = (FIX_ME_COMMENT,)

_DIRECTIVE = re.compile(
    r"\(\*\s*:!CodeAnalysis::(?:(BeginBlock|EndBlock)|Disable::(\w+(?:::[\w$`]+)?))::\s*\*\)"
)


class Silence(NamedTuple):
    """Where issues of a name are not wanted."""

    name: str
    start: int
    end: int

    def holds_for(self, found: Found) -> bool:
        """Whether an issue is among those; a tag is meant with any argument."""
        if not self.start <= found.start < max(self.end, self.start + 1):
            return False
        tag = found.rule.tag
        return self.name == tag or self.name == f"{tag}::{found.argument}"


def _fix_me(inspection: Inspection) -> None:
    text = inspection.text
    for start, end in inspection.source.comments:
        if text.startswith("FIXME:", start + 2) or text[start + 2 : end].lstrip().startswith(
            "FIXME:"
        ):
            said = text[start + 2 : end].removesuffix("*)").strip()
            inspection.report(FIX_ME_COMMENT, start, end, " ".join(said.split()))


def silences(source: Source) -> list[Silence]:
    """What the comments of a source switch off, and where.

    `Disable` in a block holds for all of the block, elsewhere for the expression that follows.
    """
    text = source.text
    if ":!CodeAnalysis::" not in text:
        return []
    found: list[Silence] = []
    blocks: list[tuple[int, list[str]]] = []
    for start, end in source.comments:
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            continue
        if directive[1] == "BeginBlock":
            blocks.append((start, []))
        elif directive[1] == "EndBlock":
            if blocks:
                found += _block(*blocks.pop(), end)
        elif blocks:
            blocks[-1][1].append(directive[2])
        else:
            found.append(Silence(directive[2], end, _end_of_next(source, end)))
    for begun, names in blocks:
        found += _block(begun, names, len(text) + 1)
    return found


def _block(start: int, names: list[str], end: int) -> list[Silence]:
    return [Silence(name, start, end) for name in names]


def _end_of_next(source: Source, at: int) -> int:
    """Where the expression ends that is the first to begin after a place."""
    inside: list[Expression] = list(source.expressions)
    while inside:
        around: list[Expression] = []
        for expression in inside:
            if expression.start >= at:
                return _statement(expression).end
            if expression.end > at and isinstance(expression, Node):
                around = sorted(
                    (part for part in (expression.head, *expression.args) if part.start >= 0),
                    key=lambda part: part.start,
                )
                break
        inside = around
    return at


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
