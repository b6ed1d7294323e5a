"""Printers: full form, input form, value form, and input form on several lines.

`full_form` and `input_form` return text that reads back as the same expression; `value_form`
returns text that evaluates to the same value. None of them recurses, so any nesting depth can be
printed.

`format_expression` breaks long expressions where people do: after `:=`, between statements,
arguments and list elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Atom,
    Node,
    are_equal,
    get_head_name,
    has_head,
    is_symbol,
)
from paddock.wolfram.input_form_writer import (
    LOWEST_PRECEDENCE,
    write_full_form,
    write_input_form,
)
from paddock.wolfram.operators import INFIX_OPERATORS
from paddock.wolfram.parser import parse
from paddock.wolfram.value_form_writer import write_value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.input_form_writer import FormPiece, WrittenForm

    LineBreaker = Callable[[Node, int, int, int], str | None]

DEFAULT_WIDTH = 80
INDENT_COLUMNS = 4
MAX_NESTED_LINES = 40
"""Expressions nested deeper than this are not broken: `_format_node` is recursive."""
MAX_FORMATTED_CHARACTERS = 200_000
"""Longer expressions are not formatted. People do not read them, and formatting them is slow."""
_ASSIGNMENT_SIGNS = {"Set": "=", "SetDelayed": ":=", "UpSet": "^=", "UpSetDelayed": "^:="}
_RULE_SIGNS = {"Rule": "->", "RuleDelayed": ":>"}
_TAG_ASSIGNMENT_SIGNS = {"TagSet": "=", "TagSetDelayed": ":="}
_SIGNS = {
    **_ASSIGNMENT_SIGNS,
    **_RULE_SIGNS,
    "CompoundExpression": ";",
    "Function": "&",
    "Condition": "/;",
}


def full_form(expression: Expression) -> str:
    """Return the expression with explicit heads."""
    return _print_expression(expression, write_full_form)


def input_form(expression: Expression) -> str:
    """Return the expression in the usual notation with operators and brackets."""
    return _print_expression(expression, write_input_form)


def value_form(expression: Expression) -> str:
    """Return a value in the notation of kernels: `x^2/2` for `Times[Rational[1, 2], Power[x, 2]]`.

    The text evaluates to the same value, but does not always parse to the same expression.
    """
    return _print_expression(expression, write_value_form)


def _print_expression(expression: Expression, write: Callable[[Expression], WrittenForm]) -> str:
    """Print an expression from the forms of its parts.

    Args:
        expression: The expression.
        write: Returns the pieces of an expression. A piece that binds less tightly than its
            context requires is put in parentheses here.
    """
    pieces: list[str] = []
    pending: list[FormPiece] = [(expression, LOWEST_PRECEDENCE)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            # Without the space, the signs of `- --a` would read as other operators.
            if item.startswith("-") and pieces and pieces[-1].endswith("-"):
                pieces.append(" ")
            pieces.append(item)
            continue
        inner, min_precedence = item
        form = write(inner)
        if form.precedence < min_precedence:
            pending.append(")")
            pending.extend(reversed(form.pieces))
            pending.append("(")
        else:
            pending.extend(reversed(form.pieces))
    return "".join(pieces)


def format_expression(expression: Expression, width: int = DEFAULT_WIDTH) -> str:
    """Format an expression as input form, with line breaks if it exceeds the width.

    The text always reads back as the same expression. If a line break would change its meaning, the
    expression stays on one line.
    """
    flat = input_form(expression)
    if len(flat) <= width or len(flat) > MAX_FORMATTED_CHARACTERS:
        return flat
    text = _format_node(expression, 0, width, 0)
    source = parse(text)
    # A line end can end an expression, so broken lines are used only if they read back the same.
    is_single = not source.problems and len(source.expressions) == 1
    return text if is_single and are_equal(source.expressions[0], expression) else flat


def _format_node(expression: Expression, column: int, width: int, depth: int) -> str:
    """Format an expression that starts at a column, with line breaks if it does not fit.

    Args:
        expression: The expression.
        column: The column of its first character, and of its further lines.
        width: The maximum number of characters of a line.
        depth: The number of enclosing expressions that were broken.
    """
    flat = input_form(expression)
    if isinstance(expression, Atom) or column + len(flat) <= width or depth >= MAX_NESTED_LINES:
        return flat
    break_lines = _LINE_BREAKERS.get(get_head_name(expression), _break_call)
    broken = break_lines(expression, column, width, depth)
    return flat if broken is None else broken


def _format_operand(
    expression: Expression, column: int, width: int, depth: int, operator: str
) -> str:
    """Format an operand on its own lines, in parentheses if it binds less tightly."""
    text = _format_node(expression, column, width, depth + 1)
    if not isinstance(expression, Node) or not _binds_looser(expression, operator):
        return text
    return f"({text})"


def _binds_looser(node: Node, operator: str) -> bool:
    """Return whether an operand with this head needs parentheses beside the operator."""
    sign = _SIGNS.get(get_head_name(node), "")
    # Only the short form `body &` is an operator; `Function[x, body]` needs no parentheses.
    if sign == "&":
        return len(node.args) == 1
    return (
        sign in INFIX_OPERATORS
        and INFIX_OPERATORS[sign].precedence <= INFIX_OPERATORS[operator].precedence
    )


def _break_assignment(node: Node, column: int, width: int, depth: int) -> str | None:
    """Break an assignment after its sign."""
    if len(node.args) != 2:
        return None
    left, right = node.args
    sign = _ASSIGNMENT_SIGNS[get_head_name(node)]
    return _join_assignment(left, sign, right, column, width, depth)


def _join_assignment(
    left: Expression, sign: str, right: Expression, column: int, width: int, depth: int
) -> str:
    """Return an assignment with its right side on an indented line of its own."""
    left_text = _format_operand(left, column, width, depth, sign)
    inner = column + INDENT_COLUMNS
    right_text = _format_operand(right, inner, width, depth, sign)
    return f"{left_text} {sign}\n{' ' * inner}{right_text}"


def _break_tag_assignment(node: Node, column: int, width: int, depth: int) -> str | None:
    """Break an assignment with a tag, such as `f /: a = b`, after its sign."""
    if len(node.args) != 3 or not isinstance(node.args[0], Atom):
        return None
    tag, left, right = node.args
    sign = _TAG_ASSIGNMENT_SIGNS[get_head_name(node)]
    assignment = _join_assignment(left, sign, right, column, width, depth)
    return f"{input_form(tag)} /: {assignment}"


def _break_statements(node: Node, column: int, width: int, depth: int) -> str | None:
    """Break a compound expression after each semicolon.

    A final `Null` becomes a final semicolon.
    """
    if len(node.args) < 2:
        return None
    is_silent = is_symbol(node.args[-1], "Null")
    parts = node.args[:-1] if is_silent else node.args
    lines = [_format_operand(part, column, width, depth, ";") for part in parts]
    return f";\n{' ' * column}".join(lines) + (";" if is_silent else "")


def _break_rule(node: Node, column: int, width: int, depth: int) -> str | None:
    """Keep a rule's sign on the line of its left side, and break its value."""
    if len(node.args) != 2:
        return None
    sign = _RULE_SIGNS[get_head_name(node)]
    left = _format_operand(node.args[0], column, width, depth, sign)
    value_column = column + len(left.rpartition("\n")[2]) + len(sign) + 2
    return f"{left} {sign} {_format_operand(node.args[1], value_column, width, depth, sign)}"


