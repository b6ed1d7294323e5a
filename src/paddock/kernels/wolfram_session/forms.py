"""Values that come with the form in which they are to be shown: `InputForm[x]`, `FullForm[x]`."""

from __future__ import annotations

import re

from paddock.wolfram import Node, full_form, parse

_INPUT, _FULL = "InputForm[", "FullForm["
_UNKNOWN_LINE = re.compile(r"HoldForm\[(Out\[-?\d+\])\]")
"""How a line that the session does not have is kept from the engine."""


def shown(result: str) -> str:
    """A result as it is shown: in the form that it asks for."""
    if unknown := _UNKNOWN_LINE.fullmatch(result):
        return unknown[1]
    inner = _inner(result)
    if inner is None or result.startswith(_INPUT):
        return result if inner is None else inner
    return full_form(parse(inner).expressions[0])


def value(result: str) -> str:
    """A result as `%` means it: without the form."""
    inner = _inner(result)
    return result if inner is None else inner


def _inner(result: str) -> str | None:
    """What stands inside of the form; None if there is none."""
    if not result.startswith((_INPUT, _FULL)):
        return None
    source = parse(result)
    if source.problems or len(source.expressions) != 1:
        return None
    (found,) = source.expressions
    if not isinstance(found, Node) or found.form != "call" or len(found.args) != 1:
        return None
    return result[found.args[0].start : found.args[0].end]
