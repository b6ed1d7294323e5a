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

from paddock.wolfram import Atom, Node, call, real_text, string, symbol, value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram import Expression

PRINTED_SIGNS = str.maketrans({"⇾": "->", "⧴": ":>", "⩵": "==", "❘": "|"})
"""What Mathics writes for operators, in what code prints."""
SIGNS = PRINTED_SIGNS | str.maketrans(
    {"∧": "&&", "\u2228": "||", "≠": "!=", "≤": "<=", "≥": ">="},
)
"""The same in messages; in prints these others may be what was meant."""
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def value_text(value: Any, name_of: Callable[[str], str]) -> str:
    """The text of a value; `name_of` gives the name of a symbol without contexts that are known."""
    return value_form(converted(value, name_of))


def converted(value: Any, name_of: Callable[[str], str]) -> Expression:
    """An expression of Mathics as one of ours; it may be deeper than the interpreter's stack."""
    top: list[Expression] = []
    waiting: list[tuple[Any, list[Expression]]] = [(value, top)]
    while waiting:
        one, place = waiting.pop()
        if isinstance(one, MathicsExpression):
            node = _node(one, waiting, name_of)
            place.append(node)
        else:
            place.append(_atom(one, name_of))
    return top[0]


def _node(
    one: Any, waiting: list[tuple[Any, list[Expression]]], name_of: Callable[[str], str]
) -> Node:
    """A node whose arguments are still to come: the last is waited for first."""
    node = Node(_head(one.head, name_of), [])
    waiting += [(element, node.args) for element in reversed(one.elements)]
    return node


def _head(head: Any, name_of: Callable[[str], str]) -> Expression:
    if isinstance(head, MathicsExpression):
        return Node(
            _head(head.head, name_of), [converted(element, name_of) for element in head.elements]
        )
    return _atom(head, name_of)


def _atom(one: Any, name_of: Callable[[str], str]) -> Expression:
    if isinstance(one, Symbol):
        return symbol(name_of(one.name))
    if isinstance(one, String):
        return _string(one.value)
    if isinstance(one, ByteArray):
        return call("ByteArray", string(str(one)))
    if isinstance(one, Complex):
        return call("Complex", _atom(one.real, name_of), _atom(one.imag, name_of))
    if isinstance(one, Rational):
        above, below = one.numerator(), one.denominator()
        return call("Rational", _atom(above, name_of), _atom(below, name_of))
    return _number(one)


def _number(one: Any) -> Expression:
    if isinstance(one, Integer):
        return Atom("number", str(one.value))
    if isinstance(one, MachineReal):
        return _machine_number(one.value)
    if isinstance(one, PrecisionReal):
        digits = prec_to_dps(one.get_precision())
        return Atom("number", f"{real_text(str(one.value))}`{digits}.")
    return symbol(str(one))  # an image, or what else is no text: -Image-


def _string(value: str) -> Atom:
    atom = string(value)
    for character, escape in _ESCAPES.items():
        atom.text = atom.text.replace(character, escape)
    return atom


def _machine_number(value: float) -> Expression:
    if math.isnan(value):
        return symbol("Indeterminate")
    if math.isinf(value):
        return call("DirectedInfinity", Atom("number", "1" if value > 0 else "-1"))
    return Atom("number", real_text(repr(value)))
