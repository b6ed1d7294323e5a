"""The parser: from source text to expressions with exact positions.

`parse` never fails: it returns every expression it could read and a list of problems.
`parse_strict` raises the first problem. This module dispatches tokens. `operands` and
`infix_operators` update the stacks in `parse_state`, and `node_builders` builds the nodes of
completed operators.
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
from paddock.wolfram.parse_state import (
    FRAME_BRACKET,
    FRAME_NODE,
    FRAME_START,
    ParseState,
    defer_gc,
)
from paddock.wolfram.tokens import get_full_token_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from paddock.wolfram.expressions import AtomKind, Expression
    from paddock.wolfram.source import ParsedSource


_BLANK_HEADS = {"_": "Blank", "__": "BlankSequence", "___": "BlankNullSequence"}
BLANK_FORM, SLOT_FORM, OUT_FORM = "_", "#", "%"
_MAX_REPARSE_FACTOR = 3
"""Limit on text reread after unclosed brackets, as a multiple of the source length.

Without it, a source with many unclosed brackets would take quadratic time.
"""
_MIN_REPARSE_CHARACTERS = 200_000
"""Number of characters that may be reread regardless of the source length."""
_MIN_BASE, _MAX_BASE = 2, 36
_UNEXPECTED_MESSAGE = "Unexpected character"
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


def parse_blank(text: str, start: int, end: int) -> Node:
    """Return the pattern for a token with a blank, such as `_`, `x_`, `x_h`, `x__` or `x_.`.

    For example, `x_h` becomes `Pattern[x, Blank[h]]`, and `x_.` becomes
    `Optional[Pattern[x, Blank[]]]`.

    Args:
        text: The text of the token.
        start: The offset of the token in the source.
        end: The offset after the token.
    """
    name, _, _ = text.partition("_")
    head = text[len(name) :].lstrip("_")
    underscores = text[len(name) : len(text) - len(head)]
    is_optional = head == "."
    args: list[Expression] = []
    if head and not is_optional:
        args.append(Atom("symbol", head, end - len(head), end))
    pattern_end = end - 1 if is_optional else end
    blank_head = symbol(_BLANK_HEADS[underscores])
    pattern = Node(blank_head, args, start + len(name), pattern_end, BLANK_FORM)
    if name:
        variable = Atom("symbol", name, start, start + len(name))
        pattern = Node(symbol("Pattern"), [variable, pattern], start, pattern_end, BLANK_FORM)
    if is_optional:
        return Node(symbol("Optional"), [pattern], start, end, BLANK_FORM)
    return pattern


def parse_slot(text: str, start: int, end: int) -> Node:
    """Return the node for a slot, a parameter of a pure function: `#`, `#2`, `#name` or `##`.

    For example, `#` becomes `Slot[1]`, and `##2` becomes `SlotSequence[2]`.

    Args:
        text: The text of the token.
        start: The offset of the token in the source.
        end: The offset after the token.
    """
    head = "SlotSequence" if text.startswith("##") else "Slot"
    slot_name = text.lstrip("#") or "1"
    if slot_name.isdigit():
        arg = Atom("number", slot_name)
    elif slot_name.startswith('"'):
        arg = Atom("string", slot_name)
    else:
        arg = string(slot_name)
    return Node(symbol(head), [arg], start, end, SLOT_FORM)


def parse_out(text: str, start: int, end: int) -> Node:
    """Return the node for an earlier result: `Out[]` for `%`, or `Out[5]` for `%5`.

    Args:
        text: The text of the token.
        start: The offset of the token in the source.
        end: The offset after the token.
    """
    number = text.lstrip("%")
    args: list[Expression] = []
    if number:
        args.append(Atom("number", number))
    elif len(text) > 1:
        # `%%` means `Out[-2]`, the result before the last one.
        args.append(Atom("number", f"-{len(text)}"))
    return Node(symbol("Out"), args, start, end, OUT_FORM)


def parse(text: str) -> ParsedSource:
    """Parse a source text. Never raises: syntax errors are reported in `problems`."""
    with defer_gc():
        return _parse_text(text)


def _parse_text(text: str) -> ParsedSource:
    """Parse a source text into top-level expressions, comments and syntax problems.

    An unclosed bracket would swallow the rest of the source. In this case, its region is reread up
    to the next line that looks like a statement, so that only one expression is lost.
    """
    state = ParseState(text)
    _skip_preamble(state)
    _read_tokens(state, len(text))
    remaining_characters = _MAX_REPARSE_FACTOR * len(text) + _MIN_REPARSE_CHARACTERS
    # Limit the number of characters to reread, because it could grow quadratically.
    while remaining_characters > 0:
        resumption = _find_next_statement(state)
        if resumption is None:
            break
        remaining_characters -= len(text) - state.restart_point[0]
        state.rewind()
        _read_tokens(state, resumption)
        _finish_region(state, resumption)
        state.position = state.previous_end = resumption
        _read_tokens(state, len(text))
    _finish_region(state, len(text))
    # The problems are out of order if regions were reread.
    state.source.problems.sort(key=lambda problem: problem.start)
    return state.source


def parse_strict(text: str, *, where: str | None = None) -> list[Expression]:
    """Parse a source text that must be free of errors, and return its top-level expressions.

    Args:
        text: The source text.
        where: The name of the source, such as a file name, for the error.

    Raises:
        WolframSyntaxError: The source has a syntax error.
    """
    source = parse(text)
    source.raise_first_problem(where)
    return source.expressions


def _skip_preamble(state: ParseState) -> None:
    """Skip a byte-order mark and a shebang line (`#!…`) at the beginning of the source."""
    if state.text.startswith("\ufeff"):
        state.position = 1
    line = tokens.SCRIPT_LINE.match(state.text, state.position)
    state.position = line.end() if line else state.position
    state.previous_end = state.position
    state.mark_expression_start(state.position)


def _read_tokens(state: ParseState, end: int) -> None:
    """Read the tokens from the current position up to an offset, and call their handlers.

    Most tokens match a pattern for ASCII characters. The slower full pattern is only tried where
    that fails.
    """
    # This loop runs once for each token, so attribute lookups are kept out of it.
    text, handlers, has_strings = state.text, _TOKEN_HANDLERS, True
    match_token = tokens.TOKEN_PATTERN.match
    while True:
        match = match_token(text, state.position, end)
        if match is None:
            if _is_at_end(state, end):
                return
            match = get_full_token_pattern(strings=has_strings).match(text, state.position, end)
        if match is None:
            # After an unclosed string, any other quote would begin a wrong string.
            has_strings = has_strings and text[state.position] != '"'
            if not has_strings:
                match_token = get_full_token_pattern(strings=False).match
            _skip_invalid_text(state, end)
            continue
        kind = match.lastindex or 0
        state.position = match.end()
        handlers[kind](state, match, kind)
        state.previous_end = state.position


def _is_at_end(state: ParseState, end: int) -> bool:
    """Skip whitespace and return whether the end has been reached."""
    space = tokens.SPACE_PATTERN.match(state.text, state.position, end)
    state.position = space.end() if space else state.position
    return state.position >= end


def _skip_invalid_text(state: ParseState, end: int) -> None:
    """Skip an unclosed string or an invalid character, and report a syntax problem.

    The parser continues after it, so that one mistake does not hide later problems.
    """
    start = state.position
    if state.text[start] == '"':
        # End the string with its line. Otherwise, the rest of the source would be lost.
        line = tokens.REST_OF_LINE.match(state.text, start, end)
        state.position = line.end() if line else end
        state.report_problem("The string has no end", start, state.position)
        error_atom = Atom("error", state.text[start : state.position], start, state.position)
        push_operand(state, error_atom, start)
    else:
        state.position = start + 1
        _report_character(state, start)
    state.previous_end = state.position


def _report_character(state: ParseState, start: int) -> None:
    """Report an invalid character as a syntax problem.

    Adjacent invalid characters extend the span of a single problem.
    """
    problems = state.source.problems
    last = problems[-1] if problems else None
    if last and last.end == start and last.message.startswith(_UNEXPECTED_MESSAGE):
        problems[-1] = last._replace(end=start + 1)
    else:
        state.report_problem(f"{_UNEXPECTED_MESSAGE} {state.text[start]!r}", start, start + 1)


def _find_next_statement(state: ParseState) -> int | None:
    """Return the offset at which to resume after an unclosed bracket, or None.

    This is the start of the next line outside comments that looks like a statement. The result is
    None if all brackets are closed or no such line follows.
    """
    if not state.frames:
        return None
    comments = state.source.comments
    bracket_start = state.frames[0][FRAME_START]
    for match in tokens.STATEMENT_START.finditer(state.text, bracket_start + 1):
        start = match.start()
        # A definition inside a comment is not a statement.
        index = bisect_left(comments, (start,)) - 1
        if index < 0 or comments[index][1] <= start:
            return start
    return None


def _finish_region(state: ParseState, end: int) -> None:
    """Close all open brackets at `end` and complete the expression."""
    while state.frames:
        operands.close_unclosed_bracket(state, end)
    finish_pending_expression(state, end)


def _handle_atom(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Push an atom, such as a symbol or a number, as an operand.

    This does what `push_operand` does for other expressions.
    """
    start = match.start(kind)
    # Within brackets, the first operand of an argument needs no preparation.
    if state.has_operand or not state.frames:
        begin_operand(state, start)
    state.operands.append(Atom(_ATOM_KINDS[kind], match[kind], start, state.position))
    state.has_operand = True


