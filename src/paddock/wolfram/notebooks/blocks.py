"""The blocks of a markdown text: headings, paragraphs, fences, items, tables, formulas, rules.

One pass over the lines. Quotations and lists are no containers here: each block knows how deep in
them it stands, which is all that cells can say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["heading", "text", "fence", "item", "table", "formula", "rule"]

_QUOTE = re.compile(r" {0,3}> ?")
_FENCE = re.compile(r"(\s*)(`{3,}(?=[^`]*$)|~{3,})\s*(.*?)\s*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:\*[ \t]*){3,}$| {0,3}(?:-[ \t]*){3,}$| {0,3}(?:_[ \t]*){3,}$")
_ITEM = re.compile(r"([ \t]*)([-*+]|(\d{1,9})[.)])(?:([ \t]+)(.*)|[ \t]*$)")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*+\|?[ \t]*$")
_PIPE = re.compile(r"(?<!\\)\|")
_TAB = 4


class Block(NamedTuple):
    """One block, with how deep it stands in quotations."""

    kind: Kind
    text: str = ""
    quote: int = 0
    level: int = 0
    """Of a heading from 1; of an item from 1; of a paragraph within an item its level."""
    number: int | None = None
    """Of an item with a number; of a paragraph within one, 0."""
    info: str = ""
    """What follows the beginning of a fence."""
    rows: Sequence[Sequence[str]] = ()
    aligned: Sequence[str] = ()


class _Item(NamedTuple):
    """An open item: where its sign and its text begin, and whether it has a number."""

    indent: int
    content: int
    is_numbered: bool


class _Lines:
    """The lines of a text, what has been made of them, and the paragraph that is not complete."""

    def __init__(self, text: str) -> None:
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.at = 0
        self.blocks: list[Block] = []
        self.paragraph: list[str] = []
        self.waiting: Block | None = None
        """The block that the lines of the paragraph belong to."""
        self.items: list[_Item] = []
        self.quote = 0

    def split(self, line: str) -> tuple[int, str]:
        """How deep in quotations a line stands, and the rest of it."""
        depth, at = 0, 0
        while (found := _QUOTE.match(line, at)) is not None:
            depth, at = depth + 1, found.end()
        return depth, line[at:]

    def finish(self) -> None:
        """Complete the paragraph."""
        if self.waiting is not None:
            text = "\n".join(self.paragraph).strip(" \t\n")
            if text or self.waiting.kind != "text":
                self.blocks.append(self.waiting._replace(text=text))
        self.paragraph, self.waiting = [], None

    def add(self, block: Block) -> None:
        """A block that is complete."""
        self.finish()
        self.blocks.append(block)

    def peek(self) -> str | None:
        """The next line in the same quotation."""
        if self.at >= len(self.lines):
            return None
        depth, rest = self.split(self.lines[self.at])
        return rest if depth == self.quote else None


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order."""
    lines = _Lines(text)
    while lines.at < len(lines.lines):
        depth, rest = lines.split(lines.lines[lines.at])
        lines.at += 1
        if depth != lines.quote:
            lines.finish()
            lines.items.clear()
            lines.quote = depth
        if not rest.strip():
            lines.finish()
        elif not any(take(lines, rest) for take in _TAKERS):
            _text(lines, rest)
    lines.finish()
    return lines.blocks


def _indent(line: str) -> int:
    """How far a line is indented, in columns."""
    columns = 0
    for sign in line:
        if sign == "\t":
            columns += _TAB - columns % _TAB
        elif sign == " ":
            columns += 1
        else:
            break
    return columns


def _fence(lines: _Lines, line: str) -> bool:
    begin = _FENCE.match(line)
    if begin is None:
        return False
    indent, sign = len(begin[1]), begin[2]
    end = re.compile(rf"\s*{re.escape(sign[0])}{{{len(sign)},}}\s*$")
    inner: list[str] = []
    while lines.at < len(lines.lines):
        raw = _unquoted(lines.lines[lines.at], lines.quote)
        if raw is None:
            break
        lines.at += 1
        if end.match(raw):
            break
        inner.append(raw[min(indent, len(raw) - len(raw.lstrip())) :])
    lines.add(Block("fence", "\n".join(inner), lines.quote, info=begin[3].replace("`", "").strip()))
    lines.items.clear()
    return True


def _unquoted(line: str, depth: int) -> str | None:
    """A line without so many signs of quotation; None when it has fewer."""
    at = 0
    for _ in range(depth):
        found = _QUOTE.match(line, at)
        if found is None:
            return None
        at = found.end()
    return line[at:]


