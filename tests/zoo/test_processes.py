"""Several processes in one zoo: no confirmed change is lost, whichever process is killed."""

import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.model import ZooEvent
from paddock.zoo.opening import get_database_info
from paddock.zoo.service import Zoo
from tests.zoo.conftest import OpenZoo

WRITER = """
import sys
from paddock.zoo.opening import open_zoo

address, name = sys.argv[1:]
with open_zoo(address) as zoo:
    for number in range(100_000):
        word = f"{name}x{number}"
        zoo.brain.create_entry("sage", "note", f"entry {word}", source="mcp")
        zoo.skills.add("sage" if number % 2 else "hermit", {"name": word})
        zoo.skills.delete("sage" if number % 2 else "hermit", word)
        print(number, flush=True)
"""


class Writer:
    """A process that writes without end, and says what it has written."""

    def __init__(self, address: str, name: str) -> None:
        command = [sys.executable, "-c", WRITER, address, name]
        self.name = name
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.told = -1

    def run_and_kill(self, rounds: int) -> None:
        """Let it write so often, and kill it in the middle of the next time."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told = int(line)
            if self.told + 1 >= rounds:
                break
        self.process.kill()
        rest = self.process.stdout.read().split("\n")
        self.told = max([self.told, *map(int, filter(None, rest[:-1]))])
        self.process.stdout.close()
        self.process.wait()


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_writers_lose_nothing_that_they_were_reported_is_kept(
    zoo: Zoo, zoo_address: str, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - moments to be killed at
    for name in ("Sage", "Hermit"):
        zoo.agents.create({"name": name})
    told: dict[str, int] = {}
    for turn in range(2):
        writers = [Writer(zoo_address, f"w{turn}{letter}") for letter in "abc"]
        ends = [
            threading.Thread(target=writer.run_and_kill, args=[chance.randint(1, 12)])
            for writer in writers
        ]
        for end in ends:
            end.start()
        for end in ends:
            end.join()
        told |= {writer.name: writer.told for writer in writers}

    entries = zoo.brain.query_entries("sage").items
    words = {entry.content.removeprefix("entry ") for entry in entries}
    promised = {f"{name}x{number}" for name, last in told.items() for number in range(last + 1)}
    assert promised <= words
    assert len(promised) >= len(told)
    assert len(words) == len(entries) <= len(promised) + len(told)
    assert zoo.agents.list_summaries().items[0].entry_count == len(entries)
    assert all(len(zoo.brain.search(word)) == 1 for word in sorted(words))

    events = all_events(zoo)
    written = [event.entry_id for event in events if event.kind == "brain:written"]
    assert sorted(map(str, written)) == sorted(entry.id for entry in entries)
    for agent in zoo.agents.list_agents().items:
        kept = [one.version for one in zoo.history.list_versions(agent.id)]
        assert kept == list(range(agent.version, agent.version - len(kept), -1))
        changes = [e for e in events if (e.kind, e.agent_id) == ("agent:updated", agent.id)]
        assert [event.detail["version"] for event in changes] == list(range(2, agent.version + 1))
    if get_database_info(zoo).kind == "sqlite":
        with closing(sqlite3.connect(get_database_info(zoo).location)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.execute("INSERT INTO entry_words(entry_words) VALUES ('integrity-check')")


def all_events(zoo: Zoo) -> list[ZooEvent]:
    found: list[ZooEvent] = []
    while more := zoo.events.list_after(found[-1].id if found else 0):
        found += more
    return found


def test_a_change_wakes_a_reader_in_another_zoo(opened: OpenZoo) -> None:
    writing, watching = opened(), opened()
    last = watching.events.get_latest_id()
    found: list[ZooEvent] = []
    waiting = threading.Thread(target=lambda: found.extend(watching.events.wait_after(last, 60)))
    waiting.start()
    writing.agents.create({"name": "Sage"}, source="cli")
    waiting.join()
    assert [(one.kind, one.agent_id, one.source) for one in found] == [
        ("agent:created", "sage", "cli")
    ]
    assert watching.agents.get("sage") == writing.agents.get("sage")


def test_a_change_wakes_a_reader_in_the_same_zoo(zoo: Zoo) -> None:
    found: list[ZooEvent] = []
    waiting = threading.Thread(target=lambda: found.extend(zoo.events.wait_after(0, 60)))
    waiting.start()
    zoo.agents.create({"name": "Sage"})
    waiting.join()
    assert [one.kind for one in found] == ["agent:created"]


def test_events_that_are_there_need_no_waiting_and_none_come_in_vain(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage"})
    zoo.for_owner("ada").agents.create({"name": "Ada's"})
    (event,) = zoo.events.wait_after(0, 60)
    assert (event.kind, event.agent_id) == ("agent:created", "sage")
    assert zoo.events.wait_after(event.id, 0.2) == []


def test_closing_a_zoo_ends_the_waiting(opened: OpenZoo) -> None:
    zoo = opened()
    found: list[list[ZooEvent]] = []
    waiting = threading.Thread(target=lambda: found.append(zoo.events.wait_after(0, 60)))
    waiting.start()
    zoo.close()
    waiting.join()
    assert found == [[]]
    with pytest.raises(ZooUnavailableError):
        zoo.agents.list_summaries()


def test_a_refused_change_tells_no_one(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage"})
    before = zoo.events.get_latest_id()
    for changes in ({"name": ""}, {"name": "Sage"}):
        try:
            zoo.agents.update("sage", changes)
        except Exception as error:  # noqa: BLE001 - any refusal will do
            assert changes["name"] == "", error
    assert zoo.events.list_after(before) == []


def test_threads_share_a_zoo(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage"})

    def write(name: str) -> None:
        for number in range(10):
            zoo.brain.create_entry("sage", "note", f"{name} {number}")

    threads = [threading.Thread(target=write, args=[name]) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(zoo.brain.query_entries("sage").items) == 60
    assert zoo.agents.list_summaries().items[0].entry_count == 60


def test_two_who_create_the_same_name_get_two_agents(opened: OpenZoo) -> None:
    zoos = [opened() for _ in range(6)]
    threads = [threading.Thread(target=zoo.agents.create, args=[{"name": "Sage"}]) for zoo in zoos]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = ["sage", *(f"sage-{number}" for number in range(2, 7))]
    assert [one.id for one in zoos[0].agents.list_summaries().items] == expected
