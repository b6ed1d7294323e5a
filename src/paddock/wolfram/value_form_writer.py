"""Value form: results in kernel notation.

Evaluation leaves `Times[a, Power[b, -1]]`, `Rational[1, 2]` and `Complex[0, 1]`. Kernels print them
in InputForm as `a/b`, `1/2` and `I`, which evaluate to the same values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import (
    Atom,
    Node,
    call,
    get_head_name,
    has_head,
    is_atom,
    is_literal,
    symbol,
)
from paddock.wolfram.input_form_writer import (
    ATOM_PRECEDENCE,
    MINUS_PRECEDENCE,
    WrittenForm,
    is_negative_number,
    join_operands,
    write_call,
    write_input_form,
)
from paddock.wolfram.operators import INFIX_OPERATORS, TIMES_PRECEDENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.input_form_writer import FormPiece

_DIVIDE_PRECEDENCE = INFIX_OPERATORS["/"].precedence
_PLUS_PRECEDENCE = INFIX_OPERATORS["+"].precedence
_FACTOR_PRECEDENCE = max(TIMES_PRECEDENCE, _DIVIDE_PRECEDENCE) + 1
"""Minimum precedence of factors: a product or quotient as a factor needs parentheses."""


def write_value_form(expression: Expression) -> WrittenForm:
    """Return the value form of an expression: the text that a kernel prints for this result.

    For example, `Times[a, Power[b, -1]]` becomes `a/b`. Expressions without their own value form
    are written in InputForm.
    """
    if isinstance(expression, Node):
        if isinstance(expression.head, Node):
            # Kernels print `Derivative[1][f][x]`, not `f'[x]`.
            return write_call(expression)
        writer = _VALUE_FORM_WRITERS.get(get_head_name(expression))
        form = writer(expression) if writer is not None else None
        if form is not None:
            return form
    return write_input_form(expression)


class _RationalNumber(NamedTuple):
    """The source texts of the parts of a `Rational`, such as `-1` and `2`."""

    numerator: str
    denominator: str


def _get_rational(expression: Expression) -> _RationalNumber | None:
    """Return the numerator and denominator of a `Rational`, or None."""
    if not has_head(expression, "Rational"):
        return None
    texts = [arg.text for arg in expression.args if is_atom(arg, "number")]
    return _RationalNumber(*texts) if len(texts) == len(expression.args) == 2 else None


def _write_rational(node: Node) -> WrittenForm | None:
    """Write a `Rational` as a fraction. As an operand, it may need parentheses."""
    rational = _get_rational(node)
    if rational is None:
        return None
    precedence = min(_DIVIDE_PRECEDENCE, MINUS_PRECEDENCE)
    return WrittenForm(precedence, [f"{rational.numerator}/{rational.denominator}"])


def _write_complex(node: Node) -> WrittenForm | None:
    """Write `Complex[1, 2]` as a sum of its parts: `1 + 2*I`."""
    if len(node.args) != 2:
        return None
    real, imaginary = node.args
    unit = symbol("I")
    imaginary_part = unit if is_literal(imaginary, "1") else call("Times", imaginary, unit)
    # A kernel prints `2*I` without `0 +`.
    is_imaginary = is_literal(real, "0")
    return write_value_form(imaginary_part if is_imaginary else call("Plus", real, imaginary_part))


def _write_infinity(node: Node) -> WrittenForm | None:
    """Write `DirectedInfinity[1]` as `Infinity`, and likewise `-Infinity` and `ComplexInfinity`.

    Return None for an infinity in another direction, which has no special notation.
    """
    match [arg.text if isinstance(arg, Atom) else "" for arg in node.args]:
        case []:
            return WrittenForm(ATOM_PRECEDENCE, ["ComplexInfinity"])
        case ["1"]:
            return WrittenForm(ATOM_PRECEDENCE, ["Infinity"])
        case ["-1"]:
            return WrittenForm(MINUS_PRECEDENCE, ["-Infinity"])
    return None


def _write_power(node: Node) -> WrittenForm | None:
    """Write a power with the exponent 1/2 or -1/2 as `Sqrt[x]` or `1/Sqrt[x]`.

    Return None for other powers.
    """
    exponent = _get_rational(node.args[1]) if len(node.args) == 2 else None
    # A kernel prints square roots as `Sqrt[x]`, never as `x^(1/2)`.
    if exponent == ("1", "2"):
        return write_call(call("Sqrt", node.args[0]))
    if exponent == ("-1", "2"):
        root = call("Sqrt", node.args[0])
        return WrittenForm(_DIVIDE_PRECEDENCE, ["1/", (root, _FACTOR_PRECEDENCE)])
    return None


class _ProductParts(NamedTuple):
    """A product as a fraction: its sign, and the factors of its numerator and denominator."""

    is_negative: bool
    numerator: list[Expression]
    denominator: list[Expression]


def _write_times(node: Node) -> WrittenForm | None:
    """Write a product as kernels do: as a fraction with its sign first, such as `-(a/b)`.

    Factors with negative exponents form the denominator. Return None if there are fewer than two
    factors.
    """
    if len(node.args) < 2:
        return None
    is_negative, numerator, denominator = _split_product(node.args)
    if not denominator:
        return _write_negation(numerator) if is_negative else _write_factors(numerator)
    if not is_negative:
        return _write_quotient(numerator, denominator)
    if not numerator and len(denominator) == 1 and len(node.args) == 2:
        # A kernel prints `-x^(-1)`, not `-(1/x)`.
        return _write_negation(node.args[1:])
    if numerator and is_atom(divisor := denominator[0], "number"):
        # A kernel prints `-1/2*x`, and `-(x/y)` for denominators that are not numbers.
        quotient = _make_quotient(numerator, denominator[1:])
        min_precedence = _DIVIDE_PRECEDENCE if len(denominator) > 1 else _FACTOR_PRECEDENCE
        return WrittenForm(TIMES_PRECEDENCE, [f"-1/{divisor.text}*", (quotient, min_precedence)])
    quotient = _make_quotient(numerator, denominator)
    return WrittenForm(MINUS_PRECEDENCE, ["-", (quotient, _FACTOR_PRECEDENCE)])


def _split_product(factors: list[Expression]) -> _ProductParts:
    """Split the factors of a product into numerator, denominator and sign.

    A factor such as `b^-2` becomes `b^2` in the denominator, and a leading -1 becomes the sign.
    """
    numerator: list[Expression] = []
    denominator: list[Expression] = []
    for factor in factors:
        if rational := _get_rational(factor):
            numerator.append(Atom("number", rational.numerator))
            denominator.append(Atom("number", rational.denominator))
        elif divisor := _get_denominator(factor):
            denominator.append(divisor)
        else:
            numerator.append(factor)
    is_negative = bool(numerator) and is_literal(numerator[0], "-1")
    if is_negative or (numerator and is_literal(numerator[0], "1")):
        del numerator[0]
    return _ProductParts(is_negative, numerator, denominator)


def _get_denominator(expression: Expression) -> Expression | None:
    """Return the denominator of a power with a negative exponent: `b^2` for `b^-2`.

    Return None for other expressions.
    """
    if not has_head(expression, "Power") or len(expression.args) != 2:
        return None
    base, exponent = expression.args
    if is_negative_number(exponent) and exponent.text[1:].isdigit():
        return base if exponent.text == "-1" else call("Power", base, _drop_minus_sign(exponent))
    rational = _drop_rational_sign(exponent)
    return None if rational is None else call("Power", base, rational)


def _drop_minus_sign(number: Atom) -> Atom:
    return Atom("number", number.text[1:])


def _drop_rational_sign(expression: Expression) -> Expression | None:
    """Return a negative `Rational` without its minus sign. Return None for other expressions."""
    rational = _get_rational(expression)
    if rational is None or not rational.numerator.startswith("-"):
        return None
    numerator, denominator = rational.numerator[1:], rational.denominator
    return call("Rational", Atom("number", numerator), Atom("number", denominator))


def _make_product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else call("Times", *factors)


def _make_quotient(numerator: list[Expression], denominator: list[Expression]) -> Expression:
    """Return a quotient of the numerator and denominator factors, without a sign."""
    inverses = [call("Power", factor, Atom("number", "-1")) for factor in denominator]
    return _make_product([*numerator, *inverses])


def _write_negation(factors: list[Expression]) -> WrittenForm:
    operand = (_make_product(factors), MINUS_PRECEDENCE + 1)
    return WrittenForm(MINUS_PRECEDENCE, ["-", operand])


def _write_factors(factors: list[Expression]) -> WrittenForm:
    """Write factors separated by `*`."""
    pieces = join_operands(factors, "*", _FACTOR_PRECEDENCE)
    if is_negative_number(factors[0]):
        # A first factor such as -2 needs no parentheses.
        pieces[0] = factors[0].text
    return WrittenForm(TIMES_PRECEDENCE, pieces)


def _write_quotient(numerator: list[Expression], denominator: list[Expression]) -> WrittenForm:
    """Write a fraction. Multiple factors below the line form one operand, in parentheses."""
    dividend: FormPiece = (_make_product(numerator), _FACTOR_PRECEDENCE) if numerator else "1"
    divisor = (_make_product(denominator), _FACTOR_PRECEDENCE)
    return WrittenForm(_DIVIDE_PRECEDENCE, [dividend, "/", divisor])


def _write_plus(node: Node) -> WrittenForm | None:
    """Write a sum. Negative terms are subtracted, as in `a - b` for `Plus[a, Times[-1, b]]`."""
    if len(node.args) < 2:
        return None
    pieces: list[FormPiece] = [(node.args[0], _PLUS_PRECEDENCE + 1)]
    for term in node.args[1:]:
        subtrahend = _remove_minus_sign(term)
        sign = " + " if subtrahend is None else " - "
        pieces += [sign, (subtrahend or term, _PLUS_PRECEDENCE + 1)]
    return WrittenForm(_PLUS_PRECEDENCE, pieces)


def _remove_minus_sign(expression: Expression) -> Expression | None:
    """Return the expression without its minus sign, or None if it has no minus sign.

    The sign may belong to a number, a `Rational` or the first factor of a product.
    """
    if is_negative_number(expression):
        return _drop_minus_sign(expression)
    if not has_head(expression, "Times") or len(expression.args) < 2:
        return _drop_rational_sign(expression)
    first_factor, *other_factors = expression.args
    if has_head(first_factor, "Times"):
        return None
    positive_factor = _remove_minus_sign(first_factor)
    if positive_factor is None:
        return None
    if is_literal(positive_factor, "1"):
        return _make_product(other_factors)
    return _make_product([positive_factor, *other_factors])


_VALUE_FORM_WRITERS: dict[str, Callable[[Node], WrittenForm | None]] = {
    "Rational": _write_rational,
    "Complex": _write_complex,
    "DirectedInfinity": _write_infinity,
    "Power": _write_power,
    "Times": _write_times,
    "Plus": _write_plus,
}
