"""Nothing is written that does not start where its client starts it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import paddock
from paddock.installer.apps import find_client
from paddock.installer.entry_checks import CheckFailedError, build_client_environment, check_entry
from paddock.installer.entry_format import ConfigEntry

DIES = "import sys\nprint('no licence found', file=sys.stderr)\nsys.exit(3)\n"
SILENT = "import sys\nprint('starting up', file=sys.stderr, flush=True)\nsys.stdin.read()\n"


def program(directory: Path, text: str) -> ConfigEntry:
    file = directory / "program.py"
    file.write_text(text)
    return ConfigEntry(command=sys.executable, args=(str(file),), env={"SECRET": "hunter22"})


def test_a_server_that_answers_is_known_by_name_and_tools(home: Path) -> None:
    entry = ConfigEntry(command=sys.executable, args=("-m", "paddock", "serve", "--named", "Demo"))
    answer = check_entry(find_client("claude-code"), entry)
    assert answer.server.startswith("Demo ")
    assert "greet" in answer.tools


def test_a_server_that_dies_is_not_installed(home: Path) -> None:
    (home / "mine.py").write_text(DIES)
    with pytest.raises(CheckFailedError, match="no licence found"):
        paddock.install("claude-code", home / "mine.py")
    assert not (home / ".claude.json").exists()


def test_a_server_that_dies_is_installed_without_the_check(home: Path) -> None:
    (home / "mine.py").write_text(DIES)
    paddock.install("claude-code", home / "mine.py", check=False)
    assert (home / ".claude.json").exists()


def test_a_server_that_stays_silent_is_reported_with_what_it_said_last(home: Path) -> None:
    client = replace(find_client("claude-code"), patience=0.5)
    with pytest.raises(CheckFailedError, match="starting up"):
        check_entry(client, program(home, SILENT))


def test_a_command_that_does_not_exist_is_reported(home: Path) -> None:
    with pytest.raises(CheckFailedError, match="No such file"):
        check_entry(find_client("claude-code"), ConfigEntry(command="/nowhere/python"))


def test_secrets_are_not_in_the_message(home: Path) -> None:
    text = "import os, sys\nsys.exit('bad token ' + os.environ['SECRET'])\n"
    with pytest.raises(CheckFailedError) as caught:
        check_entry(find_client("claude-code"), program(home, text))
    assert "bad token •••" in str(caught.value)
    assert "hunter22" not in str(caught.value)


def test_a_url_that_no_one_serves_is_not_installed(home: Path) -> None:
    with pytest.raises(CheckFailedError):
        paddock.install("claude-code", "Demo", http="http://127.0.0.1:9/mcp")
    assert not (home / ".claude.json").exists()


def test_a_client_that_passes_few_variables_passes_few(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "x")
    monkeypatch.setenv("VIRTUAL_ENV", "/venv")
    monkeypatch.setenv("PATH", "/venv/bin:/usr/bin")
    few = replace(find_client("codex"), environment="few")
    given = build_client_environment(few, ConfigEntry(command="/x", env={"OWN": "1"}))
    assert given["PATH"] == "/usr/bin:/bin:/usr/sbin:/sbin"
    assert given["OWN"] == "1"
    assert given.keys() <= {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "OWN"}
    every = build_client_environment(replace(few, environment="all"), ConfigEntry(command="/x"))
    assert every["MINE"] == "x"


def test_a_server_of_the_user_is_found_with_few_variables(home: Path) -> None:
    paddock.create_server("Mine", tools=["DemoDice"])
    paddock.install("codex", "Mine")
    (finding,) = [one for one in paddock.doctor("codex") if one.level == "ok"]
    assert "1 tool" in finding.message


def test_a_broken_server_is_refused_with_the_reason(home: Path) -> None:
    file = home / "broken.toml"
    file.write_text('name = "Broken"\ntools = ["NoSuchTool"]\n')
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.install("claude-code", file)
    assert caught.value.code == "tool-name-not-found"
    assert not (home / ".claude.json").exists()
