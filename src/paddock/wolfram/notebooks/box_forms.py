"""Text forms of boxes: for each kind of box, its pieces of text and the boxes to format next.

Whether a box needs parentheses is decided by its shape, so it is known before the box is formatted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.expressions import Atom, Node, get_list_items, has_head, is_symbol
from paddock.wolfram.literals import parse_string
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.printer import input_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

    TextPieces = list[str | Expression]
    BoxFormatter = Callable[[Node, "BoxTextForm"], TextPieces]

_ROW_TEMPLATES = ("RowDefault", "RowNoSeparators", "CellTextFormat", "ConstrainedGrid")
_FIRST_ARGUMENT_TEMPLATES = (
    *("HyperlinkURL", "HyperlinkDefault", "HyperlinkPaclet", "HyperlinkTag", "Hyperlink"),
    *("HyperlinkTemplate", "EchoTag", "StyleTag", "Highlighted", "Framed", "PrettyTooltipTemplate"),
    *("TransferFunctionModelMinimal", "ClickToCopy", "ClickToCopy2", "Key0"),
)
BoxTextForm = Literal["input", "output", "text"]
_SIMPLE_TOKEN = re.compile(r'[\w$`.#]+|"(?:[^"\\]|\\.)*"', re.DOTALL)
_WRAPPER_HEADS = frozenset(
    (
        *("StyleBox", "TagBox", "FormBox", "ButtonBox", "AdjustmentBox", "FrameBox", "BoxData"),
        *("TooltipBox", "PaneBox", "ItemBox", "RotationBox", "ErrorBox", "HyperlinkBox"),
        *("Cell", "TextData", "PanelBox", "MouseAppearanceTag", "StatusAreaBox", "OverlayBox"),
        *("LocatorPaneBox", "GraphicsComplexBox", "PopupMenuBox", "OpenerBox", "TagBoxNote"),
    )
)
_PRIME_MARKS = {"\u2032": "'", "'": "'", "\u2033": "''"}
_OVERSCRIPT_NAMES = {
    "^": "OverHat",
    "_": "OverBar",
    "~": "OverTilde",
    ".": "OverDot",
    "\u21c0": "OverVector",
}
_OPENING_BY_CLOSING = {"]": "[", "}": "{", ")": "("}
_BIG_OPERATORS = {get_character("Sum"): "Sum", get_character("Product"): "Product"}
_INTEGRAL_SIGNS = ('"\\[Integral]"', '"\u222b"')
_INTEGRAL, _DIFFERENTIAL = get_character("Integral"), get_character("DifferentialD")


def format_template(args: Sequence[Expression], name: str, form: str) -> TextPieces:
    """Return the pieces of a template box.

    Args:
        args: The arguments that the template displays.
        name: The name of the template, which determines the notation.
        form: The form of the text; see `boxes_to_text`.
    """
    if name in _ROW_TEMPLATES:
        return list(args)
    if name in _FIRST_ARGUMENT_TEMPLATES:
        return list(args[:1])
    formatter = _TEMPLATE_FORMATTERS.get(name)
    pieces = formatter(args, form) if formatter is not None else None
    return pieces if pieces is not None else _format_call(name or "TemplateBox", args)


def _format_call(name: str, args: Sequence[Expression]) -> TextPieces:
    pieces: TextPieces = [f"{name}["]
    for index, arg in enumerate(args):
        pieces += [", ", arg] if index else [arg]
    return [*pieces, "]"]


def _format_separated_row(args: Sequence[Expression], _form: str) -> TextPieces | None:
    """Format a row whose first argument is the separator."""
    pieces: TextPieces = []
    for index, arg in enumerate(args[1:]):
        pieces += [args[0], arg] if index else [arg]
    return pieces


def _format_quantity(args: Sequence[Expression], form: str) -> TextPieces | None:
    """Format a quantity: value and unit for readers, otherwise the `Quantity` expression."""
    if len(args) < 4:
        return None
    if form == "text":
        return [args[0], " ", args[1]]
    return ["Quantity[", args[0], ", ", args[3], "]"]


def _format_entity(args: Sequence[Expression], form: str) -> TextPieces | None:
    """Format an entity: its label for readers, otherwise the expression."""
    if len(args) < 2:
        return None
    return [args[0] if form == "text" else args[1]]


def _format_message(args: Sequence[Expression], _form: str) -> TextPieces | None:
    """Format a message with its symbol. The message text is a quoted string."""
    if len(args) < 3:
        return None
    # Message texts are strings within boxes, so they have two layers of quotes.
    return [args[0], "::", args[1], ": ", _strip_quotes(args[2])]


def _strip_quotes(expression: Expression) -> str | Expression:
    """Return the text of a string box without its quotes. Other boxes are unchanged."""
    if not isinstance(expression, Atom) or expression.kind != "string":
        return expression
    text = parse_string(expression.text)
    is_string = len(text) > 1 and text[0] == text[-1] == '"'
    return parse_string(text) if is_string else text


def _format_subscript_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return _format_call("Subscript", args)


def _format_power_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return [args[0], "^", args[1]] if len(args) == 2 else None


def _format_space(_args: Sequence[Expression], _form: str) -> TextPieces | None:
    return [" "]


def _format_root_template(args: Sequence[Expression], _form: str) -> TextPieces | None:
    return _format_call("Surd", args) if len(args) == 2 else None


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


def get_reversed_row(node: Node, form: BoxTextForm) -> TextPieces:
    """Return the items of a row in reverse order, ready to be pushed on a stack.

    A row that begins with a sum, product or integral sign becomes a call.
    """
    items = get_list_items(node.args[0]) if node.args else []
    first = items[0] if len(items) > 1 else None
    # Only these can start a sum, product or integral; the check must be cheap, since rows are the
    # most frequent boxes.
    if isinstance(first, Node) or (first is not None and first.text in _INTEGRAL_SIGNS):
        pieces = _format_big_operator(items)
        if pieces is not None:
            return pieces[::-1]
    return [*reversed(items)]


def get_token_text(expression: Expression) -> str:
    """Return the text of a box that is a single token, or an empty text for other boxes."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    return ""


