"""Value form: results in the notation of kernels.

Evaluation leaves `Times[a, Power[b, -1]]`, `Rational[1, 2]` and `Complex[0, 1]`. Kernels print them
in InputForm as `a/b`, `1/2` and `I`, which evaluate to the same values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.input_form_writer import (
    ATOM_PRECEDENCE,
    WrittenForm,
    is_negative_number,
    is_number,
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
"""Minimum precedence of factors: a product or quotient as a factor needs parentheses."""


def write_value_form(expression: Expression) -> WrittenForm:
    """Return the value form of an expression. Most heads have their input form."""
    if isinstance(expression, Node):
        head = expression.head
        if isinstance(head, Node):
            return write_call(expression)  # kernels print Derivative[1][f][x], not f'[x]
        writer = _VALUE_FORM_WRITERS.get(head.text) if head.kind == "symbol" else None
        form = writer(expression) if writer is not None else None
        if form is not None:
            return form
    return write_input_form(expression)


def _make_number(text: str) -> Atom:
    return Atom("number", text)


def _get_fraction(expression: Expression) -> tuple[str, str] | None:
    """Return the numerator and denominator of a `Rational`, or None."""
    if not has_head(expression, "Rational"):
        return None
    texts = [arg.text for arg in expression.args if isinstance(arg, Atom) and is_number(arg)]
    return (texts[0], texts[1]) if len(texts) == len(expression.args) == 2 else None


def _write_rational(node: Node) -> WrittenForm | None:
    """Write a `Rational` as a fraction. As an operand, it may need parentheses."""
    parts = _get_fraction(node)
    if parts is None:
        return None
    return WrittenForm(min(_DIVIDE_PRECEDENCE, _MINUS_PRECEDENCE), [f"{parts[0]}/{parts[1]}"])


def _write_complex(node: Node) -> WrittenForm | None:
    """Write a complex number as a sum of its parts, such as `1 + 2*I`."""
    if len(node.args) != 2:
        return None
    real, imaginary = node.args
    unit = _make_imaginary(imaginary)
    # A kernel prints `2*I` without `0 +`.
    if isinstance(real, Atom) and real.text == "0":
        return write_value_form(unit)
    return write_value_form(call("Plus", real, unit))


def _make_imaginary(factor: Expression) -> Expression:
    """Return the product of a number and `I`."""
    unit = symbol("I")
    return unit if isinstance(factor, Atom) and factor.text == "1" else call("Times", factor, unit)


def _write_infinity(node: Node) -> WrittenForm | None:
    """Write a `DirectedInfinity` with the direction 1 or -1, or without a direction."""
    if not node.args:
        return WrittenForm(ATOM_PRECEDENCE, ["ComplexInfinity"])
    direction = node.args[0]
    if len(node.args) != 1 or not isinstance(direction, Atom):
        return None
    if direction.text == "1":
        return WrittenForm(ATOM_PRECEDENCE, ["Infinity"])
    return WrittenForm(_MINUS_PRECEDENCE, ["-Infinity"]) if direction.text == "-1" else None


def _write_power(node: Node) -> WrittenForm | None:
    """Write powers with the exponents 1/2 and -1/2 as roots."""
    parts = _get_fraction(node.args[1]) if len(node.args) == 2 else None
    # A kernel prints square roots as `Sqrt[x]`, never as `x^(1/2)`.
    if parts == ("1", "2"):
        return write_call(call("Sqrt", node.args[0]))
    if parts == ("-1", "2"):
        return WrittenForm(
            _DIVIDE_PRECEDENCE, ["1/", (call("Sqrt", node.args[0]), _FACTOR_PRECEDENCE)]
        )
    return None


def _write_times(node: Node) -> WrittenForm | None:
    """Write a product as kernels do: as a fraction, with the sign before it.

    Factors with negative exponents are below the line.
    """
    if len(node.args) < 2:
        return None
    sign, numerator, denominator = _split_product(node.args)
    if not denominator:
        return _write_signed_product(sign, numerator)
    if sign and not numerator and len(denominator) == 1 and len(node.args) == 2:
        # A kernel prints `-x^(-1)`, not `-(1/x)`.
        return _write_signed_product(sign, node.args[1:])
    divisor = denominator[0]
    if sign and numerator and isinstance(divisor, Atom) and divisor.kind == "number":
        # A kernel prints `-1/2*x`, and `-(x/y)` for denominators that are not numbers.
        quotient = _make_quotient(numerator, denominator[1:])
        min_precedence = _DIVIDE_PRECEDENCE if len(denominator) > 1 else _FACTOR_PRECEDENCE
        return WrittenForm(_TIMES_PRECEDENCE, [f"-1/{divisor.text}*", (quotient, min_precedence)])
    if sign:
        return WrittenForm(
            _MINUS_PRECEDENCE, ["-", (_make_quotient(numerator, denominator), _FACTOR_PRECEDENCE)]
        )
    return _write_quotient(numerator, denominator)


def _split_product(args: list[Expression]) -> tuple[str, list[Expression], list[Expression]]:
    """Split the factors of a product at the line of a fraction.

    Returns:
        The sign ("-" or ""), and the factors above and below the line.
    """
    numerator: list[Expression] = []
    denominator: list[Expression] = []
    for arg in args:
        fraction = _get_fraction(arg)
        inverse = _get_inverse(arg)
        if fraction is not None:
            numerator.append(_make_number(fraction[0]))
            denominator.append(_make_number(fraction[1]))
        elif inverse is not None:
            denominator.append(inverse)
        else:
            numerator.append(arg)
    sign = ""
    if numerator and isinstance(numerator[0], Atom) and is_number(numerator[0]):
        sign = "-" if numerator[0].text == "-1" else ""
        if numerator[0].text in ("1", "-1"):
            del numerator[0]
    return sign, numerator, denominator


def _get_inverse(expression: Expression) -> Expression | None:
    """Return the denominator of a power with a negative exponent, or None."""
    if not has_head(expression, "Power"):
        return None
    if len(expression.args) != 2:
        return None
    inner, exponent = expression.args
    if is_negative_number(exponent) and isinstance(exponent, Atom) and exponent.text[1:].isdigit():
        absolute = exponent.text[1:]
        return inner if absolute == "1" else call("Power", inner, _make_number(absolute))
    parts = _get_fraction(exponent)
    if parts is not None and parts[0].startswith("-"):
        return call(
            "Power", inner, call("Rational", _make_number(parts[0][1:]), _make_number(parts[1]))
        )
    return None


def _make_product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else call("Times", *factors)


def _make_quotient(numerator: list[Expression], denominator: list[Expression]) -> Expression:
    """Return the product of the factors above and below the line, without a sign."""
    inverses = [call("Power", factor, _make_number("-1")) for factor in denominator]
    return _make_product([*numerator, *inverses])


def _write_signed_product(sign: str, factors: list[Expression]) -> WrittenForm:
    """Write factors with `*` between them, after a minus sign if `sign` is not empty."""
    if sign:
        return WrittenForm(
            _MINUS_PRECEDENCE, ["-", (_make_product(factors), _MINUS_PRECEDENCE + 1)]
        )
    pieces: list[FormPiece] = []
    for index, factor in enumerate(factors):
        pieces += ["*", (factor, _FACTOR_PRECEDENCE)] if index else [(factor, _FACTOR_PRECEDENCE)]
    if is_negative_number(factors[0]):
        pieces[0] = factors[0].text
    return WrittenForm(_TIMES_PRECEDENCE, pieces)


def _write_quotient(numerator: list[Expression], denominator: list[Expression]) -> WrittenForm:
    """Write a fraction. Several factors below the line are one operand, in parentheses."""
    dividend: FormPiece = (_make_product(numerator), _FACTOR_PRECEDENCE) if numerator else "1"
    return WrittenForm(
        _DIVIDE_PRECEDENCE, [dividend, "/", (_make_product(denominator), _FACTOR_PRECEDENCE)]
    )


def _write_plus(node: Node) -> WrittenForm | None:
    """Write a sum, with terms that have a minus sign as differences."""
    if len(node.args) < 2:
        return None
    pieces: list[FormPiece] = [(node.args[0], _PLUS_PRECEDENCE + 1)]
    for arg in node.args[1:]:
        subtrahend = _negate(arg)
        if subtrahend is None:
            pieces += [" + ", (arg, _PLUS_PRECEDENCE + 1)]
        else:
            pieces += [" - ", (subtrahend, _PLUS_PRECEDENCE + 1)]
    return WrittenForm(_PLUS_PRECEDENCE, pieces)


def _negate(expression: Expression) -> Expression | None:
    """Return the expression without its minus sign, or None if it has no minus sign."""
    if is_negative_number(expression) and isinstance(expression, Atom):
        return _make_number(expression.text[1:])
    parts = _get_fraction(expression)
    if parts is not None and parts[0].startswith("-"):
        return call("Rational", _make_number(parts[0][1:]), _make_number(parts[1]))
    if not has_head(expression, "Times"):
        return None
    first_factor, *other_factors = expression.args
    positive = _negate(first_factor) if not has_head(first_factor, "Times") else None
    if positive is None or not other_factors:
        return None
    is_one = isinstance(positive, Atom) and positive.text == "1"
    return _make_product(other_factors) if is_one else call("Times", positive, *other_factors)


_VALUE_FORM_WRITERS: dict[str, Callable[[Node], WrittenForm | None]] = {
    "Rational": _write_rational,
    "Complex": _write_complex,
    "DirectedInfinity": _write_infinity,
    "Power": _write_power,
    "Times": _write_times,
    "Plus": _write_plus,
}
