"""Patterns, slots and earlier results, which are written as one token and are expressions.

From source text to expressions with exact places, whatever is wrong with the text.

`parse` gives everything that could be read and a list of problems; `parse_strict` raises the first
one. Here tokens are told apart; what they do is in `operands`, `infix` and `brackets`, what becomes
of operators in `results`, and the stacks are in `reading`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from paddock.wolfram import operands, tokens
from paddock.wolfram.expressions import Atom, Node, string, symbol
from paddock.wolfram.infix_operators import handle_get, handle_operator
from paddock.wolfram.named_characters import NAMES_BY_CHARACTER
from paddock.wolfram.operands import begin_operand, finish_pending_expression, push_operand
from paddock.wolfram.operators import CALL_BRACKETS, CALL_PRECEDENCE, GROUP_BRACKETS, SIGN_SYNONYMS
from paddock.wolfram.parse_state import ParseState, defer_gc
from paddock.wolfram.tokens import get_full_token_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from paddock.wolfram.expressions import AtomKind, Expression
    from paddock.wolfram.source import ParsedSource


_BLANK_HEADS = {"_": "Blank", "__": "BlankSequence", "___": "BlankNullSequence"}
BLANK_FORM, SLOT_FORM, OUT_FORM = "_", "#", "%"


def parse_blank(text: str, start: int, end: int) -> Node:
    """`x_`, `x_h`, `__`, `x_.` and the like."""
    name, _, _ = text.partition("_")
    rest = text[len(name) :]
    bars = rest[: len(rest) - len(rest.lstrip("_"))]
    after = rest[len(bars) :]
    args: list[Expression] = []
    if after not in ("", "."):
        args.append(Atom("symbol", after, end - len(after), end))
    whole = end
    if after == ".":
        end -= 1
    found = Node(symbol(_BLANK_HEADS[bars]), args, start + len(name), end, BLANK_FORM)
    if name:
        variable = Atom("symbol", name, start, start + len(name))
        found = Node(symbol("Pattern"), [variable, found], start, end, BLANK_FORM)
    if after == ".":
        found = Node(symbol("Optional"), [found], start, whole, BLANK_FORM)
    return found


def parse_slot(text: str, start: int, end: int) -> Node:
    """`#`, `#2`, `#name`, `##`, `##2`."""
    head = "SlotSequence" if text.startswith("##") else "Slot"
    which = text.lstrip("#") or "1"
    if which.isdigit():
        arg = Atom("number", which)
    else:
        arg = Atom("string", which) if which.startswith('"') else string(which)
    return Node(symbol(head), [arg], start, end, SLOT_FORM)


def parse_out(text: str, start: int, end: int) -> Node:
    """`%`, `%%`, `%5`."""
    number = text.lstrip("%")
    args: list[Expression] = []
    if number:
        args.append(Atom("number", number))
    elif len(text) > 1:
        args.append(Atom("number", f"-{len(text)}"))
    return Node(symbol("Out"), args, start, end, OUT_FORM)


_MAX_REPARSE_FACTOR = 3
"""How many times the length of a text is read again after brackets without an end, at most."""
_MIN_REPARSE_CHARACTERS = 200_000
"""How many characters are, however short the text is."""
_MIN_BASE, _MAX_BASE = 2, 36
_UNEXPECTED_MESSAGE = "Unexpected character"


def parse(text: str) -> ParsedSource:
    """Read a source, as much of it as can be read.

    It never raises for any text.
    """
    with defer_gc():
        return _parse_text(text)


def _parse_text(text: str) -> ParsedSource:
    reading = ParseState(text)
    _skip_preamble(reading)
    _read_tokens(reading, len(text))
    allowed = _MAX_REPARSE_FACTOR * len(text) + _MIN_REPARSE_CHARACTERS
    while allowed > 0:
        resumption = _find_next_statement(reading)
        if resumption is None:
            break
        allowed -= len(text) - reading.mark[0]
        reading.rewind()
        _read_tokens(reading, resumption)
        _finish_region(reading, resumption)
        reading.position = reading.previous = resumption
        _read_tokens(reading, len(text))
    _finish_region(reading, len(text))
    reading.source.problems.sort(key=lambda problem: problem.start)
    return reading.source


def parse_strict(text: str, *, where: str | None = None) -> list[Expression]:
    """The top-level expressions of a source.

    Raises:
        WolframSyntaxError: at the first thing that is wrong.
    """
    source = parse(text)
    source.raise_first_problem(where)
    return source.expressions


def _skip_preamble(reading: ParseState) -> None:
    """A byte-order mark and the line that names the interpreter of a script are no code."""
    if reading.text.startswith("\ufeff"):
        reading.position = 1
    line = tokens.SCRIPT_LINE.match(reading.text, reading.position)
    reading.position = line.end() if line else reading.position
    reading.previous = reading.position
    reading.mark_expression_start(reading.position)


def _read_tokens(reading: ParseState, end: int) -> None:
    """Take one token after the other."""
    text, match, acts, has_strings = reading.text, tokens.TOKEN_PATTERN.match, _TOKEN_HANDLERS, True
    while True:
        found = match(text, reading.position, end)
        if found is None:
            if _is_at_end(reading, end):
                return
            found = get_full_token_pattern(strings=has_strings).match(text, reading.position, end)
        if found is None:
            has_strings = has_strings and text[reading.position] != '"'
            if not has_strings:
                match = get_full_token_pattern(strings=False).match
            _skip_invalid_text(reading, end)
            continue
        kind = found.lastindex or 0
        reading.position = found.end()
        acts[kind](reading, found, kind)
        reading.previous = reading.position


def _is_at_end(reading: ParseState, end: int) -> bool:
    """Whether nothing but blanks is left; they are stepped over."""
    space = tokens.SPACE_PATTERN.match(reading.text, reading.position, end)
    reading.position = space.end() if space else reading.position
    return reading.position >= end


def _skip_invalid_text(reading: ParseState, end: int) -> None:
    """What is no token: a string without an end, or a character that means nothing."""
    start = reading.position
    if reading.text[start] == '"':
        line = tokens.REST_OF_LINE.match(reading.text, start, end)
        reading.position = line.end() if line else end
        reading.report_problem("The string has no end", start, reading.position)
        unclosed = Atom("error", reading.text[start : reading.position], start, reading.position)
        push_operand(reading, unclosed, start)
    else:
        reading.position = start + 1
        _report_character(reading, start)
    reading.previous = reading.position


def _report_character(reading: ParseState, start: int) -> None:
    """Many in a row are one problem."""
    problems = reading.source.problems
    if (
        problems
        and problems[-1].end == start
        and problems[-1].message.startswith(_UNEXPECTED_MESSAGE)
    ):
        problems[-1] = problems[-1]._replace(end=start + 1)
    else:
        reading.report_problem(f"{_UNEXPECTED_MESSAGE} {reading.text[start]!r}", start, start + 1)


def _find_next_statement(reading: ParseState) -> int | None:
    """Where something new very likely begins, after a bracket that is not closed."""
    if not reading.frames:
        return None
    comments = reading.source.comments
    for found in tokens.STATEMENT_START.finditer(reading.text, reading.frames[0][2] + 1):
        at = found.start()
        before = bisect_left(comments, (at,)) - 1
        if before < 0 or comments[before][1] <= at:
            return at
    return None


def _finish_region(reading: ParseState, end: int) -> None:
    while reading.frames:
        operands.close_unclosed_bracket(reading, end)
    finish_pending_expression(reading, end)


# What is done with each kind of token.


def _handle_atom(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    if reading.is_ready or not reading.frames:
        begin_operand(reading, start)
    reading.operands.append(Atom(_ATOM_KINDS[kind], found[kind], start, reading.position))
    reading.is_ready = True


def _handle_atom_comma(reading: ParseState, found: re.Match[str], kind: int) -> None:
    """An atom and its comma: an argument at once, unless something stands before it."""
    group = _ATOM_GROUPS[kind]
    start, end = found.span(group)
    atom = Atom(_ATOM_KINDS[group], found[group], start, end)
    frames = reading.frames
    if (
        reading.is_ready
        or not frames
        or len(reading.pending) > reading.base
        or frames[-1][1] == "("
    ):
        push_operand(reading, atom, start)
        reading.previous = end
        operands.add_comma(reading, ",", reading.position - 1)
    else:
        frames[-1][0].args.append(atom)


def _handle_symbol_call(reading: ParseState, found: re.Match[str], _kind: int) -> None:
    """A symbol and its bracket."""
    start, end = found.span(tokens.SYMBOL)
    if reading.is_ready or not reading.frames:
        begin_operand(reading, start)
    head = Atom("symbol", found[tokens.SYMBOL], start, end)
    pending = reading.pending
    if pending and pending[-1].precedence >= CALL_PRECEDENCE and len(pending) > reading.base:
        reading.operands.append(head)
        reading.is_ready = True
        operands.open_call(reading, "[", end)
        return
    reading.frames.append((Node(head, [], start), "[", end, reading.base))
    reading.base = len(pending)
    reading.is_ready = False


def _handle_based_number(reading: ParseState, found: re.Match[str], kind: int) -> None:
    text = found[kind]
    base, _, rest = text.partition("^^")
    if not _MIN_BASE <= int(base) <= _MAX_BASE:
        at = found.start(kind)
        reading.report_problem(f"{base} is no base from 2 to 36", at, at + len(base))
        _handle_atom(reading, found, kind)
        return
    for place, digit in enumerate(rest):
        if digit in "`*":
            break
        if digit != "." and int(digit, 36) >= int(base):
            at = found.start(kind) + len(base) + 2 + place
            reading.report_problem(f"{digit} is no digit in base {base}", at, at + 1)
            break
    _handle_atom(reading, found, kind)


def _handle_joined_token(reading: ParseState, found: re.Match[str], kind: int) -> None:
    """A number or name that goes on in another line."""
    start, text = found.start(kind), tokens.LINE_JOIN.sub("", found[kind])
    is_number = text[0].isdecimal() or text[0] == "."
    atom = Atom("number" if is_number else "symbol", text, start, reading.position)
    push_operand(reading, atom, start)


def _handle_named_blank(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(tokens.SYMBOL)
    text = found[tokens.SYMBOL] + found[kind]
    push_operand(reading, parse_blank(text, start, reading.position), start)


def _handle_blank(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    push_operand(reading, parse_blank(found[kind], start, reading.position), start)


def _handle_slot(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    push_operand(reading, parse_slot(found[kind], start, reading.position), start)


def _handle_out(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    push_operand(reading, parse_out(found[kind], start, reading.position), start)


def _handle_list(reading: ParseState, found: re.Match[str], kind: int) -> None:
    operands.open_group(reading, "{", found.start(kind))


def _handle_closer(reading: ParseState, found: re.Match[str], kind: int) -> None:
    operands.close_bracket(reading, found[kind], reading.position - 1)


def _handle_closer_comma(reading: ParseState, found: re.Match[str], _kind: int) -> None:
    """A closing bracket and its comma."""
    reading.position = end = found.end(tokens.CLOSER)
    operands.close_bracket(reading, found[tokens.CLOSER], end - 1)
    reading.previous = end
    reading.position = found.end()
    operands.add_comma(reading, ",", reading.position - 1)


def _handle_part(reading: ParseState, found: re.Match[str], kind: int) -> None:
    operands.open_call(reading, "[[", found.start(kind))


def _handle_plain_sign(reading: ParseState, found: re.Match[str], kind: int) -> None:
    text = found[kind]
    _HANDLERS_BY_TEXT.get(text, handle_operator)(reading, text, found.start(kind))


def _handle_named_sign(reading: ParseState, found: re.Match[str], kind: int) -> None:
    text = SIGN_SYNONYMS.get(found[kind], found[kind])
    _HANDLERS_BY_TEXT.get(text, handle_operator)(reading, text, found.start(kind))


def _handle_character(reading: ParseState, found: re.Match[str], kind: int) -> None:
    name = NAMES_BY_CHARACTER[found[kind]]
    text = SIGN_SYNONYMS.get(name, name)
    _HANDLERS_BY_TEXT.get(text, handle_operator)(reading, text, found.start(kind))


def _handle_comment(reading: ParseState, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    end = reading.comments.find_end(start)
    if not reading.frames:
        reading.has_crossed = reading.has_line_break_before(start)
    if end is None:
        line = tokens.REST_OF_LINE.match(reading.text, start)
        end = line.end() if line else len(reading.text)
        reading.report_problem("The comment has no end", start, start + 2)
    reading.source.comments.append((start, end))
    reading.position = end


def _handle_boxes(reading: ParseState, found: re.Match[str], kind: int) -> None:
    """What is written in the syntax of boxes is one opaque atom."""
    text, start = found[kind], found.start(kind)
    end: int | None = reading.position
    if text.endswith("("):
        end = reading.boxes.find_end(reading.position - 2)
        if end is None:
            reading.report_problem("The box syntax has no end", start, reading.position)
    else:
        reading.report_problem(f"{text} outside of box syntax", start, reading.position)
    reading.position = end or reading.position
    atom = Atom("boxes", reading.text[start : reading.position], start, reading.position)
    if end is None or not text.endswith("("):
        atom.kind = "error"
    push_operand(reading, atom, start)


_ATOM_KINDS: dict[int, AtomKind] = {
    tokens.SYMBOL: "symbol",
    tokens.STRING: "string",
    tokens.NUMBER: "number",
    tokens.BASED: "number",
}
_ATOM_GROUPS = {
    tokens.SYMBOL_COMMA: tokens.SYMBOL,
    tokens.STRING_COMMA: tokens.STRING,
    tokens.NUMBER_COMMA: tokens.NUMBER,
}
_HANDLERS_BY_TEXT: dict[str, Callable[[ParseState, str, int], None]] = {
    **dict.fromkeys(CALL_BRACKETS, operands.open_call),
    **dict.fromkeys(GROUP_BRACKETS, operands.open_group),
    **dict.fromkeys(operands.CLOSERS, operands.close_bracket),
    ",": operands.add_comma,
    "<<": handle_get,
}
_HANDLERS_BY_TOKEN: dict[int, Callable[[ParseState, re.Match[str], int], None]] = {
    tokens.SYMBOL: _handle_atom,
    tokens.SYMBOL_CALL: _handle_symbol_call,
    tokens.SYMBOL_COMMA: _handle_atom_comma,
    tokens.SYMBOL_BLANK: _handle_named_blank,
    tokens.STRING: _handle_atom,
    tokens.STRING_COMMA: _handle_atom_comma,
    tokens.LIST: _handle_list,
    tokens.CLOSER: _handle_closer,
    tokens.CLOSER_COMMA: _handle_closer_comma,
    tokens.PART: _handle_part,
    tokens.OPERATOR: _handle_plain_sign,
    tokens.BASED: _handle_based_number,
    tokens.NUMBER: _handle_atom,
    tokens.NUMBER_COMMA: _handle_atom_comma,
    tokens.SLOT: _handle_slot,
    tokens.OUT: _handle_out,
    tokens.NAMED_OPERATOR: _handle_named_sign,
    tokens.CHARACTER: _handle_character,
    tokens.COMMENT: _handle_comment,
    tokens.BOXES: _handle_boxes,
    tokens.BLANK: _handle_blank,
    tokens.JOINED: _handle_joined_token,
}
_TOKEN_HANDLERS = [
    _HANDLERS_BY_TOKEN.get(kind, _handle_plain_sign) for kind in range(tokens.JOINED + 1)
]
