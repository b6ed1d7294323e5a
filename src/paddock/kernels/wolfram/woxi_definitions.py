"""Definitions that woxi cannot list, recovered from the user's code.

woxi saves values exactly, but its definitions with patterns lack conditions, defaults and tests,
and it cannot list sub-values, up-values and messages. Instead, the code that created them is saved.
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
    """A definition made by evaluated code, or the clearing of a symbol's definitions."""

    symbol: str
    kind: str
    """The kind of the definition, such as `own` for `x = 1`, or `cleared`."""
    text: str
    """The source text, or empty if the engine woxi can list the definition."""


def read_definitions(codes: Sequence[str]) -> tuple[list[WoxiDefinition], set[str]]:
    """Collect the definitions in evaluated code that the engine woxi cannot list.

    They are saved with the session as source text. Definitions cleared by later code are omitted.

    Args:
        codes: The code of a session's evaluations, in order.

    Returns:
        The definitions, oldest first, and the names of all defined symbols.
    """
    definitions: list[WoxiDefinition] = []
    defined_names: set[str] = set()
    for code in codes:
        for definition in _parse_definitions(code):
            symbol = definition.symbol
            # Executing cleared definitions again would recreate them in a restored session.
            if definition.kind == "cleared":
                definitions = [other for other in definitions if other.symbol != symbol]
            else:
                defined_names.add(symbol)
                if definition.text:
                    definitions.append(definition)
    return definitions, defined_names


def _parse_definitions(code: str) -> Iterator[WoxiDefinition]:
    source = parse(code)
    if not source.problems:
        for expression in source.expressions:
            for part in iter_statements(expression):
                yield from _iter_definitions(source, part)


def _iter_definitions(source: ParsedSource, part: Expression) -> Iterator[WoxiDefinition]:
    """Yield the definitions that a statement makes or clears.

    A definition that the engine woxi can list is yielded without its source text.

    Args:
        source: The parsed code that contains the statement.
        part: The statement.
    """
    if not isinstance(part, Node) or not isinstance(part.head, Atom):
        return
    if part.head.text in _CLEARING_HEADS:
        for arg in part.args:
            if isinstance(arg, Atom):
                yield WoxiDefinition(arg.text.strip('"'), "cleared", "")
        return
    for assignment in iter_assignments(part):
        is_listed_by_woxi = assignment.node is not part or (
            part.head.text not in _DELAYED_HEADS and assignment.kind != "message"
        )
        text = "" if is_listed_by_woxi else source.text[part.start : part.end]
        yield WoxiDefinition(assignment.symbol.text, assignment.kind, text)