def unwrap_box(expression: Expression) -> Expression:
    """Return the box inside boxes that only affect its appearance."""
    while isinstance(expression, Node) and expression.args and isinstance(expression.head, Atom):
        name = expression.head.text
        is_lone = name in ("RowBox", "List") and len(expression.args) == 1
        if name not in _WRAPPER_HEADS and not is_lone:
            break
        expression = expression.args[0]
    return expression


def _needs_no_parentheses(expression: Expression) -> bool:
    """Return whether a box can be an operand without parentheses."""
    box = unwrap_box(expression)
    if isinstance(box, Atom):
        return box.kind != "string" or bool(_SIMPLE_TOKEN.fullmatch(get_token_text(box)))
    if has_head(box, "List"):
        return _is_bracketed(box.args)
    if has_head(box, "RowBox"):
        return bool(box.args) and _is_bracketed([*get_list_items(box.args[0])])
    return any(has_head(box, name) for name in ("SqrtBox", "GridBox", "SubscriptBox"))


def _is_bracketed(items: list[Expression]) -> bool:
    """Return whether the items are `(...)`, `{...}` or `f[...]`."""
    if len(items) < 2:
        return False
    opening = _OPENING_BY_CLOSING.get(get_token_text(items[-1]))
    if opening is None:
        return False
    if opening == "[":
        return get_token_text(items[1]) == "[" and _needs_no_parentheses(items[0])
    return get_token_text(items[0]) == opening


def _parenthesize(expression: Expression) -> TextPieces:
    """Return the box, in parentheses if it could not be an operand without them."""
    return [expression] if _needs_no_parentheses(expression) else ["(", expression, ")"]


def _make_call_formatter(name: str) -> BoxFormatter:
    """Return a formatter for `name[a, b]`."""

    def format_call(node: Node, _form: BoxTextForm) -> TextPieces:
        return _format_call(name, _get_box_arguments(node))

    return format_call


def _get_box_arguments(node: Node) -> list[Expression]:
    """Return the arguments of a box without its options."""
    return [
        arg for arg in node.args if not has_head(arg, "Rule") and not has_head(arg, "RuleDelayed")
    ]


def _format_fraction(node: Node, form: BoxTextForm) -> TextPieces:
    """Format `a/b`, with parentheses around operands that are not single tokens or bracketed."""
    args = _get_box_arguments(node)
    if len(args) != 2:
        return format_unknown_box(node, form)
    return [*_format_factor(args[0]), "/", *_format_factor(args[1])]


def _format_factor(expression: Expression) -> TextPieces:
    """Format a factor: a power needs no parentheses in a quotient."""
    is_power = has_head(unwrap_box(expression), "SuperscriptBox")
    return [expression] if is_power else _parenthesize(expression)


