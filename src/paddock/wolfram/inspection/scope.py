"""Local names: where they are declared and what they hold for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression, Node


class Variable(NamedTuple):
    """A local name, where it is declared, and its initial value."""

    name: str
    start: int
    initial: Expression | None = None

    @property
    def end(self) -> int:
        """Where the declaration ends."""
        return self.start + len(self.name)


class Scope(NamedTuple):
    """An expression with local names; `kind` is its head as people call it."""

    kind: str
    node: Node
    variables: list[Variable]
    is_pattern: bool = False
    """Whether they are named patterns, which may stand there several times."""
