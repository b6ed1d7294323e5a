"""How values look, as a kernel writes them: quotients, differences, roots and complex numbers.

Evaluation leaves `Times[a, Power[b, -1]]`, `Rational[1, 2]` and `Complex[0, 1]` behind. People, and
kernels in InputForm, write `a/b`, `1/2` and `I`, which evaluate to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.input_form_writer import (
    ATOM_PRECEDENCE,
    WrittenForm,
    is_negative_number,
    write_call,
    write_input_form,
)
from paddock.wolfram.operators import INFIX_OPERATORS, PREFIX_OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.input_form_writer import FormPiece

_TIMES_PRECEDENCE = INFIX_OPERATORS["*"].precedence
_DIVIDE_PRECEDENCE = INFIX_OPERATORS["/"].precedence
_PLUS_PRECEDENCE = INFIX_OPERATORS["+"].precedence
_MINUS_PRECEDENCE = PREFIX_OPERATORS["-"].precedence
_FACTOR_PRECEDENCE = max(_TIMES_PRECEDENCE, _DIVIDE_PRECEDENCE) + 1
"""What is part of a product or quotient and is one itself stands in parentheses."""


def write_value_form(expression: Expression) -> WrittenForm:
    """How a value looks."""
    if isinstance(expression, Node):
        head = expression.head
        if isinstance(head, Node):
            return write_call(expression)  # and not f'[x], which is for people
        write = _VALUE_FORM_WRITERS.get(head.text) if head.kind == "symbol" else None
        found = write(expression) if write is not None else None
        if found is not None:
            return found
    return write_input_form(expression)


def _make_number(text: str) -> Atom:
    return Atom("number", text)


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "number"


def _get_fraction(expression: Expression) -> tuple[str, str] | None:
    """The two numbers of a rational one."""
    if not isinstance(expression, Node) or not has_head(expression, "Rational"):
        return None
    texts = [one.text for one in expression.args if isinstance(one, Atom) and _is_number(one)]
    return (texts[0], texts[1]) if len(texts) == len(expression.args) == 2 else None


def _write_rational(node: Node) -> WrittenForm | None:
    parts = _get_fraction(node)
    if parts is None:
        return None
    return WrittenForm(min(_DIVIDE_PRECEDENCE, _MINUS_PRECEDENCE), [f"{parts[0]}/{parts[1]}"])


def _write_complex(node: Node) -> WrittenForm | None:
    if len(node.args) != 2:
        return None
    real, imaginary = node.args
    unit = _make_imaginary(imaginary)
    if isinstance(real, Atom) and real.text == "0":
        return write_value_form(unit)
    return write_value_form(call("Plus", real, unit))


def _make_imaginary(times: Expression) -> Expression:
    """So many times I."""
    unit = symbol("I")
    return unit if isinstance(times, Atom) and times.text == "1" else call("Times", times, unit)


def _write_infinity(node: Node) -> WrittenForm | None:
    if not node.args:
        return WrittenForm(ATOM_PRECEDENCE, ["ComplexInfinity"])
    direction = node.args[0]
    if len(node.args) != 1 or not isinstance(direction, Atom):
        return None
    if direction.text == "1":
        return WrittenForm(ATOM_PRECEDENCE, ["Infinity"])
    return WrittenForm(_MINUS_PRECEDENCE, ["-Infinity"]) if direction.text == "-1" else None


def _write_power(node: Node) -> WrittenForm | None:
    parts = _get_fraction(node.args[1]) if len(node.args) == 2 else None
    if parts == ("1", "2"):
        return write_call(call("Sqrt", node.args[0]))
    if parts == ("-1", "2"):
        return WrittenForm(
            _DIVIDE_PRECEDENCE, ["1/", (call("Sqrt", node.args[0]), _FACTOR_PRECEDENCE)]
        )
    return None


def _write_times(node: Node) -> WrittenForm | None:
    if len(node.args) < 2:
        return None
    sign, above, below = _split_product(node.args)
    if not below:
        return _write_signed_product(sign, above)
    if len(below) == len(node.args) - 1 and not above and sign and len(below) == 1:
        return _write_signed_product(sign, node.args[1:])
    if sign and _is_number(below[0]) and above:
        # A kernel writes `-1/2*x` where it writes `-(x/y)`.
        rest = _make_quotient(above, below[1:])
        least = _DIVIDE_PRECEDENCE if len(below) > 1 else _FACTOR_PRECEDENCE
        return WrittenForm(_TIMES_PRECEDENCE, [f"-1/{below[0].text}*", (rest, least)])  # type: ignore[union-attr]  # a number is an atom
    if sign:
        return WrittenForm(
            _MINUS_PRECEDENCE, ["-", (_make_quotient(above, below), _FACTOR_PRECEDENCE)]
        )
    return _write_quotient(above, below)


def _split_product(args: list[Expression]) -> tuple[str, list[Expression], list[Expression]]:
    """A product as a minus sign or nothing, what is above the line, and what is below it."""
    above: list[Expression] = []
    below: list[Expression] = []
    for arg in args:
        fraction = _get_fraction(arg)
        inverse = _get_inverse(arg)
        if fraction is not None:
            above.append(_make_number(fraction[0]))
            below.append(_make_number(fraction[1]))
        elif inverse is not None:
            below.append(inverse)
        else:
            above.append(arg)
    sign = ""
    if above and isinstance(above[0], Atom) and _is_number(above[0]):
        sign = "-" if above[0].text == "-1" else ""
        if above[0].text in ("1", "-1"):
            del above[0]
    return sign, above, below


def _get_inverse(expression: Expression) -> Expression | None:
    """What stands below the line when a power has a negative number as its exponent."""
    if not isinstance(expression, Node) or not has_head(expression, "Power"):
        return None
    if len(expression.args) != 2:
        return None
    inner, exponent = expression.args
    if is_negative_number(exponent) and isinstance(exponent, Atom) and exponent.text[1:].isdigit():
        times = exponent.text[1:]
        return inner if times == "1" else call("Power", inner, _make_number(times))
    parts = _get_fraction(exponent)
    if parts is not None and parts[0].startswith("-"):
        return call(
            "Power", inner, call("Rational", _make_number(parts[0][1:]), _make_number(parts[1]))
        )
    return None


def _make_product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else call("Times", *factors)


def _make_quotient(above: list[Expression], below: list[Expression]) -> Expression:
    """A product again; it has no sign that would be looked at a second time."""
    return _make_product([*above, *(call("Power", one, _make_number("-1")) for one in below)])


def _write_signed_product(sign: str, factors: list[Expression]) -> WrittenForm:
    if sign:
        return WrittenForm(
            _MINUS_PRECEDENCE, ["-", (_make_product(factors), _MINUS_PRECEDENCE + 1)]
        )
    pieces: list[FormPiece] = []
    for index, factor in enumerate(factors):
        pieces += ["*", (factor, _FACTOR_PRECEDENCE)] if index else [(factor, _FACTOR_PRECEDENCE)]
    if is_negative_number(factors[0]):
        pieces[0] = factors[0].text  # type: ignore[union-attr]  # a number is an atom
    return WrittenForm(_TIMES_PRECEDENCE, pieces)


def _write_quotient(above: list[Expression], below: list[Expression]) -> WrittenForm:
    top: FormPiece = (_make_product(above), _FACTOR_PRECEDENCE) if above else "1"
    return WrittenForm(_DIVIDE_PRECEDENCE, [top, "/", (_make_product(below), _FACTOR_PRECEDENCE)])


def _write_plus(node: Node) -> WrittenForm | None:
    if len(node.args) < 2:
        return None
    pieces: list[FormPiece] = [(node.args[0], _PLUS_PRECEDENCE + 1)]
    for arg in node.args[1:]:
        taken = _negate(arg)
        if taken is None:
            pieces += [" + ", (arg, _PLUS_PRECEDENCE + 1)]
        else:
            pieces += [" - ", (taken, _PLUS_PRECEDENCE + 1)]
    return WrittenForm(_PLUS_PRECEDENCE, pieces)


def _negate(expression: Expression) -> Expression | None:
    """What is taken away, when adding the expression takes something away."""
    if is_negative_number(expression) and isinstance(expression, Atom):
        return _make_number(expression.text[1:])
    parts = _get_fraction(expression)
    if parts is not None and parts[0].startswith("-"):
        return call("Rational", _make_number(parts[0][1:]), _make_number(parts[1]))
    if not isinstance(expression, Node) or not has_head(expression, "Times"):
        return None
    first, *rest = expression.args
    positive = _negate(first) if not has_head(first, "Times") else None
    if positive is None or not rest:
        return None
    is_one = isinstance(positive, Atom) and positive.text == "1"
    return _make_product(rest) if is_one else call("Times", positive, *rest)


_VALUE_FORM_WRITERS: dict[str, Callable[[Node], WrittenForm | None]] = {
    "Rational": _write_rational,
    "Complex": _write_complex,
    "DirectedInfinity": _write_infinity,
    "Power": _write_power,
    "Times": _write_times,
    "Plus": _write_plus,
}
