"""Printers: full form, input form, value form, and multi-line input form.

`full_form` and `input_form` return text that reads back as the same expression; `value_form`
returns text that evaluates to the same value. None of them recurses, so any nesting depth can be
printed.

`format_expression` breaks long expressions where people do: after `:=`, between statements,
arguments and list elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, are_equal, get_head_name, has_head, is_symbol
from paddock.wolfram.input_form_writer import LOWEST_PRECEDENCE, write_full_form, write_input_form
from paddock.wolfram.operators import INFIX_OPERATORS
from paddock.wolfram.parser import parse
from paddock.wolfram.value_form_writer import write_value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.input_form_writer import FormPiece, WrittenForm

    LineBreaker = Callable[[Node, "_Layout"], str | None]

DEFAULT_WIDTH = 80
INDENT_COLUMNS = 4
MAX_NESTED_LINES = 40
"""Expressions nested deeper than this are not broken: `_format_node` is recursive."""
MAX_FORMATTED_CHARACTERS = 200_000
"""Longer expressions are not formatted: no one reads them, and formatting them is slow."""
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
    """Return the text of an expression, with parentheses where needed.

    A stack is used instead of recursion, because expressions can be nested deeply.

    Args:
        expression: The expression.
        write: A function that returns the pieces of one expression: text, and its parts with the
            minimum precedence at which they need no parentheses.
    """
    printed_pieces: list[str] = []
    pending: list[FormPiece] = [(expression, LOWEST_PRECEDENCE)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            # Without a space, the signs of `- --a` would be read as other operators.
            if piece.startswith("-") and printed_pieces and printed_pieces[-1].endswith("-"):
                printed_pieces.append(" ")
            printed_pieces.append(piece)
            continue
        part, min_precedence = piece
        form = write(part)
        # Push the pieces in reverse order, because the last item on the stack is taken first.
        if form.precedence < min_precedence:
            pending += [")", *reversed(form.pieces), "("]
        else:
            pending += reversed(form.pieces)
    return "".join(printed_pieces)


def format_expression(expression: Expression, width: int = DEFAULT_WIDTH) -> str:
    """Return the input form of an expression, with line breaks if it exceeds a width.

    The text always parses to the same expression. If a line break would change its meaning,
    because a line end can also end an expression, the text is a single line.
    """
    single_line = input_form(expression)
    if len(single_line) <= width or len(single_line) > MAX_FORMATTED_CHARACTERS:
        return single_line
    text = _format_node(expression, _Layout(0, width, 0))
    source = parse(text)
    has_one_expression = not source.problems and len(source.expressions) == 1
    is_unchanged = has_one_expression and are_equal(source.expressions[0], expression)
    return text if is_unchanged else single_line


class _Layout(NamedTuple):
    """The place for an expression in formatted code: its column, and the width of the lines."""

    column: int
    """The column of its first character, and the indentation of its other lines."""
    width: int
    """The maximum number of characters in a line."""
    depth: int
    """The number of enclosing expressions that were broken into lines."""

    @property
    def margin(self) -> str:
        """A line break, and the indentation of the next line."""
        return "\n" + " " * self.column

    def nest(self, columns: int = 0) -> _Layout:
        """Return the layout for a part of the expression, indented by a number of columns."""
        return _Layout(self.column + columns, self.width, self.depth + 1)


def _format_node(expression: Expression, layout: _Layout) -> str:
    """Return the input form of an expression, with line breaks if it does not fit on the line."""
    single_line = input_form(expression)
    if isinstance(expression, Atom) or layout.depth >= MAX_NESTED_LINES:
        return single_line
    if layout.column + len(single_line) <= layout.width:
        return single_line
    break_lines = _LINE_BREAKERS.get(get_head_name(expression), _break_call)
    return break_lines(expression, layout) or single_line


def _format_operand(expression: Expression, layout: _Layout, sign: str) -> str:
    """Format an operator's operand, in parentheses if it binds less tightly."""
    text = _format_node(expression, layout)
    return f"({text})" if _needs_parentheses(expression, sign) else text


def _needs_parentheses(operand: Expression, sign: str) -> bool:
    """Return whether an operand needs parentheses because it binds less tightly than an operator.

    Args:
        operand: The operand.
        sign: The sign of the operator, such as `->`.
    """
    if isinstance(operand, Atom):
        return False
    operand_sign = _SIGNS.get(get_head_name(operand))
    # Only the short form `body &` is an operator; `Function[x, body]` needs no parentheses.
    if operand_sign is None or operand_sign == "&":
        return operand_sign == "&" and len(operand.args) == 1
    return INFIX_OPERATORS[operand_sign].precedence <= INFIX_OPERATORS[sign].precedence


