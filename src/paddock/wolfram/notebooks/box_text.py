r"""Converts boxes, and linear box syntax in strings, to text.

`boxes_to_text` walks the boxes without recursion. `_format_box` returns the text of one box as
pieces. The shape of a box determines whether it needs parentheses, so this is known before the box
is written. Old notebooks and message texts contain linear box syntax: `\(x\^2\)`, or `\!\(\*...\)`
within a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.expressions import (
    Atom,
    Node,
    get_head_name,
    get_list_items,
    has_head,
    is_symbol,
)
from paddock.wolfram.literals import parse_string, parse_symbol_name
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.notebooks.character_encoding import (
    PLAIN_TEXT_BY_CHARACTER,
    to_plain_characters,
)
from paddock.wolfram.notebooks.model import get_string
from paddock.wolfram.parser import parse
from paddock.wolfram.printer import input_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

    TextPieces = list[str | Expression]
    """Text, and inner boxes that are converted next: `["Sqrt[", box, "]"]`."""

BoxTextForm = Literal["input", "output", "text"]
GRAPHICS_HEADS = frozenset(("GraphicsBox", "Graphics3DBox", "GraphicsData"))
"""Boxes that only a front end can draw."""
_ROW_TEMPLATES = ("RowDefault", "RowNoSeparators", "CellTextFormat", "ConstrainedGrid")
_FIRST_ARGUMENT_TEMPLATES = (
    *("HyperlinkURL", "HyperlinkDefault", "HyperlinkPaclet", "HyperlinkTag", "Hyperlink"),
    *("HyperlinkTemplate", "EchoTag", "StyleTag", "Highlighted", "Framed", "PrettyTooltipTemplate"),
    *("TransferFunctionModelMinimal", "ClickToCopy", "ClickToCopy2", "Key0"),
)
_SIMPLE_TOKEN = re.compile(r'[\w$`.#]+|"(?:[^"\\]|\\.)*"', re.DOTALL)
_WRAPPER_HEADS = frozenset(
    (
        *("StyleBox", "TagBox", "FormBox", "ButtonBox", "AdjustmentBox", "FrameBox", "BoxData"),
        *("TooltipBox", "PaneBox", "ItemBox", "RotationBox", "ErrorBox", "HyperlinkBox"),
        *("Cell", "TextData", "PanelBox", "MouseAppearanceTag", "StatusAreaBox", "OverlayBox"),
        *("LocatorPaneBox", "GraphicsComplexBox", "PopupMenuBox", "OpenerBox", "TagBoxNote"),
    )
)
_SHOWN_ARGUMENT_COUNTS = {
    **dict.fromkeys(("InterpretationBox", "TemplateBox", "DynamicWrapperBox"), 1),
    **dict.fromkeys(("PaneSelectorBox", "TabViewBox"), 1),
    **dict.fromkeys(("CounterBox", "ValueBox", "OptionValueBox"), 0),
    **dict.fromkeys(("CheckboxBox", "SliderBox", "InputFieldBox"), 0),
}
"""Number of arguments shown for boxes without a special text form."""
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
_BOX_START = "\\!\\("
_BOX_EDGE = re.compile(r"\\([()])")
_BOX_OPERATOR = re.compile(r"\\([\^_/@% !*&`+()])")
_OPERATOR_TEXT = {
    "^": "^",
    "_": "_",
    "/": "/",
    "@": "Sqrt@",
    " ": " ",
    "(": "(",
    ")": ")",
    "%": "^",
}
_BRACKET_DEPTH_CHANGES = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}
_INDENTING_NEWLINE, _INDENT = '"\\[IndentingNewLine]"', "  "
_MACHINE_NUMBER = re.compile(r"[\d.]+`")


def boxes_to_text(
    expression: Expression,
    *,
    form: BoxTextForm = "input",
    limit: int | None = None,
    picture: Callable[[Node], str] | None = None,
) -> str:
    """Convert boxes to text.

    Boxes are processed with a stack instead of recursion. Each formatter returns text and inner
    boxes, which are pushed in reverse order.

    Args:
        expression: The boxes.
        form: "input" returns code with the same meaning. "output" also omits machine-precision
            marks. "text" is for readers: strings have no quotes, and displayed forms replace the
            expressions that they represent.
        limit: Text beyond this number of characters may be omitted.
        picture: Returns the placeholder of a graphics box.
    """
    pieces: list[str] = []
    pending: list[str | Expression] = [expression]
    previous_token, size, depth = "", 0, 0
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            previous_token = ""
        elif isinstance(item, Atom):
            text = _format_token(item, form)
            # Boxes separate tokens that would run together in text: `a` and `b` in a product.
            if previous_token and text and _would_merge(previous_token, text):
                pieces.append(" ")
            if text in _BRACKET_DEPTH_CHANGES:
                depth += _BRACKET_DEPTH_CHANGES[text]
            elif text == "\n" and item.text == _INDENTING_NEWLINE and form != "text":
                text += _INDENT * depth
            pieces.append(text)
            previous_token = text
            size += len(text)
            # Outputs can contain megabytes of boxes, of which only the beginning is shown.
            if limit is not None and size > limit:
                break
        else:
            # Inlined `get_head_name`, because large outputs have millions of boxes.
            name = item.head.text if isinstance(item.head, Atom) else ""
            if name == "RowBox":
                pending += _get_reversed_row(item)
            elif name in GRAPHICS_HEADS and picture is not None:
                pending.append(picture(item))
            else:
                pending += reversed(_format_box(item, name, form))
    return "".join(pieces)


def _would_merge(previous_token: str, text: str) -> bool:
    """Return whether two tokens without a space between them would be read as one token.

    For example, `a` and `b` would be read as `ab`. A number and a name are not merged, because `2x`
    is a product.
    """
    last, first = previous_token[-1], text[0]
    if not (first.isalnum() and last.isalnum()):
        return False
    return last.isalpha() or first.isdigit() or not previous_token.lstrip(".")[0].isdigit()


def _format_token(atom: Atom, form: BoxTextForm) -> str:
    """Return the text of a box that is a single token, such as `"x"` for the name `x`."""
    text = atom.text
    if atom.kind != "string":
        return box_syntax_to_code(text) if atom.kind == "boxes" else text
    text = text[1:-1] if "\\" not in text else parse_string(text)
    # Plain ASCII tokens are the most frequent ones and need no conversion.
    if text.isascii() and text[:1] != '"' and text[-1:] != "`":
        return text
    return _format_special_token(text, form)


def _format_special_token(text: str, form: BoxTextForm) -> str:
    """Return the text of a string token, or of one with a precision mark or non-ASCII characters.

    Text for readers shows strings without quotes. Output shows machine numbers without the
    precision mark, a backtick. Special characters become the plain text that users type for them.
    """
    if text[:1] == '"' and form == "text":
        text = parse_string(text) if text[-1:] == '"' and len(text) > 1 else text
    if form == "output" and _MACHINE_NUMBER.fullmatch(text):
        return text[:-1]
    plain_text = PLAIN_TEXT_BY_CHARACTER.get(text)
    return plain_text if plain_text is not None else to_plain_characters(text)


def _format_box(node: Node, name: str, form: BoxTextForm) -> TextPieces:
    """Return the text of a box as pieces, without converting inner boxes to text yet.

    Boxes are the notebook format for typeset expressions. For example, `FractionBox["a", "b"]`
    becomes `["a", "/", "b"]`. An unknown box is written as an expression in input form. Rows are
    handled by `_get_reversed_row` instead.

    Args:
        node: The box.
        name: The head of the box.
        form: The form of the text; see `boxes_to_text`.
    """
    if name in _WRAPPER_HEADS:
        return [*node.args[:1]]
    if name == "List":
        return [*node.args]
    if name in GRAPHICS_HEADS or name == "RasterBox":
        return [f"-{name.removesuffix('Box')}-"]
    pieces = _format_math_box(name, _get_box_arguments(node))
    if pieces is None:
        pieces = _format_interactive_box(name, node.args, form)
    return [input_form(node)] if pieces is None else pieces


def _get_box_arguments(node: Node) -> list[Expression]:
    """Return the arguments of a box without its options."""
    return [
        arg for arg in node.args if not has_head(arg, "Rule") and not has_head(arg, "RuleDelayed")
    ]


def _format_math_box(name: str, args: list[Expression]) -> TextPieces | None:
    """Return the text of a fraction, a root, or a box with scripts, as pieces.

    Returns None for any other box.

    Args:
        name: The head of the box.
        args: The arguments of the box without its options.
    """
    match name, args:
        case "FractionBox", [numerator, denominator]:
            return [*_format_factor(numerator), "/", *_format_factor(denominator)]
        case "SuperscriptBox", [base, exponent]:
            return [*_parenthesize(base), *_format_exponent(exponent)]
        case "SubsuperscriptBox", [base, index, exponent]:
            return ["Subscript[", base, ", ", index, "]^", *_parenthesize(exponent)]
        case "RadicalBox", [radicand, degree]:
            return [*_parenthesize(radicand), "^(1/", *_parenthesize(degree), ")"]
        case "OverscriptBox", [base, accent] if get_string(accent) in _OVERSCRIPT_NAMES:
            return [f"{_OVERSCRIPT_NAMES[get_string(accent)]}[", base, "]"]
        case (
            (
                "SqrtBox"
                | "SubscriptBox"
                | "UnderscriptBox"
                | "OverscriptBox"
                | "UnderoverscriptBox"
            ),
            _,
        ):
            return _format_call(name.removesuffix("Box"), args)
        case _:
            return None


def _format_factor(expression: Expression) -> TextPieces:
    """Format a factor of a quotient, where a power needs no parentheses."""
    is_power = has_head(unwrap_box(expression), "SuperscriptBox")
    return [expression] if is_power else _parenthesize(expression)


def _format_exponent(exponent: Expression) -> TextPieces:
    """Format `^n`, or the primes of a derivative such as `f'`."""
    marks = get_string(exponent)
    if marks and set(marks) <= set(_PRIME_MARKS):
        return ["".join(_PRIME_MARKS[mark] for mark in marks)]
    return ["^", *_parenthesize(exponent)]


def _format_call(name: str, args: Sequence[Expression]) -> TextPieces:
    """Format `name[a, b]`."""
    return [f"{name}[", *_join_boxes(args, ", "), "]"]


def _join_boxes(boxes: Sequence[Expression], separator: str | Expression) -> TextPieces:
    pieces: TextPieces = []
    for box in boxes:
        pieces += [separator, box] if pieces else [box]
    return pieces


def _format_interactive_box(
    name: str, args: list[Expression], form: BoxTextForm
) -> TextPieces | None:
    """Return the text of a grid, a template, a control or a dynamic box, as pieces.

    Returns None for any other box.

    Args:
        name: The head of the box.
        args: The arguments of the box, with its options.
        form: The form of the text.
    """
    match name, args:
        case "GridBox", _:
            return _format_grid(args, form)
        case "InterpretationBox", [_, expression, *_] if form != "text":
            return [input_form(expression)]
        case "TemplateBox", [Node(args=template_args), template_name, *_]:
            return _format_template(get_string(template_name), template_args, form)
        case "DynamicModuleBox", _:
            return _format_dynamic_module(args)
        case "DynamicBox", _:
            return _format_dynamic(args)
        case (("PaneSelectorBox" | "TabViewBox"), [panes, *_]):
            return [_get_first_pane(panes)]
        # Text can only show the value of a control.
        case (("CheckboxBox" | "SliderBox" | "InputFieldBox"), [value, *_]):
            return [] if is_symbol(value, "Automatic") else [input_form(value)]
        case _:
            count = _SHOWN_ARGUMENT_COUNTS.get(name)
            return None if count is None else [*args[:count]]


def _format_grid(args: list[Expression], form: BoxTextForm) -> TextPieces:
    """Return the text of a grid as pieces: nested lists in code, or tab-separated lines in text.

    In code, the nested lists `{{a, b}, {c, d}}` evaluate to a matrix.
    """
    rows = [get_list_items(row) for row in get_list_items(args[0])] if args else []
    opening, closing = ("", "") if form == "text" else ("{", "}")
    row_separator, column_separator = ("\n", "\t") if form == "text" else (", ", ", ")
    pieces: TextPieces = [opening]
    for row_index, row in enumerate(rows):
        pieces += [row_separator if row_index else "", opening]
        pieces += [*_join_boxes(row, column_separator), closing]
    return [*pieces, closing]


def _format_dynamic(args: list[Expression]) -> TextPieces:
    content = args[0] if args else None
    if has_head(content, "ToBoxes") and content.args:
        content = content.args[0]
    return ["Dynamic[", input_form(content) if content is not None else "", "]"]


def _format_dynamic_module(args: list[Expression]) -> TextPieces:
    """Return the displayed body of a `DynamicModuleBox`. Its first argument contains the variables.

    A body that the front end computes, as for `Manipulate`, is abbreviated to its name.
    """
    if len(args) < 2:
        return ["DynamicModule[\u2026]"]
    body = unwrap_box(args[1])
    if not has_head(body, "DynamicBox"):
        return [args[1]]
    computed_body = body.args[0] if body.args else body
    head_name = get_head_name(computed_body) if isinstance(computed_body, Node) else ""
    function_name = head_name.rpartition("`")[2].removesuffix("Boxes")
    return [f"{function_name or 'DynamicModule'}[\u2026]"]


def _get_first_pane(panes: Expression) -> Expression:
    """Return the first of several panes that a front end shows one at a time."""
    pane = next(iter(get_list_items(panes)), None)
    return pane.args[1] if has_head(pane, "Rule") and len(pane.args) == 2 else panes


def _format_template(name: str, args: list[Expression], form: BoxTextForm) -> TextPieces:
    """Return the text of a `TemplateBox`, whose notation a named template defines.

    For an entity or a quantity, readers get the displayed label, and code gets the expression.

    Args:
        name: The name of the template, such as `Quantity`.
        args: The arguments that the template displays.
        form: The form of the text; see `boxes_to_text`.
    """
    if name in _ROW_TEMPLATES:
        return [*args]
    if name in _FIRST_ARGUMENT_TEMPLATES:
        return [*args[:1]]
    match name, args:
        case (("RowWithSeparator" | "RowWithSeparators"), [separator, *items]):
            return _join_boxes(items, separator)
        case (("Quantity" | "QuantityPostfix"), [value, label, _, unit, *_]):
            is_for_readers = form == "text"
            return [value, " ", label] if is_for_readers else ["Quantity[", value, ", ", unit, "]"]
        case (("Entity" | "EntityProperty" | "EntityClass"), [label, code, *_]):
            return [label if form == "text" else code]
        case (("MessageTemplate" | "MessageTemplate2"), [symbol, tag, text, *_]):
            # Message texts are strings within boxes, so they have two layers of quotes.
            return [symbol, "::", tag, ": ", _strip_quotes(text)]
        case "Superscript", [base, exponent]:
            return [base, "^", exponent]
        case "Spacer1", _:
            return [" "]
        case _:
            return _format_call(name or "TemplateBox", args)


def _strip_quotes(expression: Expression) -> str | Expression:
    """Return the text of a string box without its quotes. Other boxes are returned unchanged."""
    if not isinstance(expression, Atom) or expression.kind != "string":
        return expression
    text = parse_string(expression.text)
    is_string = len(text) > 1 and text[0] == text[-1] == '"'
    return parse_string(text) if is_string else text


def unwrap_box(expression: Expression) -> Expression:
    """Return the box inside wrappers such as `StyleBox` that only affect its appearance.

    Rows and lists with a single element are removed too.
    """
    while isinstance(expression, Node) and expression.args and isinstance(expression.head, Atom):
        name = expression.head.text
        has_single_element = name in ("RowBox", "List") and len(expression.args) == 1
        if name not in _WRAPPER_HEADS and not has_single_element:
            break
        expression = expression.args[0]
    return expression


def find_graphics(expression: Expression) -> Node | None:
    """Return the graphics box that makes up a cell's content, or None."""
    box = unwrap_box(expression)
    return box if isinstance(box, Node) and get_head_name(box) in GRAPHICS_HEADS else None


