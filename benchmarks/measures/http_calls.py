"""Small calls over HTTP: the rate on 32 connections, and the latency on one."""

from dataclasses import dataclass
from functools import partial

from benchmarks.contenders import Runner
from benchmarks.messages import BASIC_CALLS, Call
from benchmarks.processes import on_one_cpu
from benchmarks.results import Metric, Table
from benchmarks.rounds import Group, HttpServers, Run, http_servers, in_turn

KEY = "http-calls"
WARM_UP_SECONDS = 0.2


@dataclass(frozen=True)
class CallMetrics:
    """What is measured of one tool."""

    rate: Metric
    cpu: Metric
    p50: Metric
    p99: Metric
    one_cpu_p50: Metric
    one_cpu_p99: Metric

    @property
    def all(self) -> tuple[Metric, ...]:
        """All of them."""
        return self.rate, self.cpu, self.p50, self.p99, self.one_cpu_p50, self.one_cpu_p99


def _metrics_of(tool: str) -> CallMetrics:
    return CallMetrics(
        Metric(f"http.rate.{tool}", tool, "/s", max, higher_is_better=True),
        Metric(f"http.cpu.{tool}", tool, "µs"),
        Metric(f"http.p50.{tool}", f"{tool} p50", "µs"),
        Metric(f"http.p99.{tool}", f"{tool} p99", "µs"),
        Metric(f"http.one_cpu.p50.{tool}", f"{tool} p50", "µs"),
        Metric(f"http.one_cpu.p99.{tool}", f"{tool} p99", "µs"),
    )


_METRICS = {call.tool: _metrics_of(call.tool) for call in BASIC_CALLS}


def _tables() -> tuple[Table, ...]:
    tools = _METRICS.values()
    pinned = tuple(metric for m in tools for metric in (m.one_cpu_p50, m.one_cpu_p99))
    return (
        Table("HTTP: calls per second, 32 connections", tuple(m.rate for m in tools)),
        Table("HTTP: CPU time of the server per call, 32 connections", tuple(m.cpu for m in tools)),
        Table(
            "HTTP: one call at a time", tuple(metric for m in tools for metric in (m.p50, m.p99))
        ),
        Table("HTTP: one call at a time, client and server on one CPU", pinned),
    )


def _sample(run: Run, servers: HttpServers, call: Call, into: CallMetrics, runner: Runner) -> None:
    server = servers[runner.key]
    seconds = run.effort.sample_seconds
    with server.deadline():
        server.call_at_once(call, WARM_UP_SECONDS)
        load = server.call_at_once(call, seconds)
        sequence = server.call_in_sequence(call, seconds)
        with on_one_cpu(server.pid):
            pinned = server.call_in_sequence(call, seconds)
    figures = (
        (into.rate, load.rate),
        (into.cpu, load.cpu_seconds / load.calls * 1e6),
        (into.p50, sequence.percentile(0.5)),
        (into.p99, sequence.percentile(0.99)),
        (into.one_cpu_p50, pinned.percentile(0.5)),
        (into.one_cpu_p99, pinned.percentile(0.99)),
    )
    for metric, value in figures:
        run.results.add(metric, runner.key, value)


def _measure(run: Run) -> None:
    with http_servers(run, HTTP_CALLS.metrics, run.taking_part(KEY)) as servers:
        for call in BASIC_CALLS:
            into = _METRICS[call.tool]
            in_turn(
                run,
                into.all,
                run.effort.call_rounds,
                [runner for runner in run.taking_part(KEY) if runner.key in servers],
                partial(_sample, run, servers, call, into),
            )


HTTP_CALLS = Group(KEY, _tables(), _measure)
