"""Evaluation of Wolfram Language input lines.

`evaluate_line` evaluates code as the next line of a session: it parses the code, repairs common
mistakes, replaces references to earlier lines, and evaluates one expression after another.
`evaluate_code` does the same with any evaluator, such as a kernel without a session.

Expressions are sent to the kernel one at a time, because engines disagree on where an expression
ends, and because definitions must take effect before the next line is parsed. They share one time
limit. An abort, an uncaught exception, `Quit[]` or an exceeded limit ends the entire line.

Code written with other languages in mind may use `'` for quotes or `//` for comments, or lack a
closing bracket. A repair is attempted only if the code cannot be parsed, and used only if all of it
can be parsed afterwards.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from paddock.kernels.kernel import (
    DEFAULT_CONTROL,
    ROLLED_BACK_NOTE,
    EvaluationControl,
    EvaluationOutput,
    EvaluationResult,
)
from paddock.kernels.wolfram.line_history import (
    LineHistory,
    apply_output_form,
    rewrite_references,
    strip_output_form,
)
from paddock.wolfram import parse, string, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.kernels.kernel import EvaluationLimits
    from paddock.kernels.sessions import EvaluationSession, JournalEntry
    from paddock.wolfram import Expression, ParsedSource

    ExpressionEvaluator = Callable[[str, EvaluationLimits, EvaluationControl], EvaluationResult]

_CODE_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_LINE_COMMENT = re.compile(r"^([ \t]*)//[ \t]+(.*)$", re.MULTILINE)
_MAX_ADDED_BRACKETS = 64
ABORTED, FAILED, NULL = "$Aborted", "$Failed", "Null"
NO_CATCH_MESSAGE = "Throw::nocatch"
_UNCAUGHT_THROW = re.compile(r"Uncaught (.*) returned to top level", re.DOTALL)
_EXIT_CODE_NOTE = re.compile(r"exit code (-?\d+)")
_ABORT_HANDLERS = frozenset({"TimeConstrained", "MemoryConstrained", ABORTED, "CheckAbort"})
"""Symbols in code whose value may be `$Aborted` even if the evaluation was not aborted."""
_PARTIAL_ROLLBACK_NOTE = (
    "The session is as it was before the expression that did not finish; "
    "the expressions before it were kept."
)


class RepairedCode(NamedTuple):
    """Parsed code, with a description of any repair that was necessary."""

    source: ParsedSource
    repair: str = ""


def parse_code(code: str) -> RepairedCode:
    """Parse Wolfram Language code, repairing common mistakes made by models if it is invalid.

    An example of such a mistake is a missing `]` at the end. If the code is invalid and cannot be
    repaired, `source.problems` of the result is not empty.
    """
    source = parse(code)
    if not source.problems:
        return RepairedCode(source)
    for description, repair in _REPAIRS:
        repaired = repair(code)
        if repaired != code and not (repaired_source := parse(repaired)).problems:
            return RepairedCode(repaired_source, description)
    return RepairedCode(source)


def _strip_fence(code: str) -> str:
    match = _CODE_FENCE.fullmatch(code)
    return match[1] if match else code


def _replace_quotes(code: str) -> str:
    return code.replace("'", '"')


def _convert_comments(code: str) -> str:
    """Convert lines that begin with `//` to Wolfram Language comments, `(* … *)`."""

    def convert(line: re.Match[str]) -> str:
        text = line[2].replace("(*", "( *").replace("*)", "* )")
        return f"{line[1]}(* {text} *)"

    return _LINE_COMMENT.sub(convert, code)


def _close_brackets(code: str) -> str:
    """Add missing closing square brackets at the end of the code.

    The code is returned unchanged if this does not make it valid.
    """
    stripped = code.rstrip()
    for count in range(1, _MAX_ADDED_BRACKETS):
        repaired = stripped + "]" * count
        problems = parse(repaired).problems
        if not problems:
            return repaired
        if any(problem.message != "[ is not closed" for problem in problems):
            break
    return code


_REPAIRS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("the code fence was removed", _strip_fence),
    ("' was replaced by \"", _replace_quotes),
    ("lines that begin with // were treated as comments", _convert_comments),
    ("missing ] were added at the end", _close_brackets),
)


def evaluate_code(
    evaluate: ExpressionEvaluator,
    code: str,
    history: LineHistory,
    limits: EvaluationLimits,
    control: EvaluationControl = DEFAULT_CONTROL,
) -> EvaluationResult:
    """Evaluate all expressions in some Wolfram Language code, one after another.

    The evaluation ends early if an expression fails or is stopped. The result has the value of the
    last evaluated expression and the outputs and notes of all of them. Errors in the code are part
    of the result and are never raised.

    Args:
        evaluate: Function that evaluates one expression, like `Kernel.evaluate`.
        code: The code, which is repaired if it is invalid.
        history: The earlier lines of the session, to which the code may refer, as with `%`.
        limits: Resource limits. The time limit applies to all expressions together.
        control: Callbacks for cancellation and progress.
    """
    source, repair = parse_code(code)
    if source.problems:
        return _build_syntax_error_result(source)
    notes = (f"The code could not be parsed as it was: {repair}.",) if repair else ()
    total = EvaluationResult("done", NULL, notes=notes)
    started_at = time.monotonic()
    for index, expression in enumerate(source.expressions):
        elapsed = time.monotonic() - started_at
        rewritten = rewrite_references(source, expression, history)
        remaining_limits = limits.subtract_seconds(elapsed)
        result = evaluate(rewritten.text, remaining_limits, control.shift(elapsed))
        freeform_errors = map(_format_freeform_error, rewritten.freeform_inputs)
        total = _add_result(total, tuple(freeform_errors), result, is_first=index == 0)
        if _is_line_finished(total, expression):
            break
    return msgspec.structs.replace(total, result=_format_line_value(total, limits))


def _format_freeform_error(text: str) -> EvaluationOutput:
    """Return an error output for natural language input, which no engine here can interpret."""
    return EvaluationOutput(
        "print",
        f"[ERROR] Failed to interpret {text}: natural language is not supported; "
        "write Wolfram Language code.",
    )


def _build_syntax_error_result(source: ParsedSource) -> EvaluationResult:
    """Return a result with a message about the first syntax error in some code.

    The message shows the line with the error and an arrow below its position.
    """
    problem = source.problems[0]
    row, column = source.get_position(problem.start)
    line_text = source.text.split("\n")[row - 1].rstrip("\r")
    # Tabs are copied so that the arrow is below the error with any tab width.
    pointer = "".join("\t" if char == "\t" else " " for char in line_text[: column - 1])
    text = (
        f"ToExpression::sntx: {problem.message} (line {row}, column {column}).\n"
        f"    {line_text}\n    {pointer}^"
    )
    return EvaluationResult("done", FAILED, (EvaluationOutput("message", text),))


def _add_result(
    total: EvaluationResult,
    errors: tuple[EvaluationOutput, ...],
    result: EvaluationResult,
    *,
    is_first: bool,
) -> EvaluationResult:
    """Combine the result of an expression with those of earlier expressions on the same line.

    Args:
        total: The combined result of the earlier expressions.
        errors: Messages about problems found before the expression was evaluated.
        result: The result of the expression.
        is_first: Whether the expression is the first one on the line. A rollback undoes only the
            last expression, so the notes state that earlier ones were kept.
    """
    if result.status == "quit":
        result = _add_quit_message(result, is_first=is_first)
    note = result.note
    if not is_first:
        note = note.replace(ROLLED_BACK_NOTE, _PARTIAL_ROLLBACK_NOTE)
    is_new = note and note not in total.notes
    return EvaluationResult(
        result.status,
        result.result,
        total.outputs + errors + result.outputs,
        total.seconds + result.seconds,
        max(total.peak_bytes, result.peak_bytes),
        (*total.notes, note) if is_new else total.notes,
    )


def _add_quit_message(result: EvaluationResult, *, is_first: bool) -> EvaluationResult:
    """Add a message to the result of code that ended its kernel, for instance with `Quit[3]`.

    The message replaces the kernel's own note about its exit code.

    Args:
        result: The result of the expression that ended the kernel.
        is_first: Whether the expression is the first one on its line.
    """
    exit_code_note = _EXIT_CODE_NOTE.search(result.note)
    consequence = "the session continues as it was before."
    if not is_first:
        consequence = "the expressions before that were kept."
    exit_code = exit_code_note[1] if exit_code_note else "0"
    text = f"General::quit: The code ended the kernel with exit code {exit_code}; {consequence}"
    outputs = (*result.outputs, EvaluationOutput("message", text))
    notes = () if exit_code_note else result.notes
    return msgspec.structs.replace(result, outputs=outputs, notes=notes)


def _is_line_finished(total: EvaluationResult, expression: Expression) -> bool:
    """Return whether the remaining expressions of a line must be skipped.

    This is the case if the last evaluated expression failed, was stopped, or threw a value. The
    value `$Aborted` also ends the line, unless the code contains a function that returns it.

    Args:
        total: The combined result of the evaluated expressions.
        expression: The last evaluated expression.
    """
    if total.status != "done" or _find_uncaught_throw(total) is not None:
        return True
    if total.result != ABORTED:
        return False
    return not any(getattr(part, "text", None) in _ABORT_HANDLERS for part in walk(expression))


def _find_uncaught_throw(total: EvaluationResult) -> str | None:
    """Return the uncaught `Throw` expression that the last message reports, if any."""
    for text in reversed(total.messages):
        if text.startswith(NO_CATCH_MESSAGE):
            match = _UNCAUGHT_THROW.search(text)
            return match[1] if match else "Throw[]"
    return None


def _format_line_value(total: EvaluationResult, limits: EvaluationLimits) -> str | None:
    """Return a line's value as Wolfram Language code (InputForm), or None if it has none.

    If a limit was exceeded or the kernel has ended, the value is a `Failure` expression that
    describes the problem.

    Args:
        total: The combined result of the line's expressions.
        limits: The limits of the evaluation, which a `Failure` states.
    """
    match total.status:
        case "quit" | "cancelled":
            return None
        case "crashed":
            return _format_failure(
                "KernelQuit", "The kernel ended while it was evaluating this code."
            )
        case "timed-out":
            seconds = f"{limits.user_time_limit:g}"
            duration = f"{seconds} second" if seconds == "1" else f"{seconds} seconds"
            return _format_failure(
                "EvaluationTimeExceeded",
                f"The evaluation was stopped after {duration}. "
                "Use the timeConstraint parameter to allow more.",
                TimeConstraint=seconds,
            )
        case "out-of-memory":
            size = f"{limits.memory_bytes >> 20} MiB"
            return _format_failure(
                "MemoryLimitExceeded",
                f"The evaluation was stopped because it needed more than {size}.",
                MemoryConstraint=str(limits.memory_bytes),
            )
        case "failed":
            return total.result or FAILED
    thrown = _find_uncaught_throw(total)
    if thrown is not None:
        return f"Hold[{thrown}]"
    return NULL if total.result is None else apply_output_form(total.result)


def _format_failure(tag: str, message: str, **parameters: str) -> str:
    """Format a `Failure`, the expression for an error in the Wolfram Language, as code.

    An example is `Failure["KernelQuit", <|"MessageTemplate" -> "The kernel ended.", …|>]`.

    Args:
        tag: The type of the error.
        message: The text of the error.
        parameters: Other elements of the association, with values as Wolfram Language code.
    """
    parts = {
        "MessageTemplate": string(message).text,
        "MessageParameters": "<||>",
        **parameters,
    }
    association = ", ".join(f'"{name}" -> {value}' for name, value in parts.items())
    return f'Failure["{tag}", <|{association}|>]'


def evaluate_line(
    session: EvaluationSession,
    code: str,
    limits: EvaluationLimits,
    control: EvaluationControl = DEFAULT_CONTROL,
) -> EvaluationResult:
    """Evaluate Wolfram Language code as the next line of a session.

    The line gets the next number `n` in `In[n]`. Each of its expressions becomes an entry with this
    number in the session's journal.

    Raises:
        KernelError: No kernel can be started.
    """
    history = read_line_history(session.entries, session.next_line)
    # The user's input is stored once, in the journal entry of the first expression.
    pending_source = code

    def evaluate_expression(
        code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        nonlocal pending_source
        source, pending_source = pending_source, ""
        source = "" if source == code else source
        return session.evaluate(code, limits, control, line=history.line, source=source)

    result = evaluate_code(evaluate_expression, code, history, limits, control)
    if pending_source:
        # No expression was evaluated, for instance because of a syntax error. The line nevertheless
        # gets a journal entry, so that its number is not used again.
        session.evaluate(result.result or FAILED, limits, line=history.line, source=pending_source)
    return result


def read_line_history(entries: Sequence[JournalEntry], line: int) -> LineHistory:
    """Return the inputs and results of a session's earlier lines.

    Args:
        entries: The session's journal entries.
        line: The number of the new line.
    """

    def collect_inputs() -> dict[int, str]:
        inputs: dict[int, str] = {}
        for entry in entries:
            inputs.setdefault(entry.line, entry.source or entry.code)
        return inputs

    def collect_results() -> dict[int, str]:
        last_entries = {entry.line: entry for entry in entries}
        return {number: _get_result(entry) for number, entry in last_entries.items()}

    return LineHistory(_LazyMapping(collect_inputs), _LazyMapping(collect_results), line)


class _LazyMapping(Mapping[int, str]):
    """A mapping keyed by line number that is computed on first access.

    Few inputs refer to earlier lines, so most mappings are never computed.
    """

    def __init__(self, compute: Callable[[], dict[int, str]]) -> None:
        self._compute = compute

    @cached_property
    def _values(self) -> dict[int, str]:
        return self._compute()

    def __getitem__(self, line: int) -> str:
        return self._values[line]

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _get_result(entry: JournalEntry) -> str:
    if entry.is_cut:
        return f'Missing["TooLong", "The result of line {entry.line} was too long to be stored."]'
    if entry.result is not None:
        return strip_output_form(entry.result)
    return "Null" if entry.status in ("done", "quit") else FAILED
