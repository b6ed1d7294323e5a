"""Evaluating the code of one line: its expressions one after the other, the value of the last.

Expressions go to the kernel one at a time, because engines do not agree on where one ends, and
because a definition must be known before the next line is read. They share one time limit. What
ends an evaluation ends all that follows: an abort, an exception that nobody caught, `Quit[]`, a
limit.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import msgspec

from paddock.kernels.kernel import ignore_progress, never_cancelled
from paddock.kernels.outcome import ROLLED_BACK_NOTE, EvaluationResult, EvaluationOutput, EvaluationStatus
from paddock.kernels.wolfram_session.answer import LineEvaluation
from paddock.kernels.wolfram_session.forms import apply_output_form
from paddock.kernels.wolfram_session.history import LineHistory, rewrite_references
from paddock.kernels.wolfram_session.repair import parse_code
from paddock.kernels.wolfram_session.texts import format_failure
from paddock.wolfram import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import EvaluationLimits
    from paddock.wolfram import Expression, ParsedSource

ABORTED, FAILED, NULL = "$Aborted", "$Failed", "Null"
NO_CATCH_MESSAGE = "Throw::nocatch"
_UNCAUGHT_THROW = re.compile(r"Uncaught (.*) returned to top level", re.DOTALL)
_EXIT_CODE_NOTE = re.compile(r"exit code (-?\d+)")
_ABORT_HANDLERS = frozenset({"TimeConstrained", "MemoryConstrained", ABORTED, "CheckAbort"})
"""What may give `$Aborted` as a value without ending the evaluation."""
_MIN_SECONDS = 0.01
_PARTIAL_ROLLBACK_NOTE = (
    "The session is as it was before the expression that did not end; "
    "the expressions before it are kept."
)


class ExpressionEvaluator(Protocol):
    """What evaluates one expression: a kernel, or a session's."""

    def __call__(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> EvaluationResult:
        """Evaluate one expression."""
        ...


@dataclass(slots=True)
class _LineProgress:
    """What has come out so far."""

    outputs: list[EvaluationOutput] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    status: EvaluationStatus = "done"
    result: str | None = NULL
    seconds: float = 0.0
    count: int = 0
    """How many expressions were evaluated."""

    def add_result(self, outcome: EvaluationResult) -> None:
        """Add what came of an expression."""
        self.count += 1
        self.outputs += outcome.outputs
        self.seconds += outcome.seconds
        self.status = outcome.status
        self.result = outcome.result
        note = outcome.note
        if self.count > 1:
            note = note.replace(ROLLED_BACK_NOTE, _PARTIAL_ROLLBACK_NOTE)
        if note and note not in self.notes:
            self.notes.append(note)


def evaluate_code(
    evaluate: ExpressionEvaluator,
    code: str,
    history: LineHistory,
    limits: EvaluationLimits,
    *,
    is_cancelled: Callable[[], bool] = never_cancelled,
    on_wait: Callable[[float], None] = ignore_progress,
) -> LineEvaluation:
    """Evaluate all expressions of some code; it never raises for what the code is or does."""
    read = parse_code(code)
    if read.source.problems:
        return _build_syntax_error(read.source, history.line)
    progress = _LineProgress()
    if read.repair:
        progress.notes.append(f"The code could not be read as it was: {read.repair}.")
    start = time.monotonic()
    for expression in read.source.expressions:
        spent = time.monotonic() - start
        rest = msgspec.structs.replace(
            limits,
            seconds=max(limits.seconds - spent, _MIN_SECONDS),
            seconds_in_all=limits.user_time_limit,
        )
        written = rewrite_references(read.source, expression, history)
        progress.outputs += [EvaluationOutput("print", _format_freeform_error(text)) for text in written.freeform_inputs]
        progress.add_result(
            evaluate(
                written.text,
                rest,
                is_cancelled=is_cancelled,
                on_wait=lambda seconds, spent=spent: on_wait(spent + seconds),  # type: ignore[misc]  # a default argument keeps this round's value
            )
        )
        if _is_finished(progress, expression):
            break
    return _build_evaluation(progress, history.line, limits)


def _format_freeform_error(text: str) -> str:
    return (
        f"[ERROR] Failed to interpret {text}: natural language is not understood here; "
        "write Wolfram Language code."
    )


def _build_syntax_error(source: ParsedSource, line: int) -> LineEvaluation:
    """Code that cannot be read, with the place of the first problem."""
    problem = source.problems[0]
    row, column = source.get_position(problem.start)
    shown = source.text.split("\n")[row - 1].rstrip("\r")
    pointer = "".join("\t" if each == "\t" else " " for each in shown[: column - 1])
    text = (
        f"ToExpression::sntx: {problem.message} (line {row}, column {column}).\n"
        f"    {shown}\n    {pointer}^"
    )
    return LineEvaluation(line, "done", FAILED, (EvaluationOutput("message", text),))


def _is_finished(progress: _LineProgress, expression: Expression) -> bool:
    """Whether nothing that follows is to be evaluated."""
    if progress.status != "done":
        return True
    if _find_uncaught_throw(progress) is not None:
        return True
    if progress.result != ABORTED:
        return False
    return not any(getattr(part, "text", None) in _ABORT_HANDLERS for part in walk(expression))


def _find_uncaught_throw(progress: _LineProgress) -> str | None:
    """What was thrown and not caught, if the last output says so."""
    for output in reversed(progress.outputs):
        if output.kind == "message" and output.text.startswith(NO_CATCH_MESSAGE):
            found = _UNCAUGHT_THROW.search(output.text)
            return found[1] if found else "Throw[]"
    return None


def _build_evaluation(progress: _LineProgress, line: int, limits: EvaluationLimits) -> LineEvaluation:
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
    """What takes the place of the kernel's own note on how it ended."""
    found = [_EXIT_CODE_NOTE.search(note) for note in progress.notes]
    progress.notes = [
        note for note, match in zip(progress.notes, found, strict=True) if match is None
    ]
    code = next((match[1] for match in found if match is not None), "0")
    kept = "the session goes on as it was before."
    if progress.count > 1:
        kept = "the expressions before that are kept."
    text = f"General::quit: The code ended the kernel with exit code {code}; {kept}"
    return EvaluationOutput("message", text)


def _format_result(progress: _LineProgress, _limits: EvaluationLimits) -> str | None:
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
    return format_failure("KernelQuit", "The kernel ended while it evaluated this code.")


def _return_no_result(_progress: _LineProgress, _limits: EvaluationLimits) -> None:
    return None


_RESULT_FORMATTERS: dict[str, Callable[[_LineProgress, EvaluationLimits], str | None]] = {
    "timed-out": _format_timeout,
    "out-of-memory": _format_memory_failure,
    "crashed": _format_crash,
    "quit": _return_no_result,
    "cancelled": _return_no_result,
}
