"""Code cells and fenced blocks of markdown: which language, which labels, which cells.

A fence may hold several cells, each beginning with its label: `In[1]:= 1 + 1`. What a label does
not tell is told by a word after the language: "wl Code".

Runs as markdown: what is inside a paragraph, so that it reads back as the same.

Tables: grids in cells, and rows of markdown.
"""

from __future__ import annotations

import re
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_symbol, quote_string, symbol
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.box_forms import unwrap_box
from paddock.wolfram.notebooks.box_text import boxes_to_text, replace_box_syntax
from paddock.wolfram.notebooks.character_encoding import ascii_string, to_plain_characters
from paddock.wolfram.notebooks.inline_parser import AUTOLINK_PATTERN, parse_inline
from paddock.wolfram.notebooks.model import (
    PLAIN_STYLE,
    Cell,
    TextRun,
    TextStyle,
    make_list,
    make_rule,
    merge_runs,
    to_expression,
)
from paddock.wolfram.notebooks.text_data import runs_to_content, to_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.box_forms import BoxTextForm


OUTPUT_STYLES = frozenset(
    ("Output", "Print", "Echo", "Message", "MSG", "PrintTemporary", "EchoTiming")
)
"""Styles of what evaluating gives."""
INPUT_STYLES = frozenset(("Input", "Code"))
"""Styles of code that can be evaluated."""
_PRINT_STYLES = OUTPUT_STYLES - {"Output"}
_VERBATIM_STYLES = frozenset(("Program", "ExternalLanguage", "CodeText", "PythonInput", "Verbatim"))
CODE_STYLES = (
    OUTPUT_STYLES
    | INPUT_STYLES
    | _VERBATIM_STYLES
    | {"InitializationCell", "NumberedInput", "Picture"}
)

_WOLFRAM_LANGUAGE_WORDS = frozenset(
    ("wl", "wolfram", "mathematica", "wolframlanguage", "wolfram-language", "wls")
)
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
_LANGUAGE_SYNONYMS = {
    "py": "python",
    "js": "javascript",
    "bash": "shell",
    "sh": "shell",
    "jl": "julia",
}
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
        return [
            Cell(
                text,
                "ExternalLanguage",
                CellEvaluationLanguage=_EVALUATION_LANGUAGES[word],
                **options,
            )
        ]
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


