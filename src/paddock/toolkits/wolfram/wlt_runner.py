"""Runs of Wolfram Language test files (.wlt) for the `TestReport` tool.

A test's input, expected value and comparison are evaluated separately, so the kernel does not need
to support `VerificationTest`. Changes that a test makes to the state persist, as in a Wolfram
kernel. A test that exceeds a limit or ends the kernel is rolled back.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits
from paddock.kernels.wolfram.literal_engine import NO_ENGINE_MESSAGE
from paddock.reports.suite_report import FileTestReport
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
    WolframTest,
    WolframTestResult,
    add_test_result,
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


ACTUAL_SYMBOL, EXPECTED_SYMBOL, BODY_SYMBOL = "$PaddockActual", "$PaddockExpected", "$PaddockBody"
FILE_PATH_SYMBOLS = ("$TestFileName", "$InputFileName")
"""Symbols whose value is the test file's path."""
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
_SKIPPED_FILE_REASON = "it is not a file, or a link out of its directory."
WLT_SUFFIX = ".wlt"
_MAX_WLT_FILE_BYTES = 20_000_000
# The largest limits that operating systems accept.
_MAX_SECONDS, _MAX_MEMORY_BYTES = 1_000_000, 1 << 60


class _RestartingKernel:
    """A Wolfram kernel for tests that is started on first use and replaced if it ends.

    A test may crash or quit its kernel. The remaining tests in the file then run in a new one.

    Args:
        engine: The engine whose kernels are started.
        directory: The kernel's working directory.
        limits: The limits of a kernel.
        control: Cancels evaluations and reports their progress.
    """

    def __init__(
        self, engine: Engine, directory: Path, limits: EvaluationLimits, control: EvaluationControl
    ) -> None:
        self._engine = engine
        self._directory = directory
        self._limits = limits
        self._control = control
        self._kernel: Kernel | None = None
        self.restart_count = 0
        """The number of times that an ended kernel was replaced."""

    def evaluate(self, code: str, limits: EvaluationLimits) -> EvaluationResult:
        """Evaluate one expression, starting a kernel first if none is running."""
        if self._kernel is not None and not self._kernel.is_alive:
            self.close()
            self.restart_count += 1
        if self._kernel is None:
            self._kernel = acquire_kernel(self._engine, self._limits)
            # Relative paths in tests start where the client works, not where the server runs.
            directory = quote_string(str(self._directory))
            self._kernel.evaluate(f"SetDirectory[{directory}]", self._limits)
        return self._kernel.evaluate(code, limits, self._control)

    def close(self) -> None:
        """Close the current kernel, if any."""
        if self._kernel is not None:
            self._kernel.close()
        self._kernel = None


