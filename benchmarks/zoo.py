"""Whether a large agent zoo is as quick as a small one, in SQLite and in PostgreSQL.

`python -m benchmarks.zoo` fills a zoo with 100 agents and one with 10,000, each agent with 100
entries in its brain, asks both for the same things, and compares the medians. `--check` exits with
code 1 unless the large one takes at most twice as long for each. PostgreSQL is the one that the
tests start, which does not wait for the disk: its writes are as quick as on a good disk, at best.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from paddock.zoo import backups
from paddock.zoo.model import Agent, AgentSkill, make_general_category
from paddock.zoo.opening import open_zoo
from paddock.zoo.search_terms import make_index_text
from paddock.zoo.service import Zoo
from paddock.zoo.store.database import ZooDatabase
from paddock.zoo.store.schema import TAG_SEPARATOR
from tests.zoo.postgresql import running_postgresql

SMALL, LARGE = 100, 10_000
ENTRIES_EACH = 100
WORDS_EACH = 30
VOCABULARY = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "ei", "o") for c in range(500)]
COMMON = VOCABULARY[3]
RARE = VOCABULARY[9_000]
CALLS = 60
MOST_TIMES = 2.0

Row = dict[str, Any]


class Measure(NamedTuple):
    """Something to ask a zoo for."""

    name: str
    act: Callable[[Zoo, str], object]


def agent_rows(count: int) -> Iterator[tuple[str, Row]]:
    """Agents as the store keeps them."""
    prompt = "You work carefully and say what you do. " * 50
    skills = [
        AgentSkill(id=f"s{n}", name=f"Skill {n}", description="Do it well. " * 20) for n in range(8)
    ]
    for number in range(count):
        agent = Agent(id=f"agent-{number}", name=f"Agent {number}")
        plain = {
            "skills": msgspec.json.encode(skills).decode(),
            "skill_categories": msgspec.json.encode([make_general_category()]).decode(),
            "skill_names": msgspec.json.encode([skill.name for skill in skills]).decode(),
            "tags": f"{TAG_SEPARATOR}team-{number % 10}{TAG_SEPARATOR}",
        }
        at = "2026-01-01T00:00:00.000Z"
        yield (
            "agents",
            {
                **msgspec.structs.asdict(agent),
                **plain,
                "context_refs": "[]",
                "extra": "{}",
                "system_prompt": prompt,
                "key": number,
                "folded_name": agent.name.lower(),
                "folded_text": agent.name.lower(),
                "entry_count": ENTRIES_EACH,
                "created_at": at,
                "updated_at": at,
                "last_injected_at": None,
                "deleted_at": None,
            },
        )


def entry_rows(count: int) -> Iterator[tuple[str, Row]]:
    """Entries of all agents in turn, as they come in a long time of work."""
    chance = random.Random(1)
    # As in a language: the second word comes half as often as the first, and so on.
    weights = list(accumulate(1 / (place + 1) for place in range(len(VOCABULARY))))
    for number in range(count * ENTRIES_EACH):
        content = " ".join(chance.choices(VOCABULARY, cum_weights=weights, k=WORDS_EACH))
        minutes, milliseconds = divmod(number, 60_000)
        hours, minutes = divmod(minutes, 60)
        at = f"2026-02-01T{hours:02}:{minutes:02}:{milliseconds // 1000:02}.{number % 1000:03}Z"
        yield (
            "entries",
            {
                "agent_key": number % count,
                "id": f"entry-{number}",
                "version": 1,
                "type": "note",
                "timestamp": at,
                "updated_at": at,
                "deleted_at": None,
                "pinned": number // count % 25 == 0,
                "workspace_id": f"w{number % 5}",
                "tags": "",
                "metadata": "{}",
                "content": content,
                "words": make_index_text([content]),
            },
        )


def fill(address: str, count: int) -> None:
    """Put agents with their brains into a new zoo."""
    database = ZooDatabase(address)
    with database.write_transaction("") as connection:
        backups.insert_rows(connection, "", chain(agent_rows(count), entry_rows(count)))
    if not database.is_sqlite:
        with database.write_transaction("") as connection:
            connection.exec_driver_sql("ANALYZE")  # PostgreSQL does so by itself, after a minute
    database.close()
    os.sync()  # what is still on its way to the disk would slow down what is measured


MEASURES = [
    Measure("list a page", lambda zoo, agent: zoo.agents.list_summaries(limit=50)),
    Measure(
        "list a later page", lambda zoo, agent: zoo.agents.list_summaries(limit=50, cursor="50")
    ),
    Measure("list by a tag", lambda zoo, agent: zoo.agents.list_summaries(limit=5, tag="team-3")),
    Measure("read an agent", lambda zoo, agent: zoo.agents.get(agent)),
    Measure("find by name", lambda zoo, agent: zoo.agents.find(agent.replace("agent-", "AGENT "))),
    Measure("inject", lambda zoo, agent: zoo.injector.inject(agent)),
    Measure(
        "inject about", lambda zoo, agent: zoo.injector.preview(agent, about=f"{COMMON} {RARE}")
    ),
    Measure("query a brain", lambda zoo, agent: zoo.brain.query_entries(agent, limit=50)),
    Measure("search a brain", lambda zoo, agent: zoo.brain.search(COMMON, agent_id=agent)),
    Measure("search a common word", lambda zoo, agent: zoo.brain.search(COMMON)),
    Measure("search two words", lambda zoo, agent: zoo.brain.search(f"{COMMON} {VOCABULARY[40]}")),
    Measure("search a rare word", lambda zoo, agent: zoo.brain.search(RARE)),
    Measure(
        "write an entry", lambda zoo, agent: zoo.brain.create_entry(agent, "note", f"{COMMON} x")
    ),
    Measure("toggle a skill", lambda zoo, agent: zoo.skills.toggle(agent, "s3")),
]


def medians(zoos: dict[int, Zoo], measure: Measure) -> dict[int, float]:
    """Seconds that zoos of different sizes take, asked in turn of agents here and there."""
    chance = random.Random(2)
    times: dict[int, list[float]] = {count: [] for count in zoos}
    for _ in range(CALLS):
        for count, zoo in zoos.items():
            agent = f"agent-{chance.randrange(count)}"
            begun = time.perf_counter()
            measure.act(zoo, agent)
            times[count].append(time.perf_counter() - begun)
    return {count: statistics.median(one) for count, one in times.items()}


def compare(name: str, addresses: dict[int, str]) -> bool:
    """Print what zoos of two sizes take; whether the large one keeps to the target."""
    print(f"{name}: {' agents, '.join(map(str, addresses))} agents, ratio")
    is_good = True
    with ExitStack() as stack:
        for count, address in addresses.items():
            begun = time.perf_counter()
            fill(address, count)
            seconds = time.perf_counter() - begun
            print(f"  {count} agents are there after {seconds:.0f} s", file=sys.stderr)
        zoos = {
            count: stack.enter_context(open_zoo(address)) for count, address in addresses.items()
        }
        for measure in MEASURES:
            medians(zoos, measure)  # what is read for the first time is not what is compared
            small, large = medians(zoos, measure).values()
            mark = "" if large <= MOST_TIMES * small else "  too slow"
            is_good = is_good and not mark
            times = f"{small * 1000:8.2f} ms{large * 1000:8.2f} ms{large / small:6.2f}"
            print(f"  {measure.name:22}{times}{mark}", flush=True)
    return is_good


def main() -> int:
    """Measure, and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], action="append")
    parser.add_argument("--agents", type=int, default=LARGE, help="how many the large zoo has")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    is_good, sizes = True, (SMALL, given.agents)
    with ExitStack() as stack:
        for database in given.database or ["sqlite", "postgresql"]:
            if database == "sqlite":
                place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                addresses = {count: str(place / f"{count}.db") for count in sizes}
            else:
                server = stack.enter_context(running_postgresql())
                addresses = {count: server.new_database() for count in sizes}
            is_good = compare(database, addresses) and is_good
    return 1 if given.check and not is_good else 0


if __name__ == "__main__":
    sys.exit(main())
