"""Conversion of boxes to TeX. Boxes without a common TeX form are not converted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Atom,
    Node,
    get_head_name,
    get_list_items,
    has_head,
)
from paddock.wolfram.literals import parse_string
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.notebooks.model import get_string, read_options
from paddock.wolfram.notebooks.tex_symbols import (
    ACCENT_COMMANDS,
    ALPHABET_COMMANDS,
    COMMANDS_BY_CHARACTER,
    ESCAPED_CHARACTERS,
    FUNCTION_COMMANDS,
    MATRIX_FENCES,
    SPACE_COMMANDS,
    get_styled_letters,
)

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

_MAX_NESTING_LEVELS = 80
_NUMBER = re.compile(r"(\d*\.?\d*)`[\d.]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_TRAILING_COMMAND = re.compile(r"\\[A-Za-z]+$")
_STYLED_LETTERS = {
    styled: f"\\{name}{{{letter}}}"
    for name, style in ALPHABET_COMMANDS.items()
    for letter, styled in get_styled_letters(style).items()
    if styled != letter
}
_SPACE_CHARACTERS = {space: f"\\{name}" for name, space in SPACE_COMMANDS.items() if name != " "}
_INVISIBLE_CHARACTERS = {
    get_character(name)
    for name in ("NoBreak", "InvisibleApplication", "InvisibleTimes", "InvisibleSpace", "AutoSpace")
}
_LETTERS_BY_NAME = {
    "ExponentialE": "e",
    "ImaginaryI": "i",
    "ImaginaryJ": "i",
    "LongEqual": "=",
    "Equal": "=",
}
_SPECIAL_LETTERS = {get_character(name): tex for name, tex in _LETTERS_BY_NAME.items()}
_PRIME_MARKS = {"\u2032": "'", "\u2033": "''"}
_ACCENTS_BY_SIGN = {
    sign: name for name, sign in ACCENT_COMMANDS.items() if not name.startswith(("wide", "over"))
}
_WRAPPER_HEADS = frozenset(
    ("TagBox", "FormBox", "AdjustmentBox", "InterpretationBox", "ButtonBox", "BoxData")
)
_ENVIRONMENTS_BY_FENCES = {fences: name for name, fences in MATRIX_FENCES.items()}
_TEMPLATE_FORMATS = {
    "Binomial": "\\binom{%s}{%s}",
    "Abs": "\\left|%s\\right|",
    "Norm": "\\left\\|%s\\right\\|",
    "Floor": "\\left\\lfloor %s\\right\\rfloor",
    "Ceiling": "\\left\\lceil %s\\right\\rceil",
    "Conjugate": "%s^*",
    "Transpose": "%s^{\\mathrm{T}}",
    "Sqrt": "\\sqrt{%s}",
}


class _NoTexFormError(Exception):
    """A box has no TeX form."""


def boxes_to_tex(expression: Expression) -> str | None:
    """Return the TeX of a formula, or None if part of it has no TeX form."""
    try:
        return _write_box(expression, 0).strip() or None
    except _NoTexFormError:
        return None


def _write_box(expression: Expression, level: int) -> str:
    r"""Return the TeX of a box: `\frac{1}{2}` for `FractionBox["1", "2"]`.

    Args:
        expression: The box, an element of the notebook format for typeset expressions.
        level: The nesting level of the box in the formula.

    Raises:
        _NoTexFormError: The box has no TeX form or is nested too deeply.
    """
    if level > _MAX_NESTING_LEVELS:
        raise _NoTexFormError
    if isinstance(expression, Atom):
        return _write_token(expression)
    name = get_head_name(expression)
    if name in _WRAPPER_HEADS and expression.args:
        return _write_box(expression.args[0], level + 1)
    if name == "List":
        return _write_items(expression.args, level + 1)
    if name == "StyleBox":
        return _write_style_box(expression, level + 1)
    args = [arg for arg in expression.args if not has_head(arg, "Rule")]
    if name in _LAYOUT_BOXES:
        return _write_layout_box(name, args, level + 1)
    return _write_math_box(name, args, level + 1)


def _write_token(atom: Atom) -> str:
    r"""Return the TeX of a box that is a single token: a name, a number, an operator or a string.

    For example, the name `sin` becomes `\sin`, and `ab` becomes `\mathrm{ab}`.
    """
    if atom.kind != "string":
        raise _NoTexFormError
    text = parse_string(atom.text)
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    if is_quoted:
        return _write_text(parse_string(text))
    if text in _SPACE_CHARACTERS:
        return _SPACE_CHARACTERS[text]
    if text.isspace():
        return " "
    # Without a command, TeX would set the letters of a name as a product.
    if _WORD.fullmatch(text) and len(text) > 1:
        return f"\\{text}" if text in FUNCTION_COMMANDS else f"\\mathrm{{{text}}}"
    number = _NUMBER.fullmatch(text)
    if number is not None:
        return number[1]
    return _join_pieces([_write_character(letter) for letter in text])


def _write_text(text: str) -> str:
    """Write a quoted string as text. TeX special characters are not supported."""
    if re.search(r'[\\{}$"]', text):
        raise _NoTexFormError
    return f"\\text{{{text}}}"


def _write_character(letter: str) -> str:
    r"""Return the TeX of one character: a command such as `\alpha`, or the character itself.

    TeX special characters, such as `%`, are escaped.

    Raises:
        _NoTexFormError: The character exists only in Wolfram fonts.
    """
    if letter in _INVISIBLE_CHARACTERS:
        return ""
    if letter in ESCAPED_CHARACTERS:
        return f"\\{letter}"
    if letter in COMMANDS_BY_CHARACTER:
        return f"\\{COMMANDS_BY_CHARACTER[letter]}"
    command = _STYLED_LETTERS.get(letter) or _SPECIAL_LETTERS.get(letter)
    if command is not None:
        return command
    # Wolfram fonts use the private use area of Unicode.
    if letter == "\\" or "\ue000" <= letter <= "\uf8ff":
        raise _NoTexFormError
    return letter


def _join_pieces(pieces: list[str]) -> str:
    r"""Join TeX fragments, with a space between a command and a letter: `\alpha x`."""
    tex = ""
    for piece in pieces:
        if piece[:1].isalpha() and _TRAILING_COMMAND.search(tex):
            tex += " "
        tex += piece
    return tex


def _write_items(items: list[Expression], level: int) -> str:
    return _join_pieces([_write_box(item, level) for item in items])


def _write_style_box(node: Node, level: int) -> str:
    """Return the TeX of a `StyleBox`. Only the bold style is kept."""
    if not node.args:
        raise _NoTexFormError
    content = _write_box(node.args[0], level)
    weight = read_options(node.args[1:]).get("FontWeight")
    is_bold = isinstance(weight, Atom) and weight.text.strip('"') == "Bold"
    return f"\\mathbf{{{content}}}" if is_bold else content


_LAYOUT_BOXES = frozenset(("RowBox", "GridBox", "TemplateBox"))


def _write_layout_box(name: str, args: list[Expression], level: int) -> str:
    """Return the TeX of a row, grid or template box, whose elements are in lists.

    Args:
        name: The head of the box.
        args: The arguments of the box without its options.
        level: The nesting level of the elements in the formula.
    """
    match name, args:
        case "RowBox", [items, *_]:
            return _write_row(get_list_items(items), level)
        case "GridBox", [rows, *_]:
            return _write_environment(rows, "matrix", level)
        case "TemplateBox", [template_args, template_name, *_]:
            return _write_template(get_string(template_name), get_list_items(template_args), level)
        case _:
            raise _NoTexFormError


def _write_row(items: list[Expression], level: int) -> str:
    r"""Return the TeX of a row of boxes.

    A grid between brackets becomes an environment: `{"(", grid, ")"}` is a `pmatrix`.
    """
    match items:
        case [opening, Node(head=Atom(text="GridBox"), args=[rows, *_]), closing]:
            fences = get_string(opening) + get_string(closing)
            environment = _ENVIRONMENTS_BY_FENCES.get(fences)
            if environment is not None:
                return _write_environment(rows, environment, level)
        case [Atom(text='"{"'), Node(head=Atom(text="GridBox"), args=[rows, *_])]:
            return _write_environment(rows, "cases", level)
    return _write_items(items, level)


def _write_environment(rows: Expression, environment: str, level: int) -> str:
    r"""Return a grid as a TeX environment such as `\begin{matrix}a & b \\ c & d\end{matrix}`."""
    row_texts = [
        " & ".join(_write_box(entry, level) for entry in get_list_items(row))
        for row in get_list_items(rows)
    ]
    content = " \\\\ ".join(row_texts)
    return f"\\begin{{{environment}}}{content}\\end{{{environment}}}"


def _write_template(name: str, args: list[Expression], level: int) -> str:
    """Write a template box. The number of arguments must match the TeX format."""
    args_tex = [_write_box(arg, level) for arg in args]
    tex_format = _TEMPLATE_FORMATS.get(name, "")
    if not tex_format or tex_format.count("%s") != len(args_tex):
        raise _NoTexFormError
    return tex_format % tuple(args_tex)


def _write_math_box(name: str, args: list[Expression], level: int) -> str:
    """Return the TeX of a fraction, a root, or a box with scripts.

    Args:
        name: The head of the box.
        args: The arguments of the box without its options.
        level: The nesting level of the arguments in the formula.

    Raises:
        _NoTexFormError: The box is of another kind, or lacks arguments.
    """
    match name, args:
        case "FractionBox", [numerator, denominator, *_]:
            return f"\\frac{{{_write_box(numerator, level)}}}{{{_write_box(denominator, level)}}}"
        case "SqrtBox", [radicand, *_]:
            return f"\\sqrt{{{_write_box(radicand, level)}}}"
        case "RadicalBox", [radicand, degree, *_]:
            return f"\\sqrt[{_write_box(degree, level)}]{{{_write_box(radicand, level)}}}"
        case "SuperscriptBox", [base, exponent, *_]:
            return _write_base(base, level) + _write_exponent(exponent, level)
        case "SubscriptBox", [base, index, *_]:
            return _write_base(base, level) + _write_script("_", index, level)
        case (("SubsuperscriptBox" | "UnderoverscriptBox"), [base, below, above, *_]):
            scripts = _write_script("_", below, level) + _write_script("^", above, level)
            return _write_base(base, level) + scripts
        case "UnderscriptBox", [base, below, *_]:
            return _write_underscript(base, below, level)
        case "OverscriptBox", [base, above, *_]:
            return _write_overscript(base, above, level)
        case _:
            raise _NoTexFormError


def _brace_script(text: str) -> str:
    """Return a script in braces, unless it is a single character or command."""
    is_single = len(text) == 1 or bool(_COMMAND.fullmatch(text))
    return text if is_single else f"{{{text}}}"


def _write_base(expression: Expression, level: int) -> str:
    """Write the base of a script, in braces unless it is a single token."""
    text = _write_box(expression, level)
    is_single = len(text) == 1 or bool(re.fullmatch(r"\d+|\\[A-Za-z]+(?:\{\w+\})?", text))
    is_closed = text.endswith(")") or not text
    # Other bases need braces, since a script applies to the preceding token only.
    return text if is_single or is_closed else f"{{{text}}}"


def _write_script(mark: str, script: Expression, level: int) -> str:
    """Write `^` or `_` with a script."""
    return mark + _brace_script(_write_box(script, level))


def _write_exponent(exponent: Expression, level: int) -> str:
    """Write `^n`, or the primes of a derivative such as `f'`."""
    marks = get_string(exponent)
    if marks and set(marks) <= set(_PRIME_MARKS):
        return "".join(_PRIME_MARKS[mark] for mark in marks)
    return _write_script("^", exponent, level)


def _write_underscript(base: Expression, below: Expression, level: int) -> str:
    r"""Return the TeX of a box with a script below it: `\underline`, `\lim_{x}` or `\underset`."""
    base_tex = _write_box(base, level)
    if get_string(below) == "_":
        return f"\\underline{{{base_tex}}}"
    if _COMMAND.fullmatch(base_tex):
        return base_tex + _write_script("_", below, level)
    return f"\\underset{{{_write_box(below, level)}}}{{{base_tex}}}"


def _write_overscript(base: Expression, above: Expression, level: int) -> str:
    r"""Write an accent or `\overset`."""
    accent = _ACCENTS_BY_SIGN.get(get_string(above))
    command = f"\\{accent}" if accent else f"\\overset{{{_write_box(above, level)}}}"
    return f"{command}{{{_write_box(base, level)}}}"
