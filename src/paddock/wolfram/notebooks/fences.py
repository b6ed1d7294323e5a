"""Code cells and fenced blocks of markdown: which language, which labels, which cells.

A fence may hold several cells, each beginning with its label: `In[1]:= 1 + 1`. What a label does
not tell is told by a word after the language: "wl Code".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call, has_head, quoted
from paddock.wolfram.notebooks.box_syntax import without_box_syntax
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.linear import boxes_to_text
from paddock.wolfram.notebooks.model import Cell
from paddock.wolfram.notebooks.signs import in_plain_characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.notebooks.linear_forms import Form

OUTPUTS = frozenset(("Output", "Print", "Echo", "Message", "MSG", "PrintTemporary", "EchoTiming"))
"""Styles of what evaluating gives."""
INPUTS = frozenset(("Input", "Code"))
"""Styles of code that can be evaluated."""
_PRINTED = OUTPUTS - {"Output"}
_VERBATIM = frozenset(("Program", "ExternalLanguage", "CodeText", "PythonInput", "Verbatim"))
CODE_STYLES = OUTPUTS | INPUTS | _VERBATIM | {"InitializationCell", "NumberedInput", "Picture"}

_WL = frozenset(("wl", "wolfram", "mathematica", "wolframlanguage", "wolfram-language", "wls"))
_PROGRAMS = {
    "python": "Python",
    "julia": "Julia",
    "javascript": "NodeJS",
    "r": "R",
    "ruby": "Ruby",
    "sql": "SQL",
    "shell": "Shell",
    "octave": "Octave",
    "java": "Java",
    "perl": "Perl",
}
"""Languages that a notebook can evaluate, by the words that fences use."""
_WORDS = {language: word for word, language in _PROGRAMS.items()}
_SYNONYMS = {"py": "python", "js": "javascript", "bash": "shell", "sh": "shell", "jl": "julia"}
LANGUAGE = "Language"
"""Under which name a language that is written otherwise is kept in the tagging rules of a cell."""
_LABEL = re.compile(
    r"(In\[\d+\]:=|Out\[\d+\](?://\w+)?=|During evaluation of In\[\d+\]:=|>>)(?:[ ](.*))?$"
)
_MESSAGE = re.compile(r"[\w$`]+::\w+: ")
_CUT = "\u2026 (cut off after {} characters)"


class Fenced(NamedTuple):
    """A code cell as it stands in a fence."""

    info: str
    label: str
    text: str


def fenced(cell: Cell, limit: int, picture: Callable[[Node], str]) -> Fenced:
    """What becomes of a code cell; text that is longer than the limit is cut off."""
    text = cut(_text(cell, limit, picture), limit)
    if cell.style in _VERBATIM:
        return Fenced(_language(cell), "", text)
    label = ">>" if cell.style.startswith("Echo") else cell.label.strip()
    if label and _LABEL.match(f"{label} x") is None:
        label = ""
    return Fenced(_info(cell, label, text), label, text)


def cut(text: str, limit: int) -> str:
    """A text of at most so many characters, which says so when it was longer."""
    return text if len(text) <= limit else text[:limit] + _CUT.format(limit)


def _text(cell: Cell, limit: int, picture: Callable[[Node], str]) -> str:
    if isinstance(cell.content, str):
        return in_plain_characters(cell.content)
    form = _form(cell)
    text = boxes_to_text(cell.content, form=form, limit=limit, picture=picture)
    if form == "text" and "\\!\\(" in text:
        return without_box_syntax(text, lambda found: boxes_to_text(found, form="text"))
    return text


def _form(cell: Cell) -> Form:
    if cell.style in _PRINTED or cell.style in _VERBATIM:
        return "text"
    if not isinstance(cell.content, str) and has_head(cell.content, "TextData"):
        return "text"
    return "output" if cell.style == "Output" else "input"


def _info(cell: Cell, label: str, text: str) -> str:
    style = cell.style if cell.style in INPUTS | OUTPUTS else "Input"
    if _style_of(label, "", text) == style:
        return "wl"
    return f"wl {style}"


def _language(cell: Cell) -> str:
    written = cell.tagging_rules.get(LANGUAGE)
    if isinstance(written, str):
        return written
    if cell.style == "Program":
        return ""
    language = cell.option_text("CellEvaluationLanguage") or "Python"
    return _WORDS.get(language, language.lower())


def cells_of_fence(info: str, text: str) -> list[Cell]:
    """The cells of a fenced block."""
    language, _, style = info.partition(" ")
    if language.lower() in _WL:
        return [_code(label, part, style) for label, part in _parts(text)]
    word = _SYNONYMS.get(language.lower(), language.lower())
    options: dict[str, object] = {}
    if (info and _PROGRAMS.get(word) is None) or info != word:
        options["TaggingRules"] = {LANGUAGE: info}
    if word in _PROGRAMS:
        return [Cell(text, "ExternalLanguage", CellEvaluationLanguage=_PROGRAMS[word], **options)]
    return [Cell(text, "Program", **(options if info else {}))]


def _parts(text: str) -> list[tuple[str, str]]:
    """Labels and what follows them; a label begins a block of lines."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    before = ""
    for line in text.split("\n"):
        found = _LABEL.match(line) if not before.strip() else None
        if found is not None:
            parts.append((found[1], [found[2]] if found[2] else []))
        else:
            parts[-1][1].append(line)
        before = line
    if len(parts) == 1:
        return [("", text)]
    made = [(label, "\n".join(lines).strip("\n")) for label, lines in parts]
    return made if made[0][1] else made[1:]


def _style_of(label: str, style: str, text: str) -> str:
    """The style that a label and a word after the language tell."""
    if label.startswith("Out"):
        return "Output"
    if label.startswith("During"):
        return "Message" if _MESSAGE.match(text) else "Print"
    if label == ">>":
        return "Echo"
    return style if style in INPUTS | OUTPUTS else "Input"


def _code(label: str, text: str, word: str) -> Cell:
    style = _style_of(label, word, text)
    options: dict[str, object] = {"CellLabel": label} if label and style != "Echo" else {}
    inner = literal(quoted(text)) if style in _PRINTED else boxes(text)
    if isinstance(inner, Node) and inner.args and not _has_items(inner):
        inner = literal("")
    return Cell(call("BoxData", inner), style, **options)


def _has_items(row: Node) -> bool:
    first = row.args[0]
    return isinstance(first, Atom) or bool(first.args)
