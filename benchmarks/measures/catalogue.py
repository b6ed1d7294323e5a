"""Many tools: how long they take to register and to list, and the memory that they need."""

from dataclasses import dataclass
from functools import partial

from benchmarks.contenders import Contender, Runner
from benchmarks.driver import ServerFailedError
from benchmarks.processes import settled_megabytes
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, Run, able, in_turn

SIZES = (1_000, 10_000)
START_SECONDS = 300.0


@dataclass(frozen=True)
class CatalogueMetrics:
    """What is measured of a catalogue of one size."""

    register: Metric
    listing: Metric
    rss: Metric

    @property
    def all(self) -> tuple[Metric, ...]:
        """The three of them."""
        return self.register, self.listing, self.rss


def _metrics_of(size: int) -> CatalogueMetrics:
    return CatalogueMetrics(
        Metric(f"tools.register.{size}", f"register {size:,}", "ms"),
        Metric(f"tools.list.{size}", f"list {size:,} again", "ms"),
        Metric(f"tools.rss.{size}", f"RSS with {size:,}", "MB", median_of),
    )


METRICS = {size: _metrics_of(size) for size in SIZES}


def _sample(run: Run, size: int, runner: Runner) -> None:
    into, add = METRICS[size], run.results.add
    with runner.start(BENCH_TOOLS=str(size)) as server, server.deadline(START_SECONDS):
        server.initialize()
        count, _ = server.list_tools()
        if count < size:
            raise ServerFailedError(f"lists {count:,} of {size:,} tools")
        for _ in range(run.effort.catalogue_rounds):
            add(into.listing, runner.key, server.list_tools()[1] * 1000)
        add(into.register, runner.key, server.registration_seconds() * 1000)
        add(into.rss, runner.key, settled_megabytes(server.pid))


def _measure(run: Run) -> None:
    # A start with 10,000 tools takes some libraries a minute.
    rounds = 1 if run.effort.is_quick else 2
    for size in SIZES:
        metrics = METRICS[size].all
        fit = able(run, metrics, run.taking_part("tools"), partial(_reason_against, run, size))
        in_turn(run, metrics, rounds, fit, partial(_sample, run, size))


def _reason_against(run: Run, size: int, contender: Contender) -> str | None:
    if run.effort.is_quick and size > SIZES[0] and contender.registers_in_quadratic_time:
        return "left out of a quick run: registers in quadratic time"
    return None


TOOLS = Group(
    "tools",
    tuple(Table(f"A catalogue of {size:,} tools", METRICS[size].all) for size in SIZES),
    _measure,
)
