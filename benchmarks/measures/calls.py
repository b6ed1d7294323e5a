"""Small calls over stdio: the latency of one at a time, and the rate with 64 in flight."""

import time
from dataclasses import dataclass
from functools import partial
from statistics import median

from benchmarks.contenders import Runner
from benchmarks.driver import Connection
from benchmarks.messages import BASIC_CALLS, Block
from benchmarks.processes import on_one_cpu
from benchmarks.results import Metric, Table
from benchmarks.rounds import Group, Run, Servers, able, connections, in_turn, lacking

WARM_UP_SECONDS = 0.1
WARM_UP_CALLS = 256
MOST_CALLS = 20 * 8192


@dataclass(frozen=True)
class CallMetrics:
    """What is measured of one tool."""

    latency: Metric
    one_cpu: Metric
    cpu: Metric
    rate: Metric

    @property
    def all(self) -> tuple[Metric, ...]:
        """The four of them."""
        return self.latency, self.one_cpu, self.cpu, self.rate


def _metrics_of(group: str, tool: str) -> CallMetrics:
    return CallMetrics(
        Metric(f"{group}.latency.{tool}", tool, "µs"),
        Metric(f"{group}.one_cpu.{tool}", tool, "µs"),
        Metric(f"{group}.cpu.{tool}", tool, "µs"),
        Metric(f"{group}.rate.{tool}", tool, "/s", max, higher_is_better=True),
    )


def _tables(kind: str, metrics: dict[str, CallMetrics]) -> tuple[Table, ...]:
    tools = metrics.values()
    return (
        Table(f"{kind}: p50 of one call at a time", tuple(m.latency for m in tools)),
        Table(
            f"{kind}: p50 of one call at a time, client and server on one CPU",
            tuple(m.one_cpu for m in tools),
        ),
        Table(f"{kind}: CPU time of the server per call", tuple(m.cpu for m in tools)),
        Table(f"{kind}: calls per second, 64 in flight", tuple(m.rate for m in tools)),
    )


def rate_when_warm(server: Connection, block: Block) -> float:
    """Call until the server is warm, and return its rate by then."""
    end = time.perf_counter() + WARM_UP_SECONDS
    while True:
        rate = server.call_in_window(block, WARM_UP_CALLS).rate
        if time.perf_counter() > end:
            return rate


def _calls_for(rate: float, seconds: float) -> int:
    """How many calls take so long, in whole blocks where that is many."""
    return int(min(max(rate * seconds, WARM_UP_CALLS), MOST_CALLS))


def _sample(run: Run, servers: Servers, block: Block, into: CallMetrics, runner: Runner) -> None:
    server = servers[runner.key]
    seconds = run.effort.sample_seconds
    add = run.results.add
    with server.deadline():
        rate = rate_when_warm(server, block)
        add(into.rate, runner.key, server.call_in_window(block, _calls_for(rate, seconds)).rate)
        sequence = server.call_in_sequence(block, seconds)
        with on_one_cpu(server.pid):
            pinned = server.call_in_sequence(block, seconds)
    add(into.latency, runner.key, median(sequence.nanoseconds) / 1e3)
    add(into.cpu, runner.key, sequence.cpu_seconds / len(sequence.nanoseconds) * 1e6)
    add(into.one_cpu, runner.key, median(pinned.nanoseconds) / 1e3)


def _measure(run: Run, group: Group, metrics: dict[str, CallMetrics], **environment: str) -> None:
    runners = able(run, group.metrics, run.taking_part(group.key), lacking(group.key))
    with connections(run, group.metrics, runners, **environment) as servers:
        for call in BASIC_CALLS:
            into = metrics[call.tool]
            in_turn(
                run,
                into.all,
                run.effort.call_rounds,
                [runner for runner in runners if runner.key in servers],
                partial(_sample, run, servers, Block(call), into),
            )


_SYNC_METRICS = {call.tool: _metrics_of("stdio", call.tool) for call in BASIC_CALLS}
_ASYNC_METRICS = {call.tool: _metrics_of("async", call.tool) for call in BASIC_CALLS}


def _measure_sync(run: Run) -> None:
    _measure(run, STDIO, _SYNC_METRICS)


def _measure_async(run: Run) -> None:
    _measure(run, ASYNC, _ASYNC_METRICS, BENCH_ASYNC="1")


STDIO = Group("stdio", _tables("Sync handlers", _SYNC_METRICS), _measure_sync)
ASYNC = Group("async", _tables("Async handlers", _ASYNC_METRICS), _measure_async)
