"""Conversion of Mathics values to text that can be parsed again.

All of Mathics' output forms contain characters such as `⇾` for `->`. Its expressions are therefore
converted to those of `paddock.wolfram`, which writes them as text. In prints and messages, which
are already text, such characters are replaced.
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
"""Characters that Mathics writes for operators in prints."""
MESSAGE_REPLACEMENTS = PRINT_REPLACEMENTS | str.maketrans(
    {"∧": "&&", "\u2228": "||", "≠": "!=", "≤": "<=", "≥": ">="},
)
"""The same for messages. In prints, the additional characters may be intentional."""
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_value(value: Any, shorten_name: Callable[[str], str]) -> str:
    """Return the text of a Mathics value.

    `shorten_name` returns a symbol's name without contexts that are on the context path.
    """
    return value_form(to_expression(value, shorten_name))


def to_expression(value: Any, shorten_name: Callable[[str], str]) -> Expression:
    """Convert a Mathics expression to a `paddock.wolfram` expression.

    The conversion is not recursive, so deeply nested expressions do not overflow Python's stack.

    Args:
        value: The Mathics expression.
        shorten_name: Function that removes the context from a symbol's name if possible, for
            instance ``System` `` from ``System`Plot``.
    """
    root: list[Expression] = []
    pending: list[tuple[Any, list[Expression]]] = [(value, root)]
    while pending:
        source, target = pending.pop()
        if isinstance(source, MathicsExpression):
            node = Node(_convert_head(source.head, shorten_name), [])
            # Reversed, because elements are taken from the end of the list.
            pending += [(element, node.args) for element in reversed(source.elements)]
            target.append(node)
        else:
            target.append(_convert_atom(source, shorten_name))
    return root[0]


def _convert_head(head: Any, shorten_name: Callable[[str], str]) -> Expression:
    if isinstance(head, MathicsExpression):
        return Node(
            _convert_head(head.head, shorten_name),
            [to_expression(element, shorten_name) for element in head.elements],
        )
    return _convert_atom(head, shorten_name)


def _convert_atom(atom: Any, shorten_name: Callable[[str], str]) -> Expression:
    """Convert a Mathics symbol, string, byte array or number.

    Args:
        atom: The Mathics atom, an expression without head or elements.
        shorten_name: Function that removes the context from a symbol's name if possible.
    """
    if isinstance(atom, Symbol):
        return symbol(shorten_name(atom.name))
    if isinstance(atom, String):
        return _convert_string(atom.value)
    if isinstance(atom, ByteArray):
        # Mathics formats a byte array as Base64, which is its argument in InputForm.
        return call("ByteArray", string(str(atom)))
    if isinstance(atom, Complex):
        parts = [_convert_atom(part, shorten_name) for part in (atom.real, atom.imag)]
        return call("Complex", *parts)
    if isinstance(atom, Rational):
        parts = [
            _convert_atom(part, shorten_name) for part in (atom.numerator(), atom.denominator())
        ]
        return call("Rational", *parts)
    return _convert_number(atom)


def _convert_number(number: Any) -> Expression:
    """Convert a Mathics real or integer number, preserving its precision.

    A number with 20 digits of precision ends with `` `20.``, as in the Wolfram Language.
    """
    if isinstance(number, Integer):
        return Atom("number", str(number.value))
    if isinstance(number, MachineReal):
        return _convert_machine_real(number.value)
    if isinstance(number, PrecisionReal):
        digits = prec_to_dps(number.get_precision())
        return Atom("number", f"{format_real(str(number.value))}`{digits}.")
    # All other atoms are values without a text form. An image is shown as the symbol `-Image-`.
    return symbol(str(number))


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
