"""What the text of an atom is worth: a string, a number, the name of a symbol.

What literal expressions are worth: the data in manifests and definitions, read without running.

Strings, numbers, lists, associations and rules become Python values, and a few functions that such
files use to put texts together are worked out. Whatever else stands there is held: it stays an
expression, for whoever can evaluate it.
"""

from __future__ import annotations

import re
from operator import add, mul
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import (
    CONSTANT_LETTERS,
    Atom,
    Expression,
    Node,
    has_head,
    is_symbol,
)
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.printer import input_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_ESCAPE_SEQUENCE = re.compile(
    r"\\(?:\[([A-Za-z0-9]+)\]|:([0-9A-Fa-f]{4})|\.([0-9A-Fa-f]{2})|\|([0-9A-Fa-f]{6})"
    r"|([0-7]{3})|(\r?\n)|(.))",
    re.DOTALL,
)
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "<": "",
    ">": "",
    # The signs of box syntax have no plain character; they stay as they are written.
    **{sign: f"\\{sign}" for sign in "!()*@%^_&/`+"},
}
_MAX_CODE_POINT = 0x10FFFF
_NUMBER_LITERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<base>\d{1,2})\^\^)?(?P<whole>[0-9A-Za-z]*)(?P<point>\.(?P<part>[0-9A-Za-z]*))?"
    r"(?P<mark>`.*?)?(?:\*\^(?P<exponent>[-+]?\d+))?"
)
_MAX_PLAIN_REAL, _MIN_PLAIN_REAL = 1e6, 1e-5
"""Between these, numbers with a point are written without an exponent."""
_MAX_DIGITS = 4000
"""Of a whole number: Python refuses to read and to write much longer ones."""


_MAX_BITS = 13_288
"""As many digits in base 2."""


def parse_string(text: str) -> str:
    """What a string literal stands for; unknown named characters stay as they are written."""
    inner = text[1:-1]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, inner) if "\\" in inner else inner


def parse_symbol_name(text: str) -> str:
    r"""The name of a symbol with its characters themselves: `\[EAcute]x` is `éx`.

    A letter that alone stands for a constant is that: `\[Pi]` is `Pi`.
    """
    if text in CONSTANT_LETTERS:
        return CONSTANT_LETTERS[text]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(found: re.Match[str]) -> str:
    name, four, two, six, octal, line, other = found.groups()
    if name is not None:
        return get_character(name) or found[0]
    for digits, base in ((four, 16), (two, 16), (six, 16), (octal, 8)):
        if digits is not None:
            code = int(digits, base)
            return chr(code) if code <= _MAX_CODE_POINT else found[0]
    return "" if line is not None else _SIMPLE_ESCAPES.get(other, other)


def parse_number(text: str) -> int | float | None:
    """What a number literal is worth; None for one that Python has no number for."""
    found = _NUMBER_LITERAL.fullmatch(text)
    if found is None or len(text) > _MAX_DIGITS:
        return None
    base, exponent = int(found["base"] or 10), int(found["exponent"] or 0)
    is_whole = found["point"] is None and found["mark"] is None and exponent >= 0
    try:
        if is_whole:
            return _parse_integer(found["sign"] + found["whole"], base, exponent)
        if base != 10:
            return _parse_based_real(found, base, exponent)
        part = found["part"] or "0"
        return _drop_infinity(float(f"{found['sign']}{found['whole'] or '0'}.{part}e{exponent}"))
    except (ValueError, OverflowError):
        return None


def _parse_integer(digits: str, base: int, exponent: int) -> int | None:
    if exponent > _MAX_DIGITS:
        return None
    value = int(digits, base) * base**exponent
    return None if has_too_many_digits(value) else value


def has_too_many_digits(value: float) -> bool:
    """Whether a whole number has more digits than one in a source may have."""
    return isinstance(value, int) and value.bit_length() > _MAX_BITS


def _parse_based_real(found: re.Match[str], base: int, exponent: int) -> float | None:
    part = found["part"] or ""
    digits = int(found["sign"] + found["whole"] + part, base)
    return _drop_infinity(digits * float(base) ** (exponent - len(part)))


