"""What the tool `PythonTestReport` does: runs tests, and words what came of them.

Loaded with the first call.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.kernels.calls import call_apart
from paddock.reports import tested
from paddock.reports.markdown import time_text
from paddock.reports.tested import Block, FailedTest, TestedFile
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.test_running import Attempts, FinishedRun, RunLimits
from paddock.toolkits.python.test_targets import find_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.authoring.context import Context
    from paddock.toolkits.python.interpreters import Interpreter
    from paddock.toolkits.python.test_events import Event, PythonTestCase, PythonTestRun

WRONG, ERRORS = "Wrong Results", "Errors"
_FURTHER = {
    "skipped": "Skipped",
    "xfailed": "Expected Failures",
    "xpassed": "Unexpected Passes",
}
_MOST_FILES = 30
"""Files whose tests all passed that are listed one by one."""
_MOST_TRACEBACK, _MOST_OUTPUT = 3_000, 1_500
_SLOW_SECONDS, _MOST_SLOW = 1.0, 5


class Wanted(NamedTuple):
    """Which tests are to be run, and how much is told of them."""

    paths: str
    keyword: str
    marker: str
    interpreter: str | None
    limit: int


def report(ctx: Context, wanted: Wanted, limits: RunLimits) -> str:
    """The report on some tests.

    Raises:
        ToolError: when they cannot be run.
        PaddockError: when there is no process for them.
    """
    targets = find_targets(wanted.paths, ctx)
    interpreter = choose_interpreter(ctx, wanted.interpreter, targets.near)
    selection = []
    for option, value in (("-k", wanted.keyword), ("-m", wanted.marker)):
        if value.strip():
            selection += [option, value]

    def work(
        is_cancelled: Callable[[], bool], on_test: Callable[[PythonTestRun], None]
    ) -> FinishedRun:
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            attempts = Attempts(targets, selection, interpreter, limits, Path(private))
            return attempts.run(is_cancelled, on_test)

    def tell(tests: PythonTestRun) -> None:
        running = ", ".join(case.name for case in tests.running[:3])
        # Only progress that grows is told, and a test that begins is some.
        done = tests.done + (0.5 if running else 0)
        ctx.progress(done, tests.total, f"{tests.done} of {tests.total} tests. {running}")

    run = call_apart(ctx, work, tell)
    ctx.raise_if_cancelled()
    return _worded(run, interpreter, wanted.limit)


def _worded(run: FinishedRun, interpreter: Interpreter, limit: int) -> str:
    files = _files(run.tests)
    notes = [f"Warnings: {run.tests.warnings}."] if run.tests.warnings else []
    shown = [file for file in files if not file.is_success]
    whole = [file for file in files if file.is_success]
    if len(whole) > _MOST_FILES:
        notes.append(f"All tests passed in {len(whole)} files, which are not listed below.")
        listed = shown
    else:
        listed = files
    text = tested.report(
        files,
        (WRONG, ERRORS),
        seconds=run.seconds,
        notes=[*run.notes, *notes, *_slow(run.tests)],
        is_success=not run.is_broken,
        listed=listed,
        limit=limit,
    )
    return f"{text}\n\n{_who(run.tests.begin, interpreter)}"


def _who(begin: Event, interpreter: Interpreter) -> str:
    """What ran the tests."""
    python = f"Python {begin.get('python')}, {interpreter.origin}"
    pytest = f"pytest {begin.get('pytest')}"
    is_lent = not interpreter.is_own and begin.get("place") == _own_place()
    lent = " That environment has no pytest: Paddock's was used." if is_lent else ""
    return f"Run by {pytest} with {python}.{lent}"


def _own_place() -> str | None:
    found = find_spec("pytest")
    return str(Path(found.origin).parent) if found and found.origin else None


def _slow(tests: PythonTestRun) -> list[str]:
    slow = sorted(
        (case for case in tests.cases.values() if case.seconds >= _SLOW_SECONDS),
        key=lambda case: -case.seconds,
    )
    told = [f"{case.name} {time_text(case.seconds)}" for case in slow[:_MOST_SLOW]]
    return [f"Slowest: {', '.join(told)}."] if told else []


def _files(tests: PythonTestRun) -> list[TestedFile]:
    """The files as they are told."""
    errors = {_file_of(str(error["id"])): str(error["text"]) for error in tests.collect_errors}
    cases: dict[str, list[PythonTestCase]] = {name: [] for name in [*tests.collected, *errors]}
    for case in tests.cases.values():
        cases.setdefault(_file_of(case.name), []).append(case)
    return [
        _file(name, found, errors.get(name), tests.collected.get(name, 0))
        for name, found in cases.items()
    ]


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _file(name: str, cases: list[PythonTestCase], error: str | None, collected: int) -> TestedFile:
    file = TestedFile(name, 0, [], 0.0, not_run=max(0, collected - len(cases)))
    if error is not None:
        rows = {"Outcome": "Error", "Time": "N/A"}
        blocks = [Block("Traceback", error, "text", _MOST_TRACEBACK)]
        file.failures.append(FailedTest("Collection", ERRORS, rows, blocks))
    for case in cases:
        _add(file, case)
    return file


def _add(file: TestedFile, case: PythonTestCase) -> None:
    file.seconds += case.seconds
    if case.outcome == "passed":
        file.passed += 1
    elif case.outcome == "failed":
        file.failures += _failures(case)
    else:
        name = _FURTHER[case.outcome]
        file.further[name] = file.further.get(name, 0) + 1


def _failures(case: PythonTestCase) -> list[FailedTest]:
    """What is wrong with a test: each subtest for itself, and its phases together."""
    found: list[FailedTest] = []
    for event in case.failures:
        if found and event.get("when") == "teardown" and "subtest" not in event:
            found[-1].blocks += [
                Block(f"{block.title} (teardown)", *block[1:]) for block in _blocks(event)
            ]
        else:
            found.append(_failed(case, event))
    return found


def _failed(case: PythonTestCase, event: Event) -> FailedTest:
    name = case.name.partition("::")[2] or case.name
    if event.get("subtest"):
        name += f" ({event['subtest']})"
    is_wrong = bool(event.get("is_assertion"))
    rows = {"Outcome": "Failure" if is_wrong else "Error"}
    if event.get("when") in ("setup", "teardown"):
        rows["Phase"] = str(event["when"])
    if event.get("line"):
        rows["Line"] = str(event["line"])
    rows["Time"] = time_text(case.seconds)
    return FailedTest(name, WRONG if is_wrong else ERRORS, rows, list(_blocks(event)))


def _blocks(event: Event) -> Iterable[Block]:
    for key, title in (
        ("input", "Input"),
        ("expected", "Expected Output"),
        ("actual", "Actual Output"),
    ):
        if event.get(key) is not None:
            yield Block(title, str(event[key]), "py")
    message = str(event.get("message", ""))
    if "expected" not in event and message:
        kind = str(event.get("error", ""))
        yield Block("Error", f"{kind}: {message}" if kind else message, "text", _MOST_OUTPUT)
    if event.get("text"):
        yield Block("Traceback", str(event["text"]), "text", _MOST_TRACEBACK)
    for title, text in event.get("output", ()):
        if str(text).strip():
            yield Block(str(title), str(text).strip(), "text", _MOST_OUTPUT)
