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
    INFIX_OPERATORS,
    OPTIONAL_PRECEDENCE,
    PATTERN_PRECEDENCE,
    PREFIX_OPERATORS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

    FormWriter = Callable[[Node], "WrittenForm | None"]

LOWEST_PRECEDENCE, ATOM_PRECEDENCE = 0, 1000
_MINUS_PRECEDENCE = PREFIX_OPERATORS["-"].precedence
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")

FormPiece = str | tuple["Expression", int]
"""Text, or an expression and how tightly what stands around it binds."""


class WrittenForm(NamedTuple):
    """An expression as text and parts, and how tightly they hold together."""

    precedence: int
    pieces: list[FormPiece]


def write_input_form(expression: Expression) -> WrittenForm:
    """How an expression looks."""
    if isinstance(expression, Atom):
        return WrittenForm(
            _MINUS_PRECEDENCE if is_negative_number(expression) else ATOM_PRECEDENCE,
            [expression.text],
        )
    head = expression.head
    if isinstance(head, Atom):
        write = _INPUT_FORM_WRITERS.get(head.text) if head.kind == "symbol" else None
        found = write(expression) if write is not None else None
        if found is not None:
            return found
    elif has_head(head, "Derivative"):
        derived = _write_derivative(expression)
        if derived is not None:
            return derived
    return _write_derivative_call(expression)


def is_negative_number(expression: Expression) -> bool:
    """Whether it is a number with a sign."""
    return (
        isinstance(expression, Atom)
        and expression.kind == "number"
        and expression.text.startswith("-")
    )


def _write_derivative_call(node: Node) -> WrittenForm:
    if isinstance(node.head, Node) and has_head(node.head.head, "Derivative"):
        function = _write_derivative(node.head)
        if function is not None:
            return WrittenForm(
                function.precedence, [*function.pieces, "[", *_write_arguments(node.args), "]"]
            )
    return write_call(node)


def write_call(node: Node) -> WrittenForm:
    """A node as `head[arguments]`."""
    return WrittenForm(
        CALL_PRECEDENCE, [(node.head, CALL_PRECEDENCE), "[", *_write_arguments(node.args), "]"]
    )


def _write_arguments(args: list[Expression]) -> list[FormPiece]:
    pieces: list[FormPiece] = []
    for index, arg in enumerate(args):
        if index:
            pieces.append(", ")
        pieces.append((arg, LOWEST_PRECEDENCE))
    return pieces


def _make_bracket_writer(opening: str, closing: str) -> FormWriter:
    def write(node: Node) -> WrittenForm:
        return WrittenForm(ATOM_PRECEDENCE, [opening, *_write_arguments(node.args), closing])

    return write


def _write_part(node: Node) -> WrittenForm | None:
    if not node.args:
        return None
    inner, *places = node.args
    return WrittenForm(
        CALL_PRECEDENCE, [(inner, CALL_PRECEDENCE), "[[", *_write_arguments(places), "]]"]
    )


def _make_left_writer(text: str, precedence: int) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return WrittenForm(precedence, [(left, precedence), text, (right, precedence + 1)])

    return write


def _make_right_writer(text: str, precedence: int) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return WrittenForm(precedence, [(left, precedence + 1), text, (right, precedence)])

    return write


def _make_chain_writer(text: str, precedence: int) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) < 2:
            return None
        pieces: list[FormPiece] = []
        for index, arg in enumerate(node.args):
            if index:
                pieces.append(text)
            pieces.append((arg, precedence + 1))
        return WrittenForm(precedence, pieces)

    return write


def _make_postfix_writer(text: str, precedence: int) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1:
            return None
        return WrittenForm(precedence, [(node.args[0], precedence + 1), text])

    return write


def _make_prefix_writer(text: str, precedence: int) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1:
            return None
        return WrittenForm(precedence, [text, (node.args[0], precedence + 1)])

    return write


def _write_plus(node: Node) -> WrittenForm | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS["+"].precedence
    pieces: list[FormPiece] = [(node.args[0], precedence + 1)]
    for arg in node.args[1:]:
        if is_negative_number(arg):
            pieces += [" - ", arg.text[1:]]  # type: ignore[union-attr]  # a number is an atom
        elif _is_negative_term(arg):
            rest = arg.args[1:]  # type: ignore[union-attr]  # a product is a node
            inner = rest[0] if len(rest) == 1 else call("Times", *rest)
            pieces += [" - ", (inner, precedence + 1)]
        else:
            pieces += [" + ", (arg, precedence + 1)]
    return WrittenForm(precedence, pieces)


def _is_negative_term(expression: Expression) -> bool:
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


