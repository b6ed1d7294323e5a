"""Expressions: what the parser makes of source text, and everything else works on.

An expression is an atom, or a head with arguments. Both know where they stand in the source; what
was added by the parser (the `Plus` of `a + b`) has no place of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

AtomKind = Literal["symbol", "string", "number", "boxes", "error"]
NodeForm = str
"""How a node was written: `call`, `list`, `association`, or the operator."""

CONSTANT_LETTERS = {
    **dict.fromkeys(("\\[Pi]", "\u03c0"), "Pi"),
    **dict.fromkeys(("\\[Infinity]", "\u221e"), "Infinity"),
    **dict.fromkeys(("\\[Degree]", "\u00b0"), "Degree"),
    **dict.fromkeys(("\\[ExponentialE]", "\uf74d"), "E"),
    **dict.fromkeys(("\\[ImaginaryI]", "\uf74e", "\\[ImaginaryJ]", "\uf74f"), "I"),
}
"""Letters that alone are another way to write a symbol."""
NO_POSITION = -1
CALL_FORM = "call"


class Atom:
    """A symbol, string or number, a piece of box syntax, or a place where something is wrong.

    `text` is the source text: strings with their quotes and escapes, numbers as written.
    """

    __slots__ = ("end", "is_grouped", "kind", "start", "text")

    def __init__(
        self, kind: AtomKind, text: str, start: int = NO_POSITION, end: int = NO_POSITION
    ) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.is_grouped = False
        """Whether it stands in parentheses, which its place then includes."""

    def __repr__(self) -> str:
        return f"Atom({self.kind!r}, {self.text!r})"


class Node:
    """A head with arguments."""

    __slots__ = ("args", "end", "form", "head", "is_grouped", "start")

    def __init__(
        self,
        head: Expression,
        args: list[Expression],
        start: int = NO_POSITION,
        end: int = NO_POSITION,
        form: NodeForm = CALL_FORM,
    ) -> None:
        self.head = head
        self.args = args
        self.start = start
        self.end = end
        self.form = form
        self.is_grouped = False

    def __repr__(self) -> str:
        # Not of all that is inside: that may be deeper than the interpreter's stack.
        head = self.head.text if isinstance(self.head, Atom) else "…"
        return f"<Node {head}[{len(self.args)} arguments]>"


Expression = Atom | Node


def symbol(name: str) -> Atom:
    """A symbol that does not come from a source."""
    return Atom("symbol", name)


def string(value: str) -> Atom:
    """A string that does not come from a source."""
    return Atom("string", quote_string(value))


def quote_string(value: str) -> str:
    """A string as it is written in a source."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def call(head: str | Expression, *args: Expression) -> Node:
    """A node that does not come from a source."""
    return Node(symbol(head) if isinstance(head, str) else head, list(args))


def is_symbol(expression: Expression, name: str) -> bool:
    """Whether an expression is a symbol of this name, also written as the letter for it."""
    if not isinstance(expression, Atom) or expression.kind != "symbol":
        return False
    return expression.text == name or CONSTANT_LETTERS.get(expression.text) == name


def has_head(expression: Expression, name: str) -> bool:
    """Whether an expression is a node whose head is a symbol of this name."""
    return isinstance(expression, Node) and is_symbol(expression.head, name)


def are_equal(one: Expression, other: Expression) -> bool:
    """Whether two expressions are the same, wherever and however they were written."""
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, Atom):
            if not isinstance(right, Atom) or (left.kind, left.text) != (right.kind, right.text):
                return False
            continue
        if not isinstance(right, Node) or len(left.args) != len(right.args):
            return False
        waiting.append((left.head, right.head))
        waiting.extend(zip(left.args, right.args, strict=True))
    return True


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of, each before its parts, from left to right."""
    waiting = [expression]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found, Node):
            waiting += reversed(found.args)
            waiting.append(found.head)
