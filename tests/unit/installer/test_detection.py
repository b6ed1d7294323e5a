"""Which clients are stated to be there."""

from pathlib import Path

import pytest

from paddock.installer.detection import detected_clients
from paddock.installer.locations import HostMachine


@pytest.fixture
def machine(tmp_path: Path) -> HostMachine:
    """A Linux machine on which nothing is installed."""
    (tmp_path / "bin").mkdir()
    return HostMachine("linux", {"PATH": str(tmp_path / "bin")}, str(tmp_path))


def ids(machine: HostMachine) -> list[str]:
    return [client.id for client in detected_clients(machine=machine)]


def test_an_empty_home_has_no_clients(machine: HostMachine) -> None:
    assert ids(machine) == []


def test_a_file_shows_its_client(machine: HostMachine, tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{}")
    assert ids(machine) == ["claude-code"]


def test_the_directory_of_the_file_shows_its_client(machine: HostMachine, tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".config" / "Code" / "User").mkdir(parents=True)
    assert ids(machine) == ["cursor", "vscode"]


def test_a_directory_that_several_share_shows_none_of_them(
    machine: HostMachine, tmp_path: Path
) -> None:
    (tmp_path / ".gemini" / "antigravity").mkdir(parents=True)
    (tmp_path / ".codeium" / "windsurf").mkdir(parents=True)
    assert ids(machine) == ["antigravity", "windsurf"]


def test_a_program_on_the_path_shows_its_client(machine: HostMachine, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "codex"
    program.touch(mode=0o755)
    assert ids(machine) == ["codex"]


def test_a_client_without_a_file_is_seen_by_its_directory(
    machine: HostMachine, tmp_path: Path
) -> None:
    (tmp_path / ".config" / "CherryStudio").mkdir(parents=True)
    assert ids(machine) == ["cherry-studio"]


def test_the_package_of_the_windows_store_shows_claude_desktop(tmp_path: Path) -> None:
    local = tmp_path / "AppData" / "Local"
    (local / "Packages" / "Claude_pzs8sxrjxfjjc").mkdir(parents=True)
    machine = HostMachine("windows", {"LOCALAPPDATA": str(local), "PATH": ""}, str(tmp_path))
    assert ids(machine) == ["claude-desktop"]
