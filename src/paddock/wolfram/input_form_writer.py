"""Input form of single expressions: operators, brackets and precedences.

A writer returns the pieces of an expression, or None if only `head[arguments]` reads back as the
same expression. The printer adds parentheses around pieces that bind less tightly than their
context requires.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_atom, is_symbol
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
"""Text, or a subexpression with the minimum precedence that needs no parentheses."""
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


class WrittenForm(NamedTuple):
    """The pieces of an expression, and the precedence of its outermost operator."""

    precedence: int
    pieces: list[FormPiece]


def write_full_form(expression: Expression) -> WrittenForm:
    """Return the full form of an expression: an atom, or `head[arguments]`."""
    return _write_atom(expression) if isinstance(expression, Atom) else write_call(expression)


def write_input_form(expression: Expression) -> WrittenForm:
    """Return the input form of an expression.

    A form with operators is used if a writer for the head accepts the arguments. Otherwise the
    expression is written as a call.
    """
    if isinstance(expression, Atom):
        return _write_atom(expression)
    head = expression.head
    if isinstance(head, Atom):
        writer = _INPUT_FORM_WRITERS.get(head.text) if head.kind == "symbol" else None
        form = writer(expression) if writer is not None else None
        if form is not None:
            return form
    elif has_head(head, "Derivative"):
        form = _write_derivative(expression)
        if form is not None:
            return form
    return _write_derivative_call(expression)


def _write_atom(atom: Atom) -> WrittenForm:
    precedence = _MINUS_PRECEDENCE if is_negative_number(atom) else ATOM_PRECEDENCE
    return WrittenForm(precedence, [atom.text])


def is_negative_number(expression: Expression) -> TypeGuard[Atom]:
    """Return whether the expression is a number with a minus sign."""
    return (
        isinstance(expression, Atom)
        and expression.kind == "number"
        and expression.text.startswith("-")
    )


def _write_derivative_call(node: Node) -> WrittenForm:
    """Write a call, with `f'[x]` instead of `Derivative[1][f][x]`."""
    if isinstance(node.head, Node) and has_head(node.head.head, "Derivative"):
        function = _write_derivative(node.head)
        if function is not None:
            return WrittenForm(
                function.precedence, [*function.pieces, "[", *_write_arguments(node.args), "]"]
            )
    return write_call(node)


def write_call(node: Node) -> WrittenForm:
    """Return the form `head[arguments]`."""
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
    """Return a writer for arguments in brackets, such as `{a, b}`."""

    def write(node: Node) -> WrittenForm:
        return WrittenForm(ATOM_PRECEDENCE, [opening, *_write_arguments(node.args), closing])

    return write


def _write_part(node: Node) -> WrittenForm | None:
    """Write `expr[[i, j]]`. The first argument of `Part` is the expression."""
    if not node.args:
        return None
    inner, *indices = node.args
    return WrittenForm(
        CALL_PRECEDENCE, [(inner, CALL_PRECEDENCE), "[[", *_write_arguments(indices), "]]"]
    )


def _make_left_writer(text: str, precedence: int) -> FormWriter:
    """Return a writer for a left-associative operator.

    The right operand needs parentheses if it has the same operator.
    """

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return WrittenForm(precedence, [(left, precedence), text, (right, precedence + 1)])

    return write


def _make_right_writer(text: str, precedence: int) -> FormWriter:
    """Return a writer for a right-associative operator.

    The left operand needs parentheses if it has the same operator.
    """

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 2:
            return None
        left, right = node.args
        return WrittenForm(precedence, [(left, precedence + 1), text, (right, precedence)])

    return write


def _make_chain_writer(text: str, precedence: int) -> FormWriter:
    """Return a writer for an operator with any number of operands, such as `a + b + c`."""

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
    """Return a writer for an operator after its operand."""

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1:
            return None
        return WrittenForm(precedence, [(node.args[0], precedence + 1), text])

    return write


def _make_prefix_writer(text: str, precedence: int) -> FormWriter:
    """Return a writer for an operator before its operand."""

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1:
            return None
        return WrittenForm(precedence, [text, (node.args[0], precedence + 1)])

    return write


def _write_plus(node: Node) -> WrittenForm | None:
    """Write a sum, with differences such as `a - b` as the parser reads them."""
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS["+"].precedence
    pieces: list[FormPiece] = [(node.args[0], precedence + 1)]
    for arg in node.args[1:]:
        if is_negative_number(arg):
            pieces += [" - ", arg.text[1:]]
        elif _is_negative_term(arg):
            factors = arg.args[1:]
            inner = factors[0] if len(factors) == 1 else call("Times", *factors)
            pieces += [" - ", (inner, precedence + 1)]
        else:
            pieces += [" + ", (arg, precedence + 1)]
    return WrittenForm(precedence, pieces)


def _is_negative_term(expression: Expression) -> TypeGuard[Node]:
    """Return whether the expression is the form that the parser gives `b` in `a - b`."""
    if not has_head(expression, "Times"):
        return False
    args = expression.args
    if len(args) < 2 or not isinstance(args[0], Atom) or args[0].text != "-1":
        return False
    return not _is_reciprocal_or_number(args)


def _is_reciprocal_or_number(args: list[Expression]) -> bool:
    """Return whether a product with -1 must not be written with a minus sign.

    Without the -1, its other factors would print as a number, a quotient or a signed term. The text
    would then read back as a different expression.
    """
    if len(args) == 2:
        return is_number(args[1]) or has_head(args[1], "Times")
    # The other factors must print as a chain, not as a quotient or with a sign.
    factors = args[1:]
    return (len(factors) == 2 and _is_reciprocal(factors[1])) or _is_minus_one(factors[0])


def is_number(expression: Expression) -> TypeGuard[Atom]:
    """Return whether the expression is a number."""
    return isinstance(expression, Atom) and expression.kind == "number"


def _is_minus_one(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.text == "-1"


def _is_reciprocal(expression: Expression) -> bool:
    return (
        has_head(expression, "Power")
        and len(expression.args) == 2
        and _is_minus_one(expression.args[1])
    )


def _write_times(node: Node) -> WrittenForm | None:
    """Write a product, a quotient or a negation, which are all forms of `Times`."""
    args = node.args
    if len(args) == 2 and isinstance(args[1], Node) and _is_reciprocal(args[1]):
        precedence = INFIX_OPERATORS["/"].precedence
        inner = args[1].args[0]
        return WrittenForm(precedence, [(args[0], precedence), "/", (inner, precedence + 1)])
    # `-2` reads as a number, so `Times[-1, 2]` must print as a product.
    if len(args) == 2 and _is_minus_one(args[0]) and not is_number(args[1]):
        return WrittenForm(_MINUS_PRECEDENCE, ["-", (args[1], _MINUS_PRECEDENCE + 1)])
    return _write_product(node)


def _write_compound(node: Node) -> WrittenForm | None:
    """Write statements, separated by semicolons."""
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS[";"].precedence
    pieces: list[FormPiece] = [(node.args[0], precedence + 1)]
    for index, arg in enumerate(node.args[1:], 2):
        # A final `Null` prints as a final semicolon, as people write it.
        if index == len(node.args) and is_symbol(arg, "Null"):
            pieces.append(";")
        else:
            pieces += ["; ", (arg, precedence + 1)]
    return WrittenForm(precedence, pieces)


def _write_inequality(node: Node) -> WrittenForm | None:
    """Write `a < b <= c`, whose node contains the comparison symbols between the operands."""
    args = node.args
    heads = [arg.text if isinstance(arg, Atom) else "" for arg in args[1::2]]
    signs = [_COMPARISON_SIGNS.get(head) for head in heads]
    # Other inequalities would read back as a plain comparison, or not at all.
    if len(args) < 5 or len(args) % 2 == 0 or None in signs or len(set(heads)) == 1:
        return None
    pieces: list[FormPiece] = [(args[0], COMPARE_PRECEDENCE + 1)]
    for sign, arg in zip(signs, args[2::2], strict=True):
        pieces += [f" {sign} ", (arg, COMPARE_PRECEDENCE + 1)]
    return WrittenForm(COMPARE_PRECEDENCE, pieces)


def _write_span(node: Node) -> WrittenForm | None:
    """Write a span with two or three operands."""
    if len(node.args) not in (2, 3):
        return None
    return _make_chain_writer(" ;; ", INFIX_OPERATORS[";;"].precedence)(node)


def _make_slot_writer(sign: str) -> FormWriter:
    """Return a writer for slots such as `#1`, `##1` or `#name`.

    Other arguments have no short form that reads back.
    """

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1 or not isinstance(node.args[0], Atom):
            return None
        slot = node.args[0]
        if slot.kind == "number" and slot.text.isdecimal() and slot.text.isascii():
            return WrittenForm(ATOM_PRECEDENCE, [f"{sign}{slot.text}"])
        name = slot.text[1:-1]
        if sign == "#" and slot.kind == "string" and _PLAIN_WORD.fullmatch(name):
            return WrittenForm(ATOM_PRECEDENCE, [f"#{name}"])
        return None

    return write


def _make_blank_writer(bars: str) -> FormWriter:
    """Return a writer for blanks such as `_` and `_Integer`."""

    def write(node: Node) -> WrittenForm | None:
        if not node.args:
            return WrittenForm(ATOM_PRECEDENCE, [bars])
        if len(node.args) == 1 and is_atom(node.args[0], "symbol"):
            return WrittenForm(ATOM_PRECEDENCE, [bars, (node.args[0], ATOM_PRECEDENCE)])
        return None

    return write


def _write_pattern(node: Node) -> WrittenForm | None:
    """Write a named pattern, as `x_` if it names a blank and as `x:p` otherwise."""
    if len(node.args) != 2 or not is_atom(node.args[0], "symbol"):
        return None
    name, inner = node.args
    if isinstance(inner, Node) and any(has_head(inner, head) for head in _BLANK_SIGNS):
        blank = write_input_form(inner)
        if blank.precedence == ATOM_PRECEDENCE:
            return WrittenForm(ATOM_PRECEDENCE, [(name, ATOM_PRECEDENCE), *blank.pieces])
    precedence = PATTERN_PRECEDENCE
    return WrittenForm(precedence, [(name, ATOM_PRECEDENCE), ":", (inner, precedence + 1)])


def _write_optional(node: Node) -> WrittenForm | None:
    """Write a pattern with a default, as `x_.` or `p:d`."""
    if len(node.args) == 1:
        return _write_optional_dot(node.args[0])
    if len(node.args) != 2 or not _can_have_default(node.args[0]):
        return None
    inner, default = node.args
    precedence = OPTIONAL_PRECEDENCE
    return WrittenForm(precedence, [(inner, PATTERN_PRECEDENCE), ":", (default, precedence + 1)])


def _can_have_default(inner: Expression) -> bool:
    """Return whether `:` and a default can follow: after a blank or a named pattern."""
    if not isinstance(inner, Node):
        return False
    if has_head(inner, "Pattern"):
        return len(inner.args) == 2 and is_atom(inner.args[0], "symbol")
    is_plain = not inner.args or (len(inner.args) == 1 and is_atom(inner.args[0], "symbol"))
    return is_plain and any(has_head(inner, head) for head in _BLANK_SIGNS)


def _write_optional_dot(inner: Expression) -> WrittenForm | None:
    """Return the form `x_.` or `_.`, or None if the pattern is not a blank without a head."""
    pieces: list[FormPiece] = ["_."]
    if has_head(inner, "Pattern") and len(inner.args) == 2:
        if not is_atom(inner.args[0], "symbol"):
            return None
        pieces.insert(0, (inner.args[0], ATOM_PRECEDENCE))
        inner = inner.args[1]
    is_bare = has_head(inner, "Blank") and not inner.args
    return WrittenForm(ATOM_PRECEDENCE, pieces) if is_bare else None


def _write_message_name(node: Node) -> WrittenForm | None:
    """Write the name of a message, such as `f::usage`."""
    precedence = INFIX_OPERATORS["::"].precedence
    if len(node.args) < 2:
        return None
    first, *tags = node.args
    names = [tag.text[1:-1] for tag in tags if isinstance(tag, Atom) and tag.kind == "string"]
    # Tags that are not plain words cannot follow `::` unquoted.
    if len(names) < len(tags) or not all(map(_PLAIN_WORD.fullmatch, names)):
        return None
    return WrittenForm(precedence, [(first, precedence + 1), *(f"::{name}" for name in names)])


def _write_derivative(node: Node) -> WrittenForm | None:
    """Return the form `f''` of a node with the head `Derivative[2]`."""
    orders = node.head.args if isinstance(node.head, Node) else []
    if len(node.args) != 1 or len(orders) != 1:
        return None
    order = orders[0]
    marks = _DERIVATIVE_MARKS.get(order.text) if isinstance(order, Atom) else None
    precedence = INFIX_OPERATORS["'"].precedence
    return WrittenForm(precedence, [(node.args[0], precedence + 1), marks]) if marks else None


def _make_tag_writer(sign: str) -> FormWriter:
    """Return a writer for assignments with a tag, such as `f /: a = b`."""

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 3:
            return None
        tag, inner, value = node.args
        low = INFIX_OPERATORS["/:"].precedence
        return WrittenForm(low, [(tag, low + 1), " /: ", (inner, low + 1), sign, (value, low)])

    return write


_write_product = _make_chain_writer("*", INFIX_OPERATORS["*"].precedence)
_WRITER_FACTORIES = {
    "left": _make_left_writer,
    "right": _make_right_writer,
    "chain": _make_chain_writer,
    "compare": _make_chain_writer,
    "postfix": _make_postfix_writer,
}


def _add_spaces(text: str) -> str:
    """Return the operator with its customary spaces."""
    if text in ("^", "?", "!", "!!", "++", "--"):
        return text
    return f" {text}" if INFIX_OPERATORS[text].shape == "postfix" else f" {text} "


def _build_operator_writers() -> dict[str, FormWriter]:
    """Return writers for the operators of plain characters that follow their shape."""
    writers: dict[str, FormWriter] = {}
    for text, operator in INFIX_OPERATORS.items():
        if not text.startswith("\\") and operator.shape in _WRITER_FACTORIES:
            make_writer = _WRITER_FACTORIES[operator.shape]
            writers[operator.head] = make_writer(_add_spaces(text), operator.precedence)
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
