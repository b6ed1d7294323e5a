"""Converts single cells to and from Markdown: code fences, inline text and tables.

A fence may contain multiple code cells, each starting with its label: `In[1]:= 1 + 1`. A style that
the label does not imply comes after the language: "wl Code".
"""

from __future__ import annotations

import re
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call, has_head, quote_string, symbol
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.box_text import boxes_to_text, replace_box_syntax, unwrap_box
from paddock.wolfram.notebooks.character_encoding import ascii_string, to_plain_characters
from paddock.wolfram.notebooks.inline_parser import AUTOLINK_PATTERN, parse_inline
from paddock.wolfram.notebooks.model import (
    PLAIN_STYLE,
    Cell,
    TextRun,
    TextStyle,
    make_list,
    make_option,
    make_rule,
    merge_runs,
    read_options,
    to_expression,
)
from paddock.wolfram.notebooks.text_data import runs_to_content, to_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.box_text import BoxTextForm
    from paddock.wolfram.notebooks.model import Emphasis


OUTPUT_STYLES = frozenset(
    ("Output", "Print", "Echo", "Message", "MSG", "PrintTemporary", "EchoTiming")
)
"""Cell styles of evaluation results."""
INPUT_STYLES = frozenset(("Input", "Code"))
"""Cell styles of code to evaluate."""
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
    **{name.lower(): name for name in ("Python", "Julia", "R", "Ruby", "SQL", "Shell", "Octave")},
    "javascript": "NodeJS",
    "java": "Java",
    "perl": "Perl",
}
"""Languages that notebooks can evaluate, by the names used in fences."""
_FENCE_WORDS = {language: word for word, language in _EVALUATION_LANGUAGES.items()}
_LANGUAGE_SYNONYMS = {
    "py": "python",
    "js": "javascript",
    "bash": "shell",
    "sh": "shell",
    "jl": "julia",
}
LANGUAGE_KEY = "Language"
"""Tagging rule for the info string of a fence, if it differs from the usual name."""
_CELL_LABEL = re.compile(
    r"(In\[\d+\]:=|Out\[\d+\](?://\w+)?=|During evaluation of In\[\d+\]:=|>>)(?:[ ](.*))?$"
)
_MESSAGE_START = re.compile(r"[\w$`]+::\w+: ")
_CUT_NOTE = "\u2026 (cut off after {} characters)"
_SPECIAL_CHARACTER = re.compile(
    r"[\\`$*_#|]|~(?=~)|(?<=~)~|\](?=\()|<(?=(?:https?|ftp|mailto|paclet):)"
)
_LINE_START = re.compile(
    r"^(?:([-+](?=\s|$)|-(?=-)|>|=(?=[=\s]*$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)
_EMPTY_RUN = TextRun("")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_SURROUNDING_BLANKS = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_EMPHASIS_MARKS: dict[Emphasis, str] = {"struck": "~~", "bold": "**", "italic": "*"}
"""Markdown marks of emphasis, in nesting order."""
_SAFE_TARGET = re.compile(r"[^\s()<>]+")
_ALIGNMENT_SIGNS = {"Left": ":---", "Center": ":---:", "Right": "---:", "": "---"}


class CodeFence(NamedTuple):
    """The info string, label and text of a fenced code cell."""

    info: str
    label: str
    text: str


def to_code_fence(cell: Cell, limit: int, make_placeholder: Callable[[Node], str]) -> CodeFence:
    """Convert a code cell of a notebook to a fenced code block of Markdown.

    Args:
        cell: The cell, which contains output, or code in any language.
        limit: The maximum number of characters. Text beyond it is cut off.
        make_placeholder: A function that returns the Markdown placeholder of a graphics box.
    """
    text = truncate_text(_get_code_text(cell, limit, make_placeholder), limit)
    if cell.style in _VERBATIM_STYLES:
        return CodeFence(_get_language(cell), "", text)
    label = ">>" if cell.style.startswith("Echo") else cell.label.strip()
    # A label in any other form is dropped, because it would be read back as code.
    if label and _CELL_LABEL.match(f"{label} x") is None:
        label = ""
    return CodeFence(_build_info_string(cell, label, text), label, text)


def truncate_text(text: str, limit: int) -> str:
    """Return the text, truncated with a note if it exceeds the limit."""
    return text if len(text) <= limit else text[:limit] + _CUT_NOTE.format(limit)


def _get_code_text(cell: Cell, limit: int, make_placeholder: Callable[[Node], str]) -> str:
    """Return the text of a code cell for a code block, with placeholders for graphics."""
    if isinstance(cell.content, str):
        return to_plain_characters(cell.content)
    form = _choose_form(cell)
    text = boxes_to_text(cell.content, form=form, limit=limit, picture=make_placeholder)
    # Messages quote expressions in linear box syntax, such as `\(x\^2\)`, which is hard to read.
    return replace_box_syntax(text) if form == "text" else text


def _choose_form(cell: Cell) -> BoxTextForm:
    """Return the text form for the boxes of a code cell, which depends on its style."""
    if cell.style in _PRINT_STYLES or cell.style in _VERBATIM_STYLES:
        return "text"
    if not isinstance(cell.content, str) and has_head(cell.content, "TextData"):
        return "text"
    return "output" if cell.style == "Output" else "input"


def _build_info_string(cell: Cell, label: str, text: str) -> str:
    """Return the info string of a code block with Wolfram Language code: `wl` or `wl Code`.

    The cell style comes after the language unless it can be inferred from the label and text.
    """
    style = cell.style if cell.style in INPUT_STYLES | OUTPUT_STYLES else "Input"
    inferred_style = _infer_style(label, "", text)
    return "wl" if inferred_style == style else f"wl {style}"


def _get_language(cell: Cell) -> str:
    """Return the info string for a cell in a language other than Wolfram Language: `python`.

    The info string is empty if the program's language is unknown.
    """
    language_tag = cell.tagging_rules.get(LANGUAGE_KEY)
    if isinstance(language_tag, str):
        return language_tag
    if cell.style == "Program":
        return ""
    language = cell.get_option_text("CellEvaluationLanguage") or "Python"
    return _FENCE_WORDS.get(language, language.lower())


def parse_fence_cells(info: str, text: str) -> list[Cell]:
    """Convert a fenced code block of Markdown to the cells of a notebook.

    A block of Wolfram Language code can contain multiple cells, each starting with a label such as
    `In[1]:=`.

    Args:
        info: The info string of the block, such as `wl` or `python`.
        text: The text of the block.
    """
    language, _, style = info.partition(" ")
    if language.lower() in _WOLFRAM_LANGUAGE_WORDS:
        return [_make_code_cell(label, part, style) for label, part in _split_labels(text)]
    word = _LANGUAGE_SYNONYMS.get(language.lower(), language.lower())
    evaluation_language = _EVALUATION_LANGUAGES.get(word)
    options: dict[str, object] = {}
    # The usual word for a language can be inferred from the cell, but others must be stored.
    if info and (evaluation_language is None or info != word):
        options["TaggingRules"] = {LANGUAGE_KEY: info}
    if evaluation_language is None:
        return [Cell(text, "Program", **options)]
    return [Cell(text, "ExternalLanguage", CellEvaluationLanguage=evaluation_language, **options)]


class _LabeledCode(NamedTuple):
    """The code of one cell in a fence, and its label, such as `In[1]:=`."""

    label: str
    lines: list[str]


def _split_labels(text: str) -> list[tuple[str, str]]:
    """Split the text of a code block into pairs of a label and the code after it.

    For example, `In[1]:= x` becomes `("In[1]:=", "x")`. A label is recognized only at the start or
    after a blank line, because code may contain text that looks like a label. Text before the first
    label has an empty label.
    """
    cells = [_LabeledCode("", [])]
    previous_line = ""
    for line in text.split("\n"):
        match = _CELL_LABEL.match(line) if not previous_line.strip() else None
        if match is not None:
            cells.append(_LabeledCode(match[1], [match[2]] if match[2] else []))
        else:
            cells[-1].lines.append(line)
        previous_line = line
    if len(cells) == 1:
        return [("", text)]
    labeled_code = [(cell.label, "\n".join(cell.lines).strip("\n")) for cell in cells]
    return labeled_code if labeled_code[0][1] else labeled_code[1:]


def _infer_style(label: str, style: str, text: str) -> str:
    """Return the style of a code cell, such as `Input` or `Output`.

    Args:
        label: The label of the cell, such as `Out[1]=`, or an empty string.
        style: The word after the language in the info string, used if the label does not determine
            the style.
        text: The text of the cell, which distinguishes messages from printed text.
    """
    if label.startswith("Out"):
        return "Output"
    if label.startswith("During"):
        return "Message" if _MESSAGE_START.match(text) else "Print"
    if label == ">>":
        return "Echo"
    return style if style in INPUT_STYLES | OUTPUT_STYLES else "Input"


def _make_code_cell(label: str, text: str, word: str) -> Cell:
    """Return the notebook cell for Wolfram Language code or output in a code block.

    Args:
        label: The label of the cell, such as `In[1]:=`, or an empty string.
        text: The code or output.
        word: The word after the language in the info string, which can be a cell style.
    """
    style = _infer_style(label, word, text)
    options: dict[str, object] = {"CellLabel": label} if label and style != "Echo" else {}
    if style in _PRINT_STYLES:
        boxes: Expression = ascii_string(quote_string(text))
    else:
        boxes = code_to_boxes(text) if text else ascii_string("")
    return Cell(call("BoxData", boxes), style, **options)


def format_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    """Return the Markdown for text runs, each of which is a piece of text in one style.

    The parser reads the Markdown back as the same text. If Markdown cannot express the combination
    of styles, the emphasis is omitted.

    Args:
        runs: The text runs of a paragraph or a table cell.
        in_table: True for a table cell, which is a single line where `|` must be escaped.
    """
    runs = merge_runs(_detach_edge_whitespace(runs))
    is_plain = len(runs) < 2 and all(run.style == PLAIN_STYLE for run in runs)
    if not is_plain:
        # The result is verified by parsing it, because the rules for emphasis are intricate.
        parsed_runs = parse_inline(_write_runs(runs))
        if _list_letters(parsed_runs) != _list_letters(runs):
            runs = merge_runs(_strip_emphasis(runs))
    # Line starts are escaped last, because they are only known in the complete text.
    text = _LINE_START.sub(_escape_line_start, _write_runs(runs, in_table=in_table).strip())
    return text.replace("\n", " " if in_table else "\\\n")


def escape_markdown(text: str) -> str:
    """Return the text with Markdown syntax escaped."""
    return _SPECIAL_CHARACTER.sub(lambda match: "\\" + match[0], text)


def _escape_line_start(match: re.Match[str]) -> str:
    """Escape a line start that would begin a list or quotation."""
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _detach_edge_whitespace(runs: list[TextRun]) -> list[TextRun]:
    """Split off whitespace at the edges of text runs so that emphasis marks do not touch it.

    In Markdown, `**bold **` is not emphasis, so it is written as `**bold** `. The whitespace only
    keeps the styles shared by the text on both sides.
    """
    pieces: list[TextRun] = []
    for run in runs:
        edges = _SURROUNDING_BLANKS.fullmatch(run.text)
        if run.kind != "text" or edges is None:
            pieces.append(run)
        else:
            pieces += [run._replace(text=part) for part in edges.groups() if part]
    last_index = len(pieces) - 1
    for index, piece in enumerate(pieces):
        if piece.style != PLAIN_STYLE and piece.text.isspace():
            before = pieces[index - 1].style if index else PLAIN_STYLE
            after = pieces[index + 1].style if index < last_index else PLAIN_STYLE
            pieces[index] = piece._replace(style=_intersect_styles(before, after))
    return pieces


def _intersect_styles(first: TextStyle, second: TextStyle) -> TextStyle:
    link = first.link if first.link == second.link else ""
    return TextStyle(first.emphasis & second.emphasis, link)


def _strip_emphasis(runs: list[TextRun]) -> list[TextRun]:
    return [run._replace(style=TextStyle(link=run.style.link)) for run in runs]


def _list_letters(runs: list[TextRun]) -> list[tuple[str, str, TextStyle]]:
    """Return the non-space characters and their styles, which must be read back unchanged."""
    return [
        (letter, run.kind, run.style) for run in runs for letter in run.text if not letter.isspace()
    ]


def _write_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    """Return text runs as Markdown, with consecutive runs of the same target in one link.

    Characters at line starts, such as the `-` of a list, are not escaped yet, because line starts
    are only known in the complete text.
    """
    pieces: list[str] = []
    runs = [
        # `$$…$$` is unambiguous where a single `$` is not.
        run._replace(text=f"${run.text}$") if _is_before_digit(run, next_run) else run
        for run, next_run in zip_longest(runs, runs[1:], fillvalue=_EMPTY_RUN)
    ]
    for link, group in groupby(runs, key=lambda run: run.style.link):
        markdown = _write_emphasis(list(group), in_table=in_table)
        if link and pieces and pieces[-1].endswith("!"):
            # After `!`, the link would become an image.
            pieces[-1] = pieces[-1][:-1] + "\\!"
        pieces.append(_format_link(markdown, link) if link else markdown)
    return "".join(pieces)


def _is_before_digit(run: TextRun, next_run: TextRun) -> bool:
    """Return whether a formula is followed by a digit.

    A `$` before a digit is a currency sign and would not close the formula.
    """
    return run.kind == "formula" and next_run.kind == "text" and next_run.text[:1].isdigit()


def _write_emphasis(runs: list[TextRun], *, in_table: bool) -> str:
    """Return text runs as Markdown with emphasis marks, such as `**bold *both***`.

    Marks are opened and closed where the style changes between runs.
    """
    pieces: list[str] = []
    open_marks: list[str] = []
    for run in runs:
        run_marks = [
            mark for emphasis, mark in _EMPHASIS_MARKS.items() if emphasis in run.style.emphasis
        ]
        pieces += _close_marks(open_marks, run_marks)
        new_marks = [mark for mark in run_marks if mark not in open_marks]
        open_marks += new_marks
        pieces += [*new_marks, _format_content(run, in_table=in_table)]
    return "".join([*pieces, *_close_marks(open_marks, [])])


def _close_marks(open_marks: list[str], run_marks: list[str]) -> list[str]:
    """Close the emphasis marks that the next text run lacks, and all marks nested in them.

    Args:
        open_marks: The open marks such as `**`, outermost first. Closed ones are removed.
        run_marks: The marks of the next run.

    Returns:
        The closing marks to write, innermost first.
    """
    keep_count = next(
        (index for index, mark in enumerate(open_marks) if mark not in run_marks), len(open_marks)
    )
    closing_marks = open_marks[keep_count:][::-1]
    del open_marks[keep_count:]
    return closing_marks


def _format_link(text: str, target: str) -> str:
    """Return a link, or the URL in angle brackets if it is also the text."""
    if text == escape_markdown(target) and AUTOLINK_PATTERN.fullmatch(f"<{target}>"):
        return f"<{target}>"
    destination = target if _SAFE_TARGET.fullmatch(target) else f"<{target}>"
    return f"[{text}]({destination})"


def _format_content(run: TextRun, *, in_table: bool) -> str:
    if run.kind == "text":
        text = escape_markdown(run.text)
        # An unescaped bracket would end the link text.
        return _BRACKET.sub(r"\\\g<0>", text) if run.style.link else text
    text = {"code": format_code_span, "formula": "${}$".format}.get(run.kind, str)(run.text)
    return text.replace("|", "\\|") if in_table else text


def format_code_span(text: str) -> str:
    """Return text as a Markdown code span, such as ``` ``x`y`` ```.

    The span is delimited by two or more backticks, more than its content has in a row.
    """
    longest_row = max((len(row) for row in re.findall("`+", text)), default=0)
    delimiter = "`" * (2 if longest_row != 2 else 3)
    while delimiter in text:
        delimiter += "`"
    text = text.replace("\n", " ")
    # CommonMark strips one space at each end unless the code only consists of spaces.
    if not text.strip():
        return f"{delimiter}{text}{delimiter}"
    padding = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{delimiter}{padding}{text}{padding}{delimiter}"


def make_table_cell(rows: Sequence[Sequence[str]], alignments: Sequence[str]) -> Cell:
    """Convert a Markdown table to a notebook cell that contains a grid.

    A line below the first row marks it as the header.

    Args:
        rows: The Markdown text of the cells, row by row.
        alignments: The alignment of each column: `Left`, `Center`, `Right` or an empty string.
    """
    column_alignments = make_list(symbol(side or "Automatic") for side in alignments)
    # Only the first row has a line below it, and no line is above it.
    row_dividers = make_list([symbol("False"), symbol("True"), make_list([symbol("False")])])
    grid = call(
        "GridBox",
        make_list(make_list(_make_entry(text) for text in row) for row in rows),
        make_option("GridBoxAlignment", [make_rule(ascii_string("Columns"), column_alignments)]),
        make_option("GridBoxDividers", [make_rule(ascii_string("Rows"), row_dividers)]),
    )
    return Cell(call("BoxData", grid), "Text")


def _make_entry(text: str) -> Expression:
    return call("Cell", to_expression(runs_to_content(parse_inline(text))))


def find_grid(content: Expression) -> Node | None:
    """Return the grid if the content consists of a single grid."""
    inner = unwrap_box(content)
    return inner if has_head(inner, "GridBox") and inner.args else None


def format_table(grid: Node, make_placeholder: Callable[[Node], str]) -> str:
    """Convert a `GridBox` of a notebook to a Markdown table.

    The first row becomes the header, because Markdown requires one. Shorter rows are padded with
    empty cells.
    """
    row_expressions = grid.args[0].args if isinstance(grid.args[0], Node) else []
    rows = [
        [format_runs(to_runs(entry, make_placeholder), in_table=True) for entry in row.args]
        for row in row_expressions
        if isinstance(row, Node)
    ]
    if not rows:
        return ""
    width = max(map(len, rows))
    alignments = [_ALIGNMENT_SIGNS.get(side, "---") for side in _read_alignments(grid)]
    delimiters = (alignments + ["---"] * width)[:width]
    lines = [row + [""] * (width - len(row)) for row in [rows[0], delimiters, *rows[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read_alignments(grid: Node) -> list[str]:
    """Return the alignments of a grid's columns, such as `["Left", "Right"]`.

    The list is empty if the grid does not specify alignments.
    """
    # `GridBoxAlignment -> {"Columns" -> {Left, Right}}`
    alignment = read_options(grid.args[1:]).get("GridBoxAlignment")
    columns = read_options(alignment.args).get("Columns") if isinstance(alignment, Node) else None
    if not isinstance(columns, Node):
        return []
    return [side.text if isinstance(side, Atom) else "" for side in columns.args]