_SPECIAL_CHARACTER = re.compile(
    r"[\\`$*_#|]|~(?=~)|(?<=~)~|\](?=\()|<(?=(?:https?|ftp|mailto|paclet):)"
)
_LINE_START = re.compile(
    r"^(?:([-+](?=\s|$)|-(?=-)|>|=(?=[=\s]*$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)
_EMPTY_RUN = TextRun("")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_SURROUNDING_BLANKS = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_STYLE_MARKS = (("is_struck", "~~"), ("is_bold", "**"), ("is_italic", "*"))
_SAFE_TARGET = re.compile(r"[^\s()<>]+")


def format_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    """The markdown of runs."""
    runs = merge_runs(_normalize_blanks(runs))
    is_plain = len(runs) < 2 and all(run.style == PLAIN_STYLE for run in runs)
    if not is_plain and _list_letters(parse_inline(_write_runs(runs))) != _list_letters(runs):
        # Some looks side by side have no form in markdown; the words count more.
        runs = merge_runs(_strip_emphasis(runs))
    text = _LINE_START.sub(_escape_line_start, _write_runs(runs, in_table=in_table).strip())
    return text.replace("\n", " " if in_table else "\\\n")


def escape_markdown(text: str) -> str:
    """Text in which nothing means anything to markdown."""
    return _SPECIAL_CHARACTER.sub(lambda found: "\\" + found[0], text)


def _escape_line_start(found: re.Match[str]) -> str:
    """A beginning of a line that would mean a list or a quotation."""
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _normalize_blanks(runs: list[TextRun]) -> list[TextRun]:
    """Blanks between looks have what both sides have in common, since no sign may stand there."""
    pieces: list[TextRun] = []
    for run in runs:
        edges = _SURROUNDING_BLANKS.fullmatch(run.text)
        if run.kind != "text" or edges is None:
            pieces.append(run)
        else:
            pieces += [run._replace(text=part) for part in edges.groups() if part]
    last = len(pieces) - 1
    for place, piece in enumerate(pieces):
        if piece.style != PLAIN_STYLE and piece.text.isspace():
            before = pieces[place - 1].style if place else PLAIN_STYLE
            after = pieces[place + 1].style if place < last else PLAIN_STYLE
            pieces[place] = piece._replace(style=_intersect_styles(before, after))
    return pieces


def _intersect_styles(one: TextStyle, other: TextStyle) -> TextStyle:
    return TextStyle(
        one.is_bold and other.is_bold,
        one.is_italic and other.is_italic,
        one.is_struck and other.is_struck,
        one.link if one.link == other.link else "",
    )


def _strip_emphasis(runs: list[TextRun]) -> list[TextRun]:
    return [run._replace(style=TextStyle(link=run.style.link)) for run in runs]


def _list_letters(runs: list[TextRun]) -> list[tuple[str, str, TextStyle]]:
    """What must read back: each character that is no blank, with its look."""
    return [
        (letter, run.kind, run.style) for run in runs for letter in run.text if not letter.isspace()
    ]


def _write_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    pieces: list[str] = []
    runs = [
        run._replace(text=f"${run.text}$") if _is_before_digit(run, after) else run
        for run, after in zip_longest(runs, runs[1:], fillvalue=_EMPTY_RUN)
    ]
    for link, group in groupby(runs, key=lambda run: run.style.link):
        inner = _write_emphasis(list(group), in_table=in_table)
        if link and pieces and pieces[-1].endswith("!"):
            # Together with the link it would be a picture.
            pieces[-1] = pieces[-1][:-1] + "\\!"
        pieces.append(_format_link(inner, link) if link else inner)
    return "".join(pieces)


def _is_before_digit(run: TextRun, after: TextRun) -> bool:
    """Whether one `$` would not end a formula: before a digit it is the sign of a currency."""
    return run.kind == "formula" and after.kind == "text" and after.text[:1].isdigit()


def _write_emphasis(runs: list[TextRun], *, in_table: bool) -> str:
    pieces: list[str] = []
    now: list[str] = []
    for run in runs:
        wanted = [mark for name, mark in _STYLE_MARKS if getattr(run.style, name)]
        pieces += _close_marks(now, wanted)
        begun = [mark for mark in wanted if mark not in now]
        now += begun
        pieces += [*begun, _format_content(run, in_table=in_table)]
    return "".join([*pieces, *_close_marks(now, [])])


def _close_marks(now: list[str], wanted: list[str]) -> list[str]:
    """Close what is not wanted any more, and what stands inside of it."""
    at = next((place for place, mark in enumerate(now) if mark not in wanted), len(now))
    closed = now[at:][::-1]
    del now[at:]
    return closed


def _format_link(text: str, target: str) -> str:
    if text == escape_markdown(target) and AUTOLINK_PATTERN.fullmatch(f"<{target}>"):
        return f"<{target}>"
    safe = target if _SAFE_TARGET.fullmatch(target) else f"<{target}>"
    return f"[{text}]({safe})"


def _format_content(run: TextRun, *, in_table: bool) -> str:
    if run.kind == "text":
        text = escape_markdown(run.text)
        return _BRACKET.sub(r"\\\g<0>", text) if run.style.link else text
    text = {"code": format_code_span, "formula": "${}$".format}.get(run.kind, str)(run.text)
    return text.replace("|", "\\|") if in_table else text


def format_code_span(text: str) -> str:
    """Code between back ticks: two, or more than it has in a row."""
    longest = max((len(row) for row in re.findall("`+", text)), default=0)
    ticks = "`" * (2 if longest != 2 else 3)
    while ticks in text:
        ticks += "`"
    text = text.replace("\n", " ")
    if not text.strip():
        return f"{ticks}{text}{ticks}"
    edge = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


_ALIGNMENT_SIGNS = {"Left": ":---", "Center": ":---:", "Right": "---:", "": "---"}


def make_table_cell(rows: Sequence[Sequence[str]], aligned: Sequence[str]) -> Cell:
    """A cell with a grid; its first row has a line below."""
    lists = [make_list(_make_entry(text) for text in row) for row in rows]
    columns = [symbol(side or "Automatic") for side in aligned]
    header: list[Expression] = [symbol("False"), symbol("True"), make_list([symbol("False")])]
    grid = call(
        "GridBox",
        make_list(lists),
        make_rule(
            symbol("GridBoxAlignment"),
            make_list([make_rule(to_expression("Columns"), make_list(columns))]),
        ),
        make_rule(
            symbol("GridBoxDividers"),
            make_list([make_rule(to_expression("Rows"), make_list(header))]),
        ),
    )
    return Cell(call("BoxData", grid), "Text")


def _make_entry(text: str) -> Expression:
    return call("Cell", to_expression(runs_to_content(parse_inline(text))))


def find_grid(content: Expression) -> Node | None:
    """The grid that a cell consists of, if it does."""
    inner = unwrap_box(content)
    return inner if isinstance(inner, Node) and has_head(inner, "GridBox") and inner.args else None


def format_table(grid: Node, picture: Callable[[Node], str]) -> str:
    """The rows of a grid in markdown, the first one as the header."""
    lists = grid.args[0].args if isinstance(grid.args[0], Node) else []
    rows = [
        [format_runs(to_runs(entry, picture), in_table=True) for entry in row.args]
        for row in lists
        if isinstance(row, Node)
    ]
    if not rows:
        return ""
    width = max(map(len, rows))
    aligned = [_ALIGNMENT_SIGNS.get(side, "---") for side in _read_alignments(grid)]
    signs = (aligned + ["---"] * width)[:width]
    lines = [row + [""] * (width - len(row)) for row in [rows[0], signs, *rows[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read_alignments(grid: Node) -> list[str]:
    for option in grid.args[1:]:
        if isinstance(option, Node) and is_symbol(option.args[0], "GridBoxAlignment"):
            for one in getattr(option.args[1], "args", []):
                if isinstance(one, Node) and len(one.args) == 2 and _is_columns(one.args[0]):
                    return [
                        side.text if isinstance(side, Atom) else ""
                        for side in getattr(one.args[1], "args", [])
                    ]
    return []


def _is_columns(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.text == '"Columns"'
