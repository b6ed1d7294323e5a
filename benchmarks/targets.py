"""The targets for speed, and whether a run reached them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.contenders import OFFICIAL, Field
from benchmarks.results import Metric, Results

# Two servers are level when they differ by no more than two runs of the same one do.
LEVEL = 0.95
AHEAD = 1.0
BEST_PEER = "best peer"
PLAIN_OFFICIAL = "official with plain functions"


@dataclass(frozen=True)
class Ratio:
    """So many times better than the official SDK at its best, or than the best of all peers."""

    base: str
    at_least: float

    def __str__(self) -> str:
        words = {LEVEL: "level with the", AHEAD: "ahead of the"}
        return f"{words.get(self.at_least, f'{self.at_least:g}x the')} {self.base}"


@dataclass(frozen=True)
class Limit:
    """A value that is not to be passed, whatever the peers do."""

    at_most: float


@dataclass(frozen=True)
class Floor:
    """A value that is to be reached, whatever the peers do."""

    at_least: float


@dataclass(frozen=True)
class Target:
    """What one of our rows has to reach in some metrics."""

    text: str
    contender: str
    metrics: tuple[str, ...]
    goal: Ratio | Limit | Floor


@dataclass(frozen=True)
class Verdict:
    """How a target came out for one metric."""

    target: Target
    metric: Metric
    figure: float | None
    reached: bool

    @property
    def word(self) -> str:
        """The verdict in a word."""
        if self.figure is None:
            return "not measured"
        return "reached" if self.reached else "missed"


def _per_tool(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{tool}" for tool in ("echo", "add", "nested"))


_SYNC = (*_per_tool("stdio.one_cpu"), *_per_tool("stdio.rate"))
_ASYNC = (*_per_tool("async.one_cpu"), *_per_tool("async.rate"))
_COLD = ("cold.initialize",)
_RSS = ("memory.rss",)


def _official(at_least: float) -> Ratio:
    return Ratio(OFFICIAL, at_least)


_HTTP = "paddock-http-2026"
_HTTP_SESSIONS = "paddock-http-2025"
_HTTP_RATE = _per_tool("http.rate")


def _for_both(
    text: str, metrics: tuple[str, ...], goal: Ratio | Limit | Floor
) -> tuple[Target, ...]:
    """The same target in both eras, for our own server with plain tools."""
    return tuple(Target(text, row, metrics, goal) for row in (_HTTP, _HTTP_SESSIONS))


# Latencies are judged on one CPU: an idle virtual CPU adds more to a call than a fast server does.
TARGETS = (
    Target("cold start", "paddock", _COLD, _official(12)),
    Target("cold start", "paddock", _COLD, Ratio(BEST_PEER, LEVEL)),
    Target("cold start", "paddock-serve", _COLD, _official(12)),
    Target("cold start", "paddock-serve", _COLD, Ratio(BEST_PEER, LEVEL)),
    Target("cold start", "paddock-named", _COLD, _official(12)),
    Target("memory after start", "paddock", _RSS, _official(4)),
    Target("memory after start", "paddock", _RSS, Ratio(BEST_PEER, LEVEL)),
    Target("memory after start", "paddock-serve", _RSS, _official(4)),
    Target("memory after start", "paddock-serve", _RSS, Ratio(BEST_PEER, LEVEL)),
    Target("inline handlers", "paddock-inline", _SYNC, _official(100)),
    Target("inline handlers", "paddock-inline", _SYNC, Ratio(BEST_PEER, AHEAD)),
    Target("threaded sync handlers", "paddock", _SYNC, _official(40)),
    Target("async handlers", "paddock", _ASYNC, _official(60)),
    Target("tools/list", "paddock", ("tools.list.10000",), _official(100)),
    Target("registration", "paddock", ("tools.register.10000",), _official(50)),
    Target("large argument", "paddock", ("large.echo_10mb",), Ratio(BEST_PEER, AHEAD)),
    Target("memory flat", "paddock", ("growth.rss",), Limit(1.0)),
    Target("HTTP throughput", _HTTP, _HTTP_RATE, _official(12)),
    Target("HTTP throughput", _HTTP, _HTTP_RATE, Ratio(BEST_PEER, AHEAD)),
    Target("HTTP throughput with sessions", _HTTP_SESSIONS, _HTTP_RATE, _official(8)),
    Target("HTTP throughput with sessions", _HTTP_SESSIONS, _HTTP_RATE, Ratio(BEST_PEER, AHEAD)),
    *_for_both("HTTP latency", _per_tool("http.one_cpu.p50"), _official(8)),
    *_for_both("HTTP start", ("http.cold.first",), _official(4)),
    *_for_both("HTTP memory", ("http.memory.idle", "http.memory.loaded"), _official(2)),
    *_for_both("HTTP memory flat", ("http.growth.rss",), Limit(1.0)),
)

# Further goals, drawn from what prototypes reached; over HTTP beside the official SDK with plain
# functions, not at its best.
STRETCH_GOALS = (
    Target("cold start", "paddock", _COLD, _official(25)),
    Target("first call", "paddock", ("cold.echo",), _official(20)),
    Target("first nested call", "paddock", ("cold.nested",), _official(17)),
    Target("memory after start", "paddock", _RSS, _official(4.2)),
    Target("sync handlers", "paddock", ("stdio.rate.echo",), _official(150)),
    Target("sync handlers", "paddock", ("stdio.rate.nested",), _official(80)),
    Target("sync handlers", "paddock", ("stdio.one_cpu.echo",), _official(45)),
    Target("async handlers", "paddock", ("async.rate.echo",), _official(80)),
    Target("a blocked handler", "paddock", ("ping.behind",), Limit(10)),
    Target("registration", "paddock", ("tools.register.10000",), _official(600)),
    Target("tools/list", "paddock", ("tools.list.1000",), _official(100)),
    Target("tools/list", "paddock", ("tools.list.10000",), _official(200)),
    Target("large argument", "paddock", ("large.echo_1mb", "large.echo_10mb"), _official(1.8)),
    Target("large result", "paddock", ("large.image_5mb",), _official(2)),
    *_for_both("HTTP throughput, own server", _HTTP_RATE, Ratio(PLAIN_OFFICIAL, 40)),
    *_for_both("HTTP p99, own server", _per_tool("http.one_cpu.p99"), Ratio(PLAIN_OFFICIAL, 40)),
    Target("HTTP on uvicorn", "paddock-uvicorn-2026", _HTTP_RATE, Ratio(PLAIN_OFFICIAL, 15)),
    Target("HTTP on uvicorn", "paddock-uvicorn-2025", _HTTP_RATE, Ratio(PLAIN_OFFICIAL, 15)),
    *_for_both("HTTP, 1,000 tools", ("http.tools.kept",), Floor(95)),
)


def judge(
    targets: Sequence[Target],
    metrics: Mapping[str, Metric],
    field: Field,
    results: Results,
) -> list[Verdict]:
    """Compare the results with the targets for the metrics that were chosen."""
    return [
        _verdict(target, metrics[key], field, results)
        for target in targets
        for key in target.metrics
        if key in metrics
    ]


def _verdict(target: Target, metric: Metric, field: Field, results: Results) -> Verdict:
    value, goal = results.value(metric, target.contender), target.goal
    if value is None:
        return Verdict(target, metric, None, reached=False)
    if isinstance(goal, Limit):
        return Verdict(target, metric, value, value <= goal.at_most)
    if isinstance(goal, Floor):
        return Verdict(target, metric, value, value >= goal.at_least)
    base = best_of(metric, _rows(goal.base, target.contender, field), results)
    if base is None:
        return Verdict(target, metric, None, reached=False)
    ratio = metric.advantage(value, base)
    return Verdict(target, metric, ratio, ratio >= goal.at_least)


def _rows(base: str, contender: str, field: Field) -> list[str]:
    if base == OFFICIAL:
        return field.official(contender)
    if base == PLAIN_OFFICIAL:
        return field.official_as_written(contender)
    return field.peers


def best_of(metric: Metric, contenders: Iterable[str], results: Results) -> float | None:
    """The best value that any of the contenders has; None when none was measured."""
    values = (results.value(metric, contender) for contender in contenders)
    known = [value for value in values if value is not None]
    return metric.best(known) if known else None
