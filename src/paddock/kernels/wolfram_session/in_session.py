"""Evaluating in a session: its journal is the history, and each expression is an entry of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from paddock.kernels.kernel import ignore, never
from paddock.kernels.wolfram_session.evaluating import FAILED, evaluate_code
from paddock.kernels.wolfram_session.forms import value
from paddock.kernels.wolfram_session.history import History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.kernels.limits import Limits
    from paddock.kernels.outcome import Outcome
    from paddock.kernels.sessions import Entry, Session
    from paddock.kernels.wolfram_session.answer import Evaluation


def evaluate(
    session: Session,
    code: str,
    limits: Limits,
    *,
    is_cancelled: Callable[[], bool] = never,
    on_wait: Callable[[float], None] = ignore,
) -> Evaluation:
    """Evaluate code as the next line of a session.

    Raises:
        KernelError: when no kernel can be started.
    """
    history = history_of(session.history, session.line)
    # The journal has what the user wrote once, with the first expression.
    source = code

    def run(
        code: str,
        limits: Limits,
        *,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> Outcome:
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


def history_of(entries: Sequence[Entry], line: int) -> History:
    """What a journal says about the lines before this one."""
    return History(_Inputs(entries), _Results(entries), line)


class _Lines(Mapping[int, str]):
    """Something about each line of a journal, found out when it is asked for: mostly never."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    @cached_property
    def _found(self) -> dict[int, str]:
        raise NotImplementedError

    def __getitem__(self, line: int) -> str:
        return self._found[line]

    def __iter__(self) -> Iterator[int]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class _Inputs(_Lines):
    @cached_property
    def _found(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for entry in self._entries:
            found.setdefault(entry.line, entry.source or entry.code)
        return found


class _Results(_Lines):
    @cached_property
    def _found(self) -> dict[int, str]:
        last = {entry.line: entry for entry in self._entries}
        return {line: _value(entry) for line, entry in last.items()}


def _value(entry: Entry) -> str:
    if entry.is_cut:
        return f'Missing["TooLong", "The result of line {entry.line} was too long to be kept."]'
    if entry.result is not None:
        return value(entry.result)
    return "Null" if entry.status in ("done", "quit") else FAILED
