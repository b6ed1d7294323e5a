"""Evaluates literal data (atoms, lists, associations and rules) without running code.

Used for manifests and definition files. A few functions that build strings and numbers in such
files are evaluated too. Any other expression becomes an `UnevaluatedExpression`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from operator import add, mul
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import (
    CONSTANT_LETTERS,
    Atom,
    Expression,
    Node,
    get_head_name,
    has_any_head,
    has_head,
    is_inverse,
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
    # Escaped box syntax has no plain character, so it is preserved as written.
    **{sign: f"\\{sign}" for sign in "!()*@%^_&/`+"},
}
_MAX_CODE_POINT = 0x10FFFF
_NUMBER_LITERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<base>\d{1,2})\^\^)?(?P<whole>[0-9A-Za-z]*)(?P<point>\.(?P<part>[0-9A-Za-z]*))?"
    r"(?P<mark>`.*?)?(?:\*\^(?P<exponent>[-+]?\d+))?"
)
_MAX_PLAIN_REAL, _MIN_PLAIN_REAL = 1e6, 1e-5
"""Reals in this range are written without an exponent."""
_MAX_DIGITS = 4000
"""Maximum number of digits in an integer. Python refuses to convert much longer ones."""
_MAX_BITS = 13_288
"""`_MAX_DIGITS` in base 2."""
MAX_DATA_DEPTH = 200
"""Maximum nesting depth of data, far deeper than in any manifest."""
_TOO_DEEP_MESSAGE = f"The data is nested more than {MAX_DATA_DEPTH} levels deep"
_INFINITE = (float("inf"), float("-inf"))
_CONSTANT_VALUES: dict[str, object] = {"True": True, "False": False, "None": None, "Null": None}


def parse_string(text: str) -> str:
    """Return the value of a string literal. Unknown named characters are preserved as written."""
    content = text[1:-1]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, content) if "\\" in content else content


def parse_symbol_name(text: str) -> str:
    r"""Return the name of a symbol from its source text, which may contain escaped characters.

    For example, `\[EAcute]x` is the name `éx`. A letter that represents a constant becomes the
    constant's name: `\[Pi]` is `Pi`.
    """
    if text in CONSTANT_LETTERS:
        return CONSTANT_LETTERS[text]
    return _ESCAPE_SEQUENCE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(match: re.Match[str]) -> str:
    r"""Return the character that an escape sequence such as `\[Alpha]` or `\:03b1` represents.

    An escaped line end is removed. An unknown name or an invalid code is returned unchanged.
    """
    name, four_digits, two_digits, six_digits, octal, line_end, sign = match.groups()
    if name:
        return get_character(name) or match[0]
    if line_end:
        return ""
    if sign:
        return _SIMPLE_ESCAPES.get(sign, sign)
    code = int(octal, 8) if octal else int(four_digits or two_digits or six_digits, 16)
    return chr(code) if code <= _MAX_CODE_POINT else match[0]


def parse_number(text: str) -> int | float | None:
    """Return the value of a Wolfram Language number: `2^^101` is 5, and `1.5*^3` is 1500.0.

    Returns None if Python cannot represent the value.
    """
    match = _NUMBER_LITERAL.fullmatch(text)
    # Python raises for longer digit strings (`sys.set_int_max_str_digits`).
    if match is None or len(text) > _MAX_DIGITS:
        return None
    base, exponent = int(match["base"] or 10), int(match["exponent"] or 0)
    is_whole = match["point"] is None and match["mark"] is None and exponent >= 0
    try:
        if is_whole:
            return _parse_integer(match["sign"] + match["whole"], base, exponent)
        if base != 10:
            return _parse_based_real(match, base, exponent)
        whole, fraction = match["whole"] or "0", match["part"] or "0"
        return _drop_infinity(float(f"{match['sign']}{whole}.{fraction}e{exponent}"))
    except (ValueError, OverflowError):
        return None


def _parse_integer(digits: str, base: int, exponent: int) -> int | None:
    """Return the integer with this base and exponent, or None if it has too many digits."""
    # Check first, because `10**999999999` would exhaust memory.
    if exponent > _MAX_DIGITS:
        return None
    value = int(digits, base) * base**exponent
    return None if has_too_many_digits(value) else value


def has_too_many_digits(value: float) -> bool:
    """Return whether an integer has more digits than the source may contain."""
    return isinstance(value, int) and value.bit_length() > _MAX_BITS


def _parse_based_real(match: re.Match[str], base: int, exponent: int) -> float | None:
    """Return a real number whose digits are in a base other than 10."""
    fraction = match["part"] or ""
    digits = int(match["sign"] + match["whole"] + fraction, base)
    return _drop_infinity(digits * float(base) ** (exponent - len(fraction)))


def _drop_infinity(value: float) -> float | None:
    # Kernels support larger reals than Python, so infinity would be wrong.
    return None if value in _INFINITE else value


def format_real(text: str) -> str:
    """Convert the text of a Python float to a Wolfram Language real, such as `2.0` to `2.`.

    As in kernels, very large and very small numbers get an exponent: `1.5e+20` becomes `1.5*^20`.
    """
    mantissa, _, exponent = text.lower().partition("e")
    value = abs(float(text))
    if value == 0 or (not exponent and _MIN_PLAIN_REAL <= value < _MAX_PLAIN_REAL):
        return _trim_zeros(mantissa)
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = f"{whole}{fraction}"
    significant_digits = digits.lstrip("0")
    leading_zeros = len(digits) - len(significant_digits)
    power = int(exponent or 0) + len(whole) - leading_zeros - 1
    normalized_mantissa = _trim_zeros(f"{significant_digits[0]}.{significant_digits[1:]}")
    return f"{sign}{normalized_mantissa}*^{power}"


def _trim_zeros(number: str) -> str:
    return number.rstrip("0") if "." in number else f"{number}."


class DataError(PaddockError):
    """An expression is not the expected data."""

    code = "wolfram-data"


class UnevaluatedExpression:
    """An expression within evaluated data that is not literal, such as `f[x]`.

    Two of these objects are equal if the input forms of their expressions are equal.
    """

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    @property
    def text(self) -> str:
        """The expression in input form."""
        return input_form(self.expression)

    def __repr__(self) -> str:
        return f"Held({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnevaluatedExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class RuleValue(NamedTuple):
    """A rule outside an association. The value of a `:>` rule is unevaluated."""

    key: object
    value: object


class StringTemplate(NamedTuple):
    """The text of a `StringTemplate`, with its slots unfilled."""

    text: str


def evaluate(expression: Expression) -> object:
    """Convert an expression that consists of literal data to a Python value, without a kernel.

    Strings, numbers, `True`, `False`, lists and associations become their Python counterparts.
    `None` and `Null` become None, and anything else becomes an `UnevaluatedExpression`.

    Raises:
        DataError: The data is nested more than 200 levels deep.
    """
    try:
        return _evaluate_expression(expression, 0)
    except RecursionError:
        # The caller may already be deep in the stack.
        raise DataError(_TOO_DEEP_MESSAGE) from None


class _NotLiteralError(Exception):
    """The arguments of a node are not literal data, so the node is not evaluated."""


def _evaluate_expression(expression: Expression, depth: int) -> object:
    """Convert an expression to a Python value.

    An expression that is not literal data becomes an `UnevaluatedExpression`.

    Args:
        expression: The expression.
        depth: The nesting depth of the expression within the data, which is limited.
    """
    if isinstance(expression, Atom):
        return _evaluate_atom(expression)
    if depth > MAX_DATA_DEPTH:
        raise DataError(_TOO_DEEP_MESSAGE)
    evaluate_node = _EVALUATORS.get(get_head_name(expression))
    if evaluate_node is not None:
        with suppress(_NotLiteralError):
            return evaluate_node(expression, depth + 1)
    return UnevaluatedExpression(expression)


def _evaluate_atom(atom: Atom) -> object:
    """Return the Python value of a string, a number, or a symbol such as `True`.

    Any other atom becomes an `UnevaluatedExpression`.
    """
    if atom.kind == "string":
        return parse_string(atom.text)
    if atom.kind == "number":
        value = parse_number(atom.text)
        return UnevaluatedExpression(atom) if value is None else value
    if atom.kind == "symbol" and atom.text in _CONSTANT_VALUES:
        return _CONSTANT_VALUES[atom.text]
    return UnevaluatedExpression(atom)


def _evaluate_list(node: Node, depth: int) -> object:
    # Kernels remove `Nothing` from lists when they evaluate them.
    return [_evaluate_expression(arg, depth) for arg in node.args if not is_symbol(arg, "Nothing")]


def _evaluate_association(node: Node, depth: int) -> object:
    """Convert an association to a dictionary. The values of delayed rules stay unevaluated.

    Raises:
        _NotLiteralError: The association contains anything other than rules, or has a key that a
            dictionary cannot have.
    """
    entries: dict[object, object] = {}
    for arg in iter_rules(node.args):
        if not has_any_head(arg, ("Rule", "RuleDelayed")):
            raise _NotLiteralError
        key, value = _evaluate_rule(arg, depth)
        try:
            entries[key] = value
        except TypeError:
            # The key is a list or association, which Python cannot hash.
            raise _NotLiteralError from None
    return entries


def iter_rules(args: list[Expression]) -> Iterator[Expression]:
    """Yield an association's rules from its arguments.

    As in kernels, nested lists and associations are flattened, and `Nothing` is removed. Other
    arguments are yielded too, so callers must check for them.
    """
    pending = list(reversed(args))
    while pending:
        arg = pending.pop()
        if has_any_head(arg, ("List", "Association")):
            pending += reversed(arg.args)
        elif not is_symbol(arg, "Nothing"):
            yield arg


def _evaluate_rule(node: Node, depth: int) -> RuleValue:
    if len(node.args) != 2:
        raise _NotLiteralError
    key, value = node.args
    if has_head(node, "RuleDelayed"):
        return RuleValue(_evaluate_expression(key, depth), UnevaluatedExpression(value))
    return RuleValue(_evaluate_expression(key, depth), _evaluate_expression(value, depth))


def _evaluate_strings(node: Node, depth: int) -> list[str]:
    """Return the strings among a node's arguments: `"a"` and `"b"` for `f["a", {"b"}]`.

    Raises:
        _NotLiteralError: An argument is neither a string nor a list of strings.
    """
    strings: list[str] = []
    for arg in node.args:
        value = _evaluate_expression(arg, depth)
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str):
                raise _NotLiteralError
            strings.append(item)
    return strings


def _evaluate_template(node: Node, depth: int) -> object:
    strings = _evaluate_strings(node, depth)
    if len(strings) != 1:
        raise _NotLiteralError
    return StringTemplate(strings[0])


def _evaluate_numbers(args: list[Expression], depth: int) -> list[Any]:
    """Return the values of the arguments, which must be numbers."""
    values: list[Any] = [_evaluate_expression(arg, depth) for arg in args]
    # `isinstance` would accept booleans, because they are integers in Python.
    if not all(type(value) in (int, float) for value in values):
        raise _NotLiteralError
    return values


def _evaluate_sum(node: Node, depth: int) -> object:
    return _accumulate_numbers(_evaluate_numbers(node.args, depth), add, 0)


def _evaluate_product(node: Node, depth: int) -> object:
    # The parser reads `a/b` as `a` times a power. Dividing directly keeps integer quotients exact.
    match node.args:
        case [dividend, Node() as inverse] if is_inverse(inverse):
            return _evaluate_quotient(dividend, inverse.args[0], depth)
    return _accumulate_numbers(_evaluate_numbers(node.args, depth), mul, 1)


def _accumulate_numbers(
    values: list[Any], combine: Callable[[Any, Any], Any], start: int
) -> int | float:
    """Combine numbers, for example into their sum.

    Args:
        values: The numbers.
        combine: The operation on two numbers, such as addition.
        start: The result for an empty list.

    Raises:
        _NotLiteralError: The result is infinite or has too many digits.
    """
    total: int | float = start
    for value in values:
        try:
            total = combine(total, value)
        except OverflowError:
            raise _NotLiteralError from None
        if has_too_many_digits(total) or total in _INFINITE:
            raise _NotLiteralError
    return total


def _evaluate_quotient(dividend: Expression, divisor: Expression, depth: int) -> int | float:
    """Return the value of a quotient `a/b`: an integer if it is exact, a real otherwise.

    Kernels would keep an inexact quotient of integers as a fraction, but there is no fraction type
    here.

    Raises:
        _NotLiteralError: The quotient is not a number, for example because the divisor is 0.
    """
    numerator, denominator = _evaluate_numbers([dividend, divisor], depth + 1)
    try:
        is_exact = type(numerator) is type(denominator) is int and numerator % denominator == 0
        quotient: int | float = numerator // denominator if is_exact else numerator / denominator
    except (OverflowError, ZeroDivisionError):
        raise _NotLiteralError from None
    return quotient


_EVALUATORS: dict[str, Callable[[Node, int], object]] = {
    "List": _evaluate_list,
    "Association": _evaluate_association,
    "Rule": _evaluate_rule,
    "RuleDelayed": _evaluate_rule,
    "StringJoin": lambda node, depth: "".join(_evaluate_strings(node, depth)),
    "FileNameJoin": lambda node, depth: "/".join(_evaluate_strings(node, depth)),
    "StringTemplate": _evaluate_template,
    "Times": _evaluate_product,
    "Plus": _evaluate_sum,
}
