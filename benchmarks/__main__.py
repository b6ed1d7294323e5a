"""The command line of the benchmark."""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from benchmarks import extensions, report
from benchmarks.contenders import OURS, PEERS, Contender, Field, Runner, try_out, why_not
from benchmarks.http_contenders import HTTP_PEERS, OUR_HTTP
from benchmarks.measures import GROUPS
from benchmarks.program import ServerFailedError
from benchmarks.results import Metric
from benchmarks.rounds import FULL, QUICK, Group, Run
from benchmarks.targets import STRETCH_GOALS, TARGETS, Verdict, judge
from external.environments import InstallError

EXTENSIONS = 300


def _names_from(known: Collection[str]) -> Callable[[str], list[str]]:
    """A parser of comma-separated names, kept in the order in which they are known.

    The part before a hyphen stands for all names that begin with it.
    """
    families = {name: (name, name.partition("-")[0]) for name in known}

    def parse(text: str) -> list[str]:
        names = set(text.split(","))
        unknown = names.difference(*families.values())
        if unknown:
            raise argparse.ArgumentTypeError(f"{min(unknown)} is not one of {', '.join(known)}")
        return [name for name in known if names.intersection(families[name])]

    return parse


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    peers = [peer.key for peer in PEERS]
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument(
        "--only",
        metavar="GROUPS",
        type=_names_from(GROUPS),
        default=list(GROUPS),
        help=f"measure only these, of {','.join(GROUPS)}",
    )
    parser.add_argument(
        "--peers",
        metavar="PEERS",
        type=_names_from(peers),
        default=peers,
        help=f"compare only with these, of {','.join(peers)}",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write all samples here")
    parser.add_argument(
        "--check", action="store_true", help="exit with code 1 unless every target is reached"
    )
    return parser.parse_args(argv)


def _try_all(contenders: Sequence[Contender]) -> tuple[dict[str, Runner], dict[str, str]]:
    runners: dict[str, Runner] = {}
    failures: dict[str, str] = {}
    for contender in contenders:
        print(f"preparing {contender.label}", file=sys.stderr)
        try:
            runners[contender.key] = try_out(contender)
        except (InstallError, ServerFailedError) as error:
            failures[contender.key] = why_not(error)
    return runners, failures


def _print_tables(groups: Sequence[Group], field: Field, run: Run) -> None:
    for group in groups:
        rows = [contender for contender in field.contenders if contender.is_in(group.key)]
        for table in group.tables:
            print("\n" + report.metrics_table(table, rows, field, run.results))


def _print_verdicts(metrics: dict[str, Metric], field: Field, run: Run) -> list[Verdict]:
    verdicts = judge(TARGETS, metrics, field, run.results)
    print("\n" + report.targets_table("Targets", verdicts))
    stretch = judge(STRETCH_GOALS, metrics, field, run.results)
    print("\n" + report.targets_table("Further goals", stretch))
    return verdicts


def _field(groups: Sequence[Group], peers: Sequence[str]) -> Field:
    """All rows that the groups of measures have, of our library and the chosen peers."""
    return Field(
        tuple(
            contender
            for contender in (*PEERS, *OURS, *HTTP_PEERS, *OUR_HTTP)
            if (not contender.is_peer or contender.of in peers)
            and any(contender.is_in(group.key) for group in groups)
        )
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    arguments = _arguments(argv)
    groups = [GROUPS[key] for key in arguments.only]
    metrics = {metric.key: metric for group in groups for metric in group.metrics}
    field = _field(groups, arguments.peers)
    runners, failures = _try_all(field.contenders)
    run = Run(list(runners.values()), QUICK if arguments.quick else FULL)
    for group in groups:
        print(f"measuring {group.key}", file=sys.stderr)
        group.measure(run)
    table = report.contenders_table(field.contenders, runners, failures)
    print(report.INTRODUCTION + "\n\n" + table)
    _print_tables(groups, field, run)
    verdicts = _print_verdicts(metrics, field, run)
    if arguments.json:
        everything = report.as_json(
            metrics.values(), field.contenders, failures, run.results, verdicts
        )
        arguments.json.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
    is_reached = all(verdict.reached for verdict in verdicts)
    if arguments.only == list(GROUPS):
        is_reached = _measure_extensions(is_quick=arguments.quick) and is_reached
    return int(arguments.check and not is_reached)


def _measure_extensions(*, is_quick: bool) -> bool:
    """Print what many installed extensions cost; whether that is within its limits."""
    print("measuring extensions", file=sys.stderr)
    print("\n## Extensions\n")
    figures = extensions.measured(EXTENSIONS, 3 if is_quick else 10)
    return extensions.report(figures, EXTENSIONS)


if __name__ == "__main__":
    sys.exit(main())
