"""A pytest plugin that reports test events to Paddock and stops tests at their time limit.

It runs in the project's interpreter, so it uses only the standard library and pytest and supports
Python 3.8. Events are JSON lines in a file that is opened for each event because a test may close
every descriptor, change the directory, or fork. Settings are passed in an environment variable so
that pytest-xdist workers inherit them.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS_VARIABLE = "PADDOCK_TEST_SETTINGS"
MAX_TEXT_CHARACTERS = 12_000
MAX_OUTPUT_CHARACTERS = 4_000
MAX_VALUE_CHARACTERS = 4_000
MAX_CAPTURE_BYTES = 32 << 20
"""The number of printed bytes after which a test is stopped."""
BROKEN_CAPTURE_STATUS = 91
"""The exit status if a test closed the files that pytest captures output in."""
_POLL_SECONDS = 0.1


def pytest_configure(config: Any) -> None:
    """Register the event writer in the main process and in pytest-xdist workers."""
    settings = os.environ.get(SETTINGS_VARIABLE)
    if settings and not config.pluginmanager.has_plugin("paddock-telling"):
        config.pluginmanager.register(EventWriter(config, json.loads(settings)), "paddock-telling")


def truncate_middle(text: str, max_characters: int) -> str:
    """Cut out the middle of a text if it is too long."""
    if len(text) <= max_characters:
        return text
    half = max_characters // 2
    return f"{text[:half]}\n... [{len(text) - 2 * half} characters omitted] ...\n{text[-half:]}"


class EventWriter:
    """Pytest plugin that writes the events of one process, such as test reports, to a file."""

    def __init__(self, config: Any, settings: dict[str, Any]) -> None:
        """Create the plugin for one pytest process.

        Args:
            config: The pytest configuration object.
            settings: The paths of the file for events (`events`) and of the file with the names of
                finished tests (`done`), and the time limit of each test (`test_seconds`).
        """
        self._config = config
        self._settings = settings
        self._pid = os.getpid()
        # Workers of pytest-xdist send their reports to the main process, which writes them.
        self._is_worker = hasattr(config, "workerinput")
        self._comparison: tuple[str, str, str] | None = None
        self._timeout_watch = TimeoutWatch(self, config, settings["test_seconds"])

    def write_event(self, event: str, **fields: Any) -> None:
        """Append an event to the file, unless a test forked this process.

        Each event is written with a single call in append mode because multiple processes may
        write to the same file.
        """
        if os.getpid() != self._pid:
            return
        line = json.dumps({"event": event, "at": time.time(), **fields}) + "\n"
        descriptor = os.open(
            self._settings["events"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
        )
        try:
            os.write(descriptor, line.encode("utf-8", "surrogateescape"))
        finally:
            os.close(descriptor)

    def pytest_sessionstart(self) -> None:
        """Write the first event, with the versions and the location of pytest and Python."""
        if not self._is_worker:
            self.write_event(
                "begin",
                pytest=pytest.__version__,
                place=os.path.dirname(pytest.__file__),
                python=sys.version.split()[0],
            )

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Deselect the tests that finished in an earlier attempt."""
        finished = self._read_finished_tests()
        if finished:
            deselected = [item for item in items if item.nodeid in finished]
            items[:] = [item for item in items if item.nodeid not in finished]
            config.hook.pytest_deselected(items=deselected)

    def pytest_collection_finish(self, session: Any) -> None:
        if not self._is_worker and not _is_distributed(session.config):
            self._write_collected([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self._write_collected(ids)

    def _write_collected(self, ids: list[str]) -> None:
        files = Counter(name.partition("::")[0] for name in ids)
        self.write_event("collected", files=dict(files))

    def _read_finished_tests(self) -> set[str]:
        """Return the tests that finished in an earlier attempt."""
        try:
            with open(self._settings["done"], encoding="utf-8") as file:
                return set(json.load(file))
        except OSError:
            return set()

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self._is_worker:
            text = truncate_middle(str(report.longrepr), MAX_TEXT_CHARACTERS)
            self.write_event("collect-error", id=report.nodeid, text=text)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if not self._is_worker:
            self.write_event("start", id=nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Start the time limit before a test, and end it afterwards. Called by pytest.

        The limit includes the test's fixtures.
        """
        self._timeout_watch.start_test(item.nodeid)
        yield
        self._timeout_watch.finish_test()
        if self._timeout_watch.is_capture_broken() and os.getpid() == self._pid:
            # All remaining tests would fail, so they run in another process.
            self.write_event("broken", id=item.nodeid)
            os._exit(BROKEN_CAPTURE_STATUS)

    def pytest_runtest_setup(self) -> None:
        self._comparison = None

    def pytest_assertrepr_compare(self, op: str, left: Any, right: Any) -> None:
        """Remember the compared values of a failing assertion, for the report."""
        self._comparison = (op, format_value(left), format_value(right))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """Attach details of a failure to the report.

        They are attached to the report itself because pytest-xdist sends it from the worker to the
        main process.
        """
        outcome: Any = yield
        report = outcome.get_result()
        if call.excinfo is not None and report.failed:
            with contextlib.suppress(Exception):
                report.paddock = describe_failure(item, call.excinfo, self._comparison)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write the result of one phase of a test: its setup, call or teardown."""
        if self._is_worker:
            return
        fields = {
            "id": report.nodeid,
            "when": report.when,
            "outcome": report.outcome,
            "seconds": report.duration,
            "xfail": hasattr(report, "wasxfail"),
        }
        # Only subtest reports have a context.
        subtest_context = getattr(report, "context", None)
        if subtest_context is not None:
            fields["subtest"] = _format_subtest(subtest_context)
        if report.failed:
            fields["text"] = truncate_middle(_get_report_text(report), MAX_TEXT_CHARACTERS)
            fields["output"] = [
                [title, truncate_middle(text, MAX_OUTPUT_CHARACTERS)]
                for title, text in report.sections
                if text.strip()
            ]
            fields.update(getattr(report, "paddock", {}))
        self.write_event("report", **fields)

    def pytest_warning_recorded(self, warning_message: Any) -> None:
        if not self._is_worker:
            self.write_event("warning", category=warning_message.category.__name__)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        self._timeout_watch.close()
        if not self._is_worker:
            reason = getattr(session, "shouldfail", "") or getattr(session, "shouldstop", "")
            self.write_event("end", status=int(exitstatus), reason=str(reason or ""))


class TimeoutWatch:
    """Stops a test that exceeds its time limit or prints too much.

    A thread watches the running test. It sends a signal to the main thread, whose handler raises an
    exception in the test. On systems without the signal, only an event is written, and Paddock
    stops the process.
    """

    def __init__(self, event_writer: EventWriter, config: Any, seconds: float) -> None:
        """Create a watch. Its thread starts with the first test.

        Args:
            event_writer: Writes an event when a test is stopped.
            config: The pytest configuration object, which provides the captured output.
            seconds: The time limit of each test.
        """
        self._event_writer = event_writer
        self._timeout_seconds = seconds
        self._capture = config.pluginmanager.getplugin("capturemanager")
        self._running_test: tuple[str, float] | None = None
        self._stop_reason = ""
        self._main_thread = threading.main_thread()
        self._signal = getattr(signal, "SIGUSR2", None)
        self._close_event = threading.Event()
        self._thread: threading.Thread | None = None
        self._pid = 0

    def start_test(self, test: str) -> None:
        """Start a test's time limit and the thread that watches the test.

        Nothing happens in threads other than the main thread, because only the main thread can be
        interrupted with a signal.

        Args:
            test: The node ID of the test, such as `test_it.py::test_one`.
        """
        if threading.current_thread() is not self._main_thread:
            return
        self._stop_reason = ""
        self._running_test = (test, time.monotonic() + self._timeout_seconds)
        if self._signal is not None:
            signal.signal(self._signal, self._raise_in_test)
        # A fork has only the thread that forked, so a test process that is a fork needs another
        # watch.
        if self._thread is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._thread = threading.Thread(
                target=self._watch_test, name="paddock-watch", daemon=True
            )
            self._thread.start()

    def finish_test(self) -> None:
        """End the time limit of the current test."""
        self._running_test = None

    def close(self) -> None:
        """Stop watching after the last test."""
        self._running_test = None
        self._close_event.set()

    def is_capture_broken(self) -> bool:
        """Return True if a test closed the files that pytest captures output in."""
        return self._measure_output() < 0

    def _raise_in_test(self, _signal: int, _frame: Any) -> None:
        """Fail the running test. Called as a signal handler in the main thread."""
        __tracebackhide__ = True
        if self._running_test is not None and self._stop_reason:
            raise pytest.fail.Exception(self._stop_reason)

    def _watch_test(self) -> None:
        """Stop the running test if it exceeds its limits, which are checked at short intervals.

        This is the main function of a thread that runs until the pytest session ends.
        """
        stopped_test = None
        while not self._close_event.wait(_POLL_SECONDS):
            running_test = self._running_test
            if running_test is None or running_test is stopped_test:
                continue
            reason = self._find_stop_reason(running_test)
            if reason:
                stopped_test = running_test
                self._stop_reason = reason
                self._event_writer.write_event(
                    "stopped", id=running_test[0], reason=reason, stack=self._format_stack()
                )
                if self._signal is not None:
                    # Python runs signal handlers in the main thread, where the test also runs.
                    signal.pthread_kill(self._main_thread.ident or 0, self._signal)

    def _find_stop_reason(self, running_test: tuple[str, float]) -> str:
        if time.monotonic() > running_test[1]:
            return f"stopped after {self._timeout_seconds:g} s"
        if self._measure_output() > MAX_CAPTURE_BYTES:
            return f"stopped because it printed more than {MAX_CAPTURE_BYTES >> 20} MB"
        return ""

    def _measure_output(self) -> int:
        """Return the number of bytes that the test printed to standard output or standard error.

        The larger number counts. The result is -1 if the test closed the files that pytest captures
        output in.
        """
        capturing = getattr(self._capture, "_global_capturing", None)  # no public equivalent
        sizes = [0]
        for stream in (getattr(capturing, "out", None), getattr(capturing, "err", None)):
            file: Any = getattr(stream, "tmpfile", None)
            if hasattr(file, "fileno"):
                try:
                    sizes.append(os.fstat(file.fileno()).st_size)
                except (OSError, ValueError):
                    return -1
        return max(sizes)

    def _format_stack(self) -> str:
        """Return the stack of the main thread, where the test runs, as text.

        Pytest's frames are left out, and only the last ten other frames are shown.
        """
        frames = sys._current_frames()  # noqa: SLF001 - the only access to another thread's stack
        frame = frames.get(self._main_thread.ident or 0)
        if frame is None:
            return ""
        summary = traceback.extract_stack(frame)
        test_frames = [entry for entry in summary if not _is_pytest_file(entry.filename)]
        return truncate_middle(
            "".join(traceback.format_list(test_frames[-10:])), MAX_TEXT_CHARACTERS
        )


def _is_pytest_file(file: str) -> bool:
    parts = file.replace("\\", "/").split("/")
    return any(part in ("_pytest", "pluggy", "pytest", "xdist", "execnet") for part in parts) or (
        file.startswith("<") or parts[-1] in ("paddock_run_pytest.py", "runpy.py")
    )


def _is_distributed(config: Any) -> bool:
    return bool(getattr(config.option, "dist", "no") != "no" or getattr(config.option, "tx", None))


def _format_subtest(context: Any) -> str:
    message = getattr(context, "msg", None)
    values = getattr(context, "kwargs", None) or {}
    words = [str(message)] if message else []
    words += [f"{key}={format_value(value, 80)}" for key, value in values.items()]
    return ", ".join(words) or "subtest"


def _get_report_text(report: Any) -> str:
    try:
        return str(report.longreprtext)
    except Exception:
        return str(type(report.longrepr))


def format_value(value: Any, max_characters: int = MAX_VALUE_CHARACTERS) -> str:
    """Return the truncated `repr` of a value, even if `repr` raises."""
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return truncate_middle(text, max_characters)


def describe_failure(
    item: Any, excinfo: Any, compared: tuple[str, str, str] | None
) -> dict[str, Any]:
    """Return the details of a test failure for the event that reports it.

    They include the error, the failed statement and its line, and the expected and actual values
    if known.

    Args:
        item: The test's pytest item.
        excinfo: The exception, as pytest's `ExceptionInfo`.
        compared: The last failed comparison that pytest explained, as in `("==", "1", "2")`:
            the operator, the left value and the right value.
    """
    error = excinfo.value
    details: dict[str, Any] = {"error": type(error).__name__, "message": format_message(error)}
    details["is_assertion"] = isinstance(error, AssertionError)
    failures = getattr(error, "failures", None)
    # Only doctest failures have an example.
    if failures and hasattr(failures[0], "example"):
        example = failures[0].example
        details.update(input=example.source.strip(), is_assertion=True)
        details.update(expected=example.want.rstrip("\n"), actual=failures[0].got.rstrip("\n"))
        return details
    details.update(_locate_failure(item, excinfo))
    if details["is_assertion"]:
        details.update(_find_compared_values(excinfo, compared, details["message"]))
    return details


def format_message(error: BaseException) -> str:
    """Return the text of an exception, even if `str` raises."""
    try:
        return truncate_middle(str(error), MAX_VALUE_CHARACTERS)
    except Exception as other:
        return f"<its text raises {type(other).__name__}>"


def _locate_failure(item: Any, excinfo: Any) -> dict[str, Any]:
    """Return the failed statement and its line, as in `{"line": 7, "input": "assert f(1) == 2"}`.

    If the error was raised elsewhere, the statement in the test file that led to it is returned.
    """
    test_file = str(getattr(item, "path", None) or getattr(item, "fspath", ""))
    entries = [entry for entry in excinfo.traceback if str(entry.path) == test_file]
    if not entries:
        return {}
    entry = entries[-1]
    details = {"line": entry.lineno + 1}
    with contextlib.suppress(Exception):  # the file may have been deleted
        details["input"] = truncate_middle(str(entry.statement).strip(), MAX_VALUE_CHARACTERS)
    return details


def _find_compared_values(
    excinfo: Any, compared: tuple[str, str, str] | None, message: str
) -> dict[str, str]:
    """Return the expected and actual values of a failed assertion, if they can be found.

    For a plain `assert`, pytest passed the values to a hook (`compared`). For `unittest` assertion
    methods, they are the arguments `first` and `second` of a function in `unittest/case.py`.
    """
    if compared is not None:
        operator, left, right = compared
        # The comparison may belong to an earlier assertion that did not fail the test.
        if f" {operator} " in message and left[:8] in message:
            expected = right if operator == "==" else f"{operator} {right}"
            return {"actual": left, "expected": expected}
    for entry in reversed(list(excinfo.traceback)):
        variables = entry.frame.f_locals
        if str(entry.path).endswith("case.py") and "first" in variables and "second" in variables:
            return {
                "actual": format_value(variables["first"]),
                "expected": format_value(variables["second"]),
            }
    return {}
