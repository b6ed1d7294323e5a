"""Wheels and paclet archives that nobody has installed, and the catalogue that lists them."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from paddock.directories import DATA_VARIABLE
from paddock.extensions.catalogue.building import build_catalogue
from paddock.extensions.catalogue.document import catalogue_text
from paddock.extensions.catalogue.settings import CATALOGUES_VARIABLE, NO_INSTALL_VARIABLE
from paddock.extensions.discovery import forget_extensions
from tests.catalogues.web import Web, serving
from tests.command_line.program import Program
from tests.extensions import samples
from tests.unit.extensions.paclets.making import SAMPLES, packed

CATALOGUE = "catalogue.json"


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with files to install, and a catalogue of them."""
    directory = tmp_path_factory.mktemp("shelf")
    sources = tmp_path_factory.mktemp("sources")
    projects = [
        samples.write(sources, name, *samples.WORKING[name]) for name in ("acme-charts", "mines")
    ]
    samples.build(projects, directory)
    packed(SAMPLES / "Sampler", directory / "Sampler-1.2.0.paclet", "Sampler/")
    write_catalogue(directory)
    return directory


def write_catalogue(directory: Path) -> Path:
    """The catalogue of what is in a directory, there."""
    built = build_catalogue([directory], beside=directory)
    file = directory / CATALOGUE
    file.write_bytes(catalogue_text(built.entries))
    return file


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory in which nothing is, and no settings."""
    directory = tmp_path / "data"
    monkeypatch.setenv(DATA_VARIABLE, str(directory))
    monkeypatch.delenv(CATALOGUES_VARIABLE, raising=False)
    monkeypatch.delenv(NO_INSTALL_VARIABLE, raising=False)
    forget_extensions()
    yield directory
    forget_extensions()


@pytest.fixture
def web() -> Iterator[Web]:
    """A web server on this machine."""
    with serving() as found:
        yield found


@pytest.fixture
def known(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The catalogue, which counts for this process and those that it starts."""
    monkeypatch.setenv(CATALOGUES_VARIABLE, str(shelf / CATALOGUE))
    return shelf / CATALOGUE


@pytest.fixture
def paddock_in_venv(tmp_path: Path, shelf: Path) -> Program:
    """`paddock` in an environment of its own, into which it may install; it knows the catalogue."""
    samples.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"])
    program = Program(tmp_path)
    program.command = [str(tmp_path / "venv" / "bin" / "python"), "-m", "paddock"]
    ours = [str(Path(paddock.__file__).parents[1]), *filter(None, sys.path)]
    program.environment |= {
        "PYTHONPATH": os.pathsep.join(ours),
        "PIP_NO_INDEX": "1",
        CATALOGUES_VARIABLE: str(shelf / CATALOGUE),
    }
    return program