def _write_times(node: Node) -> WrittenForm | None:
    args = node.args
    if len(args) == 2 and isinstance(args[1], Node) and _is_reciprocal(args[1]):
        precedence = INFIX_OPERATORS["/"].precedence
        inner = args[1].args[0]
        return WrittenForm(precedence, [(args[0], precedence), "/", (inner, precedence + 1)])
    if len(args) == 2 and _is_minus_one(args[0]) and not _is_number(args[1]):
        return WrittenForm(_MINUS_PRECEDENCE, ["-", (args[1], _MINUS_PRECEDENCE + 1)])
    return _write_product(node)


def _write_compound(node: Node) -> WrittenForm | None:
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS[";"].precedence
    pieces: list[FormPiece] = [(node.args[0], precedence + 1)]
    for index, arg in enumerate(node.args[1:], 2):
        if index == len(node.args) and is_symbol(arg, "Null"):
            pieces.append(";")
        else:
            pieces += ["; ", (arg, precedence + 1)]
    return WrittenForm(precedence, pieces)


def _write_inequality(node: Node) -> WrittenForm | None:
    args = node.args
    heads = [arg.text if isinstance(arg, Atom) else "" for arg in args[1::2]]
    signs = [_COMPARISON_SIGNS.get(head) for head in heads]
    if len(args) < 5 or len(args) % 2 == 0 or None in signs or len(set(heads)) == 1:
        return None
    pieces: list[FormPiece] = [(args[0], COMPARE_PRECEDENCE + 1)]
    for sign, arg in zip(signs, args[2::2], strict=True):
        pieces += [f" {sign} ", (arg, COMPARE_PRECEDENCE + 1)]
    return WrittenForm(COMPARE_PRECEDENCE, pieces)


def _write_span(node: Node) -> WrittenForm | None:
    if len(node.args) not in (2, 3):
        return None
    return _make_chain_writer(" ;; ", INFIX_OPERATORS[";;"].precedence)(node)


def _make_slot_writer(sign: str) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1 or not isinstance(node.args[0], Atom):
            return None
        which = node.args[0]
        if which.kind == "number" and which.text.isdecimal() and which.text.isascii():
            return WrittenForm(ATOM_PRECEDENCE, [f"{sign}{which.text}"])
        name = which.text[1:-1]
        if sign == "#" and which.kind == "string" and _PLAIN_WORD.fullmatch(name):
            return WrittenForm(ATOM_PRECEDENCE, [f"#{name}"])
        return None

    return write


def _make_blank_writer(bars: str) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if not node.args:
            return WrittenForm(ATOM_PRECEDENCE, [bars])
        if len(node.args) == 1 and _is_symbol_atom(node.args[0]):
            return WrittenForm(ATOM_PRECEDENCE, [bars, (node.args[0], ATOM_PRECEDENCE)])
        return None

    return write


