"""Reading formulas as people write them, as long as there is only one way to read them.

Refused are, for instance, `1/2x`, `2^3^4`, `-2^2`, `sin 2x`, `log(x)`, `1,5`, and words that are
mixed so that nobody can hear the brackets.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from paddock.toolkits.alpha.offline.formulas import TRIGONOMETRIC, Call, Formula, Name, number
from paddock.toolkits.alpha.offline.formulas import Number as NumberFormula

MOST_CHARACTERS = 300
VARIABLES = frozenset("abcfghjkmnpqrstuvwxyz")
"""Letters that are nothing but variables; not d, e, i, l, o, which mean or look like others."""
_FUNCTION_LETTERS = frozenset("fgh")
FUNCTIONS = {
    **{name.lower(): name for name in ("Sin", "Cos", "Tan", "Cot", "Sec", "Csc")},
    **{name.lower(): name for name in ("Sinh", "Cosh", "Tanh", "Sqrt", "Exp", "Abs")},
    **{f"arc{name}": f"Arc{name.title()}" for name in ("sin", "cos", "tan")},
    "ln": "Log",
    "log2": "Log2",
    "log10": "Log10",
}
_WORDS = (
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
_SIGNS = str.maketrans(
    {"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/", "\u03c0": "pi "}
)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<name>[A-Za-z]+\d*)|(?P<sign>\*\*|[-+*/^()!\u00b0\u221a]))"
)
_BINARY = ("+", "-", "*", "/", "^")


class UnreadableError(ValueError):
    """A text is no formula, or could be read in two ways."""


class _Token(NamedTuple):
    kind: str
    text: str
    is_after_space: bool


def read_formula(text: str) -> Formula:
    """The formula that a text means.

    Raises:
        UnreadableError: when it means none, or perhaps another.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableError("too long")
    signs = _without_words(text.translate(_SIGNS))
    return _Reader(_tokens(signs)).all()


def _without_words(text: str) -> str:
    """The same with signs for words, if it is clear where the brackets are."""
    found: list[str] = []
    for word, sign in _WORDS:
        text, count = re.subn(rf"\b{word}\b", f" {sign} ", text)
        found += [sign] * count
    if found:
        _check_spoken(text)
    return text


def _check_spoken(text: str) -> None:
    """Words have no brackets: with them, only what is worked out from left to right either way."""
    signs = re.findall(r"\*\*|[-+*/^]|sqrt", text)
    is_alike = set(signs) <= {"+", "-"} or set(signs) <= {"*"}
    if len(signs) > 1 and not is_alike:
        raise UnreadableError("words that could mean several things")


def _tokens(text: str) -> list[_Token]:
    found, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise UnreadableError(f"{text[place:].strip()[:10]!r}")
        kind = match.lastgroup or ""
        found.append(_Token(kind, match[kind], match.start(kind) > place))
        place = match.end()
    return found


