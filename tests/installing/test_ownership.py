"""Which entries are Paddock's, and which belong to the user or to another server."""

import json
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock import PaddockError
from paddock.installer.entry_change import (
    ENTRY_RESTORED_NOTE,
    FOREIGN_ENTRY_NOTE,
    ForeignEntryError,
)
from paddock.named_servers.installations import read_installations

MINE = {"command": "node", "args": ["mine.js"]}


def entries(file: Path, path: str = "mcpServers") -> Any:
    return json.loads(file.read_bytes())[path]


def written(file: Path, key: str, data: dict[str, Any]) -> bytes:
    """A file in which a person has put an entry instead of another."""
    whole = json.loads(file.read_bytes())
    whole["mcpServers"][key] = data
    file.write_text(json.dumps(whole))
    return file.read_bytes()


def server_in(directory: Path) -> Path:
    directory.mkdir()
    file = directory / "weather.py"
    file.write_text("from paddock import Server\nserver = Server('weather')\n")
    return file


def test_an_entry_that_the_user_put_instead_of_paddock_stays(home: Path) -> None:
    file = home / ".claude.json"
    paddock.install("claude-code", "Demo", check=False)
    before = written(file, "Demo", MINE)
    (outcome,) = paddock.uninstall("claude-code", "Demo")
    assert outcome.plan is not None
    assert (outcome.plan.notes, outcome.plan.diff()) == ((FOREIGN_ENTRY_NOTE,), "")
    assert (file.read_bytes(), read_installations()) == (before, [])


def test_a_container_that_starts_paddock_is_not_ours(home: Path) -> None:
    file = home / ".claude.json"
    container = {"command": "docker", "args": ["run", "image", "paddock", "serve", "Demo"]}
    file.write_text(json.dumps({"mcpServers": {"Demo": container}}))
    with pytest.raises(ForeignEntryError):
        paddock.install("claude-code", "Demo", check=False)
    with pytest.raises(PaddockError) as caught:
        paddock.uninstall("claude-code", "Demo")
    assert caught.value.code == "not-installed"


def test_deleting_a_server_leaves_another_that_has_its_key(home: Path) -> None:
    for name in ("One", "Two"):
        paddock.create_server(name, tools=["DemoDice"], key="Shared")
    paddock.install("claude-code", "Two", check=False)
    assert paddock.delete_server("One") == []
    assert entries(home / ".claude.json")["Shared"]["args"][-1] == "Two"
    assert [one.server for one in read_installations()] == ["Two"]


