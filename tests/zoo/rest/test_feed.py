"""How events are handed to those who listen, without any sockets."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from paddock.zoo.opening import open_zoo
from paddock.zoo.rest.events import PING_CHUNK, RESET_CHUNK, EventFeed, EventStream
from paddock.zoo.service import Zoo

PATIENCE = 30.0


class Ear:
    """Listens, and lets a test wait for what it hears."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        self.has_ended = asyncio.Event()

    def send_chunk(self, chunk: bytes) -> None:
        self.heard.put_nowait(chunk)

    def close(self) -> None:
        self.has_ended.set()

    async def next(self) -> bytes:
        return await asyncio.wait_for(self.heard.get(), PATIENCE)

    async def next_id(self) -> int:
        data = (await self.next()).split(b"data: ")[1]
        return int(json.loads(data)["id"])


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


@pytest.fixture
def lite(tmp_path: Path) -> Any:
    with open_zoo(str(tmp_path / "zoo.db")) as zoo:
        yield zoo


def test_events_of_both_databases_are_heard(zoo: Zoo) -> None:
    async def work() -> None:
        feed, ear = EventFeed(zoo), Ear()
        await feed.subscribe(ear, None)
        made = await asyncio.to_thread(zoo.agents.create, {"name": "Ada"})
        assert made.id.encode() in await ear.next()
        feed.close()
        assert ear.has_ended.is_set()

    run(work())


def test_a_reader_receives_few_missed_events_and_reads_again_after_many(lite: Zoo) -> None:
    async def work() -> None:
        start = lite.events.get_latest_id()
        for number in range(5):
            lite.agents.create({"name": f"A{number}"})
        feed, patient, late = EventFeed(lite, max_missed=4), Ear(), Ear()
        await feed.subscribe(patient, start + 1)
        await feed.subscribe(late, start)
        assert [await patient.next_id() for _ in range(4)] == [start + n for n in (2, 3, 4, 5)]
        assert await late.next() == RESET_CHUNK
        await asyncio.to_thread(lite.agents.create, {"name": "B"})
        assert await patient.next_id() == await late.next_id() == start + 6
        feed.close()

    run(work())


def test_nothing_is_lost_or_told_twice_between_what_was_missed_and_what_happens(lite: Zoo) -> None:
    async def work() -> None:
        start = lite.events.get_latest_id()
        feed, first = EventFeed(lite), Ear()
        await feed.subscribe(first, None)

        def write() -> None:
            for number in range(60):
                lite.agents.create({"name": f"A{number}"})

        writing = asyncio.ensure_future(asyncio.to_thread(write))
        ears = [Ear() for _ in range(5)]
        for ear in ears:
            await ear_joins(feed, ear, start)
        await writing
        for ear in [first, *ears]:
            assert [await ear.next_id() for _ in range(60)] == [start + 1 + n for n in range(60)]
        feed.close()

    async def ear_joins(feed: EventFeed, ear: Ear, start: int) -> None:
        await feed.subscribe(ear, start)

    run(work())


def test_who_comes_after_everyone_has_left_hears_again(lite: Zoo) -> None:
    async def work() -> None:
        feed = EventFeed(lite)
        for name in ("One", "Two"):
            ear = Ear()
            await feed.subscribe(ear, None)
            await asyncio.to_thread(lite.agents.create, {"name": name})
            assert name.lower().encode() in await ear.next()
            feed.unsubscribe(ear)
        feed.close()

    run(work())


def test_silence_is_broken_by_signs_of_life(lite: Zoo) -> None:
    async def work() -> None:
        feed, ear = EventFeed(lite, ping_seconds=0.01), Ear()
        await feed.subscribe(ear, None)
        assert [await ear.next() for _ in range(3)] == [PING_CHUNK] * 3
        feed.close()

    run(work())


def test_reader_that_does_not_read_is_cut_off(lite: Zoo) -> None:
    async def work() -> None:
        feed, other = EventFeed(lite), Ear()
        await feed.subscribe(other, None)
        stream = EventStream(feed, None, max_unread_bytes=10_000)
        is_stuck = asyncio.Event()

        async def receive() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                is_stuck.set()
                await asyncio.Event().wait()

        scope: Any = {}
        answering = asyncio.ensure_future(stream(scope, receive, send))
        await asyncio.wait_for(is_stuck.wait(), PATIENCE)
        told = 0
        async with asyncio.timeout(PATIENCE):
            while not answering.done():
                feed.publish("connection", {"text": "x" * 1000})
                told += 1
                await asyncio.sleep(0)
        assert told > 10
        assert len([await other.next() for _ in range(told)]) == told
        feed.close()

    run(work())
