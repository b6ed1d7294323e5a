"""What stands for a `TemplateBox` in text: its name says how its arguments are displayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.text import parse_string

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

    TextPieces = list["str | Expression"]

_ROW_TEMPLATES = ("RowDefault", "RowNoSeparators", "CellTextFormat", "ConstrainedGrid")
_FIRST_ARGUMENT_TEMPLATES = (
    *("HyperlinkURL", "HyperlinkDefault", "HyperlinkPaclet", "HyperlinkTag", "Hyperlink"),
    *("HyperlinkTemplate", "EchoTag", "StyleTag", "Highlighted", "Framed", "PrettyTooltipTemplate"),
    *("TransferFunctionModelMinimal", "ClickToCopy", "ClickToCopy2", "Key0"),
)


def format_template(args: Sequence[Expression], name: str, form: str) -> TextPieces:
    """The pieces that stand for a template with these arguments."""
    if name in _ROW_TEMPLATES:
        return list(args)
    if name in _FIRST_ARGUMENT_TEMPLATES:
        return list(args[:1])
    known = _TEMPLATE_FORMATTERS.get(name)
    found = known(args, form) if known is not None else None
    return found if found is not None else _format_template_call(name or "TemplateBox", args)


def _format_template_call(name: str, args: Sequence[Expression]) -> TextPieces:
    pieces: TextPieces = [f"{name}["]
    for place, arg in enumerate(args):
        pieces += [", ", arg] if place else [arg]
    return [*pieces, "]"]


def _format_separated_row(args: Sequence[Expression], _form: str) -> TextPieces | None:
    """A row whose first argument stands between the others."""
    pieces: TextPieces = []
    for place, arg in enumerate(args[1:]):
        pieces += [args[0], arg] if place else [arg]
    return pieces


def _format_quantity(args: Sequence[Expression], form: str) -> TextPieces | None:
    if len(args) < 4:
        return None
    if form == "text":
        return [args[0], " ", args[1]]
    return ["Quantity[", args[0], ", ", args[3], "]"]


def _format_entity(args: Sequence[Expression], form: str) -> TextPieces | None:
    if len(args) < 2:
        return None
    return [args[0] if form == "text" else args[1]]


def _format_message(args: Sequence[Expression], _form: str) -> TextPieces | None:
    """A message with the name of its symbol; its text is a string, quotes and all."""
    if len(args) < 3:
        return None
    return [args[0], "::", args[1], ": ", _strip_quotes(args[2])]


def _strip_quotes(expression: Expression) -> str | Expression:
    if not isinstance(expression, Atom) or expression.kind != "string":
        return expression
    text = parse_string(expression.text)
    is_string = len(text) > 1 and text[0] == text[-1] == '"'
    return parse_string(text) if is_string else text


def _format_subscript_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return _format_template_call("Subscript", args)


def _format_power_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return [args[0], "^", args[1]] if len(args) == 2 else None


def _format_space(_args: Sequence[Expression], _form: str) -> TextPieces | None:
    return [" "]


def _format_root_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return _format_template_call("Surd", args) if len(args) == 2 else None


_TEMPLATE_FORMATTERS: dict[str, Callable[[Sequence[Expression], str], TextPieces | None]] = {
    "RowWithSeparator": _format_separated_row,
    "RowWithSeparators": _format_separated_row,
    "Quantity": _format_quantity,
    "QuantityPostfix": _format_quantity,
    "Entity": _format_entity,
    "EntityProperty": _format_entity,
    "EntityClass": _format_entity,
    "MessageTemplate": _format_message,
    "MessageTemplate2": _format_message,
    "Subscript": _format_subscript_template,
    "Superscript": _format_power_template,
    "Spacer1": _format_space,
    "Surd": _format_root_template,
}
