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
    is_symbol,
)
from paddock.wolfram.literals import parse_string
from paddock.wolfram.named_characters import get_character
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
_TRAILING_COMMAND = re.compile(r"\\[A-Za-z]+$")
_STYLED_LETTERS = {
    styled: f"\\{name}{{{letter}}}"
    for name, style in ALPHABET_COMMANDS.items()
    for letter, styled in get_styled_letters(style).items()
    if styled != letter
}
_SPACE_CHARACTERS = {space: f"\\{name}" for name, space in SPACE_COMMANDS.items() if name != " "}
_INVISIBLE_CHARACTERS = {
    letter
    for name in ("NoBreak", "InvisibleApplication", "InvisibleTimes", "InvisibleSpace", "AutoSpace")
    if (letter := get_character(name))
}
_SPECIAL_LETTERS = {
    **{letter: "e" for name in ("ExponentialE",) if (letter := get_character(name))},
    **{letter: "i" for name in ("ImaginaryI", "ImaginaryJ") if (letter := get_character(name))},
    get_character("LongEqual") or "": "=",
    get_character("Equal") or "": "=",
}
_PRIME_MARKS = {"\u2032": "'", "\u2033": "''"}
_ACCENTS_BY_SIGN = {
    sign: name for name, sign in ACCENT_COMMANDS.items() if not name.startswith(("wide", "over"))
}
_WRAPPER_HEADS = frozenset(
    ("TagBox", "FormBox", "AdjustmentBox", "InterpretationBox", "ButtonBox", "BoxData")
)
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
    writer = _BOX_WRITERS.get(name)
    if writer is None:
        raise _NoTexFormError
    return writer(expression, level + 1)


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


def _write_row(node: Node, level: int) -> str:
    """Write a row of boxes.

    Matrices and cases are rows of a grid with fences, and become TeX environments.
    """
    items = get_list_items(_require_arguments(node, 1)[0])
    if len(items) == 3 and has_head(items[1], "GridBox"):
        fences = "".join(
            parse_string(fence.text) for fence in items[::2] if isinstance(fence, Atom)
        )
        environment = next((name for name, pair in MATRIX_FENCES.items() if pair == fences), None)
        if environment is not None:
            return _write_grid_environment(items[1], environment, level)
    if len(items) == 2 and isinstance(items[1], Node) and _are_cases(items[0], items[1]):
        return _write_grid_environment(items[1], "cases", level)
    return _join_pieces([_write_box(item, level) for item in items])


def _are_cases(brace: Expression, grid: Node) -> bool:
    return isinstance(brace, Atom) and brace.text == '"{"' and has_head(grid, "GridBox")


def _write_list(node: Node, level: int) -> str:
    return _join_pieces([_write_box(item, level) for item in node.args])


def _write_grid(node: Node, level: int) -> str:
    return _write_grid_environment(node, "matrix", level)


def _write_grid_environment(node: Node, environment: str, level: int) -> str:
    rows = [
        " & ".join(_write_box(entry, level) for entry in get_list_items(row))
        for row in get_list_items(_require_arguments(node, 1)[0])
    ]
    inner = " \\\\ ".join(rows)
    return f"\\begin{{{environment}}}{inner}\\end{{{environment}}}"


def _write_fraction(node: Node, level: int) -> str:
    upper, lower = (_write_box(arg, level) for arg in _require_arguments(node, 2))
    return f"\\frac{{{upper}}}{{{lower}}}"


def _write_root(node: Node, level: int) -> str:
    return f"\\sqrt{{{_write_box(_require_arguments(node, 1)[0], level)}}}"


def _write_radical(node: Node, level: int) -> str:
    inner, index = (_write_box(arg, level) for arg in _require_arguments(node, 2))
    return f"\\sqrt[{index}]{{{inner}}}"


def _brace_script(text: str) -> str:
    """Return a script in braces, unless it is a single character or command."""
    is_single = len(text) == 1 or bool(re.fullmatch(r"\\[A-Za-z]+", text))
    return text if is_single else f"{{{text}}}"


