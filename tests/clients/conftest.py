"""What the tests with client programs share.

An environment is installed when a test first needs it, so the first run takes minutes.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tests.clients.environments import prepare_all
from tests.clients.programs import HERE, Json, SdkClient, direct, served
from tests.clients.serving import paddock_command, serving
from tests.clients.slow_starts import SLOW_STARTS, Outcome, SlowStart

Play = Callable[[SdkClient, str], Json]

FIXTURE = "fixture_server.py"
AT_ONCE = 5
"""How many clients wait for a slow server at the same time: waiting needs no processor."""

WAYS = {"served": served, "direct": direct}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave time for installing what is not there yet."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def play() -> Play:
    """What a client reports of the fixture server; each asked once."""

    @cache
    def report(client: SdkClient, way: str) -> Json:
        if way != "http":
            return client.report("play", WAYS[way](FIXTURE))
        # One for each: a client changes what the next would see.
        with serving(paddock_command(str(HERE / FIXTURE))) as url:
            return client.report("play", [url])

    return report


@pytest.fixture(scope="session")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> Callable[[SlowStart], Outcome]:
    """How a client got on with the slow server; all of them start when the first is asked for.

    Everything is installed before: beside an installation a client may miss its own time limit.
    """
    prepare_all()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {
            start: pool.submit(start.run, tmp_path_factory.mktemp(start.name))
            for start in SLOW_STARTS
        }
    return lambda start: running[start].result()