def _format_overscript(node: Node, form: BoxTextForm) -> TextPieces:
    """Format an accent such as `OverHat[x]`, or `Overscript[x, y]`."""
    args = _get_box_arguments(node)
    name = _OVERSCRIPT_NAMES.get(get_token_text(args[1])) if len(args) == 2 else None
    return [f"{name}[", args[0], "]"] if name else _make_call_formatter("Overscript")(node, form)


def _format_power(node: Node, form: BoxTextForm) -> TextPieces:
    """Format `x^n`, or primes such as `f'`."""
    args = _get_box_arguments(node)
    if len(args) != 2:
        return format_unknown_box(node, form)
    exponent = get_token_text(args[1])
    if exponent and set(exponent) <= set(_PRIME_MARKS):
        return [*_parenthesize(args[0]), "".join(_PRIME_MARKS[mark] for mark in exponent)]
    return [*_parenthesize(args[0]), "^", *_parenthesize(args[1])]


def _format_indexed_power(node: Node, form: BoxTextForm) -> TextPieces:
    """Format `Subscript[x, i]^n`."""
    args = _get_box_arguments(node)
    if len(args) != 3:
        return format_unknown_box(node, form)
    return ["Subscript[", args[0], ", ", args[1], "]^", *_parenthesize(args[2])]


def _format_root(node: Node, form: BoxTextForm) -> TextPieces:
    """Format an n-th root as `x^(1/n)`."""
    args = _get_box_arguments(node)
    if len(args) != 2:
        return format_unknown_box(node, form)
    return [*_parenthesize(args[0]), "^(1/", *_parenthesize(args[1]), ")"]


def _format_big_operator(items: list[Expression]) -> TextPieces | None:
    """Format a row with a sum, product or integral sign as a call.

    Returns None if the row is not complete, for example without a lower bound.
    """
    operator = items[0]
    if isinstance(operator, Atom):
        return _format_integral([], items[1:])
    if not operator.args or not isinstance(operator.head, Atom):
        return None
    token = get_token_text(operator.args[0])
    if token == _INTEGRAL:
        return _format_integral(operator.args[1:], items[1:])
    name = _BIG_OPERATORS.get(token)
    if name is None or operator.head.text != "UnderoverscriptBox" or len(operator.args) < 3:
        return None
    lower_bound = _split_lower_bound(operator.args[1])
    if lower_bound is None:
        return None
    variable, start = lower_bound
    return [f"{name}[", *items[1:], ", {", variable, ", ", *start, ", ", operator.args[2], "}]"]


def _split_lower_bound(expression: Expression) -> tuple[Expression, list[Expression]] | None:
    """Split the lower bound `i = 1` into its variable and start."""
    if not has_head(expression, "RowBox"):
        return None
    items = get_list_items(expression.args[0]) if expression.args else []
    if len(items) < 3 or get_token_text(items[1]) != "=":
        return None
    return items[0], items[2:]


def _format_integral(limits: list[Expression], items: list[Expression]) -> TextPieces | None:
    """Format the items after an integral sign as `Integrate[...]`; None if incomplete.

    The last two boxes of the items must be a differential sign and a variable.
    """
    body = items
    if len(items) == 1 and has_head(items[0], "RowBox"):
        body = get_list_items(items[0].args[0]) if items[0].args else []
    differential_row = body[-1] if body else None
    if not has_head(differential_row, "RowBox") or not differential_row.args:
        return None
    differential = get_list_items(differential_row.args[0])
    if len(differential) != 2 or get_token_text(differential[0]) != _DIFFERENTIAL:
        return None
    inner, variable = body[:-1], differential[1]
    if len(limits) < 2:
        return ["Integrate[", *inner, ", ", variable, "]"]
    return ["Integrate[", *inner, ", {", variable, ", ", limits[0], ", ", limits[1], "}]"]


def _format_grid(node: Node, form: BoxTextForm) -> TextPieces:
    """Format a grid as nested lists in code, and as lines of columns for readers."""
    rows = [get_list_items(row) for row in get_list_items(node.args[0])] if node.args else []
    # In code, a grid is a nested list, so that it evaluates to a matrix.
    opening, closing = ("", "") if form == "text" else ("{", "}")
    row_separator, separator = ("\n", "\t") if form == "text" else (", ", ", ")
    pieces: TextPieces = [opening]
    for row_index, row in enumerate(rows):
        pieces += [row_separator if row_index else "", opening]
        for column, entry in enumerate(row):
            pieces += [separator, entry] if column else [entry]
        pieces.append(closing)
    return [*pieces, closing]


