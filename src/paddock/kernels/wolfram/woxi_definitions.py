"""Definitions as the user wrote them, for what woxi cannot tell of its own.

woxi gives values back exactly, but not definitions with patterns: it leaves out conditions,
defaults and tests, and has no list of sub-values, up-values and messages. So the code that made
them is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import Atom, Node, iter_assignments, iter_statements, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.wolfram import Expression, ParsedSource

_DELAYED_HEADS = ("SetDelayed", "UpSetDelayed", "TagSetDelayed", "UpSet", "TagSet")
_CLEARING_HEADS = ("Clear", "ClearAll", "Remove", "Unset")


class WoxiDefinition(NamedTuple):
    """A definition, and the symbol that has it."""

    symbol: str
    kind: str
    text: str


def read_definitions(codes: Sequence[str]) -> tuple[list[WoxiDefinition], set[str]]:
    """The definitions in code that was evaluated, oldest first, and the symbols that have any.

    Only those are given that woxi does not tell.
    """
    kept: list[WoxiDefinition] = []
    named: set[str] = set()
    for code in codes:
        for each in _parse_definitions(code):
            if each.kind == "cleared":
                kept = [one for one in kept if one.symbol != each.symbol]
            else:
                named.add(each.symbol)
                if each.text:
                    kept.append(each)
    return kept, named


def _parse_definitions(code: str) -> Iterator[WoxiDefinition]:
    source = parse(code)
    if not source.problems:
        for expression in source.expressions:
            for part in iter_statements(expression):
                yield from _iter_definitions(source, part)


def _iter_definitions(source: ParsedSource, part: Expression) -> Iterator[WoxiDefinition]:
    if not isinstance(part, Node) or not isinstance(part.head, Atom):
        return
    if part.head.text in _CLEARING_HEADS:
        for arg in part.args:
            if isinstance(arg, Atom):
                yield WoxiDefinition(arg.text.strip('"'), "cleared", "")
        return
    for each in iter_assignments(part):
        is_told = each.node is not part or (
            part.head.text not in _DELAYED_HEADS and each.kind != "message"
        )
        text = "" if is_told else source.text[part.start : part.end]
        yield WoxiDefinition(each.symbol.text, each.kind, text)
