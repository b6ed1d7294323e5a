"""Markdown block parser for headings, paragraphs, fences, list items, tables, formulas and rules.

The parser scans the lines once. Quotations and lists are not containers: each block has a quotation
depth and an item level instead, because cells cannot express more.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BlockKind = Literal["heading", "text", "fence", "item", "table", "formula", "rule"]

_QUOTE_PREFIX = re.compile(r" {0,3}> ?")
_FENCE = re.compile(r"(\s*)(`{3,}(?=[^`]*$)|~{3,})\s*(.*?)\s*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:\*[ \t]*){3,}$| {0,3}(?:-[ \t]*){3,}$| {0,3}(?:_[ \t]*){3,}$")
_ITEM = re.compile(r"([ \t]*)([-*+]|(\d{1,9})[.)])(?:([ \t]+)(.*)|[ \t]*$)")
_TABLE_DELIMITER_ROW = re.compile(
    r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*+\|?[ \t]*$"
)
_PIPE = re.compile(r"(?<!\\)\|")
_ALIGNMENTS = {":-": "Left", "::": "Center", "-:": "Right", "--": ""}
"""Alignment of a table column, by the first and last characters of its delimiter."""
_TAB_COLUMNS = 4


class MarkdownBlock(NamedTuple):
    """A block of Markdown, such as a paragraph, a heading or a list item."""

    kind: BlockKind
    text: str = ""
    quote_depth: int = 0
    """The number of quotations that contain the block."""
    level: int = 0
    """The level of a heading or item, from 1. A paragraph within an item has the item's level."""
    number: int | None = None
    """The number of a numbered item, or 0 for a paragraph within one."""
    info: str = ""
    """The info string of a code fence, which begins with the language."""
    rows: Sequence[Sequence[str]] = ()
    """The cells of a table, with the header as the first row."""
    alignments: Sequence[str] = ()
    """The alignment of each column of a table."""


class _OpenItem(NamedTuple):
    """A list item that more lines can continue."""

    indent: int
    """The column of its marker."""
    content_column: int
    """The column of its text."""
    is_numbered: bool


class _BlockParserState:
    """The state of the block parser.

    It consists of the source lines, the blocks so far, and the open paragraph and list items.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line_index = 0
        """The index of the next line to parse."""
        self.blocks: list[MarkdownBlock] = []
        self.paragraph: list[str] = []
        """The lines of the open paragraph or list item."""
        self.pending_block: MarkdownBlock | None = None
        """The block that the lines in `paragraph` will form."""
        self.open_items: list[_OpenItem] = []
        """The open list items, each nested in the one before it."""
        self.quote_depth = 0

    def finish_paragraph(self) -> None:
        """End the open paragraph or list item, and append it to the blocks."""
        if self.pending_block is not None:
            text = "\n".join(self.paragraph).strip(" \t\n")
            # An empty list item is kept, but an empty paragraph is not.
            if text or self.pending_block.kind != "text":
                self.blocks.append(self.pending_block._replace(text=text))
        self.paragraph, self.pending_block = [], None

    def add_block(self, kind: BlockKind, text: str = "", **fields: Any) -> None:
        """Append a complete block and end all lists."""
        self.finish_paragraph()
        self.open_items.clear()
        self.blocks.append(MarkdownBlock(kind, text, self.quote_depth, **fields))

    def peek_line(self) -> str | None:
        """Return the next line if it is at the same quotation depth."""
        if self.line_index >= len(self.lines):
            return None
        depth, content = _split_quote(self.lines[self.line_index])
        return content if depth == self.quote_depth else None

    def iter_quoted_lines(self) -> Iterator[str]:
        """Consume and yield the remaining lines of the quotation, without its `>` markers.

        Additional `>` signs belong to the content, which is code or a formula.
        """
        while self.line_index < len(self.lines):
            depth, content = _split_quote(self.lines[self.line_index], self.quote_depth)
            if depth < self.quote_depth:
                return
            self.line_index += 1
            yield content


def _split_quote(line: str, max_depth: int = sys.maxsize) -> tuple[int, str]:
    """Return the quotation depth of a line, and the line without its `>` markers.

    The line `> > text` has the depth 2.

    Args:
        line: The line.
        max_depth: The maximum number of markers to remove. Any others are part of the text.
    """
    depth, position = 0, 0
    while depth < max_depth and (match := _QUOTE_PREFIX.match(line, position)) is not None:
        depth, position = depth + 1, match.end()
    return depth, line[position:]


def parse_blocks(text: str) -> list[MarkdownBlock]:
    """Return the blocks of a Markdown text, such as paragraphs and headings, in order.

    The text is parsed line by line. Each line is offered to the block parsers in a fixed order, and
    the first one that accepts the line can also consume the lines after it. A line that no parser
    accepts belongs to a paragraph.
    """
    state = _BlockParserState(text)
    while state.line_index < len(state.lines):
        depth, content = _split_quote(state.lines[state.line_index])
        state.line_index += 1
        # A block cannot continue at a different quotation depth.
        if depth != state.quote_depth:
            state.finish_paragraph()
            state.open_items.clear()
            state.quote_depth = depth
        if not content.strip():
            state.finish_paragraph()
        elif not any(parse_block(state, content) for parse_block in _BLOCK_PARSERS):
            _add_text_line(state, content)
    state.finish_paragraph()
    return state.blocks


def _measure_indent(line: str) -> int:
    """Return the width of a line's indentation in columns, with tab stops every four columns."""
    columns = 0
    for character in line:
        if character == "\t":
            columns += _TAB_COLUMNS - columns % _TAB_COLUMNS
        elif character == " ":
            columns += 1
        else:
            break
    return columns


