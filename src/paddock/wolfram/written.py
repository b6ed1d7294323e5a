"""How each expression looks as people write it: its operator, and what binds how tightly.

A writer gives the pieces of an expression, or nothing where only `head[arguments]` reads back as
the same. The printer puts parentheses around pieces that bind less tightly than their place wants.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_symbol
from paddock.wolfram.operators import (
    CALL_PRECEDENCE,
    COMPARE_PRECEDENCE,
    INFIX,
    OPTIONAL_PRECEDENCE,
    PATTERN_PRECEDENCE,
    PREFIX,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

    Writer = Callable[[Node], "Written | None"]

LOWEST, ATOM = 0, 1000
_MINUS = PREFIX["-"].precedence
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")

Piece = str | tuple["Expression", int]
"""Text, or an expression and how tightly what stands around it binds."""


class Written(NamedTuple):
    """An expression as text and parts, and how tightly they hold together."""

    precedence: int
    pieces: list[Piece]


def written(expression: Expression) -> Written:
    """How an expression looks."""
    if isinstance(expression, Atom):
        return Written(_MINUS if is_negative_number(expression) else ATOM, [expression.text])
    head = expression.head
    if isinstance(head, Atom):
        write = _WRITERS.get(head.text) if head.kind == "symbol" else None
        found = write(expression) if write is not None else None
        if found is not None:
            return found
    elif has_head(head, "Derivative"):
        derived = _derivative(expression)
        if derived is not None:
            return derived
    return _call(expression)


def is_negative_number(expression: Expression) -> bool:
    """Whether it is a number with a sign."""
    return (
        isinstance(expression, Atom)
        and expression.kind == "number"
        and expression.text.startswith("-")
    )


def _call(node: Node) -> Written:
    if isinstance(node.head, Node) and has_head(node.head.head, "Derivative"):
        function = _derivative(node.head)
        if function is not None:
            return Written(function.precedence, [*function.pieces, "[", *_listed(node.args), "]"])
    return called(node)


def called(node: Node) -> Written:
    """A node as `head[arguments]`."""
    return Written(CALL_PRECEDENCE, [(node.head, CALL_PRECEDENCE), "[", *_listed(node.args), "]"])


def _listed(args: list[Expression]) -> list[Piece]:
    pieces: list[Piece] = []
    for index, arg in enumerate(args):
        if index:
            pieces.append(", ")
        pieces.append((arg, LOWEST))
    return pieces


def _brackets(opening: str, closing: str) -> Writer:
    def write(node: Node) -> Written:
        return Written(ATOM, [opening, *_listed(node.args), closing])

    return write


def _part(node: Node) -> Written | None:
    if not node.args:
        return None
    inner, *places = node.args
    return Written(CALL_PRECEDENCE, [(inner, CALL_PRECEDENCE), "[[", *_listed(places), "]]"])


def _left(text: str, precedence: int) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return Written(precedence, [(left, precedence), text, (right, precedence + 1)])

    return write


def _right(text: str, precedence: int) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return Written(precedence, [(left, precedence + 1), text, (right, precedence)])

    return write


def _chain(text: str, precedence: int) -> Writer:
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


def _postfix(text: str, precedence: int) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1:
            return None
        return Written(precedence, [(node.args[0], precedence + 1), text])

    return write


def _prefix(text: str, precedence: int) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1:
            return None
        return Written(precedence, [text, (node.args[0], precedence + 1)])

    return write


def _plus(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX["+"].precedence
    pieces: list[Piece] = [(node.args[0], precedence + 1)]
    for arg in node.args[1:]:
        if is_negative_number(arg):
            pieces += [" - ", arg.text[1:]]  # type: ignore[union-attr]  # a number is an atom
        elif _is_negated(arg):
            rest = arg.args[1:]  # type: ignore[union-attr]  # a product is a node
            inner = rest[0] if len(rest) == 1 else call("Times", *rest)
            pieces += [" - ", (inner, precedence + 1)]
        else:
            pieces += [" + ", (arg, precedence + 1)]
    return Written(precedence, pieces)


def _is_negated(expression: Expression) -> bool:
    """Whether it is what `a - b` makes of b."""
    if not isinstance(expression, Node) or not has_head(expression, "Times"):
        return False
    args = expression.args
    if len(args) < 2 or not isinstance(args[0], Atom) or args[0].text != "-1":
        return False
    return not _is_reciprocal_or_number(args)


def _is_reciprocal_or_number(args: list[Expression]) -> bool:
    """Whether taking the -1 away and writing a sign would read back as something else."""
    if len(args) == 2:
        return _is_number(args[1]) or has_head(args[1], "Times")
    # What remains must be written as a chain, and not as a quotient or with a sign.
    rest = args[1:]
    return (len(rest) == 2 and _is_reciprocal(rest[1])) or _is_minus_one(rest[0])


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "number"


def _is_minus_one(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.text == "-1"


def _is_reciprocal(expression: Expression) -> bool:
    return (
        isinstance(expression, Node)
        and has_head(expression, "Power")
        and len(expression.args) == 2
        and _is_minus_one(expression.args[1])
    )


def _times(node: Node) -> Written | None:
    args = node.args
    if len(args) == 2 and isinstance(args[1], Node) and _is_reciprocal(args[1]):
        precedence = INFIX["/"].precedence
        inner = args[1].args[0]
        return Written(precedence, [(args[0], precedence), "/", (inner, precedence + 1)])
    if len(args) == 2 and _is_minus_one(args[0]) and not _is_number(args[1]):
        return Written(_MINUS, ["-", (args[1], _MINUS + 1)])
    return _product(node)


def _compound(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX[";"].precedence
    pieces: list[Piece] = [(node.args[0], precedence + 1)]
    for index, arg in enumerate(node.args[1:], 2):
        if index == len(node.args) and is_symbol(arg, "Null"):
            pieces.append(";")
        else:
            pieces += ["; ", (arg, precedence + 1)]
    return Written(precedence, pieces)


def _inequality(node: Node) -> Written | None:
    args = node.args
    heads = [arg.text if isinstance(arg, Atom) else "" for arg in args[1::2]]
    signs = [_COMPARISON_SIGNS.get(head) for head in heads]
    if len(args) < 5 or len(args) % 2 == 0 or None in signs or len(set(heads)) == 1:
        return None
    pieces: list[Piece] = [(args[0], COMPARE_PRECEDENCE + 1)]
    for sign, arg in zip(signs, args[2::2], strict=True):
        pieces += [f" {sign} ", (arg, COMPARE_PRECEDENCE + 1)]
    return Written(COMPARE_PRECEDENCE, pieces)


def _span(node: Node) -> Written | None:
    if len(node.args) not in (2, 3):
        return None
    return _chain(" ;; ", INFIX[";;"].precedence)(node)


def _slot(sign: str) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 1 or not isinstance(node.args[0], Atom):
            return None
        which = node.args[0]
        if which.kind == "number" and which.text.isdecimal() and which.text.isascii():
            return Written(ATOM, [f"{sign}{which.text}"])
        name = which.text[1:-1]
        if sign == "#" and which.kind == "string" and _PLAIN_WORD.fullmatch(name):
            return Written(ATOM, [f"#{name}"])
        return None

    return write


def _blank(bars: str) -> Writer:
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
        blank = written(inner)
        if blank.precedence == ATOM:
            return Written(ATOM, [(name, ATOM), *blank.pieces])
    low = PATTERN_PRECEDENCE
    return Written(low, [(name, ATOM), ":", (inner, low + 1)])


def _optional(node: Node) -> Written | None:
    if len(node.args) == 1:
        return _optional_alone(node.args[0])
    if len(node.args) != 2 or not _has_default_sign(node.args[0]):
        return None
    inner, default = node.args
    low = OPTIONAL_PRECEDENCE
    return Written(low, [(inner, PATTERN_PRECEDENCE), ":", (default, low + 1)])


def _has_default_sign(inner: Expression) -> bool:
    """Whether a default can be written after it: a blank, or a pattern with a name."""
    if not isinstance(inner, Node):
        return False
    if has_head(inner, "Pattern"):
        return len(inner.args) == 2 and _is_name(inner.args[0])
    is_plain = not inner.args or (len(inner.args) == 1 and _is_name(inner.args[0]))
    return is_plain and any(has_head(inner, head) for head in _BLANKS)


def _optional_alone(inner: Expression) -> Written | None:
    """`x_.` and `_.`, with nothing after the bar."""
    name: list[Piece] = []
    if isinstance(inner, Node) and has_head(inner, "Pattern") and len(inner.args) == 2:
        if not _is_name(inner.args[0]):
            return None
        name, inner = [(inner.args[0], ATOM)], inner.args[1]
    is_bare = isinstance(inner, Node) and has_head(inner, "Blank") and not inner.args
    return Written(ATOM, [*name, "_."]) if is_bare else None


def _message_name(node: Node) -> Written | None:
    precedence = INFIX["::"].precedence
    if len(node.args) < 2:
        return None
    first, *tags = node.args
    names = [tag.text[1:-1] for tag in tags if isinstance(tag, Atom) and tag.kind == "string"]
    if len(names) < len(tags) or not all(map(_PLAIN_WORD.fullmatch, names)):
        return None
    return Written(precedence, [(first, precedence + 1), *(f"::{name}" for name in names)])


def _derivative(node: Node) -> Written | None:
    """`f''`, for a node whose head is `Derivative[2]`."""
    orders = node.head.args if isinstance(node.head, Node) else []
    if len(node.args) != 1 or len(orders) != 1:
        return None
    order = orders[0]
    marks = _MARKS.get(order.text) if isinstance(order, Atom) else None
    precedence = INFIX["'"].precedence
    return Written(precedence, [(node.args[0], precedence + 1), marks]) if marks else None


def _tagged(sign: str) -> Writer:
    def write(node: Node) -> Written | None:
        if len(node.args) != 3:
            return None
        tag, inner, value = node.args
        low = INFIX["/:"].precedence
        return Written(low, [(tag, low + 1), " /: ", (inner, low + 1), sign, (value, low)])

    return write


_MARKS = {"1": "'", "2": "''", "3": "'''"}
_BLANKS = {"Blank": "_", "BlankSequence": "__", "BlankNullSequence": "___"}
_COMPARISON_SIGNS = {
    "Equal": "==",
    "Unequal": "!=",
    "Less": "<",
    "Greater": ">",
    "LessEqual": "<=",
    "GreaterEqual": ">=",
}
_product = _chain("*", INFIX["*"].precedence)
_SHAPES = {"left": _left, "right": _right, "chain": _chain, "compare": _chain, "postfix": _postfix}


def _spaced(text: str) -> str:
    """An operator with the blanks that it usually has around it."""
    if text in ("^", "?"):
        return text
    if text in ("!", "!!", "++", "--"):
        return text
    return f" {text}" if INFIX[text].shape == "postfix" else f" {text} "


def _writers() -> dict[str, Writer]:
    """Writers for the operators made of plain characters, and for what has a form of its own."""
    writers: dict[str, Writer] = {}
    for text, operator in INFIX.items():
        if not text.startswith("\\") and operator.shape in _SHAPES:
            shape = _SHAPES[operator.shape]
            writers[operator.head] = shape(_spaced(text), operator.precedence)
    return writers


_WRITERS: dict[str, Writer] = {
    **_writers(),
    "List": _brackets("{", "}"),
    "Association": _brackets("<|", "|>"),
    "Part": _part,
    "Plus": _plus,
    "Times": _times,
    "CompoundExpression": _compound,
    "Inequality": _inequality,
    "Span": _span,
    "Slot": _slot("#"),
    "SlotSequence": _slot("##"),
    "Blank": _blank("_"),
    "BlankSequence": _blank("__"),
    "BlankNullSequence": _blank("___"),
    "Pattern": _pattern,
    "Optional": _optional,
    "MessageName": _message_name,
    "Unset": _postfix(" =.", INFIX["=."].precedence),
    "TagSet": _tagged(" = "),
    "TagSetDelayed": _tagged(" := "),
    "Not": _prefix("!", PREFIX["!"].precedence),
    "PreIncrement": _prefix("++", PREFIX["++"].precedence),
    "PreDecrement": _prefix("--", PREFIX["--"].precedence),
}
