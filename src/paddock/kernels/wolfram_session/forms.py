"""Values that come with the form in which they are to be shown: `InputForm[x]`, `FullForm[x]`."""

from __future__ import annotations

import re

from paddock.wolfram import Node, full_form, parse

_INPUT_FORM_START, _FULL_FORM_START = "InputForm[", "FullForm["
_UNKNOWN_LINE_OUTPUT = re.compile(r"HoldForm\[(Out\[-?\d+\])\]")
"""How a line that the session does not have is kept from the engine."""


def apply_output_form(result: str) -> str:
    """A result as it is shown: in the form that it asks for."""
    if unknown := _UNKNOWN_LINE_OUTPUT.fullmatch(result):
        return unknown[1]
    inner = _get_form_argument(result)
    if inner is None or result.startswith(_INPUT_FORM_START):
        return result if inner is None else inner
    return full_form(parse(inner).expressions[0])


def strip_output_form(result: str) -> str:
    """A result as `%` means it: without the form."""
    inner = _get_form_argument(result)
    return result if inner is None else inner


def _get_form_argument(result: str) -> str | None:
    """What stands inside of the form; None if there is none."""
    if not result.startswith((_INPUT_FORM_START, _FULL_FORM_START)):
        return None
    source = parse(result)
    if source.problems or len(source.expressions) != 1:
        return None
    (found,) = source.expressions
    if not isinstance(found, Node) or found.form != "call" or len(found.args) != 1:
        return None
    return result[found.args[0].start : found.args[0].end]
