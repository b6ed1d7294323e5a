"""From expressions to text: `full_form`, all heads and brackets, and `input_form`, as people write.

Both give text that reads back as the same expression. Neither uses the interpreter's stack for
depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.operators import CALL_PRECEDENCE, INFIX, PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

LOWEST, ATOM = 0, 1000
MINUS = PREFIX["-"].precedence

Piece = str | tuple["Expression", int]
"""Text, or an expression and how tightly what stands around it binds."""


class Written(NamedTuple):
    """An expression as text and parts, and how tightly they hold together."""

    precedence: int
    pieces: list[Piece]


def full_form(expression: Expression) -> str:
    """An expression with every head written out."""
    pieces: list[str] = []
    waiting: list[str | Expression] = [expression]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Atom):
            pieces.append(item.text)
        else:
            waiting.append("]")
            for index in range(len(item.args) - 1, -1, -1):
                waiting.append(item.args[index])
                if index:
                    waiting.append(", ")
            waiting += ["[", *_head(item.head)]
    return "".join(pieces)


def _head(head: Expression) -> list[str | Expression]:
    """A head, from last to first; a sign must not go over to the whole."""
    return [")", head, "("] if _is_negative_number(head) else [head]


def input_form(expression: Expression) -> str:
    """An expression with the usual operators and brackets."""
    pieces: list[str] = []
    waiting: list[Piece] = [(expression, LOWEST)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        inner, least = item
        written = _written(inner)
        if written.precedence < least:
            waiting.append(")")
            waiting.extend(reversed(written.pieces))
            waiting.append("(")
        else:
            waiting.extend(reversed(written.pieces))
    return "".join(pieces)


def _written(expression: Expression) -> Written:
    if isinstance(expression, Atom):
        precedence = MINUS if expression.text.startswith("-") else ATOM
        return Written(precedence, [expression.text])
    head = expression.head
    if isinstance(head, Atom) and head.kind == "symbol":
        write = _WRITERS.get(head.text)
        written = write(expression) if write is not None else None
        if written is not None:
            return written
    return _call(expression)


def _call(node: Node) -> Written:
    pieces: list[Piece] = [(node.head, CALL_PRECEDENCE), "[", *_listed(node.args), "]"]
    return Written(CALL_PRECEDENCE, pieces)


def _listed(args: list[Expression]) -> list[Piece]:
    pieces: list[Piece] = []
    for index, arg in enumerate(args):
        if index:
            pieces.append(", ")
        pieces.append((arg, LOWEST))
    return pieces


def _list(node: Node) -> Written:
    return Written(ATOM, ["{", *_listed(node.args), "}"])


def _association(node: Node) -> Written:
    return Written(ATOM, ["<|", *_listed(node.args), "|>"])


def _part(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    inner, *places = node.args
    return Written(CALL_PRECEDENCE, [(inner, CALL_PRECEDENCE), "[[", *_listed(places), "]]"])


def _left(text: str, precedence: int) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return Written(precedence, [(left, precedence), text, (right, precedence + 1)])

    return write


def _right(text: str, precedence: int) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return Written(precedence, [(left, precedence + 1), text, (right, precedence)])

    return write


def _chain(text: str, precedence: int) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) < 2:
            return None
        pieces: list[Piece] = []
        for index, arg in enumerate(node.args):
            if index:
                pieces.append(text)
            pieces.append((arg, precedence + 1))
        return Written(precedence, pieces)

    return write


def _postfix(text: str, precedence: int) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1:
            return None
        return Written(precedence, [(node.args[0], precedence + 1), text])

    return write


def _plus(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX["+"].precedence
    pieces: list[Piece] = [(node.args[0], precedence + 1)]
    for arg in node.args[1:]:
        if _is_negative_number(arg):
            pieces += [" - ", arg.text[1:]]  # type: ignore[union-attr]  # an atom
        elif _is_negated(arg):
            pieces += [" - ", (arg.args[1], precedence + 1)]  # type: ignore[union-attr]  # a node
        else:
            pieces += [" + ", (arg, precedence + 1)]
    return Written(precedence, pieces)


def _is_negative_number(expression: Expression) -> bool:
    return (
        isinstance(expression, Atom)
        and expression.kind == "number"
        and expression.text.startswith("-")
    )


def _is_negated(expression: Expression) -> bool:
    """Whether it is `-x` for an x that takes a sign: no number, and no product."""
    if not has_head(expression, "Times"):
        return False
    args = expression.args  # type: ignore[union-attr]  # it has a head
    if len(args) != 2 or not isinstance(args[0], Atom) or args[0].text != "-1":
        return False
    inner = args[1]
    is_number = isinstance(inner, Atom) and inner.kind == "number"
    return not is_number and not has_head(inner, "Times")


def _times(node: Node) -> Written | None:
    if _is_negated(node):
        return Written(MINUS, ["-", (node.args[1], MINUS + 1)])
    return _chain("*", INFIX["*"].precedence)(node)


def _compound(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX[";"].precedence
    pieces: list[Piece] = [(node.args[0], precedence + 1)]
    for index, arg in enumerate(node.args[1:], 2):
        is_last = index == len(node.args)
        if is_last and is_symbol(arg, "Null"):
            pieces.append(";")
        else:
            pieces += ["; ", (arg, precedence + 1)]
    # Inside of anything but brackets the last semicolon would go on with what follows.
    return Written(precedence, pieces)


def _inequality(node: Node) -> Written | None:
    args = node.args
    heads = [arg.text if isinstance(arg, Atom) else "" for arg in args[1::2]]
    signs = [_COMPARISON_SIGNS.get(head) for head in heads]
    if len(args) < 5 or len(args) % 2 == 0 or None in signs or len(set(heads)) == 1:
        return None
    precedence = INFIX["<"].precedence
    pieces: list[Piece] = [(args[0], precedence + 1)]
    for sign, arg in zip(signs, args[2::2], strict=True):
        pieces += [f" {sign} ", (arg, precedence + 1)]
    return Written(precedence, pieces)


def _function(node: Node) -> Written | None:
    if len(node.args) != 1:
        return None
    precedence = INFIX["&"].precedence
    return Written(precedence, [(node.args[0], precedence + 1), " &"])


def _slot(sign: str) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1 or not isinstance(node.args[0], Atom):
            return None
        which = node.args[0]
        if which.kind == "number" and which.text.isdigit():
            return Written(ATOM, [f"{sign}{which.text}"])
        name = which.text[1:-1]
        if sign == "#" and which.kind == "string" and name.isascii() and name.isalpha():
            return Written(ATOM, [f"#{name}"])
        return None

    return write


def _blank(bars: str) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if not node.args:
            return Written(ATOM, [bars])
        if len(node.args) == 1 and _is_name(node.args[0]):
            return Written(ATOM, [bars, (node.args[0], ATOM)])
        return None

    return write


def _is_name(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "symbol"


def _pattern(node: Node) -> Written | None:
    if len(node.args) != 2 or not _is_name(node.args[0]):
        return None
    name, inner = node.args
    if isinstance(inner, Node) and any(has_head(inner, head) for head in _BLANKS):
        written = _written(inner)
        if written.precedence == ATOM:
            return Written(ATOM, [(name, ATOM), *written.pieces])
    precedence = INFIX[":"].precedence
    return Written(precedence, [(name, ATOM), ":", (inner, precedence + 1)])


def _optional(node: Node) -> Written | None:
    precedence = INFIX[":"].precedence
    if len(node.args) != 2 or _is_name(node.args[0]):
        return None
    inner, default = node.args
    return Written(precedence, [(inner, precedence), ":", (default, precedence + 1)])


def _message_name(node: Node) -> Written | None:
    precedence = INFIX["::"].precedence
    names = [arg.text[1:-1] if isinstance(arg, Atom) else "" for arg in node.args[1:]]
    kinds = {arg.kind for arg in node.args[1:] if isinstance(arg, Atom)}
    if (
        not names
        or kinds != {"string"}
        or not all(name.isascii() and name.isalnum() for name in names)
    ):
        return None
    return Written(precedence, [(node.args[0], precedence + 1), *(f"::{name}" for name in names)])


def _prefix(text: str, precedence: int) -> Callable[[Node], Written | None]:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1:
            return None
        return Written(precedence, [text, (node.args[0], precedence + 1)])

    return write


_BLANKS = {"Blank": "_", "BlankSequence": "__", "BlankNullSequence": "___"}
_COMPARISON_SIGNS = {
    "Equal": "==",
    "Unequal": "!=",
    "Less": "<",
    "Greater": ">",
    "LessEqual": "<=",
    "GreaterEqual": ">=",
}
_TIGHT = ("^", "?")


def _spacing(text: str, shape: str) -> str:
    """An operator with the blanks that it usually has around it."""
    if shape == "postfix":
        # Before dots a blank, for the operand may be a number that ends in one.
        return text.replace("..", " ..", 1)
    return text if text in _TIGHT else f" {text} "


_SHAPES = {"left": _left, "right": _right, "chain": _chain, "compare": _chain, "postfix": _postfix}
_WRITERS: dict[str, Callable[[Node], Written | None]] = {}
for _text, _operator in INFIX.items():
    if not _text.startswith("\\") and _operator.shape in _SHAPES:
        _spaced = _spacing(_text, _operator.shape)
        _WRITERS.setdefault(_operator.head, _SHAPES[_operator.shape](_spaced, _operator.precedence))
_WRITERS |= {
    "List": _list,
    "Association": _association,
    "Part": _part,
    "Plus": _plus,
    "Times": _times,
    "CompoundExpression": _compound,
    "Inequality": _inequality,
    "Function": _function,
    "Slot": _slot("#"),
    "SlotSequence": _slot("##"),
    "Blank": _blank("_"),
    "BlankSequence": _blank("__"),
    "BlankNullSequence": _blank("___"),
    "Pattern": _pattern,
    "Optional": _optional,
    "MessageName": _message_name,
    "Not": _prefix("!", PREFIX["!"].precedence),
    "PreIncrement": _prefix("++", PREFIX["++"].precedence),
    "PreDecrement": _prefix("--", PREFIX["--"].precedence),
}
del _WRITERS["Unset"]
