"""A run of the benchmark: who takes part, how much is measured, and the rounds over all servers.

Every metric is sampled in rounds (A, B, C, A, B, C, ...), so that whatever else the machine does
falls on all servers alike.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.contenders import Contender, Runner
from benchmarks.driver import Connection
from benchmarks.http_driver import HttpServer
from benchmarks.program import ServerFailedError
from benchmarks.results import Metric, Results, Table

Servers = dict[str, Connection]
"""The servers that run, by the key of their contender."""
HttpServers = dict[str, HttpServer]
"""The servers that run and listen."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    start_rounds: int
    call_rounds: int
    sample_seconds: float
    memory_rounds: int
    ping_rounds: int
    listings: int
    payload_rounds: int
    growth_seconds: float
    http_start_rounds: int
    http_growth_seconds: float
    is_quick: bool


QUICK = Effort(
    start_rounds=3,
    call_rounds=2,
    sample_seconds=0.1,
    memory_rounds=1,
    ping_rounds=1,
    listings=3,
    payload_rounds=3,
    growth_seconds=2.0,
    http_start_rounds=2,
    http_growth_seconds=1.0,
    is_quick=True,
)
FULL = Effort(
    start_rounds=15,
    call_rounds=4,
    sample_seconds=0.4,
    memory_rounds=3,
    ping_rounds=3,
    listings=7,
    payload_rounds=10,
    growth_seconds=45.0,
    http_start_rounds=8,
    http_growth_seconds=15.0,
    is_quick=False,
)


@dataclass
class Run:
    """The state of one run."""

    runners: Sequence[Runner]
    effort: Effort
    results: Results = field(default_factory=Results)

    def taking_part(self, group: str) -> list[Runner]:
        """The runners that belong in a group of measures."""
        return [runner for runner in self.runners if runner.contender.is_in(group)]


@dataclass(frozen=True)
class Group:
    """Measures that are made together, and can be chosen by name."""

    key: str
    tables: tuple[Table, ...]
    measure: Callable[[Run], None]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of all tables."""
        return tuple(metric for table in self.tables for metric in table.metrics)


def in_turn(
    run: Run,
    metrics: Sequence[Metric],
    rounds: int,
    runners: Sequence[Runner],
    sample: Callable[[Runner], None],
) -> None:
    """Sample each runner once a round; one that fails is noted and left out from then on."""
    left = list(runners)
    for number in range(1, rounds + 1):
        print(f"  {metrics[0].key}: round {number} of {rounds}", file=sys.stderr)
        for runner in tuple(left):
            try:
                sample(runner)
            except ServerFailedError as error:
                left.remove(runner)
                note_failure(run, metrics, runner, str(error))


def able(
    run: Run,
    metrics: Sequence[Metric],
    runners: Sequence[Runner],
    reason_against: Callable[[Contender], str | None],
) -> list[Runner]:
    """The runners that nothing speaks against; the reasons against the others are noted."""
    fit = []
    for runner in runners:
        reason = reason_against(runner.contender)
        if reason:
            note_failure(run, metrics, runner, reason)
        else:
            fit.append(runner)
    return fit


def lacking(feature: str) -> Callable[[Contender], str | None]:
    """The reason against libraries that have no such feature."""
    return lambda contender: contender.lacks.get(feature)


def note_failure(run: Run, metrics: Sequence[Metric], runner: Runner, reason: str) -> None:
    """Say why a runner has no value for some metrics."""
    for metric in metrics:
        run.results.note(metric, runner.key, reason)


@contextmanager
def connections(
    run: Run, metrics: Sequence[Metric], runners: Sequence[Runner], **environment: str
) -> Iterator[Servers]:
    """Start all servers at once and shake hands, so that rounds find them warm."""
    with ExitStack() as stack:
        servers: Servers = {}
        for runner in runners:
            try:
                server = stack.enter_context(runner.start(**environment))
                with server.deadline():
                    server.initialize()
                servers[runner.key] = server
            except ServerFailedError as error:
                note_failure(run, metrics, runner, str(error))
        yield servers


@contextmanager
def http_servers(
    run: Run, metrics: Sequence[Metric], runners: Sequence[Runner], **environment: str
) -> Iterator[HttpServers]:
    """Start all servers over HTTP, and wait until each has answered."""
    with ExitStack() as stack:
        servers: HttpServers = {}
        for runner in runners:
            try:
                server = stack.enter_context(runner.serve(**environment))
                with server.deadline():
                    server.list_tools()
                servers[runner.key] = server
            except ServerFailedError as error:
                note_failure(run, metrics, runner, str(error))
        yield servers
