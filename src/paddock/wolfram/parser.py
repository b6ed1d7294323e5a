"""From source text to expressions with exact places, whatever is wrong with the text.

An operator-precedence parser with stacks of its own, so that depth costs memory and never the
interpreter's stack. It goes on after an error: `parse` gives everything that could be read and a
list of problems; `parse_strict` raises the first one.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram import tokens
from paddock.wolfram.characters import NAME_OF_CHARACTER
from paddock.wolfram.expressions import Atom, Node, is_symbol, symbol
from paddock.wolfram.operators import (
    CALL_PRECEDENCE,
    INFIX,
    NAMED_BRACKETS,
    PREFIX,
    SPAN_PRECEDENCE,
    TIMES_PRECEDENCE,
)
from paddock.wolfram.patterns import blank, out, slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.operators import Operator

CLOSERS = {"]": "[", "]]": "[[", "}": "{", ")": "(", "|>": "<|"}
IMPLICIT_TIMES = "implicit times"
_LIST, _ASSOCIATION, _PART, _NULL, _ALL, _ONE = map(
    symbol, ("List", "Association", "Part", "Null", "All", "1")
)


class WolframSyntaxError(PaddockError):
    """Wolfram Language text cannot be read."""

    code = "wolfram-syntax"


class Problem(NamedTuple):
    """Something that is wrong with a source, and where."""

    message: str
    start: int
    end: int


class Source:
    """A source text, and what became of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.expressions: list[Expression] = []
        self.problems: list[Problem] = []
        self.comments: list[tuple[int, int]] = []
        self._lines: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1."""
        if self._lines is None:
            self._lines = [0]
            at = self.text.find("\n")
            while at >= 0:
                self._lines.append(at + 1)
                at = self.text.find("\n", at + 1)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def parse(text: str) -> Source:
    """Read a source, as much of it as can be read."""
    return _Parser(text).run()


def parse_strict(text: str, *, where: str | None = None) -> list[Expression]:
    """The top-level expressions of a source.

    Raises:
        WolframSyntaxError: at the first thing that is wrong.
    """
    source = parse(text)
    if source.problems:
        problem = source.problems[0]
        line, column = source.position(problem.start)
        place = f"{where}:{line}:{column}" if where else f"line {line}, column {column}"
        raise WolframSyntaxError(problem.message, where=place)
    return source.expressions


class _Frame:
    """An open bracket: what stands in it so far, and where its operators begin."""

    __slots__ = ("args", "base", "bracket", "head", "start")

    def __init__(self, bracket: str, head: Expression | None, start: int, base: int) -> None:
        self.bracket = bracket
        self.head = head
        self.start = start
        self.base = base
        self.args: list[Expression] = []


class _Pending:
    """An operator whose right operand is not complete."""

    __slots__ = ("make", "place", "precedence", "size", "text")

    def __init__(
        self, precedence: int, text: str, make: Callable[..., None], place: int, size: int = 2
    ) -> None:
        self.precedence = precedence
        self.text = text
        self.make = make
        self.place = place
        self.size = size


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.source = Source(text)
        self.operands: list[Expression] = []
        self.pending: list[_Pending] = []
        self.frames: list[_Frame] = []
        self.base = 0
        self.is_ready = False
        """Whether an operand is complete, so that an operator may follow."""
        self.position = 0
        self.previous = 0
        self.has_crossed = False
        """Whether a line ended since the previous token."""

    def run(self) -> Source:
        text, match = self.text, tokens.TOKEN.match
        self._skip_opening()
        acts = self._acts()
        while True:
            found = match(text, self.position)
            if found is None:
                if self._is_at_end():
                    break
                continue
            kind = found.lastindex or 0
            self.position = found.end()
            if kind == tokens.BLANK:
                start = found.start(1)
                acts[kind](found[1] + found[2], start)
            else:
                start = found.start(kind)
                acts[kind](found[kind], start)
            self.previous = self.position
        self._finish()
        return self.source

    def _acts(self) -> list[Callable[[str, int], None]]:
        """What is done with each kind of token."""
        acts: list[Callable[[str, int], None]] = [self._operator] * 13
        acts[tokens.SYMBOL] = self._symbol
        acts[tokens.STRING] = self._string
        acts[tokens.NUMBER] = self._number
        acts[tokens.BLANK] = acts[tokens.BARE_BLANK] = self._blank
        acts[tokens.SLOT] = self._slot
        acts[tokens.OUT] = self._out
        acts[tokens.CHARACTER] = self._character
        acts[tokens.COMMENT] = self._comment
        acts[tokens.BOXES] = self._boxes
        return acts

    def _skip_opening(self) -> None:
        """A byte-order mark and the line that names the interpreter of a script are no code."""
        if self.text.startswith("\ufeff"):
            self.position = 1
        if self.text.startswith("#!", self.position):
            end = self.text.find("\n")
            self.position = len(self.text) if end < 0 else end
        self.previous = self.position

    def _is_at_end(self) -> bool:
        """Step over what is no token; whether there is nothing left."""
        space = tokens.SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        if self.position >= len(self.text):
            return True
        start = self.position
        if self.text[start] == '"':
            self._complain("The string has no end", start, len(self.text))
            self.position = len(self.text)
            self._operand(Atom("error", self.text[start:], start, self.position), start)
        else:
            self.position += 1
            self._complain(f"Unexpected character {self.text[start]!r}", start, self.position)
        return False

    # Operands.

    def _symbol(self, text: str, start: int) -> None:
        self._operand(Atom("symbol", text, start, self.position), start)

    def _string(self, text: str, start: int) -> None:
        self._operand(Atom("string", text, start, self.position), start)

    def _number(self, text: str, start: int) -> None:
        self._operand(Atom("number", text, start, self.position), start)

    def _blank(self, text: str, start: int) -> None:
        self._operand(blank(text, start, self.position), start)

    def _slot(self, text: str, start: int) -> None:
        self._operand(slot(text, start, self.position), start)

    def _out(self, text: str, start: int) -> None:
        self._operand(out(text, start, self.position), start)

    def _operand(self, operand: Expression, start: int) -> None:
        if self.is_ready:
            self._adjacent(start)
        elif self.pending and not self.frames:
            self._begin(start)
        self.operands.append(operand)
        self.is_ready = True

    def _adjacent(self, start: int) -> None:
        """An operand follows another: a product, or at the top a new line and so a new one."""
        if not self.frames and self._crosses(start):
            self._complete()
        else:
            self._push(TIMES_PRECEDENCE, IMPLICIT_TIMES, self._make_chain, start)

    def _begin(self, start: int) -> None:
        """At the top, a line that ends with a semicolon is complete."""
        if self.pending[-1].text == ";" and self._crosses(start):
            self._fill(start)
            self._complete()

    def _crosses(self, start: int) -> bool:
        crossed = self.has_crossed or self.text.find("\n", self.previous, start) >= 0
        self.has_crossed = False
        return crossed

    def _comment(self, _text: str, start: int) -> None:
        depth, at = 1, self.position
        while depth:
            edge = tokens.COMMENT_EDGE.search(self.text, at)
            if edge is None:
                self._complain("The comment has no end", start, start + 2)
                at = len(self.text)
                break
            depth += 1 if edge[0] == "(*" else -1
            at = edge.end()
        self.has_crossed = self._crosses(start)
        self.source.comments.append((start, at))
        self.position = at

    def _boxes(self, text: str, start: int) -> None:
        """What is written in the syntax of boxes is one opaque atom."""
        depth, at = int(text.endswith("(")), self.position
        while depth:
            edge = tokens.BOX_EDGE.search(self.text, at)
            if edge is None:
                self._complain("The box syntax has no end", start, self.position)
                at = len(self.text)
                break
            depth += {"\\(": 1, "\\)": -1}.get(edge[0], 0)
            at = edge.end()
        if text == "\\)":
            self._complain("Unexpected end of box syntax", start, self.position)
        self.position = at
        self._operand(Atom("boxes", self.text[start:at], start, at), start)

    # Operators and brackets.

    def _character(self, text: str, start: int) -> None:
        self._operator(NAME_OF_CHARACTER[text], start)

    def _operator(self, text: str, start: int) -> None:
        text = NAMED_BRACKETS.get(text, text)
        if text == "=." and self.text[self.position : self.position + 1].isdigit():
            text, self.position = "=", self.position - 1
        act = _BRACKETS.get(text)
        if act is not None:
            act(self, text, start)
        elif self.is_ready:
            self._after_operand(text, start)
        elif text in PREFIX:
            self._prefix(text, start)
        elif text == ";;" and not self._wants_span_end():
            self.operands.append(Atom("number", "1", start, start))
            self._after_operand(text, start)
        else:
            self._fill(start)
            self._after_operand(text, start)

    def _after_operand(self, text: str, start: int) -> None:
        operator = INFIX.get(text)
        if operator is None or (not self.frames and text in PREFIX and self._crosses(start)):
            # It stands before an operand, which is a factor or on a line of its own.
            self._adjacent(start)
            self._prefix(text, start)
            return
        self.has_crossed = False
        _SHAPES[operator.shape](self, operator, text, start)

    def _prefix(self, text: str, start: int) -> None:
        if self.pending and not self.frames:
            self._begin(start)
        self.is_ready = False
        self.pending.append(_Pending(PREFIX[text].precedence, text, self._make_prefix, start, 1))

    def _push(
        self, precedence: int, text: str, make: Callable[..., None], place: int, size: int = 2
    ) -> None:
        """An operator after an operand, which binds what binds as tightly before it."""
        self._reduce(precedence)
        self.pending.append(_Pending(precedence, text, make, place, size))
        self.is_ready = False

    def _reduce(self, precedence: int) -> None:
        """Complete what binds at least as tightly."""
        pending, base = self.pending, self.base
        while len(pending) > base and pending[-1].precedence >= precedence:
            last = pending.pop()
            last.make(last)

    def infix_left(self, operator: Operator, text: str, start: int) -> None:
        self._push(operator.precedence, text, self._make_infix, start)

    def infix_right(self, operator: Operator, text: str, start: int) -> None:
        self._reduce(operator.precedence + 1)
        last = self._last()
        if last is not None and last.text == "/:" and text in ("=", ":="):
            last.text, last.size = f"/: {text}", 3
            self.is_ready = False
            return
        self.pending.append(_Pending(operator.precedence, text, self._make_infix, start))
        self.is_ready = False

    def infix_chain(self, operator: Operator, text: str, start: int) -> None:
        self._push(operator.precedence, text, self._make_chain, start)

    def infix_compare(self, operator: Operator, text: str, start: int) -> None:
        self._push(operator.precedence, text, self._make_comparison, start)

    def postfix(self, operator: Operator, text: str, _start: int) -> None:
        if text == "=.":
            self._unset()
            return
        self._reduce(operator.precedence)
        inner = self.operands[-1]
        self.operands[-1] = self._node(operator.head, [inner], inner.start, self.position, text)

    def _unset(self) -> None:
        self._reduce(41)
        last, inner = self._last(), self.operands[-1]
        if last is not None and last.text == "/:":
            self.pending.pop()
            self.operands.pop()
            tag = self.operands[-1]
            node = self._node("TagUnset", [tag, inner], tag.start, self.position, "/: =.")
        else:
            node = self._node("Unset", [inner], inner.start, self.position, "=.")
        self.operands[-1] = node

    def special(self, operator: Operator, text: str, start: int) -> None:
        act = _SPECIALS.get(text)
        if act is not None:
            act(self, operator, text, start)
        else:
            self._push(operator.precedence, text, _MAKERS[operator.head].__get__(self), start)

    def _last(self) -> _Pending | None:
        return self.pending[-1] if len(self.pending) > self.base else None

    def apply(self, operator: Operator, text: str, start: int) -> None:
        """`f @ x`, which groups to the right."""
        self._reduce(operator.precedence + 1)
        self.pending.append(_Pending(operator.precedence, text, self._make_application, start))
        self.is_ready = False

    def tag(self, operator: Operator, text: str, start: int) -> None:
        self._reduce(operator.precedence + 1)
        self.pending.append(_Pending(operator.precedence, text, self._make_tag, start))
        self.is_ready = False

    def tilde(self, operator: Operator, text: str, start: int) -> None:
        """`a ~ f ~ b`: the second one makes a pair of the first."""
        self._reduce(operator.precedence + 1)
        last = self._last()
        if last is not None and last.text == "~" and last.size == 2:
            last.size = 3
            self.is_ready = False
            return
        self._push(operator.precedence, text, self._make_tilde, start)

    def span(self, operator: Operator, text: str, start: int) -> None:
        self._reduce(operator.precedence + 1)
        last = self._last()
        if last is not None and last.text == ";;" and last.size == 2:
            last.size = 3
            self.is_ready = False
            return
        self._push(operator.precedence, text, self._make_span, start)

    def derivative(self, operator: Operator, text: str, _start: int) -> None:
        self._reduce(operator.precedence)
        inner = self.operands[-1]
        if isinstance(inner, Node) and inner.form == "'" and not inner.is_grouped:
            order = inner.head.args[0]  # type: ignore[union-attr]  # made below
            order.text = str(int(order.text) + 1)  # type: ignore[union-attr]
            inner.end = self.position
            return
        head = Node(symbol("Derivative"), [Atom("number", "1")])
        self.operands[-1] = Node(head, [inner], inner.start, self.position, text)

    def message_name(self, operator: Operator, text: str, start: int) -> None:
        self._reduce(operator.precedence)
        inner = self.operands[-1]
        found = tokens.TAG.match(self.text, self.position)
        if found is None:
            self._complain("Expected the name of a message after ::", start, self.position)
            tag = Atom("error", "", self.position, self.position)
        else:
            self.position = found.end()
            tag = Atom("string", _quoted(found[1]), found.start(1), found.end())
        if isinstance(inner, Node) and inner.form == "::" and not inner.is_grouped:
            inner.args.append(tag)
            inner.end = self.position
            return
        node = self._node("MessageName", [inner, tag], inner.start, self.position, text)
        self.operands[-1] = node

    def put(self, operator: Operator, text: str, start: int) -> None:
        self._reduce(operator.precedence)
        inner = self.operands[-1]
        node = self._node(operator.head, [inner, self._file(start)], inner.start, 0, text)
        node.end = self.position
        self.operands[-1] = node

    def get(self, text: str, start: int) -> None:
        file = self._file(start)
        self._operand(self._node("Get", [file], start, self.position, text), start)

    def _file(self, start: int) -> Atom:
        found = tokens.FILE_NAME.match(self.text, self.position)
        if found is None:
            self._complain("Expected the name of a file", start, self.position)
            return Atom("error", "", self.position, self.position)
        self.position = found.end()
        return Atom("string", _quoted(found[1]), found.start(1), found.end())

    def open_call(self, text: str, start: int) -> None:
        """`f[` and `f[[`; without a head it is an error, and read as if one had been there."""
        if not self.is_ready:
            self._complain(f"Expected an expression before {text}", start, self.position)
            self.operands.append(Atom("error", "", start, start))
        self._reduce(CALL_PRECEDENCE)
        self._open(text, self.operands.pop(), start)

    def open_other(self, text: str, start: int) -> None:
        if self.is_ready:
            self._adjacent(start)
        elif self.pending and not self.frames:
            self._begin(start)
        self._open(text, None, start)

    def _open(self, text: str, head: Expression | None, start: int) -> None:
        self.frames.append(_Frame(text, head, start, self.base))
        self.base = len(self.pending)
        self.is_ready = False

    def comma(self, _text: str, start: int) -> None:
        if not self.frames:
            self._complain("A comma outside of brackets", start, self.position)
            self._complete_at(start)
            return
        frame = self.frames[-1]
        if frame.bracket == "(":
            self._complain("A comma in parentheses", start, self.position)
        frame.args.append(self._argument(start))

    def _argument(self, at: int) -> Expression:
        """What stands between two commas or brackets."""
        if not self.is_ready:
            if len(self.pending) > self.base:
                self._fill(at)
            else:
                self.operands.append(Atom("symbol", "Null", at, at))
        self._reduce(0)
        self.is_ready = False
        return self.operands.pop()

    def close(self, text: str, start: int) -> None:
        bracket = CLOSERS[text]
        if not self._has_open(bracket):
            self._complain(f"Unexpected {text}", start, self.position)
            return
        while self.frames[-1].bracket != bracket:
            self._abandon(start)
        frame = self.frames[-1]
        if bracket == "[[" and text == "]":
            self._close_part(start)
        self._close_frame(frame, self.position)

    def close_bracket(self, text: str, start: int) -> None:
        """`]` closes a call, and with a second one a part."""
        if self.frames and self.frames[-1].bracket == "[[":
            self._close_part(start)
            self._close_frame(self.frames[-1], self.position)
        elif self._has_open("["):
            self.close(text, start)
        elif self._has_open("[["):
            while self.frames[-1].bracket != "[[":
                self._abandon(start)
            self.close_bracket(text, start)
        else:
            self._complain(f"Unexpected {text}", start, self.position)

    def _close_part(self, start: int) -> None:
        space = tokens.SPACE.match(self.text, self.position)
        at = space.end() if space else self.position
        if self.text.startswith("]", at):
            self.position = at + 1
        else:
            self._complain("Expected ]] and found ]", start, self.position)

    def _has_open(self, bracket: str) -> bool:
        frames = self.frames
        return bool(frames) and (
            frames[-1].bracket == bracket or any(frame.bracket == bracket for frame in frames)
        )

    def _abandon(self, at: int) -> None:
        """Close a bracket that was not closed where it should have been."""
        frame = self.frames[-1]
        message = f"{frame.bracket} is not closed"
        self._complain(message, frame.start, frame.start + len(frame.bracket))
        self._close_frame(frame, at)

    def _close_frame(self, frame: _Frame, end: int) -> None:
        if self.is_ready or frame.args or len(self.pending) > self.base:
            frame.args.append(self._argument(end))
        self.frames.pop()
        self.base = frame.base
        self.operands.append(self._closed(frame, end))
        self.is_ready = True

    def _closed(self, frame: _Frame, end: int) -> Expression:
        args, bracket = frame.args, frame.bracket
        if bracket == "[":
            head = frame.head
            return Node(head, args, head.start, end)  # type: ignore[arg-type, union-attr]
        if bracket == "{":
            return Node(_LIST, args, frame.start, end, "list")
        if bracket == "<|":
            return Node(_ASSOCIATION, args, frame.start, end, "association")
        if bracket == "[[":
            head = frame.head
            return Node(_PART, [head, *args], head.start, end, "[[")  # type: ignore[list-item, union-attr]
        return self._grouped(frame, end)

    def _grouped(self, frame: _Frame, end: int) -> Expression:
        if len(frame.args) == 1:
            inner = frame.args[0]
            if inner.start == inner.end == -1:
                inner = Atom("symbol", "Null", frame.start, end)
            inner.start, inner.end, inner.is_grouped = frame.start, end, True
            return inner
        if not frame.args:
            self._complain("Nothing in parentheses", frame.start, end)
        grouped = Node(symbol("Sequence"), frame.args, frame.start, end, "(")
        grouped.is_grouped = True
        return grouped

    # What becomes of operators once their operands are complete.

    def _node(self, head: str, args: list[Expression], start: int, end: int, form: str) -> Node:
        return Node(symbol(head), args, start, end, form)

    def _pair(self) -> tuple[Expression, Expression]:
        right = self.operands.pop()
        return self.operands.pop(), right

    def _make_infix(self, pending: _Pending) -> None:
        left, right = self._pair()
        head = INFIX[pending.text].head
        self.operands.append(self._node(head, [left, right], left.start, right.end, pending.text))

    def _make_chain(self, pending: _Pending) -> None:
        left, right = self._pair()
        head = "Times" if pending.text == IMPLICIT_TIMES else INFIX[pending.text].head
        self.operands.append(self._chained(head, left, right, pending.text))

    def _chained(self, head: str, left: Expression, right: Expression, form: str) -> Node:
        if (
            isinstance(left, Node)
            and left.form in _CHAINS
            and not left.is_grouped
            and is_symbol(left.head, head)
        ):
            left.args.append(right)
            left.end = right.end
            return left
        return self._node(head, [left, right], left.start, right.end, form)

    def make_difference(self, pending: _Pending) -> None:
        left, right = self._pair()
        negative = _negative(right, pending.place)
        self.operands.append(self._chained("Plus", left, negative, pending.text))

    def _make_comparison(self, pending: _Pending) -> None:
        left, right = self._pair()
        head = INFIX[pending.text].head
        if not isinstance(left, Node) or left.form not in _COMPARISONS or left.is_grouped:
            node = self._node(head, [left, right], left.start, right.end, pending.text)
            self.operands.append(node)
            return
        if is_symbol(left.head, "Inequality"):
            left.args.extend([symbol(head), right])
        elif is_symbol(left.head, head):
            left.args.append(right)
        else:
            left.args = _spelled_out(left, head, right)
            left.head = symbol("Inequality")
        left.end = right.end
        self.operands.append(left)

    def _make_prefix(self, pending: _Pending) -> None:
        inner = self.operands.pop()
        head = PREFIX[pending.text].head
        if head == "Minus":
            node: Expression = _negative(inner, pending.place)
        elif head == "NotNot":
            once = self._node("Not", [inner], pending.place + 1, inner.end, "!")
            node = self._node("Not", [once], pending.place, inner.end, "!")
        else:
            node = self._node(head, [inner], pending.place, inner.end, f"prefix {pending.text}")
        self.operands.append(node)

    def make_compound(self, pending: _Pending) -> None:
        left, right = self._pair()
        self.operands.append(self._chained("CompoundExpression", left, right, pending.text))

    def make_postfix_call(self, pending: _Pending) -> None:
        left, right = self._pair()
        self.operands.append(Node(right, [left], left.start, right.end, pending.text))

    def _make_application(self, pending: _Pending) -> None:
        left, right = self._pair()
        self.operands.append(Node(left, [right], left.start, right.end, pending.text))

    def make_pattern(self, pending: _Pending) -> None:
        left, right = self._pair()
        is_name = isinstance(left, Atom) and left.kind == "symbol" and not left.is_grouped
        head = "Pattern" if is_name else "Optional"
        self.operands.append(self._node(head, [left, right], left.start, right.end, pending.text))

    def _make_tag(self, pending: _Pending) -> None:
        if pending.size == 2:
            self._complain("Expected = or := after /:", pending.place, pending.place + 2)
            left, right = self._pair()
            node = self._node("TagSet", [left, right], left.start, right.end, "/:")
        else:
            value = self.operands.pop()
            left, right = self._pair()
            head = "TagSet" if pending.text == "/: =" else "TagSetDelayed"
            node = self._node(head, [left, right, value], left.start, value.end, pending.text)
        self.operands.append(node)

    def _make_tilde(self, pending: _Pending) -> None:
        if pending.size == 2:
            self._complain("Expected a second ~", pending.place, pending.place + 1)
            left, head = self._pair()
            self.operands.append(Node(head, [left], left.start, head.end, "~"))
            return
        right = self.operands.pop()
        left, head = self._pair()
        self.operands.append(Node(head, [left, right], left.start, right.end, "~"))

    def _make_span(self, pending: _Pending) -> None:
        args = self.operands[-pending.size :]
        del self.operands[-pending.size :]
        self.operands.append(
            self._node("Span", args, args[0].start, max(args[-1].end, pending.place + 2), ";;")
        )

    # What is missing, and the ends of expressions.

    def _wants_span_end(self) -> bool:
        last = self._last()
        return last is not None and last.text == ";;" and last.precedence == SPAN_PRECEDENCE

    def _fill(self, at: int) -> None:
        """Put in what may be left out, or an error where nothing may."""
        last = self._last()
        if last is not None and last.text == ";":
            missing = Atom("symbol", "Null", at, at)
            missing.start = missing.end = self.previous
        elif self._wants_span_end():
            missing = Atom("symbol", "All", self.previous, self.previous)
        else:
            found = self.text[at : at + 10].split("\n")[0] or "the end"
            self._complain(f"Expected an expression before {found!r}", at, at)
            missing = Atom("error", "", at, at)
        self.operands.append(missing)
        self.is_ready = True

    def _complete(self) -> None:
        """A top-level expression has come to its end."""
        self._reduce(0)
        self.source.expressions.append(self.operands.pop())
        self.is_ready = False

    def _complete_at(self, at: int) -> None:
        if not self.is_ready and self.pending:
            self._fill(at)
        if self.is_ready:
            self._complete()

    def _finish(self) -> None:
        end = len(self.text)
        while self.frames:
            self._abandon(end)
        self._complete_at(end)

    def _complain(self, message: str, start: int, end: int) -> None:
        self.source.problems.append(Problem(message, start, end))


_CHAINS = frozenset(
    {text for text, operator in INFIX.items() if operator.shape == "chain"}
    | {"-", ";", IMPLICIT_TIMES, "prefix -"}
)
_COMPARISONS = frozenset(text for text, operator in INFIX.items() if operator.shape == "compare")
_BRACKETS: dict[str, Callable[[_Parser, str, int], None]] = {
    "[": _Parser.open_call,
    "[[": _Parser.open_call,
    "{": _Parser.open_other,
    "(": _Parser.open_other,
    "<|": _Parser.open_other,
    "]": _Parser.close_bracket,
    "]]": _Parser.close,
    "}": _Parser.close,
    ")": _Parser.close,
    "|>": _Parser.close,
    ",": _Parser.comma,
    "<<": _Parser.get,
}
_SHAPES: dict[str, Callable[[_Parser, Operator, str, int], None]] = {
    "left": _Parser.infix_left,
    "right": _Parser.infix_right,
    "chain": _Parser.infix_chain,
    "compare": _Parser.infix_compare,
    "postfix": _Parser.postfix,
    "special": _Parser.special,
}
_SPECIALS: dict[str, Callable[[_Parser, Operator, str, int], None]] = {
    ">>": _Parser.put,
    ">>>": _Parser.put,
    "/:": _Parser.tag,
    ";;": _Parser.span,
    "~": _Parser.tilde,
    "@": _Parser.apply,
    "\\[InvisibleApplication]": _Parser.apply,
    "\\[Application]": _Parser.apply,
    "'": _Parser.derivative,
    "::": _Parser.message_name,
}
_MAKERS: dict[str, Callable[[_Parser, _Pending], None]] = {
    "CompoundExpression": _Parser.make_compound,
    "Postfix": _Parser.make_postfix_call,
    "Pattern": _Parser.make_pattern,
    "Plus": _Parser.make_difference,
}


def _negative(inner: Expression, start: int) -> Expression:
    """A number with a sign, or a product with -1."""
    if isinstance(inner, Atom) and inner.kind == "number" and not inner.is_grouped:
        if not inner.text.startswith("-"):
            return Atom("number", f"-{inner.text}", start, inner.end)
    elif (
        isinstance(inner, Node)
        and inner.form in _CHAINS
        and not inner.is_grouped
        and is_symbol(inner.head, "Times")
    ):
        args = [Atom("number", "-1"), *inner.args]
        return Node(inner.head, args, start, inner.end, "prefix -")
    return Node(symbol("Times"), [Atom("number", "-1"), inner], start, inner.end, "prefix -")


def _spelled_out(left: Node, head: str, right: Expression) -> list[Expression]:
    """The arguments of `Inequality` for `a < b` that goes on with another operator."""
    args: list[Expression] = [left.args[0]]
    for operand in left.args[1:]:
        args += [left.head, operand]
    return [*args, symbol(head), right]


def _quoted(text: str) -> str:
    return text if text.startswith('"') else f'"{text}"'