def _break_assignment(node: Node, layout: _Layout) -> str | None:
    """Break an assignment after its sign."""
    if len(node.args) != 2:
        return None
    left, right = node.args
    return _join_assignment(left, _ASSIGNMENT_SIGNS[get_head_name(node)], right, layout)


def _join_assignment(left: Expression, sign: str, right: Expression, layout: _Layout) -> str:
    """Return an assignment with its right side on a separate indented line."""
    left_text = _format_operand(left, layout.nest(), sign)
    right_layout = layout.nest(INDENT_COLUMNS)
    return f"{left_text} {sign}{right_layout.margin}{_format_operand(right, right_layout, sign)}"


def _break_tag_assignment(node: Node, layout: _Layout) -> str | None:
    """Break an assignment with a tag, such as `f /: a = b`, after its sign."""
    if len(node.args) != 3 or not isinstance(node.args[0], Atom):
        return None
    tag, left, right = node.args
    sign = _TAG_ASSIGNMENT_SIGNS[get_head_name(node)]
    return f"{input_form(tag)} /: {_join_assignment(left, sign, right, layout)}"


def _break_statements(node: Node, layout: _Layout) -> str | None:
    """Return the statements of a compound expression, with a line break after each semicolon.

    A final `Null` becomes a final semicolon. Returns None if there are fewer than two statements.
    """
    if len(node.args) < 2:
        return None
    is_silent = is_symbol(node.args[-1], "Null")
    statements = node.args[:-1] if is_silent else node.args
    lines = [_format_operand(statement, layout.nest(), ";") for statement in statements]
    return f";{layout.margin}".join(lines) + (";" if is_silent else "")


def _break_rule(node: Node, layout: _Layout) -> str | None:
    """Return a rule such as `a -> b`, with line breaks in its sides but none after its sign.

    Returns None for a rule without two arguments.
    """
    if len(node.args) != 2:
        return None
    sign = _RULE_SIGNS[get_head_name(node)]
    left = _format_operand(node.args[0], layout.nest(), sign)
    left_and_sign = f"{left} {sign} "
    value_layout = layout.nest(len(left_and_sign.rpartition("\n")[2]))
    return left_and_sign + _format_operand(node.args[1], value_layout, sign)


def _break_call(node: Node, layout: _Layout) -> str | None:
    """Return a call with each argument on a separate line.

    Returns None for an expression that is printed with operators, because it has no brackets.
    """
    opening = f"{input_form(node.head)}["
    if not input_form(node).startswith(opening) or isinstance(node.head, Node):
        return None
    return _break_arguments(opening, node.args, "]", layout)


def _break_arguments(
    opening: str, args: list[Expression], closing: str, layout: _Layout
) -> str | None:
    """Return a bracketed list of arguments, each on a separate indented line.

    Args:
        opening: The text up to the opening bracket, such as `f[`.
        args: The arguments.
        closing: The closing bracket.
        layout: The place of the whole expression.

    Returns:
        The text, or None if there are no arguments.
    """
    if not args:
        return None
    inner_layout = layout.nest(INDENT_COLUMNS)
    separator = f",{inner_layout.margin}"
    lines = separator.join(_format_argument(arg, inner_layout) for arg in args)
    return f"{opening}{inner_layout.margin}{lines}{layout.margin}{closing}"


def _format_argument(arg: Expression, layout: _Layout) -> str:
    """Return the text of an argument on a separate line.

    Each statement of a compound expression gets a line, even if all of them would fit on one.
    """
    if has_head(arg, "CompoundExpression"):
        return _break_statements(arg, layout) or input_form(arg)
    return _format_node(arg, layout)


_LINE_BREAKERS: dict[str, LineBreaker] = {
    **dict.fromkeys(_ASSIGNMENT_SIGNS, _break_assignment),
    **dict.fromkeys(_TAG_ASSIGNMENT_SIGNS, _break_tag_assignment),
    **dict.fromkeys(_RULE_SIGNS, _break_rule),
    "CompoundExpression": _break_statements,
    "List": lambda node, layout: _break_arguments("{", node.args, "}", layout),
    "Association": lambda node, layout: _break_arguments("<|", node.args, "|>", layout),
}
