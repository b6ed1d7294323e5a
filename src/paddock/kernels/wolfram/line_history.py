"""Values that come with the form in which they are to be shown: `InputForm[x]`, `FullForm[x]`.

What went before in a session, and how code refers to it.

Engines count their lines in their own ways, or not at all. So `%`, `Out[n]`, `In[n]` and `$Line`
are replaced by what they stand for before the code goes to an engine: in the parsed expressions, so
that nothing inside a string or a comment is touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import Atom, Node, full_form, is_symbol, parse, parse_number, string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram import Expression, ParsedSource


_INPUT_FORM_START, _FULL_FORM_START = "InputForm[", "FullForm["
_UNKNOWN_LINE_OUTPUT = re.compile(r"HoldForm\[(Out\[-?\d+\])\]")
"""How a line that the session does not have is kept from the engine."""


def apply_output_form(result: str) -> str:
    """A result as it is shown: in the form that it asks for."""
    if unknown := _UNKNOWN_LINE_OUTPUT.fullmatch(result):
        return unknown[1]
    inner = _get_form_argument(result)
    if inner is None or result.startswith(_INPUT_FORM_START):
        return result if inner is None else inner
    return full_form(parse(inner).expressions[0])


def strip_output_form(result: str) -> str:
    """A result as `%` means it: without the form."""
    inner = _get_form_argument(result)
    return result if inner is None else inner


def _get_form_argument(result: str) -> str | None:
    """What stands inside of the form; None if there is none."""
    if not result.startswith((_INPUT_FORM_START, _FULL_FORM_START)):
        return None
    source = parse(result)
    if source.problems or len(source.expressions) != 1:
        return None
    (found,) = source.expressions
    if not isinstance(found, Node) or found.form != "call" or len(found.args) != 1:
        return None
    return result[found.args[0].start : found.args[0].end]


IMAGE_PLACEHOLDER = re.compile(r"-(?:Graphics3D|Graphics|Image3D|Image|Graph|Sound)-")
"""What engines write in the place of something that has no text."""
FREEFORM_PROMPTS = ("\\[FreeformPrompt]", "\uf351")
"""The head of what is meant as natural language."""

_MAPPING_HEADS = ("Map", "Scan", "Apply")
_MAX_RECREATION_DEPTH = 40
"""Of pictures made from pictures that were made from pictures."""


@dataclass(frozen=True, slots=True)
class LineHistory:
    """The lines of a session that were evaluated: what was typed, and what came out."""

    inputs: Mapping[int, str] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)
    line: int = 1
    """The number of the line that comes next."""

    def truncate_to_line(self, line: int) -> LineHistory:
        """The history as it was when a line was evaluated."""
        return LineHistory(self.inputs, self.results, line)


class SourceChange(NamedTuple):
    """A part of a source, and what stands in its place."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class RewrittenExpression:
    """An expression as the engine gets it."""

    text: str
    freeform_inputs: list[str] = field(default_factory=list)
    """Natural language that nobody could interpret."""


def rewrite_references(
    source: ParsedSource, expression: Expression, history: LineHistory
) -> RewrittenExpression:
    """The text of an expression, with references to earlier lines replaced by what they mean."""
    unread: list[str] = []
    changes = list(_iter_changes(source, expression, history, unread, 0))
    return RewrittenExpression(_apply_changes(source, expression, changes), unread)


def _apply_changes(
    source: ParsedSource, expression: Expression, changes: list[SourceChange]
) -> str:
    pieces: list[str] = []
    at = expression.start
    for change in sorted(changes):
        pieces += [source.text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, source.text[at : expression.end]])