def _is_symbol_atom(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "symbol"


def _write_pattern(node: Node) -> WrittenForm | None:
    if len(node.args) != 2 or not _is_symbol_atom(node.args[0]):
        return None
    name, inner = node.args
    if isinstance(inner, Node) and any(has_head(inner, head) for head in _BLANK_SIGNS):
        blank = write_input_form(inner)
        if blank.precedence == ATOM_PRECEDENCE:
            return WrittenForm(ATOM_PRECEDENCE, [(name, ATOM_PRECEDENCE), *blank.pieces])
    low = PATTERN_PRECEDENCE
    return WrittenForm(low, [(name, ATOM_PRECEDENCE), ":", (inner, low + 1)])


def _write_optional(node: Node) -> WrittenForm | None:
    if len(node.args) == 1:
        return _write_optional_dot(node.args[0])
    if len(node.args) != 2 or not _can_have_default(node.args[0]):
        return None
    inner, default = node.args
    low = OPTIONAL_PRECEDENCE
    return WrittenForm(low, [(inner, PATTERN_PRECEDENCE), ":", (default, low + 1)])


def _can_have_default(inner: Expression) -> bool:
    """Whether a default can be written after it: a blank, or a pattern with a name."""
    if not isinstance(inner, Node):
        return False
    if has_head(inner, "Pattern"):
        return len(inner.args) == 2 and _is_symbol_atom(inner.args[0])
    is_plain = not inner.args or (len(inner.args) == 1 and _is_symbol_atom(inner.args[0]))
    return is_plain and any(has_head(inner, head) for head in _BLANK_SIGNS)


def _write_optional_dot(inner: Expression) -> WrittenForm | None:
    """`x_.` and `_.`, with nothing after the bar."""
    name: list[FormPiece] = []
    if isinstance(inner, Node) and has_head(inner, "Pattern") and len(inner.args) == 2:
        if not _is_symbol_atom(inner.args[0]):
            return None
        name, inner = [(inner.args[0], ATOM_PRECEDENCE)], inner.args[1]
    is_bare = isinstance(inner, Node) and has_head(inner, "Blank") and not inner.args
    return WrittenForm(ATOM_PRECEDENCE, [*name, "_."]) if is_bare else None


def _write_message_name(node: Node) -> WrittenForm | None:
    precedence = INFIX_OPERATORS["::"].precedence
    if len(node.args) < 2:
        return None
    first, *tags = node.args
    names = [tag.text[1:-1] for tag in tags if isinstance(tag, Atom) and tag.kind == "string"]
    if len(names) < len(tags) or not all(map(_PLAIN_WORD.fullmatch, names)):
        return None
    return WrittenForm(precedence, [(first, precedence + 1), *(f"::{name}" for name in names)])


def _write_derivative(node: Node) -> WrittenForm | None:
    """`f''`, for a node whose head is `Derivative[2]`."""
    orders = node.head.args if isinstance(node.head, Node) else []
    if len(node.args) != 1 or len(orders) != 1:
        return None
    order = orders[0]
    marks = _DERIVATIVE_MARKS.get(order.text) if isinstance(order, Atom) else None
    precedence = INFIX_OPERATORS["'"].precedence
    return WrittenForm(precedence, [(node.args[0], precedence + 1), marks]) if marks else None


def _make_tag_writer(sign: str) -> FormWriter:
    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 3:
            return None
        tag, inner, value = node.args
        low = INFIX_OPERATORS["/:"].precedence
        return WrittenForm(low, [(tag, low + 1), " /: ", (inner, low + 1), sign, (value, low)])

    return write


_DERIVATIVE_MARKS = {"1": "'", "2": "''", "3": "'''"}
_BLANK_SIGNS = {"Blank": "_", "BlankSequence": "__", "BlankNullSequence": "___"}
_COMPARISON_SIGNS = {
    "Equal": "==",
    "Unequal": "!=",
    "Less": "<",
    "Greater": ">",
    "LessEqual": "<=",
    "GreaterEqual": ">=",
}
_write_product = _make_chain_writer("*", INFIX_OPERATORS["*"].precedence)
_WRITER_FACTORIES = {
    "left": _make_left_writer,
    "right": _make_right_writer,
    "chain": _make_chain_writer,
    "compare": _make_chain_writer,
    "postfix": _make_postfix_writer,
}


def _add_spaces(text: str) -> str:
    """An operator with the blanks that it usually has around it."""
    if text in ("^", "?"):
        return text
    if text in ("!", "!!", "++", "--"):
        return text
    return f" {text}" if INFIX_OPERATORS[text].shape == "postfix" else f" {text} "


def _build_operator_writers() -> dict[str, FormWriter]:
    """Writers for the operators made of plain characters, and for what has a form of its own."""
    writers: dict[str, FormWriter] = {}
    for text, operator in INFIX_OPERATORS.items():
        if not text.startswith("\\") and operator.shape in _WRITER_FACTORIES:
            shape = _WRITER_FACTORIES[operator.shape]
            writers[operator.head] = shape(_add_spaces(text), operator.precedence)
    return writers


_INPUT_FORM_WRITERS: dict[str, FormWriter] = {
    **_build_operator_writers(),
    "List": _make_bracket_writer("{", "}"),
    "Association": _make_bracket_writer("<|", "|>"),
    "Part": _write_part,
    "Plus": _write_plus,
    "Times": _write_times,
    "CompoundExpression": _write_compound,
    "Inequality": _write_inequality,
    "Span": _write_span,
    "Slot": _make_slot_writer("#"),
    "SlotSequence": _make_slot_writer("##"),
    "Blank": _make_blank_writer("_"),
    "BlankSequence": _make_blank_writer("__"),
    "BlankNullSequence": _make_blank_writer("___"),
    "Pattern": _write_pattern,
    "Optional": _write_optional,
    "MessageName": _write_message_name,
    "Unset": _make_postfix_writer(" =.", INFIX_OPERATORS["=."].precedence),
    "TagSet": _make_tag_writer(" = "),
    "TagSetDelayed": _make_tag_writer(" := "),
    "Not": _make_prefix_writer("!", PREFIX_OPERATORS["!"].precedence),
    "PreIncrement": _make_prefix_writer("++", PREFIX_OPERATORS["++"].precedence),
    "PreDecrement": _make_prefix_writer("--", PREFIX_OPERATORS["--"].precedence),
}
