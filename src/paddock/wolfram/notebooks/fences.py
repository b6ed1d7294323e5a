"""Code cells and fenced blocks of markdown: which language, which labels, which cells.

A fence may hold several cells, each beginning with its label: `In[1]:= 1 + 1`. What a label does
not tell is told by a word after the language: "wl Code".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call, has_head, quote_string
from paddock.wolfram.notebooks.box_syntax import replace_box_syntax
from paddock.wolfram.notebooks.boxing import code_to_boxes
from paddock.wolfram.notebooks.encoding import ascii_string
from paddock.wolfram.notebooks.linear import boxes_to_text
from paddock.wolfram.notebooks.model import Cell
from paddock.wolfram.notebooks.signs import to_plain_characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.notebooks.linear_forms import BoxTextForm

OUTPUT_STYLES = frozenset(("Output", "Print", "Echo", "Message", "MSG", "PrintTemporary", "EchoTiming"))
"""Styles of what evaluating gives."""
INPUT_STYLES = frozenset(("Input", "Code"))
"""Styles of code that can be evaluated."""
_PRINT_STYLES = OUTPUT_STYLES - {"Output"}
_VERBATIM_STYLES = frozenset(("Program", "ExternalLanguage", "CodeText", "PythonInput", "Verbatim"))
CODE_STYLES = OUTPUT_STYLES | INPUT_STYLES | _VERBATIM_STYLES | {"InitializationCell", "NumberedInput", "Picture"}

_WOLFRAM_LANGUAGE_WORDS = frozenset(("wl", "wolfram", "mathematica", "wolframlanguage", "wolfram-language", "wls"))
_EVALUATION_LANGUAGES = {
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
_FENCE_WORDS = {language: word for word, language in _EVALUATION_LANGUAGES.items()}
_LANGUAGE_SYNONYMS = {"py": "python", "js": "javascript", "bash": "shell", "sh": "shell", "jl": "julia"}
LANGUAGE_KEY = "Language"
"""Under which name a language that is written otherwise is kept in the tagging rules of a cell."""
_CELL_LABEL = re.compile(
    r"(In\[\d+\]:=|Out\[\d+\](?://\w+)?=|During evaluation of In\[\d+\]:=|>>)(?:[ ](.*))?$"
)
_MESSAGE_START = re.compile(r"[\w$`]+::\w+: ")
_CUT_NOTE = "\u2026 (cut off after {} characters)"


class CodeFence(NamedTuple):
    """A code cell as it stands in a fence."""

    info: str
    label: str
    text: str


def to_code_fence(cell: Cell, limit: int, picture: Callable[[Node], str]) -> CodeFence:
    """What becomes of a code cell; text that is longer than the limit is cut off."""
    text = truncate_text(_get_code_text(cell, limit, picture), limit)
    if cell.style in _VERBATIM_STYLES:
        return CodeFence(_get_language(cell), "", text)
    label = ">>" if cell.style.startswith("Echo") else cell.label.strip()
    if label and _CELL_LABEL.match(f"{label} x") is None:
        label = ""
    return CodeFence(_build_info(cell, label, text), label, text)


def truncate_text(text: str, limit: int) -> str:
    """A text of at most so many characters, which says so when it was longer."""
    return text if len(text) <= limit else text[:limit] + _CUT_NOTE.format(limit)


def _get_code_text(cell: Cell, limit: int, picture: Callable[[Node], str]) -> str:
    if isinstance(cell.content, str):
        return to_plain_characters(cell.content)
    form = _choose_form(cell)
    text = boxes_to_text(cell.content, form=form, limit=limit, picture=picture)
    if form == "text" and "\\!\\(" in text:
        return replace_box_syntax(text, lambda found: boxes_to_text(found, form="text"))
    return text


def _choose_form(cell: Cell) -> BoxTextForm:
    if cell.style in _PRINT_STYLES or cell.style in _VERBATIM_STYLES:
        return "text"
    if not isinstance(cell.content, str) and has_head(cell.content, "TextData"):
        return "text"
    return "output" if cell.style == "Output" else "input"


def _build_info(cell: Cell, label: str, text: str) -> str:
    style = cell.style if cell.style in INPUT_STYLES | OUTPUT_STYLES else "Input"
    if _get_style(label, "", text) == style:
        return "wl"
    return f"wl {style}"


def _get_language(cell: Cell) -> str:
    written = cell.tagging_rules.get(LANGUAGE_KEY)
    if isinstance(written, str):
        return written
    if cell.style == "Program":
        return ""
    language = cell.get_option_text("CellEvaluationLanguage") or "Python"
    return _FENCE_WORDS.get(language, language.lower())


def parse_fence_cells(info: str, text: str) -> list[Cell]:
    """The cells of a fenced block."""
    language, _, style = info.partition(" ")
    if language.lower() in _WOLFRAM_LANGUAGE_WORDS:
        return [_make_code_cell(label, part, style) for label, part in _split_labels(text)]
    word = _LANGUAGE_SYNONYMS.get(language.lower(), language.lower())
    options: dict[str, object] = {}
    if (info and _EVALUATION_LANGUAGES.get(word) is None) or info != word:
        options["TaggingRules"] = {LANGUAGE_KEY: info}
    if word in _EVALUATION_LANGUAGES:
        return [Cell(text, "ExternalLanguage", CellEvaluationLanguage=_EVALUATION_LANGUAGES[word], **options)]
    return [Cell(text, "Program", **(options if info else {}))]


def _split_labels(text: str) -> list[tuple[str, str]]:
    """Labels and what follows them; a label begins a block of lines."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    before = ""
    for line in text.split("\n"):
        found = _CELL_LABEL.match(line) if not before.strip() else None
        if found is not None:
            parts.append((found[1], [found[2]] if found[2] else []))
        else:
            parts[-1][1].append(line)
        before = line
    if len(parts) == 1:
        return [("", text)]
    made = [(label, "\n".join(lines).strip("\n")) for label, lines in parts]
    return made if made[0][1] else made[1:]


def _get_style(label: str, style: str, text: str) -> str:
    """The style that a label and a word after the language tell."""
    if label.startswith("Out"):
        return "Output"
    if label.startswith("During"):
        return "Message" if _MESSAGE_START.match(text) else "Print"
    if label == ">>":
        return "Echo"
    return style if style in INPUT_STYLES | OUTPUT_STYLES else "Input"


def _make_code_cell(label: str, text: str, word: str) -> Cell:
    style = _get_style(label, word, text)
    options: dict[str, object] = {"CellLabel": label} if label and style != "Echo" else {}
    inner = ascii_string(quote_string(text)) if style in _PRINT_STYLES else code_to_boxes(text)
    if isinstance(inner, Node) and inner.args and not _has_items(inner):
        inner = ascii_string("")
    return Cell(call("BoxData", inner), style, **options)


def _has_items(row: Node) -> bool:
    first = row.args[0]
    return isinstance(first, Atom) or bool(first.args)
