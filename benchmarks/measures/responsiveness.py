"""Whether a server still answers while one of its handlers blocks."""

import time
from functools import partial

from benchmarks.contenders import Runner
from benchmarks.messages import ECHO, FIRST_ID, Call, request
from benchmarks.results import Metric, Table
from benchmarks.rounds import Group, Run, in_turn

SLOW = Call("slow", {"ms": 300})
HEAD_START_SECONDS = 0.05
PING_ID = FIRST_ID + 1
BEHIND = Metric("ping.behind", "ping sent 50 ms into a 300 ms handler", "ms")


def _sample(run: Run, runner: Runner) -> None:
    with runner.start() as server, server.deadline():
        server.initialize()
        # The first call may load what a later one finds loaded.
        server.check(ECHO)
        server.send(SLOW.encode())
        time.sleep(HEAD_START_SECONDS)
        start = time.perf_counter()
        server.ask(request(PING_ID, "ping"), PING_ID)
        run.results.add(BEHIND, runner.key, (time.perf_counter() - start) * 1000)


def _measure(run: Run) -> None:
    rounds = run.effort.ping_rounds
    in_turn(run, (BEHIND,), rounds, run.taking_part("ping"), partial(_sample, run))


PING = Group("ping", (Table("A ping behind a slow sync handler", (BEHIND,)),), _measure)
