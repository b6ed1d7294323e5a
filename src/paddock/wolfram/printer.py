"""From expressions to text: `full_form`, all heads and brackets, and `input_form`, as people write.

Both give text that reads back as the same expression; `value_form` is for values, and reads back as
the same value. None uses the interpreter's stack for depth. Here is the walk; how single
expressions look is in `written` and `values`.

Long expressions on several lines, indented, for people to read.

What fits on a line stays on it. What does not is broken where people break it: after `:=`, between
the arguments of a function, between statements, between the elements of a list. The text reads back
as the same expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, are_equal, has_head, is_symbol
from paddock.wolfram.input_form_writer import (
    LOWEST_PRECEDENCE,
    is_negative_number,
    write_input_form,
)
from paddock.wolfram.operators import INFIX_OPERATORS
from paddock.wolfram.parser import parse
from paddock.wolfram.value_form_writer import write_value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.input_form_writer import FormPiece, WrittenForm


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
            waiting += ["[", *_wrap_head(item.head)]
    return "".join(pieces)


def _wrap_head(head: Expression) -> list[str | Expression]:
    """A head, from last to first; a sign must not go over to the whole."""
    return [")", head, "("] if is_negative_number(head) else [head]


def input_form(expression: Expression) -> str:
    """An expression with the usual operators and brackets."""
    return _print_expression(expression, write_input_form)


def value_form(expression: Expression) -> str:
    """A value as a kernel writes it in InputForm: `x^2/2` for `Times[Rational[1, 2], Power[x, 2]]`.

    The text evaluates to the same value; read without evaluating it may be another expression.
    """
    return _print_expression(expression, write_value_form)


def _print_expression(expression: Expression, write: Callable[[Expression], WrittenForm]) -> str:
    pieces: list[str] = []
    waiting: list[FormPiece] = [(expression, LOWEST_PRECEDENCE)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if item.startswith("-") and pieces and pieces[-1].endswith("-"):
                # The signs of `- --a` are two operators.
                pieces.append(" ")
            pieces.append(item)
            continue
        inner, least = item
        found = write(inner)
        if found.precedence < least:
            waiting.append(")")
            waiting.extend(reversed(found.pieces))
            waiting.append("(")
        else:
            waiting.extend(reversed(found.pieces))
    return "".join(pieces)


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

    LineBreaker = Callable[[Node, int, int, int], str | None]

DEFAULT_WIDTH = 80
INDENT_COLUMNS = 4
MAX_NESTED_LINES = 40
"""Of lines inside lines; what is deeper stays on one."""
MAX_FORMATTED_CHARACTERS = 200_000
"""What is longer is not for people to read."""
_ASSIGNMENT_SIGNS = {"Set": " =", "SetDelayed": " :=", "UpSet": " ^=", "UpSetDelayed": " ^:="}
_RULE_SIGNS = {"Rule": "->", "RuleDelayed": ":>"}
_TAG_ASSIGNMENT_SIGNS = {"TagSet": " =", "TagSetDelayed": " :="}


def format_expression(expression: Expression, width: int = DEFAULT_WIDTH) -> str:
    """An expression as text, with line breaks where it is longer than the width."""
    flat = input_form(expression)
    if len(flat) <= width or len(flat) > MAX_FORMATTED_CHARACTERS:
        return flat
    text = _format_node(expression, 0, width, 0)
    read = parse(text)
    is_same = not read.problems and len(read.expressions) == 1
    return text if is_same and are_equal(read.expressions[0], expression) else flat


def _format_node(expression: Expression, column: int, width: int, depth: int) -> str:
    flat = input_form(expression)
    if isinstance(expression, Atom) or column + len(flat) <= width or depth >= MAX_NESTED_LINES:
        return flat
    head = expression.head.text if isinstance(expression.head, Atom) else ""
    broken = _LINE_BREAKERS.get(head, _break_call)(expression, column, width, depth)
    return flat if broken is None else broken


def _format_operand(
    expression: Expression, column: int, width: int, depth: int, operator: str
) -> str:
    """An operand on lines of its own, in brackets where it binds less tightly."""
    text = _format_node(expression, column, width, depth + 1)
    if not isinstance(expression, Node) or not _binds_looser(expression, operator):
        return text
    return f"({text})"


def _binds_looser(node: Node, operator: str) -> bool:
    head = node.head.text if isinstance(node.head, Atom) else ""
    signs = {
        **_ASSIGNMENT_SIGNS,
        **_RULE_SIGNS,
        "CompoundExpression": ";",
        "Function": "&",
        "Condition": "/;",
    }
    sign = signs.get(head, "").strip()
    if sign == "&":
        return len(node.args) == 1
    return (
        sign in INFIX_OPERATORS
        and INFIX_OPERATORS[sign].precedence <= INFIX_OPERATORS[operator].precedence
    )


def _break_assignment(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 2:
        return None
    sign = _ASSIGNMENT_SIGNS[_get_head_name(node)]
    left, right = node.args
    first = _format_operand(left, column, width, depth, sign.strip())
    return f"{first}{sign}\n{_format_right_side(right, column, width, depth, sign.strip())}"


def _format_right_side(
    right: Expression, column: int, width: int, depth: int, operator: str
) -> str:
    margin = " " * (column + INDENT_COLUMNS)
    return margin + _format_operand(right, column + INDENT_COLUMNS, width, depth, operator)


def _break_tag_assignment(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 3 or not isinstance(node.args[0], Atom):
        return None
    tag, left, right = node.args
    sign = _TAG_ASSIGNMENT_SIGNS[_get_head_name(node)]
    first = _format_operand(left, column, width, depth, sign.strip())
    return f"{input_form(tag)} /: {first}{sign}\n{_format_right_side(right, column, width, depth, sign.strip())}"


def _break_statements(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) < 2:
        return None
    is_silent = is_symbol(node.args[-1], "Null")
    parts = node.args[:-1] if is_silent else node.args
    lines = [_format_operand(part, column, width, depth, ";") for part in parts]
    return f";\n{' ' * column}".join(lines) + (";" if is_silent else "")


def _break_rule(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 2:
        return None
    sign = _RULE_SIGNS[_get_head_name(node)]
    left = _format_operand(node.args[0], column, width, depth, sign)
    at = column + len(left.rpartition("\n")[2]) + len(sign) + 2
    return f"{left} {sign} {_format_operand(node.args[1], at, width, depth, sign)}"


def _make_bracket_breaker(opening: str, closing: str) -> LineBreaker:
    def lay_out(node: Node, column: int, width: int, depth: int) -> str | None:
        return _break_arguments(opening, node.args, closing, column, width, depth)

    return lay_out


def _break_call(node: Node, column: int, width: int, depth: int) -> str | None:
    """A function with an argument on each line; what is written with an operator is left alone."""
    head = input_form(node.head)
    if not input_form(node).startswith(f"{head}[") or isinstance(node.head, Node):
        return None
    return _break_arguments(f"{head}[", node.args, "]", column, width, depth)


def _break_arguments(
    opening: str, args: list[Expression], closing: str, column: int, width: int, depth: int
) -> str | None:
    if not args:
        return None
    inner = column + INDENT_COLUMNS
    margin = "\n" + " " * inner
    lines = [_format_argument(arg, inner, width, depth + 1) for arg in args]
    return f"{opening}{margin}{f',{margin}'.join(lines)}\n{' ' * column}{closing}"


def _format_argument(arg: Expression, column: int, width: int, depth: int) -> str:
    """An argument on a line of its own; statements have one each."""
    if isinstance(arg, Node) and has_head(arg, "CompoundExpression"):
        return _break_statements(arg, column, width, depth) or input_form(arg)
    return _format_node(arg, column, width, depth)


def _get_head_name(node: Node) -> str:
    return node.head.text if isinstance(node.head, Atom) else ""


_LINE_BREAKERS: dict[str, LineBreaker] = {
    **dict.fromkeys(_ASSIGNMENT_SIGNS, _break_assignment),
    **dict.fromkeys(_TAG_ASSIGNMENT_SIGNS, _break_tag_assignment),
    **dict.fromkeys(_RULE_SIGNS, _break_rule),
    "CompoundExpression": _break_statements,
    "List": _make_bracket_breaker("{", "}"),
    "Association": _make_bracket_breaker("<|", "|>"),
}
