"""Writers for the input form of single expressions, with operators, brackets and precedences.

A writer returns an expression's pieces, or None if only `head[arguments]` reads back as the same
expression. The printer adds parentheses around pieces that bind less tightly than their context
requires.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from paddock.wolfram.expressions import (
    Atom,
    Node,
    call,
    get_head_name,
    has_any_head,
    has_head,
    is_atom,
    is_inverse,
    is_literal,
    is_symbol,
)
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
MINUS_PRECEDENCE = PREFIX_OPERATORS["-"].precedence
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")

FormPiece = str | tuple["Expression", int]
"""Text, or a subexpression and the lowest precedence that needs no parentheses."""
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
    """Return the input form of an expression: `a + b` for `Plus[a, b]`.

    The writer for the expression's head checks whether its operator can express the arguments. If
    it cannot, the expression is written as a call.
    """
    if isinstance(expression, Atom):
        return _write_atom(expression)
    writer = _INPUT_FORM_WRITERS.get(get_head_name(expression), _write_derivative)
    return writer(expression) or write_call(expression)


def _write_atom(atom: Atom) -> WrittenForm:
    precedence = MINUS_PRECEDENCE if is_negative_number(atom) else ATOM_PRECEDENCE
    return WrittenForm(precedence, [atom.text])


def is_negative_number(expression: Expression) -> TypeGuard[Atom]:
    """Return whether the expression is a number with a minus sign."""
    return is_atom(expression, "number") and expression.text.startswith("-")


def write_call(node: Node) -> WrittenForm:
    """Return the form `head[arguments]`."""
    pieces = [(node.head, CALL_PRECEDENCE), "[", *_write_arguments(node.args), "]"]
    return WrittenForm(CALL_PRECEDENCE, pieces)


def _write_arguments(args: list[Expression]) -> list[FormPiece]:
    return join_operands(args, ", ", LOWEST_PRECEDENCE)


def join_operands(operands: list[Expression], sign: str, precedence: int) -> list[FormPiece]:
    """Return the pieces of a chain such as `a + b + c`: its operands with the sign between them.

    The printer adds parentheses around operands that bind less tightly than the precedence.
    """
    pieces: list[FormPiece] = []
    for operand in operands:
        pieces += [sign, (operand, precedence)]
    # The first operand has no sign before it.
    return pieces[1:]


def _make_bracket_writer(opening: str, closing: str) -> FormWriter:
    """Return a writer for bracketed arguments, such as `{a, b}`."""

    def write(node: Node) -> WrittenForm:
        return WrittenForm(ATOM_PRECEDENCE, [opening, *_write_arguments(node.args), closing])

    return write


def _write_part(node: Node) -> WrittenForm | None:
    """Write `expr[[i, j]]`. The first argument of `Part` is the expression."""
    if not node.args:
        return None
    expression, *indices = node.args
    pieces = [(expression, CALL_PRECEDENCE), "[[", *_write_arguments(indices), "]]"]
    return WrittenForm(CALL_PRECEDENCE, pieces)


def _make_operator_writer(shape: str, sign: str, precedence: int) -> FormWriter:
    """Return a function that writes nodes with an operator, such as `a -> b` for `Rule[a, b]`.

    An operand with the same operator needs parentheses, except on the side toward which the
    operator groups: `a -> (b -> c)` is written as `a -> b -> c`.

    Args:
        shape: The shape in the operator table: `prefix`, `postfix`, `left` or `right` for a binary
            operator that groups to that side, `chain` or `compare`.
        sign: The operator sign, with the spaces around it.
        precedence: The operator's precedence.
    """

    def write(node: Node) -> WrittenForm | None:
        pieces: list[FormPiece]
        match shape, node.args:
            case "prefix", [operand]:
                pieces = [sign, (operand, precedence + 1)]
            case "postfix", [operand]:
                pieces = [(operand, precedence + 1), sign]
            case "left", [left, right]:
                pieces = [(left, precedence), sign, (right, precedence + 1)]
            case "right", [left, right]:
                pieces = [(left, precedence + 1), sign, (right, precedence)]
            case "chain" | "compare", [_, _, *_]:
                pieces = join_operands(node.args, sign, precedence + 1)
            case _:
                return None
        return WrittenForm(precedence, pieces)

    return write


def _write_plus(node: Node) -> WrittenForm | None:
    """Write a sum, with a minus sign for terms that the parser reads as subtracted: `a - b`."""
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS["+"].precedence
    pieces: list[FormPiece] = [(node.args[0], precedence + 1)]
    for term in node.args[1:]:
        if is_negative_number(term):
            pieces += [" - ", term.text[1:]]
        elif _is_subtracted_term(term):
            # The first argument is the -1, which becomes the minus sign.
            factors = term.args[1:]
            subtrahend = factors[0] if len(factors) == 1 else call("Times", *factors)
            pieces += [" - ", (subtrahend, precedence + 1)]
        else:
            pieces += [" + ", (term, precedence + 1)]
    return WrittenForm(precedence, pieces)


def _is_subtracted_term(expression: Expression) -> TypeGuard[Node]:
    """Return whether a term of a sum can be written with a minus sign, like `b` in `a - b`.

    The parser reads this term as `Times[-1, b]`. If `b` is a number, a quotient or a signed term,
    `a - b` would be read as a different expression.
    """
    if not has_head(expression, "Times") or not expression.args:
        return False
    sign, *factors = expression.args
    if not is_literal(sign, "-1"):
        return False
    match factors:
        case []:
            return False
        case [factor]:
            return not is_atom(factor, "number") and not has_head(factor, "Times")
        case [_, divisor] if is_inverse(divisor):
            return False
        case [first, *_]:
            return not is_literal(first, "-1")
    return False


def _write_times(node: Node) -> WrittenForm | None:
    """Write a product, a quotient `a/b` or a negation `-a`. All are `Times` expressions."""
    if len(node.args) == 2:
        left, right = node.args
        if is_inverse(right):
            precedence = INFIX_OPERATORS["/"].precedence
            divisor = right.args[0]
            return WrittenForm(precedence, [(left, precedence), "/", (divisor, precedence + 1)])
        # `-2` is read as a number, so `Times[-1, 2]` must be printed as a product.
        if is_literal(left, "-1") and not is_atom(right, "number"):
            return WrittenForm(MINUS_PRECEDENCE, ["-", (right, MINUS_PRECEDENCE + 1)])
    return _write_product(node)


def _write_compound_expression(node: Node) -> WrittenForm | None:
    """Write the statements of a `CompoundExpression`, separated by semicolons: `a; b`."""
    if len(node.args) < 2:
        return None
    precedence = INFIX_OPERATORS[";"].precedence
    if not is_symbol(node.args[-1], "Null"):
        return WrittenForm(precedence, join_operands(node.args, "; ", precedence + 1))
    # A final `Null` is printed as a final semicolon, as people write it.
    pieces = [*join_operands(node.args[:-1], "; ", precedence + 1), ";"]
    return WrittenForm(precedence, pieces)


def _write_inequality(node: Node) -> WrittenForm | None:
    """Write `a < b <= c`, which is `Inequality[a, Less, b, LessEqual, c]`."""
    args = node.args
    heads = [arg.text if isinstance(arg, Atom) else "" for arg in args[1::2]]
    signs = [_COMPARISON_SIGNS.get(head) for head in heads]
    has_complete_comparisons = len(args) >= 5 and len(args) % 2 == 1 and None not in signs
    # If all signs are the same, as in `a < b < c`, the parser would build `Less[a, b, c]`.
    if not has_complete_comparisons or len(set(heads)) == 1:
        return None
    pieces: list[FormPiece] = [(args[0], COMPARE_PRECEDENCE + 1)]
    for sign, arg in zip(signs, args[2::2], strict=True):
        pieces += [f" {sign} ", (arg, COMPARE_PRECEDENCE + 1)]
    return WrittenForm(COMPARE_PRECEDENCE, pieces)


def _write_span(node: Node) -> WrittenForm | None:
    """Write a span with two or three operands."""
    if len(node.args) not in (2, 3):
        return None
    precedence = INFIX_OPERATORS[";;"].precedence
    return WrittenForm(precedence, join_operands(node.args, " ;; ", precedence + 1))


def _make_slot_writer(sign: str) -> FormWriter:
    """Return a function that writes slots, the parameters of pure functions: `#1`, `##1`, `#name`.

    `Slot` and `SlotSequence` with other arguments have no such notation.
    """

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 1 or not isinstance(node.args[0], Atom):
            return None
        slot = node.args[0]
        is_named = sign == "#" and slot.kind == "string"
        name = slot.text[1:-1] if is_named else slot.text
        is_index = slot.kind == "number" and name.isdecimal() and name.isascii()
        if is_index or (is_named and _PLAIN_WORD.fullmatch(name)):
            return WrittenForm(ATOM_PRECEDENCE, [f"{sign}{name}"])
        return None

    return write


def _make_blank_writer(bars: str) -> FormWriter:
    """Return a function that writes blanks, the wildcards in patterns: `_` or `_Integer`.

    Args:
        bars: One to three underscores. One matches a single argument, and more match a sequence.
    """

    def write(node: Node) -> WrittenForm | None:
        if not _is_plain_blank(node):
            return None
        heads: list[FormPiece] = [(head, ATOM_PRECEDENCE) for head in node.args]
        return WrittenForm(ATOM_PRECEDENCE, [bars, *heads])

    return write


def _is_plain_blank(expression: Expression) -> bool:
    """Return whether the expression is a blank without a head, or with a symbol as its head."""
    if not has_any_head(expression, _BLANK_SIGNS) or len(expression.args) > 1:
        return False
    return all(is_atom(head, "symbol") for head in expression.args)


def _write_pattern(node: Node) -> WrittenForm | None:
    """Write a named pattern, as `x_` if the pattern is a blank, and as `x:p` otherwise."""
    if not _is_named_pattern(node):
        return None
    name, pattern = node.args
    if _is_plain_blank(pattern):
        blank = write_input_form(pattern)
        return WrittenForm(ATOM_PRECEDENCE, [(name, ATOM_PRECEDENCE), *blank.pieces])
    pieces: list[FormPiece] = [(name, ATOM_PRECEDENCE), ":", (pattern, PATTERN_PRECEDENCE + 1)]
    return WrittenForm(PATTERN_PRECEDENCE, pieces)


def _is_named_pattern(expression: Expression) -> TypeGuard[Node]:
    """Return whether the expression is a `Pattern` with a symbol as its name."""
    return (
        has_head(expression, "Pattern")
        and len(expression.args) == 2
        and is_atom(expression.args[0], "symbol")
    )


def _write_optional(node: Node) -> WrittenForm | None:
    """Write a pattern with a default: `x_.` for a built-in default, or `x_:d` otherwise."""
    match node.args:
        case [pattern]:
            return _write_dotted_optional(pattern)
        # Only a blank or a named pattern can precede `:` and a default.
        case [pattern, default] if _is_named_pattern(pattern) or _is_plain_blank(pattern):
            precedence = OPTIONAL_PRECEDENCE
            return WrittenForm(
                precedence, [(pattern, PATTERN_PRECEDENCE), ":", (default, precedence + 1)]
            )
    return None


def _write_dotted_optional(pattern: Expression) -> WrittenForm | None:
    """Write an optional pattern as `x_.` or `_.`.

    Returns None if the pattern is not a plain `x_` or `_`, because only these can take the dot.
    """
    pieces: list[FormPiece] = ["_."]
    if _is_named_pattern(pattern):
        name, pattern = pattern.args
        pieces.insert(0, (name, ATOM_PRECEDENCE))
    is_plain_blank = has_head(pattern, "Blank") and not pattern.args
    return WrittenForm(ATOM_PRECEDENCE, pieces) if is_plain_blank else None


def _write_message_name(node: Node) -> WrittenForm | None:
    """Write a message name, such as `f::usage` for `MessageName[f, "usage"]`."""
    precedence = INFIX_OPERATORS["::"].precedence
    if len(node.args) < 2:
        return None
    symbol, *tags = node.args
    tag_names = [tag.text[1:-1] for tag in tags if is_atom(tag, "string")]
    # Tags that are not plain words cannot follow `::` unquoted.
    if len(tag_names) < len(tags) or not all(map(_PLAIN_WORD.fullmatch, tag_names)):
        return None
    pieces: list[FormPiece] = [(symbol, precedence + 1)]
    pieces += [f"::{tag_name}" for tag_name in tag_names]
    return WrittenForm(precedence, pieces)


def _write_derivative(node: Node) -> WrittenForm | None:
    """Write a derivative of a function, or a call of one: `f''` or `f''[x]`.

    `f''` is the expression `Derivative[2][f]`, and `f''[x]` is `Derivative[2][f][x]`.
    """
    head = node.head
    if isinstance(head, Atom):
        return None
    if has_head(head.head, "Derivative"):
        function = _write_derivative(head)
        if function is None:
            return None
        pieces = [*function.pieces, "[", *_write_arguments(node.args), "]"]
        return WrittenForm(function.precedence, pieces)
    if not has_head(head, "Derivative") or len(node.args) != 1 or len(head.args) != 1:
        return None
    order = head.args[0]
    precedence = INFIX_OPERATORS["'"].precedence
    if isinstance(order, Atom) and order.text in _DERIVATIVE_MARKS:
        pieces = [(node.args[0], precedence + 1), _DERIVATIVE_MARKS[order.text]]
        return WrittenForm(precedence, pieces)
    return None


def _make_tag_writer(sign: str) -> FormWriter:
    """Return a function that writes tagged assignments, such as `f /: a = b`.

    Args:
        sign: The assignment sign, with the spaces around it: ` = ` or ` := `.
    """

    def write(node: Node) -> WrittenForm | None:
        if len(node.args) != 3:
            return None
        precedence = INFIX_OPERATORS["/:"].precedence
        tag, target, value = node.args
        pieces = [*join_operands([tag, target], " /: ", precedence + 1), sign, (value, precedence)]
        return WrittenForm(precedence, pieces)

    return write


def _build_operator_writers() -> dict[str, FormWriter]:
    r"""Return the writers for regular operators by head, such as the one for `a -> b` by `Rule`.

    Irregular operators, and operators with names such as `\[Element]`, are omitted.
    """
    writers: dict[str, FormWriter] = {}
    for text, operator in INFIX_OPERATORS.items():
        if text.startswith("\\") or operator.shape in ("special", "vector"):
            continue
        sign = f" {text}" if operator.shape == "postfix" else f" {text} "
        # These operators are customarily written without spaces.
        if text in ("^", "?", "!", "!!", "++", "--"):
            sign = text
        writers[operator.head] = _make_operator_writer(operator.shape, sign, operator.precedence)
    for text in ("!", "++", "--"):
        operator = PREFIX_OPERATORS[text]
        writers[operator.head] = _make_operator_writer("prefix", text, operator.precedence)
    return writers


_write_product = _make_operator_writer("chain", "*", INFIX_OPERATORS["*"].precedence)
_INPUT_FORM_WRITERS: dict[str, FormWriter] = {
    **_build_operator_writers(),
    "List": _make_bracket_writer("{", "}"),
    "Association": _make_bracket_writer("<|", "|>"),
    "Part": _write_part,
    "Plus": _write_plus,
    "Times": _write_times,
    "CompoundExpression": _write_compound_expression,
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
    "Unset": _make_operator_writer("postfix", " =.", INFIX_OPERATORS["=."].precedence),
    "TagSet": _make_tag_writer(" = "),
    "TagSetDelayed": _make_tag_writer(" := "),
}
