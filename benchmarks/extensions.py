"""What many installed extensions cost: those who use none of them, and those who list them.

`python -m benchmarks.extensions` writes 300 distributions into a directory of their own, as an
installer leaves them, and starts programs with and without it on the path. Everything is compared
with importing the entry points, which is how plugins are usually found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.messages import INITIALIZE, INITIALIZED
from benchmarks.program import ROOT

LIST_TOOLS = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
MOST_RATIO = 1.5
MOST_MILLISECONDS = 300.0
TIMED = "import time; start = time.perf_counter(); {}; print((time.perf_counter() - start) * 1e3)"
DISCOVER = (
    "from paddock.extensions.discovery import discover; assert len(discover().extensions) > {}"
)
IMPORT = (
    "from importlib.metadata import entry_points; "
    "found = [one.load() for one in entry_points(group='paddock.extensions')]; "
    "assert len(found) == {}"
)

PACKAGE = """from .numbers import double, tool
from .prompts import explain
"""
PROMPTS = '''"""The prompts of a sample extension."""


def explain(number: str) -> str:
    """Explain a number."""
    return f"Explain {number}."
'''
MODULE = '''"""The tools of a sample extension."""

from paddock import Tool


def double(number: float) -> float:
    """Double a number."""
    return 2 * number


tool = Tool("double", double)
'''
MANIFEST = """schema = 1
publisher = "acme"
tools = ["Double", ["Triple", "Triples a number"], { name = "Halve", parameters = { number = {} } }]
prompts = [["Explain", "Has a model explain a number"]]
servers = [["Numbers", "Tools for numbers"]]
"""


def write_site(site: Path, count: int) -> None:
    """Write distributions as an installer leaves them."""
    for number in range(count):
        package = site / f"sample_{number}"
        root = package / "agenttools"
        metadata = site / f"sample_{number}-1.0.dist-info"
        for directory in (root / "tools", root / "servers", metadata):
            directory.mkdir(parents=True)
        (package / "__init__.py").write_text(PACKAGE, encoding="utf-8")
        (package / "numbers.py").write_text(MODULE, encoding="utf-8")
        (package / "prompts.py").write_text(PROMPTS, encoding="utf-8")
        (package / "paddock.toml").write_text(MANIFEST, encoding="utf-8")
        (root / "tools" / "Double.py").write_text(
            f"from sample_{number} import tool\n", encoding="utf-8"
        )
        (root / "servers" / "Numbers.toml").write_text('tools = ["Double"]\n', encoding="utf-8")
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: sample-{number}\nVersion: 1.0\n", encoding="utf-8"
        )
        (metadata / "entry_points.txt").write_text(
            f"[paddock.extensions]\nsample-{number} = sample_{number}\n", encoding="utf-8"
        )
    compiled = [sys.executable, "-m", "compileall", "-q", str(site)]
    subprocess.run(compiled, check=True)


def environment(site: Path | None, data: Path) -> dict[str, str]:
    """The variables of a measured program, with or without the extensions."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    path = [str(ROOT / "src"), *([str(site)] if site else [])]
    return {**kept, "PYTHONPATH": os.pathsep.join(path), "PADDOCK_DATA_DIR": str(data)}


def start_of(server: str, variables: Mapping[str, str]) -> float:
    """Milliseconds from nothing to the list of a server's tools."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "paddock", "serve", "--named", server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(variables),
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(INITIALIZE + INITIALIZED + LIST_TOOLS)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        taken = (time.perf_counter() - begun) * 1e3
        process.stdin.close()
    if not answers[1]["result"]["tools"]:
        raise SystemExit(f"{server} lists no tools")
    return taken


def run_of(program: str, variables: Mapping[str, str]) -> float:
    """Milliseconds that a program says it has taken, without the start of Python."""
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(program)],
        env=dict(variables),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def command_of(variables: Mapping[str, str]) -> float:
    """Milliseconds of `paddock extensions --json`, from nothing to its end."""
    begun = time.perf_counter()
    command = [sys.executable, "-P", "-m", "paddock", "extensions", "--json"]
    subprocess.run(command, env=dict(variables), capture_output=True, check=True)
    return (time.perf_counter() - begun) * 1e3


def main() -> None:
    """Measure in rounds, take the best, print how the figures compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extensions")
    parser.add_argument("--count", type=int, default=300, help="how many extensions")
    parser.add_argument("--rounds", type=int, default=10, help="how often each is measured")
    parser.add_argument("--check", action="store_true", help="exit with 1 unless targets are met")
    options = parser.parse_args()
    is_met = report(measured(options.count, options.rounds), options.count)
    sys.exit(0 if is_met or not options.check else 1)


def measured(count: int, rounds: int) -> dict[str, float]:
    """The best figure of each measure, in milliseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        site, data = Path(scratch, "site"), Path(scratch, "data")
        write_site(site, count)
        none, many = environment(None, data), environment(site, data)
        measures: dict[str, Callable[[], float]] = {
            "serve Demo, none installed": lambda: start_of("Demo", none),
            "serve Demo": lambda: start_of("Demo", many),
            "serve acme/sample-7/Numbers": lambda: start_of("acme/sample-7/Numbers", many),
            "discover": lambda: run_of(DISCOVER.format(count), many),
            "paddock extensions --json": lambda: command_of(many),
            "import the entry points": lambda: run_of(IMPORT.format(count), many),
        }
        samples: dict[str, list[float]] = {name: [] for name in measures}
        for _ in range(rounds):
            for name, measure in measures.items():
                samples[name].append(measure())
    return {name: min(values) for name, values in samples.items()}


def report(best: Mapping[str, float], count: int) -> bool:
    """Print the figures; whether the targets are met."""
    imported = best["import the entry points"]
    print(f"{count} extensions installed, best of all rounds")
    for name, value in best.items():
        print(f"  {name:<30}{value:8.1f} ms   {value / imported:5.2f} of importing them")
    ratio = best["serve Demo"] / best["serve Demo, none installed"]
    print(f"serving a server that uses none: {ratio:.2f} times, at most {MOST_RATIO}")
    listing = best["paddock extensions --json"]
    print(f"listing them: {listing:.0f} ms, at most {MOST_MILLISECONDS:.0f}")
    return ratio <= MOST_RATIO and listing <= MOST_MILLISECONDS


if __name__ == "__main__":
    main()