class _Reader:
    """Reads tokens, by recursive descent."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._angles = 0
        """In how many trigonometric functions we are, where alone degrees make sense."""
        self._was_power = False
        """Whether what was read last is a power, whose exponent might go on."""

    def all(self) -> Formula:
        """Everything as one formula."""
        found = self._sum()
        if self._place < len(self._tokens):
            raise UnreadableError(f"{self._sign()!r}")
        return found

    def _sign(self, ahead: int = 0) -> str:
        place = self._place + ahead
        return self._tokens[place].text if place < len(self._tokens) else ""

    def _kind(self) -> str:
        return self._tokens[self._place].kind if self._place < len(self._tokens) else ""

    def _take(self) -> _Token:
        if self._place == len(self._tokens):
            raise UnreadableError("something is missing at the end")
        self._place += 1
        return self._tokens[self._place - 1]

    def _sum(self) -> Formula:
        terms = [self._signed()]
        while self._sign() in ("+", "-"):
            sign = self._take().text
            if self._sign() in ("+", "-"):
                raise UnreadableError("two signs in a row")
            term = self._product()
            terms.append(term if sign == "+" else Call("Times", (number(-1), term)))
        return terms[0] if len(terms) == 1 else Call("Plus", tuple(terms))

    def _signed(self) -> Formula:
        if self._sign() not in ("+", "-"):
            return self._product()
        sign = self._take().text
        if self._kind() == "number" and self._sign(1) in ("^", "**"):
            raise UnreadableError("a power of a negative number without brackets")
        found = self._product()
        return found if sign == "+" else Call("Times", (number(-1), found))

    def _product(self) -> Formula:
        """Factors from left to right; one without a sign before it is in no division or power."""
        factors = [self._power()]
        is_plain = not self._was_power
        while True:
            sign = self._sign()
            if sign in ("*", "/"):
                self._take()
                factor = self._power()
                is_plain = sign == "*" and not self._was_power
                inverse = Call("Power", (factor, number(-1)))
                factors.append(factor if sign == "*" else inverse)
            elif self._kind() in ("name", "number") or sign in ("(", "\u221a"):
                factors.append(self._next_to(is_plain=is_plain))
                is_plain = not self._was_power
            else:
                return factors[0] if len(factors) == 1 else Call("Times", tuple(factors))

    def _next_to(self, *, is_plain: bool) -> Formula:
        """A factor that stands beside the one before it."""
        before, token = self._tokens[self._place - 1], self._tokens[self._place]
        is_apart = before.text == ")" or token.is_after_space
        if token.kind == "number" or not (is_plain or is_apart) or self._is_after_division():
            raise UnreadableError("a product without a sign that could be meant otherwise")
        if before.kind == "name" and token.text == "(" and before.text in _FUNCTION_LETTERS:
            raise UnreadableError(f"{before.text}(: a function or a product")
        if before.kind == "name" and token.kind == "name" and not token.is_after_space:
            raise UnreadableError("letters without a space")
        return self._power()

    def _is_after_division(self) -> bool:
        """Whether the factor before is what something is divided by."""
        depth = 0
        for token in reversed(self._tokens[: self._place]):
            depth += (token.text == ")") - (token.text == "(")
            if depth < 0 or (depth == 0 and token.text in ("+", "-", "*")):
                return False
            if depth == 0 and token.text == "/":
                return True
        return False

    def _power(self) -> Formula:
        below = self._postfix()
        self._was_power = self._sign() in ("^", "**")
        if not self._was_power:
            return below
        self._take()
        is_negative = self._sign() == "-"
        if is_negative:
            self._take()
        above = self._postfix()
        if self._sign() in ("^", "**") or self._tokens[self._place - 1].text == "!":
            raise UnreadableError("a power of a power without brackets")
        return Call("Power", (below, Call("Times", (number(-1), above)) if is_negative else above))

    def _postfix(self) -> Formula:
        found = self._atom()
        if self._sign() == "!":
            self._take()
            if self._sign() == "!":
                raise UnreadableError("a double factorial, or a factorial of one")
            return Call("Factorial", (found,))
        if self._sign() in ("\u00b0", "degrees", "degree", "deg"):
            if not self._angles or not isinstance(found, NumberFormula):
                raise UnreadableError("degrees of something else than an angle")
            self._take()
            return Call("Times", (found, Name("Pi"), number(Fraction(1, 180))))
        return found

    def _atom(self) -> Formula:
        token = self._take()
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "name":
            return self._name(token.text)
        if token.text == "(":
            found = self._sum()
            if self._take().text != ")":
                raise UnreadableError("a bracket is not closed")
            return found
        if token.text == "\u221a":
            return self._function("Sqrt", is_spoken=True)
        raise UnreadableError(f"{token.text!r}")

    def _number(self, text: str) -> Formula:
        digits = text.replace(",", "")
        if re.match(r"0\d", digits) or re.fullmatch(r"[eE]\d*", self._sign()):
            raise UnreadableError("a number that could be meant otherwise")
        return NumberFormula(Fraction(digits), is_decimal="." in digits)

    def _name(self, text: str) -> Formula:
        if text.lower() in FUNCTIONS:
            return self._function(FUNCTIONS[text.lower()], is_spoken=text == "sqrt")
        if text in ("pi", "Pi", "PI"):
            return Name("Pi")
        if text == "e":
            return Name("E")
        if text in VARIABLES:
            return Name(text)
        raise UnreadableError(f"{text!r}")

    def _function(self, head: str, *, is_spoken: bool) -> Formula:
        """What a function is applied to: something in brackets, or one thing alone."""
        is_bracketed = self._sign() == "("
        if not is_bracketed and self._kind() not in ("number", "name"):
            raise UnreadableError("a function of nothing, or a power of a function")
        if self._sign().lower() in FUNCTIONS:
            raise UnreadableError("a function of a function without brackets")
        self._angles += head in TRIGONOMETRIC
        argument = self._postfix()
        self._angles -= head in TRIGONOMETRIC
        allowed = ("", ")") if is_spoken else ("", ")", "+", "-")
        if not is_bracketed and self._sign() not in allowed:
            raise UnreadableError("a function without brackets that could take more")
        return Call(head, (argument,))