class _TestFileRun:
    """A run of the tests in one file.

    Steps run in file order because tests may depend on definitions from earlier steps.

    Args:
        name: The name of the file in the report.
        kernel: The kernel, which may have definitions from other files.
        limits: The limits for the whole file.
    """

    def __init__(self, name: str, kernel: _RestartingKernel, limits: EvaluationLimits) -> None:
        self._kernel = kernel
        self._limits = limits
        self._started_at = time.monotonic()
        self._report = FileTestReport(name)

    def run_file(self, file: WolframTestFile, on_test: Callable[[], None]) -> FileTestReport:
        """Run the tests in a file, and the code between them, in order.

        Args:
            file: The parsed test file.
            on_test: Called after each test, to report progress.
        """
        test_number = 0
        for step in file.steps:
            # A restart loses the definitions from earlier steps, which the report has to mention.
            previous_restarts = self._kernel.restart_count
            if isinstance(step, SetupStep):
                self._run_setup_step(step)
            else:
                test_number += 1
                add_test_result(self._report, self._run_test(step, test_number))
                on_test()
            if self._kernel.restart_count > previous_restarts:
                self._add_note(step.line, KERNEL_REPLACED_NOTE)
        self._report.seconds = time.monotonic() - self._started_at
        return self._report

    def _run_setup_step(self, step: SetupStep) -> None:
        """Evaluate the code between two tests, and add its messages and failures to the report.

        Later tests may depend on this code's definitions. If it fails, the whole file counts as
        failed, even if all of its tests pass. Tests within another expression are not run.
        """
        if step.nested_tests:
            tests = "a test" if step.nested_tests == 1 else f"{step.nested_tests} tests"
            self._add_note(step.line, f"{tests} inside another expression cannot be run")
            self._report.not_run_count += step.nested_tests
        elif self._get_remaining_seconds() <= 0:
            self._add_note(step.line, NOT_RUN_NOTE)
            self._report.has_other_failure = True
        else:
            result = self._evaluate(step.code)
            for message in result.messages:
                self._add_note(step.line, message)
            if result.status != "done":
                self._add_note(step.line, self._describe_missing_value(result))
            if result.status != "done" or result.result in _FAILURE_RESULTS:
                self._report.has_other_failure = True

    def _run_test(self, test: WolframTest, number: int) -> WolframTestResult:
        """Run one test and return its result.

        The actual value, the expected value and the comparison are evaluated one after the other so
        that the report can state which of them failed. Between these steps, symbols in the kernel
        hold the values.
        """
        if test.problem:
            return WolframTestResult(test, number, "Error", test.problem)
        if self._get_remaining_seconds() <= 0:
            return WolframTestResult(test, number, "Error", NOT_RUN_NOTE)
        test = self._apply_computed_options(test)
        actual = self._evaluate(_format_assignment(ACTUAL_SYMBOL, test.input), test)
        error = WolframTestResult(
            test,
            number,
            "Error",
            messages=tuple(actual.messages),
            seconds=actual.seconds,
            peak_bytes=actual.peak_bytes or None,
        )
        if actual.status != "done" or self._is_aborted(actual):
            return replace(error, actual=self._describe_missing_value(actual, test))
        expected = self._evaluate(_format_assignment(EXPECTED_SYMBOL, test.expected), test)
        if expected.status != "done":
            problem = self._describe_missing_value(expected, test)
            return replace(error, actual=f"the expected value: {problem}")
        # With `TrueQ`, a comparison that remains unevaluated counts as different.
        comparison = self._evaluate(
            f"TrueQ[({test.same_test}\n)[{ACTUAL_SYMBOL}, {EXPECTED_SYMBOL}]]", test
        )
        if comparison.result not in ("True", "False"):
            problem = self._describe_missing_value(comparison, test)
            return replace(error, actual=f"the comparison: {problem}")
        is_same = comparison.result == "True"
        return replace(
            error,
            outcome=determine_outcome(test, is_same=is_same, messages=actual.messages),
            actual=actual.result or "",
            expected=expected.result or "",
        )

    def _apply_computed_options(self, test: WolframTest) -> WolframTest:
        """Return the test with the values of options that are code, as in `TimeConstraint -> 1/2`.

        The parser reads options with literal values. All others are left in `test.computed` and
        evaluated in the kernel before the test runs. An unusable value is ignored, with a note in
        the report.
        """
        for name, code in test.computed.items():
            # `N` turns exact numbers such as `1/2` into decimals, which `get_number` can read.
            result = self._evaluate(f"({code}\n)" if name == "TestID" else f"N[({code}\n)]")
            expressions = parse(result.result or "").expressions
            fields = _read_test_option(name, expressions[0]) if len(expressions) == 1 else None
            if fields is None:
                self._add_note(test.line, f"{name} -> {code} does not evaluate to a usable value")
            else:
                test = replace(test, **fields)
        return test

    def _is_aborted(self, result: EvaluationResult) -> bool:
        """Return True if a test's input was aborted before it had a value."""
        if result.result != "$Aborted":
            return False
        # A test may also return `$Aborted` as its regular value, which is then assigned to the
        # symbol. After a real abort the symbol has no value.
        return self._evaluate(f"ValueQ[{ACTUAL_SYMBOL}]").result != "True"

    def _evaluate(self, code: str, test: WolframTest | None = None) -> EvaluationResult:
        """Evaluate code within the file's limits and those of the test, if one is given."""
        return self._kernel.evaluate(code, self._get_limits(test))

    def _get_limits(self, test: WolframTest | None) -> EvaluationLimits:
        """Return an evaluation's limits: those of its test, within the rest of the file's.

        Limits must be positive, even if the file's time has just run out.

        Args:
            test: The test to evaluate, or None for code between tests.
        """
        seconds, memory_bytes = self._get_remaining_seconds(), self._limits.memory_bytes
        if test is not None and test.seconds is not None:
            seconds = min(seconds, test.seconds)
        if test is not None and test.memory_bytes is not None:
            memory_bytes = min(memory_bytes, test.memory_bytes)
        return msgspec.structs.replace(
            self._limits, seconds=max(seconds, 0.01), memory_bytes=max(memory_bytes, 1)
        )

    def _get_remaining_seconds(self) -> float:
        return self._limits.seconds - (time.monotonic() - self._started_at)

    def _describe_missing_value(
        self, result: EvaluationResult, test: WolframTest | None = None
    ) -> str:
        """Return the reason that an evaluation has no usable value, for the report.

        Args:
            result: The result of the evaluation.
            test: The test whose limits applied, or None for code between tests.
        """
        if result.status == "done":
            return result.result or "no value"
        memory = format_size(self._get_limits(test).memory_bytes)
        return _FAILURE_TEXTS[result.status].format(seconds=round(result.seconds, 1), memory=memory)

    def _add_note(self, line: int, text: str) -> None:
        self._report.notes.append(f"Line {line}: {text}")


