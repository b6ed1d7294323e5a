"""A stand-in for the service, and a user who has nothing yet."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.toolkits.alpha.settings import APP_ID_VARIABLE
from tests.alpha.stand_in import StandIn, running


@pytest.fixture
def service() -> Iterator[StandIn]:
    """The service on this machine."""
    with running() as stand_in:
        yield stand_in


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of a user without an AppID."""
    monkeypatch.delenv(APP_ID_VARIABLE, raising=False)
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    return tmp_path
