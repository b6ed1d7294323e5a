"""Earlier lines of a session, and replacement of references to them.

Engines number lines differently or not at all. References such as `%`, `Out[n]`, `In[n]` and
`$Line` are therefore replaced before code is sent to an engine. The replacement uses parsed
expressions, so strings and comments are not affected.

Results may specify an output form, such as `InputForm[x]`; see `apply_output_form`.
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
"""Placeholder for the output of an unknown line, which the engine must not evaluate."""
IMAGE_PLACEHOLDER = re.compile(r"-(?:Graphics3D|Graphics|Image3D|Image|Graph|Sound)-")
"""Placeholders that engines write for values without a text form."""
FREEFORM_PROMPTS = ("\\[FreeformPrompt]", "\uf351")
"""Heads of natural language input."""
_MAPPING_HEADS = ("Map", "Scan", "Apply")
_MAX_RECREATION_DEPTH = 40
"""Maximum nesting when an image is recreated from inputs that refer to other images."""


def apply_output_form(result: str) -> str:
    """Return a result in the output form that it specifies."""
    if unknown := _UNKNOWN_LINE_OUTPUT.fullmatch(result):
        return unknown[1]
    inner = _get_form_argument(result)
    if inner is None or result.startswith(_INPUT_FORM_START):
        return result if inner is None else inner
    return full_form(parse(inner).expressions[0])


def strip_output_form(result: str) -> str:
    """Return a result without its output form, as `%` refers to it."""
    inner = _get_form_argument(result)
    return result if inner is None else inner


def _get_form_argument(result: str) -> str | None:
    """Return the argument of an output form, or None if the result has no such form."""
    if not result.startswith((_INPUT_FORM_START, _FULL_FORM_START)):
        return None
    source = parse(result)
    if source.problems or len(source.expressions) != 1:
        return None
    (expression,) = source.expressions
    if not isinstance(expression, Node) or expression.form != "call" or len(expression.args) != 1:
        return None
    return result[expression.args[0].start : expression.args[0].end]


@dataclass(frozen=True, slots=True)
class LineHistory:
    """Inputs and results of the evaluated lines of a session, by line number."""

    inputs: Mapping[int, str] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)
    line: int = 1
    """The number of the next line."""


class SourceChange(NamedTuple):
    """A range of source text and its replacement."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class RewrittenExpression:
    """An expression with its references replaced."""

    text: str
    freeform_inputs: list[str] = field(default_factory=list)
    """Natural language inputs, which no engine here can interpret."""


def rewrite_references(
    source: ParsedSource, expression: Expression, history: LineHistory
) -> RewrittenExpression:
    """Return the text of an expression, with references to earlier lines replaced.

    Only the replaced ranges change. The rest of the text reaches the engine as the user wrote it.
    """
    freeform_inputs: list[str] = []
    text = _rewrite_expression(source, expression, history, freeform_inputs, 0)
    return RewrittenExpression(text, freeform_inputs)


def _rewrite_expression(
    source: ParsedSource,
    expression: Expression,
    history: LineHistory,
    freeform_inputs: list[str],
    depth: int,
) -> str:
    """Return the text of an expression with the changes of `_iter_changes` made."""
    pieces: list[str] = []
    position = expression.start
    for change in sorted(_iter_changes(source, expression, history, freeform_inputs, depth)):
        pieces += [source.text[position : change.start], change.text]
        position = change.end
    return "".join([*pieces, source.text[position : expression.end]])


def _iter_changes(
    source: ParsedSource,
    expression: Expression,
    history: LineHistory,
    freeform_inputs: list[str],
    depth: int,
) -> Iterator[SourceChange]:
    """Yield the replacements of references to earlier lines.

    Natural language inputs are replaced by `$Failed`, and added to `freeform_inputs`. `depth`
    counts how many earlier lines are being expanded, to limit the recursion.
    """
    # The traversal is not recursive, because expressions may be nested more deeply than Python's
    # stack allows.
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        part, is_function = pending.pop()
        text = _find_replacement(part, history, depth, is_function=is_function)
        if text is None and isinstance(part, Node) and _is_freeform(part):
            freeform_inputs.append(source.text[part.start : part.end])
            text = "$Failed"
        if text is not None and part.start >= 0:
            yield SourceChange(part.start, part.end, text)
        elif isinstance(part, Node):
            maps = isinstance(part.head, Atom) and part.head.text in _MAPPING_HEADS
            pending.append((part.head, True))
            pending += [(arg, maps and not index) for index, arg in enumerate(part.args)]


