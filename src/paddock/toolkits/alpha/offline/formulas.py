"""Formulas as trees: parsed from unambiguous text, converted to code, and evaluated numerically.

Text with more than one interpretation is rejected, for example `1/2x`, `2^3^4`, `-2^2`, `sin 2x`,
`log(x)`, `1,5`, and combinations of words that do not show where brackets belong.
"""

from __future__ import annotations

import cmath
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.offline_answer import UncertainAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    ComplexFunction = Callable[[complex], complex]

CONSTANT_VALUES: dict[str, float] = {"Pi": math.pi, "E": math.e}
TRIGONOMETRIC_FUNCTIONS = frozenset({"Sin", "Cos", "Tan", "Cot", "Sec", "Csc"})
MAX_FORMULA_CHARACTERS = 300
VARIABLE_NAMES = frozenset("abcfghjkmnpqrstuvwxyz")
"""Letters that can only be variables; not d, e, i, l, o, which mean or look like other things."""
_FUNCTION_NAME_LETTERS = frozenset("fgh")
FUNCTION_HEADS = {
    **{name.lower(): name for name in ("Sin", "Cos", "Tan", "Cot", "Sec", "Csc")},
    **{name.lower(): name for name in ("Sinh", "Cosh", "Tanh", "Sqrt", "Exp", "Abs")},
    **{f"arc{name}": f"Arc{name.title()}" for name in ("sin", "cos", "tan")},
    "ln": "Log",
    "log2": "Log2",
    "log10": "Log10",
}
_WORD_OPERATORS = (
    (r"to the power of", "^"),
    (r"multiplied by", "*"),
    (r"divided by", "/"),
    (r"square root of", "sqrt"),
    (r"plus", "+"),
    (r"minus", "-"),
    (r"times", "*"),
    (r"squared", "^2"),
    (r"cubed", "^3"),
)
_SIGN_REPLACEMENTS = str.maketrans(
    {"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/", "\u03c0": "pi "}
)
_TOKEN_PATTERN = re.compile(
    r"\s*(?:(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<name>[A-Za-z]+\d*)|(?P<sign>\*\*|[-+*/^()!\u00b0\u221a]))"
)


_SIGNS, _POWER_OPERATORS = ("+", "-"), ("^", "**")


@dataclass(frozen=True)
class FormulaNumber:
    """An exact number."""

    value: Fraction
    is_decimal: bool = False
    """Whether the number was written with a decimal point."""


@dataclass(frozen=True)
class FormulaName:
    """A variable such as `x`, or a constant such as `Pi`, named as in the Wolfram Language."""

    name: str

    @property
    def is_constant(self) -> bool:
        """Whether this is a constant with a known value, and not a variable."""
        return self.name in CONSTANT_VALUES


@dataclass(frozen=True)
class FormulaCall:
    """A call of a function, which has its Wolfram Language name."""

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


class NoValueError(UncertainAnswerError):
    """A formula has no value at a point, or its value cannot be computed."""


def to_number(value: int | Fraction) -> FormulaNumber:
    """Return an exact number as a formula."""
    return FormulaNumber(Fraction(value))


def negate(formula: Formula) -> Formula:
    """Return a formula times -1."""
    return FormulaCall("Times", (to_number(-1), formula))


def invert(formula: Formula) -> Formula:
    """Return the reciprocal of a formula."""
    return FormulaCall("Power", (formula, to_number(-1)))