def _write_base(expression: Expression, level: int) -> str:
    """Write the base of a script, in braces unless it is a single token."""
    text = _write_box(expression, level)
    is_single = len(text) == 1 or bool(re.fullmatch(r"\d+|\\[A-Za-z]+(?:\{\w+\})?", text))
    is_closed = text.endswith(")") or not text
    # Other bases need braces, since a script applies to the preceding token only.
    return text if is_single or is_closed else f"{{{text}}}"


def _write_superscript(node: Node, level: int) -> str:
    """Write a power, or primes such as `f'`."""
    base, above = _require_arguments(node, 2)
    text = parse_string(above.text) if isinstance(above, Atom) and above.kind == "string" else ""
    if text and set(text) <= set(_PRIME_MARKS):
        return _write_base(base, level) + "".join(_PRIME_MARKS[sign] for sign in text)
    return f"{_write_base(base, level)}^{_brace_script(_write_box(above, level))}"


def _write_subscript(node: Node, level: int) -> str:
    base, below = _require_arguments(node, 2)
    return f"{_write_base(base, level)}_{_brace_script(_write_box(below, level))}"


def _write_both_scripts(node: Node, level: int) -> str:
    base, below, above = _require_arguments(node, 3)
    lower, upper = _brace_script(_write_box(below, level)), _brace_script(_write_box(above, level))
    return f"{_write_base(base, level)}_{lower}^{upper}"


def _write_underscript(node: Node, level: int) -> str:
    r"""Write an underline, a limit such as `\lim_{x}`, or `\underset`."""
    base, below = _require_arguments(node, 2)
    if isinstance(below, Atom) and below.text == '"_"':
        return f"\\underline{{{_write_box(base, level)}}}"
    text = _write_box(base, level)
    if re.fullmatch(r"\\[A-Za-z]+", text):
        return f"{text}_{_brace_script(_write_box(below, level))}"
    return f"\\underset{{{_write_box(below, level)}}}{{{text}}}"


def _write_overscript(node: Node, level: int) -> str:
    r"""Write an accent or `\overset`."""
    base, above = _require_arguments(node, 2)
    accent = parse_string(above.text) if isinstance(above, Atom) and above.kind == "string" else ""
    if accent in _ACCENTS_BY_SIGN:
        return f"\\{_ACCENTS_BY_SIGN[accent]}{{{_write_box(base, level)}}}"
    return f"\\overset{{{_write_box(above, level)}}}{{{_write_box(base, level)}}}"


def _write_template(node: Node, level: int) -> str:
    """Write a template box. The number of arguments must be that of the TeX format."""
    args, name = _require_arguments(node, 2)
    tex_format = _TEMPLATE_FORMATS.get(parse_string(name.text)) if isinstance(name, Atom) else None
    args_tex = [_write_box(arg, level) for arg in get_list_items(args)]
    if tex_format is None or tex_format.count("%s") != len(args_tex):
        raise _NoTexFormError
    return tex_format % tuple(args_tex)


def _write_style(node: Node, level: int) -> str:
    inner = _write_box(_require_arguments(node, 1)[0], level)
    is_bold = any(
        isinstance(arg, Node) and _has_option(arg, "FontWeight", "Bold") for arg in node.args[1:]
    )
    return f"\\mathbf{{{inner}}}" if is_bold else inner


def _has_option(node: Node, name: str, value: str) -> bool:
    """Return whether a node is the given option with the given value."""
    if not has_head(node, "Rule") or len(node.args) != 2:
        return False
    key, option_value = node.args
    return (
        is_symbol(key, name)
        and isinstance(option_value, Atom)
        and option_value.text.strip('"') == value
    )


_BOX_WRITERS: dict[str, Callable[[Node, int], str]] = {
    "RowBox": _write_row,
    "StyleBox": _write_style,
    "List": _write_list,
    "GridBox": _write_grid,
    "FractionBox": _write_fraction,
    "SqrtBox": _write_root,
    "RadicalBox": _write_radical,
    "SuperscriptBox": _write_superscript,
    "SubscriptBox": _write_subscript,
    "SubsuperscriptBox": _write_both_scripts,
    "UnderscriptBox": _write_underscript,
    "OverscriptBox": _write_overscript,
    "UnderoverscriptBox": _write_both_scripts,
    "TemplateBox": _write_template,
}
