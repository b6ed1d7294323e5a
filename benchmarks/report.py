"""The results as Markdown tables, and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.contenders import Contender, Field, Runner
from benchmarks.results import Metric, Results, Table
from benchmarks.targets import Floor, Limit, Verdict, best_of

INTRODUCTION = """\
In brackets: how many times better than the official SDK, and than the best of all peers. Over HTTP
that is the best row of the official SDK in the same era, and the best of all peers in either era.
Believe ratios, which come from rounds over all servers, more than the values themselves."""


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _ratio(value: float) -> str:
    return f"{value:.3f}x" if value < 0.1 else f"{_number(value)}x"


def _with_unit(value: float, unit: str) -> str:
    return _number(value) + ("" if unit.startswith("/") else " ") + unit


def contenders_table(
    contenders: Sequence[Contender],
    runners: Mapping[str, Runner],
    failures: Mapping[str, str],
) -> str:
    """Who took part, and who could not."""
    rows = []
    for contender in contenders:
        runner = runners.get(contender.key)
        checks = "" if runner is None else "yes" if runner.validates else "no"
        rows.append((contender.label, failures.get(contender.key, "runs"), checks))
    return _markdown(("server", "state", "refuses wrong arguments"), rows)


def _cell(metric: Metric, contender: str, field: Field, results: Results) -> str:
    value = results.value(metric, contender)
    if value is None:
        return "—"
    bases = [best_of(metric, keys, results) for keys in (field.official(contender), field.peers)]
    ratios = ("—" if base is None else _ratio(metric.advantage(value, base)) for base in bases)
    brackets = f" ({', '.join(ratios)})" if metric.is_compared else ""
    return _with_unit(value, metric.unit) + brackets


def _remarks(table: Table, contenders: Sequence[Contender], results: Results) -> list[str]:
    """The notes on a table, with the metrics that share one taken together."""
    titles: dict[tuple[str, str], list[str]] = {}
    for contender in contenders:
        for metric in table.metrics:
            note = results.notes.get((metric.key, contender.key))
            if note:
                titles.setdefault((contender.label, note), []).append(metric.title)
    return [f"- {label}, {', '.join(of)}: {note}" for (label, note), of in titles.items()]


def metrics_table(
    table: Table, contenders: Sequence[Contender], field: Field, results: Results
) -> str:
    """One table of values and ratios, with the remarks on it below."""
    header = ("server", *(metric.title for metric in table.metrics))
    rows = [
        (
            contender.label,
            *(_cell(metric, contender.key, field, results) for metric in table.metrics),
        )
        for contender in contenders
    ]
    remarks = "\n".join(_remarks(table, contenders, results))
    parts = (f"## {table.title}", _markdown(header, rows), remarks)
    return "\n\n".join(part for part in parts if part)


def _bound(goal: Limit | Floor, metric: Metric) -> str:
    if isinstance(goal, Limit):
        return f"at most {_with_unit(goal.at_most, metric.unit)}"
    return f"at least {_with_unit(goal.at_least, metric.unit)}"


def targets_table(title: str, verdicts: Sequence[Verdict]) -> str:
    """What was asked for, and what came out."""
    rows = []
    for verdict in verdicts:
        target, metric = verdict.target, verdict.metric
        if isinstance(target.goal, Limit | Floor):
            goal = _bound(target.goal, metric)
            figure = "" if verdict.figure is None else _with_unit(verdict.figure, metric.unit)
        else:
            goal = str(target.goal)
            figure = "" if verdict.figure is None else _ratio(verdict.figure)
        rows.append((target.text, target.contender, metric.key, goal, figure, verdict.word))
    header = ("target", "row", "metric", "goal", "measured", "verdict")
    return f"## {title}\n\n{_markdown(header, rows)}"


def as_json(
    metrics: Iterable[Metric],
    contenders: Sequence[Contender],
    failures: Mapping[str, str],
    results: Results,
    verdicts: Iterable[Verdict],
) -> dict[str, Any]:
    """Everything that was measured, for programs."""
    return {
        "failures": dict(failures),
        "metrics": {
            metric.key: {
                "title": metric.title,
                "unit": metric.unit,
                "higher_is_better": metric.higher_is_better,
                "values": {c.key: results.value(metric, c.key) for c in contenders},
                "samples": {c.key: results.samples.get((metric.key, c.key)) for c in contenders},
                "notes": {
                    c.key: results.notes[metric.key, c.key]
                    for c in contenders
                    if (metric.key, c.key) in results.notes
                },
            }
            for metric in metrics
        },
        "targets": [
            {
                "text": verdict.target.text,
                "contender": verdict.target.contender,
                "metric": verdict.metric.key,
                "measured": verdict.figure,
                "verdict": verdict.word,
            }
            for verdict in verdicts
        ],
    }
