"""Servers for one test each, and the proof that no thread outlives a connection."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.unit.client.http.web import Handler, Web

PATIENCE = 10.0
Serve = Callable[[dict[str, Handler]], Web]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that answer with these functions."""
    started: list[Web] = []

    def start(handlers: dict[str, Handler]) -> Web:
        started.append(Web(handlers))
        return started[-1]

    yield start
    for web in started:
        web.close()


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """Every thread of a peer has ended with the test."""
    before = set(threading.enumerate())
    yield
    left = [
        thread
        for thread in set(threading.enumerate()) - before
        if thread.name.startswith("paddock")
    ]
    for thread in left:  # one that was reported to end may not have come to it yet
        thread.join(PATIENCE)
    assert [thread.name for thread in left if thread.is_alive()] == []
