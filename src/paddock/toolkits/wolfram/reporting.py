"""What the tool `TestReport` does: finds test files, has each run in a kernel, and reports.

Reading tests and wording the report is done by `paddock.wolfram.verification`, running them by
`verifying`. Loaded with the first call.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.kernels.calls import call_kernel
from paddock.kernels.limits import Limits
from paddock.toolkits.paths import resolve, working_directory
from paddock.toolkits.wolfram.engines import engine_for, engine_title, fresh_kernel
from paddock.toolkits.wolfram.options import NETWORK_OPTION
from paddock.toolkits.wolfram.verifying import FileRun, read_test_file
from paddock.wolfram import WolframSyntaxError, quoted
from paddock.wolfram.verification import markdown_report

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.wolfram.verification import FileResult, WolframTestFile

    Files = list[tuple[Path, WolframTestFile]]

SUFFIX = ".wlt"


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
    read = [(file, _read(file)) for file in _files(paths, ctx)]
    directory = working_directory(ctx)
    network = ctx.options[NETWORK_OPTION]
    limits = Limits(seconds=seconds, memory_bytes=memory_bytes, network=network)
    engine = engine_for(ctx)
    groups = [read] if is_shared else [[each] for each in read]

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> list[FileResult]:
        run = _Run(engine, directory, limits, is_cancelled, on_wait)
        return [result for group in groups for result in run.group(group)]

    results = call_kernel(ctx, work, seconds * len(read))
    return f"{markdown_report(results)}\n\nEvaluated by {engine_title(engine)}."


def _files(paths: str, ctx: Context) -> list[Path]:
    found: list[Path] = []
    for given in (part.strip() for part in paths.split(",")):
        if given:
            found += _expanded(given, resolve(given, ctx))
    if not found:
        raise TestFileNotFoundError("There are no paths", hint="name .wlt files or directories")
    return list(dict.fromkeys(found))


def _expanded(given: str, place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise TestFileNotFoundError(
            f"There is no file or directory {given}",
            where=str(place),
            hint="relative paths begin in the directory that the client works in",
        )
    files = sorted(file for file in place.iterdir() if file.suffix == SUFFIX and file.is_file())
    if not files:
        raise NoTestsInFileError(f"There are no {SUFFIX} files in {given}", where=str(place))
    return files


def _read(file: Path) -> WolframTestFile:
    try:
        read = read_test_file(file.read_text("utf-8-sig"), str(file))
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
        with fresh_kernel(self._engine, self._limits) as kernel:
            kernel.evaluate(f"SetDirectory[{quoted(str(self._directory))}]", self._limits)
            results = []
            for file, read in files:
                if not self._is_cancelled():
                    run = FileRun(file.name, kernel, self._limits, self._is_cancelled)
                    results.append(run.run(read, self._tell))
        return results

    def _tell(self) -> None:
        self._on_wait(time.monotonic() - self._begun)
