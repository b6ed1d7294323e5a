"""What the tool `TestReport` does: finds test files, has each run in a kernel, and reports.

Reading tests and wording the report is done by `paddock.wolfram.verification`, running them by
`verifying`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.failures import ToolError
from paddock.errors import PaddockError
from paddock.kernels.limits import Limits
from paddock.toolkits.paths import resolve, working_directory
from paddock.toolkits.wolfram.engines import engine_for, engine_title, fresh_kernel
from paddock.toolkits.wolfram.verifying import FileRun, read_test_file
from paddock.wolfram import WolframSyntaxError, quoted
from paddock.wolfram.verification import markdown_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.kernel import Kernel
    from paddock.wolfram.verification import FileResult, WolframTestFile

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


def report(
    ctx: Context, paths: str, seconds: float, memory_bytes: int | None, *, is_shared: bool
) -> str:
    """The report on the tests in files and directories, with limits for each file.

    Raises:
        ToolError: when there are none, one cannot be read, or no kernel starts.
    """
    read = [(file, _read(file)) for file in _files(paths, ctx)]
    directory = working_directory(ctx)
    limits = Limits(seconds=seconds)
    if memory_bytes:
        limits = Limits(seconds=limits.seconds, memory_bytes=memory_bytes)
    try:
        results = _run(read, directory, limits, ctx, is_shared=is_shared)
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    title = engine_title(engine_for(ctx))
    return f"{markdown_report(results)}\n\nEvaluated by {title}."


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


def _run(
    files: list[tuple[Path, WolframTestFile]],
    directory: Path,
    limits: Limits,
    ctx: Context,
    *,
    is_shared: bool,
) -> list[FileResult]:
    engine = engine_for(ctx)
    tell = _counting(ctx, sum(len(read.tests) for _, read in files))
    results: list[FileResult] = []
    for group in [files] if is_shared else [[each] for each in files]:
        with fresh_kernel(engine, limits) as kernel:
            kernel.evaluate(f"SetDirectory[{quoted(str(directory))}]", limits)
            for file, read in group:
                ctx.raise_if_cancelled()
                results.append(_run_file(kernel, file, read, limits, ctx, tell))
    return results


def _run_file(
    kernel: Kernel,
    file: Path,
    read: WolframTestFile,
    limits: Limits,
    ctx: Context,
    tell: Iterator[None],
) -> FileResult:
    run = FileRun(file.name, kernel, limits, lambda: ctx.is_cancelled)
    return run.run(read, lambda: next(tell))


def _counting(ctx: Context, total: int) -> Iterator[None]:
    """Tells progress each time it is asked for the next."""
    for number in range(1, total + 1):
        ctx.progress(number, total, f"{number} of {total} tests")
        yield