def _make_bracket_breaker(opening: str, closing: str) -> LineBreaker:
    def break_brackets(node: Node, column: int, width: int, depth: int) -> str | None:
        return _break_arguments(opening, node.args, closing, column, width, depth)

    return break_brackets


def _break_call(node: Node, column: int, width: int, depth: int) -> str | None:
    """Put each argument of a call on its own line.

    Expressions that print with operators are not broken.
    """
    head = input_form(node.head)
    # An expression that prints with operators has no argument list to break.
    if not input_form(node).startswith(f"{head}[") or isinstance(node.head, Node):
        return None
    return _break_arguments(f"{head}[", node.args, "]", column, width, depth)


def _break_arguments(
    opening: str, args: list[Expression], closing: str, column: int, width: int, depth: int
) -> str | None:
    """Put each argument on an indented line of its own, between the brackets."""
    if not args:
        return None
    inner = column + INDENT_COLUMNS
    margin = "\n" + " " * inner
    lines = [_format_argument(arg, inner, width, depth + 1) for arg in args]
    return f"{opening}{margin}{f',{margin}'.join(lines)}\n{' ' * column}{closing}"


def _format_argument(arg: Expression, column: int, width: int, depth: int) -> str:
    """Format an argument on its own line.

    Each statement of a compound expression gets a line, even if all of them would fit on one.
    """
    if has_head(arg, "CompoundExpression"):
        return _break_statements(arg, column, width, depth) or input_form(arg)
    return _format_node(arg, column, width, depth)


_LINE_BREAKERS: dict[str, LineBreaker] = {
    **dict.fromkeys(_ASSIGNMENT_SIGNS, _break_assignment),
    **dict.fromkeys(_TAG_ASSIGNMENT_SIGNS, _break_tag_assignment),
    **dict.fromkeys(_RULE_SIGNS, _break_rule),
    "CompoundExpression": _break_statements,
    "List": _make_bracket_breaker("{", "}"),
    "Association": _make_bracket_breaker("<|", "|>"),
}
