"""The command in a client's file works wherever the client starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.named_servers.launch_command import build_launch_command, build_launch_environment
from paddock.testing import connect


def test_it_is_this_interpreter_and_a_name() -> None:
    launch = build_launch_command("My Server")
    assert launch.command == sys.executable
    assert launch.args == ["-P", "-m", "paddock", "serve", "--named", "My Server"]


def test_a_path_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert build_launch_command(Path("x.py")).args[-2:] == ["serve", str(tmp_path / "x.py")]


def test_it_starts_in_another_directory_with_nothing_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Demo").mkdir()
    (tmp_path / "Demo.toml").write_text("not even TOML", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    with connect([*build_launch_command("Demo")[:1], *build_launch_command("Demo").args]) as peer:
        assert peer.call("greet", {"name": "Ada"}).text == "Hello, Ada!"


def test_the_data_directory_goes_along_when_it_is_not_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    assert build_launch_environment() == {DATA_DIRECTORY_VARIABLE: str(tmp_path)}
    monkeypatch.delenv(DATA_DIRECTORY_VARIABLE)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert build_launch_environment() == {}


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the variable is Linux's")
def test_another_directory_for_the_data_of_all_programs_goes_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DATA_DIRECTORY_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert build_launch_environment() == {DATA_DIRECTORY_VARIABLE: str(tmp_path / "paddock")}
    monkeypatch.setenv("XDG_DATA_HOME", str(Path.home() / ".local" / "share"))
    assert build_launch_environment() == {}


def test_an_environment_of_uvs_cache_is_not_relied_upon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "uv" / "archive-v0" / "abc"
    uv = tmp_path / "bin" / "uv"
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setenv("UV", str(uv))
    launch = build_launch_command("calc")
    assert launch.command == str(uv)
    assert launch.args[:3] == ["tool", "run", "--from"]
    assert launch.args[-4:] == ["paddock", "serve", "--named", "calc"]


def test_a_link_to_the_interpreter_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    program = (
        "from paddock.named_servers.launch_command import build_launch_command as c;"
        "print(c('x').command)"
    )
    found = subprocess.run(
        [link, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str(link)
