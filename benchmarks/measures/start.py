"""From nothing to a server that answers: how long it takes, and the memory it then has."""

import json
import time
from functools import partial

from benchmarks.contenders import Runner
from benchmarks.driver import check_answer
from benchmarks.messages import ECHO, INITIALIZE, INITIALIZED, NESTED, Call
from benchmarks.processes import settled_megabytes
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, Run, in_turn

INITIALIZE_BEST = Metric("cold.initialize", "initialize, best", "ms")
INITIALIZE_MEDIAN = Metric("cold.initialize.median", "initialize, median", "ms", median_of)
FIRST_ECHO = Metric("cold.echo", "first echo, best", "ms")
FIRST_NESTED = Metric("cold.nested", "first nested, best", "ms")
COLD_TABLE = Table(
    "Cold start: spawn to answer", (INITIALIZE_BEST, INITIALIZE_MEDIAN, FIRST_ECHO, FIRST_NESTED)
)
RSS = Metric("memory.rss", "RSS after tools/list", "MB", median_of)
MEMORY_TABLE = Table("Memory after the start", (RSS,))


def _sample_start(run: Run, first: Metric, call: Call, runner: Runner) -> None:
    frame = call.encode()
    with runner.start() as server, server.deadline():
        server.send(INITIALIZE)
        server.receive()
        initialized = time.perf_counter()
        server.send(INITIALIZED)
        server.send(frame)
        answer = server.receive()
        called = time.perf_counter()
    check_answer(call, json.loads(answer))
    milliseconds = (initialized - server.started) * 1000
    run.results.add(INITIALIZE_BEST, runner.key, milliseconds)
    run.results.add(INITIALIZE_MEDIAN, runner.key, milliseconds)
    run.results.add(first, runner.key, (called - server.started) * 1000)


def _measure_cold(run: Run) -> None:
    for first, call in ((FIRST_ECHO, ECHO), (FIRST_NESTED, NESTED)):
        in_turn(
            run,
            (first, INITIALIZE_BEST, INITIALIZE_MEDIAN),
            run.effort.start_rounds,
            run.taking_part("cold"),
            partial(_sample_start, run, first, call),
        )


def _sample_memory(run: Run, runner: Runner) -> None:
    with runner.start() as server, server.deadline():
        server.initialize()
        server.list_tools()
        run.results.add(RSS, runner.key, settled_megabytes(server.pid))


def _measure_memory(run: Run) -> None:
    rounds = run.effort.memory_rounds
    in_turn(run, (RSS,), rounds, run.taking_part("memory"), partial(_sample_memory, run))


COLD = Group("cold", (COLD_TABLE,), _measure_cold)
MEMORY = Group("memory", (MEMORY_TABLE,), _measure_memory)
