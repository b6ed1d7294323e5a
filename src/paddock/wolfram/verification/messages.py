"""The messages that a test expects: reading them, and comparing them with those there were.

A message is its name, `Power::infy`, or `_` for any; `..` after it stands for one or more of them,
`...` for any number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.text import parse_string, parse_symbol_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression

ANY_MESSAGE = "_"
"""Stands for a message that may be any."""
_ONE_OR_MORE, _ANY_NUMBER = "..", "..."
_REPEAT_SUFFIXES = {"Repeated": _ONE_OR_MORE, "RepeatedNull": _ANY_NUMBER}
_BLANK_SUFFIXES = {"BlankSequence": _ONE_OR_MORE, "BlankNullSequence": _ANY_NUMBER}


def get_atom_text(expression: Expression) -> str:
    """A string's value, or what a symbol is called; nothing for other expressions."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return parse_symbol_name(expression.text)
    return ""


def read_expected_messages(expression: Expression) -> tuple[str, ...]:
    """The messages that the third argument of a test stands for."""
    is_list = isinstance(expression, Node) and has_head(expression, "List")
    parts = expression.args if is_list and isinstance(expression, Node) else [expression]
    names = [_read_message(part) for part in parts]
    return tuple(name for name in names if name)


def _read_message(expression: Expression) -> str:
    while isinstance(expression, Node) and expression.args:
        head = get_atom_text(expression.head)
        if head == "MessageName":
            return "::".join(get_atom_text(part) for part in expression.args)
        if head in _REPEAT_SUFFIXES:
            return _read_message(expression.args[0]).rstrip(".") + _REPEAT_SUFFIXES[head]
        if head not in ("HoldForm", "HoldPattern"):
            break
        expression = expression.args[0]
    if not isinstance(expression, Node):
        return ""
    return ANY_MESSAGE + _BLANK_SUFFIXES.get(get_atom_text(expression.head), "")


def are_messages_expected(expected: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether these were the messages; each begins with its name."""
    # Which numbers of expected ones may have been used up so far.
    at = _skip_optional_messages(expected, {0})
    for message in messages:
        name = _get_message_name(message)
        at = _skip_optional_messages(expected, _advance_positions(expected, at, name))
    return len(expected) in at


def _advance_positions(expected: Sequence[str], at: set[int], name: str) -> set[int]:
    found: set[int] = set()
    for place in at:
        wanted = expected[place] if place < len(expected) else ""
        if wanted.rstrip(".") in (ANY_MESSAGE, name):
            found.add(place + 1)
            if wanted.endswith(_ONE_OR_MORE):
                found.add(place)
    return found


def _skip_optional_messages(expected: Sequence[str], at: set[int]) -> set[int]:
    """With the places behind those that may stand for nothing."""
    found = set(at)
    for place, wanted in enumerate(expected):
        if place in found and wanted.endswith(_ANY_NUMBER):
            found.add(place + 1)
    return found


def _get_message_name(message: str) -> str:
    """`Power::infy` of `Power::infy: Infinite expression …`."""
    symbol, mark, rest = message.partition("::")
    return symbol + mark + rest.partition(":")[0].strip() if mark else message
