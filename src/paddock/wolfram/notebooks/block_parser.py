"""The blocks of a markdown text: headings, paragraphs, fences, items, tables, formulas, rules.

One pass over the lines. Quotations and lists are no containers here: each block knows how deep in
them it stands, which is all that cells can say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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
_TAB_COLUMNS = 4


class MarkdownBlock(NamedTuple):
    """One block, with how deep it stands in quotations."""

    kind: BlockKind
    text: str = ""
    quote: int = 0
    level: int = 0
    """Of a heading from 1; of an item from 1; of a paragraph within an item its level."""
    number: int | None = None
    """Of an item with a number; of a paragraph within one, 0."""
    info: str = ""
    """What follows the beginning of a fence."""
    rows: Sequence[Sequence[str]] = ()
    alignments: Sequence[str] = ()


class _OpenItem(NamedTuple):
    """An open item: where its sign and its text begin, and whether it has a number."""

    indent: int
    content: int
    is_numbered: bool


class _BlockParserState:
    """The lines of a text, what has been made of them, and the paragraph that is not complete."""

    def __init__(self, text: str) -> None:
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line_index = 0
        self.blocks: list[MarkdownBlock] = []
        self.paragraph: list[str] = []
        self.pending_block: MarkdownBlock | None = None
        """The block that the lines of the paragraph belong to."""
        self.items: list[_OpenItem] = []
        self.quote = 0

    def split_quote(self, line: str) -> tuple[int, str]:
        """How deep in quotations a line stands, and the rest of it."""
        depth, at = 0, 0
        while (found := _QUOTE_PREFIX.match(line, at)) is not None:
            depth, at = depth + 1, found.end()
        return depth, line[at:]

    def finish_paragraph(self) -> None:
        """Complete the paragraph."""
        if self.pending_block is not None:
            text = "\n".join(self.paragraph).strip(" \t\n")
            if text or self.pending_block.kind != "text":
                self.blocks.append(self.pending_block._replace(text=text))
        self.paragraph, self.pending_block = [], None

    def add_block(self, block: MarkdownBlock) -> None:
        """A block that is complete."""
        self.finish_paragraph()
        self.blocks.append(block)

    def peek_line(self) -> str | None:
        """The next line in the same quotation."""
        if self.line_index >= len(self.lines):
            return None
        depth, rest = self.split_quote(self.lines[self.line_index])
        return rest if depth == self.quote else None


def parse_blocks(text: str) -> list[MarkdownBlock]:
    """The blocks of a text, in order."""
    lines = _BlockParserState(text)
    while lines.line_index < len(lines.lines):
        depth, rest = lines.split_quote(lines.lines[lines.line_index])
        lines.line_index += 1
        if depth != lines.quote:
            lines.finish_paragraph()
            lines.items.clear()
            lines.quote = depth
        if not rest.strip():
            lines.finish_paragraph()
        elif not any(take(lines, rest) for take in _BLOCK_PARSERS):
            _parse_text(lines, rest)
    lines.finish_paragraph()
    return lines.blocks


def _measure_indent(line: str) -> int:
    """How far a line is indented, in columns."""
    columns = 0
    for sign in line:
        if sign == "\t":
            columns += _TAB_COLUMNS - columns % _TAB_COLUMNS
        elif sign == " ":
            columns += 1
        else:
            break
    return columns


def _parse_fence(lines: _BlockParserState, line: str) -> bool:
    begin = _FENCE.match(line)
    if begin is None:
        return False
    indent, sign = len(begin[1]), begin[2]
    end = re.compile(rf"\s*{re.escape(sign[0])}{{{len(sign)},}}\s*$")
    inner: list[str] = []
    while lines.line_index < len(lines.lines):
        raw = _strip_quote(lines.lines[lines.line_index], lines.quote)
        if raw is None:
            break
        lines.line_index += 1
        if end.match(raw):
            break
        inner.append(raw[min(indent, len(raw) - len(raw.lstrip())) :])
    lines.add_block(
        MarkdownBlock(
            "fence", "\n".join(inner), lines.quote, info=begin[3].replace("`", "").strip()
        )
    )
    lines.items.clear()
    return True


def _strip_quote(line: str, depth: int) -> str | None:
    """A line without so many signs of quotation; None when it has fewer."""
    at = 0
    for _ in range(depth):
        found = _QUOTE_PREFIX.match(line, at)
        if found is None:
            return None
        at = found.end()
    return line[at:]


def _parse_formula(lines: _BlockParserState, line: str) -> bool:
    """`$$ … $$`, on one line or several."""
    begin = line.strip()
    if not begin.startswith("$$") or lines.pending_block is not None:
        return False
    inner, at = begin[2:], lines.line_index
    while "$$" not in inner:
        if at >= len(lines.lines):
            return False
        raw = _strip_quote(lines.lines[at], lines.quote)
        if raw is None or not raw.strip():
            return False
        inner += f"\n{raw.rstrip()}"
        at += 1
    tex, _, rest = inner.partition("$$")
    if rest.strip() or not tex.strip():
        return False
    lines.line_index = at
    lines.add_block(MarkdownBlock("formula", tex.strip(), lines.quote))
    lines.items.clear()
    return True


def _parse_heading(lines: _BlockParserState, line: str) -> bool:
    found = _HEADING.match(line)
    if found is None:
        return False
    lines.add_block(MarkdownBlock("heading", (found[2] or "").strip(), lines.quote, len(found[1])))
    lines.items.clear()
    return True


def _parse_underline(lines: _BlockParserState, line: str) -> bool:
    """A line of `=` or `-` makes a heading of the paragraph above it."""
    found = _UNDERLINE.match(line)
    if found is None or lines.pending_block is None or lines.pending_block.kind != "text":
        return False
    if lines.pending_block.level:
        return False
    level = 1 if found[1][0] == "=" else 2
    text = " ".join(part.strip() for part in lines.paragraph)
    lines.pending_block = None
    lines.add_block(MarkdownBlock("heading", text.removesuffix("\\"), lines.quote, level))
    return True


def _parse_rule(lines: _BlockParserState, line: str) -> bool:
    if _RULE.match(line) is None:
        return False
    lines.add_block(MarkdownBlock("rule", quote=lines.quote))
    lines.items.clear()
    return True


def _parse_item(lines: _BlockParserState, line: str) -> bool:
    found = _ITEM.match(line)
    if found is None:
        return False
    indent, number = _measure_indent(line), found[3]
    is_text = (
        lines.pending_block is not None and lines.pending_block.kind == "text" and not lines.items
    )
    if is_text and (number not in (None, "1") or not found[5]):
        return False
    while lines.items and indent < lines.items[-1].indent:
        lines.items.pop()
    if lines.items and indent < lines.items[-1].indent + 2:
        lines.items.pop()
    blanks = len(found[4].expandtabs(_TAB_COLUMNS)) if found[4] else 1
    content = indent + len(found[2]) + min(blanks, _TAB_COLUMNS)
    lines.items.append(_OpenItem(indent, content, number is not None))
    lines.finish_paragraph()
    value = None if number is None else int(number)
    lines.pending_block = MarkdownBlock("item", "", lines.quote, len(lines.items), value)
    lines.paragraph = [found[5] or ""]
    return True


def _parse_table(lines: _BlockParserState, line: str) -> bool:
    following = lines.peek_line()
    if "|" not in line or following is None or "|" not in following + line:
        return False
    if lines.pending_block is not None or _TABLE_DELIMITER_ROW.match(following) is None:
        return False
    header, signs = split_table_row(line), split_table_row(following)
    if len(header) != len(signs):
        return False
    lines.line_index += 1
    rows = [header]
    while (found := lines.peek_line()) is not None and "|" in found and found.strip():
        lines.line_index += 1
        rows.append(split_table_row(found))
    # Readers of markdown leave out what is below no header; here nothing is lost.
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    aligned = [_parse_alignment(sign) for sign in signs]
    lines.add_block(MarkdownBlock("table", quote=lines.quote, rows=rows, alignments=aligned))
    lines.items.clear()
    return True


def split_table_row(line: str) -> list[str]:
    """The entries of a row of a table."""
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    parts = _PIPE.split(line)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _parse_alignment(sign: str) -> str:
    begins, ends = sign.startswith(":"), sign.endswith(":")
    if begins and ends:
        return "Center"
    return "Right" if ends else "Left" if begins else ""


def _parse_text(lines: _BlockParserState, line: str) -> None:
    """A line of a paragraph: of the one before, of an item, or of a new one."""
    if lines.pending_block is None:
        indent = _measure_indent(line)
        while lines.items and indent < lines.items[-1].indent + 2:
            lines.items.pop()
        level = len(lines.items)
        number = 0 if level and lines.items[-1].is_numbered else None
        lines.pending_block = MarkdownBlock("text", "", lines.quote, level, number)
    lines.paragraph.append(line.lstrip(" \t"))


def _parse_indented_code(lines: _BlockParserState, line: str) -> bool:
    """Code that is indented, which is a fence without one; in items by so much more."""
    least = _TAB_COLUMNS + (lines.items[-1].content if lines.items else 0)
    if lines.pending_block is not None or _measure_indent(line) < least:
        return False
    inner = [line]
    while (found := lines.peek_line()) is not None and (
        not found.strip() or _measure_indent(found) >= least
    ):
        inner.append(found)
        lines.line_index += 1
    text = "\n".join(_remove_indent(one, least) for one in inner).rstrip()
    lines.add_block(MarkdownBlock("fence", text, lines.quote))
    return True


def _remove_indent(line: str, columns: int) -> str:
    """A line without its first columns, which are blank."""
    rest = line.lstrip(" \t")
    return " " * (_measure_indent(line) - columns) + rest


_BLOCK_PARSERS = (
    _parse_fence,
    _parse_formula,
    _parse_heading,
    _parse_underline,
    _parse_rule,
    _parse_item,
    _parse_table,
    _parse_indented_code,
)
