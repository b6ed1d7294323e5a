"""Code as it arrives: mended where it cannot be read and the slip is a common one.

Whoever writes code from memory of other languages quotes with `'`, comments with `//` and forgets a
bracket at the end. Each repair is tried only when the code cannot be read without it, and counts
only if all can be read with it.

Evaluating the code of one line: its expressions one after the other, the value of the last.

Expressions go to the kernel one at a time, because engines do not agree on where one ends, and
because a definition must be known before the next line is read. They share one time limit. What
ends an evaluation ends all that follows: an abort, an exception that nobody caught, `Quit[]`, a
limit.

Evaluating in a session: its journal is the history, and each expression is an entry of it.

The front of the Wolfram Language: what is typed, and how the answer reads.

`evaluate` takes code as the next line of a session: it splits it into expressions with the parser
of `paddock.wolfram`, mends common slips, replaces references to earlier lines, has the kernel
evaluate one expression after the other, and gives an `Evaluation`, whose `items` are text and
pictures in reading order. `evaluate_code` does so with anything that evaluates. Where kernels come
from, and what is kept of a session, is left to `paddock.kernels.sessions`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from paddock.kernels.kernel import (
    ROLLED_BACK_NOTE,
    EvaluationOutput,
    EvaluationResult,
    EvaluationStatus,
    ignore_progress,
    never_cancelled,
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


_CODE_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_LINE_COMMENT = re.compile(r"^([ \t]*)//[ \t]+(.*)$", re.MULTILINE)
_MAX_ADDED_BRACKETS = 64


class RepairedCode(NamedTuple):
    """Code that was read, and what had to be done to it first."""

    source: ParsedSource
    repair: str = ""


def parse_code(code: str) -> RepairedCode:
    """Read code, mended if need be; `source.problems` says what is wrong when nothing helped."""
    source = parse(code)
    if not source.problems:
        return RepairedCode(source)
    for name, mend in _REPAIRS:
        mended = mend(code)
        if mended is not None and not (found := parse(mended)).problems:
            return RepairedCode(found, name)
    return RepairedCode(source)


def _strip_fence(code: str) -> str | None:
    found = _CODE_FENCE.fullmatch(code)
    return found[1] if found else None


def _replace_quotes(code: str) -> str | None:
    return code.replace("'", '"') if "'" in code else None


def _convert_comments(code: str) -> str | None:
    mended = _LINE_COMMENT.sub(lambda found: f"{found[1]}(* {_escape_comment(found[2])} *)", code)
    return mended if mended != code else None


def _escape_comment(text: str) -> str:
    """Text that can stand in a comment."""
    return text.replace("(*", "( *").replace("*)", "* )")


def _close_brackets(code: str) -> str | None:
    """Code with brackets at its end, if those that are open there are square ones."""
    stripped = code.rstrip()
    for count in range(1, _MAX_ADDED_BRACKETS):
        mended = stripped + "]" * count
        problems = parse(mended).problems
        if not problems:
            return mended
        if any(problem.message != "[ is not closed" for problem in problems):
            return None
    return None


_REPAIRS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("the fence around the code was removed", _strip_fence),
    ("' was read as \"", _replace_quotes),
    ("lines that begin with // were read as comments", _convert_comments),
    ("missing ] were added at the end", _close_brackets),
)


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
            total_seconds=limits.user_time_limit,
        )
        written = rewrite_references(read.source, expression, history)
        progress.outputs += [
            EvaluationOutput("print", _format_freeform_error(text))
            for text in written.freeform_inputs
        ]
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


def _build_evaluation(
    progress: _LineProgress, line: int, limits: EvaluationLimits
) -> LineEvaluation:
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


def evaluate_line(
    session: EvaluationSession,
    code: str,
    limits: EvaluationLimits,
    *,
    is_cancelled: Callable[[], bool] = never_cancelled,
    on_wait: Callable[[float], None] = ignore_progress,
) -> LineEvaluation:
    """Evaluate code as the next line of a session.

    Raises:
        KernelError: when no kernel can be started.
    """
    history = read_line_history(session.entries, session.next_line)
    # The journal has what the user wrote once, with the first expression.
    source = code

    def run(
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> EvaluationResult:
        nonlocal source
        written, source = source, ""
        return session.evaluate(
            code,
            limits,
            line=history.line,
            source="" if written == code else written,
            is_cancelled=is_cancelled,
            on_wait=on_wait,
        )

    evaluation = evaluate_code(
        run, code, history, limits, is_cancelled=is_cancelled, on_wait=on_wait
    )
    if source:
        # Nothing was evaluated, as with a syntax error; the line counts all the same.
        session.evaluate(evaluation.result or FAILED, limits, line=history.line, source=source)
    return evaluation


def read_line_history(entries: Sequence[JournalEntry], line: int) -> LineHistory:
    """What a journal says about the lines before this one."""
    return LineHistory(_InputLines(entries), _ResultLines(entries), line)


class _JournalLines(Mapping[int, str]):
    """Something about each line of a journal, found out when it is asked for: mostly never."""

    def __init__(self, entries: Sequence[JournalEntry]) -> None:
        self._entries = entries

    @cached_property
    def _values_by_line(self) -> dict[int, str]:
        raise NotImplementedError

    def __getitem__(self, line: int) -> str:
        return self._values_by_line[line]

    def __iter__(self) -> Iterator[int]:
        return iter(self._values_by_line)

    def __len__(self) -> int:
        return len(self._values_by_line)


class _InputLines(_JournalLines):
    @cached_property
    def _values_by_line(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for entry in self._entries:
            found.setdefault(entry.line, entry.source or entry.code)
        return found


class _ResultLines(_JournalLines):
    @cached_property
    def _values_by_line(self) -> dict[int, str]:
        last = {entry.line: entry for entry in self._entries}
        return {line: _get_result(entry) for line, entry in last.items()}


def _get_result(entry: JournalEntry) -> str:
    if entry.is_cut:
        return f'Missing["TooLong", "The result of line {entry.line} was too long to be kept."]'
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
