"""Converts code to boxes: nested rows, one per expression, as the front end builds them.

All characters are preserved, including whitespace, line ends and comments, so the boxes have the
same content as the source text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import NO_POSITION, Atom, Node, call, get_head_name
from paddock.wolfram.literals import parse_string
from paddock.wolfram.named_characters import get_character
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.model import make_list
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
    (
        *("Blank", "BlankSequence", "BlankNullSequence", "Pattern", "Optional"),
        *("Slot", "SlotSequence", "Out"),
    )
)
_WORD = re.compile(r"[A-Za-z$][A-Za-z0-9$]*|[0-9]+")
_SINGLE_TOKEN = re.compile(r"[\w$`#.%]+")


def code_to_boxes(text: str) -> Expression:
    """Convert Wolfram Language code to boxes, the notebook format for typeset expressions.

    The result is the content of the `BoxData[...]` that a front end creates for typed input: a row
    for a single expression, or a list for multiple expressions. Code with syntax errors becomes a
    single row of its tokens.
    """
    # Inline code in text is often a single word, which needs no parsing.
    if _WORD.fullmatch(text):
        return ascii_string(text)
    source = parse(text)
    builder = _BoxBuilder(source)
    if source.problems:
        return _build_row(builder.get_tokens(0, len(text)))
    expressions = [part for part in source.expressions if part.start < part.end]
    items = builder.build_items(expressions)
    # The front end shows a list as separate lines, and a single expression as a row.
    return make_list(items) if len(expressions) > 1 else _build_row(items)


class _BoxBuilder:
    """Builder of the boxes that represent the complete text of a source.

    The parse tree contains only expressions. Operators, whitespace and comments are tokens of the
    text between them.
    """

    def __init__(self, source: ParsedSource) -> None:
        self._text = source.text
        self._comments = dict(source.comments)
        """The end of each comment, by its start."""

    def build_items(self, expressions: list[Expression]) -> list[Expression]:
        """Return the boxes of the top-level expressions, and the tokens around them.

        The items of an expression are the boxes of its parts, and the tokens in the gaps between
        them. They are built from the innermost expressions outward, without recursion.
        """
        parts_by_id: dict[int, list[Expression]] = {}
        outer_first: list[Expression] = []
        pending = [*expressions]
        while pending:
            expression = pending.pop()
            outer_first.append(expression)
            parts = self._get_parts(expression)
            # Most expressions have no parts, and many empty lists would slow down garbage
            # collection.
            if parts:
                parts_by_id[id(expression)] = parts
                pending += parts
        items_by_id: dict[int, list[Expression]] = {}
        for expression in reversed(outer_first):
            parts = parts_by_id.pop(id(expression), [])
            if parts:
                items_by_id[id(expression)] = self._join_parts(expression, parts, items_by_id)
            else:
                items_by_id[id(expression)] = self._build_leaf(expression)
        items: list[Expression] = []
        position = 0
        for expression in expressions:
            items += self.get_tokens(position, expression.start)
            items.append(_build_row(items_by_id[id(expression)]))
            position = expression.end
        return items + self.get_tokens(position, len(self._text))

    def get_tokens(self, start: int, end: int) -> list[Expression]:
        """Return boxes for the tokens between two positions, such as operators and whitespace.

        Each comment becomes its own row.
        """
        tokens: list[Expression] = []
        while start < end:
            comment_start = self._find_comment(start, end)
            gap_end = end if comment_start is None else comment_start
            tokens += [
                _build_token(match[0]) for match in _GAP_TOKEN.finditer(self._text, start, gap_end)
            ]
            if comment_start is None:
                break
            comment_end = self._comments[comment_start]
            tokens.append(_build_comment(self._text[comment_start:comment_end]))
            start = comment_end
        return tokens

    def _find_comment(self, start: int, end: int) -> int | None:
        """Return the start of the first comment in a range, or None if the range has no comment.

        A `(*` inside a string does not begin a comment, so it is not among the parser's comments.
        """
        comment_start = self._text.find("(*", start, end) if self._comments else -1
        while comment_start >= 0 and comment_start not in self._comments:
            comment_start = self._text.find("(*", comment_start + 1, end)
        return comment_start if comment_start >= 0 else None

    def _get_parts(self, expression: Expression) -> list[Expression]:
        """Return the parts of an expression that are written in the source, from left to right.

        A node that the parser added, such as the operand list of a vector comparison, is replaced
        with its own parts. An expression that is a single token has no parts.
        """
        if isinstance(expression, Atom) or self._is_token(expression):
            return []
        parts: list[Expression] = []
        pending: list[Expression] = [expression.head, *expression.args]
        while pending:
            candidate = pending.pop()
            if candidate.start != NO_POSITION:
                if candidate.start < candidate.end:
                    parts.append(candidate)
            elif isinstance(candidate, Node):
                pending += [candidate.head, *candidate.args]
        parts.sort(key=lambda part: (part.start, -part.end))
        return _drop_overlapping_parts(parts, expression)

    def _is_token(self, node: Node) -> bool:
        """Return whether a node such as `x_Integer`, `#1` or `%` is a single token in boxes."""
        if get_head_name(node) not in _TOKEN_HEADS or node.is_grouped:
            return False
        return bool(_SINGLE_TOKEN.fullmatch(self._text, node.start, node.end))

    def _join_parts(
        self,
        expression: Expression,
        parts: list[Expression],
        items_by_id: dict[int, list[Expression]],
    ) -> list[Expression]:
        """Return the items of an expression: the rows of its parts, and the tokens between them.

        Args:
            expression: The expression.
            parts: Its parts in source order.
            items_by_id: The items of each part. The used ones are removed from this dictionary.
        """
        items: list[Expression] = []
        position = expression.start
        is_sum = get_head_name(expression) == "Plus"
        for part in parts:
            items += self.get_tokens(position, part.start)
            part_items = items_by_id.pop(id(part))
            is_negative = not part.is_grouped and self._text[part.start] == "-"
            # In `a - b`, the sign belongs to the row of the sum.
            if is_sum and items and is_negative:
                items += _build_term(part_items)
            else:
                items.append(_build_row(part_items))
            position = part.end
        return items + self.get_tokens(position, expression.end)

    def _build_leaf(self, expression: Expression) -> list[Expression]:
        """Return the tokens of an expression without parts, such as a name or a number.

        The sign of a negative number is a separate token, as in a front end.
        """
        source_text = self._text[expression.start : expression.end]
        is_unsigned_atom = isinstance(expression, Atom) and not source_text.startswith("-")
        if not expression.is_grouped and (is_unsigned_atom or _SINGLE_TOKEN.fullmatch(source_text)):
            return [_build_token(source_text)]
        return self.get_tokens(expression.start, expression.end)


def _build_comment(text: str) -> Expression:
    if len(text) < 4 or not text.endswith("*)"):
        return ascii_string(text)
    return _make_row_box([ascii_string("(*"), ascii_string(text[2:-2]), ascii_string("*)")])


def _build_token(text: str) -> Expression:
    return ascii_string(_LONG_NAME.sub(_decode_character_name, text) if "\\" in text else text)


def _decode_character_name(match: re.Match[str]) -> str:
    r"""Return the character for a name such as `\[Alpha]`, as front ends display it.

    Names of whitespace and control characters are returned unchanged, because these characters
    would be invisible.
    """
    name, code = match[2], match[3]
    letter = get_character(name) if name is not None else chr(int(code, 16))
    if letter is None or ord(letter) < _FIRST_FOREIGN_CODE or letter.isspace():
        return match[0]
    return match[1] + letter


def _drop_overlapping_parts(parts: list[Expression], parent: Expression) -> list[Expression]:
    """Return the parts that are inside their parent expression and do not overlap earlier ones."""
    disjoint_parts: list[Expression] = []
    position = parent.start
    for part in parts:
        is_same_span = (part.start, part.end) == (parent.start, parent.end)
        if part.start >= position and part.end <= parent.end and not is_same_span:
            disjoint_parts.append(part)
            position = part.end
    return disjoint_parts


def _build_term(items: list[Expression]) -> list[Expression]:
    """Return the items of a negative term: its sign, whitespace, and the other items as one row."""
    term_start = 1
    while term_start < len(items) - 1 and _is_blank_token(items[term_start]):
        term_start += 1
    return [*items[:term_start], _build_row(items[term_start:])]


def _is_blank_token(item: Expression) -> bool:
    return isinstance(item, Atom) and not parse_string(item.text).strip()


def _build_row(items: list[Expression]) -> Expression:
    """Return a row of boxes, with the contents of brackets as nested rows.

    For example, the items `f`, `[`, `x`, `,`, `y`, `]` become a row of four boxes, where the third
    is the row `x,y`. An unclosed bracket, as in code with syntax errors, ends with the row.
    """
    open_rows = [_OpenRow("", [])]
    for item in items:
        token = item.text[1:-1] if isinstance(item, Atom) else ""
        if len(open_rows) > 1 and token == open_rows[-1].closing_bracket:
            _close_row(open_rows)
        open_rows[-1].items.append(item)
        if token in _CLOSING_BY_OPENING:
            open_rows.append(_OpenRow(_CLOSING_BY_OPENING[token], []))
    while len(open_rows) > 1:
        _close_row(open_rows)
    return _make_row_box(open_rows[0].items)


class _OpenRow(NamedTuple):
    """The items after an opening bracket, and the bracket that ends them."""

    closing_bracket: str
    items: list[Expression]


def _close_row(open_rows: list[_OpenRow]) -> None:
    """Append the innermost open row to the enclosing row. Empty brackets contain no row."""
    content = open_rows.pop().items
    if content:
        open_rows[-1].items.append(_make_row_box(content))


def _make_row_box(items: list[Expression]) -> Expression:
    return items[0] if len(items) == 1 else call("RowBox", make_list(items))
