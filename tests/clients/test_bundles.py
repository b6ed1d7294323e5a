"""The program of those who have made up bundles takes ours."""

import subprocess
import sys
from pathlib import Path

import pytest

import paddock
from tests.clients.environments import MCPB


def mcpb(*arguments: str) -> str:
    command = [MCPB.node(), MCPB.executable("mcpb"), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("portable", [False, True], ids=["machine", "portable"])
def test_its_manifest_is_valid_once_unpacked(tmp_path: Path, *, portable: bool) -> None:
    file = paddock.bundle("Demo", tmp_path, portable=portable)
    folder = tmp_path / "unpacked"
    mcpb("unpack", str(file), str(folder))
    assert "Manifest schema validation passes!" in mcpb("validate", str(folder))


def test_an_unpacked_portable_bundle_serves(tmp_path: Path) -> None:
    file = paddock.bundle("Demo", tmp_path, portable=True)
    folder = tmp_path / "unpacked"
    mcpb("unpack", str(file), str(folder))
    with paddock.connect([sys.executable, str(folder / "main.py")]) as peer:
        assert [tool.name for tool in peer.tools()] == paddock.get_server("Demo").tool_names


def test_it_can_pack_again_what_it_has_unpacked(tmp_path: Path) -> None:
    file = paddock.bundle("Demo", tmp_path, portable=True)
    folder = tmp_path / "unpacked"
    mcpb("unpack", str(file), str(folder))
    mcpb("pack", str(folder), str(tmp_path / "again.mcpb"))
    assert (tmp_path / "again.mcpb").is_file()
