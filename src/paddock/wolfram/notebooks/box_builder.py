"""Code as boxes, the way that a front end keeps it: rows within rows, one for each expression.

Every character of the code is kept, blanks, line ends and comments too, so that the boxes say the
same as the text did.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import NO_POSITION, Atom, Node, call, is_symbol
from paddock.wolfram.literals import parse_string
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.operators import PLAIN_SIGNS
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

_CLOSING_BY_OPENING = {"[": "]", "{": "}", "(": ")", "<|": "|>"}
_OPERATOR_SIGNS = sorted(
    (sign for sign in PLAIN_SIGNS if sign not in ("[[", "]]")), key=len, reverse=True
)
_GAP_TOKEN = re.compile(
    r'\n|[^\S\n]+|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\w$`]+'
    rf"|<\||\|>|[\[\](){{}},]|{'|'.join(map(re.escape, _OPERATOR_SIGNS))}|\\\[\w+\]|.",
    re.DOTALL,
)
_LONG_NAME = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:\[(\w+)\]|:([0-9A-Fa-f]{4}))")
_FIRST_FOREIGN_CODE = 0xA0
_TOKEN_HEADS = frozenset(
    ("Blank", "BlankSequence", "BlankNullSequence", "Pattern", "Optional", "Slot")
)
_MORE_TOKEN_HEADS = frozenset(("SlotSequence", "Out"))
_WORD = re.compile(r"[A-Za-z$][A-Za-z0-9$]*|[0-9]+")
_SINGLE_TOKEN = re.compile(r"[\w$`#.%]+")


def code_to_boxes(text: str) -> Expression:
    """What stands in `BoxData[…]` for code; for several expressions a list.

    Code that cannot be read becomes a row of its tokens.
    """
    if _WORD.fullmatch(text):
        return ascii_string(text)
    source = parse(text)
    if source.problems:
        return _build_row(_GapTokens(source).get_tokens(0, len(text)))
    gaps = _GapTokens(source)
    tops = [found for found in source.expressions if found.start < found.end]
    made = _build_all(tops, source, gaps)
    items: list[Expression] = []
    at = 0
    for expression, box in zip(tops, made, strict=True):
        items += gaps.get_tokens(at, expression.start)
        items.append(box)
        at = expression.end
    items += gaps.get_tokens(at, len(text))
    if len(tops) < 2:
        return _build_row(items)
    return Node(Atom("symbol", "List"), items, form="list")


class _GapTokens:
    """What stands in a source between expressions, as tokens; asked from left to right or not."""

    def __init__(self, source: ParsedSource) -> None:
        self._text = source.text
        self._comments = dict(source.comments)
        self._starts = sorted(self._comments)

    def get_tokens(self, start: int, end: int) -> list[Expression]:
        """The tokens between two places."""
        found: list[Expression] = []
        while start < end:
            comment = self._find_comment(start, end)
            stop = end if comment is None else comment
            found += [_build_token(one[0]) for one in _GAP_TOKEN.finditer(self._text, start, stop)]
            if comment is None:
                break
            start = self._comments[comment]
            found.append(_build_comment(self._text[comment:start]))
        return found

    def _find_comment(self, start: int, end: int) -> int | None:
        at = self._text.find("(*", start, end) if self._starts else -1
        while at >= 0 and at not in self._comments:
            at = self._text.find("(*", at + 1, end)
        return at if at >= 0 else None


def _build_comment(text: str) -> Expression:
    if len(text) < 4 or not text.endswith("*)"):
        return ascii_string(text)
    return _make_row_box([ascii_string("(*"), ascii_string(text[2:-2]), ascii_string("*)")])


def _build_token(text: str) -> Expression:
    return ascii_string(_LONG_NAME.sub(_decode_character_name, text) if "\\" in text else text)


def _decode_character_name(found: re.Match[str]) -> str:
    """A character in place of its name, as the front end shows it."""
    name, code = found[2], found[3]
    letter = get_character(name) if name is not None else chr(int(code, 16))
    if letter is None or ord(letter) < _FIRST_FOREIGN_CODE or letter.isspace():
        return found[0]
    return found[1] + letter


def _build_all(tops: list[Expression], source: ParsedSource, gaps: _GapTokens) -> list[Expression]:
    """The boxes of expressions, each made after those of its parts."""
    order: list[Expression] = []
    waiting: list[Expression] = list(tops)
    while waiting:
        found = waiting.pop()
        order.append(found)
        waiting += _get_parts(found, source.text)
    made: dict[int, list[Expression]] = {}
    for found in reversed(order):
        parts = _get_parts(found, source.text)
        items: list[Expression] = []
        at = found.start
        for part in parts:
            items += gaps.get_tokens(at, part.start)
            inner = made.pop(id(part))
            is_term = bool(items) and _is_negative_term(part, found, source.text)
            items += _build_term(inner) if is_term else [_build_row(inner)]
            at = part.end
        items += gaps.get_tokens(at, found.end)
        made[id(found)] = items if parts else _build_leaf(found, source.text, gaps)
    return [_build_row(made[id(top)]) for top in tops]


def _is_negative_term(part: Expression, whole: Expression, text: str) -> bool:
    """Whether a part is `- b` of `a - b`, whose sign belongs to the sum."""
    is_sum = isinstance(whole, Node) and is_symbol(whole.head, "Plus")
    return is_sum and not part.is_grouped and text[part.start] == "-"


def _build_term(items: list[Expression]) -> list[Expression]:
    """A sign, and all that follows it as one."""
    begin = 1
    while begin < len(items) - 1 and _is_blank_token(items[begin]):
        begin += 1
    return [*items[:begin], _build_row(items[begin:])]


def _is_blank_token(item: Expression) -> bool:
    return isinstance(item, Atom) and not parse_string(item.text).strip()


def _build_leaf(found: Expression, text: str, gaps: _GapTokens) -> list[Expression]:
    """An expression without parts; the sign of a number is a token of its own."""
    written = text[found.start : found.end]
    is_whole = isinstance(found, Atom) and not written.startswith("-")
    if not found.is_grouped and (is_whole or _SINGLE_TOKEN.fullmatch(written)):
        return [_build_token(written)]
    return gaps.get_tokens(found.start, found.end)


def _get_parts(expression: Expression, text: str) -> list[Expression]:
    """What an expression is made of that has a place of its own, from left to right."""
    if isinstance(expression, Atom) or _is_token(expression, text):
        return []
    placed: list[Expression] = []
    waiting: list[Expression] = [expression.head, *expression.args]
    while waiting:
        found = waiting.pop()
        if found.start != NO_POSITION:
            if found.start < found.end:
                placed.append(found)
        elif isinstance(found, Node):
            waiting += [found.head, *found.args]
    return _drop_overlaps(sorted(placed, key=lambda part: (part.start, -part.end)), expression)


def _drop_overlaps(placed: list[Expression], around: Expression) -> list[Expression]:
    """Parts that do not overlap, and lie within the whole."""
    kept: list[Expression] = []
    at = around.start
    for part in placed:
        is_whole = (part.start, part.end) == (around.start, around.end)
        if part.start >= at and part.end <= around.end and not is_whole:
            kept.append(part)
            at = part.end
    return kept


def _is_token(node: Node, text: str) -> bool:
    """`x_Integer`, `#1`, `%`: one token each in boxes."""
    name = node.head.text if isinstance(node.head, Atom) else ""
    if name not in _TOKEN_HEADS and name not in _MORE_TOKEN_HEADS:
        return False
    return not node.is_grouped and bool(_SINGLE_TOKEN.fullmatch(text, node.start, node.end))


def _build_row(items: list[Expression]) -> Expression:
    """A row whose brackets hold rows of their own."""
    open_rows: list[tuple[str, list[Expression]]] = [("", [])]
    for item in items:
        sign = item.text[1:-1] if isinstance(item, Atom) else ""
        if sign in _CLOSING_BY_OPENING:
            open_rows[-1][1].append(item)
            open_rows.append((_CLOSING_BY_OPENING[sign], []))
        elif len(open_rows) > 1 and sign == open_rows[-1][0]:
            _close_row(open_rows)
            open_rows[-1][1].append(item)
        else:
            open_rows[-1][1].append(item)
    while len(open_rows) > 1:
        _close_row(open_rows)
    return _make_row_box(open_rows[0][1])


def _close_row(open_rows: list[tuple[str, list[Expression]]]) -> None:
    _, inner = open_rows.pop()
    if len(inner) == 1:
        open_rows[-1][1].append(inner[0])
    elif inner:
        open_rows[-1][1].append(_make_row_box(inner))


def _make_row_box(items: list[Expression]) -> Expression:
    if len(items) == 1:
        return items[0]
    return call("RowBox", Node(Atom("symbol", "List"), items, form="list"))