def _parse_fence(state: _BlockParserState, opening_line: str) -> bool:
    """Parse a fenced code block, up to its closing fence or the end of the quotation.

    Returns False if the line is not an opening fence.
    """
    opening = _FENCE.match(opening_line)
    if opening is None:
        return False
    indent, ticks = len(opening[1]), opening[2]
    closing_pattern = re.compile(rf"\s*{re.escape(ticks[0])}{{{len(ticks)},}}\s*$")
    code_lines: list[str] = []
    for line in state.iter_quoted_lines():
        if closing_pattern.match(line):
            break
        # CommonMark, fenced code blocks: remove the indentation of the opening fence, if present.
        code_lines.append(line[min(indent, len(line) - len(line.lstrip())) :])
    info = opening[3].replace("`", "").strip()
    state.add_block("fence", "\n".join(code_lines), info=info)
    return True


def _parse_formula(state: _BlockParserState, first_line: str) -> bool:
    """Parse a formula in TeX between `$$` signs, on one or more lines.

    Returns False if the formula is incomplete. Its lines are then left to other parsers.
    """
    # Within a paragraph, `$$` starts an inline formula instead.
    if not first_line.strip().startswith("$$") or state.pending_block is not None:
        return False
    start_index = state.line_index
    content = first_line.strip()[2:]
    lines = state.iter_quoted_lines()
    # A blank line or the end of the quotation ends an incomplete formula.
    while "$$" not in content and (line := next(lines, "")).strip():
        content += f"\n{line.rstrip()}"
    tex, closing_mark, text_after = content.partition("$$")
    if not closing_mark or text_after.strip() or not tex.strip():
        state.line_index = start_index
        return False
    state.add_block("formula", tex.strip())
    return True


def _parse_heading(state: _BlockParserState, line: str) -> bool:
    """Parse a heading that starts with `#`."""
    match = _HEADING.match(line)
    if match is None:
        return False
    state.add_block("heading", (match[2] or "").strip(), level=len(match[1]))
    return True


def _parse_heading_underline(state: _BlockParserState, line: str) -> bool:
    """Parse a line of `=` or `-` signs that turns the paragraph above it into a heading.

    Returns False if the line is not such an underline, or has no paragraph above it.
    """
    match = _UNDERLINE.match(line)
    if match is None or state.pending_block is None or state.pending_block.kind != "text":
        return False
    # A paragraph within a list item cannot become a heading, because items have no headings.
    is_in_item = state.pending_block.level > 0
    if is_in_item:
        return False
    level = 1 if match[1][0] == "=" else 2
    text = " ".join(line_text.strip() for line_text in state.paragraph)
    state.pending_block = None
    state.add_block("heading", text.removesuffix("\\"), level=level)
    return True


def _parse_rule(state: _BlockParserState, line: str) -> bool:
    """Parse a thematic break such as `---`."""
    if _RULE.match(line) is None:
        return False
    state.add_block("rule")
    return True


