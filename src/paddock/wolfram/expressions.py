"""Expression trees, as produced by the parser.

An expression is an atom, or a node with a head and arguments. Both record their source offsets.
Expressions added by the parser (the `Plus` of `a + b`) have no position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

AtomKind = Literal["symbol", "string", "number", "boxes", "error"]
NodeForm = str
"""The syntax used to write a node: `call`, or the text of its operator or bracket."""

CONSTANT_LETTERS = {
    **dict.fromkeys(("\\[Pi]", "\u03c0"), "Pi"),
    **dict.fromkeys(("\\[Infinity]", "\u221e"), "Infinity"),
    **dict.fromkeys(("\\[Degree]", "\u00b0"), "Degree"),
    **dict.fromkeys(("\\[ExponentialE]", "\uf74d"), "E"),
    **dict.fromkeys(("\\[ImaginaryI]", "\uf74e", "\\[ImaginaryJ]", "\uf74f"), "I"),
}
"""Letters that are alternative spellings of symbols."""
NO_POSITION = -1
CALL_FORM = "call"


class Atom:
    """A Wolfram Language expression without parts: a symbol, string or number.

    The parser also represents boxes, the notebook format for typeset expressions, and syntax errors
    as atoms.

    Args:
        kind: The kind of the atom.
        text: The source text: strings include their quotes and escapes.
        start: The offset of the first character, or `NO_POSITION`.
        end: The offset after the last character, or `NO_POSITION`.
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
        """True if the expression is in parentheses. Its position then includes them."""

    def __repr__(self) -> str:
        return f"Atom({self.kind!r}, {self.text!r})"


class Node:
    """A Wolfram Language expression with a head and arguments, such as `f[x, y]` or `x + y`.

    The head of `x + y` is the symbol `Plus`, which the parser adds.

    Args:
        head: The head, which can be any expression.
        args: The arguments.
        start: The offset of the first character, or `NO_POSITION`.
        end: The offset after the last character, or `NO_POSITION`.
        form: The syntax used to write the node: `call`, or an operator or bracket.
    """

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
        # The arguments are omitted because deeply nested ones could exceed the recursion limit.
        head = self.head.text if isinstance(self.head, Atom) else "…"
        return f"<Node {head}[{len(self.args)} arguments]>"


Expression = Atom | Node


def symbol(name: str) -> Atom:
    """Return a symbol without a source position."""
    return Atom("symbol", name)


def string(value: str) -> Atom:
    """Return a string atom for a value, without a source position."""
    return Atom("string", quote_string(value))


def quote_string(value: str) -> str:
    """Return the string literal for a value, with quotes and escapes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def call(head: str | Expression, *args: Expression) -> Node:
    """Return a node without a source position."""
    return Node(symbol(head) if isinstance(head, str) else head, list(args))


def is_symbol(expression: Expression, name: str) -> bool:
    """Return whether the expression is the given symbol or a letter that represents it."""
    if not isinstance(expression, Atom) or expression.kind != "symbol":
        return False
    return expression.text == name or CONSTANT_LETTERS.get(expression.text) == name


def has_head(expression: Expression | None, name: str) -> TypeGuard[Node]:
    """Return whether the expression is a node whose head is the given symbol."""
    return isinstance(expression, Node) and is_symbol(expression.head, name)


def has_any_head(expression: Expression | None, names: Container[str]) -> TypeGuard[Node]:
    """Return whether the expression is a node whose head is one of the given symbols."""
    # This does not call `get_head_name`, because it runs for a very large number of expressions.
    if not isinstance(expression, Node) or not isinstance(expression.head, Atom):
        return False
    return expression.head.text in names


def is_atom(expression: Expression | None, kind: AtomKind) -> TypeGuard[Atom]:
    """Return whether the expression is an atom of the given kind, such as `"symbol"`."""
    return isinstance(expression, Atom) and expression.kind == kind


def is_literal(expression: Expression, text: str) -> TypeGuard[Atom]:
    """Return whether the expression is an atom with the given source text, such as `-1`."""
    return isinstance(expression, Atom) and expression.text == text


def is_inverse(expression: Expression) -> TypeGuard[Node]:
    """Return whether the expression is `Power[b, -1]`, which the parser builds for `1/b`."""
    return (
        has_head(expression, "Power")
        and len(expression.args) == 2
        and is_literal(expression.args[1], "-1")
    )


def get_head_name(expression: Expression) -> str:
    """Return the name of an expression's head: `f` for `f[x]`.

    The name is empty for an atom, and for `f[x][y]`, whose head `f[x]` is not a symbol.
    """
    if isinstance(expression, Node) and isinstance(expression.head, Atom):
        return expression.head.text
    return ""


def get_list_items(expression: Expression) -> list[Expression]:
    """Return the elements of a list. Any other expression is treated as a list of one element."""
    if has_head(expression, "List"):
        return expression.args
    return [expression]


def are_equal(left: Expression, right: Expression) -> bool:
    """Return whether two expressions are equal, ignoring their positions and notation."""
    # A stack is used instead of recursion, because data can be nested beyond Python's recursion
    # limit.
    pending = [(left, right)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, Atom):
            if not isinstance(right, Atom) or (left.kind, left.text) != (right.kind, right.text):
                return False
            continue
        if not isinstance(right, Node) or len(left.args) != len(right.args):
            return False
        pending.append((left.head, right.head))
        pending.extend(zip(left.args, right.args, strict=True))
    return True


def walk(
    expression: Expression, enter: Callable[[Node], bool] = lambda _node: True
) -> Iterator[Expression]:
    """Yield an expression and its parts in preorder, with heads before arguments.

    Args:
        expression: The expression.
        enter: A function that returns whether to yield the parts of a node. By default, all parts
            are yielded.
    """
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Node) and enter(part):
            # Push in reverse order, because the last item on the stack is taken first.
            pending += reversed(part.args)
            pending.append(part.head)