def _is_freeform(node: Node) -> bool:
    return isinstance(node.head, Atom) and node.head.text in FREEFORM_PROMPTS


def _find_replacement(
    expression: Expression, history: LineHistory, depth: int, *, is_function: bool
) -> str | None:
    """Return the replacement of a reference to earlier lines.

    Returns None for any other expression.

    `is_function` is true for an expression that is used as a function, as in `Out /@ {1, 2}`.
    """
    if isinstance(expression, Atom):
        if expression.kind != "symbol":
            return None
        if expression.text == "$Line":
            return str(history.line)
        is_out = is_function and expression.text == "Out"
        return _build_out_function(history, depth) if is_out else None
    line = _resolve_line(expression, history)
    if line is None:
        return None
    if is_symbol(expression.head, "Out"):
        # `Out` is always replaced. An engine that counts lines itself would return some other
        # output.
        return _get_result_code(history, line, depth) or f"HoldForm[Out[{line}]]"
    if line not in history.inputs:
        return None
    if is_symbol(expression.head, "InString"):
        return string(history.inputs[line]).text
    return _get_input_code(history, line, depth)


def _resolve_line(node: Node, history: LineHistory) -> int | None:
    """Return the line number that `Out[3]`, `%` or `In[-1]` refers to."""
    if not isinstance(node.head, Atom) or node.head.text not in ("Out", "In", "InString"):
        return None
    if not node.args:
        return history.line - 1
    argument = node.args[0]
    if len(node.args) > 1 or not isinstance(argument, Atom) or argument.kind != "number":
        return None
    number = parse_number(argument.text)
    if not isinstance(number, int):
        return None
    return number if number > 0 else history.line + number


def _get_result_code(history: LineHistory, line: int, depth: int) -> str | None:
    """Return the result of a line as code.

    Images are recreated from the input of the line.
    """
    result = history.results.get(line)
    if result is None or line >= history.line:
        return None
    # The stored text of an image is only a placeholder, so the input has to be evaluated again.
    has_image = IMAGE_PLACEHOLDER.search(result) is not None
    if has_image and line in history.inputs and depth < _MAX_RECREATION_DEPTH:
        recreated = _rewrite_input(history, line, depth, first=-1)
        return f"({recreated[0] if recreated else result})"
    return f"({result})"


def _get_input_code(history: LineHistory, line: int, depth: int) -> str | None:
    """Return the whole input of a line as one expression, with its references replaced."""
    texts = _rewrite_input(history, line, depth) if depth < _MAX_RECREATION_DEPTH else []
    return f"({'; '.join(texts)})" if texts else None


def _rewrite_input(history: LineHistory, line: int, depth: int, first: int = 0) -> list[str]:
    """Return the expressions of the input of a line, with their references replaced.

    The list is empty if the input cannot be parsed. It begins with the expression at index `first`.
    """
    source = parse(history.inputs[line])
    earlier = LineHistory(history.inputs, history.results, line)
    if source.problems:
        return []
    return [
        _rewrite_expression(source, expression, earlier, [], depth + 1)
        for expression in source.expressions[first:]
    ]


def _build_out_function(history: LineHistory, depth: int) -> str:
    """Return a function of the line number, for uses of `Out` where the number is not a literal."""
    cases = "".join(
        f", {line}, {_get_result_code(history, line, depth)}"
        for line in sorted(history.results)
        if line < history.line
    )
    return f"(Switch[If[# < 0, {history.line} + #, #]{cases}, _, HoldForm[Out[#]]] &)"
