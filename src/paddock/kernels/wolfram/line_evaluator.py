"""Evaluation of Wolfram Language input lines.

`evaluate_line` evaluates code as the next line of a session: it parses the code, repairs common
mistakes, replaces references to earlier lines, and evaluates one expression after the other.
`evaluate_code` does the same with any evaluator, such as a kernel without a session.

Expressions are sent to the kernel one at a time, because engines disagree on where an expression
ends, and because definitions must take effect before the next line is parsed. They share one time
limit. An abort, an uncaught exception, `Quit[]` or an exceeded limit ends the whole line.

Code written from memory of other languages quotes with `'`, comments with `//` or lacks a closing
bracket. A repair is tried only if the code cannot be parsed, and used only if all of it can be
parsed afterwards.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from paddock.kernels.kernel import (
    DEFAULT_CONTROL,
    ROLLED_BACK_NOTE,
    EvaluationControl,
    EvaluationOutput,
    EvaluationResult,
    EvaluationStatus,
)
from paddock.kernels.wolfram.answer_items import (
    AnswerImage,
    AnswerItem,
    AnswerText,
    LineEvaluation,
    format_failure,
    truncate_text,
)
from paddock.kernels.wolfram.line_history import (
    LineHistory,
    apply_output_form,
    rewrite_references,
    strip_output_form,
)
from paddock.wolfram import parse, walk

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
"""Symbols in code whose value may be `$Aborted` without the evaluation having been aborted."""
_MIN_SECONDS = 0.01
_PARTIAL_ROLLBACK_NOTE = (
    "The session is as it was before the expression that did not finish; "
    "the expressions before it were kept."
)


class RepairedCode(NamedTuple):
    """Parsed code, with a description of its repair if one was necessary."""

    source: ParsedSource
    repair: str = ""


def parse_code(code: str) -> RepairedCode:
    """Parse code, and repair it if necessary.

    `source.problems` is empty if that succeeded.
    """
    source = parse(code)
    if not source.problems:
        return RepairedCode(source)
    for description, repair in _REPAIRS:
        repaired = repair(code)
        if repaired is not None and not (repaired_source := parse(repaired)).problems:
            return RepairedCode(repaired_source, description)
    return RepairedCode(source)


def _strip_fence(code: str) -> str | None:
    match = _CODE_FENCE.fullmatch(code)
    return match[1] if match else None


def _replace_quotes(code: str) -> str | None:
    return code.replace("'", '"') if "'" in code else None


def _convert_comments(code: str) -> str | None:
    repaired = _LINE_COMMENT.sub(lambda match: f"{match[1]}(* {_escape_comment(match[2])} *)", code)
    return repaired if repaired != code else None


def _escape_comment(text: str) -> str:
    """Return text without comment delimiters."""
    return text.replace("(*", "( *").replace("*)", "* )")


def _close_brackets(code: str) -> str | None:
    """Add missing square brackets at the end.

    Returns None if that cannot fix the code.
    """
    stripped = code.rstrip()
    for count in range(1, _MAX_ADDED_BRACKETS):
        repaired = stripped + "]" * count
        problems = parse(repaired).problems
        if not problems:
            return repaired
        if any(problem.message != "[ is not closed" for problem in problems):
            return None
    return None


_REPAIRS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("the code fence was removed", _strip_fence),
    ("' was replaced by \"", _replace_quotes),
    ("lines that begin with // were treated as comments", _convert_comments),
    ("missing ] were added at the end", _close_brackets),
)


@dataclass(slots=True)
class _LineProgress:
    """Results of the expressions that have been evaluated so far."""

    outputs: list[EvaluationOutput] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    status: EvaluationStatus = "done"
    result: str | None = NULL
    seconds: float = 0.0
    count: int = 0
    """Number of evaluated expressions."""

    def add_result(self, result: EvaluationResult) -> None:
        """Add the result of an expression."""
        self.count += 1
        self.outputs += result.outputs
        self.seconds += result.seconds
        self.status = result.status
        self.result = result.result
        note = result.note
        if self.count > 1:
            note = note.replace(ROLLED_BACK_NOTE, _PARTIAL_ROLLBACK_NOTE)
        if note and note not in self.notes:
            self.notes.append(note)


def evaluate_code(
    evaluate: ExpressionEvaluator,
    code: str,
    history: LineHistory,
    limits: EvaluationLimits,
    control: EvaluationControl = DEFAULT_CONTROL,
) -> LineEvaluation:
    """Evaluate all expressions of some code. Errors in the code are part of the result.

    The code is parsed, and repaired if necessary. Its expressions are then evaluated one after the
    other, until one of them ends the line.

    Args:
        evaluate: Evaluates one expression, like `Kernel.evaluate`.
        code: The code.
        history: The earlier lines, to which the code may refer.
        limits: Resource limits. The time limit is for all expressions together.
        control: Cancellation and progress.
    """
    parsed = parse_code(code)
    if parsed.source.problems:
        return _build_syntax_error(parsed.source, history.line)
    progress = _LineProgress()
    if parsed.repair:
        progress.notes.append(f"The code could not be parsed as it was: {parsed.repair}.")
    started_at = time.monotonic()
    for expression in parsed.source.expressions:
        elapsed = time.monotonic() - started_at
        # The expressions of the line share one time limit.
        remaining_limits = msgspec.structs.replace(
            limits,
            seconds=max(limits.seconds - elapsed, _MIN_SECONDS),
            total_seconds=limits.user_time_limit,
        )
        rewritten = rewrite_references(parsed.source, expression, history)
        progress.outputs += [
            EvaluationOutput("print", _format_freeform_error(text))
            for text in rewritten.freeform_inputs
        ]
        progress.add_result(evaluate(rewritten.text, remaining_limits, control.shift(elapsed)))
        if _is_finished(progress, expression):
            break
    return _build_evaluation(progress, history.line, limits)


def _format_freeform_error(text: str) -> str:
    return (
        f"[ERROR] Failed to interpret {text}: natural language is not supported; "
        "write Wolfram Language code."
    )


def _build_syntax_error(source: ParsedSource, line: int) -> LineEvaluation:
    """Return a result that shows the position of the first syntax error."""
    problem = source.problems[0]
    row, column = source.get_position(problem.start)
    line_text = source.text.split("\n")[row - 1].rstrip("\r")
    # Tabs are kept, so that the pointer is below the error whatever the tab width.
    pointer = "".join("\t" if char == "\t" else " " for char in line_text[: column - 1])
    text = (
        f"ToExpression::sntx: {problem.message} (line {row}, column {column}).\n"
        f"    {line_text}\n    {pointer}^"
    )
    return LineEvaluation(line, "done", FAILED, (EvaluationOutput("message", text),))


def _is_finished(progress: _LineProgress, expression: Expression) -> bool:
    """Return whether the remaining expressions of the line must be skipped.

    `$Aborted` as a value ends the line, unless the code itself contains a function that returns it.
    """
    if progress.status != "done":
        return True
    if _find_uncaught_throw(progress) is not None:
        return True
    if progress.result != ABORTED:
        return False
    return not any(getattr(part, "text", None) in _ABORT_HANDLERS for part in walk(expression))


def _find_uncaught_throw(progress: _LineProgress) -> str | None:
    """Return the uncaught expression of `Throw` that the last message reports, if any."""
    for output in reversed(progress.outputs):
        if output.kind == "message" and output.text.startswith(NO_CATCH_MESSAGE):
            match = _UNCAUGHT_THROW.search(output.text)
            return match[1] if match else "Throw[]"
    return None


def _build_evaluation(
    progress: _LineProgress, line: int, limits: EvaluationLimits
) -> LineEvaluation:
    """Convert the progress of all expressions to the result of the line."""
    result = _RESULT_FORMATTERS.get(progress.status, _format_result)(progress, limits)
    if progress.status == "quit":
        progress.outputs.append(_build_quit_message(progress))
    return LineEvaluation(
        line=line,
        status=progress.status,
        result=result,
        outputs=tuple(progress.outputs),
        notes=tuple(progress.notes),
        seconds=progress.seconds,
    )


def _build_quit_message(progress: _LineProgress) -> EvaluationOutput:
    """Replace the kernel's note about its exit code by a message."""
    matches = [_EXIT_CODE_NOTE.search(note) for note in progress.notes]
    progress.notes = [
        note for note, match in zip(progress.notes, matches, strict=True) if match is None
    ]
    code = next((match[1] for match in matches if match is not None), "0")
    kept = "the session continues as it was before."
    if progress.count > 1:
        kept = "the expressions before that were kept."
    text = f"General::quit: The code ended the kernel with exit code {code}; {kept}"
    return EvaluationOutput("message", text)


