"""Outputs of examples on reference pages: their code evaluated in a kernel of its own.

Messages are left out. Code whose output cannot be shown gets none, and the answer says why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.kernels.calls import call_kernel
from paddock.kernels.kernel import KernelError
from paddock.kernels.limits import Limits
from paddock.kernels.wolfram_session import History, evaluate_code
from paddock.kernels.wolfram_session.history import PICTURE
from paddock.toolkits.wolfram.engines import engine_for, engine_title, fresh_kernel
from paddock.wolfram import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.wolfram_session import Evaluation
    from paddock.wolfram.reference_pages import Code, Example

SECONDS = 10.0
NO_ENGINE = (
    "There is no Wolfram Language engine here, so the code has no output cells; "
    "paddock engines says how to get one"
)
TIMED_OUT = "$TimedOut"
_UNREADABLE = "ToExpression::sntx: "
_NOTHING = (None, "Null")
_ENDINGS = {
    "failed": "{engine} does not take it",
    "out-of-memory": "it needed too much memory",
    "crashed": "it ended the kernel",
    "quit": "it ended the kernel",
    "cancelled": "the call was cancelled",
}
_SHOWN = 60


class Surroundings(NamedTuple):
    """What examples are evaluated in."""

    context: str
    paclet: Path | None
    """The directory of the paclet, if the page is in one."""
    symbols: Collection[str]
    """The symbols of the paclet."""


def fill_outputs(examples: Sequence[Example], around: Surroundings, ctx: Context) -> list[str]:
    """Give each piece of code the output that it has, and say what there is to say about it.

    Outputs that the author gave stay. Definitions stay from one example to the next, and lines are
    counted anew in each.

    Raises:
        EngineError: when the engine that was asked for is not on this machine.
    """
    codes = [code for example in examples for code in example.codes]
    if all(code.output is not None for code in codes):
        return []
    engine = engine_for(ctx)
    if "evaluation" not in engine.capabilities:
        return [NO_ENGINE]
    run = _Run(engine, around)

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> None:
        run.all(examples, is_cancelled, on_wait)

    try:
        call_kernel(ctx, work, SECONDS * len(codes))
    except KernelError as error:
        return [*run.notes, f"The code has no output cells: {error}"]
    return [f"Evaluated by {engine_title(engine)}", *run.notes]


class _Run:
    """One kernel, and what is to be told."""

    def __init__(self, engine: Engine, around: Surroundings) -> None:
        self._engine = engine
        self._around = around
        self.notes: list[str] = []

    def all(self, examples: Sequence[Example], is_cancelled: IsCancelled, on_wait: OnWait) -> None:
        """Evaluate everything in order; nothing more once the call is cancelled."""
        limits = Limits(seconds=SECONDS)
        before = 0.0
        with fresh_kernel(self._engine, limits) as kernel:
            self._prepare(kernel, is_cancelled)
            for example in examples:
                history = History()
                for code in example.codes:
                    if is_cancelled():
                        return
                    evaluation = evaluate_code(
                        kernel.evaluate,
                        code.text,
                        history,
                        limits,
                        is_cancelled=is_cancelled,
                        on_wait=lambda seconds, before=before: on_wait(before + seconds),  # type: ignore[misc]  # a default argument keeps this round's value
                    )
                    before += evaluation.seconds
                    history = _longer(history, code, evaluation)
                    if code.output is None:
                        code.output = self._output(code, evaluation)

    def _prepare(self, kernel: Kernel, is_cancelled: IsCancelled) -> None:
        """Have the symbols of the paclet known, where the engine can load it."""
        if "packages" not in self._engine.capabilities or not self._around.context:
            return
        context = quoted(self._around.context)
        code = f'Quiet[Needs[{context}]]; $ContextPath = {{{context}, "System`"}};'
        if self._around.paclet is not None:
            code = f"Quiet[PacletDirectoryLoad[{quoted(str(self._around.paclet))}]]; {code}"
        kernel.evaluate(f"({code})", Limits(), is_cancelled=is_cancelled)

    def _output(self, code: Code, evaluation: Evaluation) -> str | None:
        if evaluation.status == "timed-out":
            return TIMED_OUT
        fault = self._fault(evaluation)
        if fault:
            first = code.text.strip().split("\n")[0]
            shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…"
            self.notes.append(f"`{shown}` has no output cell: {fault}")
            return None
        return None if evaluation.result in _NOTHING else evaluation.result

    def _fault(self, evaluation: Evaluation) -> str:
        """Why an output is not worth showing; empty if it is."""
        if evaluation.status in _ENDINGS:
            return _ENDINGS[evaluation.status].format(engine=self._engine.title)
        if evaluation.messages and evaluation.messages[-1].startswith(_UNREADABLE):
            return evaluation.messages[-1].removeprefix(_UNREADABLE).split("\n")[0].rstrip(".")
        result = evaluation.result or ""
        if PICTURE.search(result) or any(one.kind == "picture" for one in evaluation.outputs):
            return "it is a picture, which is made when the page is evaluated in a front end"
        if "packages" not in self._engine.capabilities:
            unknown = sorted(set(re.findall(r"[\w$]+", result)) & set(self._around.symbols))
            if unknown:
                names = ", ".join(unknown)
                return f"{self._engine.title} does not load paclets, and so does not know {names}"
        return ""


def _longer(history: History, code: Code, evaluation: Evaluation) -> History:
    """The history with one more line."""
    line = history.line
    results = {**history.results}
    if evaluation.result is not None:
        results[line] = evaluation.result
    return History({**history.inputs, line: code.text}, results, line + 1)
