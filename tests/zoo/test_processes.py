"""Several processes in one zoo: what was told to be kept is not lost, whoever is killed when."""

import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.model import ZooEvent
from paddock.zoo.service import Zoo
from tests.zoo.conftest import OpenZoo

WRITER = """
import sys
from paddock.zoo.opening import open_zoo

address, name = sys.argv[1:]
with open_zoo(address) as zoo:
    for number in range(100_000):
        word = f"{name}x{number}"
        zoo.create_entry("sage", "note", f"entry {word}", source="mcp")
        zoo.add_skill("sage" if number % 2 else "hermit", {"name": word})
        zoo.delete_skill("sage" if number % 2 else "hermit", word)
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
def test_killed_writers_lose_nothing_that_they_were_told_is_kept(
    zoo: Zoo, zoo_address: str, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - moments to be killed at
    for name in ("Sage", "Hermit"):
        zoo.create_agent({"name": name})
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

    entries = zoo.query_entries("sage").items
    words = {entry.content.removeprefix("entry ") for entry in entries}
    promised = {f"{name}x{number}" for name, last in told.items() for number in range(last + 1)}
    assert promised <= words
    assert len(promised) >= len(told)
    assert len(words) == len(entries) <= len(promised) + len(told)
    assert zoo.list_agents().items[0].entry_count == len(entries)
    assert all(len(zoo.search_brain(word)) == 1 for word in sorted(words))

    events = all_events(zoo)
    written = [event.entry_id for event in events if event.kind == "brain:written"]
    assert sorted(map(str, written)) == sorted(entry.id for entry in entries)
    for agent in zoo.list_whole_agents().items:
        kept = [one.version for one in zoo.versions(agent.id)]
        assert kept == list(range(agent.version, agent.version - len(kept), -1))
        changes = [e for e in events if (e.kind, e.agent_id) == ("agent:updated", agent.id)]
        assert [event.detail["version"] for event in changes] == list(range(2, agent.version + 1))
    if zoo.database == "sqlite":
        with closing(sqlite3.connect(zoo.location)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.execute("INSERT INTO entry_words(entry_words) VALUES ('integrity-check')")


def all_events(zoo: Zoo) -> list[ZooEvent]:
    found: list[ZooEvent] = []
    while more := zoo.events_after(found[-1].id if found else 0):
        found += more
    return found


def test_a_change_is_told_to_whoever_waits_in_another_zoo(opened: OpenZoo) -> None:
    writing, watching = opened(), opened()
    last = watching.latest_event_id()
    found: list[ZooEvent] = []
    waiting = threading.Thread(target=lambda: found.extend(watching.wait_for_events(last, 60)))
    waiting.start()
    writing.create_agent({"name": "Sage"}, source="cli")
    waiting.join()
    assert [(one.kind, one.agent_id, one.source) for one in found] == [
        ("agent:created", "sage", "cli")
    ]
    assert watching.get_agent("sage") == writing.get_agent("sage")


def test_a_change_is_told_to_whoever_waits_in_the_same_zoo(zoo: Zoo) -> None:
    found: list[ZooEvent] = []
    waiting = threading.Thread(target=lambda: found.extend(zoo.wait_for_events(0, 60)))
    waiting.start()
    zoo.create_agent({"name": "Sage"})
    waiting.join()
    assert [one.kind for one in found] == ["agent:created"]


def test_events_that_are_there_need_no_waiting_and_none_come_in_vain(zoo: Zoo) -> None:
    zoo.create_agent({"name": "Sage"})
    zoo.for_owner("ada").create_agent({"name": "Ada's"})
    (event,) = zoo.wait_for_events(0, 60)
    assert (event.kind, event.agent_id) == ("agent:created", "sage")
    assert zoo.wait_for_events(event.id, 0.2) == []


def test_closing_a_zoo_ends_the_waiting(opened: OpenZoo) -> None:
    zoo = opened()
    found: list[list[ZooEvent]] = []
    waiting = threading.Thread(target=lambda: found.append(zoo.wait_for_events(0, 60)))
    waiting.start()
    zoo.close()
    waiting.join()
    assert found == [[]]
    with pytest.raises(ZooUnavailableError):
        zoo.list_agents()


def test_a_refused_change_tells_nobody(zoo: Zoo) -> None:
    zoo.create_agent({"name": "Sage"})
    before = zoo.latest_event_id()
    for changes in ({"name": ""}, {"name": "Sage"}):
        try:
            zoo.update_agent("sage", changes)
        except Exception as error:  # noqa: BLE001 - any refusal will do
            assert changes["name"] == "", error
    assert zoo.events_after(before) == []


def test_threads_share_a_zoo(zoo: Zoo) -> None:
    zoo.create_agent({"name": "Sage"})

    def write(name: str) -> None:
        for number in range(10):
            zoo.create_entry("sage", "note", f"{name} {number}")

    threads = [threading.Thread(target=write, args=[name]) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(zoo.query_entries("sage").items) == 60
    assert zoo.list_agents().items[0].entry_count == 60


def test_two_who_create_the_same_name_get_two_agents(opened: OpenZoo) -> None:
    zoos = [opened() for _ in range(6)]
    threads = [threading.Thread(target=zoo.create_agent, args=[{"name": "Sage"}]) for zoo in zoos]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = ["sage", *(f"sage-{number}" for number in range(2, 7))]
    assert [one.id for one in zoos[0].list_agents().items] == expected