def _format_result(progress: _LineProgress, _limits: EvaluationLimits) -> str | None:
    """Return the result of a line that was neither stopped nor ended."""
    thrown = _find_uncaught_throw(progress)
    if thrown is not None and progress.status == "done":
        return f"Hold[{thrown}]"
    if progress.status == "failed":
        return progress.result or FAILED
    return NULL if progress.result is None else apply_output_form(progress.result)


def _format_timeout(_progress: _LineProgress, limits: EvaluationLimits) -> str:
    seconds = f"{limits.user_time_limit:g}"
    unit = "second" if seconds == "1" else "seconds"
    return format_failure(
        "EvaluationTimeExceeded",
        f"The evaluation was stopped after {seconds} {unit}. "
        "Use the timeConstraint parameter to allow more.",
        TimeConstraint=seconds,
    )


def _format_memory_failure(_progress: _LineProgress, limits: EvaluationLimits) -> str:
    return format_failure(
        "MemoryLimitExceeded",
        f"The evaluation was stopped because it needed more than {limits.memory_bytes >> 20} MiB.",
        MemoryConstraint=str(limits.memory_bytes),
    )


def _format_crash(_progress: _LineProgress, _limits: EvaluationLimits) -> str:
    return format_failure("KernelQuit", "The kernel ended while it was evaluating this code.")


def _return_no_result(_progress: _LineProgress, _limits: EvaluationLimits) -> None:
    return None


_RESULT_FORMATTERS: dict[str, Callable[[_LineProgress, EvaluationLimits], str | None]] = {
    "timed-out": _format_timeout,
    "out-of-memory": _format_memory_failure,
    "crashed": _format_crash,
    "quit": _return_no_result,
    "cancelled": _return_no_result,
}


def evaluate_line(
    session: EvaluationSession,
    code: str,
    limits: EvaluationLimits,
    control: EvaluationControl = DEFAULT_CONTROL,
) -> LineEvaluation:
    """Evaluate code as the next line of a session.

    Each expression becomes one journal entry. All entries of the line share its number.

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

    evaluation = evaluate_code(evaluate_expression, code, history, limits, control)
    if pending_source:
        # No expression was evaluated, as with a syntax error. The line is counted all the same.
        session.evaluate(
            evaluation.result or FAILED, limits, line=history.line, source=pending_source
        )
    return evaluation


def read_line_history(entries: Sequence[JournalEntry], line: int) -> LineHistory:
    """Return the earlier lines of a session from its journal."""

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
    """A mapping that is computed on first access, because few inputs refer to earlier lines."""

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


__all__ = [
    "AnswerImage",
    "AnswerItem",
    "AnswerText",
    "LineEvaluation",
    "LineHistory",
    "evaluate_code",
    "evaluate_line",
    "read_line_history",
    "truncate_text",
]
