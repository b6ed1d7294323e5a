"""What the tool `TestReport` does: finds test files, has each run in a kernel, and reports.

Reading tests and wording the report is done by `paddock.wolfram.verification`, running them by
`verifying`. Loaded with the first call.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.files import read_ordinary
from paddock.kernels.calls import call_kernel
from paddock.kernels.engines.none import REFUSAL
from paddock.kernels.limits import Limits
from paddock.toolkits.limits import NETWORK_OPTION
from paddock.toolkits.paths import Listing, files_in, resolve, working_directory
from paddock.toolkits.wolfram.engines import engine_for, engine_title, take_kernel
from paddock.toolkits.wolfram.verifying import FileRun, read_test_file
from paddock.wolfram import WolframSyntaxError, quoted
from paddock.wolfram.verification import markdown_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.outcome import Outcome
    from paddock.wolfram.verification import FileResult, WolframTestFile

    Files = list[tuple[Path, WolframTestFile]]

SUFFIX = ".wlt"
_MOST_FILE_BYTES = 20_000_000
_MOST_SECONDS, _MOST_BYTES = 1_000_000, 1 << 60
"""What limits can be given to the system."""


class TestFileNotFoundError(ToolError):
    """There is no such test file or directory."""

    code = "test-file-not-found"


class NoTestsInFileError(ToolError):
    """A file has no tests, or a directory no test files."""

    code = "no-tests-in-file"


class InvalidTestFileError(ToolError):
    """A test file cannot be read."""

    code = "invalid-test-file"


def report(ctx: Context, paths: str, seconds: float, memory_bytes: int, *, is_shared: bool) -> str:
    """The report on the tests in some files, each with so much time and memory.

    Raises:
        ToolError: when a file cannot be run; then none is.
        PaddockError: when there is no such engine, or its kernel does not start.
    """
    files, left_out = _files(paths, ctx)
    read = [(file, _read(file)) for file in files]
    directory = working_directory(ctx)
    seconds = float(min(seconds, _MOST_SECONDS))
    limits = Limits(
        seconds=seconds,
        memory_bytes=min(memory_bytes, _MOST_BYTES),
        network=ctx.options[NETWORK_OPTION],
    )
    engine = engine_for(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError("No test was run", hint=REFUSAL.removeprefix("Paddock::engine: "))
    groups = [read] if is_shared else [[each] for each in read]

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> list[FileResult]:
        run = _Run(engine, directory, limits, is_cancelled, on_wait)
        return [result for group in groups for result in run.group(group)]

    results = call_kernel(ctx, work, seconds * len(read))
    parts = [markdown_report(results), *left_out, f"Evaluated by {engine_title(engine)}."]
    return "\n\n".join(parts)


def _files(paths: str, ctx: Context) -> tuple[list[Path], list[str]]:
    """The files to run, and what is to be told of those that are not."""
    found: list[Path] = []
    told: list[str] = []
    for given in (part.strip() for part in paths.split(",")):
        if given:
            files, left_out = _expanded(given, resolve(given, ctx))
            found += files
            told += [
                f"{file} was not run: it leads out of its directory, or is no file."
                for file in left_out
            ]
    if not found:
        raise TestFileNotFoundError("There are no paths", hint="name .wlt files or directories")
    return list(dict.fromkeys(found)), told


def _expanded(given: str, place: Path) -> Listing:
    if place.is_file():
        return Listing([place], [])
    if not place.is_dir():
        raise TestFileNotFoundError(
            f"There is no file or directory {given}",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    found = files_in(place, (SUFFIX,), is_deep=False)
    if not found.files:
        raise NoTestsInFileError(f"There are no {SUFFIX} files in {given}", where=str(place))
    return found


def _read(file: Path) -> WolframTestFile:
    try:
        text = read_ordinary(file, _MOST_FILE_BYTES).decode("utf-8-sig")
        read = read_test_file(text, str(file))
    except (OSError, UnicodeDecodeError, WolframSyntaxError) as error:
        raise InvalidTestFileError(f"{file.name} cannot be read: {error}") from None
    if not read.tests:
        hidden = f"; {read.hidden} inside other expressions cannot be run" if read.hidden else ""
        raise NoTestsInFileError(f"{file.name} has no tests{hidden}", where=str(file))
    return read


class _Run:
    """Runs groups of files, each group in a kernel of its own."""

    def __init__(
        self,
        engine: Engine,
        directory: Path,
        limits: Limits,
        is_cancelled: IsCancelled,
        on_wait: OnWait,
    ) -> None:
        self._engine = engine
        self._directory = directory
        self._limits = limits
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._begun = time.monotonic()

    def group(self, files: Files) -> list[FileResult]:
        """What came of the files of a group; of none when the call is cancelled."""
        with closing(_LivingKernel(self._start, self._is_cancelled, self._tell)) as kernel:
            results = []
            for file, read in files:
                if not self._is_cancelled():
                    run = FileRun(file.name, kernel, self._limits)
                    results.append(run.run(read, self._tell))
        return results

    def _start(self) -> Kernel:
        kernel = take_kernel(self._engine, self._limits)
        kernel.evaluate(f"SetDirectory[{quoted(str(self._directory))}]", self._limits)
        return kernel

    def _tell(self, _seconds: float = 0) -> None:
        self._on_wait(time.monotonic() - self._begun)


class _LivingKernel:
    """A kernel that is replaced when it has ended."""

    def __init__(
        self, start: Callable[[], Kernel], is_cancelled: IsCancelled, on_wait: OnWait
    ) -> None:
        self._start = start
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._kernel: Kernel | None = None
        self.replacements = 0

    def evaluate(self, code: str, limits: Limits) -> Outcome:
        """Evaluate one expression, in a new kernel if there is none any more."""
        if self._kernel is not None and not self._kernel.is_alive:
            self.close()
            self.replacements += 1
        if self._kernel is None:
            self._kernel = self._start()
        return self._kernel.evaluate(
            code, limits, is_cancelled=self._is_cancelled, on_wait=self._on_wait
        )

    def close(self) -> None:
        """End the kernel that there is."""
        if self._kernel is not None:
            self._kernel.close()
        self._kernel = None