def _parenthesize(expression: Expression) -> TextPieces:
    """Return the box, in parentheses if it could not be an operand without them."""
    return [expression] if _is_operand(expression) else ["(", expression, ")"]


def _is_operand(expression: Expression) -> bool:
    """Return whether a box, such as `x` or `f[x]`, can be an operand without parentheses."""
    box = unwrap_box(expression)
    if isinstance(box, Atom):
        return box.kind != "string" or bool(_SIMPLE_TOKEN.fullmatch(get_string(box)))
    if has_head(box, "List"):
        return _is_bracketed(box.args)
    if has_head(box, "RowBox"):
        return _is_bracketed(_get_row_items(box))
    return get_head_name(box) in ("SqrtBox", "GridBox", "SubscriptBox")


def _is_bracketed(items: list[Expression]) -> bool:
    """Return whether the items of a row form one bracketed expression: `(…)`, `{…}` or `f[…]`."""
    if len(items) < 2:
        return False
    opening = _OPENING_BY_CLOSING.get(get_string(items[-1]))
    if opening == "[":
        return get_string(items[1]) == "[" and _is_operand(items[0])
    return opening is not None and get_string(items[0]) == opening


def _get_row_items(box: Expression) -> list[Expression]:
    """Return the items of a `RowBox`, or an empty list for other boxes."""
    return get_list_items(box.args[0]) if has_head(box, "RowBox") and box.args else []


