import sys
from pathlib import Path

import pytest

from paddock.client.connect import build_command
from paddock.errors import ConnectError

# A module of the working directory must not is in for one of Paddock: -P.
SERVE = [sys.executable, "-P", "-m", "paddock", "serve"]


def test_a_list_is_a_command() -> None:
    assert build_command(["node", "server.js", "-v"]) == ["node", "server.js", "-v"]


def test_text_is_a_command_line() -> None:
    assert build_command("node 'my server.js' -v") == ["node", "my server.js", "-v"]

    assert build_command(f"python -c '{'x' * 5000}'") == ["python", "-c", "x" * 5000]


def test_a_python_file_an_object_in_it_or_a_directory_is_served(tmp_path: Path) -> None:
    file = tmp_path / "my server.py"
    file.touch()
    assert build_command(str(file)) == [*SERVE, str(file)]
    assert build_command(file) == [*SERVE, str(file)]
    assert build_command(f"{file}:app") == [*SERVE, f"{file}:app"]
    assert build_command(str(tmp_path)) == [*SERVE, str(tmp_path)]


def test_paths_do_not_depend_on_the_servers_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").touch()
    assert build_command("server.py") == [*SERVE, str(tmp_path / "server.py")]


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("missing.py", "No such file: missing.py"),
        ("missing.py:app", "No such file: missing.py"),
        (Path("missing.py"), "No such file: missing.py"),
        ("", "The command is empty"),
        (" ", "The command is empty"),
        ([], "The command is empty"),
        ("node 'server.js", "Not a command line"),
    ],
)
def test_what_cannot_be_started_is_an_error(target: str | Path | list[str], complaint: str) -> None:
    with pytest.raises(ConnectError, match=complaint):
        build_command(target)
