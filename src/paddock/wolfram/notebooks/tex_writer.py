"""Conversion of boxes to TeX. Boxes without a common TeX form have none."""

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
    from collections.abc import Callable

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
_BOX_FORMATS = {
    "FractionBox": "\\frac{%s}{%s}",
    "SqrtBox": "\\sqrt{%s}",
}
"""TeX of boxes, with a `%s` for each argument."""
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
    """Write a box as TeX.

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
    if name in _BOX_FORMATS:
        tex_format = _BOX_FORMATS[name]
        args = _require_arguments(expression, tex_format.count("%s"))
        return tex_format % tuple(_write_box(arg, level + 1) for arg in args)
    if name in _BOX_WRITERS:
        return _BOX_WRITERS[name](expression, level + 1)
    raise _NoTexFormError


def _write_token(atom: Atom) -> str:
    """Write a token of a formula: a string, space, name, number or operator characters."""
    if atom.kind != "string":
        raise _NoTexFormError
    text = parse_string(atom.text)
    if len(text) > 1 and text[0] == text[-1] == '"':
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
    """Write a quoted string as text. Characters with a meaning in TeX are not supported."""
    if re.search(r'[\\{}$"]', text):
        raise _NoTexFormError
    return f"\\text{{{text}}}"


def _write_character(letter: str) -> str:
    """Write one character: a command, an escaped character, or the character itself."""
    if letter in _INVISIBLE_CHARACTERS:
        return ""
    if letter in ESCAPED_CHARACTERS:
        return f"\\{letter}"
    if letter in COMMANDS_BY_CHARACTER:
        return f"\\{COMMANDS_BY_CHARACTER[letter]}"
    command = _STYLED_LETTERS.get(letter) or _SPECIAL_LETTERS.get(letter)
    if command is not None:
        return command
    # Private-use characters exist only in Wolfram fonts.
    if letter == "\\" or "\ue000" <= letter <= "\uf8ff":
        raise _NoTexFormError
    return letter


def _join_pieces(pieces: list[str]) -> str:
    """Join pieces, with a space where a command would run into a letter."""
    tex = ""
    for piece in pieces:
        if piece[:1].isalpha() and _TRAILING_COMMAND.search(tex):
            tex += " "
        tex += piece
    return tex


def _require_arguments(node: Node, count: int) -> list[Expression]:
    """Return the first `count` arguments of a box, without options. Raise if the box has fewer."""
    args = [arg for arg in node.args if not has_head(arg, "Rule")]
    if len(args) < count:
        raise _NoTexFormError
    return args[:count]


def _write_items(items: list[Expression], level: int) -> str:
    return _join_pieces([_write_box(item, level) for item in items])


def _write_list(node: Node, level: int) -> str:
    return _write_items(node.args, level)


def _write_row(node: Node, level: int) -> str:
    r"""Write a row of boxes.

    A grid between fences becomes an environment: `{"(", grid, ")"}` is a `pmatrix`.
    """
    items = get_list_items(_require_arguments(node, 1)[0])
    match items:
        case [opening, Node(head=Atom(text="GridBox")) as grid, closing]:
            fences = get_string(opening) + get_string(closing)
            environment = _ENVIRONMENTS_BY_FENCES.get(fences)
            if environment is not None:
                return _write_environment(grid, environment, level)
        case [Atom(text='"{"'), Node(head=Atom(text="GridBox")) as grid]:
            return _write_environment(grid, "cases", level)
    return _write_items(items, level)


def _write_grid(node: Node, level: int) -> str:
    return _write_environment(node, "matrix", level)


def _write_environment(grid: Node, environment: str, level: int) -> str:
    rows = [
        " & ".join(_write_box(entry, level) for entry in get_list_items(row))
        for row in get_list_items(_require_arguments(grid, 1)[0])
    ]
    content = " \\\\ ".join(rows)
    return f"\\begin{{{environment}}}{content}\\end{{{environment}}}"


def _write_radical(node: Node, level: int) -> str:
    radicand, degree = (_write_box(arg, level) for arg in _require_arguments(node, 2))
    return f"\\sqrt[{degree}]{{{radicand}}}"


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


def _write_superscript(node: Node, level: int) -> str:
    """Write a power, or primes such as `f'`."""
    base, above = _require_arguments(node, 2)
    marks = get_string(above)
    if marks and set(marks) <= set(_PRIME_MARKS):
        return _write_base(base, level) + "".join(_PRIME_MARKS[mark] for mark in marks)
    return _write_base(base, level) + _write_script("^", above, level)


def _write_subscript(node: Node, level: int) -> str:
    base, below = _require_arguments(node, 2)
    return _write_base(base, level) + _write_script("_", below, level)


def _write_both_scripts(node: Node, level: int) -> str:
    base, below, above = _require_arguments(node, 3)
    scripts = _write_script("_", below, level) + _write_script("^", above, level)
    return _write_base(base, level) + scripts


def _write_underscript(node: Node, level: int) -> str:
    r"""Write an underline, a limit such as `\lim_{x}`, or `\underset`."""
    base, below = _require_arguments(node, 2)
    base_tex = _write_box(base, level)
    if get_string(below) == "_":
        return f"\\underline{{{base_tex}}}"
    if _COMMAND.fullmatch(base_tex):
        return base_tex + _write_script("_", below, level)
    return f"\\underset{{{_write_box(below, level)}}}{{{base_tex}}}"


def _write_overscript(node: Node, level: int) -> str:
    r"""Write an accent or `\overset`."""
    base, above = _require_arguments(node, 2)
    accent = _ACCENTS_BY_SIGN.get(get_string(above))
    command = f"\\{accent}" if accent else f"\\overset{{{_write_box(above, level)}}}"
    return f"{command}{{{_write_box(base, level)}}}"


def _write_template(node: Node, level: int) -> str:
    """Write a template box. The number of arguments must be that of the TeX format."""
    args, name = _require_arguments(node, 2)
    tex_format = _TEMPLATE_FORMATS.get(get_string(name), "")
    args_tex = [_write_box(arg, level) for arg in get_list_items(args)]
    if not tex_format or tex_format.count("%s") != len(args_tex):
        raise _NoTexFormError
    return tex_format % tuple(args_tex)


def _write_style(node: Node, level: int) -> str:
    content = _write_box(_require_arguments(node, 1)[0], level)
    weight = read_options(node.args[1:]).get("FontWeight")
    is_bold = isinstance(weight, Atom) and weight.text.strip('"') == "Bold"
    return f"\\mathbf{{{content}}}" if is_bold else content


_BOX_WRITERS: dict[str, Callable[[Node, int], str]] = {
    "RowBox": _write_row,
    "StyleBox": _write_style,
    "List": _write_list,
    "GridBox": _write_grid,
    "RadicalBox": _write_radical,
    "SuperscriptBox": _write_superscript,
    "SubscriptBox": _write_subscript,
    "SubsuperscriptBox": _write_both_scripts,
    "UnderscriptBox": _write_underscript,
    "OverscriptBox": _write_overscript,
    "UnderoverscriptBox": _write_both_scripts,
    "TemplateBox": _write_template,
}
