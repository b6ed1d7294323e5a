"""Zoos in both databases; the server of PostgreSQL is started once, when a test first needs it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo
from paddock.zoo.store.database import create_postgresql_engine, create_sqlite_engine
from tests.zoo.postgresql import PostgreSQL, running_postgresql

DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A real server, for the whole session."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql_template(postgresql: PostgreSQL) -> str:
    """The name of a database with the tables of a zoo, to be copied."""
    address = postgresql.new_database()
    open_zoo(address).close()
    return address.partition("@/")[2].partition("?")[0]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables of a zoo, to be copied."""
    path = tmp_path_factory.mktemp("zoo") / "zoo.db"
    open_zoo(str(path)).close()
    return path


@contextmanager
def connected(address: str) -> Iterator[Connection]:
    """A connection to a database, whatever is in it; what is done there is kept."""
    if "://" in address:
        engine = create_postgresql_engine(address, wait_seconds=5)
    else:
        Path(address).touch()
        engine = create_sqlite_engine(address, wait_seconds=5)
    with engine.connect() as connection, connection.begin():
        yield connection
    engine.dispose()


@pytest.fixture(params=DATABASES)
def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where nothing is yet, in each of the databases."""
    if request.param == "sqlite":
        return str(tmp_path / "zoo.db")
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new_database()


@pytest.fixture(params=DATABASES)
def zoo_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty zoo is, in each of the databases; a copy, which is quicker than a new one."""
    if request.param == "sqlite":
        path = tmp_path / "zoo.db"
        shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
        return str(path)
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new_database(request.getfixturevalue("postgresql_template"))


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
