"""The text of values of Mathics, as Wolfram Language that can be read again.

Mathics itself writes `⇾` for `->` and so on, in every form that people would want. Here its
expressions become ours, and those are written by `paddock.wolfram`. For what is already text when
it comes here, prints and messages, signs are replaced.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mathics.core.atoms import (
    ByteArray,
    Complex,
    Integer,
    MachineReal,
    PrecisionReal,
    Rational,
    String,
)
from mathics.core.expression import Expression as MathicsExpression
from mathics.core.symbols import Symbol
from mpmath.libmp import prec_to_dps

from paddock.wolfram import Atom, Node, call, format_real, string, symbol, value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram import Expression

PRINT_REPLACEMENTS = str.maketrans({"⇾": "->", "⧴": ":>", "⩵": "==", "❘": "|"})
"""What Mathics writes for operators, in what code prints."""
MESSAGE_REPLACEMENTS = PRINT_REPLACEMENTS | str.maketrans(
    {"∧": "&&", "\u2228": "||", "≠": "!=", "≤": "<=", "≥": ">="},
)
"""The same in messages; in prints these others may be what was meant."""
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_value(value: Any, name_of: Callable[[str], str]) -> str:
    """The text of a value; `name_of` gives the name of a symbol without contexts that are known."""
    return value_form(to_expression(value, name_of))


def to_expression(value: Any, name_of: Callable[[str], str]) -> Expression:
    """An expression of Mathics as one of ours; it may be deeper than the interpreter's stack."""
    top: list[Expression] = []
    waiting: list[tuple[Any, list[Expression]]] = [(value, top)]
    while waiting:
        one, place = waiting.pop()
        if isinstance(one, MathicsExpression):
            node = _begin_node(one, waiting, name_of)
            place.append(node)
        else:
            place.append(_convert_atom(one, name_of))
    return top[0]


def _begin_node(
    one: Any, waiting: list[tuple[Any, list[Expression]]], name_of: Callable[[str], str]
) -> Node:
    """A node whose arguments are still to come: the last is waited for first."""
    node = Node(_convert_head(one.head, name_of), [])
    waiting += [(element, node.args) for element in reversed(one.elements)]
    return node


def _convert_head(head: Any, name_of: Callable[[str], str]) -> Expression:
    if isinstance(head, MathicsExpression):
        return Node(
            _convert_head(head.head, name_of),
            [to_expression(element, name_of) for element in head.elements],
        )
    return _convert_atom(head, name_of)


def _convert_atom(one: Any, name_of: Callable[[str], str]) -> Expression:
    if isinstance(one, Symbol):
        return symbol(name_of(one.name))
    if isinstance(one, String):
        return _convert_string(one.value)
    if isinstance(one, ByteArray):
        return call("ByteArray", string(str(one)))
    if isinstance(one, Complex):
        return call("Complex", _convert_atom(one.real, name_of), _convert_atom(one.imag, name_of))
    if isinstance(one, Rational):
        above, below = one.numerator(), one.denominator()
        return call("Rational", _convert_atom(above, name_of), _convert_atom(below, name_of))
    return _convert_number(one)


def _convert_number(one: Any) -> Expression:
    if isinstance(one, Integer):
        return Atom("number", str(one.value))
    if isinstance(one, MachineReal):
        return _convert_machine_real(one.value)
    if isinstance(one, PrecisionReal):
        digits = prec_to_dps(one.get_precision())
        return Atom("number", f"{format_real(str(one.value))}`{digits}.")
    return symbol(str(one))  # an image, or what else is no text: -Image-


def _convert_string(value: str) -> Atom:
    atom = string(value)
    for character, escape in _ESCAPES.items():
        atom.text = atom.text.replace(character, escape)
    return atom


def _convert_machine_real(value: float) -> Expression:
    if math.isnan(value):
        return symbol("Indeterminate")
    if math.isinf(value):
        return call("DirectedInfinity", Atom("number", "1" if value > 0 else "-1"))
    return Atom("number", format_real(repr(value)))
