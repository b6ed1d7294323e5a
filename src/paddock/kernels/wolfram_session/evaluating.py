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

from paddock.kernels.kernel import ignore, never
from paddock.kernels.outcome import ROLLED_BACK, Outcome, Output, Status
from paddock.kernels.wolfram_session.answer import Evaluation
from paddock.kernels.wolfram_session.forms import shown
from paddock.kernels.wolfram_session.history import History, rewrite
from paddock.kernels.wolfram_session.repair import read_code
from paddock.kernels.wolfram_session.texts import failure
from paddock.wolfram import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import Limits
    from paddock.wolfram import Expression, Source

ABORTED, FAILED, NULL = "$Aborted", "$Failed", "Null"
NO_CATCH = "Throw::nocatch"
_UNCAUGHT = re.compile(r"Uncaught (.*) returned to top level", re.DOTALL)
_EXIT_CODE = re.compile(r"exit code (-?\d+)")
_STOPPING = frozenset({"TimeConstrained", "MemoryConstrained", ABORTED, "CheckAbort"})
"""What may give `$Aborted` as a value without ending the evaluation."""
_LEAST_SECONDS = 0.01
_PARTLY_ROLLED_BACK = (
    "The session is as it was before the expression that did not end; "
    "the expressions before it are kept."
)


class Evaluates(Protocol):
    """What evaluates one expression: a kernel, or a session's."""

    def __call__(
        self,
        code: str,
        limits: Limits,
        *,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> Outcome:
        """Evaluate one expression."""
        ...


@dataclass(slots=True)
class _Progress:
    """What has come out so far."""

    outputs: list[Output] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    status: Status = "done"
    result: str | None = NULL
    seconds: float = 0.0
    count: int = 0
    """How many expressions were evaluated."""

    def take(self, outcome: Outcome) -> None:
        """Add what came of an expression."""
        self.count += 1
        self.outputs += outcome.outputs
        self.seconds += outcome.seconds
        self.status = outcome.status
        self.result = outcome.result
        note = outcome.note
        if self.count > 1:
            note = note.replace(ROLLED_BACK, _PARTLY_ROLLED_BACK)
        if note and note not in self.notes:
            self.notes.append(note)


def evaluate_code(
    evaluate: Evaluates,
    code: str,
    history: History,
    limits: Limits,
    *,
    is_cancelled: Callable[[], bool] = never,
    on_wait: Callable[[float], None] = ignore,
) -> Evaluation:
    """Evaluate all expressions of some code; it never raises for what the code is or does."""
    read = read_code(code)
    if read.source.problems:
        return _syntax_error(read.source, history.line)
    progress = _Progress()
    if read.repair:
        progress.notes.append(f"The code could not be read as it was: {read.repair}.")
    start = time.monotonic()
    for expression in read.source.expressions:
        spent = time.monotonic() - start
        rest = msgspec.structs.replace(
            limits,
            seconds=max(limits.seconds - spent, _LEAST_SECONDS),
            seconds_in_all=limits.seconds_given,
        )
        written = rewrite(read.source, expression, history)
        progress.outputs += [Output("print", _uninterpreted(text)) for text in written.unread]
        progress.take(
            evaluate(
                written.text,
                rest,
                is_cancelled=is_cancelled,
                on_wait=lambda seconds, spent=spent: on_wait(spent + seconds),  # type: ignore[misc]  # a default argument keeps this round's value
            )
        )
        if _has_ended(progress, expression):
            break
    return _finished(progress, history.line, limits)


def _uninterpreted(text: str) -> str:
    return (
        f"[ERROR] Failed to interpret {text}: natural language is not understood here; "
        "write Wolfram Language code."
    )


def _syntax_error(source: Source, line: int) -> Evaluation:
    """Code that cannot be read, with the place of the first problem."""
    problem = source.problems[0]
    row, column = source.position(problem.start)
    shown = source.text.split("\n")[row - 1].rstrip("\r")
    pointer = "".join("\t" if each == "\t" else " " for each in shown[: column - 1])
    text = (
        f"ToExpression::sntx: {problem.message} (line {row}, column {column}).\n"
        f"    {shown}\n    {pointer}^"
    )
    return Evaluation(line, "done", FAILED, (Output("message", text),))


def _has_ended(progress: _Progress, expression: Expression) -> bool:
    """Whether nothing that follows is to be evaluated."""
    if progress.status != "done":
        return True
    if _thrown(progress) is not None:
        return True
    if progress.result != ABORTED:
        return False
    return not any(getattr(part, "text", None) in _STOPPING for part in walk(expression))


def _thrown(progress: _Progress) -> str | None:
    """What was thrown and not caught, if the last output says so."""
    for output in reversed(progress.outputs):
        if output.kind == "message" and output.text.startswith(NO_CATCH):
            found = _UNCAUGHT.search(output.text)
            return found[1] if found else "Throw[]"
    return None


def _finished(progress: _Progress, line: int, limits: Limits) -> Evaluation:
    result = _VALUES.get(progress.status, _plain)(progress, limits)
    if progress.status == "quit":
        progress.outputs.append(_quit_message(progress))
    return Evaluation(
        line=line,
        status=progress.status,
        result=result,
        outputs=tuple(progress.outputs),
        notes=tuple(progress.notes),
        seconds=progress.seconds,
    )


def _quit_message(progress: _Progress) -> Output:
    """What takes the place of the kernel's own note on how it ended."""
    found = [_EXIT_CODE.search(note) for note in progress.notes]
    progress.notes = [
        note for note, match in zip(progress.notes, found, strict=True) if match is None
    ]
    code = next((match[1] for match in found if match is not None), "0")
    kept = "the session goes on as it was before."
    if progress.count > 1:
        kept = "the expressions before that are kept."
    text = f"General::quit: The code ended the kernel with exit code {code}; {kept}"
    return Output("message", text)


def _plain(progress: _Progress, _limits: Limits) -> str | None:
    thrown = _thrown(progress)
    if thrown is not None and progress.status == "done":
        return f"Hold[{thrown}]"
    if progress.status == "failed":
        return progress.result or FAILED
    return NULL if progress.result is None else shown(progress.result)


def _timed_out(_progress: _Progress, limits: Limits) -> str:
    seconds = f"{limits.seconds_given:g}"
    unit = "second" if seconds == "1" else "seconds"
    return failure(
        "EvaluationTimeExceeded",
        f"The evaluation was stopped after {seconds} {unit}. "
        "Use the timeConstraint parameter to allow more.",
        TimeConstraint=seconds,
    )


def _out_of_memory(_progress: _Progress, limits: Limits) -> str:
    return failure(
        "MemoryLimitExceeded",
        f"The evaluation was stopped because it needed more than {limits.memory_bytes >> 20} MiB.",
        MemoryConstraint=str(limits.memory_bytes),
    )


def _crashed(_progress: _Progress, _limits: Limits) -> str:
    return failure("KernelQuit", "The kernel ended while it evaluated this code.")


def _nothing(_progress: _Progress, _limits: Limits) -> None:
    return None


_VALUES: dict[str, Callable[[_Progress, Limits], str | None]] = {
    "timed-out": _timed_out,
    "out-of-memory": _out_of_memory,
    "crashed": _crashed,
    "quit": _nothing,
    "cancelled": _nothing,
}