def test_servers_of_two_clients_in_one_file_do_not_disturb_each_other(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    file = project / ".mcp.json"
    clients = ("claude-code", "visual-studio")
    for client in clients:
        paddock.install(client, "Demo", project=project, check=False)
    assert {one.client for one in read_installations()} == {*clients}
    paddock.uninstall("claude-code", "Demo", project=project)
    assert list(json.loads(file.read_bytes())) == ["servers"]
    assert [one.client for one in read_installations()] == ["visual-studio"]
    paddock.uninstall("visual-studio", "Demo", project=project)
    assert not file.exists()


@pytest.mark.parametrize("order", [("claude-code", "copilot-cli"), ("copilot-cli", "claude-code")])
def test_an_entry_that_two_clients_read_is_one_that_both_take(
    home: Path, order: tuple[str, str]
) -> None:
    project = home / "project"
    project.mkdir()
    for client in order:
        paddock.install(client, "Demo", project=project, check=False)
    assert entries(project / ".mcp.json")["Demo"]["type"] == "stdio"
    found = paddock.doctor()
    assert sorted(one.client for one in found if one.level == "ok") == sorted(order)


@pytest.mark.parametrize("order", [("claude-code", "copilot-cli"), ("copilot-cli", "claude-code")])
def test_taking_out_an_entry_names_the_client_that_was_asked_for_and_the_other(
    home: Path, order: tuple[str, str]
) -> None:
    project = home / "project"
    project.mkdir()
    for client in order:
        paddock.install(client, "Demo", project=project, check=False)
    (outcome,) = paddock.uninstall("claude-code", "Demo", project=project)
    assert outcome.plan is not None
    assert (outcome.client, outcome.plan.client.id) == ("claude-code", "claude-code")
    assert outcome.plan.notes == (
        "The entry was shared with copilot-cli, which no longer has it either.",
    )


def test_two_files_of_one_name_do_not_replace_each_other_unasked(home: Path) -> None:
    first, second = server_in(home / "a"), server_in(home / "b")
    paddock.install("claude-code", first, env={"TOKEN": "secret-1"}, check=False)
    file = home / ".claude.json"
    before = file.read_bytes()
    with pytest.raises(ForeignEntryError, match=r"another of Paddock's servers .*a/weather\.py"):
        paddock.install("claude-code", second, check=False)
    assert file.read_bytes() == before
    paddock.install("claude-code", second, replace=True, check=False)
    assert entries(file)["weather"]["args"][-1] == str(second)
    assert "TOKEN" not in entries(file)["weather"]["env"]
    (outcome,) = paddock.uninstall("claude-code", second)
    assert outcome.plan is not None
    assert outcome.plan.notes == (ENTRY_RESTORED_NOTE,)
    assert file.read_bytes() == before
    assert [one.server for one in read_installations()] == [str(first)]
    paddock.uninstall("claude-code", first)
    assert not file.exists()


def test_servers_that_take_turns_do_not_inherit_variables(home: Path) -> None:
    for name in ("One", "Two"):
        paddock.create_server(name, tools=["DemoDice"], key="Shared")
    paddock.install("claude-code", "One", env={"TOKEN": "secret-1"}, check=False)
    paddock.install("claude-code", "Two", check=False)
    assert "TOKEN" not in entries(home / ".claude.json")["Shared"]["env"]


def test_an_entry_that_a_person_wrote_for_the_same_server_comes_back(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(
        '{"mcpServers": {"Demo": {"command": "uvx", "args": ["paddock", "serve", "Demo"]}}}'
    )
    before = file.read_bytes()
    paddock.install("claude-code", "Demo", check=False)
    paddock.uninstall("claude-code", "Demo")
    assert file.read_bytes() == before


def test_a_link_that_leads_elsewhere_now_does_not_hide_what_was_written(home: Path) -> None:
    first, second = home / "first.json", home / "second.json"
    for file in (first, second):
        file.write_text("{}")
    link = home / ".claude.json"
    link.symlink_to(first)
    paddock.install("claude-code", "Demo", check=False)
    link.unlink()
    link.symlink_to(second)
    paddock.uninstall(server="Demo")
    assert (first.read_text(), second.read_text()) == ("{}", "{}")
    assert read_installations() == []


def test_what_is_needed_to_restore_a_file_is_not_shown(home: Path) -> None:
    plan = paddock.install("claude-code", "Demo", env={"TOKEN": "secret-1"}, check=False)
    assert "secret-1" in str(plan.installations[0].splice)
    assert "secret-1" not in repr(plan.installations)


def test_an_entry_of_the_user_that_is_replaced_comes_back_without_a_record(home: Path) -> None:
    file = home / ".claude.json"
    paddock.install("claude-code", "Demo", check=False)
    before = written(file, "Demo", MINE)
    paddock.install("claude-code", "Demo", replace=True, check=False)
    paddock.uninstall("claude-code", "Demo")
    assert (file.read_bytes(), read_installations()) == (before, [])


def test_the_records_of_a_file_are_removed_even_if_its_entry_looks_foreign(home: Path) -> None:
    file = home / "file.json"
    paddock.install("opencode", "Demo", file=file, check=False)
    file.write_text('{"mcpServers": {}, "mcp": {}}')
    paddock.uninstall(file=file)
    assert read_installations() == []
