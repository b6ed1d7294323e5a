"""The report on tests as markdown: a summary, each file, and what is wrong with each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.wolfram.verification.results import FileResult, Outcome, WolframTestResult

MOST_CHARACTERS = 500
"""Of a piece of code; of a longer one the two ends are shown."""
_END = 250
_GROUPS: dict[Outcome, str] = {
    "Failure": "Wrong Results",
    "MessagesFailure": "Message Failures",
    "Error": "Errors",
}
_SIZES = ((1 << 30, "GB", 3), (1 << 20, "MB", 2), (1 << 10, "KB", 1))


def markdown_report(files: Sequence[FileResult]) -> str:
    """All that is to be told about some test files."""
    return "\n\n".join([*_summary(files), *(part for file in files for part in _file(file))])


def _summary(files: Sequence[FileResult]) -> list[str]:
    total = sum(len(file.results) for file in files)
    passed = sum(file.passed for file in files)
    rows = {
        "Overall Result": "Success" if all(file.is_success for file in files) else "Failure",
        "Total Files": str(len(files)),
        "Total Tests": str(total),
        "Passed": _share(passed, total),
        "Failed": _share(total - passed, total),
        **_not_run(files),
        "Total Time": time_text(sum(file.seconds for file in files)),
    }
    return ["# Test Results Summary", _table("Metric", rows)]


def _not_run(files: Sequence[FileResult]) -> dict[str, str]:
    count = sum(file.not_run for file in files)
    return {"Not Run": str(count)} if count else {}


def _file(file: FileResult) -> Iterable[str]:
    total = len(file.results)
    yield f"## {file.name}"
    rows = {
        "Tests": str(total),
        "Passed": _share(file.passed, total),
        "Failed": _share(file.failed, total),
        **_not_run([file]),
        "Time": time_text(file.seconds),
    }
    yield _table("Metric", rows)
    if file.notes:
        yield "\n".join(f"* {note}" for note in file.notes)
    for outcome, title in _GROUPS.items():
        failing = [result for result in file.results if result.outcome == outcome]
        if failing:
            yield f"### {title}"
            for result in failing:
                yield from _failing(result)


def _failing(result: WolframTestResult) -> Iterable[str]:
    test = result.test
    yield f"#### {result.name}"
    rows: dict[str, str] = {"Outcome": result.outcome}
    if test.section:
        rows["Section"] = test.section
    rows |= {"Time": time_text(result.seconds), "Memory": size_text(result.peak_bytes)}
    yield _table("Property", rows)
    yield _code("Input", test.input)
    yield _code("Expected Output", result.expected or test.expected)
    yield _code("Actual Output", result.actual)
    if test.messages or result.messages:
        yield _code("Expected Messages", _listed(test.messages))
        yield _code("Actual Messages", "\n".join(result.messages) or "{}")


def _listed(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _table(kind: str, rows: dict[str, str]) -> str:
    lines = [f"| {kind} | Value |", "| --- | --- |"]
    lines += [f"| **{name}** | {_entry(value)} |" for name, value in rows.items()]
    return "\n".join(lines)


def _entry(text: str) -> str:
    """A text that stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _code(title: str, text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:_END]} ... {text[-_END:]}"
    fence = "```"
    while fence in text:
        fence += "`"
    return f"**{title}:**\n\n{fence}wl\n{text}\n{fence}"


def _share(part: int, total: int) -> str:
    percent = 100 * part / total if total else 0
    return f"{part} ({_short(percent)}%)"


def _short(value: float, digits: int = 1) -> str:
    """A number without needless zeros."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def time_text(seconds: float | None) -> str:
    """How long something took."""
    if seconds is None:
        return "N/A"
    if seconds < 0.001:
        return "< 1 ms"
    for limit, unit, name in ((1, 0.001, "ms"), (60, 1, "s"), (3600, 60, "min")):
        if seconds < limit:
            return f"{_short(seconds / unit, 0 if name == 'ms' else 1)} {name}"
    return f"{_short(seconds / 3600)} h"


def size_text(size: int | None) -> str:
    """How much memory something took."""
    if size is None:
        return "N/A"
    for unit, name, digits in _SIZES:
        if size >= unit:
            return f"{_short(size / unit, digits)} {name}"
    return f"{size} B"
