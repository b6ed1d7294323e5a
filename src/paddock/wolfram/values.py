"""How values look, as a kernel writes them: quotients, differences, roots and complex numbers.

Evaluation leaves `Times[a, Power[b, -1]]`, `Rational[1, 2]` and `Complex[0, 1]` behind. People, and
kernels in InputForm, write `a/b`, `1/2` and `I`, which evaluate to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.operators import INFIX, PREFIX
from paddock.wolfram.written import ATOM, Written, called, is_negative_number, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.written import Piece

_TIMES = INFIX["*"].precedence
_OVER = INFIX["/"].precedence
_PLUS = INFIX["+"].precedence
_MINUS = PREFIX["-"].precedence
_FACTOR = max(_TIMES, _OVER) + 1
"""What is part of a product or quotient and is one itself stands in parentheses."""


def value_written(expression: Expression) -> Written:
    """How a value looks."""
    if isinstance(expression, Node):
        head = expression.head
        if isinstance(head, Node):
            return called(expression)  # and not f'[x], which is for people
        write = _WRITERS.get(head.text) if head.kind == "symbol" else None
        found = write(expression) if write is not None else None
        if found is not None:
            return found
    return written(expression)


def _number(text: str) -> Atom:
    return Atom("number", text)


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "number"


def _fraction(expression: Expression) -> tuple[str, str] | None:
    """The two numbers of a rational one."""
    if not isinstance(expression, Node) or not has_head(expression, "Rational"):
        return None
    texts = [one.text for one in expression.args if isinstance(one, Atom) and _is_number(one)]
    return (texts[0], texts[1]) if len(texts) == len(expression.args) == 2 else None


def _rational(node: Node) -> Written | None:
    parts = _fraction(node)
    if parts is None:
        return None
    return Written(min(_OVER, _MINUS), [f"{parts[0]}/{parts[1]}"])


def _complex(node: Node) -> Written | None:
    if len(node.args) != 2:
        return None
    real, imaginary = node.args
    unit = _imaginary(imaginary)
    if isinstance(real, Atom) and real.text == "0":
        return value_written(unit)
    return value_written(call("Plus", real, unit))


def _imaginary(times: Expression) -> Expression:
    """So many times I."""
    unit = symbol("I")
    return unit if isinstance(times, Atom) and times.text == "1" else call("Times", times, unit)


def _infinity(node: Node) -> Written | None:
    if not node.args:
        return Written(ATOM, ["ComplexInfinity"])
    direction = node.args[0]
    if len(node.args) != 1 or not isinstance(direction, Atom):
        return None
    if direction.text == "1":
        return Written(ATOM, ["Infinity"])
    return Written(_MINUS, ["-Infinity"]) if direction.text == "-1" else None


def _power(node: Node) -> Written | None:
    parts = _fraction(node.args[1]) if len(node.args) == 2 else None
    if parts == ("1", "2"):
        return called(call("Sqrt", node.args[0]))
    if parts == ("-1", "2"):
        return Written(_OVER, ["1/", (call("Sqrt", node.args[0]), _FACTOR)])
    return None


def _times(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    sign, above, below = _parts(node.args)
    if not below:
        return _signed(sign, above)
    if len(below) == len(node.args) - 1 and not above and sign and len(below) == 1:
        return _signed(sign, node.args[1:])
    if sign and _is_number(below[0]) and above:
        # A kernel writes `-1/2*x` where it writes `-(x/y)`.
        rest = _quotient(above, below[1:])
        least = _OVER if len(below) > 1 else _FACTOR
        return Written(_TIMES, [f"-1/{below[0].text}*", (rest, least)])  # type: ignore[union-attr]  # a number is an atom
    if sign:
        return Written(_MINUS, ["-", (_quotient(above, below), _FACTOR)])
    return _over(above, below)


def _parts(args: list[Expression]) -> tuple[str, list[Expression], list[Expression]]:
    """A product as a minus sign or nothing, what is above the line, and what is below it."""
    above: list[Expression] = []
    below: list[Expression] = []
    for arg in args:
        fraction = _fraction(arg)
        inverse = _inverse(arg)
        if fraction is not None:
            above.append(_number(fraction[0]))
            below.append(_number(fraction[1]))
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


def _inverse(expression: Expression) -> Expression | None:
    """What stands below the line when a power has a negative number as its exponent."""
    if not isinstance(expression, Node) or not has_head(expression, "Power"):
        return None
    if len(expression.args) != 2:
        return None
    inner, exponent = expression.args
    if is_negative_number(exponent) and isinstance(exponent, Atom) and exponent.text[1:].isdigit():
        times = exponent.text[1:]
        return inner if times == "1" else call("Power", inner, _number(times))
    parts = _fraction(exponent)
    if parts is not None and parts[0].startswith("-"):
        return call("Power", inner, call("Rational", _number(parts[0][1:]), _number(parts[1])))
    return None


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else call("Times", *factors)


def _quotient(above: list[Expression], below: list[Expression]) -> Expression:
    """A product again; it has no sign that would be looked at a second time."""
    return _product([*above, *(call("Power", one, _number("-1")) for one in below)])


def _signed(sign: str, factors: list[Expression]) -> Written:
    if sign:
        return Written(_MINUS, ["-", (_product(factors), _MINUS + 1)])
    pieces: list[Piece] = []
    for index, factor in enumerate(factors):
        pieces += ["*", (factor, _FACTOR)] if index else [(factor, _FACTOR)]
    if is_negative_number(factors[0]):
        pieces[0] = factors[0].text  # type: ignore[union-attr]  # a number is an atom
    return Written(_TIMES, pieces)


def _over(above: list[Expression], below: list[Expression]) -> Written:
    top: Piece = (_product(above), _FACTOR) if above else "1"
    return Written(_OVER, [top, "/", (_product(below), _FACTOR)])


def _plus(node: Node) -> Written | None:
    if len(node.args) < 2:
        return None
    pieces: list[Piece] = [(node.args[0], _PLUS + 1)]
    for arg in node.args[1:]:
        taken = _negated(arg)
        if taken is None:
            pieces += [" + ", (arg, _PLUS + 1)]
        else:
            pieces += [" - ", (taken, _PLUS + 1)]
    return Written(_PLUS, pieces)


def _negated(expression: Expression) -> Expression | None:
    """What is taken away, when adding the expression takes something away."""
    if is_negative_number(expression) and isinstance(expression, Atom):
        return _number(expression.text[1:])
    parts = _fraction(expression)
    if parts is not None and parts[0].startswith("-"):
        return call("Rational", _number(parts[0][1:]), _number(parts[1]))
    if not isinstance(expression, Node) or not has_head(expression, "Times"):
        return None
    first, *rest = expression.args
    positive = _negated(first) if not has_head(first, "Times") else None
    if positive is None or not rest:
        return None
    is_one = isinstance(positive, Atom) and positive.text == "1"
    return _product(rest) if is_one else call("Times", positive, *rest)


_WRITERS: dict[str, Callable[[Node], Written | None]] = {
    "Rational": _rational,
    "Complex": _complex,
    "DirectedInfinity": _infinity,
    "Power": _power,
    "Times": _times,
    "Plus": _plus,
}
