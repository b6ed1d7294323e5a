"""Long expressions on several lines, indented, for people to read.

What fits on a line stays on it. What does not is broken where people break it: after `:=`, between
the arguments of a function, between statements, between the elements of a list. The text reads back
as the same expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol, same
from paddock.wolfram.operators import INFIX
from paddock.wolfram.parser import parse
from paddock.wolfram.printer import input_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

    Break = Callable[[Node, int, int, int], str | None]

WIDTH = 80
INDENT = 4
MOST_DEPTH = 40
"""Of lines inside lines; what is deeper stays on one."""
MOST_CHARACTERS = 200_000
"""What is longer is not for people to read."""
_ASSIGNMENTS = {"Set": " =", "SetDelayed": " :=", "UpSet": " ^=", "UpSetDelayed": " ^:="}
_RULES = {"Rule": "->", "RuleDelayed": ":>"}
_TAGGED = {"TagSet": " =", "TagSetDelayed": " :="}


def readable(expression: Expression, width: int = WIDTH) -> str:
    """An expression as text, with line breaks where it is longer than the width."""
    flat = input_form(expression)
    if len(flat) <= width or len(flat) > MOST_CHARACTERS:
        return flat
    text = _laid_out(expression, 0, width, 0)
    read = parse(text)
    is_same = not read.problems and len(read.expressions) == 1
    return text if is_same and same(read.expressions[0], expression) else flat


def _laid_out(expression: Expression, column: int, width: int, depth: int) -> str:
    flat = input_form(expression)
    if isinstance(expression, Atom) or column + len(flat) <= width or depth >= MOST_DEPTH:
        return flat
    head = expression.head.text if isinstance(expression.head, Atom) else ""
    broken = _BREAKS.get(head, _call)(expression, column, width, depth)
    return flat if broken is None else broken


def _inner(expression: Expression, column: int, width: int, depth: int, operator: str) -> str:
    """An operand on lines of its own, in brackets where it binds less tightly."""
    text = _laid_out(expression, column, width, depth + 1)
    if not isinstance(expression, Node) or not _is_looser(expression, operator):
        return text
    return f"({text})"


def _is_looser(node: Node, operator: str) -> bool:
    head = node.head.text if isinstance(node.head, Atom) else ""
    signs = {
        **_ASSIGNMENTS,
        **_RULES,
        "CompoundExpression": ";",
        "Function": "&",
        "Condition": "/;",
    }
    sign = signs.get(head, "").strip()
    if sign == "&":
        return len(node.args) == 1
    return sign in INFIX and INFIX[sign].precedence <= INFIX[operator].precedence


def _assignment(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 2:
        return None
    sign = _ASSIGNMENTS[_name(node)]
    left, right = node.args
    first = _inner(left, column, width, depth, sign.strip())
    return f"{first}{sign}\n{_below(right, column, width, depth, sign.strip())}"


def _below(right: Expression, column: int, width: int, depth: int, operator: str) -> str:
    margin = " " * (column + INDENT)
    return margin + _inner(right, column + INDENT, width, depth, operator)


def _tagged(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 3 or not isinstance(node.args[0], Atom):
        return None
    tag, left, right = node.args
    sign = _TAGGED[_name(node)]
    first = _inner(left, column, width, depth, sign.strip())
    return (
        f"{input_form(tag)} /: {first}{sign}\n{_below(right, column, width, depth, sign.strip())}"
    )


def _statements(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) < 2:
        return None
    is_silent = is_symbol(node.args[-1], "Null")
    parts = node.args[:-1] if is_silent else node.args
    lines = [_inner(part, column, width, depth, ";") for part in parts]
    return f";\n{' ' * column}".join(lines) + (";" if is_silent else "")


def _rule(node: Node, column: int, width: int, depth: int) -> str | None:
    if len(node.args) != 2:
        return None
    sign = _RULES[_name(node)]
    left = _inner(node.args[0], column, width, depth, sign)
    at = column + len(left.rpartition("\n")[2]) + len(sign) + 2
    return f"{left} {sign} {_inner(node.args[1], at, width, depth, sign)}"


def _brackets(opening: str, closing: str) -> Break:
    def lay_out(node: Node, column: int, width: int, depth: int) -> str | None:
        return _listed(opening, node.args, closing, column, width, depth)

    return lay_out


def _call(node: Node, column: int, width: int, depth: int) -> str | None:
    """A function with an argument on each line; what is written with an operator is left alone."""
    head = input_form(node.head)
    if not input_form(node).startswith(f"{head}[") or isinstance(node.head, Node):
        return None
    return _listed(f"{head}[", node.args, "]", column, width, depth)


def _listed(
    opening: str, args: list[Expression], closing: str, column: int, width: int, depth: int
) -> str | None:
    if not args:
        return None
    inner = column + INDENT
    margin = "\n" + " " * inner
    lines = [_line(arg, inner, width, depth + 1) for arg in args]
    return f"{opening}{margin}{f',{margin}'.join(lines)}\n{' ' * column}{closing}"


def _line(arg: Expression, column: int, width: int, depth: int) -> str:
    """An argument on a line of its own; statements have one each."""
    if isinstance(arg, Node) and has_head(arg, "CompoundExpression"):
        return _statements(arg, column, width, depth) or input_form(arg)
    return _laid_out(arg, column, width, depth)


def _name(node: Node) -> str:
    return node.head.text if isinstance(node.head, Atom) else ""


_BREAKS: dict[str, Break] = {
    **dict.fromkeys(_ASSIGNMENTS, _assignment),
    **dict.fromkeys(_TAGGED, _tagged),
    **dict.fromkeys(_RULES, _rule),
    "CompoundExpression": _statements,
    "List": _brackets("{", "}"),
    "Association": _brackets("<|", "|>"),
}
