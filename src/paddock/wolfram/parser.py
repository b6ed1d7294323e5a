"""From source text to expressions with exact places, whatever is wrong with the text.

`parse` gives everything that could be read and a list of problems; `parse_strict` raises the first
one. Here tokens are told apart; what they do is in `operands`, `infix` and `brackets`, what becomes
of operators in `results`, and the stacks are in `reading`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from paddock.wolfram import brackets, tokens
from paddock.wolfram.characters import NAME_OF_CHARACTER
from paddock.wolfram.collecting import collecting_later
from paddock.wolfram.expressions import Atom, Node
from paddock.wolfram.infix import get, operator
from paddock.wolfram.operands import add_operand, before_operand, complete_if_begun
from paddock.wolfram.operators import CALL_PRECEDENCE, CALLS, GROUPS, SAME_BRACKETS
from paddock.wolfram.patterns import blank, out, slot
from paddock.wolfram.reading import Reading
from paddock.wolfram.tokens import full_token

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression, Kind
    from paddock.wolfram.source import Source

_MOST_READ_AGAIN = 3
"""How many times the length of a text is read again after brackets without an end, at most."""
_ALWAYS_READ_AGAIN = 200_000
"""How many characters are, however short the text is."""
_LEAST_BASE, _MOST_BASE = 2, 36
_UNEXPECTED = "Unexpected character"


def parse(text: str) -> Source:
    """Read a source, as much of it as can be read.

    It never raises for any text.
    """
    with collecting_later():
        return _parse(text)


def _parse(text: str) -> Source:
    reading = Reading(text)
    _skip_opening(reading)
    _read(reading, len(text))
    allowed = _MOST_READ_AGAIN * len(text) + _ALWAYS_READ_AGAIN
    while allowed > 0:
        resumption = _next_statement(reading)
        if resumption is None:
            break
        allowed -= len(text) - reading.mark[0]
        reading.rewind()
        _read(reading, resumption)
        _finish(reading, resumption)
        reading.position = reading.previous = resumption
        _read(reading, len(text))
    _finish(reading, len(text))
    reading.source.problems.sort(key=lambda problem: problem.start)
    return reading.source


def parse_strict(text: str, *, where: str | None = None) -> list[Expression]:
    """The top-level expressions of a source.

    Raises:
        WolframSyntaxError: at the first thing that is wrong.
    """
    source = parse(text)
    source.check(where)
    return source.expressions


def _skip_opening(reading: Reading) -> None:
    """A byte-order mark and the line that names the interpreter of a script are no code."""
    if reading.text.startswith("\ufeff"):
        reading.position = 1
    line = tokens.SCRIPT.match(reading.text, reading.position)
    reading.position = line.end() if line else reading.position
    reading.previous = reading.position
    reading.set_mark(reading.position)


def _read(reading: Reading, end: int) -> None:
    """Take one token after the other."""
    text, match, acts, has_strings = reading.text, tokens.TOKEN.match, _ACTS, True
    while True:
        found = match(text, reading.position, end)
        if found is None:
            if _is_at_end(reading, end):
                return
            found = full_token(strings=has_strings).match(text, reading.position, end)
        if found is None:
            has_strings = has_strings and text[reading.position] != '"'
            if not has_strings:
                match = full_token(strings=False).match
            _step_over(reading, end)
            continue
        kind = found.lastindex or 0
        reading.position = found.end()
        acts[kind](reading, found, kind)
        reading.previous = reading.position


def _is_at_end(reading: Reading, end: int) -> bool:
    """Whether nothing but blanks is left; they are stepped over."""
    space = tokens.SPACE.match(reading.text, reading.position, end)
    reading.position = space.end() if space else reading.position
    return reading.position >= end


def _step_over(reading: Reading, end: int) -> None:
    """What is no token: a string without an end, or a character that means nothing."""
    start = reading.position
    if reading.text[start] == '"':
        line = tokens.REST_OF_LINE.match(reading.text, start, end)
        reading.position = line.end() if line else end
        reading.complain("The string has no end", start, reading.position)
        unclosed = Atom("error", reading.text[start : reading.position], start, reading.position)
        add_operand(reading, unclosed, start)
    else:
        reading.position = start + 1
        _complain_of_character(reading, start)
    reading.previous = reading.position


def _complain_of_character(reading: Reading, start: int) -> None:
    """Many in a row are one problem."""
    problems = reading.source.problems
    if problems and problems[-1].end == start and problems[-1].message.startswith(_UNEXPECTED):
        problems[-1] = problems[-1]._replace(end=start + 1)
    else:
        reading.complain(f"{_UNEXPECTED} {reading.text[start]!r}", start, start + 1)


def _next_statement(reading: Reading) -> int | None:
    """Where something new very likely begins, after a bracket that is not closed."""
    if not reading.frames:
        return None
    comments = reading.source.comments
    for found in tokens.STATEMENT.finditer(reading.text, reading.frames[0][2] + 1):
        at = found.start()
        before = bisect_left(comments, (at,)) - 1
        if before < 0 or comments[before][1] <= at:
            return at
    return None


def _finish(reading: Reading, end: int) -> None:
    while reading.frames:
        brackets.abandon(reading, end)
    complete_if_begun(reading, end)


# What is done with each kind of token.


def _atom(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    if reading.is_ready or not reading.frames:
        before_operand(reading, start)
    reading.operands.append(Atom(_KINDS[kind], found[kind], start, reading.position))
    reading.is_ready = True


def _atom_comma(reading: Reading, found: re.Match[str], kind: int) -> None:
    """An atom and its comma: an argument at once, unless something stands before it."""
    group = _ATOM_GROUPS[kind]
    start, end = found.span(group)
    atom = Atom(_KINDS[group], found[group], start, end)
    frames = reading.frames
    if (
        reading.is_ready
        or not frames
        or len(reading.pending) > reading.base
        or frames[-1][1] == "("
    ):
        add_operand(reading, atom, start)
        reading.previous = end
        brackets.comma(reading, ",", reading.position - 1)
    else:
        frames[-1][0].args.append(atom)


def _symbol_call(reading: Reading, found: re.Match[str], _kind: int) -> None:
    """A symbol and its bracket."""
    start, end = found.span(tokens.SYMBOL)
    if reading.is_ready or not reading.frames:
        before_operand(reading, start)
    head = Atom("symbol", found[tokens.SYMBOL], start, end)
    pending = reading.pending
    if pending and pending[-1].precedence >= CALL_PRECEDENCE and len(pending) > reading.base:
        reading.operands.append(head)
        reading.is_ready = True
        brackets.open_call(reading, "[", end)
        return
    reading.frames.append((Node(head, [], start), "[", end, reading.base))
    reading.base = len(pending)
    reading.is_ready = False


def _based_number(reading: Reading, found: re.Match[str], kind: int) -> None:
    text = found[kind]
    base, _, rest = text.partition("^^")
    if not _LEAST_BASE <= int(base) <= _MOST_BASE:
        at = found.start(kind)
        reading.complain(f"{base} is no base from 2 to 36", at, at + len(base))
        _atom(reading, found, kind)
        return
    for place, digit in enumerate(rest):
        if digit in "`*":
            break
        if digit != "." and int(digit, 36) >= int(base):
            at = found.start(kind) + len(base) + 2 + place
            reading.complain(f"{digit} is no digit in base {base}", at, at + 1)
            break
    _atom(reading, found, kind)


def _joined(reading: Reading, found: re.Match[str], kind: int) -> None:
    """A number or name that goes on in another line."""
    start, text = found.start(kind), tokens.LINE_JOIN.sub("", found[kind])
    is_number = text[0].isdecimal() or text[0] == "."
    atom = Atom("number" if is_number else "symbol", text, start, reading.position)
    add_operand(reading, atom, start)


def _named_blank(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(tokens.SYMBOL)
    text = found[tokens.SYMBOL] + found[kind]
    add_operand(reading, blank(text, start, reading.position), start)


def _blank(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    add_operand(reading, blank(found[kind], start, reading.position), start)


def _slot(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    add_operand(reading, slot(found[kind], start, reading.position), start)


def _out(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    add_operand(reading, out(found[kind], start, reading.position), start)


def _list(reading: Reading, found: re.Match[str], kind: int) -> None:
    brackets.open_group(reading, "{", found.start(kind))


def _closer(reading: Reading, found: re.Match[str], kind: int) -> None:
    brackets.close(reading, found[kind], reading.position - 1)


def _closer_comma(reading: Reading, found: re.Match[str], _kind: int) -> None:
    """A closing bracket and its comma."""
    reading.position = end = found.end(tokens.CLOSER)
    brackets.close(reading, found[tokens.CLOSER], end - 1)
    reading.previous = end
    reading.position = found.end()
    brackets.comma(reading, ",", reading.position - 1)


def _part(reading: Reading, found: re.Match[str], kind: int) -> None:
    brackets.open_call(reading, "[[", found.start(kind))


def _plain(reading: Reading, found: re.Match[str], kind: int) -> None:
    text = found[kind]
    _OF_TEXT.get(text, operator)(reading, text, found.start(kind))


def _named(reading: Reading, found: re.Match[str], kind: int) -> None:
    text = SAME_BRACKETS.get(found[kind], found[kind])
    _OF_TEXT.get(text, operator)(reading, text, found.start(kind))


def _character(reading: Reading, found: re.Match[str], kind: int) -> None:
    name = NAME_OF_CHARACTER[found[kind]]
    text = SAME_BRACKETS.get(name, name)
    _OF_TEXT.get(text, operator)(reading, text, found.start(kind))


def _comment(reading: Reading, found: re.Match[str], kind: int) -> None:
    start = found.start(kind)
    end = reading.comments.end(start)
    if not reading.frames:
        reading.has_crossed = reading.crosses(start)
    if end is None:
        line = tokens.REST_OF_LINE.match(reading.text, start)
        end = line.end() if line else len(reading.text)
        reading.complain("The comment has no end", start, start + 2)
    reading.source.comments.append((start, end))
    reading.position = end


def _boxes(reading: Reading, found: re.Match[str], kind: int) -> None:
    """What is written in the syntax of boxes is one opaque atom."""
    text, start = found[kind], found.start(kind)
    end: int | None = reading.position
    if text.endswith("("):
        end = reading.boxes.end(reading.position - 2)
        if end is None:
            reading.complain("The box syntax has no end", start, reading.position)
    else:
        reading.complain(f"{text} outside of box syntax", start, reading.position)
    reading.position = end or reading.position
    atom = Atom("boxes", reading.text[start : reading.position], start, reading.position)
    if end is None or not text.endswith("("):
        atom.kind = "error"
    add_operand(reading, atom, start)


_KINDS: dict[int, Kind] = {
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
_OF_TEXT: dict[str, Callable[[Reading, str, int], None]] = {
    **dict.fromkeys(CALLS, brackets.open_call),
    **dict.fromkeys(GROUPS, brackets.open_group),
    **dict.fromkeys(brackets.CLOSERS, brackets.close),
    ",": brackets.comma,
    "<<": get,
}
_ACTS_BY_KIND: dict[int, Callable[[Reading, re.Match[str], int], None]] = {
    tokens.SYMBOL: _atom,
    tokens.SYMBOL_CALL: _symbol_call,
    tokens.SYMBOL_COMMA: _atom_comma,
    tokens.SYMBOL_BLANK: _named_blank,
    tokens.STRING: _atom,
    tokens.STRING_COMMA: _atom_comma,
    tokens.LIST: _list,
    tokens.CLOSER: _closer,
    tokens.CLOSER_COMMA: _closer_comma,
    tokens.PART: _part,
    tokens.OPERATOR: _plain,
    tokens.BASED: _based_number,
    tokens.NUMBER: _atom,
    tokens.NUMBER_COMMA: _atom_comma,
    tokens.SLOT: _slot,
    tokens.OUT: _out,
    tokens.NAMED_OPERATOR: _named,
    tokens.CHARACTER: _character,
    tokens.COMMENT: _comment,
    tokens.BOXES: _boxes,
    tokens.BLANK: _blank,
    tokens.JOINED: _joined,
}
_ACTS = [_ACTS_BY_KIND.get(kind, _plain) for kind in range(tokens.JOINED + 1)]