def _iter_changes(
    source: ParsedSource,
    expression: Expression,
    history: LineHistory,
    unread: list[str],
    depth: int,
) -> Iterator[SourceChange]:
    waiting: list[tuple[Expression, bool]] = [(expression, False)]
    while waiting:
        found, is_mapped = waiting.pop()
        text = _find_replacement(found, history, depth, is_mapped=is_mapped)
        if text is None and isinstance(found, Node) and _is_freeform(found):
            unread.append(source.text[found.start : found.end])
            text = "$Failed"
        if text is not None and found.start >= 0:
            yield SourceChange(found.start, found.end, text)
        elif isinstance(found, Node):
            maps = isinstance(found.head, Atom) and found.head.text in _MAPPING_HEADS
            waiting.append((found.head, True))
            waiting += [(arg, maps and not index) for index, arg in enumerate(found.args)]


def _is_freeform(found: Node) -> bool:
    return isinstance(found.head, Atom) and found.head.text in FREEFORM_PROMPTS


def _find_replacement(
    found: Expression, history: LineHistory, depth: int, *, is_mapped: bool
) -> str | None:
    """What a reference to earlier lines means; None for everything else.

    `is_mapped` says that the expression is used as a function.
    """
    if isinstance(found, Atom):
        if found.kind != "symbol":
            return None
        if found.text == "$Line":
            return str(history.line)
        return _build_out_function(history, depth) if is_mapped and found.text == "Out" else None
    line = _resolve_line(found, history)
    if line is None:
        return None
    if is_symbol(found.head, "Out"):
        # Never as it stands: an engine has lines of its own, with what is none of the user's.
        return _get_result_code(history, line, depth) or f"HoldForm[Out[{line}]]"
    if line not in history.inputs:
        return None
    if is_symbol(found.head, "InString"):
        return string(history.inputs[line]).text
    return _get_input_code(history, line, depth)


def _resolve_line(found: Node, history: LineHistory) -> int | None:
    """The line that `Out[3]`, `%` or `In[-1]` is about."""
    if not isinstance(found.head, Atom) or found.head.text not in ("Out", "In", "InString"):
        return None
    if not found.args:
        return history.line - 1
    given = found.args[0]
    if len(found.args) > 1 or not isinstance(given, Atom) or given.kind != "number":
        return None
    number = parse_number(given.text)
    if not isinstance(number, int):
        return None
    return number if number > 0 else history.line + number


def _get_result_code(history: LineHistory, line: int, depth: int) -> str | None:
    """The result of a line, as code; what has no text is made again from what was typed."""
    result = history.results.get(line)
    if result is None or line >= history.line:
        return None
    if (
        IMAGE_PLACEHOLDER.search(result)
        and line in history.inputs
        and depth < _MAX_RECREATION_DEPTH
    ):
        return (
            _recreate_result(history.truncate_to_line(line), history.inputs[line], depth)
            or f"({result})"
        )
    return f"({result})"


def _recreate_result(history: LineHistory, code: str, depth: int) -> str | None:
    """The last expression of an input."""
    source = parse(code)
    if source.problems or not source.expressions:
        return None
    last = source.expressions[-1]
    changes = list(_iter_changes(source, last, history, [], depth + 1))
    return f"({_apply_changes(source, last, changes)})"


def _get_input_code(history: LineHistory, line: int, depth: int) -> str | None:
    """All that was typed in a line, as one expression."""
    if depth >= _MAX_RECREATION_DEPTH:
        return None
    source = parse(history.inputs[line])
    if source.problems or not source.expressions:
        return None
    then = history.truncate_to_line(line)
    texts = [
        _apply_changes(source, each, list(_iter_changes(source, each, then, [], depth + 1)))
        for each in source.expressions
    ]
    return f"({'; '.join(texts)})"


def _build_out_function(history: LineHistory, depth: int) -> str:
    """`Out` as a function of a line that is not known beforehand."""
    cases = "".join(
        f", {line}, {_get_result_code(history, line, depth)}"
        for line in sorted(history.results)
        if line < history.line
    )
    return f"(Switch[If[# < 0, {history.line} + #, #]{cases}, _, HoldForm[Out[#]]] &)"
