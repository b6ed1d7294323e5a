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
from tests.workers import compute_once

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
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """What a client reports of the fixture server; each asked once."""

    def ask(client: SdkClient, way: str) -> Json:
        if way != "http":
            return client.report("play", WAYS[way](FIXTURE))
        # One for each: a client changes what the next would see.
        with serving(paddock_command(str(HERE / FIXTURE))) as url:
            return client.report("play", [url])

    @cache
    def report(client: SdkClient, way: str) -> Json:
        name = f"play-{client.name}-{way}"
        return compute_once(tmp_path_factory, name, lambda: ask(client, way))

    return report


@pytest.fixture(scope="session")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> Callable[[SlowStart], Outcome]:
    """How a client got on with the slow server; all of them start when the first is asked for.

    Everything is installed before: beside an installation a client may miss its own time limit.
    """

    def run(start: SlowStart) -> Outcome | Exception:
        try:
            return start.run(tmp_path_factory.mktemp(start.name))
        except Exception as error:  # noqa: BLE001 - raised in the tests with this client
            return error

    def run_all() -> dict[str, Outcome | Exception]:
        prepare_all()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(names, pool.map(run, SLOW_STARTS), strict=True))

    names = [start.name for start in SLOW_STARTS]
    outcomes = compute_once(tmp_path_factory, "slow-starts", run_all)

    def outcome_of(start: SlowStart) -> Outcome:
        outcome = outcomes[start.name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return outcome_of