def _read_test_option(name: str, value: Expression) -> dict[str, Any] | None:
    """Convert a test option's value to fields of `WolframTest`, or to None if it is unusable.

    For example, `TimeConstraint -> 0.5` becomes `{"seconds": 0.5}`, and `TimeConstraint ->
    Infinity` becomes `{}`, because it sets no limit.
    """
    text, number = get_atom_text(value), get_number(value)
    if name == "TestID":
        return {"test_id": text} if text else None
    if number is not None:
        return {"seconds": number} if name == "TimeConstraint" else {"memory_bytes": int(number)}
    return {} if text == "Infinity" else None


def _format_assignment(symbol: str, code: str) -> str:
    """Return Wolfram Language code that assigns the value of other code to a symbol.

    The other code becomes the body of a function so that `Return` works in it. The symbol is
    cleared first: if the code throws, the symbol must not keep the previous test's value.
    """
    return (
        f"(Clear[{symbol}, {BODY_SYMBOL}]; {BODY_SYMBOL}[] := ({code}\n); "
        f"{symbol} = {BODY_SYMBOL}[])"
    )


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
    """Run Wolfram Language test files (`.wlt`) and return a report in Markdown.

    All files are parsed before the first one runs, so a mistake in one of them is reported without
    waiting for the tests in the others.

    Raises:
        ToolError: A file is missing or invalid. In this case, no file is run.
        PaddockError: The engine is not installed, or its kernel does not start.
    """
    files, skipped_files = _find_test_files(arguments.paths, ctx)
    parsed_files = [_ParsedTestFile(file, _read_test_file(file)) for file in files]
    directory = get_working_directory(ctx)
    limits = _get_file_limits(arguments, ctx)
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError("no test was run", hint=NO_ENGINE_MESSAGE.removeprefix("Paddock::engine: "))
    # Files in one group share a kernel, so definitions from one file are available in the next.
    is_shared = arguments.new_kernel is False
    groups = [parsed_files] if is_shared else [[parsed_file] for parsed_file in parsed_files]

    def run_groups(control: EvaluationControl) -> list[FileTestReport]:
        run_control = _create_run_control(control)
        return [
            report
            for group in groups
            for report in _run_in_shared_kernel(group, engine, directory, limits, run_control)
        ]

    reports = call_kernel(ctx, run_groups, limits.seconds * len(parsed_files))
    ctx.raise_if_cancelled()
    paragraphs = [
        format_report(reports),
        *(f"{file} was not run: {_SKIPPED_FILE_REASON}" for file in skipped_files),
        f"Evaluated by {describe_engine(engine)}.",
    ]
    return "\n\n".join(paragraphs)


class _ParsedTestFile(NamedTuple):
    """A test file and the tests in it."""

    path: Path
    tests: WolframTestFile


