"""What each kind of box is as text: pieces of text, and boxes that are still to be written.

A piece that needs parentheses in its place is known by its shape, so that nothing has to be written
before it is known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.letters import character
from paddock.wolfram.notebooks.templates import template
from paddock.wolfram.printer import input_form
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

Form = Literal["input", "output", "text"]
Piece = "str | Expression"

_SIMPLE = re.compile(r'[\w$`.#]+|"(?:[^"\\]|\\.)*"', re.DOTALL)
_WRAPPERS = frozenset(
    (
        *("StyleBox", "TagBox", "FormBox", "ButtonBox", "AdjustmentBox", "FrameBox", "BoxData"),
        *(
            "TooltipBox",
            "PaneBox",
            "PanelBox",
            "ItemBox",
            "RotationBox",
            "ErrorBox",
            "HyperlinkBox",
        ),
        *("Cell", "TextData", "PanelBox", "MouseAppearanceTag", "StatusAreaBox", "OverlayBox"),
        *("LocatorPaneBox", "GraphicsComplexBox", "PopupMenuBox", "OpenerBox", "TagBoxNote"),
    )
)
_PRIMES = {"\u2032": "'", "'": "'", "\u2033": "''"}
_OVER = {"^": "OverHat", "_": "OverBar", "~": "OverTilde", ".": "OverDot", "\u21c0": "OverVector"}
_CLOSING = {"]": "[", "}": "{", ")": "("}
_BIG = {character("Sum"): "Sum", character("Product"): "Product"}
_INTEGRAL_SIGNS = ('"\\[Integral]"', '"\u222b"')
_INTEGRAL, _DIFFERENTIAL = character("Integral"), character("DifferentialD")
_MOST_WRAPPERS = 100_000


def row(node: Node, form: Form) -> list[str | Expression]:
    """The parts of a row, from last to first."""
    items = _only(node.args[0]) if node.args else []
    first = items[0] if len(items) > 1 else None
    if isinstance(first, Node) or (first is not None and first.text in _INTEGRAL_SIGNS):
        found = _big_operator(items)
        if found is not None:
            return found[::-1]
    return [*reversed(items)]


def token_of(expression: Expression) -> str:
    """The text of a box that is a single token; empty for others."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return string_value(expression.text)
    return ""


def unwrapped(expression: Expression) -> Expression:
    """A box without what only says how it looks."""
    while isinstance(expression, Node) and expression.args and isinstance(expression.head, Atom):
        name = expression.head.text
        is_lone = name in ("RowBox", "List") and len(expression.args) == 1
        if name not in _WRAPPERS and not is_lone:
            break
        expression = expression.args[0]
    return expression


def _is_tight(expression: Expression) -> bool:
    """Whether a box can stand beside an operator without parentheses."""
    found = unwrapped(expression)
    if isinstance(found, Atom):
        return found.kind != "string" or bool(_SIMPLE.fullmatch(token_of(found)))
    if has_head(found, "List"):
        return _is_bracketed(found.args)
    if has_head(found, "RowBox"):
        return bool(found.args) and _is_bracketed([*_only(found.args[0])])
    return any(has_head(found, name) for name in ("SqrtBox", "GridBox", "SubscriptBox"))


def _only(expression: Expression) -> list[Expression]:
    """What is in a list; something alone is a list of one."""
    if isinstance(expression, Node) and is_symbol(expression.head, "List"):
        return expression.args
    return [expression]


def _is_bracketed(items: list[Expression]) -> bool:
    """`(…)`, `{…}` and `f[…]`."""
    if len(items) < 2:
        return False
    opening = _CLOSING.get(token_of(items[-1]))
    if opening is None:
        return False
    if opening == "[":
        return token_of(items[1]) == "[" and _is_tight(items[0])
    return token_of(items[0]) == opening


def _tight(expression: Expression) -> list[str | Expression]:
    return [expression] if _is_tight(expression) else ["(", expression, ")"]


def _called(name: str) -> Callable[[Node, Form], list[str | Expression]]:
    """`name[a, b]`."""

    def pieces(node: Node, _form: Form) -> list[str | Expression]:
        found: list[str | Expression] = [f"{name}["]
        for place, arg in enumerate(_boxes_of(node)):
            found += [", ", arg] if place else [arg]
        return [*found, "]"]

    return pieces


