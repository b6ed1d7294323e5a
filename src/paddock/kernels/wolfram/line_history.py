"""A session's earlier lines, and the replacement of references to them.

Engines number lines differently or not at all. References such as `%`, `Out[n]`, `In[n]` and
`$Line` are therefore replaced before code is sent to an engine. The replacement works on parsed
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
"""Maximum nesting depth when recreating an image from inputs that refer to other images."""


def apply_output_form(result: str) -> str:
    """Convert a result to the output form that it specifies.

    `InputForm[x]` becomes `x`, and `FullForm[a + b]` becomes `Plus[a, b]`. Results without an
    output form are returned unchanged.
    """
    if unknown := _UNKNOWN_LINE_OUTPUT.fullmatch(result):
        return unknown[1]
    inner = _get_output_form_argument(result)
    if inner is None:
        return result
    if result.startswith(_INPUT_FORM_START):
        return inner
    return full_form(parse(inner).expressions[0])


def strip_output_form(result: str) -> str:
    """Return a result without its output form, which is what `%` refers to."""
    inner = _get_output_form_argument(result)
    return result if inner is None else inner


def _get_output_form_argument(result: str) -> str | None:
    """Return the `x` in a result `InputForm[x]` or `FullForm[x]`, or None for other results."""
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
    """Inputs and results of a session's evaluated lines, keyed by line number."""

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
    """Replace references to earlier lines, such as `%` and `Out[3]`, in an expression.

    Only the references change. The rest of the text reaches the engine as the user wrote it.

    Args:
        source: The parsed input that contains the expression.
        expression: The expression.
        history: The earlier lines of the session.
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
    """Return an expression's text with its references to earlier lines replaced.

    The arguments are the same as for `_iter_reference_replacements`.
    """
    pieces: list[str] = []
    position = expression.start
    replacements = _iter_reference_replacements(source, expression, history, freeform_inputs, depth)
    for replacement in sorted(replacements):
        pieces += [source.text[position : replacement.start], replacement.text]
        position = replacement.end
    return "".join([*pieces, source.text[position : expression.end]])


def _iter_reference_replacements(
    source: ParsedSource,
    expression: Expression,
    history: LineHistory,
    freeform_inputs: list[str],
    depth: int,
) -> Iterator[SourceChange]:
    """Yield replacements for references to earlier lines, such as `%` and `Out[3]`.

    Natural language inputs, which notebooks mark with a prompt character, are replaced with
    `$Failed` and reported by the caller.

    Args:
        source: The parsed input that contains the expression.
        expression: The expression.
        history: The earlier lines of the session.
        freeform_inputs: A list to which the natural language inputs are added.
        depth: The number of earlier lines that are being expanded, which limits the recursion.
    """
    # The traversal is not recursive, because expressions may be nested too deeply for Python's
    # stack.
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
            # `Map` and similar functions call their first argument, as in `Map[Out, {1, 2}]`.
            is_mapping = isinstance(part.head, Atom) and part.head.text in _MAPPING_HEADS
            pending.append((part.head, True))
            pending += [(arg, is_mapping and index == 0) for index, arg in enumerate(part.args)]


def _is_freeform(node: Node) -> bool:
    return isinstance(node.head, Atom) and node.head.text in FREEFORM_PROMPTS


def _find_replacement(
    expression: Expression, history: LineHistory, depth: int, *, is_function: bool
) -> str | None:
    """Return the code that replaces a reference to an earlier line.

    Returns None for any other expression, and for a reference to the input of an unknown line.

    Args:
        expression: The expression, such as `Out[3]`, `%`, `In[2]` or `$Line`.
        history: The earlier lines of the session.
        depth: The number of earlier lines that are being expanded.
        is_function: Whether the expression is used as a function, as `Out` in `Out /@ {1, 2}`.
    """
    if isinstance(expression, Atom):
        if expression.kind != "symbol":
            return None
        if expression.text == "$Line":
            return str(history.line)
        is_out = is_function and expression.text == "Out"
        return _build_out_function(history, depth) if is_out else None
    line = _resolve_line_number(expression, history)
    if line is None:
        return None
    if is_symbol(expression.head, "Out"):
        # `Out` is replaced even if the line is unknown, because an engine that does its own line
        # counting would return the output of another line.
        return _get_result_code(history, line, depth) or f"HoldForm[Out[{line}]]"
    if line not in history.inputs:
        return None
    if is_symbol(expression.head, "InString"):
        return string(history.inputs[line]).text
    return _get_input_code(history, line, depth)


def _resolve_line_number(node: Node, history: LineHistory) -> int | None:
    """Return the line number that `Out[3]`, `%` or `In[-1]` refers to.

    Returns None for other expressions and for numbers that are not literals, as in `Out[n]`.
    """
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
    """Return the result of an earlier line as code, or None if the line has no result.

    A result with images is replaced by the line's input, because the stored result contains only
    placeholders such as `-Graphics-`.
    """
    result = history.results.get(line)
    if result is None or line >= history.line:
        return None
    has_image = IMAGE_PLACEHOLDER.search(result) is not None
    if has_image and line in history.inputs and depth < _MAX_RECREATION_DEPTH:
        last_expression = _rewrite_input(history, line, depth, first=-1)
        return f"({last_expression[0] if last_expression else result})"
    return f"({result})"


def _get_input_code(history: LineHistory, line: int, depth: int) -> str | None:
    """Return a line's entire input as one expression, with its references replaced."""
    texts = _rewrite_input(history, line, depth) if depth < _MAX_RECREATION_DEPTH else []
    return f"({'; '.join(texts)})" if texts else None


def _rewrite_input(history: LineHistory, line: int, depth: int, first: int = 0) -> list[str]:
    """Return the expressions in the input of an earlier line, with their references replaced.

    The list is empty if the input cannot be parsed.

    Args:
        history: The earlier lines of the session.
        line: The number of the line.
        depth: The number of earlier lines that are being expanded.
        first: The index of the first expression to return. Negative values count from the end.
    """
    source = parse(history.inputs[line])
    history_at_line = LineHistory(history.inputs, history.results, line)
    if source.problems:
        return []
    return [
        _rewrite_expression(source, expression, history_at_line, [], depth + 1)
        for expression in source.expressions[first:]
    ]


def _build_out_function(history: LineHistory, depth: int) -> str:
    """Return the code of a function that maps line numbers to the results of those lines.

    It replaces `Out` where the number is not a literal, as in `Out /@ {1, 2}`. An example is
    `(Switch[If[# < 0, 3 + #, #], 1, (42), 2, (x^2), _, HoldForm[Out[#]]] &)`.
    """
    cases = "".join(
        f", {line}, {_get_result_code(history, line, depth)}"
        for line in sorted(history.results)
        if line < history.line
    )
    return f"(Switch[If[# < 0, {history.line} + #, #]{cases}, _, HoldForm[Out[#]]] &)"
