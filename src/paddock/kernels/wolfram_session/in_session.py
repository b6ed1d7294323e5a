"""Evaluating in a session: its journal is the history, and each expression is an entry of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from paddock.kernels.kernel import ignore_progress, never_cancelled
from paddock.kernels.wolfram_session.evaluating import FAILED, evaluate_code
from paddock.kernels.wolfram_session.forms import strip_output_form
from paddock.kernels.wolfram_session.history import LineHistory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.kernels.limits import EvaluationLimits
    from paddock.kernels.outcome import EvaluationResult
    from paddock.kernels.sessions import JournalEntry, EvaluationSession
    from paddock.kernels.wolfram_session.answer import LineEvaluation


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
