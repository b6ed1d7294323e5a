"""Running the tests of a file in a kernel: input, expectation and comparison, one after the other.

The kernel need not know `VerificationTest`. What a test does to the state stays, as it does in a
Wolfram kernel; a test that runs out of time or memory, or ends the kernel, is taken back.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

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

    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits
    from paddock.kernels.outcome import Outcome
    from paddock.wolfram.verification import WolframTestFile

ACTUAL, EXPECTED = "$PaddockActual", "$PaddockExpected"
FILE_SYMBOLS = ("$TestFileName", "$InputFileName")
"""What stands for the path of the test file in it."""
NOT_RUN = "not run: the time for the file was used up"
_ENDINGS = {
    "timed-out": "no value: stopped after {seconds:g} s",
    "out-of-memory": "no value: stopped because it needed more than {mebibytes} MiB",
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


class FileRun:
    """One run of a file's tests; a file with no test that can be run has no results."""

    def __init__(
        self, name: str, kernel: Kernel, limits: Limits, is_cancelled: Callable[[], bool]
    ) -> None:
        self._kernel = kernel
        self._limits = limits
        self._is_cancelled = is_cancelled
        self._begun = time.monotonic()
        self._found = FileResult(name)

    def run(self, file: WolframTestFile, on_test: Callable[[], None]) -> FileResult:
        """Run everything in its order; `on_test` is called after each test."""
        number = 0
        for step in file.steps:
            if isinstance(step, Step):
                self._prepare(step)
                continue
            number += 1
            self._found.results.append(self._verify(step, number))
            on_test()
        self._found.seconds = time.monotonic() - self._begun
        return self._found

    def _left(self) -> float:
        return self._limits.seconds - (time.monotonic() - self._begun)

    def _evaluate(self, code: str, test: WolframTest | None = None) -> Outcome:
        seconds = max(self._left(), 0.01)
        memory = self._limits.memory_bytes
        if test is not None and test.seconds is not None:
            seconds = min(seconds, test.seconds)
        if test is not None and test.memory_bytes is not None:
            memory = min(memory, test.memory_bytes)
        limits = msgspec.structs.replace(self._limits, seconds=seconds, memory_bytes=memory)
        return self._kernel.evaluate(code, limits, is_cancelled=self._is_cancelled)

    def _prepare(self, step: Step) -> None:
        """Evaluate what stands between tests, and tell what went wrong."""
        if step.hidden:
            tests = "a test" if step.hidden == 1 else f"{step.hidden} tests"
            self._note(step.line, f"{tests} inside another expression cannot be run")
            return
        if self._left() <= 0:
            self._note(step.line, NOT_RUN)
            return
        outcome = self._evaluate(step.code)
        for message in _messages(outcome):
            self._note(step.line, message)
        if outcome.status != "done":
            self._note(step.line, self._no_value(outcome))

    def _note(self, line: int, text: str) -> None:
        self._found.notes.append(f"Line {line}: {text}")

    def _verify(self, test: WolframTest, number: int) -> WolframTestResult:
        if test.problem:
            return WolframTestResult(test, number, "Error", test.problem)
        if self._left() <= 0:
            return WolframTestResult(test, number, "Error", NOT_RUN)
        # Cleared first: an input that throws leaves no value, and not the last test's either.
        actual = self._evaluate(f"(Clear[{ACTUAL}]; {ACTUAL} = ({test.input}\n))", test)
        if actual.status != "done" or actual.result == "$Aborted":
            return self._ended(test, number, actual, self._no_value(actual))
        expected = self._evaluate(f"{EXPECTED} = ({test.expected}\n)", test)
        if expected.status != "done":
            text = f"the expected value: {self._no_value(expected)}"
            return self._ended(test, number, actual, text)
        same = self._evaluate(f"TrueQ[({test.same_test}\n)[{ACTUAL}, {EXPECTED}]]", test)
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

    def _no_value(self, outcome: Outcome) -> str:
        if outcome.status == "done":
            return outcome.result or "no value"
        text = _ENDINGS[outcome.status]
        mebibytes = self._limits.memory_bytes >> 20
        return text.format(seconds=round(outcome.seconds, 1), mebibytes=mebibytes)


def _messages(outcome: Outcome) -> tuple[str, ...]:
    return tuple(output.text for output in outcome.outputs if output.kind == "message")
