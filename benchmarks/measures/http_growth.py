"""Whether memory stays flat over 100,000 calls over HTTP."""

from functools import partial

from benchmarks.contenders import Runner
from benchmarks.measures.growth import CALLS
from benchmarks.messages import ECHO
from benchmarks.processes import settled_megabytes
from benchmarks.results import Metric, Table
from benchmarks.rounds import Group, Run, in_turn

KEY = "http-growth"
GROWN = Metric("http.growth.rss", "RSS growth over 100,000 calls", "MB", is_compared=False)
# So many that the threads for 32 connections and what they need have been made.
WARM_UP_CALLS = 20_000
WARM_UP_SECONDS = 5.0


def _sample(run: Run, runner: Runner) -> None:
    budget = run.effort.http_growth_seconds
    with runner.serve() as server, server.deadline(60 + 2 * budget):
        server.call_at_once(ECHO, WARM_UP_SECONDS, WARM_UP_CALLS)
        before = settled_megabytes(server.pid)
        count = server.call_at_once(ECHO, budget, CALLS).calls
        grown = max(settled_megabytes(server.pid) - before, 0.0)
    run.results.add(GROWN, runner.key, grown * CALLS / count)
    if count < CALLS:
        run.results.note(GROWN, runner.key, f"scaled up from {count:,} calls")


def _measure(run: Run) -> None:
    in_turn(run, (GROWN,), 1, run.taking_part(KEY), partial(_sample, run))


HTTP_GROWTH = Group(KEY, (Table("HTTP: memory over many calls", (GROWN,)),), _measure)
