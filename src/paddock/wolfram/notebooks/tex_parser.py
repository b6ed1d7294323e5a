"""Conversion of TeX formulas to boxes.

A formula with an unknown command is not converted at all: its text stays TeX, which is better than
boxes with a different meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import call, symbol
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.model import make_list, make_rule
from paddock.wolfram.notebooks.tex_symbols import (
    ACCENT_COMMANDS,
    ALPHABET_COMMANDS,
    CHARACTERS_BY_COMMAND,
    ESCAPED_CHARACTERS,
    FUNCTION_COMMANDS,
    LIMIT_COMMANDS,
    MATRIX_FENCES,
    SPACE_COMMANDS,
    get_styled_letters,
)
from paddock.wolfram.printer import input_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|\d+(?:\.\d+)?|.", re.DOTALL)
_MAX_NESTING_LEVELS = 60
_MAX_TEX_CHARACTERS = 20_000
_FRACTION_COMMANDS = ("frac", "dfrac", "tfrac", "cfrac")
_TEXT_COMMANDS = ("text", "textrm", "mbox")
_UPRIGHT_COMMANDS = ("mathrm", "operatorname", "mathsf", "mathit", "operatorname*")
_IGNORED_COMMANDS = ("limits", "nolimits", "displaystyle", "textstyle", "!", "left.", "nonumber")
_GRID_ENVIRONMENTS = (
    "aligned",
    "align",
    "align*",
    "gathered",
    "split",
    "array",
    "equation",
    "equation*",
)
_BIG_OPERATORS = ("sum", "prod")
_DELIMITERS = {
    **{
        f"\\{name}": CHARACTERS_BY_COMMAND[name]
        for name in ("langle", "rangle", "lfloor", "rfloor")
    },
    **{f"\\{name}": CHARACTERS_BY_COMMAND[name] for name in ("lceil", "rceil")},
    "\\{": "{",
    "\\}": "}",
    "\\|": "\u2225",
    "\\vert": "|",
    "\\Vert": "\u2225",
    **{sign: sign for sign in "()[]|/"},
    ".": "",
}
"""Characters of the delimiters after `\\left` and `\\right`. The delimiter `.` is invisible."""
_CHARACTERS_BY_COMMAND = {
    **{name: _DELIMITERS[f"\\{name}"] for name in ("|", "vert", "Vert")},
    **{name: name for name in ESCAPED_CHARACTERS | FUNCTION_COMMANDS},
    **SPACE_COMMANDS,
    **CHARACTERS_BY_COMMAND,
}
"""Token of each command without arguments: `\\alpha` is a letter, and `\\sin` the name `sin`."""
_LETTERS_BY_COMMAND = {name: get_styled_letters(style) for name, style in ALPHABET_COMMANDS.items()}


class _UnknownTexError(Exception):
    """The formula contains unsupported TeX."""


def tex_to_boxes(tex: str) -> Expression | None:
    """Return the boxes of a formula, or None if it contains unsupported TeX."""
    # Limits time and recursion depth for untrusted input.
    if len(tex) > _MAX_TEX_CHARACTERS:
        return None
    parser = _TexParser(_TOKEN.findall(tex))
    try:
        items = parser.parse_items(())
        return None if parser.peek_token() or not items else _make_row(items)
    except _UnknownTexError:
        return None


def _make_row(items: list[Expression]) -> Expression:
    """Return a row of boxes: a single box as it is, and an empty string for no boxes."""
    if len(items) == 1:
        return items[0]
    return call("RowBox", make_list(items)) if items else ascii_string("")


class _TexParser:
    """Recursive-descent parser over the tokens of a formula.

    The methods raise `_UnknownTexError` at the first unsupported command or syntax error.
    """

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._nesting_level = 0

    def peek_token(self) -> str:
        """Return the next token without consuming it, or an empty text at the end."""
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def take_token(self) -> str:
        """Consume and return the next token that is not whitespace."""
        self.skip_blanks()
        token = self.peek_token()
        self._position += 1
        return token

    def skip_blanks(self) -> None:
        while self.peek_token().isspace():
            self._position += 1

    def expect_token(self, expected: str) -> None:
        if self.take_token() != expected:
            raise _UnknownTexError

    def parse_items(self, end_tokens: tuple[str, ...]) -> list[Expression]:
        """Parse items up to one of the end tokens or the end of the formula."""
        self._nesting_level += 1
        if self._nesting_level > _MAX_NESTING_LEVELS:
            raise _UnknownTexError
        items: list[Expression] = []
        self.skip_blanks()
        while self.peek_token() and self.peek_token() not in end_tokens:
            item = self._parse_scripts(self._parse_operand())
            if item is not None:
                items.append(item)
            self.skip_blanks()
        self._nesting_level -= 1
        return items

    def parse_group(self) -> Expression:
        """Parse a group in braces, or a single token."""
        self.skip_blanks()
        if self.peek_token() != "{":
            self._split_digits()
            operand = self._parse_operand()
            if operand is None:
                raise _UnknownTexError
            return operand
        self.take_token()
        items = self.parse_items(("}",))
        self.expect_token("}")
        return _make_row(items)

    def _split_digits(self) -> None:
        r"""Split a number: in `\frac12`, each argument is one digit."""
        token = self.peek_token()
        if len(token) > 1 and token[0].isdigit():
            self._tokens[self._position : self._position + 1] = [token[0], token[1:]]

    def parse_raw_group(self) -> str:
        """Return the text in braces without parsing it, for commands whose argument is text."""
        self.expect_token("{")
        pieces, depth = [], 1
        while depth:
            lexeme = self.peek_token()
            self._position += 1
            if not lexeme:
                raise _UnknownTexError
            depth += (lexeme == "{") - (lexeme == "}")
            pieces.append(lexeme)
        text = "".join(pieces[:-1])
        # Text mode can contain commands and formulas, which are not supported there.
        if "\\" in text or "$" in text or '"' in text:
            raise _UnknownTexError
        return text

    def _parse_operand(self) -> Expression | None:
        """Parse a group, a command or a single character.

        Returns None for a command that is ignored.
        """
        lexeme = self.take_token()
        if lexeme == "{":
            self._position -= 1
            return self.parse_group()
        if lexeme.startswith("\\"):
            return self._parse_command(lexeme[1:])
        if lexeme in "}^_&~" or lexeme in ("$", "%", "#", '"', ""):
            raise _UnknownTexError
        return ascii_string(lexeme)

    def _parse_command(self, name: str) -> Expression | None:
        """Parse the arguments of a command. Returns None for a command that is ignored."""
        if name in _CHARACTERS_BY_COMMAND:
            return ascii_string(_CHARACTERS_BY_COMMAND[name])
        if name in _COMMAND_PARSERS:
            return _COMMAND_PARSERS[name](self, name)
        if name in _IGNORED_COMMANDS:
            return None
        raise _UnknownTexError

    def _parse_scripts(self, base: Expression | None) -> Expression | None:
        """Parse the primes, superscript and subscript of an operand in any order.

        A prime is a superscript, so that both cannot occur together.

        Args:
            base: The operand, or None for a command that is ignored. It cannot have scripts.
        """
        base_token = self._tokens[self._position - 1]
        scripts: dict[str, Expression] = {}
        primes = self._take_primes()
        if primes:
            scripts["^"] = ascii_string("\u2032" * primes)
        self._skip_to_script()
        while self.peek_token() in ("^", "_"):
            marker = self.take_token()
            if marker in scripts or base is None:
                raise _UnknownTexError
            scripts[marker] = self.parse_group()
            self._skip_to_script()
        return None if base is None else _attach_scripts(base, base_token, scripts)

    def _take_primes(self) -> int:
        """Consume the primes after an operand, and return their number."""
        start = self._position
        while self.peek_token() == "'":
            self._position += 1
        return self._position - start

    def _skip_to_script(self) -> None:
        """Skip whitespace and limit commands if a script follows them."""
        start = self._position
        self.skip_blanks()
        while self.peek_token() in ("\\limits", "\\nolimits"):
            self.take_token()
            self.skip_blanks()
        # Whitespace before something else stays, because it may separate letters.
        if self.peek_token() not in ("^", "_"):
            self._position = start

    def parse_fraction(self, _name: str) -> Expression:
        upper = self.parse_group()
        return call("FractionBox", upper, self.parse_group())

    def parse_binomial(self, _name: str) -> Expression:
        upper = self.parse_group()
        return call("TemplateBox", make_list([upper, self.parse_group()]), ascii_string("Binomial"))

    def parse_root(self, _name: str) -> Expression:
        """Parse a root with an optional index in brackets."""
        self.skip_blanks()
        if self.peek_token() != "[":
            return call("SqrtBox", self.parse_group())
        self.take_token()
        index = self.parse_items(("]",))
        self.expect_token("]")
        inner = self.parse_group()
        return call("RadicalBox", inner, _make_row(index)) if index else call("SqrtBox", inner)

    def parse_text(self, _name: str) -> Expression:
        return ascii_string(f'"{self.parse_raw_group()}"')

    def parse_upright(self, _name: str) -> Expression:
        """Parse a name in an upright font, which is a single token."""
        name = self.parse_raw_group().strip()
        # A single box token cannot contain operators or spaces.
        if not name.isalnum():
            raise _UnknownTexError
        return ascii_string(name)

    def parse_bold(self, _name: str) -> Expression:
        inner = self.parse_group()
        return call("StyleBox", inner, make_rule(symbol("FontWeight"), ascii_string("Bold")))

    def parse_alphabet(self, name: str) -> Expression:
        letters, text = _LETTERS_BY_COMMAND[name], self.parse_raw_group()
        if len(text) != 1 or text not in letters:
            raise _UnknownTexError
        return ascii_string(letters[text])

    def parse_accent(self, name: str) -> Expression:
        return call("OverscriptBox", self.parse_group(), ascii_string(ACCENT_COMMANDS[name]))

    def parse_underline(self, _name: str) -> Expression:
        return call("UnderscriptBox", self.parse_group(), ascii_string("_"))

    def parse_stack(self, name: str) -> Expression:
        first, second = self.parse_group(), self.parse_group()
        return call("OverscriptBox" if name == "overset" else "UnderscriptBox", second, first)

    def parse_fences(self, _name: str) -> Expression:
        r"""Parse `\left( ... \right)`. The delimiter `.` is invisible."""
        opening = self._parse_fence()
        inner = self.parse_items(("\\right",))
        self.expect_token("\\right")
        closing = self._parse_fence()
        items: list[Expression] = [ascii_string(opening)] if opening else []
        items += [_make_row(inner)] if inner else []
        items += [ascii_string(closing)] if closing else []
        return _make_row(items)

    def _parse_fence(self) -> str:
        token = self.take_token()
        if token not in _DELIMITERS:
            raise _UnknownTexError
        return _DELIMITERS[token]

    def parse_environment(self, _name: str) -> Expression:
        r"""Parse `\begin{name} ... \end{name}` as a grid, with fences for matrices and cases."""
        name = self.parse_raw_group()
        self.skip_blanks()
        if name == "array" and self.peek_token() == "{":
            self.parse_raw_group()
        rows = self._parse_rows()
        if self.parse_raw_group() != name:
            raise _UnknownTexError
        grid = call("GridBox", make_list(make_list(row) for row in rows))
        if name == "cases":
            return _make_row([ascii_string("{"), grid])
        if name not in MATRIX_FENCES and name not in _GRID_ENVIRONMENTS:
            raise _UnknownTexError
        fences = [ascii_string(fence) for fence in MATRIX_FENCES.get(name, "")]
        return _make_row([*fences[:1], grid, *fences[1:]])

    def _parse_rows(self) -> list[list[Expression]]:
        r"""Parse the rows of an environment up to `\end`, padded to equal length."""
        rows: list[list[Expression]] = [[]]
        while True:
            items = self.parse_items(("&", "\\\\", "\\end"))
            rows[-1].append(_make_row(items))
            end = self.take_token()
            if end == "\\\\":
                rows.append([])
            elif end != "&":
                break
        if end != "\\end":
            raise _UnknownTexError
        # A line break after the last row is common, and does not begin another row.
        if len(rows) > 1 and [input_form(box) for box in rows[-1]] == ['""']:
            rows.pop()
        width = max(map(len, rows))
        return [row + [ascii_string("")] * (width - len(row)) for row in rows]


def _attach_scripts(
    base: Expression, base_token: str, scripts: dict[str, Expression]
) -> Expression:
    """Return the base with its scripts.

    They are above and below the base for sums and limits, and beside it otherwise.
    """
    above, below = scripts.get("^"), scripts.get("_")
    # TeX sets the scripts of sums and limits above and below them.
    has_limits = base_token[1:] in _BIG_OPERATORS or base_token[1:] in LIMIT_COMMANDS
    if above is not None and below is not None:
        return call("UnderoverscriptBox" if has_limits else "SubsuperscriptBox", base, below, above)
    if below is not None:
        return call("UnderscriptBox" if has_limits else "SubscriptBox", base, below)
    if above is not None:
        return call("OverscriptBox" if has_limits else "SuperscriptBox", base, above)
    return base


_COMMAND_PARSERS: dict[str, Callable[[_TexParser, str], Expression]] = {
    **dict.fromkeys(_FRACTION_COMMANDS, _TexParser.parse_fraction),
    "sqrt": _TexParser.parse_root,
    **dict.fromkeys(_TEXT_COMMANDS, _TexParser.parse_text),
    **dict.fromkeys(_UPRIGHT_COMMANDS, _TexParser.parse_upright),
    **dict.fromkeys(("mathbf", "boldsymbol", "bm"), _TexParser.parse_bold),
    **dict.fromkeys(ALPHABET_COMMANDS, _TexParser.parse_alphabet),
    **dict.fromkeys(ACCENT_COMMANDS, _TexParser.parse_accent),
    "underline": _TexParser.parse_underline,
    **dict.fromkeys(("overset", "underset"), _TexParser.parse_stack),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _TexParser.parse_binomial),
    "left": _TexParser.parse_fences,
    "begin": _TexParser.parse_environment,
}
"""Parsers of commands with arguments. They are called after the command, with its name."""
