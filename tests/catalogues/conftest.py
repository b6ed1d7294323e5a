"""Wheels and paclet archives that no one has installed, and the catalogue that lists them."""

import os
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from uv import find_uv_bin

import paddock
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.extensions.catalogues.builder import build_catalogue
from paddock.extensions.catalogues.document import format_catalogue
from paddock.extensions.catalogues.store import CATALOGUES_VARIABLE, NO_INSTALL_VARIABLE
from paddock.extensions.discovery import clear_extension_caches
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


def wheel(directory: Path, name: str, metadata: str = "", manifest: str = "") -> Path:
    """A wheel of an extension, written by hand; version 1.0."""
    file = directory / f"{name}-1.0-py3-none-any.whl"
    directory.mkdir(parents=True, exist_ok=True)
    information = f"{name}-1.0.dist-info"
    texts = {
        f"{name}/__init__.py": "",
        f"{name}/paddock.toml": manifest,
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{information}/entry_points.txt": f"[paddock.extensions]\n{name} = {name}\n",
    }
    texts[f"{information}/RECORD"] = "".join(
        f"{one},,\n" for one in [*texts, f"{information}/RECORD"]
    )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for place, text in texts.items():
            zipped.writestr(place, text)
    return file


def write_catalogue(directory: Path) -> Path:
    """The catalogue of what is in a directory, there."""
    built = build_catalogue([directory], catalogue_directory=directory)
    file = directory / CATALOGUE
    file.write_bytes(format_catalogue(built.entries))
    return file


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory in which nothing is, and no settings."""
    directory = tmp_path / "data"
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(directory))
    monkeypatch.delenv(CATALOGUES_VARIABLE, raising=False)
    monkeypatch.delenv(NO_INSTALL_VARIABLE, raising=False)
    clear_extension_caches()
    yield directory
    clear_extension_caches()


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


@pytest.fixture
def paddock_with_uv(paddock_in_venv: Program, tmp_path: Path) -> Program:
    """The same in an environment without pip, where uv is on the path; neither has an index."""
    lent = tmp_path / "lent"
    lent.mkdir()
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for one in Path(place).iterdir():
            if not one.name.startswith("pip"):
                (lent / one.name).symlink_to(one)
    environment = paddock_in_venv.environment
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(paddock.__file__).parents[1]), str(lent)])
    environment["PATH"] = os.pathsep.join([str(Path(find_uv_bin()).parent), environment["PATH"]])
    environment |= {"UV_NO_INDEX": "1", "UV_OFFLINE": "1"}
    return paddock_in_venv