def walk_formula(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and all formulas nested in it."""
    yield formula
    if isinstance(formula, FormulaCall):
        for argument in formula.arguments:
            yield from walk_formula(argument)


def find_variables(formula: Formula) -> set[str]:
    """Return the names of the variables in a formula."""
    names = (node for node in walk_formula(formula) if isinstance(node, FormulaName))
    return {name.name for name in names if not name.is_constant}


def find_calls(formula: Formula, heads: frozenset[str]) -> list[FormulaCall]:
    """Return the calls of the given functions in a formula."""
    calls = (node for node in walk_formula(formula) if isinstance(node, FormulaCall))
    return [call for call in calls if call.head in heads]


def to_wolfram_code(formula: Formula) -> str:
    """Return a formula as Wolfram Language code, such as `Plus[Power[x, 2], 1]` for `x^2 + 1`."""
    if isinstance(formula, FormulaNumber):
        numerator, denominator = formula.value.numerator, formula.value.denominator
        return str(numerator) if denominator == 1 else f"Rational[{numerator}, {denominator}]"
    if isinstance(formula, FormulaName):
        return formula.name
    return f"{formula.head}[{', '.join(map(to_wolfram_code, formula.arguments))}]"


def evaluate_formula(formula: Formula, values: Mapping[str, complex]) -> complex:
    """Evaluate a formula in complex floating-point arithmetic.

    Args:
        formula: The formula.
        values: The values of its variables, by name.

    Raises:
        NoValueError: The formula is undefined for these values, as in a division by zero.
    """
    try:
        result = complex(_evaluate_node(formula, values))
    except (ArithmeticError, ValueError, KeyError) as error:
        raise NoValueError(str(error)) from None
    if not cmath.isfinite(result):
        raise NoValueError("not finite")
    return result


def _evaluate_node(formula: Formula, values: Mapping[str, complex]) -> complex:
    """Evaluate one node of a formula's tree, after its arguments."""
    if isinstance(formula, FormulaNumber):
        return float(formula.value)
    if isinstance(formula, FormulaName):
        return CONSTANT_VALUES[formula.name] if formula.is_constant else values[formula.name]
    arguments = [_evaluate_node(argument, values) for argument in formula.arguments]
    if formula.head == "Plus":
        return sum(arguments)
    if formula.head == "Times":
        return math.prod(arguments)
    if formula.head == "Power":
        base_value, exponent_value = arguments
        return _evaluate_power(base_value, formula.arguments[1], exponent_value)
    return NUMERIC_FUNCTIONS[formula.head](arguments[0])


def _evaluate_power(base: complex, exponent: Formula, exponent_value: complex) -> complex:
    """Return a power.

    The exponent is passed as a formula too. If it is an integer, the power is computed by
    multiplication, which has smaller rounding errors.
    """
    if base == 0 and exponent_value == 0:
        raise NoValueError("zero to the power of zero")
    is_integer = isinstance(exponent, FormulaNumber) and exponent.value.denominator == 1
    # With a complex exponent, rounding would give a real power a small imaginary part.
    return complex(base) ** (int(exponent.value) if is_integer else exponent_value)  # type: ignore[union-attr]  # integers are numbers


def _require_real(x: complex) -> float:
    if complex(x).imag != 0:
        raise NoValueError("not real")
    return complex(x).real


class _FormulaToken(NamedTuple):
    kind: str
    """One of `number`, `name`, `sign` and `end`."""
    text: str
    is_after_space: bool


def parse_formula(text: str) -> Formula:
    """Parse a formula in ordinary notation, such as `2x^2 + 1`, or in words, such as "2 plus 3".

    Raises:
        UncertainAnswerError: The text is not a formula, or is ambiguous.
    """
    if len(text) > MAX_FORMULA_CHARACTERS:
        raise UncertainAnswerError("too long")
    symbols = _replace_word_operators(text.translate(_SIGN_REPLACEMENTS))
    return _FormulaParser(_tokenize(symbols)).parse()


def _replace_word_operators(text: str) -> str:
    """Replace words such as "plus" and "squared" with operators such as `+` and `^2`.

    Text with words usually lacks brackets, as in "square root of 2 plus 3". It is therefore
    accepted only if it has a single operator or the order of its operations does not matter.

    Raises:
        UncertainAnswerError: The text has multiple interpretations.
    """
    has_words = False
    for word, operator in _WORD_OPERATORS:
        text, count = re.subn(rf"\b{word}\b", f" {operator} ", text)
        has_words = has_words or count > 0
    operators = re.findall(r"\*\*|[-+*/^]|sqrt", text)
    has_one_meaning = len(operators) <= 1 or set(operators) <= {"+", "-"} or set(operators) <= {"*"}
    if has_words and not has_one_meaning:
        raise UncertainAnswerError("words with several interpretations")
    return text


def _tokenize(text: str) -> list[_FormulaToken]:
    """Split text into tokens, followed by a token of the kind `end`.

    Raises:
        UncertainAnswerError: The text contains characters that cannot occur in formulas.
    """
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN_PATTERN.match(text, position)
        if match is None:
            raise UncertainAnswerError(f"unexpected {text[position:].strip()[:10]!r}")
        kind = match.lastgroup or ""
        is_after_space = match.start(kind) > position
        tokens.append(_FormulaToken(kind, match[kind], is_after_space))
        position = match.end()
    return [*tokens, _FormulaToken("end", "", is_after_space=False)]


class _FormulaParser:
    """Recursive descent parser for formulas.

    Unlike most parsers, it rejects text that people could read in different ways, because a wrong
    guess would produce a wrong answer.
    """

    def __init__(self, tokens: list[_FormulaToken]) -> None:
        self._tokens = tokens
        self._position = 0
        self._trigonometric_depth = 0
        """Depth of enclosing trigonometric functions, whose arguments may be in degrees."""
        self._ended_with_power = False
        """Whether the last factor is a power, whose exponent might continue."""

    def parse(self) -> Formula:
        """Parse all tokens as one formula."""
        formula = self._parse_sum()
        if self._token.kind != "end":
            raise UncertainAnswerError(f"{self._token.text!r}")
        return formula

    @property
    def _token(self) -> _FormulaToken:
        """The next token."""
        return self._tokens[self._position]

    @property
    def _previous_token(self) -> _FormulaToken:
        return self._tokens[self._position - 1]

    def _accept(self, *texts: str) -> str:
        """Consume the next token if it has one of the given texts. Return its text, or else ""."""
        if self._token.text not in texts:
            return ""
        self._position += 1
        return self._previous_token.text

    def _parse_sum(self) -> Formula:
        """Parse a sum: terms separated by plus and minus signs, as in `x^2 - 3x + 1`."""
        terms = [self._parse_signed_term()]
        while sign := self._accept(*_SIGNS):
            if self._token.text in _SIGNS:
                raise UncertainAnswerError("two signs in succession")
            term = self._parse_product()
            terms.append(term if sign == "+" else negate(term))
        return terms[0] if len(terms) == 1 else FormulaCall("Plus", tuple(terms))

    def _parse_signed_term(self) -> Formula:
        """Parse the first term of a sum, which may have a sign, as in `-x + 1`.

        `-2^2` is rejected, because it may mean `(-2)^2` or `-(2^2)`.
        """
        sign = self._accept(*_SIGNS)
        is_number = self._token.kind == "number"
        if sign and is_number and self._tokens[self._position + 1].text in _POWER_OPERATORS:
            raise UncertainAnswerError("a power of a negative number without brackets")
        term = self._parse_product()
        return negate(term) if sign == "-" else term

    def _parse_product(self) -> Formula:
        """Parse a product or quotient: factors with or without operators, as in `2x*y/3`."""
        factors = [self._parse_power()]
        # False after a division or a power, where a factor without an operator is ambiguous: `1/2x`
        # may mean `1/(2x)`.
        is_simple = not self._ended_with_power
        while True:
            if operator := self._accept("*", "/"):
                factor = self._parse_power()
                is_simple = operator == "*" and not self._ended_with_power
                factors.append(factor if operator == "*" else invert(factor))
            elif self._token.kind in ("name", "number") or self._token.text in ("(", "\u221a"):
                factors.append(self._parse_implicit_factor(is_simple=is_simple))
                is_simple = not self._ended_with_power
            else:
                return factors[0] if len(factors) == 1 else FormulaCall("Times", tuple(factors))

    def _parse_implicit_factor(self, *, is_simple: bool) -> Formula:
        """Parse a factor that follows another one without an operator, as in `2x` or `(x+1)(x-1)`.

        Args:
            is_simple: Whether the previous factor is neither a divisor nor a power.
        """
        previous, token = self._previous_token, self._token
        is_separated = previous.text == ")" or token.is_after_space
        is_ambiguous = (
            token.kind == "number"  # x 2
            or not (is_simple or is_separated)  # x^2y
            or self._is_after_division()  # 1/2 x
        )
        if is_ambiguous:
            raise UncertainAnswerError("an ambiguous product without an operator")
        if token.text == "(" and previous.text in _FUNCTION_NAME_LETTERS:
            raise UncertainAnswerError(f"{previous.text}(: a function or a product")
        if previous.kind == "name" and token.kind == "name" and not token.is_after_space:
            raise UncertainAnswerError("adjacent letters without a space")
        return self._parse_power()

    def _is_after_division(self) -> bool:
        """Return True if the same product already contains a division, as before `x` in `1/2 x`."""
        bracket_depth = 0
        for token in reversed(self._tokens[: self._position]):
            if token.text == ")":
                bracket_depth += 1
            elif token.text == "(":
                bracket_depth -= 1
            if bracket_depth < 0:
                return False
            if bracket_depth == 0 and token.text in ("+", "-", "*", "/"):
                return token.text == "/"
        return False

    def _parse_power(self) -> Formula:
        """Parse an operand with an optional exponent, as in `x^2`.

        `2^3^4` and `2^3!` are rejected as ambiguous.
        """
        base = self._parse_postfix()
        self._ended_with_power = bool(self._accept(*_POWER_OPERATORS))
        if not self._ended_with_power:
            return base
        is_negative = bool(self._accept("-"))
        exponent = self._parse_postfix()
        if self._token.text in _POWER_OPERATORS or self._previous_token.text == "!":
            raise UncertainAnswerError("a power of a power without brackets")
        return FormulaCall("Power", (base, negate(exponent) if is_negative else exponent))

    def _parse_postfix(self) -> Formula:
        """Parse an operand with an optional factorial or degree sign.

        Degrees are accepted only for numbers in trigonometric functions.
        """
        operand = self._parse_atom()
        if self._accept("!"):
            if self._token.text == "!":
                raise UncertainAnswerError("a double factorial, or the factorial of a factorial")
            return FormulaCall("Factorial", (operand,))
        if self._accept("\u00b0", "degrees", "degree", "deg"):
            if not self._trigonometric_depth or not isinstance(operand, FormulaNumber):
                raise UncertainAnswerError("degrees outside of a trigonometric function")
            return FormulaCall("Times", (operand, FormulaName("Pi"), to_number(Fraction(1, 180))))
        return operand

    def _parse_atom(self) -> Formula:
        """Parse an operand: a number, a name, a formula in brackets, or a root such as `√2`."""
        if self._accept("("):
            formula = self._parse_sum()
            if not self._accept(")"):
                raise UncertainAnswerError("a bracket is not closed")
            return formula
        if self._accept("\u221a"):
            return self._parse_function("Sqrt", allows_sum=False)
        token = self._token
        if token.kind not in ("number", "name"):
            raise UncertainAnswerError(f"unexpected {token.text!r}")
        self._position += 1
        if token.kind == "number":
            return self._parse_number(token.text)
        return self._parse_name(token.text)

    def _parse_number(self, text: str) -> Formula:
        digits = text.replace(",", "")
        if re.match(r"0\d", digits) or re.fullmatch(r"[eE]\d*", self._token.text):
            raise UncertainAnswerError("an ambiguous number")
        return FormulaNumber(Fraction(digits), is_decimal="." in digits)

    def _parse_name(self, text: str) -> Formula:
        """Parse a name: a function with its argument, a constant or a variable.

        Constants and variables are case-sensitive: `e` is a constant, but `E` is rejected.

        Raises:
            UncertainAnswerError: The name is unknown.
        """
        if text.lower() in FUNCTION_HEADS:
            head = FUNCTION_HEADS[text.lower()]
            # The words "square root of" have already been replaced with "sqrt".
            return self._parse_function(head, allows_sum=text != "sqrt")
        if text in ("pi", "Pi", "PI"):
            return FormulaName("Pi")
        if text == "e":
            return FormulaName("E")
        if text in VARIABLE_NAMES:
            return FormulaName(text)
        raise UncertainAnswerError(f"unknown name {text!r}")

    def _parse_function(self, head: str, *, allows_sum: bool) -> Formula:
        """Parse a function's argument, and return the function call.

        Args:
            head: The name of the function in the Wolfram Language.
            allows_sum: Whether a plus or minus sign may follow an argument without brackets. In
                `sin x + 1` it may, but "square root of 2 plus 3" is ambiguous.
        """
        is_bracketed = self._token.text == "("
        if not is_bracketed and self._token.kind not in ("number", "name"):
            raise UncertainAnswerError("a function without an argument, or the power of a function")
        if self._token.text.lower() in FUNCTION_HEADS:
            raise UncertainAnswerError("a function of a function without brackets")
        is_trigonometric = head in TRIGONOMETRIC_FUNCTIONS
        self._trigonometric_depth += int(is_trigonometric)
        argument = self._parse_postfix()
        self._trigonometric_depth -= int(is_trigonometric)
        # The end token has an empty text.
        allowed_texts = ("", ")", *_SIGNS) if allows_sum else ("", ")")
        if not is_bracketed and self._token.text not in allowed_texts:
            raise UncertainAnswerError("a function without brackets whose argument is ambiguous")
        return FormulaCall(head, (argument,))
