"""The authorization server that these tests share."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.authorization.issuer import Issuer
from tests.authorization.protected import Client, protected_server

INSTALLING = 600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave time for installing what is not there yet."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(INSTALLING))


@pytest.fixture(scope="session")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    """One that runs as long as the tests."""
    started = Issuer(tmp_path_factory.mktemp("issuer"))
    started.start()
    yield started
    started.stop()


@pytest.fixture
def own_issuer(tmp_path: Path) -> Iterator[Callable[[], Issuer]]:
    """Issuers that a test may stop and change."""
    made: list[Issuer] = []

    def make() -> Issuer:
        directory = tmp_path / f"issuer-{len(made)}"
        directory.mkdir()
        made.append(Issuer(directory))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="session")
def client(issuer: Issuer) -> Iterator[Client]:
    """A client of a server that the issuer's tokens open."""
    with protected_server(issuer) as one:
        yield one