def _formula(lines: _Lines, line: str) -> bool:
    """`$$ … $$`, on one line or several."""
    begin = line.strip()
    if not begin.startswith("$$") or lines.waiting is not None:
        return False
    inner, at = begin[2:], lines.at
    while "$$" not in inner:
        if at >= len(lines.lines):
            return False
        raw = _unquoted(lines.lines[at], lines.quote)
        if raw is None or not raw.strip():
            return False
        inner += f"\n{raw.rstrip()}"
        at += 1
    tex, _, rest = inner.partition("$$")
    if rest.strip() or not tex.strip():
        return False
    lines.at = at
    lines.add(Block("formula", tex.strip(), lines.quote))
    lines.items.clear()
    return True


def _heading(lines: _Lines, line: str) -> bool:
    found = _HEADING.match(line)
    if found is None:
        return False
    lines.add(Block("heading", (found[2] or "").strip(), lines.quote, len(found[1])))
    lines.items.clear()
    return True


def _underline(lines: _Lines, line: str) -> bool:
    """A line of `=` or `-` makes a heading of the paragraph above it."""
    found = _UNDERLINE.match(line)
    if found is None or lines.waiting is None or lines.waiting.kind != "text":
        return False
    if lines.waiting.level:
        return False
    level = 1 if found[1][0] == "=" else 2
    text = " ".join(part.strip() for part in lines.paragraph)
    lines.waiting = None
    lines.add(Block("heading", text.removesuffix("\\"), lines.quote, level))
    return True


def _rule(lines: _Lines, line: str) -> bool:
    if _RULE.match(line) is None:
        return False
    lines.add(Block("rule", quote=lines.quote))
    lines.items.clear()
    return True


def _item(lines: _Lines, line: str) -> bool:
    found = _ITEM.match(line)
    if found is None:
        return False
    indent, number = _indent(line), found[3]
    is_text = lines.waiting is not None and lines.waiting.kind == "text" and not lines.items
    if is_text and (number not in (None, "1") or not found[5]):
        return False
    while lines.items and indent < lines.items[-1].indent:
        lines.items.pop()
    if lines.items and indent < lines.items[-1].indent + 2:
        lines.items.pop()
    blanks = len(found[4].expandtabs(_TAB)) if found[4] else 1
    content = indent + len(found[2]) + min(blanks, _TAB)
    lines.items.append(_Item(indent, content, number is not None))
    lines.finish()
    value = None if number is None else int(number)
    lines.waiting = Block("item", "", lines.quote, len(lines.items), value)
    lines.paragraph = [found[5] or ""]
    return True


def _table(lines: _Lines, line: str) -> bool:
    following = lines.peek()
    if "|" not in line or following is None or "|" not in following + line:
        return False
    if lines.waiting is not None or _DELIMITERS.match(following) is None:
        return False
    header, signs = cells_of(line), cells_of(following)
    if len(header) != len(signs):
        return False
    lines.at += 1
    rows = [header]
    while (found := lines.peek()) is not None and "|" in found and found.strip():
        lines.at += 1
        rows.append(cells_of(found))
    # Readers of markdown leave out what is below no header; here nothing is lost.
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    aligned = [_alignment(sign) for sign in signs]
    lines.add(Block("table", quote=lines.quote, rows=rows, aligned=aligned))
    lines.items.clear()
    return True


def cells_of(line: str) -> list[str]:
    """The entries of a row of a table."""
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    parts = _PIPE.split(line)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _alignment(sign: str) -> str:
    begins, ends = sign.startswith(":"), sign.endswith(":")
    if begins and ends:
        return "Center"
    return "Right" if ends else "Left" if begins else ""


def _text(lines: _Lines, line: str) -> None:
    """A line of a paragraph: of the one before, of an item, or of a new one."""
    if lines.waiting is None:
        indent = _indent(line)
        while lines.items and indent < lines.items[-1].indent + 2:
            lines.items.pop()
        level = len(lines.items)
        number = 0 if level and lines.items[-1].is_numbered else None
        lines.waiting = Block("text", "", lines.quote, level, number)
    lines.paragraph.append(line.lstrip(" \t"))


def _indented(lines: _Lines, line: str) -> bool:
    """Code that is indented, which is a fence without one; in items by so much more."""
    least = _TAB + (lines.items[-1].content if lines.items else 0)
    if lines.waiting is not None or _indent(line) < least:
        return False
    inner = [line]
    while (found := lines.peek()) is not None and (not found.strip() or _indent(found) >= least):
        inner.append(found)
        lines.at += 1
    text = "\n".join(_outdented(one, least) for one in inner).rstrip()
    lines.add(Block("fence", text, lines.quote))
    return True


def _outdented(line: str, columns: int) -> str:
    """A line without its first columns, which are blank."""
    rest = line.lstrip(" \t")
    return " " * (_indent(line) - columns) + rest


_TAKERS = (_fence, _formula, _heading, _underline, _rule, _item, _table, _indented)
