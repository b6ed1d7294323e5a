"""Zoos in both databases; the server of PostgreSQL is started once, when a test first needs it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo
from tests.zoo.postgresql import PostgreSQL, running_postgresql

DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A real server, for the whole session."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(params=DATABASES)
def zoo_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty zoo is, in each of the databases."""
    if request.param == "sqlite":
        return str(tmp_path / "zoo.db")
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new_database()


OpenZoo = Callable[[], Zoo]


@pytest.fixture
def opened(zoo_address: str) -> Iterator[OpenZoo]:
    """Opens the same zoo once more, as another process would."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_zoo(zoo_address))


@pytest.fixture
def zoo(opened: OpenZoo) -> Zoo:
    """An empty zoo, in each of the databases."""
    return opened()