def _get_reversed_row(node: Node) -> TextPieces:
    """Return the items of a row in reverse order, ready to be pushed onto a stack.

    A row that begins with a sum, product or integral sign becomes a call, such as
    `Sum[i, {i, 1, n}]`.
    """
    items = get_list_items(node.args[0]) if node.args else []
    first = items[0] if len(items) > 1 else None
    # This check must be cheap, because rows are the most common boxes.
    if isinstance(first, Node) or (first is not None and first.text in _INTEGRAL_SIGNS):
        pieces = _format_big_operator(first, items[1:])
        if pieces is not None:
            return pieces[::-1]
    return [*items[::-1]]


def _format_big_operator(operator: Expression, body: list[Expression]) -> TextPieces | None:
    """Return the call represented by a sum, product or integral sign and the items after it.

    For example, the pieces form the text `Sum[i^2, {i, 1, n}]`. Returns None if the operator is a
    different box or is incomplete, for example because it has no lower bound.

    Args:
        operator: The sign, usually in a box with its bounds.
        body: The items of the row after the operator.
    """
    if isinstance(operator, Atom):
        return _format_integral([], body)
    if not operator.args:
        return None
    sign, *limits = operator.args
    if get_string(sign) == _INTEGRAL:
        return _format_integral(limits, body)
    name = _BIG_OPERATORS.get(get_string(sign))
    if name is None or get_head_name(operator) != "UnderoverscriptBox" or len(limits) < 2:
        return None
    match _get_row_items(limits[0]):
        case [variable, Atom(text='"="'), first, *more]:
            bounds = [variable, ", ", first, *more, ", ", limits[1]]
            return [f"{name}[", *body, ", {", *bounds, "}]"]
        case _:
            return None


