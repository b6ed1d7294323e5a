"""The doctor finds what is wrong, and says how to fixes it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock import Finding, PaddockError
from tests.privileges import as_others_may

NOT_STARTED = "the entry is not the one that was installed, so it was not started"


def problems(client: str = "claude-code") -> list[tuple[str, str]]:
    found = [one for one in paddock.doctor(client) if one.key]
    return [(one.level, one.message) for one in found if one.level != "ok"]


@pytest.fixture
def edit(home: Path) -> Callable[..., None]:
    """Installs a server, and changes its entry."""

    def change(**changes: Any) -> None:
        paddock.install("claude-code", "Demo", check=False)
        file = home / ".claude.json"
        data = json.loads(file.read_bytes())
        data["mcpServers"]["Demo"] |= changes
        file.write_text(json.dumps(data))

    return change


def test_an_entry_that_works_is_ok(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    findings = [one for one in paddock.doctor() if one.key]
    assert [(one.level, one.client, one.key) for one in findings] == [("ok", "claude-code", "Demo")]
    assert findings[0].file == str(home / ".claude.json")


def test_where_nothing_is_installed_nothing_is_found(home: Path) -> None:
    assert paddock.doctor() == []
    assert paddock.doctor("codex") == []


def test_a_file_that_is_gone(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    (home / ".claude.json").unlink()
    (finding,) = [one for one in paddock.doctor() if one.key]
    assert (finding.level, finding.message) == ("error", "the client's file no longer exists")
    assert finding.remedy == "paddock install claude-code Demo --name Demo"


def test_a_file_that_cannot_be_read(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    (home / ".claude.json").write_text('{"mcpServers": {]')
    (finding,) = [one for one in paddock.doctor() if one.key]
    assert finding.level == "error"
    assert ".claude.json:1:" in finding.message


def test_an_entry_that_is_gone(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    (home / ".claude.json").write_text("{}")
    assert problems() == [("error", "the entry is no longer in the client's file")]


def test_an_entry_that_the_client_cannot_use(edit: Callable[..., None]) -> None:
    edit(env={"PORT": 1})
    assert problems() == [("error", "Claude Code cannot read this entry")]


def test_an_entry_that_was_changed_and_works(edit: Callable[..., None]) -> None:
    edit(note="mine")
    assert problems() == [("note", "the entry was changed after it was installed")]
    assert [one.level for one in paddock.doctor() if one.key] == ["note", "ok"]


def test_an_entry_without_a_record_is_looked_at_too(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    (home / ".paddock" / "installations.json").unlink()
    assert [(one.level, one.key) for one in paddock.doctor() if one.key] == [("ok", "Demo")]


def test_an_interpreter_that_is_gone(edit: Callable[..., None]) -> None:
    edit(command="/nowhere/bin/python")
    assert ("error", "/nowhere/bin/python no longer exists") in problems()


def test_an_interpreter_that_cannot_be_executed(edit: Callable[..., None], home: Path) -> None:
    file = home / "python"
    file.write_text("#!/bin/sh\n")
    edit(command=str(file))
    assert ("error", f"{file} is not executable") in problems()


def test_a_command_that_only_this_terminal_finds(edit: Callable[..., None]) -> None:
    edit(command="paddock", args=["serve", "--named", "Demo"])
    message = "the path of the command 'paddock' is relative; the client may not find it"
    assert ("warning", message) in problems()


def test_an_interpreter_without_paddock(edit: Callable[..., None], home: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "bare"], check=True)
    python = home / "bare" / "bin" / "python"
    edit(command=str(python), env={"PYTHONPATH": ""})
    (found,) = [message for level, message in problems() if level == "error"]
    assert found == (
        f"{python} cannot import Paddock: ModuleNotFoundError: No module named 'paddock'"
    )


def test_an_interpreter_with_another_paddock(edit: Callable[..., None], home: Path) -> None:
    (home / "old" / "paddock").mkdir(parents=True)
    (home / "old" / "paddock" / "__init__.py").touch()
    (home / "old" / "paddock" / "version.py").write_text('__version__ = "0.0.1"\n')
    edit(env={"PYTHONPATH": str(home / "old")})
    levels = [level for level, message in problems() if "has Paddock 0.0.1" in message]
    assert levels == ["warning"]


def test_a_server_that_was_deleted(home: Path) -> None:
    paddock.create_server("Mine", tools=["DemoDice"])
    paddock.install("claude-code", "Mine", check=False)
    paddock.delete_server("Mine", uninstall=False)
    assert problems() == [("error", "the server 'Mine' no longer exists")]


def test_a_server_that_is_broken(home: Path) -> None:
    server = paddock.create_server("Mine", tools=["DemoDice"])
    paddock.install("claude-code", "Mine", check=False)
    Path(server.location).write_text("name = ")
    ((level, message),) = problems()
    assert (level, message.partition(":")[0]) == ("error", "the server 'Mine' cannot be loaded")


def test_a_file_of_a_server_that_is_gone(home: Path) -> None:
    file = home / "mine.py"
    file.write_text("from paddock import Server\nserver = Server('mine')\n")
    paddock.install("claude-code", file, check=False)
    file.unlink()
    assert problems() == [("error", f"{file} no longer exists")]


def test_a_server_that_does_not_start(home: Path) -> None:
    file = home / "mine.py"
    file.write_text("raise SystemExit('no licence found')\n")
    paddock.install("claude-code", file, check=False)
    ((level, message),) = problems()
    assert level == "error"
    assert "no licence found" in message


def test_a_url_that_no_one_serves(home: Path) -> None:
    paddock.install("claude-code", "Demo", http="http://127.0.0.1:9/mcp", check=False)
    ((level, message),) = problems()
    assert level == "error"
    assert "http://127.0.0.1:9/mcp" in message


def test_an_entry_that_is_switched_off(home: Path) -> None:
    paddock.install("kiro", "Demo", check=False)
    file = home / ".kiro" / "settings" / "mcp.json"
    file.write_text(file.read_text().replace('"disabled": false', '"disabled": true'))
    assert ("note", "the entry is disabled in the client's file") in problems("kiro")


def test_the_same_name_for_the_user_and_a_project(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    for scope in (project, None):
        paddock.install("claude-code", "Demo", project=scope, check=False)
    (message,) = [message for level, message in problems() if level == "warning"]
    assert str(home / ".claude.json") in message


def test_what_a_user_has_to_do_in_the_client_is_a_note_where_it_applies(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    paddock.install("codex", "Demo", check=False)
    assert [one for one in paddock.doctor() if not one.key] == []
    paddock.install("codex", "Demo", project=project, name="Other", check=False)
    steps = paddock.supported_clients()["codex"].project_steps
    notes = [one for one in paddock.doctor() if not one.key]
    assert notes == [Finding("note", "codex", "", "", step) for step in steps]


def test_each_entry_is_named_before_it_is_looked_at(home: Path) -> None:
    for client in ("codex", "claude-code"):
        paddock.install(client, "Demo", check=False)
    (home / ".claude.json").unlink()
    named: list[str] = []
    paddock.doctor(progress=named.append)
    assert named == ["Demo in Claude Code", "Demo in Codex CLI"]


@pytest.mark.parametrize("is_project", [True, False])
def test_what_others_put_instead_of_an_entry_is_not_started(home: Path, is_project: bool) -> None:
    project = home / "project"
    project.mkdir()
    paddock.install("claude-code", "Demo", project=project if is_project else None, check=False)
    file = project / ".mcp.json" if is_project else home / ".claude.json"
    trap = home / "trap"
    data = json.loads(file.read_bytes())
    data["mcpServers"]["Demo"] |= {"command": "/usr/bin/touch", "args": [str(trap)]}
    file.write_text(json.dumps(data))
    assert problems() == [("warning", NOT_STARTED)]
    assert not trap.exists()


def test_a_program_of_the_name_of_python_in_a_project_is_not_started(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    paddock.install("claude-code", "Demo", project=project, check=False)
    trap, program = home / "trap", home / "python3"
    program.write_text(f"#!/bin/sh\ntouch {trap}\n")
    program.chmod(0o755)
    file = project / ".mcp.json"
    data = json.loads(file.read_bytes())
    data["mcpServers"]["Demo"]["command"] = str(program)
    file.write_text(json.dumps(data))
    assert ("warning", NOT_STARTED) in problems()
    assert not trap.exists()


def test_the_version_is_asked_for_where_no_one_else_writes(
    edit: Callable[..., None], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = home / "tmp"
    (shared / "paddock").mkdir(parents=True)
    (shared / "paddock" / "__init__.py").write_text(f"open({str(home / 'trap')!r}, 'w')\n")
    monkeypatch.setattr("tempfile.tempdir", str(shared))
    edit(args=["-m", "paddock", "serve", "--named", "Demo"])
    problems()
    assert not (home / "trap").exists()


def test_a_remedy_names_everything_but_the_secrets(home: Path) -> None:
    project = home / "my project"
    project.mkdir()
    paddock.install(
        "claude-code",
        "Demo",
        project=project,
        env={"TOKEN": "secret-1"},
        options={"count_slowly": {"seconds_per_step": 2}},
        check=False,
    )
    paddock.install(
        "cursor",
        "Demo",
        http="http://127.0.0.1:9/mcp",
        headers={"Authorization": "Bearer secret-1"},
        check=False,
    )
    (project / ".mcp.json").unlink()
    (home / ".cursor" / "mcp.json").unlink()
    assert {one.client: one.remedy for one in paddock.doctor() if one.key} == {
        "claude-code": f"paddock install claude-code Demo --name Demo --project '{project}' "
        "(add the previous values of: --env TOKEN=VALUE "
        "--option count_slowly.seconds_per_step=VALUE)",
        "cursor": "paddock install cursor Demo --name Demo --http http://127.0.0.1:9/mcp "
        "(add the previous values of: --header Authorization:VALUE)",
    }


def test_a_broken_file_of_the_user_is_not_the_fault_of_a_project(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    paddock.install("claude-code", "Demo", project=project, check=False)
    (home / ".claude.json").write_text("{ broken")
    found = [one for one in paddock.doctor() if one.level != "note"]
    assert [(one.level, one.file, one.key) for one in found] == [
        ("ok", str(project / ".mcp.json"), "Demo"),
        ("warning", str(home / ".claude.json"), ""),
    ]


def test_files_that_cannot_be_read_keep_nothing_else_from_being_looked_at(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    closed = home / ".kiro"
    (closed / "settings").mkdir(parents=True)
    (closed / "settings" / "mcp.json").write_text("{}")
    closed.chmod(0)
    (home / ".cursor" / "mcp.json").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").touch(0)
    with as_others_may():
        found = [(one.client, one.level) for one in paddock.doctor() if one.level != "note"]
        clients = {one.id for one in paddock.detected_clients()}
    closed.chmod(0o700)
    assert found == [
        ("claude-code", "ok"),
        ("codex", "warning"),
        ("cursor", "warning"),
        ("kiro", "warning"),
    ]
    assert {"claude-code", "codex", "cursor"} <= clients


def test_hints_are_reported_once(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    (home / ".claude.json").write_bytes("{}".encode("utf-16"))
    (found,) = [one for one in paddock.doctor() if one.level == "error"]
    assert found.remedy
    assert found.remedy not in found.message


def test_records_that_cannot_be_read_are_an_error(home: Path) -> None:
    (home / ".paddock" / "installations.json").mkdir(parents=True)
    with pytest.raises(PaddockError, match="records of installations cannot be read"):
        paddock.doctor()
