"""What stands for a `TemplateBox` in text: its name says how its arguments are displayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

    Pieces = list["str | Expression"]

_ROWS = ("RowDefault", "RowNoSeparators", "CellTextFormat", "ConstrainedGrid")
_FIRST = (
    *("HyperlinkURL", "HyperlinkDefault", "HyperlinkPaclet", "HyperlinkTag", "Hyperlink"),
    *("HyperlinkTemplate", "EchoTag", "StyleTag", "Highlighted", "Framed", "PrettyTooltipTemplate"),
    *("TransferFunctionModelMinimal", "ClickToCopy", "ClickToCopy2", "Key0"),
)


def template(args: Sequence[Expression], name: str, form: str) -> Pieces:
    """The pieces that stand for a template with these arguments."""
    if name in _ROWS:
        return list(args)
    if name in _FIRST:
        return list(args[:1])
    known = _KNOWN.get(name)
    found = known(args, form) if known is not None else None
    return found if found is not None else _called(name or "TemplateBox", args)


def _called(name: str, args: Sequence[Expression]) -> Pieces:
    pieces: Pieces = [f"{name}["]
    for place, arg in enumerate(args):
        pieces += [", ", arg] if place else [arg]
    return [*pieces, "]"]


def _separated(args: Sequence[Expression], _form: str) -> Pieces | None:
    """A row whose first argument stands between the others."""
    pieces: Pieces = []
    for place, arg in enumerate(args[1:]):
        pieces += [args[0], arg] if place else [arg]
    return pieces


def _quantity(args: Sequence[Expression], form: str) -> Pieces | None:
    if len(args) < 4:
        return None
    if form == "text":
        return [args[0], " ", args[1]]
    return ["Quantity[", args[0], ", ", args[3], "]"]


def _entity(args: Sequence[Expression], form: str) -> Pieces | None:
    if len(args) < 2:
        return None
    return [args[0] if form == "text" else args[1]]


def _message(args: Sequence[Expression], _form: str) -> Pieces | None:
    """A message with the name of its symbol; its text is a string, quotes and all."""
    if len(args) < 3:
        return None
    return [args[0], "::", args[1], ": ", _unquoted(args[2])]


def _unquoted(expression: Expression) -> str | Expression:
    if not isinstance(expression, Atom) or expression.kind != "string":
        return expression
    text = string_value(expression.text)
    is_string = len(text) > 1 and text[0] == text[-1] == '"'
    return string_value(text) if is_string else text


def _subscript(args: Sequence[Expression], _form: str) -> Pieces | None:
    return _called("Subscript", args)


def _power(args: Sequence[Expression], _form: str) -> Pieces | None:
    return [args[0], "^", args[1]] if len(args) == 2 else None


def _space(_args: Sequence[Expression], _form: str) -> Pieces | None:
    return [" "]


def _root(args: Sequence[Expression], _form: str) -> Pieces | None:
    return _called("Surd", args) if len(args) == 2 else None


_KNOWN: dict[str, Callable[[Sequence[Expression], str], Pieces | None]] = {
    "RowWithSeparator": _separated,
    "RowWithSeparators": _separated,
    "Quantity": _quantity,
    "QuantityPostfix": _quantity,
    "Entity": _entity,
    "EntityProperty": _entity,
    "EntityClass": _entity,
    "MessageTemplate": _message,
    "MessageTemplate2": _message,
    "Subscript": _subscript,
    "Superscript": _power,
    "Spacer1": _space,
    "Surd": _root,
}
