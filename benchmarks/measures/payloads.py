"""Large arguments and large results."""

from functools import partial

from benchmarks.contenders import Runner
from benchmarks.messages import Call
from benchmarks.processes import resident_megabytes
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, Run, Servers, able, connections, in_turn, lacking

PAYLOADS = (
    (Metric("large.echo_1mb", "echo 1 MB", "ms"), Call("echo", {"text": "x" * 1_000_000})),
    (Metric("large.echo_10mb", "echo 10 MB", "ms"), Call("echo", {"text": "x" * 10_000_000})),
    (Metric("large.image_5mb", "image of 5 MB", "ms"), Call("image", {"n": 5_000_000})),
)
RSS = Metric("large.rss", "RSS after these", "MB", median_of)


def _sample(run: Run, servers: Servers, metric: Metric, call: Call, runner: Runner) -> None:
    server = servers[runner.key]
    with server.deadline():
        server.check(call)
        run.results.add(metric, runner.key, server.time_exchange(call.encode()) * 1000)


def _measure(run: Run) -> None:
    runners = run.taking_part("large")
    with connections(run, LARGE.metrics, runners) as servers:
        for metric, call in PAYLOADS:
            connected = [runner for runner in runners if runner.key in servers]
            fit = able(run, (metric,), connected, lacking(call.tool))
            sample = partial(_sample, run, servers, metric, call)
            in_turn(run, (metric,), run.effort.payload_rounds, fit, sample)
        for key, server in servers.items():
            run.results.add(RSS, key, resident_megabytes(server.pid))


LARGE = Group(
    "large", (Table("Large payloads", (*(metric for metric, _ in PAYLOADS), RSS)),), _measure
)