def _handle_atom_comma(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Handle an atom and the comma after it, which form a single token.

    If the atom is a complete argument, like `x` in `f[x, y]`, it is added to the node directly.
    This is much faster than using the operand stack.
    """
    group = _ATOM_GROUPS[kind]
    start, end = match.span(group)
    atom = Atom(_ATOM_KINDS[group], match[group], start, end)
    frames = state.frames
    if (
        state.has_operand
        or not frames
        or len(state.pending) > state.frame_base
        or frames[-1][FRAME_BRACKET] == "("
    ):
        push_operand(state, atom, start)
        state.previous_end = end
        operands.add_comma(state, ",", state.position - 1)
    else:
        frames[-1][FRAME_NODE].args.append(atom)


def _handle_symbol_call(state: ParseState, match: re.Match[str], _kind: int) -> None:
    """Handle a symbol and the `[` after it, which form a single token and open a call.

    Usually, the symbol is the head of the call. After an operator that binds more tightly than a
    call, the head is the operator's expression: `x?f[y]` means `(x?f)[y]`.
    """
    start, end = match.span(tokens.SYMBOL)
    if state.has_operand or not state.frames:
        begin_operand(state, start)
    head = Atom("symbol", match[tokens.SYMBOL], start, end)
    pending = state.pending
    if pending and pending[-1].precedence >= CALL_PRECEDENCE and len(pending) > state.frame_base:
        state.operands.append(head)
        state.has_operand = True
        operands.open_call(state, "[", end)
        return
    state.frames.append((Node(head, [], start), "[", end, state.frame_base))
    state.frame_base = len(pending)
    state.has_operand = False


def _handle_based_number(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Handle a number with a base, such as `16^^ff`, and check its base and digits.

    An invalid number is reported as a syntax problem, but still becomes an atom.
    """
    text = match[kind]
    base, _, digits = text.partition("^^")
    if not _MIN_BASE <= int(base) <= _MAX_BASE:
        start = match.start(kind)
        state.report_problem(f"{base} is not a base from 2 to 36", start, start + len(base))
        _handle_atom(state, match, kind)
        return
    # The digits end at a precision mark or exponent, which may contain any decimal digit.
    for index, digit in enumerate(digits):
        if digit in "`*":
            break
        if digit != "." and int(digit, 36) >= int(base):
            start = match.start(kind) + len(base) + 2 + index
            state.report_problem(f"{digit} is not a digit in base {base}", start, start + 1)
            break
    _handle_atom(state, match, kind)


def _handle_joined_token(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Handle a number or name that continues on another line."""
    start, text = match.start(kind), tokens.LINE_JOIN.sub("", match[kind])
    is_number = text[0].isdecimal() or text[0] == "."
    atom = Atom("number" if is_number else "symbol", text, start, state.position)
    push_operand(state, atom, start)


def _handle_named_blank(state: ParseState, match: re.Match[str], kind: int) -> None:
    start = match.start(tokens.SYMBOL)
    text = match[tokens.SYMBOL] + match[kind]
    push_operand(state, parse_blank(text, start, state.position), start)


def _handle_short_form(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Push the node of a token such as `_Integer`, `#1` or `%`."""
    start = match.start(kind)
    node = _SHORT_FORM_PARSERS[kind](match[kind], start, state.position)
    push_operand(state, node, start)


def _handle_list(state: ParseState, match: re.Match[str], kind: int) -> None:
    operands.open_group(state, "{", match.start(kind))


def _handle_closer(state: ParseState, match: re.Match[str], kind: int) -> None:
    operands.close_bracket(state, match[kind], state.position - 1)


def _handle_closer_comma(state: ParseState, match: re.Match[str], _kind: int) -> None:
    """Handle a closing bracket and the comma after it as if they were two tokens."""
    state.position = end = match.end(tokens.CLOSER)
    operands.close_bracket(state, match[tokens.CLOSER], end - 1)
    state.previous_end = end
    state.position = match.end()
    operands.add_comma(state, ",", state.position - 1)


def _handle_part(state: ParseState, match: re.Match[str], kind: int) -> None:
    operands.open_call(state, "[[", match.start(kind))


def _handle_plain_sign(state: ParseState, match: re.Match[str], kind: int) -> None:
    text = match[kind]
    _HANDLERS_BY_TEXT.get(text, handle_operator)(state, text, match.start(kind))


def _handle_named_sign(state: ParseState, match: re.Match[str], kind: int) -> None:
    r"""Handle an operator or bracket written as a character or by name, such as `\[Rule]`."""
    name = NAMES_BY_CHARACTER.get(match[kind], match[kind])
    text = SIGN_SYNONYMS.get(name, name)
    _HANDLERS_BY_TEXT.get(text, handle_operator)(state, text, match.start(kind))


def _handle_comment(state: ParseState, match: re.Match[str], kind: int) -> None:
    """Skip a comment, which can contain nested comments, and record its span.

    An unclosed comment is reported as a syntax problem. It ends with its line.
    """
    start = match.start(kind)
    end = state.comments.find_end(start)
    # Outside brackets, a line end separates expressions, so record one before the comment.
    if not state.frames:
        state.saw_line_break = state.has_line_break_before(start)
    if end is None:
        line = tokens.REST_OF_LINE.match(state.text, start)
        end = line.end() if line else len(state.text)
        state.report_problem("The comment has no end", start, start + 2)
    state.source.comments.append((start, end))
    state.position = end


def _handle_boxes(state: ParseState, match: re.Match[str], kind: int) -> None:
    r"""Handle boxes in a source, the notebook format for typeset expressions: `\(x\^2\)`.

    They become a single atom with their source text. Unbalanced box syntax is reported.
    """
    text, start = match[kind], match.start(kind)
    is_opening = text.endswith("(")
    end = state.boxes.find_end(state.position - 2) if is_opening else None
    if end is None:
        message = "The box syntax has no end" if is_opening else f"{text} outside of box syntax"
        state.report_problem(message, start, state.position)
    state.position = end or state.position
    atom_kind: AtomKind = "error" if end is None else "boxes"
    boxes = Atom(atom_kind, state.text[start : state.position], start, state.position)
    push_operand(state, boxes, start)


_SHORT_FORM_PARSERS: dict[int, Callable[[str, int, int], Node]] = {
    tokens.BLANK: parse_blank,
    tokens.SLOT: parse_slot,
    tokens.OUT: parse_out,
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
    tokens.SLOT: _handle_short_form,
    tokens.OUT: _handle_short_form,
    tokens.NAMED_OPERATOR: _handle_named_sign,
    tokens.CHARACTER: _handle_named_sign,
    tokens.COMMENT: _handle_comment,
    tokens.BOXES: _handle_boxes,
    tokens.BLANK: _handle_short_form,
    tokens.JOINED: _handle_joined_token,
}
_TOKEN_HANDLERS = [
    _HANDLERS_BY_TOKEN.get(kind, _handle_plain_sign) for kind in range(tokens.JOINED + 1)
]
