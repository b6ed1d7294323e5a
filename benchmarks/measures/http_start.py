"""From nothing to a server that answers over HTTP, and the memory it has then and under load."""

import time
from functools import partial

from benchmarks.contenders import Runner
from benchmarks.messages import ECHO
from benchmarks.processes import settled_megabytes
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, Run, in_turn

FIRST_BEST = Metric("http.cold.first", "first answer, best", "ms")
FIRST_MEDIAN = Metric("http.cold.first.median", "first answer, median", "ms", median_of)
FIRST_ECHO = Metric("http.cold.echo", "first echo, best", "ms")
COLD_TABLE = Table(
    "HTTP: spawn to the answer to initialize or server/discover, and to a first call",
    (FIRST_BEST, FIRST_MEDIAN, FIRST_ECHO),
)
IDLE = Metric("http.memory.idle", "RSS after tools/list", "MB", median_of)
LOADED = Metric("http.memory.loaded", "RSS after load", "MB", median_of)
MEMORY_TABLE = Table("HTTP: memory, after the start and after 10,000 calls", (IDLE, LOADED))
LOAD_CALLS = 10_000
LOAD_SECONDS = 5.0


def _sample_start(run: Run, runner: Runner) -> None:
    with runner.serve() as server, server.deadline(), server.connect() as client:
        client.open()
        answered = time.perf_counter()
        client.check(ECHO)
        called = time.perf_counter()
    milliseconds = (answered - server.started) * 1000
    run.results.add(FIRST_BEST, runner.key, milliseconds)
    run.results.add(FIRST_MEDIAN, runner.key, milliseconds)
    run.results.add(FIRST_ECHO, runner.key, (called - server.started) * 1000)


def _measure_cold(run: Run) -> None:
    metrics = COLD_TABLE.metrics
    rounds = run.effort.http_start_rounds
    in_turn(run, metrics, rounds, run.taking_part("http-cold"), partial(_sample_start, run))


def _sample_memory(run: Run, runner: Runner) -> None:
    with runner.serve() as server, server.deadline():
        server.list_tools()
        run.results.add(IDLE, runner.key, settled_megabytes(server.pid))
        server.call_at_once(ECHO, LOAD_SECONDS, LOAD_CALLS)
        run.results.add(LOADED, runner.key, settled_megabytes(server.pid))


def _measure_memory(run: Run) -> None:
    rounds = run.effort.memory_rounds
    runners = run.taking_part("http-memory")
    in_turn(run, (IDLE, LOADED), rounds, runners, partial(_sample_memory, run))


HTTP_COLD = Group("http-cold", (COLD_TABLE,), _measure_cold)
HTTP_MEMORY = Group("http-memory", (MEMORY_TABLE,), _measure_memory)
