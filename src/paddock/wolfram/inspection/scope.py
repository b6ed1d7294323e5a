"""Local names: where they are declared and what they hold for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, has_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression

_PATTERN_SCOPE_HEADS = frozenset(
    {"Set", "SetDelayed", "UpSetDelayed", "TagSetDelayed", "RuleDelayed"}
)


class LocalVariable(NamedTuple):
    """A local name, where it is declared, and its initial value."""

    name: str
    start: int
    initial: Expression | None = None

    @property
    def end(self) -> int:
        """Where the declaration ends."""
        return self.start + len(self.name)


class LocalScope(NamedTuple):
    """An expression with local names; `kind` is its head as people call it."""

    kind: str
    node: Node
    variables: list[LocalVariable]
    is_pattern: bool = False
    """Whether they are named patterns, which may stand there several times."""


def iter_pattern_names(left: Expression) -> Iterator[Atom]:
    """The names of the patterns on the left side of a definition or rule.

    Not of definitions in it, which have their own. Options are left out, too: `OptionValue` uses
    them without naming them.
    """
    waiting = [left]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Node):
            continue
        if has_head(part, "Pattern") and len(part.args) == 2:
            name = part.args[0]
            if isinstance(name, Atom) and not has_head(part.args[1], "OptionsPattern"):
                yield name
        head = part.head
        if not isinstance(head, Atom):
            waiting.append(head)
        elif head.text in _PATTERN_SCOPE_HEADS:
            continue
        waiting += part.args
