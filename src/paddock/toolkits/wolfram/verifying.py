"""Running the tests of a file in a kernel: input, expectation and comparison, one after the other.

The kernel need not know `VerificationTest`. What a test does to the state stays, as it does in a
Wolfram kernel; a test that runs out of time or memory, or ends the kernel, is taken back.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import msgspec

from paddock.reports.markdown import format_size
from paddock.toolkits.wolfram.computed_options import apply_computed_options
from paddock.wolfram import quote_string
from paddock.wolfram.verification import (
    WolframFileResult,
    SetupStep,
    WolframTest,
    WolframTestResult,
    determine_outcome,
    parse_tests,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import EvaluationLimits
    from paddock.kernels.outcome import EvaluationResult
    from paddock.wolfram.verification import WolframTestFile

ACTUAL_SYMBOL, EXPECTED_SYMBOL, BODY_SYMBOL = "$PaddockActual", "$PaddockExpected", "$PaddockBody"
FILE_PATH_SYMBOLS = ("$TestFileName", "$InputFileName")
"""What stands for the path of the test file in it."""
NOT_RUN_NOTE = "not run: the time for the file was used up"
KERNEL_REPLACED_NOTE = "the kernel had ended before this, and with it all definitions; a new one was started"
_FAILURE_RESULTS = ("$Failed", "$Aborted")
_FAILURE_TEXTS = {
    "timed-out": "no value: stopped after {seconds:g} s",
    "out-of-memory": "no value: stopped because it needed more than {memory}",
    "crashed": "no value: the kernel ended",
    "quit": "no value: the code ended the kernel",
    "cancelled": "no value: the call was cancelled",
    "failed": "no value: the engine does not take this code",
}


def parse_test_file(text: str, path: str) -> WolframTestFile:
    """The tests of a file, which may ask for its path.

    Raises:
        WolframSyntaxError: when it cannot be read.
    """
    return parse_tests(text, where=path, values=dict.fromkeys(FILE_PATH_SYMBOLS, quote_string(path)))


class RestartingKernel(Protocol):
    """A kernel that is replaced when it has ended."""

    restart_count: int
    """How often it was."""

    def evaluate(self, code: str, limits: EvaluationLimits) -> EvaluationResult:
        """Evaluate one expression."""


class WltFileRun:
    """One run of a file's tests; a file with no test that can be run has no results."""

    def __init__(self, name: str, kernel: RestartingKernel, limits: EvaluationLimits) -> None:
        self._kernel = kernel
        self._limits = limits
        self._started_at = time.monotonic()
        self._result = WolframFileResult(name)

    def run_file(self, file: WolframTestFile, on_test: Callable[[], None]) -> WolframFileResult:
        """Run everything in its order; `on_test` is called after each test."""
        number = 0
        for step in file.steps:
            before = self._kernel.restart_count
            if isinstance(step, SetupStep):
                self._evaluate_step(step)
            else:
                number += 1
                self._result.results.append(self._run_test(step, number))
                on_test()
            if self._kernel.restart_count > before:
                self._add_note(step.line, KERNEL_REPLACED_NOTE)
        self._result.seconds = time.monotonic() - self._started_at
        return self._result

    def _get_remaining_seconds(self) -> float:
        return self._limits.seconds - (time.monotonic() - self._started_at)

    def _get_limits(self, test: WolframTest | None) -> EvaluationLimits:
        """What is left for the file, or what a test may take of it."""
        seconds, memory = self._get_remaining_seconds(), self._limits.memory_bytes
        if test is not None and test.seconds is not None:
            seconds = min(seconds, test.seconds)
        if test is not None and test.memory_bytes is not None:
            memory = min(memory, test.memory_bytes)
        return msgspec.structs.replace(
            self._limits, seconds=max(seconds, 0.01), memory_bytes=max(memory, 1)
        )

    def _evaluate(self, code: str, test: WolframTest | None = None) -> EvaluationResult:
        return self._kernel.evaluate(code, self._get_limits(test))

    def _evaluate_step(self, step: SetupStep) -> None:
        """Evaluate what stands between tests, and tell what went wrong."""
        if step.nested_tests:
            tests = "a test" if step.nested_tests == 1 else f"{step.nested_tests} tests"
            self._add_note(step.line, f"{tests} inside another expression cannot be run")
            self._result.not_run += step.nested_tests
            return
        if self._get_remaining_seconds() <= 0:
            self._add_note(step.line, NOT_RUN_NOTE)
            self._result.is_broken = True
            return
        outcome = self._evaluate(step.code)
        for message in _list_messages(outcome):
            self._add_note(step.line, message)
        if outcome.status != "done":
            self._add_note(step.line, self._describe_missing_value(outcome))
        self._result.is_broken |= outcome.status != "done" or outcome.result in _FAILURE_RESULTS

    def _add_note(self, line: int, text: str) -> None:
        self._result.notes.append(f"Line {line}: {text}")

    def _run_test(self, test: WolframTest, number: int) -> WolframTestResult:
        if test.problem:
            return WolframTestResult(test, number, "Error", test.problem)
        if self._get_remaining_seconds() <= 0:
            return WolframTestResult(test, number, "Error", NOT_RUN_NOTE)
        test, complaints = apply_computed_options(test, lambda code: self._evaluate(code).result)
        for complaint in complaints:
            self._add_note(test.line, complaint)
        actual = self._evaluate(_format_assignment(ACTUAL_SYMBOL, test.input), test)
        if actual.status != "done" or self._is_aborted(actual):
            return self._create_error_result(test, number, actual, self._describe_missing_value(actual, test))
        expected = self._evaluate(_format_assignment(EXPECTED_SYMBOL, test.expected), test)
        if expected.status != "done":
            text = f"the expected value: {self._describe_missing_value(expected, test)}"
            return self._create_error_result(test, number, actual, text)
        same = self._evaluate(f"TrueQ[({test.same_test}\n)[{ACTUAL_SYMBOL}, {EXPECTED_SYMBOL}]]", test)
        if same.result not in ("True", "False"):
            text = f"the comparison: {self._describe_missing_value(same, test)}"
            return self._create_error_result(test, number, actual, text)
        messages = _list_messages(actual)
        return WolframTestResult(
            test,
            number,
            determine_outcome(test, is_same=same.result == "True", messages=messages),
            actual.result or "",
            expected.result or "",
            messages,
            actual.seconds,
            actual.peak_bytes or None,
        )

    def _is_aborted(self, outcome: EvaluationResult) -> bool:
        """Whether an input was aborted: that its value is `$Aborted` does not say so."""
        return outcome.result == "$Aborted" and self._evaluate(f"ValueQ[{ACTUAL_SYMBOL}]").result != "True"

    def _create_error_result(
        self, test: WolframTest, number: int, outcome: EvaluationResult, text: str
    ) -> WolframTestResult:
        return WolframTestResult(
            test,
            number,
            "Error",
            text,
            messages=_list_messages(outcome),
            seconds=outcome.seconds,
            peak_bytes=outcome.peak_bytes or None,
        )

    def _describe_missing_value(self, outcome: EvaluationResult, test: WolframTest | None = None) -> str:
        if outcome.status == "done":
            return outcome.result or "no value"
        memory = format_size(self._get_limits(test).memory_bytes)
        return _FAILURE_TEXTS[outcome.status].format(seconds=round(outcome.seconds, 1), memory=memory)


def _format_assignment(symbol: str, code: str) -> str:
    """Code that gives a symbol the value of some code, from which control may return.

    The symbol is cleared first: code that throws leaves no value, and not the last test's either.
    """
    return f"(Clear[{symbol}, {BODY_SYMBOL}]; {BODY_SYMBOL}[] := ({code}\n); {symbol} = {BODY_SYMBOL}[])"


def _list_messages(outcome: EvaluationResult) -> tuple[str, ...]:
    return tuple(output.text for output in outcome.outputs if output.kind == "message")
