"""Formulas: what is written, as a tree; as Wolfram Language code; and their values as numbers."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    ComplexFunction = Callable[[complex], complex]

CONSTANT_VALUES: dict[str, float] = {"Pi": math.pi, "E": math.e}
_FLOAT_DIGITS = 17


@dataclass(frozen=True)
class FormulaNumber:
    """An exact number."""

    value: Fraction
    is_decimal: bool = False
    """Whether it was written with a decimal point."""


@dataclass(frozen=True)
class FormulaName:
    """A variable, or a constant by its name in the Wolfram Language."""

    name: str

    @property
    def is_constant(self) -> bool:
        """Whether it has a value."""
        return self.name in CONSTANT_VALUES


@dataclass(frozen=True)
class FormulaCall:
    """A function of formulas, by its name in the Wolfram Language."""

    head: str
    arguments: tuple[Formula, ...]


Formula = FormulaNumber | FormulaName | FormulaCall

NUMERIC_FUNCTIONS: dict[str, ComplexFunction] = {
    "Sin": cmath.sin,
    "Cos": cmath.cos,
    "Tan": cmath.tan,
    "Cot": lambda x: 1 / cmath.tan(x),
    "Sec": lambda x: 1 / cmath.cos(x),
    "Csc": lambda x: 1 / cmath.sin(x),
    "ArcSin": cmath.asin,
    "ArcCos": cmath.acos,
    "ArcTan": cmath.atan,
    "Sinh": cmath.sinh,
    "Cosh": cmath.cosh,
    "Tanh": cmath.tanh,
    "ArcSinh": cmath.asinh,
    "ArcTanh": cmath.atanh,
    "Exp": cmath.exp,
    "Log": cmath.log,
    "Log2": lambda x: cmath.log(x) / math.log(2),
    "Log10": cmath.log10,
    "Sqrt": cmath.sqrt,
    "Abs": abs,
    "Erf": lambda x: math.erf(_require_real(x)),
    "Factorial": lambda x: math.gamma(_require_real(x) + 1),
}
TRIGONOMETRIC_FUNCTIONS = frozenset({"Sin", "Cos", "Tan", "Cot", "Sec", "Csc"})


class NoValueError(ValueError):
    """A formula has no value there, or none that we can work out."""


def to_number(value: int | Fraction) -> FormulaNumber:
    """An exact number as a formula."""
    return FormulaNumber(Fraction(value))


def find_variables(formula: Formula) -> set[str]:
    """The names of the variables in a formula."""
    if isinstance(formula, FormulaCall):
        return set().union(*(find_variables(arg) for arg in formula.arguments))
    return {formula.name} if isinstance(formula, FormulaName) and not formula.is_constant else set()


def has_function(formula: Formula, heads: frozenset[str]) -> bool:
    """Whether any of some functions is in a formula."""
    if not isinstance(formula, FormulaCall):
        return False
    return formula.head in heads or any(has_function(arg, heads) for arg in formula.arguments)


def to_wolfram_code(formula: Formula) -> str:
    """A formula as Wolfram Language code, in full form."""
    if isinstance(formula, FormulaNumber):
        top, bottom = formula.value.numerator, formula.value.denominator
        return str(top) if bottom == 1 else f"Rational[{top}, {bottom}]"
    if isinstance(formula, FormulaName):
        return formula.name
    return f"{formula.head}[{', '.join(map(to_wolfram_code, formula.arguments))}]"


def evaluate_formula(formula: Formula, where: Mapping[str, complex]) -> complex:
    """The value of a formula where its variables have values, in floating point.

    Raises:
        NoValueError: when it has none.
    """
    try:
        found = complex(_evaluate_node(formula, where))
    except (ArithmeticError, ValueError, KeyError) as error:
        raise NoValueError(str(error)) from None
    if not cmath.isfinite(found):
        raise NoValueError("not finite")
    return found


def _evaluate_node(formula: Formula, where: Mapping[str, complex]) -> complex:
    if isinstance(formula, FormulaNumber):
        return float(formula.value)
    if isinstance(formula, FormulaName):
        return CONSTANT_VALUES[formula.name] if formula.is_constant else where[formula.name]
    values = [_evaluate_node(arg, where) for arg in formula.arguments]
    if formula.head == "Plus":
        return sum(values)
    if formula.head == "Times":
        return math.prod(values)
    if formula.head == "Power":
        return _evaluate_power(values[0], formula.arguments[1], values[1])
    return NUMERIC_FUNCTIONS[formula.head](values[0])


def _evaluate_power(below: complex, exponent: Formula, above: complex) -> complex:
    if below == 0 and above == 0:
        raise NoValueError("zero to the power of zero")
    is_whole = isinstance(exponent, FormulaNumber) and exponent.value.denominator == 1
    return complex(below) ** (int(exponent.value) if is_whole else above)  # type: ignore[union-attr]  # it is a number


def _require_real(x: complex) -> float:
    if complex(x).imag != 0:
        raise NoValueError("not real")
    return complex(x).real