def _format_integral(limits: list[Expression], body: list[Expression]) -> TextPieces | None:
    """Return the call `Integrate[f, x]` or `Integrate[f, {x, a, b}]` for an integral, as pieces.

    Returns None if the integral does not end with a differential sign and a variable.

    Args:
        limits: The lower and upper limit, or an empty list.
        body: The items of the row after the integral sign.
    """
    items = _get_row_items(body[0]) if len(body) == 1 else body
    differential = _get_row_items(items[-1]) if items else []
    if len(differential) != 2 or get_string(differential[0]) != _DIFFERENTIAL:
        return None
    integrand, variable = items[:-1], differential[1]
    if len(limits) < 2:
        return ["Integrate[", *integrand, ", ", variable, "]"]
    return ["Integrate[", *integrand, ", {", variable, ", ", limits[0], ", ", limits[1], "}]"]


def box_syntax_to_code(text: str) -> str:
    r"""Convert linear box syntax, which encodes boxes in a string, to code.

    For example, `\(x\^2\)` becomes `x^2`.
    """
    text = text.removeprefix("\\!")
    if text.startswith("\\(") and text.endswith("\\)") and _find_box_end(text, 0) == len(text):
        text = text[2:-2]
    text = parse_symbol_name(
        _BOX_OPERATOR.sub(lambda match: _OPERATOR_TEXT.get(match[1], ""), text)
    )
    return "".join(PLAIN_TEXT_BY_CHARACTER.get(letter, letter) for letter in text)