def _get_file_limits(arguments: WolframTestArguments, ctx: Context) -> EvaluationLimits:
    """Return the limits for each file, from the arguments or else from the tool's options."""
    seconds = arguments.time_constraint or ctx.options[FILE_TIME_OPTION_NAME]
    memory_bytes = arguments.memory_constraint or ctx.options[MEMORY_OPTION_NAME]
    return EvaluationLimits(
        seconds=float(min(seconds, _MAX_SECONDS)),
        memory_bytes=min(memory_bytes, _MAX_MEMORY_BYTES),
        network=ctx.options[NETWORK_OPTION_NAME],
    )


def _create_run_control(control: EvaluationControl) -> EvaluationControl:
    """Return a control for the evaluations in a test run that reports the run's elapsed seconds.

    A kernel reports the seconds of the current evaluation. If these were passed on, progress would
    start again at 0 with each evaluation.
    """
    started_at = time.monotonic()

    def report_elapsed_seconds(_evaluation_seconds: float) -> None:
        control.on_progress(time.monotonic() - started_at)

    return EvaluationControl(control.is_cancelled, report_elapsed_seconds)


def _run_in_shared_kernel(
    group: list[_ParsedTestFile],
    engine: Engine,
    directory: Path,
    limits: EvaluationLimits,
    control: EvaluationControl,
) -> list[FileTestReport]:
    """Run test files one after the other in the same kernel, and return their reports.

    If the call is cancelled, the remaining files are skipped and have no reports.
    """
    reports: list[FileTestReport] = []
    with closing(_RestartingKernel(engine, directory, limits, control)) as kernel:
        for file in group:
            if not control.is_cancelled():
                run = _TestFileRun(file.path.name, kernel, limits)
                reports.append(run.run_file(file.tests, lambda: control.on_progress(0)))
    return reports


def _find_test_files(paths: str, ctx: Context) -> AllowedFiles:
    """Return the test files to run, without duplicates, and the files that must be skipped.

    Args:
        paths: Paths of test files or directories, separated by commas.
        ctx: The context of the call.
    """
    expanded_paths = [
        _find_files_at_path(path.strip(), ctx) for path in paths.split(",") if path.strip()
    ]
    if not expanded_paths:
        raise WolframTestsNotFoundError(
            "`paths` contains no paths", hint="name .wlt files or directories"
        )
    return AllowedFiles(
        list(dict.fromkeys(file for allowed in expanded_paths for file in allowed.files)),
        [file for allowed in expanded_paths for file in allowed.skipped],
    )


def _find_files_at_path(path: str, ctx: Context) -> AllowedFiles:
    """Return the test files at a path: the file itself, or all `.wlt` files in the directory."""
    resolved = require_path(path, ctx, WolframTestsNotFoundError)
    if resolved.is_file():
        return AllowedFiles([resolved], [])
    allowed = list_allowed_files(resolved, (WLT_SUFFIX,), include_subfolders=False)
    if not allowed.files:
        raise NoTestsInFileError(f"{path} contains no {WLT_SUFFIX} files", where=str(resolved))
    return allowed


def _read_test_file(file: Path) -> WolframTestFile:
    """Read and parse a test file.

    Raises:
        InvalidTestFileError: The file cannot be read or parsed.
        NoTestsInFileError: The file contains no tests that can be run.
    """
    # Symbols such as `$InputFileName` have values only while a kernel reads a file. Paddock reads
    # the file itself, so the parser replaces them.
    path_values = dict.fromkeys(FILE_PATH_SYMBOLS, quote_string(str(file)))
    try:
        text = read_regular_file(file, _MAX_WLT_FILE_BYTES).decode("utf-8-sig")
        test_file = parse_tests(text, where=str(file), values=path_values)
    except (OSError, UnicodeDecodeError, WolframSyntaxError) as error:
        raise InvalidTestFileError(f"{file.name} cannot be read: {error}") from None
    if not test_file.tests:
        nested_tests = test_file.nested_tests
        note = f"; {nested_tests} inside other expressions cannot be run" if nested_tests else ""
        raise NoTestsInFileError(f"{file.name} has no tests{note}", where=str(file))
    return test_file
