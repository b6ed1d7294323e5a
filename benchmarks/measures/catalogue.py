"""Many tools: how long they take to register and to list, and the memory that they need."""

import time
from dataclasses import dataclass
from functools import partial

from benchmarks.contenders import Contender, Runner
from benchmarks.processes import settled_megabytes
from benchmarks.program import ServerFailedError
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, Run, able, in_turn

SIZES = (1_000, 10_000)
START_SECONDS = 300.0
LISTING_SECONDS = 5.0


@dataclass(frozen=True)
class CatalogueMetrics:
    """What is measured of a catalogue of one size.

    A library may put the work off: what it saves in `register` then shows in `ready`.
    """

    register: Metric
    ready: Metric
    listing: Metric
    rss: Metric

    @property
    def all(self) -> tuple[Metric, ...]:
        """The four of them."""
        return self.register, self.ready, self.listing, self.rss


def _metrics_of(size: int) -> CatalogueMetrics:
    return CatalogueMetrics(
        Metric(f"tools.register.{size}", "register", "ms"),
        Metric(f"tools.ready.{size}", "spawn to first list", "ms"),
        Metric(f"tools.list.{size}", "list again", "ms"),
        Metric(f"tools.rss.{size}", "RSS", "MB", median_of),
    )


METRICS = {size: _metrics_of(size) for size in SIZES}


def _sample(run: Run, size: int, runner: Runner) -> None:
    into, add = METRICS[size], run.results.add
    with runner.start(BENCH_TOOLS=str(size)) as server, server.deadline(START_SECONDS):
        server.initialize()
        count, _ = server.list_tools()
        if count < size:
            raise ServerFailedError(f"lists {count:,} of {size:,} tools")
        add(into.ready, runner.key, (time.perf_counter() - server.started) * 1000)
        end = time.perf_counter() + LISTING_SECONDS
        for _ in range(run.effort.listings):
            add(into.listing, runner.key, server.list_tools()[1] * 1000)
            if time.perf_counter() > end:
                break
        add(into.register, runner.key, server.registration_seconds() * 1000)
        add(into.rss, runner.key, settled_megabytes(server.pid))


def _measure(run: Run) -> None:
    for size in SIZES:
        metrics = METRICS[size].all
        fit = able(run, metrics, run.taking_part("tools"), partial(_reason_against, run, size))
        in_turn(run, metrics, 1, fit, partial(_sample, run, size))


def _reason_against(run: Run, size: int, contender: Contender) -> str | None:
    if run.effort.is_quick and size > SIZES[0] and contender.weakness_at_many_tools:
        return f"left out of a quick run: {contender.weakness_at_many_tools}"
    return None


TOOLS = Group(
    "tools",
    tuple(Table(f"A catalogue of {size:,} tools", METRICS[size].all) for size in SIZES),
    _measure,
)
