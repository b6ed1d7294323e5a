"""From boxes to TeX, for formulas in text; what TeX has no usual form for gives nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol
from paddock.wolfram.letters import character
from paddock.wolfram.notebooks.tex_symbols import (
    ACCENTS,
    ALPHABETS,
    ESCAPED,
    FENCES,
    FUNCTIONS,
    NAMES,
    SPACES,
    letters_of,
)
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

_MOST_LEVELS = 80
_NUMBER = re.compile(r"(\d*\.?\d*)`[\d.]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_ENDS_IN_NAME = re.compile(r"\\[A-Za-z]+$")
_STYLED = {
    styled: f"\\{name}{{{letter}}}"
    for name, style in ALPHABETS.items()
    for letter, styled in letters_of(style).items()
    if styled != letter
}
_SPACES = {space: f"\\{name}" for name, space in SPACES.items() if name != " "}
_INVISIBLE = {
    letter
    for name in ("NoBreak", "InvisibleApplication", "InvisibleTimes", "InvisibleSpace", "AutoSpace")
    if (letter := character(name))
}
_LETTERS = {
    **{letter: "e" for name in ("ExponentialE",) if (letter := character(name))},
    **{letter: "i" for name in ("ImaginaryI", "ImaginaryJ") if (letter := character(name))},
    character("LongEqual") or "": "=",
    character("Equal") or "": "=",
}
_PRIMES = {"\u2032": "'", "\u2033": "''"}
_ACCENTS = {sign: name for name, sign in ACCENTS.items() if not name.startswith(("wide", "over"))}
_WRAPPERS = frozenset(
    ("TagBox", "FormBox", "AdjustmentBox", "InterpretationBox", "ButtonBox", "BoxData")
)
_TEMPLATES = {
    "Binomial": "\\binom{%s}{%s}",
    "Abs": "\\left|%s\\right|",
    "Norm": "\\left\\|%s\\right\\|",
    "Floor": "\\left\\lfloor %s\\right\\rfloor",
    "Ceiling": "\\left\\lceil %s\\right\\rceil",
    "Conjugate": "%s^*",
    "Transpose": "%s^{\\mathrm{T}}",
    "Sqrt": "\\sqrt{%s}",
}


class _NoFormError(Exception):
    """There is no TeX for something."""


def boxes_to_tex(expression: Expression) -> str | None:
    """A formula in TeX; None if some of it has no form there."""
    try:
        return _tex(expression, 0).strip() or None
    except _NoFormError:
        return None


def _tex(expression: Expression, level: int) -> str:
    if level > _MOST_LEVELS:
        raise _NoFormError
    if isinstance(expression, Atom):
        return _token(expression)
    name = expression.head.text if isinstance(expression.head, Atom) else ""
    if name in _WRAPPERS and expression.args:
        return _tex(expression.args[0], level + 1)
    write = _FORMS.get(name)
    if write is None:
        raise _NoFormError
    return write(expression, level + 1)


def _token(atom: Atom) -> str:
    if atom.kind != "string":
        raise _NoFormError
    text = string_value(atom.text)
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _text(string_value(text))
    if text in _SPACES:
        return _SPACES[text]
    if text.isspace():
        return " "
    if _WORD.fullmatch(text) and len(text) > 1:
        return f"\\{text}" if text in FUNCTIONS else f"\\mathrm{{{text}}}"
    number = _NUMBER.fullmatch(text)
    if number is not None:
        return number[1]
    return _joined([_character(letter) for letter in text])


def _text(text: str) -> str:
    if re.search(r'[\\{}$"]', text):
        raise _NoFormError
    return f"\\text{{{text}}}"


def _character(letter: str) -> str:
    if letter in _INVISIBLE:
        return ""
    if letter in ESCAPED:
        return f"\\{letter}"
    if letter in NAMES:
        return f"\\{NAMES[letter]}"
    found = _STYLED.get(letter) or _LETTERS.get(letter)
    if found is not None:
        return found
    if letter == "\\" or "\ue000" <= letter <= "\uf8ff":
        raise _NoFormError
    return letter


def _joined(pieces: list[str]) -> str:
    """Pieces one after the other, with a blank where a name would run into a letter."""
    found = ""
    for piece in pieces:
        if piece[:1].isalpha() and _ENDS_IN_NAME.search(found):
            found += " "
        found += piece
    return found


def _elements(expression: Expression) -> list[Expression]:
    if isinstance(expression, Node) and has_head(expression, "List"):
        return expression.args
    return [expression]


def _args(node: Node, count: int) -> list[Expression]:
    args = [arg for arg in node.args if not has_head(arg, "Rule")]
    if len(args) < count:
        raise _NoFormError
    return args[:count]


def _row(node: Node, level: int) -> str:
    items = _elements(_args(node, 1)[0])
    if len(items) == 3 and isinstance(items[1], Node) and has_head(items[1], "GridBox"):
        fences = "".join(string_value(one.text) for one in items[::2] if isinstance(one, Atom))
        kind = next((name for name, pair in FENCES.items() if pair == fences), None)
        if kind is not None:
            return _grid_in(items[1], kind, level)
    if len(items) == 2 and isinstance(items[1], Node) and _are_cases(items[0], items[1]):
        return _grid_in(items[1], "cases", level)
    return _joined([_tex(item, level) for item in items])


def _are_cases(sign: Expression, grid: Node) -> bool:
    return isinstance(sign, Atom) and sign.text == '"{"' and has_head(grid, "GridBox")


def _list(node: Node, level: int) -> str:
    return _joined([_tex(item, level) for item in node.args])


def _grid(node: Node, level: int) -> str:
    return _grid_in(node, "matrix", level)


def _grid_in(node: Node, kind: str, level: int) -> str:
    rows = [
        " & ".join(_tex(entry, level) for entry in _elements(row))
        for row in _elements(_args(node, 1)[0])
    ]
    inner = " \\\\ ".join(rows)
    return f"\\begin{{{kind}}}{inner}\\end{{{kind}}}"


def _fraction(node: Node, level: int) -> str:
    upper, lower = (_tex(arg, level) for arg in _args(node, 2))
    return f"\\frac{{{upper}}}{{{lower}}}"


def _root(node: Node, level: int) -> str:
    return f"\\sqrt{{{_tex(_args(node, 1)[0], level)}}}"


def _radical(node: Node, level: int) -> str:
    inner, index = (_tex(arg, level) for arg in _args(node, 2))
    return f"\\sqrt[{index}]{{{inner}}}"


def _script(text: str) -> str:
    is_single = len(text) == 1 or bool(re.fullmatch(r"\\[A-Za-z]+", text))
    return text if is_single else f"{{{text}}}"


def _base(expression: Expression, level: int) -> str:
    text = _tex(expression, level)
    is_single = len(text) == 1 or bool(re.fullmatch(r"\d+|\\[A-Za-z]+(?:\{\w+\})?", text))
    is_closed = text.endswith(")") or not text
    return text if is_single or is_closed else f"{{{text}}}"


def _raised(node: Node, level: int) -> str:
    base, above = _args(node, 2)
    text = string_value(above.text) if isinstance(above, Atom) and above.kind == "string" else ""
    if text and set(text) <= set(_PRIMES):
        return _base(base, level) + "".join(_PRIMES[sign] for sign in text)
    return f"{_base(base, level)}^{_script(_tex(above, level))}"


def _lowered(node: Node, level: int) -> str:
    base, below = _args(node, 2)
    return f"{_base(base, level)}_{_script(_tex(below, level))}"


def _both(node: Node, level: int) -> str:
    base, below, above = _args(node, 3)
    lower, upper = _script(_tex(below, level)), _script(_tex(above, level))
    return f"{_base(base, level)}_{lower}^{upper}"


def _under(node: Node, level: int) -> str:
    base, below = _args(node, 2)
    if isinstance(below, Atom) and below.text == '"_"':
        return f"\\underline{{{_tex(base, level)}}}"
    text = _tex(base, level)
    if re.fullmatch(r"\\[A-Za-z]+", text):
        return f"{text}_{_script(_tex(below, level))}"
    return f"\\underset{{{_tex(below, level)}}}{{{text}}}"


def _over(node: Node, level: int) -> str:
    base, above = _args(node, 2)
    sign = string_value(above.text) if isinstance(above, Atom) and above.kind == "string" else ""
    if sign in _ACCENTS:
        return f"\\{_ACCENTS[sign]}{{{_tex(base, level)}}}"
    return f"\\overset{{{_tex(above, level)}}}{{{_tex(base, level)}}}"


def _template(node: Node, level: int) -> str:
    args, name = _args(node, 2)
    form = _TEMPLATES.get(string_value(name.text)) if isinstance(name, Atom) else None
    parts = [_tex(arg, level) for arg in _elements(args)]
    if form is None or form.count("%s") != len(parts):
        raise _NoFormError
    return form % tuple(parts)


def _style(node: Node, level: int) -> str:
    inner = _tex(_args(node, 1)[0], level)
    is_bold = any(
        isinstance(arg, Node) and _says(arg, "FontWeight", "Bold") for arg in node.args[1:]
    )
    return f"\\mathbf{{{inner}}}" if is_bold else inner


def _says(node: Node, name: str, value: str) -> bool:
    if not has_head(node, "Rule") or len(node.args) != 2:
        return False
    key, found = node.args
    return is_symbol(key, name) and isinstance(found, Atom) and found.text.strip('"') == value


_FORMS: dict[str, Callable[[Node, int], str]] = {
    "RowBox": _row,
    "StyleBox": _style,
    "List": _list,
    "GridBox": _grid,
    "FractionBox": _fraction,
    "SqrtBox": _root,
    "RadicalBox": _radical,
    "SuperscriptBox": _raised,
    "SubscriptBox": _lowered,
    "SubsuperscriptBox": _both,
    "UnderscriptBox": _under,
    "OverscriptBox": _over,
    "UnderoverscriptBox": _both,
    "TemplateBox": _template,
}
