"""The command line of the soak: a server under load, for as long as it takes."""

import argparse
import asyncio
import resource
import sys
import time
from collections.abc import Sequence

from soak.plan import FULL, QUICK, TINY, Plan
from soak.process import ServerProcess
from soak.run import Run


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; 1 when a rule was broken."""
    parser = argparse.ArgumentParser("python -m soak", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the calls: a minute")
    parser.add_argument("--tiny", action="store_true", help="what the tests run: seconds")
    parser.add_argument(
        "--carrier",
        choices=("own", "uvicorn", "granian"),
        default="own",
        help="which HTTP server carries our application (default: own)",
    )
    arguments = parser.parse_args(argv)
    plan = TINY if arguments.tiny else QUICK if arguments.quick else FULL
    run = asyncio.run(soak(arguments.carrier, plan))
    print(report(run))
    return 1 if run.ledger.violations else 0


async def soak(carrier: str, plan: Plan) -> Run:
    """Put a new server under load."""
    _allow_descriptors()
    server = await ServerProcess.start(carrier, plan.session_seconds)
    run = Run(server, plan, carrier)
    began = time.monotonic()
    try:
        await run.whole()
    finally:
        await server.kill()
    run.figures["the whole took"] = f"{time.monotonic() - began:.0f} s"
    return run


def report(run: Run) -> str:
    """What was done and found, as text."""
    counts = {what: f"{number:,}" for what, number in sorted(run.ledger.counts.items())}
    rows = [*counts.items(), *run.figures.items()]
    width = max(len(what) for what, _ in rows)
    lines = [f"{what:{width}}  {value}" for what, value in rows]
    verdict = "no rule was broken" if not run.ledger.violations else "BROKEN:"
    return "\n".join([*lines, "", verdict, *run.ledger.summary()])


def _allow_descriptors() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    sys.exit(main())
