"""Taking servers out of clients' files again."""

import itertools
import json
from pathlib import Path

import pytest

import paddock
from paddock import PaddockError
from paddock.installer.entry_change import ENTRY_CHANGED_NOTE, ENTRY_GONE_NOTE
from paddock.named_servers.installations import read_installations

KEYS = ("One", "Two", "Three")


def installed(client: str, *keys: str, file: Path | None = None) -> None:
    for key in keys:
        paddock.install(client, "Demo", name=key, file=file, check=False)


@pytest.mark.parametrize("text", [None, "", "{}", '{"mcpServers": {}}\n', '{\n\t"a": [1,2]\n}'])
@pytest.mark.parametrize("order", list(itertools.permutations(KEYS)))
def test_several_servers_can_go_in_any_order(
    home: Path, text: str | None, order: tuple[str, ...]
) -> None:
    file = home / ".cursor" / "mcp.json"
    if text is not None:
        file.parent.mkdir()
        file.write_text(text)
    installed("cursor", *KEYS)
    for key in order:
        paddock.uninstall("cursor", name=key)
    assert (file.read_text() if file.exists() else None) == text
    assert file.parent.exists() == (text is not None)


@pytest.mark.parametrize("client", ["codex", "goose", "continue", "opencode"])
def test_several_servers_can_go_in_any_order_in_every_format(home: Path, client: str) -> None:
    before = sorted(home.rglob("*"))
    for order in itertools.permutations(KEYS):
        installed(client, *KEYS)
        for key in order:
            paddock.uninstall(client, name=key)
        left = [path for path in sorted(home.rglob("*")) if ".paddock" not in path.parts]
        assert left == before


@pytest.mark.parametrize("order", [KEYS, KEYS[::-1]])
@pytest.mark.parametrize("client", ["cursor", "codex", "goose", "continue", "opencode"])
def test_an_update_in_between_leaves_nothing_behind(
    home: Path, client: str, order: tuple[str, ...]
) -> None:
    before = sorted(home.rglob("*"))
    installed(client, *KEYS)
    paddock.install(client, "Demo", name="One", env={"A": "b"}, check=False)
    for key in order:
        paddock.uninstall(client, name=key)
    left = [path for path in sorted(home.rglob("*")) if ".paddock" not in path.parts]
    assert left == before


