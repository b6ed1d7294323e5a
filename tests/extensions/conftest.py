"""Sample distributions, built once and installed into directories of their own."""

import os
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.extensions.discovery import clear_extension_caches
from tests.command_line.program import Program
from tests.extensions import samples


@pytest.fixture(scope="session")
def good_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the samples that work are installed."""
    directory = tmp_path_factory.mktemp("good")
    projects = [samples.write(directory, name, *rest) for name, rest in samples.WORKING.items()]
    return samples.install(samples.build(projects, directory), directory / "site")


@pytest.fixture(scope="session")
def broken_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the samples are installed that do not."""
    directory = tmp_path_factory.mktemp("broken")
    projects = [
        samples.write(directory, name, point, samples.broken_files(point, manifest))
        for name, (point, manifest) in samples.BROKEN.items()
    ]
    return samples.install(samples.build(projects, directory), directory / "site")


def put_on_path(monkeypatch: pytest.MonkeyPatch, *sites: Path) -> None:
    """Have directories on the path of this process and of those that it starts."""
    clear_extension_caches()
    places = [str(site) for site in sites]
    for place in reversed(places):
        monkeypatch.syspath_prepend(place)
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [*places, before])))


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers that a test creates are seen by no other."""
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))


@pytest.fixture
def installed(good_site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The samples that work, installed for this process and those that it starts."""
    put_on_path(monkeypatch, good_site)
    return good_site


@pytest.fixture
def all_installed(good_site: Path, broken_site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The samples that work and those that do not."""
    put_on_path(monkeypatch, good_site, broken_site)
    return broken_site


@pytest.fixture
def paddock(tmp_path: Path, installed: Path) -> Program:
    """`paddock` as a user with an empty home and the samples that work has it."""
    return Program(tmp_path)
