"""pip and uv install from where the user says; no one else's working directory has a say."""

import os
from pathlib import Path

import pytest

from paddock.extensions.catalogues.store import CATALOGUES_VARIABLE
from tests.catalogues.conftest import wheel, write_catalogue
from tests.command_line.program import Program


def put_settings(directory: Path) -> None:
    """Put into a directory what uv might look at."""
    wheel(directory / "evil", "helper_xyz")
    settings = f'no-index = true\nfind-links = ["{directory / "evil"}"]\n'
    (directory / "uv.toml").write_text(settings, encoding="utf-8")
    project = f'[project]\nname = "p"\nversion = "1"\n[tool.uv]\n{settings}'
    (directory / "pyproject.toml").write_text(project, encoding="utf-8")


def put_pip(directory: Path) -> None:
    """Put into a directory what might be taken for pip."""
    (directory / "pip").mkdir()
    (directory / "pip" / "__main__.py").write_text("raise SystemExit('no pip')", encoding="utf-8")
    (directory / "pip" / "__init__.py").touch()


def test_a_distribution_is_installed_by_uv_where_there_is_no_pip(paddock_with_uv: Program) -> None:
    put_pip(paddock_with_uv.work)
    said = paddock_with_uv("extensions", "install", "acme/charts", "--yes")
    assert said.code == 0, said.err
    assert f"with uv into {paddock_with_uv.work.parent / 'venv'}" in said.err
    called = paddock_with_uv("call", "acme/charts/Charts", "plot", "values=[1,2]")
    assert (called.code, called.out) == (0, "# ##\n"), called.err


@pytest.mark.parametrize("is_within", [False, True])
def test_the_working_directory_does_not_say_where_requirements_come_from(
    paddock_with_uv: Program, tmp_path: Path, *, is_within: bool
) -> None:
    put_settings(paddock_with_uv.work)
    if is_within:
        paddock_with_uv.environment["PADDOCK_DATA_DIR"] = str(paddock_with_uv.work / "data")
    wheel(tmp_path / "shelf", "needy", "Requires-Dist: helper-xyz>=1\n", 'servers = ["S"]')
    paddock_with_uv.environment[CATALOGUES_VARIABLE] = str(write_catalogue(tmp_path / "shelf"))
    said = paddock_with_uv("extensions", "install", "needy", "--yes")
    assert said.code == 2
    assert "Error: needy could not be installed: " in said.err
    assert not list((tmp_path / "venv").rglob("helper_xyz"))


def test_a_program_of_the_working_directory_is_not_taken_for_uv(
    paddock_with_uv: Program,
) -> None:
    intruder = paddock_with_uv.work / "uv"
    intruder.write_text("#!/bin/sh\ntouch touched\n", encoding="utf-8")
    intruder.chmod(0o755)
    paddock_with_uv.environment["PATH"] = f".{os.pathsep}/usr/bin{os.pathsep}/bin"
    said = paddock_with_uv("extensions", "install", "acme/charts", "--yes")
    assert said.code == 2
    assert f"Hint: {paddock_with_uv.command[0]} -m ensurepip" in said.err
    assert not (paddock_with_uv.work / "touched").exists()