def _boxes_of(node: Node) -> list[Expression]:
    """The arguments of a box that are no options."""
    return [arg for arg in node.args if not has_head(arg, "Rule") and not _is_delayed(arg)]


def _is_delayed(expression: Expression) -> bool:
    return has_head(expression, "RuleDelayed")


def _fraction(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    if len(args) != 2:
        return other(node, form)
    return [*_factor(args[0]), "/", *_factor(args[1])]


def _factor(expression: Expression) -> list[str | Expression]:
    """A power binds more tightly than a quotient."""
    is_power = has_head(unwrapped(expression), "SuperscriptBox")
    return [expression] if is_power else _tight(expression)


def _over(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    name = _OVER.get(token_of(args[1])) if len(args) == 2 else None
    return [f"{name}[", args[0], "]"] if name else _called("Overscript")(node, form)


def _power(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    if len(args) != 2:
        return other(node, form)
    exponent = token_of(args[1])
    if exponent and set(exponent) <= set(_PRIMES):
        return [*_tight(args[0]), "".join(_PRIMES[sign] for sign in exponent)]
    return [*_tight(args[0]), "^", *_tight(args[1])]


def _indexed_power(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    if len(args) != 3:
        return other(node, form)
    return ["Subscript[", args[0], ", ", args[1], "]^", *_tight(args[2])]


def _root(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    if len(args) != 2:
        return other(node, form)
    return [*_tight(args[0]), "^(1/", *_tight(args[1]), ")"]


def _big_operator(items: list[Expression]) -> list[str | Expression] | None:
    """`Sum[…]`, `Product[…]` and `Integrate[…]` for a row that begins with their sign."""
    sign = items[0]
    if isinstance(sign, Atom):
        return _integral([], items[1:])
    if not sign.args or not isinstance(sign.head, Atom):
        return None
    token = token_of(sign.args[0])
    if token == _INTEGRAL:
        return _integral(sign.args[1:], items[1:])
    name = _BIG.get(token)
    if name is None or sign.head.text != "UnderoverscriptBox" or len(sign.args) < 3:
        return None
    start = _split_start(sign.args[1])
    if start is None:
        return None
    variable, first = start
    return [f"{name}[", *items[1:], ", {", variable, ", ", *first, ", ", sign.args[2], "}]"]


def _split_start(expression: Expression) -> tuple[Expression, list[Expression]] | None:
    """`i` and `1` of `i = 1`."""
    if not isinstance(expression, Node) or not has_head(expression, "RowBox"):
        return None
    items = _only(expression.args[0]) if expression.args else []
    if len(items) < 3 or token_of(items[1]) != "=":
        return None
    return items[0], items[2:]


def _integral(limits: list[Expression], rest: list[Expression]) -> list[str | Expression] | None:
    body = rest
    if len(rest) == 1 and isinstance(rest[0], Node) and has_head(rest[0], "RowBox"):
        body = _only(rest[0].args[0]) if rest[0].args else []
    last = body[-1] if body else None
    if not isinstance(last, Node) or not has_head(last, "RowBox") or not last.args:
        return None
    differential = _only(last.args[0])
    if len(differential) != 2 or token_of(differential[0]) != _DIFFERENTIAL:
        return None
    inner, variable = body[:-1], differential[1]
    if len(limits) < 2:
        return ["Integrate[", *inner, ", ", variable, "]"]
    return ["Integrate[", *inner, ", {", variable, ", ", limits[0], ", ", limits[1], "}]"]


def _grid(node: Node, form: Form) -> list[str | Expression]:
    """Rows as lists; for people one line to a row."""
    rows = [_only(line) for line in _only(node.args[0])] if node.args else []
    begin, middle, end = ("", "\n", "") if form == "text" else ("{", ", ", "}")
    inner_begin, between, inner_end = ("", "\t", "") if form == "text" else ("{", ", ", "}")
    found: list[str | Expression] = [begin]
    for place, line in enumerate(rows):
        found.append(middle if place else "")
        found.append(inner_begin)
        for column, entry in enumerate(line):
            found += [between, entry] if column else [entry]
        found.append(inner_end)
    return [*found, end]


def _first(node: Node, _form: Form) -> list[str | Expression]:
    return [node.args[0]] if node.args else []


def _interpretation(node: Node, form: Form) -> list[str | Expression]:
    """What is displayed for people, what it stands for in code."""
    if len(node.args) < 2 or form == "text":
        return _first(node, form)
    return [input_form(node.args[1])]


def _second(node: Node, form: Form) -> list[str | Expression]:
    return [node.args[1]] if len(node.args) > 1 else _first(node, form)


def _dynamic_module(node: Node, form: Form) -> list[str | Expression]:
    """What its body displays; of the controls of a `Manipulate` nothing can be shown."""
    if len(node.args) < 2:
        return ["DynamicModule[\u2026]"]
    body = unwrapped(node.args[1])
    if isinstance(body, Node) and isinstance(body.head, Atom) and body.head.text == "DynamicBox":
        inner = body.args[0] if body.args else body
        name = inner.head.text if isinstance(inner, Node) and isinstance(inner.head, Atom) else ""
        short = name.rpartition("`")[2].removesuffix("Boxes")
        return [f"{short or 'DynamicModule'}[\u2026]"]
    return [node.args[1]]


def _dynamic(node: Node, _form: Form) -> list[str | Expression]:
    inner = node.args[0] if node.args else None
    if isinstance(inner, Node) and has_head(inner, "ToBoxes") and inner.args:
        inner = inner.args[0]
    return ["Dynamic[", input_form(inner) if inner is not None else "", "]"]


def _choice(node: Node, form: Form) -> list[str | Expression]:
    """The first thing that a pane can show."""
    options = _only(node.args[0]) if node.args else []
    first = options[0] if options else None
    if isinstance(first, Node) and has_head(first, "Rule") and len(first.args) == 2:
        return [first.args[1]]
    return _first(node, form)


def _picture(node: Node, _form: Form) -> list[str | Expression]:
    name = node.head.text.removesuffix("Box") if isinstance(node.head, Atom) else "Graphics"
    return [f"-{name}-"]


def _template(node: Node, form: Form) -> list[str | Expression]:
    args = _boxes_of(node)
    if len(args) < 2 or not isinstance(args[0], Node):
        return _first(node, form)
    return template(args[0].args, token_of(args[1]), form)


def _list(node: Node, _form: Form) -> list[str | Expression]:
    """A list of boxes stands for one after the other."""
    return list(node.args)


def _nothing(_node: Node, _form: Form) -> list[str | Expression]:
    return []


def _control(node: Node, _form: Form) -> list[str | Expression]:
    """A slider, a check box and the like show the value that they control."""
    value = node.args[0] if node.args else None
    if value is None or is_symbol(value, "Automatic"):
        return []
    return [input_form(value)]


def other(node: Node, _form: Form) -> list[str | Expression]:
    """A box of an unknown kind, or an expression."""
    return [input_form(node)]


PIECES: dict[str, Callable[[Node, Form], list[str | Expression]]] = {
    **dict.fromkeys(_WRAPPERS, _first),
    "List": _list,
    "FractionBox": _fraction,
    "SuperscriptBox": _power,
    "SubscriptBox": _called("Subscript"),
    "SubsuperscriptBox": _indexed_power,
    "SqrtBox": _called("Sqrt"),
    "RadicalBox": _root,
    "UnderscriptBox": _called("Underscript"),
    "OverscriptBox": _over,
    "UnderoverscriptBox": _called("Underoverscript"),
    "GridBox": _grid,
    "InterpretationBox": _interpretation,
    "DynamicModuleBox": _dynamic_module,
    "DynamicWrapperBox": _first,
    "DynamicBox": _dynamic,
    "PaneSelectorBox": _choice,
    "TabViewBox": _choice,
    "TemplateBox": _template,
    "GraphicsBox": _picture,
    "Graphics3DBox": _picture,
    "GraphicsData": _picture,
    "RasterBox": _picture,
    "CheckboxBox": _control,
    "SliderBox": _control,
    "InputFieldBox": _control,
    "CounterBox": _nothing,
    "ValueBox": _nothing,
    "OptionValueBox": _nothing,
}
"""What becomes of each kind of box, by its head."""
