"""From TeX to boxes, for the formulas that people and models write into text.

What is not known is not guessed at: the whole formula then stays the text that it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Node, call, symbol
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.model import listed, rule
from paddock.wolfram.notebooks.tex_symbols import (
    ACCENTS,
    ALPHABETS,
    ESCAPED,
    FENCES,
    FUNCTIONS,
    SPACES,
    SYMBOLS,
    WITH_LIMITS,
    letters_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from paddock.wolfram.expressions import Expression

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|\d+(?:\.\d+)?|.", re.DOTALL)
_MOST_LEVELS = 60
_LONGEST = 20_000
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
_TEXTS = ("text", "textrm", "mbox")
_UPRIGHT = ("mathrm", "operatorname", "mathsf", "mathit", "operatorname*")
_IGNORED = ("limits", "nolimits", "displaystyle", "textstyle", "!", "left.", "nonumber")
_GRIDS = ("aligned", "align", "align*", "gathered", "split", "array", "equation", "equation*")
_BIG = ("sum", "prod")
_INTEGRALS = ("int", "oint")
_OPENING = {"\\{": "{", "\\langle": SYMBOLS["langle"], "\\lfloor": SYMBOLS["lfloor"]}
_DELIMITERS = {
    **_OPENING,
    "\\}": "}",
    "\\rangle": SYMBOLS["rangle"],
    "\\rfloor": SYMBOLS["rfloor"],
    "\\lceil": SYMBOLS["lceil"],
    "\\rceil": SYMBOLS["rceil"],
    "\\|": "\u2225",
    "\\vert": "|",
    "\\Vert": "\u2225",
    **{sign: sign for sign in "()[]|/"},
    ".": "",
}
_ALPHABETS = {name: letters_of(style) for name, style in ALPHABETS.items()}


class _UnknownError(Exception):
    """Something in a formula is not known."""


def tex_to_boxes(tex: str) -> Expression | None:
    """The boxes of a formula; None if there is something in it that is not known."""
    if len(tex) > _LONGEST:
        return None
    reading = _Reading(_TOKEN.findall(tex))
    try:
        items = reading.items(())
        return None if reading.next() or not items else _row(items)
    except _UnknownError:
        return None


def _row(items: list[Expression]) -> Expression:
    if len(items) == 1:
        return items[0]
    return call("RowBox", listed(items))


class _Reading:
    """The tokens of a formula, and how far they have been read."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._levels = 0

    def next(self) -> str:
        """The next sign, which stays; empty at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        """The next sign that is no blank."""
        self.skip()
        found = self.next()
        self._at += 1
        return found

    def skip(self) -> None:
        while self.next().isspace():
            self._at += 1

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            raise _UnknownError

    def items(self, ends: tuple[str, ...]) -> list[Expression]:
        """What stands before one of these tokens, or the end."""
        self._levels += 1
        if self._levels > _MOST_LEVELS:
            raise _UnknownError
        found: list[Expression] = []
        self.skip()
        while self.next() and self.next() not in ends:
            item = self._scripted(self._operand())
            if item is not None:
                found.append(item)
            self.skip()
        self._levels -= 1
        return found

    def group(self) -> Expression:
        """What is in braces, or a single sign."""
        self.skip()
        if self.next() != "{":
            self._split_digits()
            found = self._operand()
            if found is None:
                raise _UnknownError
            return found
        self.take()
        items = self.items(("}",))
        self.expect("}")
        return _row(items) if items else literal("")

    def _split_digits(self) -> None:
        r"""`\frac12` is a half: without braces an argument is one digit."""
        sign = self.next()
        if len(sign) > 1 and sign[0].isdigit():
            self._tokens[self._at : self._at + 1] = [sign[0], sign[1:]]

    def raw_group(self) -> str:
        """The text in braces, as it is."""
        self.expect("{")
        pieces, depth = [], 1
        while depth:
            sign = self.next()
            self._at += 1
            if not sign:
                raise _UnknownError
            depth += (sign == "{") - (sign == "}")
            pieces.append(sign)
        text = "".join(pieces[:-1])
        if "\\" in text or "$" in text or '"' in text:
            raise _UnknownError
        return text

    def _operand(self) -> Expression | None:
        sign = self.take()
        if sign == "{":
            self._at -= 1
            return self.group()
        if sign.startswith("\\"):
            return self._command(sign[1:])
        if sign in "}^_&~" or sign in ("$", "%", "#", '"', ""):
            raise _UnknownError
        return literal(sign)

    def _command(self, name: str) -> Expression | None:
        for names, act in _COMMANDS:
            if name in names:
                return act(self, name)
        raise _UnknownError

    def _scripted(self, base: Expression | None) -> Expression | None:
        """An operand with what stands above and below of it."""
        base_name = self._tokens[self._at - 1]
        primes = 0
        while self.next() == "'":
            self._at += 1
            primes += 1
        scripts: dict[str, Expression] = {}
        self._skip_to_script()
        while self.next() in ("^", "_"):
            sign = self.take()
            if sign in scripts or base is None:
                raise _UnknownError
            scripts[sign] = self.group()
            self._skip_to_script()
        if base is None:
            return None
        if primes:
            if "^" in scripts:
                raise _UnknownError
            scripts["^"] = literal("\u2032" * primes)
        return _with_scripts(base, base_name, scripts)

    def _skip_to_script(self) -> None:
        at = self._at
        self.skip()
        while self.next() in ("\\limits", "\\nolimits"):
            self.take()
            self.skip()
        if self.next() not in ("^", "_"):
            self._at = at

    # The commands, each called with its name.

    def symbol(self, name: str) -> Expression:
        return literal(SYMBOLS[name])

    def escaped(self, name: str) -> Expression:
        return literal(name)

    def space(self, name: str) -> Expression:
        return literal(SPACES[name])

    def function(self, name: str) -> Expression:
        return literal(name)

    def fraction(self, _name: str) -> Expression:
        upper = self.group()
        return call("FractionBox", upper, self.group())

    def binomial(self, _name: str) -> Expression:
        upper = self.group()
        return call("TemplateBox", listed([upper, self.group()]), literal("Binomial"))

    def root(self, _name: str) -> Expression:
        self.skip()
        if self.next() != "[":
            return call("SqrtBox", self.group())
        self.take()
        index = self.items(("]",))
        self.expect("]")
        inner = self.group()
        return call("RadicalBox", inner, _row(index)) if index else call("SqrtBox", inner)

    def text(self, _name: str) -> Expression:
        return literal(f'"{self.raw_group()}"')

    def upright(self, _name: str) -> Expression:
        name = self.raw_group().strip()
        if not name.isalnum():
            raise _UnknownError
        return literal(name)

    def bold(self, _name: str) -> Expression:
        inner = self.group()
        return call("StyleBox", inner, rule(symbol("FontWeight"), literal("Bold")))

    def alphabet(self, name: str) -> Expression:
        letters, text = _ALPHABETS[name], self.raw_group()
        if len(text) != 1 or text not in letters:
            raise _UnknownError
        return literal(letters[text])

    def accent(self, name: str) -> Expression:
        return call("OverscriptBox", self.group(), literal(ACCENTS[name]))

    def underline(self, _name: str) -> Expression:
        return call("UnderscriptBox", self.group(), literal("_"))

    def stacked(self, name: str) -> Expression:
        first, second = self.group(), self.group()
        return call("OverscriptBox" if name == "overset" else "UnderscriptBox", second, first)

    def nothing(self, _name: str) -> None:
        return None

    def delimiter(self, name: str) -> Expression:
        return literal(_DELIMITERS[f"\\{name}"])

    def fenced(self, _name: str) -> Expression:
        r"""`\left( … \right)`."""
        opening = self._fence()
        inner = self.items(("\\right",))
        self.expect("\\right")
        closing = self._fence()
        items: list[Expression] = [literal(opening)] if opening else []
        items += [_row(inner)] if inner else []
        items += [literal(closing)] if closing else []
        return _row(items or [literal("")])

    def _fence(self) -> str:
        sign = self.take()
        if sign not in _DELIMITERS:
            raise _UnknownError
        return _DELIMITERS[sign]

    def environment(self, _name: str) -> Expression:
        name = self.raw_group()
        self.skip()
        if name == "array" and self.next() == "{":
            self.raw_group()
        rows = self._rows()
        if self.raw_group() != name:
            raise _UnknownError
        grid = call("GridBox", _lists(rows))
        if name == "cases":
            return _row([literal("{"), grid])
        if name in FENCES:
            fences = FENCES[name]
            return _row([literal(fences[0]), grid, literal(fences[1])]) if fences else grid
        if name not in _GRIDS:
            raise _UnknownError
        return grid

    def _rows(self) -> list[list[Expression]]:
        rows: list[list[Expression]] = [[]]
        while True:
            items = self.items(("&", "\\\\", "\\end"))
            rows[-1].append(_row(items) if items else literal(""))
            end = self.take()
            if end == "\\\\":
                rows.append([])
            elif end != "&":
                break
        if end != "\\end":
            raise _UnknownError
        if len(rows) > 1 and len(rows[-1]) == 1 and is_empty(rows[-1][0]):
            rows.pop()
        width = max(map(len, rows))
        return [row + [literal("")] * (width - len(row)) for row in rows]


def is_empty(expression: Expression) -> bool:
    """Whether a box is an empty string."""
    return not isinstance(expression, Node) and expression.text == '""'


def _lists(rows: list[list[Expression]]) -> Expression:
    return listed(listed(row) for row in rows)


def _with_scripts(base: Expression, sign: str, scripts: dict[str, Expression]) -> Expression:
    above, below = scripts.get("^"), scripts.get("_")
    has_limits = sign[1:] in _BIG or sign[1:] in WITH_LIMITS
    kinds = ("Underscript", "Overscript", "Underoverscript")
    if not has_limits:
        kinds = ("Subscript", "Superscript", "Subsuperscript")
    if above is not None and below is not None:
        return call(f"{kinds[2]}Box", base, below, above)
    if below is not None:
        return call(f"{kinds[0]}Box", base, below)
    return call(f"{kinds[1]}Box", base, above) if above is not None else base


_COMMANDS: list[tuple[Container[str], Callable[[_Reading, str], Expression | None]]] = [
    (SYMBOLS, _Reading.symbol),
    (FUNCTIONS, _Reading.function),
    (_FRACTIONS, _Reading.fraction),
    (("sqrt",), _Reading.root),
    (SPACES, _Reading.space),
    (ESCAPED, _Reading.escaped),
    (_TEXTS, _Reading.text),
    (_UPRIGHT, _Reading.upright),
    (("mathbf", "boldsymbol", "bm"), _Reading.bold),
    (ALPHABETS, _Reading.alphabet),
    (ACCENTS, _Reading.accent),
    (("underline",), _Reading.underline),
    (("overset", "underset"), _Reading.stacked),
    (("binom", "dbinom", "tbinom"), _Reading.binomial),
    (("left",), _Reading.fenced),
    (("begin",), _Reading.environment),
    (("|", "vert", "Vert"), _Reading.delimiter),
    (_IGNORED, _Reading.nothing),
]
