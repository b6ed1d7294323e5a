"""Whether memory stays flat over 100,000 calls."""

from functools import partial

from benchmarks.contenders import Runner
from benchmarks.measures.calls import rate_when_warm
from benchmarks.messages import ECHO, Block
from benchmarks.processes import settled_megabytes
from benchmarks.results import Metric, Table
from benchmarks.rounds import Group, Run, in_turn

CALLS = 100_000
FEWEST_CALLS = 2_000
GROWN = Metric("growth.rss", "RSS growth over 100,000 calls", "MB", is_compared=False)


def _sample(run: Run, block: Block, runner: Runner) -> None:
    budget = run.effort.growth_seconds
    with runner.start() as server, server.deadline(60 + 2 * budget):
        server.initialize()
        rate = rate_when_warm(server, block)
        count = int(min(max(rate * budget, FEWEST_CALLS), CALLS))
        server.call_in_window(block, FEWEST_CALLS)
        before = settled_megabytes(server.pid)
        server.call_in_window(block, count)
        grown = max(settled_megabytes(server.pid) - before, 0.0)
    run.results.add(GROWN, runner.key, grown * CALLS / count)
    if count < CALLS:
        run.results.note(GROWN, runner.key, f"scaled up from {count:,} calls")


def _measure(run: Run) -> None:
    in_turn(run, (GROWN,), 1, run.taking_part("growth"), partial(_sample, run, Block(ECHO)))


GROWTH = Group("growth", (Table("Memory over many calls", (GROWN,)),), _measure)