def test_what_the_user_wrote_elsewhere_in_the_meantime_stays(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(
        '{\n  "theme": "dark",\n  "mcpServers": {\n    "x": {"command": "/x"}\n  }\n}\n'
    )
    installed("claude-code", "Demo")
    edit = ('"dark"', '"light"')
    file.write_text(file.read_text().replace(*edit))
    paddock.uninstall("claude-code", "Demo")
    assert file.read_text() == (
        '{\n  "theme": "light",\n  "mcpServers": {\n    "x": {"command": "/x"}\n  }\n}\n'
    )


def test_a_server_that_the_user_added_to_our_file_stays(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    installed("cursor", "Demo")
    data = json.loads(file.read_text())
    data["mcpServers"]["mine"] = {"command": "/mine", "args": []}
    file.write_text(json.dumps(data, indent=4))
    paddock.uninstall("cursor", "Demo")
    assert json.loads(file.read_text()) == {"mcpServers": {"mine": data["mcpServers"]["mine"]}}


def test_an_entry_that_the_user_changed_goes_and_the_plan_says_so(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"a": 1}')
    installed("claude-code", "Demo")
    data = json.loads(file.read_text())
    data["mcpServers"]["Demo"]["command"] = "/my/own/python"
    file.write_text(json.dumps(data))
    (outcome,) = paddock.uninstall("claude-code", "Demo")
    assert outcome.plan is not None
    assert outcome.plan.notes == (ENTRY_CHANGED_NOTE,)
    assert json.loads(file.read_text()) == {"a": 1}
    assert outcome.plan.changes[0].backup is not None


def test_an_entry_that_is_gone_is_forgotten(home: Path) -> None:
    file = home / ".claude.json"
    installed("claude-code", "Demo")
    file.write_text("{}")
    (outcome,) = paddock.uninstall("claude-code", "Demo")
    assert outcome.plan is not None
    assert (outcome.plan.notes, outcome.plan.diff()) == ((ENTRY_GONE_NOTE,), "")
    assert (file.read_text(), read_installations()) == ("{}", [])


def test_a_file_that_is_gone_is_forgotten(home: Path) -> None:
    installed("claude-code", "Demo")
    (home / ".claude.json").unlink()
    paddock.uninstall("claude-code", "Demo")
    assert read_installations() == []
    assert not (home / ".claude.json").exists()


def test_a_broken_file_is_left_alone_and_its_record_stays(home: Path) -> None:
    file = home / ".claude.json"
    installed("claude-code", "Demo")
    file.write_text('{"mcpServers": {')
    with pytest.raises(PaddockError) as caught:
        paddock.uninstall("claude-code", "Demo")
    assert caught.value.code == "invalid-configuration"
    assert file.read_text() == '{"mcpServers": {'
    assert len(read_installations()) == 1


def test_a_dry_run_changes_nothing(home: Path) -> None:
    file = home / ".claude.json"
    installed("claude-code", "Demo")
    before = file.read_bytes()
    (outcome,) = paddock.uninstall("claude-code", "Demo", dry_run=True)
    assert outcome.plan is not None
    assert "-" in outcome.plan.diff()
    assert not outcome.plan.is_applied
    assert file.read_bytes() == before
    assert len(read_installations()) == 1


def test_a_server_goes_from_everywhere_when_no_client_is_named(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    for client in ("claude-code", "cursor", "codex"):
        installed(client, "Demo")
    paddock.install("claude-code", "Demo", project=project, check=False)
    outcomes = paddock.uninstall(server="Demo")
    assert sorted(one.client for one in outcomes) == (
        ["claude-code", "claude-code", "codex", "cursor"]
    )
    assert read_installations() == []
    assert not (project / ".mcp.json").exists()


def test_all_servers_go_from_a_client_when_none_is_named(home: Path) -> None:
    installed("claude-code", "One", "Two")
    installed("cursor", "One")
    assert len(paddock.uninstall("claude-code")) == 2
    assert [one.client for one in read_installations()] == ["cursor"]


def test_a_project_keeps_its_server_when_the_users_goes(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    installed("claude-code", "Demo")
    paddock.install("claude-code", "Demo", project=project, check=False)
    paddock.uninstall("claude-code", "Demo")
    assert [one.scope for one in read_installations()] == [str(project)]
    assert (project / ".mcp.json").is_file()


@pytest.mark.parametrize("server", ["Demo", None])
def test_nothing_to_take_out_is_an_error(home: Path, server: str | None) -> None:
    with pytest.raises(PaddockError) as caught:
        paddock.uninstall("claude-code", server)
    assert caught.value.code == "not-installed"
    with pytest.raises(PaddockError) as caught:
        paddock.uninstall()
    assert caught.value.code == "not-installed"


def test_what_is_installed_elsewhere_is_reported(home: Path) -> None:
    installed("cursor", "Demo")
    with pytest.raises(PaddockError, match="cursor"):
        paddock.uninstall("claude-code", "Demo")


def test_an_entry_of_someone_else_is_never_taken_out(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"mcpServers": {"Demo": {"command": "/usr/bin/demo"}}}')
    with pytest.raises(PaddockError) as caught:
        paddock.uninstall("claude-code", "Demo")
    assert caught.value.code == "not-installed"
    assert "/usr/bin/demo" in file.read_text()


def test_an_entry_without_a_record_goes_and_the_rest_stays(home: Path) -> None:
    file = home / ".claude.json"
    installed("claude-code", "Demo")
    (home / ".paddock" / "installations.json").unlink()
    paddock.uninstall("claude-code", "Demo")
    assert json.loads(file.read_text()) == {"mcpServers": {}}


def test_deleting_a_server_takes_it_out_of_its_clients_first(home: Path) -> None:
    paddock.create_server("Mine", tools=["DemoDice"])
    for client in ("claude-code", "cursor"):
        paddock.install(client, "Mine", check=False)
    outcomes = paddock.delete_server("Mine")
    assert [one.client for one in outcomes] == ["claude-code", "cursor"]
    assert not (home / ".claude.json").exists()
    assert paddock.list_servers("Mine") == []


def test_a_server_that_cannot_be_taken_out_is_not_deleted(home: Path) -> None:
    paddock.create_server("Mine", tools=["DemoDice"])
    paddock.install("claude-code", "Mine", check=False)
    (home / ".claude.json").write_text("broken")
    with pytest.raises(PaddockError):
        paddock.delete_server("Mine")
    assert [server.name for server in paddock.list_servers("Mine")] == ["Mine"]
    assert paddock.delete_server("Mine", uninstall=False) == []
    assert paddock.list_servers("Mine") == []


def test_a_built_in_server_is_not_deleted_nor_taken_out(home: Path) -> None:
    installed("claude-code", "Demo")
    with pytest.raises(PaddockError) as caught:
        paddock.delete_server("Demo")
    assert caught.value.code == "built-in-server"
    assert len(read_installations()) == 1


@pytest.mark.parametrize(
    ("client", "name", "before"),
    [
        ("cursor", "mcp.json", '{\n  "a": 1,\n  "mcpServers": null\n}\n'),
        ("openclaw", "openclaw.json", '{"mcp": null, "a": 1}\n'),
        ("openclaw", "openclaw.json", '{"mcp": {"servers": null}, "a": 1}\n'),
        ("hermes", "config.yaml", "a: 1\nmcp_servers: ~ # none\n"),
        ("hermes", "config.yaml", "mcp_servers:\na: 1\n"),
        ("continue", "config.yaml", "name: x\nversion: 1.0.0\nschema: v1\nmcpServers:\na: 1\n"),
    ],
)
@pytest.mark.parametrize("is_changed", [False, True])
def test_nothing_instead_of_the_servers_is_put_back(
    home: Path, client: str, name: str, before: str, is_changed: bool
) -> None:
    file = home / name
    file.write_text(before)
    paddock.install(client, "Demo", file=file, check=False)
    if is_changed:
        one, two = ('"a": 1', '"a": 2') if name.endswith(".json") else ("a: 1", "a: 2")
        file.write_text(file.read_text().replace(one, two))
        before = before.replace(one, two)
    paddock.uninstall(client, file=file)
    assert file.read_text() == before
