"""Patterns, slots and earlier results, which are written as one token and are expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, string, symbol

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

_BLANK_HEADS = {"_": "Blank", "__": "BlankSequence", "___": "BlankNullSequence"}
BLANK_FORM, SLOT_FORM, OUT_FORM = "_", "#", "%"


def parse_blank(text: str, start: int, end: int) -> Node:
    """`x_`, `x_h`, `__`, `x_.` and the like."""
    name, _, _ = text.partition("_")
    rest = text[len(name) :]
    bars = rest[: len(rest) - len(rest.lstrip("_"))]
    after = rest[len(bars) :]
    args: list[Expression] = []
    if after not in ("", "."):
        args.append(Atom("symbol", after, end - len(after), end))
    whole = end
    if after == ".":
        end -= 1
    found = Node(symbol(_BLANK_HEADS[bars]), args, start + len(name), end, BLANK_FORM)
    if name:
        variable = Atom("symbol", name, start, start + len(name))
        found = Node(symbol("Pattern"), [variable, found], start, end, BLANK_FORM)
    if after == ".":
        found = Node(symbol("Optional"), [found], start, whole, BLANK_FORM)
    return found


def parse_slot(text: str, start: int, end: int) -> Node:
    """`#`, `#2`, `#name`, `##`, `##2`."""
    head = "SlotSequence" if text.startswith("##") else "Slot"
    which = text.lstrip("#") or "1"
    if which.isdigit():
        arg = Atom("number", which)
    else:
        arg = Atom("string", which) if which.startswith('"') else string(which)
    return Node(symbol(head), [arg], start, end, SLOT_FORM)


def parse_out(text: str, start: int, end: int) -> Node:
    """`%`, `%%`, `%5`."""
    number = text.lstrip("%")
    args: list[Expression] = []
    if number:
        args.append(Atom("number", number))
    elif len(text) > 1:
        args.append(Atom("number", f"-{len(text)}"))
    return Node(symbol("Out"), args, start, end, OUT_FORM)
