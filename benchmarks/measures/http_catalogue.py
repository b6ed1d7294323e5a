"""Whether calls over HTTP become slower when a server has many tools."""

from functools import partial

from benchmarks.contenders import Runner
from benchmarks.measures.http_calls import WARM_UP_SECONDS
from benchmarks.messages import ECHO
from benchmarks.results import Metric, Table, median_of
from benchmarks.rounds import Group, HttpServers, Run, http_servers, in_turn

KEY = "http-tools"
# Beside the five that every server has.
FEW, MANY = 5, 995
RATE_FEW = Metric("http.tools.rate.10", "10 tools", "/s", max, higher_is_better=True)
RATE_MANY = Metric("http.tools.rate.1000", "1,000 tools", "/s", max, higher_is_better=True)
KEPT = Metric(
    "http.tools.kept",
    "kept with 1,000",
    "%",
    median_of,
    higher_is_better=True,
    is_compared=False,
)
TABLE = Table("HTTP: echo per second by the number of tools", (RATE_FEW, RATE_MANY, KEPT))


def _sample(run: Run, few: HttpServers, many: HttpServers, runner: Runner) -> None:
    rates = []
    for server in (few[runner.key], many[runner.key]):
        with server.deadline():
            server.call_at_once(ECHO, WARM_UP_SECONDS)
            rates.append(server.call_at_once(ECHO, run.effort.sample_seconds).rate)
    run.results.add(RATE_FEW, runner.key, rates[0])
    run.results.add(RATE_MANY, runner.key, rates[1])
    run.results.add(KEPT, runner.key, rates[1] / rates[0] * 100)


def _measure(run: Run) -> None:
    runners = run.taking_part(KEY)
    with (
        http_servers(run, TABLE.metrics, runners, BENCH_TOOLS=str(FEW)) as few,
        http_servers(run, TABLE.metrics, runners, BENCH_TOOLS=str(MANY)) as many,
    ):
        both = [runner for runner in runners if runner.key in few and runner.key in many]
        in_turn(run, TABLE.metrics, run.effort.call_rounds, both, partial(_sample, run, few, many))


HTTP_TOOLS = Group(KEY, (TABLE,), _measure)
