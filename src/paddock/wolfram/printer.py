"""From expressions to text: `full_form`, all heads and brackets, and `input_form`, as people write.

Both give text that reads back as the same expression; `value_form` is for values, and reads back as
the same value. None uses the interpreter's stack for depth. Here is the walk; how single
expressions look is in `written` and `values`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.values import write_value_form
from paddock.wolfram.written import LOWEST_PRECEDENCE, is_negative_number, write_input_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.written import FormPiece, WrittenForm


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
