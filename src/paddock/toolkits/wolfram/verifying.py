"""Running the tests of a file in a kernel: input, expectation and comparison, one after the other.

The kernel need not know `VerificationTest`. What a test does to the state stays, as it does in a
Wolfram kernel; a test that runs out of time or memory, or ends the kernel, is taken back.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import msgspec

from paddock.reports.markdown import size_text
from paddock.toolkits.wolfram.computed_options import with_computed_options
from paddock.wolfram import quoted
from paddock.wolfram.verification import (
    FileResult,
    Step,
    WolframTest,
    WolframTestResult,
    outcome_of,
    read_tests,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import Limits
    from paddock.kernels.outcome import Outcome
    from paddock.wolfram.verification import WolframTestFile

ACTUAL, EXPECTED, BODY = "$PaddockActual", "$PaddockExpected", "$PaddockBody"
FILE_SYMBOLS = ("$TestFileName", "$InputFileName")
"""What stands for the path of the test file in it."""
NOT_RUN = "not run: the time for the file was used up"
REPLACED = "the kernel had ended before this, and with it all definitions; a new one was started"
_FAILED = ("$Failed", "$Aborted")
_ENDINGS = {
    "timed-out": "no value: stopped after {seconds:g} s",
    "out-of-memory": "no value: stopped because it needed more than {memory}",
    "crashed": "no value: the kernel ended",
    "quit": "no value: the code ended the kernel",
    "cancelled": "no value: the call was cancelled",
    "failed": "no value: the engine does not take this code",
}


def read_test_file(text: str, path: str) -> WolframTestFile:
    """The tests of a file, which may ask for its path.

    Raises:
        WolframSyntaxError: when it cannot be read.
    """
    return read_tests(text, where=path, values=dict.fromkeys(FILE_SYMBOLS, quoted(path)))


class LivingKernel(Protocol):
    """A kernel that is replaced when it has ended."""

    replacements: int
    """How often it was."""

    def evaluate(self, code: str, limits: Limits) -> Outcome:
        """Evaluate one expression."""


class FileRun:
    """One run of a file's tests; a file with no test that can be run has no results."""

    def __init__(self, name: str, kernel: LivingKernel, limits: Limits) -> None:
        self._kernel = kernel
        self._limits = limits
        self._begun = time.monotonic()
        self._found = FileResult(name)

    def run(self, file: WolframTestFile, on_test: Callable[[], None]) -> FileResult:
        """Run everything in its order; `on_test` is called after each test."""
        number = 0
        for step in file.steps:
            before = self._kernel.replacements
            if isinstance(step, Step):
                self._prepare(step)
            else:
                number += 1
                self._found.results.append(self._verify(step, number))
                on_test()
            if self._kernel.replacements > before:
                self._note(step.line, REPLACED)
        self._found.seconds = time.monotonic() - self._begun
        return self._found

    def _left(self) -> float:
        return self._limits.seconds - (time.monotonic() - self._begun)

    def _limits_of(self, test: WolframTest | None) -> Limits:
        """What is left for the file, or what a test may take of it."""
        seconds, memory = self._left(), self._limits.memory_bytes
        if test is not None and test.seconds is not None:
            seconds = min(seconds, test.seconds)
        if test is not None and test.memory_bytes is not None:
            memory = min(memory, test.memory_bytes)
        return msgspec.structs.replace(
            self._limits, seconds=max(seconds, 0.01), memory_bytes=max(memory, 1)
        )

    def _evaluate(self, code: str, test: WolframTest | None = None) -> Outcome:
        return self._kernel.evaluate(code, self._limits_of(test))

    def _prepare(self, step: Step) -> None:
        """Evaluate what stands between tests, and tell what went wrong."""
        if step.hidden:
            tests = "a test" if step.hidden == 1 else f"{step.hidden} tests"
            self._note(step.line, f"{tests} inside another expression cannot be run")
            self._found.not_run += step.hidden
            return
        if self._left() <= 0:
            self._note(step.line, NOT_RUN)
            self._found.is_broken = True
            return
        outcome = self._evaluate(step.code)
        for message in _messages(outcome):
            self._note(step.line, message)
        if outcome.status != "done":
            self._note(step.line, self._no_value(outcome))
        self._found.is_broken |= outcome.status != "done" or outcome.result in _FAILED

    def _note(self, line: int, text: str) -> None:
        self._found.notes.append(f"Line {line}: {text}")

    def _verify(self, test: WolframTest, number: int) -> WolframTestResult:
        if test.problem:
            return WolframTestResult(test, number, "Error", test.problem)
        if self._left() <= 0:
            return WolframTestResult(test, number, "Error", NOT_RUN)
        test, complaints = with_computed_options(test, lambda code: self._evaluate(code).result)
        for complaint in complaints:
            self._note(test.line, complaint)
        actual = self._evaluate(_assigned(ACTUAL, test.input), test)
        if actual.status != "done" or self._is_aborted(actual):
            return self._ended(test, number, actual, self._no_value(actual, test))
        expected = self._evaluate(_assigned(EXPECTED, test.expected), test)
        if expected.status != "done":
            text = f"the expected value: {self._no_value(expected, test)}"
            return self._ended(test, number, actual, text)
        same = self._evaluate(f"TrueQ[({test.same_test}\n)[{ACTUAL}, {EXPECTED}]]", test)
        if same.result not in ("True", "False"):
            text = f"the comparison: {self._no_value(same, test)}"
            return self._ended(test, number, actual, text)
        messages = _messages(actual)
        return WolframTestResult(
            test,
            number,
            outcome_of(test, is_same=same.result == "True", messages=messages),
            actual.result or "",
            expected.result or "",
            messages,
            actual.seconds,
            actual.peak_bytes or None,
        )

    def _is_aborted(self, outcome: Outcome) -> bool:
        """Whether an input was aborted: that its value is `$Aborted` does not say so."""
        return outcome.result == "$Aborted" and self._evaluate(f"ValueQ[{ACTUAL}]").result != "True"

    def _ended(
        self, test: WolframTest, number: int, outcome: Outcome, text: str
    ) -> WolframTestResult:
        return WolframTestResult(
            test,
            number,
            "Error",
            text,
            messages=_messages(outcome),
            seconds=outcome.seconds,
            peak_bytes=outcome.peak_bytes or None,
        )

    def _no_value(self, outcome: Outcome, test: WolframTest | None = None) -> str:
        if outcome.status == "done":
            return outcome.result or "no value"
        memory = size_text(self._limits_of(test).memory_bytes)
        return _ENDINGS[outcome.status].format(seconds=round(outcome.seconds, 1), memory=memory)


def _assigned(symbol: str, code: str) -> str:
    """Code that gives a symbol the value of some code, from which control may return.

    The symbol is cleared first: code that throws leaves no value, and not the last test's either.
    """
    return f"(Clear[{symbol}, {BODY}]; {BODY}[] := ({code}\n); {symbol} = {BODY}[])"


def _messages(outcome: Outcome) -> tuple[str, ...]:
    return tuple(output.text for output in outcome.outputs if output.kind == "message")