def _drop_infinity(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value


def format_real(text: str) -> str:
    """A number with a point as Python writes it, as kernels do: `2.`, `1.5*^20` for `1.5e+20`."""
    mantissa, _, exponent = text.lower().partition("e")
    value = abs(float(text))
    if value == 0 or (not exponent and _MIN_PLAIN_REAL <= value < _MAX_PLAIN_REAL):
        return _trim_zeros(mantissa)
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, part = mantissa.lstrip("-").partition(".")
    digits = f"{whole}{part}"
    significant = digits.lstrip("0")
    power = int(exponent or 0) + len(whole) - (len(digits) - len(significant)) - 1
    return f"{sign}{_trim_zeros(f'{significant[0]}.{significant[1:]}')}*^{power}"


def _trim_zeros(number: str) -> str:
    return number.rstrip("0") if "." in number else f"{number}."


MAX_DATA_DEPTH = 200
"""Deeper than any manifest; what is deeper is not data that somebody wrote."""
_TOO_DEEP_MESSAGE = f"The data is nested more than {MAX_DATA_DEPTH} deep"
_INFINITE = (float("inf"), float("-inf"))
_CONSTANT_VALUES: dict[str, object] = {"True": True, "False": False, "None": None, "Null": None}


class DataError(PaddockError):
    """An expression is not the data that it should be."""

    code = "wolfram-data"


class UnevaluatedExpression:
    """An expression that is not data, as it is; `text` is its source."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    @property
    def text(self) -> str:
        """The expression as one writes it."""
        return input_form(self.expression)

    def __repr__(self) -> str:
        return f"Held({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnevaluatedExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class RuleValue(NamedTuple):
    """A rule that stands alone, outside of an association; of `:>` the value is held."""

    key: object
    value: object


class StringTemplate(NamedTuple):
    """The text of a `StringTemplate`, with its slots as they are written."""

    text: str


def evaluate(expression: Expression) -> object:
    """The value of an expression; what is not data is `Held`.

    Strings, numbers, `True`, `False`, lists and associations are their Python counterparts, `None`
    and `Null` are None.

    Raises:
        DataError: when it is nested too deeply.
    """
    try:
        return _evaluate_expression(expression, 0)
    except RecursionError:
        # Whoever asks may be deep in the stack already.
        raise DataError(_TOO_DEEP_MESSAGE) from None


def _evaluate_expression(expression: Expression, depth: int) -> object:
    if isinstance(expression, Atom):
        return _evaluate_atom(expression)
    if depth > MAX_DATA_DEPTH:
        raise DataError(_TOO_DEEP_MESSAGE)
    head = expression.head
    work = _EVALUATORS.get(head.text) if isinstance(head, Atom) and head.kind == "symbol" else None
    found = work(expression, depth + 1) if work is not None else None
    return UnevaluatedExpression(expression) if found is None else found[0]


OptionalValue = tuple[Any] | None
"""A value, or nothing where the arguments are not data."""


def _evaluate_atom(atom: Atom) -> object:
    if atom.kind == "string":
        return parse_string(atom.text)
    if atom.kind == "number":
        value = parse_number(atom.text)
        return UnevaluatedExpression(atom) if value is None else value
    return (
        _CONSTANT_VALUES.get(atom.text, UnevaluatedExpression(atom))
        if atom.kind == "symbol"
        else UnevaluatedExpression(atom)
    )


def _evaluate_list(node: Node, depth: int) -> OptionalValue:
    return (
        [_evaluate_expression(arg, depth) for arg in node.args if not is_symbol(arg, "Nothing")],
    )


def _evaluate_association(node: Node, depth: int) -> OptionalValue:
    found: dict[object, object] = {}
    for arg in iter_rules(node.args):
        if not isinstance(arg, Node) or len(arg.args) != 2:
            return None
        is_delayed = has_head(arg, "RuleDelayed")
        if not is_delayed and not has_head(arg, "Rule"):
            return None
        key = _evaluate_expression(arg.args[0], depth)
        try:
            found[key] = (
                UnevaluatedExpression(arg.args[1])
                if is_delayed
                else _evaluate_expression(arg.args[1], depth)
            )
        except TypeError:
            return None
    return (found,)


def iter_rules(args: list[Expression]) -> Iterator[Expression]:
    """The rules of an association, which may stand in lists and other associations."""
    waiting = list(reversed(args))
    while waiting:
        arg = waiting.pop()
        if isinstance(arg, Node) and (has_head(arg, "List") or has_head(arg, "Association")):
            waiting += reversed(arg.args)
        elif not is_symbol(arg, "Nothing"):
            yield arg


def _evaluate_rule(node: Node, depth: int) -> OptionalValue:
    if len(node.args) != 2:
        return None
    return (
        RuleValue(
            _evaluate_expression(node.args[0], depth), _evaluate_expression(node.args[1], depth)
        ),
    )


def _evaluate_delayed_rule(node: Node, depth: int) -> OptionalValue:
    if len(node.args) != 2:
        return None
    return (
        RuleValue(_evaluate_expression(node.args[0], depth), UnevaluatedExpression(node.args[1])),
    )


def _evaluate_strings(node: Node, depth: int) -> list[str] | None:
    """The arguments, if all are texts or lists of texts."""
    found: list[str] = []
    for arg in node.args:
        value = _evaluate_expression(arg, depth)
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str):
                return None
            found.append(one)
    return found


def _make_join_evaluator(separator: str) -> Callable[[Node, int], OptionalValue]:
    def work(node: Node, depth: int) -> OptionalValue:
        texts = _evaluate_strings(node, depth)
        return None if texts is None else (separator.join(texts),)

    return work


def _evaluate_template(node: Node, depth: int) -> OptionalValue:
    texts = _evaluate_strings(node, depth)
    return (StringTemplate(texts[0]),) if texts and len(texts) == 1 else None


def _evaluate_numbers(node: Node, depth: int) -> list[Any] | None:
    """The arguments, if all are numbers."""
    values: list[Any] = []
    for arg in node.args:
        value = _evaluate_expression(arg, depth)
        if type(value) not in (int, float):
            return None
        values.append(value)
    return values


def _evaluate_sum(node: Node, depth: int) -> OptionalValue:
    values = _evaluate_numbers(node, depth)
    return None if values is None else _accumulate_numbers(values, add, 0)


def _evaluate_product(node: Node, depth: int) -> OptionalValue:
    if len(node.args) == 2 and _is_inverse(node.args[1]):
        return _evaluate_quotient(node, depth)
    values = _evaluate_numbers(node, depth)
    return None if values is None else _accumulate_numbers(values, mul, 1)


def _accumulate_numbers(
    values: list[Any], work: Callable[[Any, Any], Any], start: int
) -> OptionalValue:
    """All together; nothing once it is more than a number in a source can be."""
    found: Any = start
    for value in values:
        try:
            found = work(found, value)
        except OverflowError:
            return None
        if has_too_many_digits(found) or found in _INFINITE:
            return None
    return (found,)


def _is_inverse(expression: Expression) -> bool:
    """Whether it is what `/ b` stands for."""
    if not isinstance(expression, Node) or not has_head(expression, "Power"):
        return False
    exponent = expression.args[1] if len(expression.args) == 2 else None
    return isinstance(exponent, Atom) and exponent.text == "-1"


def _evaluate_quotient(node: Node, depth: int) -> OptionalValue:
    """`a/b`: whole if it can be."""
    inverse = node.args[1]
    below = inverse.args[0] if isinstance(inverse, Node) else inverse
    values = _evaluate_numbers(Node(node.head, [node.args[0], below]), depth + 1)
    if values is None or values[1] == 0:
        return None
    one, other = values
    if type(one) is type(other) is int and one % other == 0:
        return (one // other,)
    try:
        return (one / other,)
    except OverflowError:
        return None


_EVALUATORS: dict[str, Callable[[Node, int], OptionalValue]] = {
    "List": _evaluate_list,
    "Association": _evaluate_association,
    "Rule": _evaluate_rule,
    "RuleDelayed": _evaluate_delayed_rule,
    "StringJoin": _make_join_evaluator(""),
    "FileNameJoin": _make_join_evaluator("/"),
    "StringTemplate": _evaluate_template,
    "Times": _evaluate_product,
    "Plus": _evaluate_sum,
}
