"""Definitions as they are shown: readable, and with short names where these are clear."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.wolfram import Atom, Node, call, format_expression, string, symbol, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.toolkits.wolfram.symbol_values import SymbolDefinition, SymbolValues
    from paddock.wolfram import Expression

KERNEL_FUNCTION_TEXT = "<kernel function>"
"""What stands for code that is part of the engine."""
SIMPLIFIED_NOTE = "(* a pattern in it is not shown: the engine does not have it as it was written *)"
_LITERAL_HEADS = ("List", "Association", "Rule", "Rational", "Complex", "Times", "Power", "Missing")
_PATTERN_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_FUNCTION_ATTRIBUTES = frozenset(
    {"HoldAll", "HoldFirst", "HoldRest", "HoldAllComplete", "Listable", "NumericFunction", "Flat"}
    | {"Orderless", "OneIdentity", "SequenceHold", "NHoldAll", "NHoldFirst", "NHoldRest"}
)
"""Attributes that only functions have."""


def build_definitions(name: str, values: SymbolValues, *, is_built_in: bool) -> list[Expression | str]:
    """All definitions of a symbol in order, as expressions, or as text where they are none.

    With `is_built_in` what the engine itself defines is told of as well.
    """
    shown: list[Expression | str] = []
    if values.attributes:
        names = [symbol(attribute) for attribute in values.attributes]
        shown.append(call("Set", call("Attributes", symbol(name)), call("List", *names)))
    if is_built_in:
        shown += _build_engine_code(name, values)
    for definition in values.definitions:
        shown.append(_build_assignment(name, definition))
        if definition.is_lowered:
            shown.append(SIMPLIFIED_NOTE)
    return [*shown, *values.unparsed]


def _build_engine_code(name: str, values: SymbolValues) -> list[Expression | str]:
    short = name.rpartition("`")[2]
    if short.startswith("$"):
        return [build_kernel_function("own", name)]
    has_options = any(definition.kind == "Options" for definition in values.definitions)
    is_constant = "Constant" in values.attributes
    if not is_constant and (_FUNCTION_ATTRIBUTES & {*values.attributes} or has_options):
        return [build_kernel_function("down", name)]
    return [f"(* {short} is built into the engine *)"]


def build_kernel_function(kind: str, name: str) -> Expression:
    """What stands for code of the engine: `f[___] := "<kernel function>"` and the like."""
    me = symbol(name)
    anything = call("BlankNullSequence")
    lefts: dict[str, Expression] = {
        "own": me,
        "down": call(me, anything),
        "sub": call(call(me, anything), anything),
        "up": call(call("Blank"), anything, me, anything),
        "format": call("Format", call(me, anything)),
    }
    code = string(KERNEL_FUNCTION_TEXT)
    if kind == "up":
        return call("TagSetDelayed", me, lefts[kind], code)
    return call("SetDelayed", lefts[kind], code)


def _build_assignment(name: str, definition: SymbolDefinition) -> Expression:
    left, right = definition.left, definition.right
    if definition.kind == "UpValues":
        return call("TagSetDelayed", symbol(name), left, right)
    if definition.kind in ("Options", "Messages"):
        return call("Set", left, right)
    operator = definition.operator or ("Set" if _is_plain_value(left, right) else "SetDelayed")
    return call(operator, left, right)


def _is_plain_value(left: Expression, right: Expression) -> bool:
    """Whether a definition is the same with `=` as with `:=`: a value, not a function."""
    if any(isinstance(part, Atom) and part.text in _PATTERN_HEADS for part in walk(left)):
        return False
    return all(
        isinstance(part, Node) or part.kind in ("number", "string") or part.text in _LITERAL_HEADS
        for part in walk(right)
    )


class SymbolNames:
    """The symbols in all that is shown, by context."""

    def __init__(self, system: frozenset[str], home: str = "Global`") -> None:
        self._system_symbols = system
        self._default_context = home
        self.names_by_context: defaultdict[str, set[str]] = defaultdict(set)

    def add_symbols(self, expressions: Iterable[Expression | str]) -> None:
        """Take note of all symbols in some expressions."""
        for expression in expressions:
            for part in walk(expression) if not isinstance(expression, str) else ():
                if isinstance(part, Atom) and part.kind == "symbol":
                    context, name = self._split_name(part.text)
                    self.names_by_context[context].add(name)

    def _split_name(self, text: str) -> tuple[str, str]:
        context, mark, name = text.rpartition("`")
        if mark:
            return context + mark, name
        return ("System`" if text in self._system_symbols else self._default_context), text

    def shorten_names(self, expression: Expression | str) -> Expression | str:
        """An expression with short names for all symbols whose names are clear."""
        if isinstance(expression, str):
            return expression
        if isinstance(expression, Node):
            return Node(
                _to_expression(self.shorten_names(expression.head)),
                [_to_expression(self.shorten_names(arg)) for arg in expression.args],
                form=expression.form,
            )
        if expression.kind != "symbol" or "`" not in expression.text:
            return expression
        short = expression.text.rpartition("`")[2]
        having = [names for names in self.names_by_context.values() if short in names]
        return symbol(short) if len(having) <= 1 else expression


def _to_expression(shortened: Expression | str) -> Expression:
    return symbol(shortened) if isinstance(shortened, str) else shortened


def format_definitions(shown: Iterable[Expression | str]) -> str:
    """Definitions as text, with a blank line between two of them."""
    return "\n\n".join(one if isinstance(one, str) else format_expression(one) for one in shown)
