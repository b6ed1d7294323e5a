"""The messages that a test expects: reading them, and comparing them with those there were.

A message is its name, `Power::infy`, or `_` for any; `..` after it stands for one or more of them,
`...` for any number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.text import string_value, symbol_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression

ANY = "_"
"""Stands for a message that may be any."""
_SOME, _SEVERAL = "..", "..."
_REPEATED = {"Repeated": _SOME, "RepeatedNull": _SEVERAL}
_BLANKS = {"BlankSequence": _SOME, "BlankNullSequence": _SEVERAL}


def text_of(expression: Expression) -> str:
    """A string's value, or what a symbol is called; nothing for other expressions."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return string_value(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return symbol_name(expression.text)
    return ""


def expected_messages(expression: Expression) -> tuple[str, ...]:
    """The messages that the third argument of a test stands for."""
    is_list = isinstance(expression, Node) and has_head(expression, "List")
    parts = expression.args if is_list and isinstance(expression, Node) else [expression]
    names = [_message(part) for part in parts]
    return tuple(name for name in names if name)


def _message(expression: Expression) -> str:
    while isinstance(expression, Node) and expression.args:
        head = text_of(expression.head)
        if head == "MessageName":
            return "::".join(text_of(part) for part in expression.args)
        if head in _REPEATED:
            return _message(expression.args[0]).rstrip(".") + _REPEATED[head]
        if head not in ("HoldForm", "HoldPattern"):
            break
        expression = expression.args[0]
    if not isinstance(expression, Node):
        return ""
    return ANY + _BLANKS.get(text_of(expression.head), "")


def are_expected(expected: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether these were the messages; each begins with its name."""
    # Which numbers of expected ones may have been used up so far.
    at = _passing(expected, {0})
    for message in messages:
        name = _name(message)
        at = _passing(expected, _after(expected, at, name))
    return len(expected) in at


def _after(expected: Sequence[str], at: set[int], name: str) -> set[int]:
    found: set[int] = set()
    for place in at:
        wanted = expected[place] if place < len(expected) else ""
        if wanted.rstrip(".") in (ANY, name):
            found.add(place + 1)
            if wanted.endswith(_SOME):
                found.add(place)
    return found


def _passing(expected: Sequence[str], at: set[int]) -> set[int]:
    """With the places behind those that may stand for nothing."""
    found = set(at)
    for place, wanted in enumerate(expected):
        if place in found and wanted.endswith(_SEVERAL):
            found.add(place + 1)
    return found


def _name(message: str) -> str:
    """`Power::infy` of `Power::infy: Infinite expression …`."""
    symbol, mark, rest = message.partition("::")
    return symbol + mark + rest.partition(":")[0].strip() if mark else message
