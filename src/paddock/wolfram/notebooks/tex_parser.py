"""Conversion of TeX formulas to boxes.

A formula with an unknown command is not converted at all. It remains TeX, because boxes with a
different meaning would be worse.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import call
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.model import make_list, make_option
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
    from paddock.wolfram.expressions import Expression

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|\d+(?:\.\d+)?|.", re.DOTALL)
_MAX_NESTING_LEVELS = 60
_MAX_TEX_CHARACTERS = 20_000
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
    r"""Convert a TeX formula to boxes, the notebook format for typeset expressions.

    For example, `\frac{1}{2}` becomes `FractionBox["1", "2"]`. Returns None if the formula contains
    unsupported TeX or is too long.
    """
    # The formula may be untrusted, so limit time and recursion depth.
    if len(tex) > _MAX_TEX_CHARACTERS:
        return None
    parser = _TexParser(_TOKEN.findall(tex))
    try:
        items = parser.parse_items(())
        return None if parser.peek_token() or not items else _make_row(items)
    except _UnknownTexError:
        return None


def _make_row(items: list[Expression]) -> Expression:
    """Combine boxes into a row: a single box is unchanged, and no boxes give an empty string."""
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
        """Return the next token without consuming it, or an empty string at the end."""
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _take_token(self) -> str:
        """Consume and return the next token that is not whitespace."""
        self._skip_blanks()
        token = self.peek_token()
        self._position += 1
        return token

    def _skip_blanks(self) -> None:
        while self.peek_token().isspace():
            self._position += 1

    def _expect_token(self, expected: str) -> None:
        if self._take_token() != expected:
            raise _UnknownTexError

    def parse_items(self, end_tokens: tuple[str, ...]) -> list[Expression]:
        r"""Parse boxes up to one of the end tokens or the end of the formula.

        The end token, such as `}` or `\right`, is not consumed.
        """
        self._nesting_level += 1
        if self._nesting_level > _MAX_NESTING_LEVELS:
            raise _UnknownTexError
        items: list[Expression] = []
        self._skip_blanks()
        while self.peek_token() and self.peek_token() not in end_tokens:
            item = self._parse_scripts(self._parse_operand())
            if item is not None:
                items.append(item)
            self._skip_blanks()
        self._nesting_level -= 1
        return items

    def _parse_group(self) -> Expression:
        r"""Parse an argument: a group in braces, or a single token as in `\frac12`."""
        self._skip_blanks()
        if self.peek_token() != "{":
            self._split_digits()
            operand = self._parse_operand()
            if operand is None:
                raise _UnknownTexError
            return operand
        self._take_token()
        items = self.parse_items(("}",))
        self._expect_token("}")
        return _make_row(items)

    def _split_digits(self) -> None:
        r"""Split a number: in `\frac12`, each argument is one digit."""
        token = self.peek_token()
        if len(token) > 1 and token[0].isdigit():
            self._tokens[self._position : self._position + 1] = [token[0], token[1:]]

    def _parse_raw_group(self) -> str:
        r"""Return the text in braces without parsing it, for commands such as `\text{if}`."""
        self._expect_token("{")
        pieces, depth = [], 1
        while depth:
            lexeme = self.peek_token()
            self._position += 1
            if not lexeme:
                raise _UnknownTexError
            depth += (lexeme == "{") - (lexeme == "}")
            pieces.append(lexeme)
        text = "".join(pieces[:-1])
        # Commands and formulas in text mode are not supported.
        if "\\" in text or "$" in text or '"' in text:
            raise _UnknownTexError
        return text

    def _parse_operand(self) -> Expression | None:
        """Parse an operand without its scripts: a group, a command, a number or a character.

        Returns None for a command that has no effect on boxes.
        """
        lexeme = self._take_token()
        if lexeme == "{":
            self._position -= 1
            return self._parse_group()
        if lexeme.startswith("\\"):
            return self._parse_command(lexeme[1:])
        if lexeme in "}^_&~" or lexeme in ("$", "%", "#", '"', ""):
            raise _UnknownTexError
        return ascii_string(lexeme)

    def _parse_command(self, name: str) -> Expression | None:
        r"""Parse the arguments of a command such as `\alpha` or `\frac`, and return its box.

        Returns None for a command that has no effect on boxes.

        Args:
            name: The name of the command, without the backslash.
        """
        if name in _CHARACTERS_BY_COMMAND:
            return ascii_string(_CHARACTERS_BY_COMMAND[name])
        if name in _IGNORED_COMMANDS:
            return None
        if name in _TEXT_COMMANDS:
            return ascii_string(f'"{self._parse_raw_group()}"')
        if name in _UPRIGHT_COMMANDS:
            return self._parse_upright()
        if name in ALPHABET_COMMANDS:
            return self._parse_alphabet(name)
        if name == "left":
            return self._parse_fences()
        if name == "begin":
            return self._parse_environment()
        return self._parse_box_command(name)

    def _parse_box_command(self, name: str) -> Expression:
        r"""Parse the arguments of a command such as `\frac{1}{2}`, and return its box.

        The arguments are formulas. Other commands are handled by `_parse_command`.
        """
        if name in ACCENT_COMMANDS:
            return call("OverscriptBox", self._parse_group(), ascii_string(ACCENT_COMMANDS[name]))
        match name:
            case "frac" | "dfrac" | "tfrac" | "cfrac":
                return call("FractionBox", self._parse_group(), self._parse_group())
            case "binom" | "dbinom" | "tbinom":
                args = make_list([self._parse_group(), self._parse_group()])
                return call("TemplateBox", args, ascii_string("Binomial"))
            case "sqrt":
                return self._parse_root()
            case "mathbf" | "boldsymbol" | "bm":
                return call("StyleBox", self._parse_group(), make_option("FontWeight", "Bold"))
            case "underline":
                return call("UnderscriptBox", self._parse_group(), ascii_string("_"))
            case "overset" | "underset":
                script, base = self._parse_group(), self._parse_group()
                head = "OverscriptBox" if name == "overset" else "UnderscriptBox"
                return call(head, base, script)
            case _:
                raise _UnknownTexError

    def _parse_scripts(self, base: Expression | None) -> Expression | None:
        """Parse the scripts after an operand, as in `f'_1` or `x_1^2`, and return both as one box.

        Primes are a superscript, so an operand cannot have both.

        Args:
            base: The operand, or None for a command that has no effect, which cannot have scripts.
        """
        base_token = self._tokens[self._position - 1]
        scripts: dict[str, Expression] = {}
        primes = self._take_primes()
        if primes:
            scripts["^"] = ascii_string("\u2032" * primes)
        self._skip_to_script()
        while self.peek_token() in ("^", "_"):
            marker = self._take_token()
            if marker in scripts or base is None:
                raise _UnknownTexError
            scripts[marker] = self._parse_group()
            self._skip_to_script()
        return None if base is None else _attach_scripts(base, base_token, scripts)

    def _take_primes(self) -> int:
        """Consume the primes after an operand, and return their number."""
        start = self._position
        while self.peek_token() == "'":
            self._position += 1
        return self._position - start

    def _skip_to_script(self) -> None:
        r"""Skip whitespace and commands such as `\limits` if a script (`^` or `_`) follows them."""
        start = self._position
        self._skip_blanks()
        while self.peek_token() in ("\\limits", "\\nolimits"):
            self._take_token()
            self._skip_blanks()
        # Keep whitespace before anything else, because it may separate letters.
        if self.peek_token() not in ("^", "_"):
            self._position = start

    def _parse_root(self) -> Expression:
        r"""Parse the arguments of `\sqrt`: an optional index in brackets, and the radicand."""
        self._skip_blanks()
        if self.peek_token() != "[":
            return call("SqrtBox", self._parse_group())
        self._take_token()
        index = self.parse_items(("]",))
        self._expect_token("]")
        radicand = self._parse_group()
        if not index:
            return call("SqrtBox", radicand)
        return call("RadicalBox", radicand, _make_row(index))

    def _parse_upright(self) -> Expression:
        """Parse a name in an upright font, which is a single token."""
        name = self._parse_raw_group().strip()
        # A single box token cannot contain operators or spaces.
        if not name.isalnum():
            raise _UnknownTexError
        return ascii_string(name)

    def _parse_alphabet(self, name: str) -> Expression:
        r"""Parse a letter of a styled alphabet, such as `\mathbb{R}`."""
        letters, text = _LETTERS_BY_COMMAND[name], self._parse_raw_group()
        if text not in letters:
            raise _UnknownTexError
        return ascii_string(letters[text])

    def _parse_fences(self) -> Expression:
        r"""Parse variable-size fences, after `\left`: `( ... \right)`."""
        opening = self._parse_fence()
        content = self.parse_items(("\\right",))
        self._expect_token("\\right")
        closing = self._parse_fence()
        items: list[Expression] = [ascii_string(opening)] if opening else []
        items += [_make_row(content)] if content else []
        items += [ascii_string(closing)] if closing else []
        return _make_row(items)

    def _parse_fence(self) -> str:
        token = self._take_token()
        if token not in _DELIMITERS:
            raise _UnknownTexError
        return _DELIMITERS[token]

    def _parse_environment(self) -> Expression:
        r"""Parse an environment, after `\begin`: `{pmatrix} a & b \\ c & d \end{pmatrix}`.

        It becomes a grid, with brackets around it for matrices and cases.
        """
        name = self._parse_raw_group()
        self._skip_blanks()
        # Ignore the column alignment of an array, such as `{cc}`.
        if name == "array" and self.peek_token() == "{":
            self._parse_raw_group()
        rows = self._parse_rows()
        if self._parse_raw_group() != name:
            raise _UnknownTexError
        grid = call("GridBox", make_list(make_list(row) for row in rows))
        if name == "cases":
            return _make_row([ascii_string("{"), grid])
        if name not in MATRIX_FENCES and name not in _GRID_ENVIRONMENTS:
            raise _UnknownTexError
        fences = [ascii_string(fence) for fence in MATRIX_FENCES.get(name, "")]
        return _make_row([*fences[:1], grid, *fences[1:]])

    def _parse_rows(self) -> list[list[Expression]]:
        r"""Parse the rows of an environment up to `\end`, such as `a & b \\ c & d`.

        Shorter rows are padded with empty boxes.
        """
        rows: list[list[Expression]] = [[]]
        while True:
            items = self.parse_items(("&", "\\\\", "\\end"))
            rows[-1].append(_make_row(items))
            separator = self._take_token()
            if separator == "\\\\":
                rows.append([])
            elif separator != "&":
                break
        if separator != "\\end":
            raise _UnknownTexError
        # A line break after the last row is common and does not start a new row.
        if len(rows) > 1 and [input_form(box) for box in rows[-1]] == ['""']:
            rows.pop()
        width = max(map(len, rows))
        return [row + [ascii_string("")] * (width - len(row)) for row in rows]


def _attach_scripts(
    base: Expression, base_token: str, scripts: dict[str, Expression]
) -> Expression:
    """Return the box of an operand with its scripts.

    Like TeX, this places the scripts of sums and limits above and below them, and others beside
    the operand.

    Args:
        base: The operand.
        base_token: The operand's token, which is a command for sums and limits.
        scripts: The superscript and the subscript, keyed by `^` and `_`.
    """
    above, below = scripts.get("^"), scripts.get("_")
    has_limits = base_token[1:] in _BIG_OPERATORS or base_token[1:] in LIMIT_COMMANDS
    if above is not None and below is not None:
        return call("UnderoverscriptBox" if has_limits else "SubsuperscriptBox", base, below, above)
    if below is not None:
        return call("UnderscriptBox" if has_limits else "SubscriptBox", base, below)
    if above is not None:
        return call("OverscriptBox" if has_limits else "SuperscriptBox", base, above)
    return base