def _parse_list_item(state: _BlockParserState, line: str) -> bool:
    """Parse the first line of a list item, and determine the item's level from its indentation.

    Returns False if the line does not begin an item.
    """
    match = _ITEM.match(line)
    if match is None:
        return False
    indent, number = _measure_indent(line), match[3]
    block = state.pending_block
    is_in_paragraph = block is not None and block.kind == "text" and not state.open_items
    # CommonMark, list items: only a nonempty item numbered 1 can interrupt a paragraph.
    if is_in_paragraph and (number not in (None, "1") or not match[5]):
        return False
    while state.open_items and indent < state.open_items[-1].indent:
        state.open_items.pop()
    if state.open_items and indent < state.open_items[-1].indent + 2:
        state.open_items.pop()
    space_columns = len(match[4].expandtabs(_TAB_COLUMNS)) if match[4] else 1
    content_column = indent + len(match[2]) + min(space_columns, _TAB_COLUMNS)
    state.open_items.append(_OpenItem(indent, content_column, number is not None))
    state.finish_paragraph()
    item_number = None if number is None else int(number)
    level = len(state.open_items)
    state.pending_block = MarkdownBlock("item", "", state.quote_depth, level, item_number)
    state.paragraph = [match[5] or ""]
    return True


def _parse_table(state: _BlockParserState, line: str) -> bool:
    """Parse a table: a header, a delimiter row such as `|---|:--:|`, and the rows below it.

    Returns False if the delimiter row is missing, or if its cell count differs from the header's.
    """
    delimiter_row = state.peek_line()
    if "|" not in line or delimiter_row is None or "|" not in delimiter_row + line:
        return False
    if state.pending_block is not None or _TABLE_DELIMITER_ROW.match(delimiter_row) is None:
        return False
    header, delimiters = split_table_row(line), split_table_row(delimiter_row)
    if len(header) != len(delimiters):
        return False
    state.line_index += 1
    rows = [header]
    while (row_line := state.peek_line()) is not None and "|" in row_line and row_line.strip():
        state.line_index += 1
        rows.append(split_table_row(row_line))
    # Markdown drops cells beyond the header. Widen the header instead to avoid losing text.
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    alignments = [_ALIGNMENTS[delimiter[:1] + delimiter[-1:]] for delimiter in delimiters]
    state.add_block("table", rows=rows, alignments=alignments)
    return True


def split_table_row(line: str) -> list[str]:
    r"""Return the cells of a Markdown table row: `a` and `b` for `| a | b |`.

    An escaped pipe (`\|`) is part of a cell.
    """
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    cells = _PIPE.split(line)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _add_text_line(state: _BlockParserState, line: str) -> None:
    """Add a line of text to the open paragraph or list item, or start a new paragraph.

    A new paragraph belongs to the list item whose text is indented no further than the line.
    """
    if state.pending_block is None:
        indent = _measure_indent(line)
        while state.open_items and indent < state.open_items[-1].indent + 2:
            state.open_items.pop()
        level = len(state.open_items)
        number = 0 if level and state.open_items[-1].is_numbered else None
        state.pending_block = MarkdownBlock("text", "", state.quote_depth, level, number)
    state.paragraph.append(line.lstrip(" \t"))


def _parse_indented_code(state: _BlockParserState, line: str) -> bool:
    """Parse a code block that is indented by four columns, relative to the text of a list item.

    Returns False if the line is not indented that far, or continues a paragraph.
    """
    min_columns = _TAB_COLUMNS + (state.open_items[-1].content_column if state.open_items else 0)
    if state.pending_block is not None or _measure_indent(line) < min_columns:
        return False
    code_lines = [line]
    while (next_line := state.peek_line()) is not None and (
        not next_line.strip() or _measure_indent(next_line) >= min_columns
    ):
        code_lines.append(next_line)
        state.line_index += 1
    text = "\n".join(_remove_indent(code_line, min_columns) for code_line in code_lines).rstrip()
    state.blocks.append(MarkdownBlock("fence", text, state.quote_depth))
    return True


def _remove_indent(line: str, columns: int) -> str:
    """Return the line without its first `columns` columns of whitespace."""
    content = line.lstrip(" \t")
    return " " * (_measure_indent(line) - columns) + content


_BLOCK_PARSERS = (
    _parse_fence,
    _parse_formula,
    _parse_heading,
    _parse_heading_underline,
    _parse_rule,
    _parse_list_item,
    _parse_table,
    _parse_indented_code,
)
