"""Runs of Wolfram Language test files (.wlt) for the tool `TestReport`.

Input, expected value and comparison of a test are evaluated separately, so the kernel need not know
`VerificationTest`. Changes that a test makes to the state stay, as in a Wolfram kernel. A test that
exceeds a limit or ends the kernel is rolled back.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits
from paddock.kernels.wolfram.literal_engine import NO_ENGINE_MESSAGE
from paddock.reports.text import format_size
from paddock.toolkits.paths import (
    AllowedFiles,
    get_working_directory,
    list_allowed_files,
    require_path,
)
from paddock.toolkits.tool_options import MEMORY_OPTION_NAME, NETWORK_OPTION_NAME
from paddock.toolkits.wolfram.evaluator import (
    acquire_kernel,
    describe_engine,
    get_configured_engine,
)
from paddock.toolkits.wolfram.tools import FILE_TIME_OPTION_NAME
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
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationResult, Kernel
    from paddock.toolkits.wolfram.tools import WolframTestArguments
    from paddock.wolfram import Expression
    from paddock.wolfram.wlt import WolframTestFile

    EvaluateText = Callable[[str], str | None]
    ParsedTestFiles = list[tuple[Path, WolframTestFile]]

ACTUAL_SYMBOL, EXPECTED_SYMBOL, BODY_SYMBOL = "$PaddockActual", "$PaddockExpected", "$PaddockBody"
FILE_PATH_SYMBOLS = ("$TestFileName", "$InputFileName")
"""Symbols whose value is the path of the test file."""
NOT_RUN_NOTE = "not run: the time limit of the file was reached"
KERNEL_REPLACED_NOTE = (
    "the kernel ended here and all definitions were lost; a new kernel was started"
)
_FAILURE_RESULTS = ("$Failed", "$Aborted")
_FAILURE_TEXTS = {
    "timed-out": "no value: stopped after {seconds:g} s",
    "out-of-memory": "no value: stopped because it needed more than {memory}",
    "crashed": "no value: the kernel ended",
    "quit": "no value: the code ended the kernel",
    "cancelled": "no value: the call was cancelled",
    "failed": "no value: the engine does not support this code",
}
WLT_SUFFIX = ".wlt"
_MAX_WLT_FILE_BYTES = 20_000_000
# The largest limits that the operating systems accept.
_MAX_SECONDS, _MAX_MEMORY_BYTES = 1_000_000, 1 << 60


def apply_computed_options(
    test: WolframTest, evaluate: EvaluateText
) -> tuple[WolframTest, list[str]]:
    """Evaluate options of a test that are code, such as `TimeConstraint -> 1/2`.

    The parser reads options with literal values. All others are left in `test.computed` and have to
    be evaluated in the kernel before the test runs.

    Args:
        test: The test.
        evaluate: Returns the result of code as text, or None if there is no result.

    Returns:
        The test with the options applied, and a note for each unusable option.
    """
    notes = []
    for name, code in test.computed.items():
        # `N` turns exact numbers such as `1/2` into decimals, which `get_number` can read.
        value = _parse_value(evaluate(f"({code}\n)" if name == "TestID" else f"N[({code}\n)]"))
        if name == "TestID" and value is not None and get_atom_text(value):
            test = replace(test, test_id=get_atom_text(value))
            continue
        number = None if name == "TestID" else get_number(value)
        if number is not None and name == "TimeConstraint":
            test = replace(test, seconds=number)
        elif number is not None:
            test = replace(test, memory_bytes=int(number))
        elif value is None or get_atom_text(value) != "Infinity":
            notes.append(f"{name} -> {code} does not evaluate to a usable value")
    return test, notes


def _parse_value(text: str | None) -> Expression | None:
    """Return the only expression in the output of the kernel, or None."""
    source = parse(text or "")
    return source.expressions[0] if len(source.expressions) == 1 else None


def parse_test_file(text: str, path: str) -> WolframTestFile:
    """Parse a test file. Symbols such as `$TestFileName` are replaced with its path.

    Raises:
        WolframSyntaxError: The text is not valid Wolfram Language code.
    """
    return parse_tests(
        text, where=path, values=dict.fromkeys(FILE_PATH_SYMBOLS, quote_string(path))
    )


class WltFileRun:
    """A run of the tests of one file.

    Steps run in the order of the file, because tests may depend on definitions of earlier steps.
    """

    def __init__(self, name: str, kernel: RestartingKernel, limits: EvaluationLimits) -> None:
        self._kernel = kernel
        self._limits = limits
        self._started_at = time.monotonic()
        self._result = WolframFileResult(name)

    def run_file(self, file: WolframTestFile, on_test: Callable[[], None]) -> WolframFileResult:
        """Evaluate all steps in order.

        Args:
            file: The parsed test file.
            on_test: Called after each test, to report progress.
        """
        number = 0
        for step in file.steps:
            # A restart loses the definitions of earlier steps, which the report has to mention.
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
        """Return the rest of the file's limits, reduced to those of the test.

        Neither limit may be zero or negative when the time of the file has just run out.
        """
        seconds, memory = self._get_remaining_seconds(), self._limits.memory_bytes
        if test is not None and test.seconds is not None:
            seconds = min(seconds, test.seconds)
        if test is not None and test.memory_bytes is not None:
            memory = min(memory, test.memory_bytes)
        return msgspec.structs.replace(
            self._limits, seconds=max(seconds, 0.01), memory_bytes=max(memory, 1)
        )

    def _evaluate(self, code: str, test: WolframTest | None = None) -> EvaluationResult:
        """Evaluate code within the limits of the file and of the test, if one is given."""
        return self._kernel.evaluate(code, self._get_limits(test))

    def _evaluate_step(self, step: SetupStep) -> None:
        """Evaluate code between tests, and note messages and failures.

        Later tests may depend on the definitions of this code. If it fails, the whole file counts
        as broken, even if all of its tests pass.
        """
        if step.nested_tests:
            tests = "a test" if step.nested_tests == 1 else f"{step.nested_tests} tests"
            self._add_note(step.line, f"{tests} inside another expression cannot be run")
            self._result.not_run += step.nested_tests
            return
        if self._get_remaining_seconds() <= 0:
            self._add_note(step.line, NOT_RUN_NOTE)
            self._result.is_broken = True
            return
        result = self._evaluate(step.code)
        for message in _list_messages(result):
            self._add_note(step.line, message)
        if result.status != "done":
            self._add_note(step.line, self._describe_missing_value(result))
        self._result.is_broken |= result.status != "done" or result.result in _FAILURE_RESULTS

    def _add_note(self, line: int, text: str) -> None:
        self._result.notes.append(f"Line {line}: {text}")

    def _run_test(self, test: WolframTest, number: int) -> WolframTestResult:
        """Run one test and return its result.

        The actual value, the expected value and the comparison are evaluated one after the other,
        so that the report can say which of them failed. Between these steps the kernel keeps the
        values in symbols.
        """
        if test.problem:
            return WolframTestResult(test, number, "Error", test.problem)
        if self._get_remaining_seconds() <= 0:
            return WolframTestResult(test, number, "Error", NOT_RUN_NOTE)
        test, notes = apply_computed_options(test, lambda code: self._evaluate(code).result)
        for note in notes:
            self._add_note(test.line, note)
        actual = self._evaluate(_format_assignment(ACTUAL_SYMBOL, test.input), test)
        if actual.status != "done" or self._is_aborted(actual):
            return self._create_error_result(
                test, number, actual, self._describe_missing_value(actual, test)
            )
        expected = self._evaluate(_format_assignment(EXPECTED_SYMBOL, test.expected), test)
        if expected.status != "done":
            text = f"the expected value: {self._describe_missing_value(expected, test)}"
            return self._create_error_result(test, number, actual, text)
        comparison = self._evaluate(
            f"TrueQ[({test.same_test}\n)[{ACTUAL_SYMBOL}, {EXPECTED_SYMBOL}]]", test
        )
        if comparison.result not in ("True", "False"):
            text = f"the comparison: {self._describe_missing_value(comparison, test)}"
            return self._create_error_result(test, number, actual, text)
        messages = _list_messages(actual)
        return WolframTestResult(
            test,
            number,
            determine_outcome(test, is_same=comparison.result == "True", messages=messages),
            actual.result or "",
            expected.result or "",
            messages,
            actual.seconds,
            actual.peak_bytes or None,
        )

    def _is_aborted(self, result: EvaluationResult) -> bool:
        """Return True if the input of a test was aborted before it had a value."""
        # A test may return `$Aborted` as its regular value. Only after a real abort has the symbol
        # no value.
        return (
            result.result == "$Aborted"
            and self._evaluate(f"ValueQ[{ACTUAL_SYMBOL}]").result != "True"
        )

    def _create_error_result(
        self, test: WolframTest, number: int, result: EvaluationResult, text: str
    ) -> WolframTestResult:
        """Return the result of a test that could not be completed.

        It contains the messages, time and memory of the evaluation that failed.
        """
        return WolframTestResult(
            test,
            number,
            "Error",
            text,
            messages=_list_messages(result),
            seconds=result.seconds,
            peak_bytes=result.peak_bytes or None,
        )

    def _describe_missing_value(
        self, result: EvaluationResult, test: WolframTest | None = None
    ) -> str:
        """Return the reason why an evaluation has no usable value, for the report."""
        if result.status == "done":
            return result.result or "no value"
        memory = format_size(self._get_limits(test).memory_bytes)
        return _FAILURE_TEXTS[result.status].format(seconds=round(result.seconds, 1), memory=memory)


def _format_assignment(symbol: str, code: str) -> str:
    """Return code that assigns the value of other code to a symbol.

    The code is the body of a function, so that `Return` in it works. The symbol is cleared first:
    if the code throws, it must not keep the value of the previous test.
    """
    return (
        f"(Clear[{symbol}, {BODY_SYMBOL}]; {BODY_SYMBOL}[] := ({code}\n); "
        f"{symbol} = {BODY_SYMBOL}[])"
    )


def _list_messages(result: EvaluationResult) -> tuple[str, ...]:
    return tuple(output.text for output in result.outputs if output.kind == "message")


class WolframTestsNotFoundError(ToolError):
    """A test file or directory does not exist."""

    code = "test-file-not-found"


class NoTestsInFileError(ToolError):
    """A file contains no tests, or a directory no test files."""

    code = "no-tests-in-file"


class InvalidTestFileError(ToolError):
    """A test file cannot be read or parsed."""

    code = "invalid-test-file"


def run_wolfram_tests(arguments: WolframTestArguments, ctx: Context) -> str:
    """Run test files and return a report.

    All files are parsed before the first one is run, so that a mistake in one of them is reported
    without waiting for the tests of the others.

    Raises:
        ToolError: A file is missing or invalid. No file is run then.
        PaddockError: The engine is not installed, or its kernel does not start.
    """
    files, skipped_notes = _find_test_files(arguments.paths, ctx)
    # All files are parsed before the first one runs, so that mistakes are reported at once.
    parsed_files = [(file, _read_tests(file)) for file in files]
    directory = get_working_directory(ctx)
    seconds = float(
        min(arguments.time_constraint or ctx.options[FILE_TIME_OPTION_NAME], _MAX_SECONDS)
    )
    memory_bytes = arguments.memory_constraint or ctx.options[MEMORY_OPTION_NAME]
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=min(memory_bytes, _MAX_MEMORY_BYTES),
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError("no test was run", hint=NO_ENGINE_MESSAGE.removeprefix("Paddock::engine: "))
    # Files in one group share a kernel, so that definitions of one file are available in the next.
    is_shared = arguments.new_kernel is False
    groups = [parsed_files] if is_shared else [[parsed_file] for parsed_file in parsed_files]

    def work(control: EvaluationControl) -> list[WolframFileResult]:
        run = _WltRun(engine, directory, limits, control)
        return [result for group in groups for result in run.run_group(group)]

    results = call_kernel(ctx, work, seconds * len(parsed_files))
    ctx.raise_if_cancelled()
    paragraphs = [
        format_report(results),
        *skipped_notes,
        f"Evaluated by {describe_engine(engine)}.",
    ]
    return "\n\n".join(paragraphs)


def _find_test_files(paths: str, ctx: Context) -> tuple[list[Path], list[str]]:
    """Return the distinct files to run, and notes about skipped files."""
    files: list[Path] = []
    notes: list[str] = []
    for path in (part.strip() for part in paths.split(",")):
        if path:
            allowed = _expand_path(path, ctx)
            files += allowed.files
            notes += [
                f"{file} was not run: it is not a file, or a link out of its directory."
                for file in allowed.skipped
            ]
    if not files:
        raise WolframTestsNotFoundError(
            "`paths` contains no paths", hint="name .wlt files or directories"
        )
    return list(dict.fromkeys(files)), notes


def _expand_path(path: str, ctx: Context) -> AllowedFiles:
    """Return the test files that one path names: the file itself, or those in the directory."""
    resolved = require_path(path, ctx, WolframTestsNotFoundError)
    if resolved.is_file():
        return AllowedFiles([resolved], [])
    allowed = list_allowed_files(resolved, (WLT_SUFFIX,), is_deep=False)
    if not allowed.files:
        raise NoTestsInFileError(f"{path} contains no {WLT_SUFFIX} files", where=str(resolved))
    return allowed


def _read_tests(file: Path) -> WolframTestFile:
    """Parse a test file, and raise an error if it contains no test that can be run."""
    try:
        text = read_regular_file(file, _MAX_WLT_FILE_BYTES).decode("utf-8-sig")
        test_file = parse_test_file(text, str(file))
    except (OSError, UnicodeDecodeError, WolframSyntaxError) as error:
        raise InvalidTestFileError(f"{file.name} cannot be read: {error}") from None
    if not test_file.tests:
        nested_note = (
            f"; {test_file.nested_tests} inside other expressions cannot be run"
            if test_file.nested_tests
            else ""
        )
        raise NoTestsInFileError(f"{file.name} has no tests{nested_note}", where=str(file))
    return test_file


class _WltRun:
    """Runs groups of files, each group in a separate kernel."""

    def __init__(
        self,
        engine: Engine,
        directory: Path,
        limits: EvaluationLimits,
        control: EvaluationControl,
    ) -> None:
        self._engine = engine
        self._directory = directory
        self._limits = limits
        self._control = control
        self._started_at = time.monotonic()

    def run_group(self, files: ParsedTestFiles) -> list[WolframFileResult]:
        """Run the files of a group in one kernel. A cancellation skips the remaining files."""
        # Files share one clock, so that the reported progress does not restart with each file.
        control = EvaluationControl(self._control.is_cancelled, self._report_progress)
        with closing(RestartingKernel(self._start_kernel, control)) as kernel:
            results = []
            for file, test_file in files:
                if not self._control.is_cancelled():
                    run = WltFileRun(file.name, kernel, self._limits)
                    results.append(run.run_file(test_file, self._report_progress))
        return results

    def _start_kernel(self) -> Kernel:
        kernel = acquire_kernel(self._engine, self._limits)
        # Relative paths in tests start where the client works, and not where the server runs.
        kernel.evaluate(f"SetDirectory[{quote_string(str(self._directory))}]", self._limits)
        return kernel

    def _report_progress(self, _seconds: float = 0) -> None:
        self._control.on_progress(time.monotonic() - self._started_at)


class RestartingKernel:
    """A kernel that is started on first use and replaced after it has ended.

    A test may crash or quit its kernel. The remaining tests of the file then run in a new one.
    """

    def __init__(self, start: Callable[[], Kernel], control: EvaluationControl) -> None:
        self._start_kernel = start
        self._control = control
        self._kernel: Kernel | None = None
        self.restart_count = 0
        """How often an ended kernel was replaced."""

    def evaluate(self, code: str, limits: EvaluationLimits) -> EvaluationResult:
        """Evaluate one expression, in a new kernel if the last one has ended."""
        if self._kernel is not None and not self._kernel.is_alive:
            self.close()
            self.restart_count += 1
        if self._kernel is None:
            self._kernel = self._start_kernel()
        return self._kernel.evaluate(code, limits, self._control)

    def close(self) -> None:
        """Close the current kernel, if any."""
        if self._kernel is not None:
            self._kernel.close()
        self._kernel = None
