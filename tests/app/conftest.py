"""A zoo for the application."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo
from tests.app.serving import Client, Served, client_of, make_application, served


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zoo]:
    """A zoo for all tests of a file."""
    with open_zoo(str(tmp_path_factory.mktemp("zoo") / "zoo.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(zoo: Zoo) -> Iterator[Client]:
    """The application, asked without a socket."""
    with client_of(make_application(zoo)) as client:
        yield client


@pytest.fixture(scope="module")
def server(zoo: Zoo) -> Iterator[Served]:
    """The application on a socket."""
    with served(make_application(zoo)) as running:
        yield running


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for what belongs to the user."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    return tmp_path
