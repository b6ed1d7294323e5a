"""Options of tests whose values are code, such as `TimeConstraint -> 1/2`: worked out in a kernel.

What comes of it is put into the test; what is of no use is told, and not applied.

Running the tests of a file in a kernel: input, expectation and comparison, one after the other.

The kernel need not know `VerificationTest`. What a test does to the state stays, as it does in a
Wolfram kernel; a test that runs out of time or memory, or ends the kernel, is taken back.

What the tool `TestReport` does: finds test files, has each run in a kernel, and reports.

Reading tests and wording the report is done by `paddock.wolfram.wlt`, running them by
`verifying`. Loaded with the first call.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import msgspec

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.wolfram.literal_engine import NO_ENGINE_MESSAGE
from paddock.reports.text import format_size
from paddock.toolkits.paths import (
    AllowedFiles,
    get_working_directory,
    list_allowed_files,
    resolve_path,
)
from paddock.toolkits.tool_options import NETWORK_OPTION_NAME
from paddock.toolkits.wolfram.evaluator import (
    acquire_kernel,
    describe_engine,
    get_configured_engine,
)
from paddock.wolfram import WolframSyntaxError, parse, quote_string
from paddock.wolfram.wlt import (
    SetupStep,
    WolframFileResult,
    WolframTest,
    WolframTestResult,
    determine_outcome,
    format_report,
    get_atom_text,
    get_number,
    parse_tests,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.kernel import EvaluationResult
    from paddock.wolfram.wlt import WolframTestFile


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram import Expression
    from paddock.wolfram.wlt import WolframTest

    EvaluateText = Callable[[str], str | None]


def apply_computed_options(
    test: WolframTest, evaluate: EvaluateText
) -> tuple[WolframTest, list[str]]:
    """A test with the values of its options, and what is to be told about the others.

    `evaluate` gives the text of a value, or None when there is none.
    """
    complaints = []
    for name, code in test.computed.items():
        found = _parse_value(evaluate(f"({code}\n)" if name == "TestID" else f"N[({code}\n)]"))
        if name == "TestID" and found is not None and get_atom_text(found):
            test = replace(test, test_id=get_atom_text(found))
            continue
        number = None if name == "TestID" else get_number(found)
        if number is not None and name == "TimeConstraint":
            test = replace(test, seconds=number)
        elif number is not None:
            test = replace(test, memory_bytes=int(number))
        elif found is None or get_atom_text(found) != "Infinity":
            complaints.append(f"{name} -> {code} has no value that can be used")
    return test, complaints


def _parse_value(text: str | None) -> Expression | None:
    source = parse(text or "")
    return source.expressions[0] if len(source.expressions) == 1 else None


ACTUAL_SYMBOL, EXPECTED_SYMBOL, BODY_SYMBOL = "$PaddockActual", "$PaddockExpected", "$PaddockBody"
FILE_PATH_SYMBOLS = ("$TestFileName", "$InputFileName")
"""What stands for the path of the test file in it."""
NOT_RUN_NOTE = "not run: the time for the file was used up"
KERNEL_REPLACED_NOTE = (
    "the kernel had ended before this, and with it all definitions; a new one was started"
)
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
    return parse_tests(
        text, where=path, values=dict.fromkeys(FILE_PATH_SYMBOLS, quote_string(path))
    )


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
            return self._create_error_result(
                test, number, actual, self._describe_missing_value(actual, test)
            )
        expected = self._evaluate(_format_assignment(EXPECTED_SYMBOL, test.expected), test)
        if expected.status != "done":
            text = f"the expected value: {self._describe_missing_value(expected, test)}"
            return self._create_error_result(test, number, actual, text)
        same = self._evaluate(
            f"TrueQ[({test.same_test}\n)[{ACTUAL_SYMBOL}, {EXPECTED_SYMBOL}]]", test
        )
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
        return (
            outcome.result == "$Aborted"
            and self._evaluate(f"ValueQ[{ACTUAL_SYMBOL}]").result != "True"
        )

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

    def _describe_missing_value(
        self, outcome: EvaluationResult, test: WolframTest | None = None
    ) -> str:
        if outcome.status == "done":
            return outcome.result or "no value"
        memory = format_size(self._get_limits(test).memory_bytes)
        return _FAILURE_TEXTS[outcome.status].format(
            seconds=round(outcome.seconds, 1), memory=memory
        )


def _format_assignment(symbol: str, code: str) -> str:
    """Code that gives a symbol the value of some code, from which control may return.

    The symbol is cleared first: code that throws leaves no value, and not the last test's either.
    """
    return f"(Clear[{symbol}, {BODY_SYMBOL}]; {BODY_SYMBOL}[] := ({code}\n); {symbol} = {BODY_SYMBOL}[])"


def _list_messages(outcome: EvaluationResult) -> tuple[str, ...]:
    return tuple(output.text for output in outcome.outputs if output.kind == "message")


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import EvaluationResult, Kernel
    from paddock.wolfram.wlt import WolframTestFile

    ParsedTestFiles = list[tuple[Path, WolframTestFile]]

WLT_SUFFIX = ".wlt"
_MAX_WLT_FILE_BYTES = 20_000_000
_MAX_SECONDS, _MAX_MEMORY_BYTES = 1_000_000, 1 << 60
"""What limits can be given to the system."""


class WolframTestsNotFoundError(ToolError):
    """There is no such test file or directory."""

    code = "test-file-not-found"


class NoTestsInFileError(ToolError):
    """A file has no tests, or a directory no test files."""

    code = "no-tests-in-file"


class InvalidTestFileError(ToolError):
    """A test file cannot be read."""

    code = "invalid-test-file"


def run_and_report(
    ctx: Context, paths: str, seconds: float, memory_bytes: int, *, is_shared: bool
) -> str:
    """The report on the tests in some files, each with so much time and memory.

    Raises:
        ToolError: when a file cannot be run; then none is.
        PaddockError: when there is no such engine, or its kernel does not start.
    """
    files, left_out = _find_test_files(paths, ctx)
    read = [(file, _read_tests(file)) for file in files]
    directory = get_working_directory(ctx)
    seconds = float(min(seconds, _MAX_SECONDS))
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=min(memory_bytes, _MAX_MEMORY_BYTES),
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError("No test was run", hint=NO_ENGINE_MESSAGE.removeprefix("Paddock::engine: "))
    groups = [read] if is_shared else [[each] for each in read]

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> list[WolframFileResult]:
        run = _WltRun(engine, directory, limits, is_cancelled, on_wait)
        return [result for group in groups for result in run.run_group(group)]

    results = call_kernel(ctx, work, seconds * len(read))
    parts = [format_report(results), *left_out, f"Evaluated by {describe_engine(engine)}."]
    return "\n\n".join(parts)


def _find_test_files(paths: str, ctx: Context) -> tuple[list[Path], list[str]]:
    """The files to run, and what is to be told of those that are not."""
    found: list[Path] = []
    told: list[str] = []
    for given in (part.strip() for part in paths.split(",")):
        if given:
            files, left_out = _expand_path(given, resolve_path(given, ctx))
            found += files
            told += [
                f"{file} was not run: it leads out of its directory, or is no file."
                for file in left_out
            ]
    if not found:
        raise WolframTestsNotFoundError("There are no paths", hint="name .wlt files or directories")
    return list(dict.fromkeys(found)), told


def _expand_path(given: str, place: Path) -> AllowedFiles:
    if place.is_file():
        return AllowedFiles([place], [])
    if not place.is_dir():
        raise WolframTestsNotFoundError(
            f"There is no file or directory {given}",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    found = list_allowed_files(place, (WLT_SUFFIX,), is_deep=False)
    if not found.files:
        raise NoTestsInFileError(f"There are no {WLT_SUFFIX} files in {given}", where=str(place))
    return found


def _read_tests(file: Path) -> WolframTestFile:
    try:
        text = read_regular_file(file, _MAX_WLT_FILE_BYTES).decode("utf-8-sig")
        read = parse_test_file(text, str(file))
    except (OSError, UnicodeDecodeError, WolframSyntaxError) as error:
        raise InvalidTestFileError(f"{file.name} cannot be read: {error}") from None
    if not read.tests:
        hidden = (
            f"; {read.nested_tests} inside other expressions cannot be run"
            if read.nested_tests
            else ""
        )
        raise NoTestsInFileError(f"{file.name} has no tests{hidden}", where=str(file))
    return read


class _WltRun:
    """Runs groups of files, each group in a kernel of its own."""

    def __init__(
        self,
        engine: Engine,
        directory: Path,
        limits: EvaluationLimits,
        is_cancelled: CancelCheck,
        on_wait: ProgressCallback,
    ) -> None:
        self._engine = engine
        self._directory = directory
        self._limits = limits
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._started_at = time.monotonic()

    def run_group(self, files: ParsedTestFiles) -> list[WolframFileResult]:
        """What came of the files of a group; of none when the call is cancelled."""
        with closing(
            _RestartingEngineKernel(self._start_kernel, self._is_cancelled, self._report_progress)
        ) as kernel:
            results = []
            for file, read in files:
                if not self._is_cancelled():
                    run = WltFileRun(file.name, kernel, self._limits)
                    results.append(run.run_file(read, self._report_progress))
        return results

    def _start_kernel(self) -> Kernel:
        kernel = acquire_kernel(self._engine, self._limits)
        kernel.evaluate(f"SetDirectory[{quote_string(str(self._directory))}]", self._limits)
        return kernel

    def _report_progress(self, _seconds: float = 0) -> None:
        self._on_wait(time.monotonic() - self._started_at)


class _RestartingEngineKernel:
    """A kernel that is replaced when it has ended."""

    def __init__(
        self, start: Callable[[], Kernel], is_cancelled: CancelCheck, on_wait: ProgressCallback
    ) -> None:
        self._start_kernel = start
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._kernel: Kernel | None = None
        self.restart_count = 0

    def evaluate(self, code: str, limits: EvaluationLimits) -> EvaluationResult:
        """Evaluate one expression, in a new kernel if there is none any more."""
        if self._kernel is not None and not self._kernel.is_alive:
            self.close()
            self.restart_count += 1
        if self._kernel is None:
            self._kernel = self._start_kernel()
        return self._kernel.evaluate(
            code, limits, is_cancelled=self._is_cancelled, on_wait=self._on_wait
        )

    def close(self) -> None:
        """End the kernel that there is."""
        if self._kernel is not None:
            self._kernel.close()
        self._kernel = None
