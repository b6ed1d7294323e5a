"""What the tool `TestReport` does: finds test files, has each run in a kernel, and reports.

Reading tests and wording the report is done by `paddock.wolfram.verification`, running them by
`verifying`. Loaded with the first call.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.files import read_regular_file
from paddock.kernels.calls import call_kernel
from paddock.kernels.engines.none import NO_ENGINE_MESSAGE
from paddock.kernels.limits import EvaluationLimits
from paddock.toolkits.limits import NETWORK_OPTION_NAME
from paddock.toolkits.paths import AllowedFiles, list_allowed_files, resolve_path, get_working_directory
from paddock.toolkits.wolfram.engines import get_configured_engine, describe_engine, acquire_kernel
from paddock.toolkits.wolfram.verifying import WltFileRun, parse_test_file
from paddock.wolfram import WolframSyntaxError, quote_string
from paddock.wolfram.verification import format_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.calls import CancelCheck, ProgressCallback
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.outcome import EvaluationResult
    from paddock.wolfram.verification import WolframFileResult, WolframTestFile

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


def run_and_report(ctx: Context, paths: str, seconds: float, memory_bytes: int, *, is_shared: bool) -> str:
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
        hidden = f"; {read.nested_tests} inside other expressions cannot be run" if read.nested_tests else ""
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
        with closing(_RestartingEngineKernel(self._start_kernel, self._is_cancelled, self._report_progress)) as kernel:
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
