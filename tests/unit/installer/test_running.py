"""Seeing whether an application is running."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from paddock.installer.apps import find_client
from paddock.installer.detection import is_running


@pytest.mark.parametrize("name", ["sleepy", "a-name-longer-than-the-kernel-keeps"])
def test_a_client_is_running_while_its_process_is(tmp_path: Path, name: str) -> None:
    client = replace(find_client("claude-desktop"), processes=(name,))
    assert not is_running(client)
    cat = shutil.which("cat")
    assert cat is not None
    program = tmp_path / name
    shutil.copy(cat, program)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x")
        process.stdin.flush()
        assert process.stdout.read(1) == b"x"
        assert is_running(client)
        process.stdin.close()
    assert not is_running(client)


def test_a_client_without_such_processes_is_not_asked_for() -> None:
    assert not is_running(replace(find_client("claude-desktop"), processes=()))