def _get_first(node: Node, _form: BoxTextForm) -> TextPieces:
    return [node.args[0]] if node.args else []


def _format_interpretation(node: Node, form: BoxTextForm) -> TextPieces:
    """Format the displayed form for readers, and the represented expression in code."""
    if len(node.args) < 2 or form == "text":
        return _get_first(node, form)
    return [input_form(node.args[1])]


def _format_dynamic_module(node: Node, form: BoxTextForm) -> TextPieces:
    """Format the displayed body. The controls of a `Manipulate` are abbreviated."""
    if len(node.args) < 2:
        return ["DynamicModule[\u2026]"]
    body = unwrap_box(node.args[1])
    # The front end computes the body of a `Manipulate`, so only its name can be shown.
    if isinstance(body, Node) and isinstance(body.head, Atom) and body.head.text == "DynamicBox":
        inner = body.args[0] if body.args else body
        name = inner.head.text if isinstance(inner, Node) and isinstance(inner.head, Atom) else ""
        function_name = name.rpartition("`")[2].removesuffix("Boxes")
        return [f"{function_name or 'DynamicModule'}[\u2026]"]
    return [node.args[1]]


def _format_dynamic(node: Node, _form: BoxTextForm) -> TextPieces:
    inner = node.args[0] if node.args else None
    if has_head(inner, "ToBoxes") and inner.args:
        inner = inner.args[0]
    return ["Dynamic[", input_form(inner) if inner is not None else "", "]"]


def _format_choice(node: Node, form: BoxTextForm) -> TextPieces:
    """Format the first pane of a box that shows one pane at a time."""
    panes = get_list_items(node.args[0]) if node.args else []
    pane = panes[0] if panes else None
    if has_head(pane, "Rule") and len(pane.args) == 2:
        return [pane.args[1]]
    return _get_first(node, form)


def _format_graphics(node: Node, _form: BoxTextForm) -> TextPieces:
    name = node.head.text.removesuffix("Box") if isinstance(node.head, Atom) else "Graphics"
    return [f"-{name}-"]


def _format_template_box(node: Node, form: BoxTextForm) -> TextPieces:
    args = _get_box_arguments(node)
    if len(args) < 2 or not isinstance(args[0], Node):
        return _get_first(node, form)
    return format_template(args[0].args, get_token_text(args[1]), form)


def _format_list(node: Node, _form: BoxTextForm) -> TextPieces:
    """Format a list of boxes as a sequence, without braces."""
    return list(node.args)


def _format_nothing(_node: Node, _form: BoxTextForm) -> TextPieces:
    return []


def _format_control(node: Node, _form: BoxTextForm) -> TextPieces:
    """Format a slider, checkbox or similar control as its value."""
    value = node.args[0] if node.args else None
    if value is None or is_symbol(value, "Automatic"):
        return []
    return [input_form(value)]


def format_unknown_box(node: Node, _form: BoxTextForm) -> TextPieces:
    """Format an unknown box, or an expression, in input form."""
    return [input_form(node)]


BOX_FORMATTERS: dict[str, BoxFormatter] = {
    **dict.fromkeys(_WRAPPER_HEADS, _get_first),
    "List": _format_list,
    "FractionBox": _format_fraction,
    "SuperscriptBox": _format_power,
    "SubscriptBox": _make_call_formatter("Subscript"),
    "SubsuperscriptBox": _format_indexed_power,
    "SqrtBox": _make_call_formatter("Sqrt"),
    "RadicalBox": _format_root,
    "UnderscriptBox": _make_call_formatter("Underscript"),
    "OverscriptBox": _format_overscript,
    "UnderoverscriptBox": _make_call_formatter("Underoverscript"),
    "GridBox": _format_grid,
    "InterpretationBox": _format_interpretation,
    "DynamicModuleBox": _format_dynamic_module,
    "DynamicWrapperBox": _get_first,
    "DynamicBox": _format_dynamic,
    "PaneSelectorBox": _format_choice,
    "TabViewBox": _format_choice,
    "TemplateBox": _format_template_box,
    "GraphicsBox": _format_graphics,
    "Graphics3DBox": _format_graphics,
    "GraphicsData": _format_graphics,
    "RasterBox": _format_graphics,
    "CheckboxBox": _format_control,
    "SliderBox": _format_control,
    "InputFieldBox": _format_control,
    "CounterBox": _format_nothing,
    "ValueBox": _format_nothing,
    "OptionValueBox": _format_nothing,
}
"""Formatters of boxes by head."""
