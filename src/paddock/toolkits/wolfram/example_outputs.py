"""Outputs of examples on reference pages: their code evaluated in a kernel of its own.

Messages are left out. Code whose output cannot be shown gets none, and the answer says why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.kernels.calls import call_kernel
from paddock.kernels.kernel import KernelError
from paddock.kernels.limits import EvaluationLimits
from paddock.kernels.wolfram_session import LineHistory, evaluate_code
from paddock.kernels.wolfram_session.history import IMAGE_PLACEHOLDER
from paddock.toolkits.wolfram.engines import get_configured_engine, describe_engine, open_kernel
from paddock.wolfram import quote_string

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.calls import CancelCheck, ProgressCallback
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.wolfram_session import LineEvaluation
    from paddock.wolfram.reference_pages import ExampleCode, Example

EXAMPLE_TIMEOUT_SECONDS = 10.0
NO_ENGINE_NOTE = (
    "There is no Wolfram Language engine here, so the code has no output cells; "
    "paddock engines says how to get one"
)
TIMED_OUT_OUTPUT = "$TimedOut"
_SYNTAX_MESSAGE_PREFIX = "ToExpression::sntx: "
_EMPTY_RESULTS = (None, "Null")
_FAILURE_TEXTS = {
    "failed": "{engine} does not take it",
    "out-of-memory": "it needed too much memory",
    "crashed": "it ended the kernel",
    "quit": "it ended the kernel",
    "cancelled": "the call was cancelled",
}
_MAX_QUOTED_CHARACTERS = 60


class ExampleContext(NamedTuple):
    """What examples are evaluated in."""

    context: str
    paclet: Path | None
    """The directory of the paclet, if the page is in one."""
    symbols: Collection[str]
    """The symbols of the paclet."""


def fill_example_outputs(examples: Sequence[Example], around: ExampleContext, ctx: Context) -> list[str]:
    """Give each piece of code the output that it has, and say what there is to say about it.

    Outputs that the author gave stay. Definitions stay from one example to the next, and lines are
    counted anew in each.

    Raises:
        EngineError: when the engine that was asked for is not on this machine.
    """
    codes = [code for example in examples for code in example.code_parts]
    if all(code.output is not None for code in codes):
        return []
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        return [NO_ENGINE_NOTE]
    run = _ExampleRun(engine, around)

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> None:
        run.evaluate_examples(examples, is_cancelled, on_wait)

    try:
        call_kernel(ctx, work, EXAMPLE_TIMEOUT_SECONDS * len(codes))
    except KernelError as error:
        return [*run.notes, f"The code has no output cells: {error}"]
    return [f"Evaluated by {describe_engine(engine)}", *run.notes]


class _ExampleRun:
    """One kernel, and what is to be told."""

    def __init__(self, engine: Engine, around: ExampleContext) -> None:
        self._engine = engine
        self._context = around
        self.notes: list[str] = []

    def evaluate_examples(self, examples: Sequence[Example], is_cancelled: CancelCheck, on_wait: ProgressCallback) -> None:
        """Evaluate everything in order; nothing more once the call is cancelled."""
        limits = EvaluationLimits(seconds=EXAMPLE_TIMEOUT_SECONDS)
        before = 0.0
        with open_kernel(self._engine, limits) as kernel:
            self._load_package(kernel, is_cancelled)
            for example in examples:
                history = LineHistory()
                for code in example.code_parts:
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
                    history = _extend_history(history, code, evaluation)
                    if code.output is None:
                        code.output = self._get_output(code, evaluation)

    def _load_package(self, kernel: Kernel, is_cancelled: CancelCheck) -> None:
        """Have the symbols of the paclet known, where the engine can load it."""
        if "packages" not in self._engine.capabilities or not self._context.context:
            return
        context = quote_string(self._context.context)
        code = f'Quiet[Needs[{context}]]; $ContextPath = {{{context}, "System`"}};'
        if self._context.paclet is not None:
            code = f"Quiet[PacletDirectoryLoad[{quote_string(str(self._context.paclet))}]]; {code}"
        kernel.evaluate(f"({code})", EvaluationLimits(), is_cancelled=is_cancelled)

    def _get_output(self, code: ExampleCode, evaluation: LineEvaluation) -> str | None:
        if evaluation.status == "timed-out":
            return TIMED_OUT_OUTPUT
        fault = self._find_output_problem(evaluation)
        if fault:
            first = code.text.strip().split("\n")[0]
            shown = first if len(first) <= _MAX_QUOTED_CHARACTERS else f"{first[:_MAX_QUOTED_CHARACTERS]}…"
            self.notes.append(f"`{shown}` has no output cell: {fault}")
            return None
        return None if evaluation.result in _EMPTY_RESULTS else evaluation.result

    def _find_output_problem(self, evaluation: LineEvaluation) -> str:
        """Why an output is not worth showing; empty if it is."""
        if evaluation.status in _FAILURE_TEXTS:
            return _FAILURE_TEXTS[evaluation.status].format(engine=self._engine.title)
        if evaluation.messages and evaluation.messages[-1].startswith(_SYNTAX_MESSAGE_PREFIX):
            return evaluation.messages[-1].removeprefix(_SYNTAX_MESSAGE_PREFIX).split("\n")[0].rstrip(".")
        result = evaluation.result or ""
        if IMAGE_PLACEHOLDER.search(result) or any(one.kind == "picture" for one in evaluation.outputs):
            return "it is a picture, which is made when the page is evaluated in a front end"
        if "packages" not in self._engine.capabilities:
            unknown = sorted(set(re.findall(r"[\w$]+", result)) & set(self._context.symbols))
            if unknown:
                names = ", ".join(unknown)
                return f"{self._engine.title} does not load paclets, and so does not know {names}"
        return ""


def _extend_history(history: LineHistory, code: ExampleCode, evaluation: LineEvaluation) -> LineHistory:
    """The history with one more line."""
    line = history.line
    results = {**history.results}
    if evaluation.result is not None:
        results[line] = evaluation.result
    return LineHistory({**history.inputs, line: code.text}, results, line + 1)