def replace_box_syntax(text: str) -> str:
    r"""Replace linear box syntax, which encodes boxes in a string, in a text for readers.

    For example, `The value \!\(x\^2\) is used.` becomes `The value x^2 is used.`
    """
    pieces, position = [], 0
    while (start := text.find(_BOX_START, position)) >= 0:
        end = _find_box_end(text, start + 2)
        if end is None:
            break
        pieces += [text[position:start], _convert_box_syntax(text[start + 2 : end])]
        position = end
    return "".join([*pieces, text[position:]])


def _convert_box_syntax(syntax: str) -> str:
    r"""Convert the linear box syntax between `\(` and `\)` to text for readers.

    The syntax contains code or, after `\*`, an expression such as `SuperscriptBox["x", "2"]`.
    """
    content = syntax[2:-2]
    if content.startswith("\\*"):
        # Nested box syntax is quoted so that the parser reads it as a string.
        code = content[2:]
        if "\\(" in code:
            code = code.replace('"', '\\"').replace("\\(", '"').replace("\\)", '"')
        source = parse(code)
        if not source.problems and len(source.expressions) == 1:
            return boxes_to_text(source.expressions[0], form="text")
    return box_syntax_to_code(syntax)


def _find_box_end(text: str, start: int) -> int | None:
    r"""Return the position after the `\)` that closes the box syntax at `start`.

    Returns None if it is not closed. Box syntax can be nested.
    """
    depth = 0
    for edge in _BOX_EDGE.finditer(text, start):
        depth += 1 if edge[1] == "(" else -1
        if depth == 0:
            return edge.end()
    return None
