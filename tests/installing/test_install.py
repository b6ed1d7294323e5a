"""Putting servers into clients' files."""

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock import PaddockError
from paddock.installer.apps import supported_clients
from paddock.installer.config_files import json_reader
from paddock.installer.config_files.document import JsonDialect
from paddock.installer.entry_builder import EntryError
from paddock.installer.entry_change import ForeignEntryError
from paddock.installer.entry_format import UnsupportedTransportError
from paddock.installer.file_writer import list_backups
from paddock.named_servers.installations import read_installations

STARTS_DEMO = ["-P", "-m", "paddock", "serve", "--named", "Demo"]
OTHER = {"command": "/usr/bin/other", "args": ["--port", "1"], "env": {"TOKEN": "tok-123"}}


def entry(file: Path, key: str = "Demo") -> Any:
    return json.loads(file.read_bytes())["mcpServers"][key]


def test_a_client_gets_an_entry_that_starts_the_server(home: Path) -> None:
    plan = paddock.install("Claude Code", "Demo", check=False)
    written = entry(home / ".claude.json")
    assert (written["command"], written["args"]) == (sys.executable, STARTS_DEMO)
    assert written["env"]["PADDOCK_DATA_DIR"] == str(home / ".paddock")
    assert plan.is_applied
    (record,) = plan.installations
    assert (record.server, record.client, record.key, record.scope, record.entry_kind) == (
        *("Demo", "claude-code", "Demo", "user", "stdio"),
    )
    assert read_installations() == [record]


def test_a_client_gets_the_server_that_suits_it_when_none_is_named(home: Path) -> None:
    assert paddock.install("cursor", check=False).server == "WolframLanguage"
    assert (home / ".cursor" / "mcp.json").is_file()
    assert paddock.install("lm-studio", check=False).server == "Wolfram"


def test_clients_for_coding_get_the_python_tools_where_no_engine_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("woxi", "mathics"):
        monkeypatch.setitem(sys.modules, package, None)  # which is as if it was not installed
    assert paddock.install("cursor", check=False).server == "PythonDevelopment"
    assert paddock.install("lm-studio", check=False).server == "Wolfram"


def test_the_server_is_started_as_the_client_would_before_anything_is_written(home: Path) -> None:
    plan = paddock.install("codex", "Demo")
    data = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert data["mcp_servers"]["Demo"]["args"] == STARTS_DEMO
    assert plan.is_applied


def test_a_dry_run_changes_nothing_and_shows_what_would_be(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"mcpServers": {}}\n')
    plan = paddock.install("claude-code", "Demo", env={"KEY": "hunter22"}, dry_run=True)
    assert file.read_text() == '{"mcpServers": {}}\n'
    assert read_installations() == []
    assert not plan.is_applied
    assert "+" in plan.diff()
    assert "hunter22" not in plan.diff()
    assert "hunter22" in plan.diff(show_values=True)
    assert "hunter22" not in repr(plan)


def test_secrets_of_other_servers_are_not_shown(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(json.dumps({"mcpServers": {"other": OTHER}}, indent=2))
    diff = paddock.install("claude-code", "Demo", dry_run=True).diff()
    assert "tok-123" not in diff
    assert '"other"' not in diff


def test_a_project_gets_a_file_of_its_own(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    plan = paddock.install("claude-code", "Demo", project=project, check=False)
    assert entry(project / ".mcp.json")["args"] == STARTS_DEMO
    assert plan.scope == str(project)
    assert plan.installations[0].scope == str(project)
    assert not (home / ".claude.json").exists()


def test_a_file_says_on_its_own_whose_it_is(home: Path) -> None:
    file = home / "somewhere" / ".vscode" / "mcp.json"
    plan = paddock.install(None, "Demo", file=file, check=False)
    assert (plan.client.id, plan.scope) == ("vscode", "file")
    assert list(json.loads(file.read_bytes())) == ["servers"]


def test_a_file_of_no_one_needs_a_client(home: Path) -> None:
    file = home / "settings.json"
    with pytest.raises(PaddockError) as caught:
        paddock.install(None, "Demo", file=file, check=False)
    assert caught.value.code == "unsupported-client"
    paddock.install("gemini", "Demo", file=file, check=False)
    assert entry(file)["args"] == STARTS_DEMO


@pytest.mark.parametrize("text", ["", "{}", '{"mcpServers": {}}', '{"mcpServers": {}, "a": 1}'])
def test_a_file_of_no_known_client_gets_the_form_that_most_clients_read(
    home: Path, text: str
) -> None:
    file = home / "mine.json"
    file.write_text(text)
    plan = paddock.install(None, "Demo", file=file, check=False)
    assert plan.client.id == "standard"
    assert plan.notes == plan.client.steps != ()
    assert entry(file).keys() == {"command", "args", "env"}
    assert [one.level for one in paddock.doctor() if one.key] == ["ok"]
    paddock.uninstall(file=file)
    assert file.read_text() == text


def test_a_file_with_something_else_needs_a_client(home: Path) -> None:
    file = home / "mine.json"
    file.write_text('{"a": 1}')
    with pytest.raises(PaddockError) as caught:
        paddock.install(None, "Demo", file=file, check=False)
    assert caught.value.code == "unsupported-client"


def test_a_relative_directory_in_a_variable_is_meant_from_here(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("CODEX_HOME", "mine")
    plan = paddock.install("codex", "Demo", check=False)
    assert plan.installations[0].file == str(home / "mine" / "config.toml")


@pytest.mark.parametrize("is_project", [True, False])
def test_an_entry_in_another_file_that_is_read_too_is_not_hidden(
    home: Path, is_project: bool
) -> None:
    project = home / "project"
    folder = project if is_project else home / ".config" / "opencode"
    project.mkdir()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.jsonc").write_text("{}")
    (folder / "opencode.json").write_text(
        '{"mcp": {"Demo": {"type": "local", "command": ["mine"]}}}'
    )
    wishes: dict[str, Any] = {"project": project if is_project else None, "check": False}
    with pytest.raises(ForeignEntryError):
        paddock.install("opencode", "Demo", **wishes)
    assert paddock.install("opencode", "Demo", **wishes, name="Other").is_applied
    assert paddock.install("opencode", "Demo", **wishes, replace=True).is_applied


def test_a_file_for_a_project_of_continue_is_known_by_its_place(home: Path) -> None:
    file = home / "project" / ".continue" / "mcpServers" / "paddock.yaml"
    paddock.install(None, "Demo", file=file, check=False)
    assert file.read_text().startswith("name: Paddock\n")


def test_the_entry_of_warp_has_the_working_directory_of_the_server(home: Path) -> None:
    paddock.install("warp", "Demo", check=False)
    assert entry(home / ".warp" / ".mcp.json")["working_directory"] == str(home)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"client": None}, "unclear-destination"),
        ({"client": "claude-code", "project": ".", "file": "f"}, "unclear-destination"),
        ({"client": "clod-code"}, "unsupported-client"),
        ({"client": "claude-code", "project": "/nowhere"}, "unknown-install-location"),
        ({"client": "claude-desktop", "project": "."}, "unsupported-project"),
        ({"client": "claude-code", "server": "Dmeo"}, "server-not-found"),
        ({"client": "claude-code", "server": "./nowhere.py"}, "load"),
        ({"client": "claude-code", "server": "./nowhere.toml"}, "load"),
        ({"client": "claude-code", "name": "two words"}, "invalid-entry"),
        ({"client": "claude-code", "env": {"A=B": "x"}}, "invalid-entry"),
        ({"client": "claude-code", "env": {"A": 1}}, "invalid-entry"),
        ({"client": "claude-code", "http": "localhost:80"}, "invalid-entry"),
        ({"client": "claude-code", "http": "http://[::1"}, "invalid-entry"),
        ({"client": "claude-code", "http": "http://x:99999/mcp"}, "invalid-entry"),
        ({"client": "claude-code", "http": "http://x/two words"}, "invalid-entry"),
        ({"client": "claude-code", "http": "http://x/mcp\n"}, "invalid-entry"),
        (
            {"client": "claude-code", "http": "http://x/mcp", "headers": {"A": "b\r\nC: d"}},
            "invalid-entry",
        ),
        ({"client": "claude-code", "headers": {"A": "b"}}, "invalid-entry"),
        ({"client": "claude-code", "http": "http://x/mcp", "env": {"A": "b"}}, "invalid-entry"),
        ({"client": "claude-desktop", "http": "http://x/mcp"}, "unsupported-transport"),
        ({"client": "claude-code", "options": {"Nothing": {"a": 1}}}, "tool-option"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    home: Path, arguments: dict[str, Any], code: str
) -> None:
    before = sorted(home.rglob("*"))
    with pytest.raises(PaddockError) as caught:
        paddock.install(**arguments, check=False)
    assert caught.value.code == code
    assert sorted(home.rglob("*")) == before


def test_an_entry_that_is_not_ours_is_replaced_only_when_asked_and_comes_back(home: Path) -> None:
    file = home / ".claude.json"
    before = json.dumps({"mcpServers": {"Demo": OTHER}}, indent=1)
    file.write_text(before)
    with pytest.raises(ForeignEntryError):
        paddock.install("claude-code", "Demo", check=False)
    assert file.read_text() == before
    paddock.install("claude-code", "Demo", check=False, replace=True)
    assert entry(file)["args"] == STARTS_DEMO
    paddock.uninstall("claude-code", "Demo")
    assert file.read_text() == before


def test_our_own_entry_is_updated_and_what_the_user_added_stays(home: Path) -> None:
    paddock.install("kiro", "Demo", env={"OLD": "1", "SAME": "1"}, check=False)
    file = home / ".kiro" / "settings" / "mcp.json"
    data = json.loads(file.read_bytes())
    data["mcpServers"]["Demo"] |= {"autoApprove": ["DemoDice"], "disabled": True, "note": "mine"}
    data["mcpServers"]["Demo"]["command"] = "/old/python"
    file.write_text(json.dumps(data))
    paddock.install("kiro", "Demo", env={"SAME": "2"}, check=False)
    written = entry(file)
    assert written["command"] == sys.executable
    assert (written["autoApprove"], written["disabled"], written["note"]) == (
        *(["DemoDice"], True, "mine"),
    )
    assert (written["env"]["OLD"], written["env"]["SAME"]) == ("1", "2")


def test_installing_twice_is_installing_once(home: Path) -> None:
    file = home / ".claude.json"
    paddock.install("claude-code", "Demo", check=False)
    first = file.read_bytes()
    plan = paddock.install("claude-code", "Demo", check=False)
    assert (file.read_bytes(), plan.diff()) == (first, "")
    assert len(read_installations()) == 1
    assert list_backups(file) == []
    paddock.uninstall("claude-code")
    assert not file.exists()


def test_an_entry_that_a_person_pasted_is_taken_over(home: Path) -> None:
    file = home / ".claude.json"
    server = paddock.get_server("Demo")
    file.write_text(server.json_configuration)
    paddock.install("claude-code", "Demo", env={"A": "b"}, check=False)
    assert entry(file)["env"]["A"] == "b"
    paddock.uninstall("claude-code", "Demo")
    assert json.loads(file.read_bytes()) == {"mcpServers": {}}


def test_a_file_or_directory_is_written_with_its_absolute_path(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "weather").mkdir()
    (home / "weather" / "server.py").write_text(
        "from paddock import Server\nserver = Server('mine')\n"
    )
    monkeypatch.chdir(home / "weather")
    plan = paddock.install("claude-code", "server.py", check=False)
    path = str(home / "weather" / "server.py")
    assert (plan.key, plan.server) == ("weather", path)
    assert entry(home / ".claude.json", "weather")["args"] == ["-P", "-m", "paddock", "serve", path]


def test_a_definition_file_is_written_with_its_absolute_path(home: Path) -> None:
    file = home / "thing.toml"
    file.write_text('name = "Thing"\ntools = ["DemoDice"]\n')
    plan = paddock.install("claude-code", file)
    assert (plan.key, plan.server) == ("Thing", str(file))
    assert entry(home / ".claude.json", "Thing")["args"][-1] == str(file)


def test_options_of_tools_go_into_the_environment_as_compact_json(home: Path) -> None:
    options = {"count_slowly": {"seconds_per_step": 2}}
    paddock.install("claude-code", "Demo", options=options, check=False)
    written = entry(home / ".claude.json")["env"]["PADDOCK_TOOL_OPTIONS"]
    assert written == '{"count_slowly":{"seconds_per_step":2}}'


def test_a_url_is_written_with_its_headers(home: Path) -> None:
    headers = {"Authorization": "Bearer x"}
    plan = paddock.install(
        "claude-code", "Demo", http="http://127.0.0.1:1/mcp", headers=headers, check=False
    )
    assert entry(home / ".claude.json") == {
        "type": "http",
        "url": "http://127.0.0.1:1/mcp",
        "headers": headers,
    }
    assert plan.installations[0].entry_kind == "http"
    again = paddock.install("claude-code", "Demo", http="http://127.0.0.1:1/mcp", check=False)
    assert again.diff() == ""


@pytest.mark.parametrize(
    ("client", "scheme"),
    [
        ("cherry-studio", "cherrystudio://"),
        ("deepchat", "deepchat://"),
        ("5ire", None),
        ("msty", None),
        ("recursechat", None),
    ],
)
def test_a_client_without_a_file_comes_with_instructions_to_paste_and_click(
    home: Path, client: str, scheme: str | None
) -> None:
    plan = paddock.install(client, "Demo", check=False)
    assert plan.paste is not None
    assert json.loads(plan.paste)["mcpServers"]["Demo"]["args"] == STARTS_DEMO
    assert (plan.link or "").partition("//")[0] == (scheme or "").partition("//")[0]
    assert (plan.changes, plan.is_applied, read_installations()) == ((), False, [])


def test_a_client_that_runs_elsewhere_takes_a_url_only(home: Path) -> None:
    with pytest.raises(UnsupportedTransportError, match="--http URL"):
        paddock.install("dify", "Demo", check=False)
    plan = paddock.install("dify", "Demo", http="http://10.0.0.1:8642/mcp", check=False)
    assert plan.paste is not None
    assert json.loads(plan.paste) == {"mcpServers": {"Demo": {"url": "http://10.0.0.1:8642/mcp"}}}


def test_the_user_sees_the_remaining_steps_and_nothing_else(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    rows = supported_clients()
    codex, gemini = rows["codex"], rows["gemini-cli"]
    assert paddock.install("codex", "Demo", check=False).notes == ()
    in_project = paddock.install("codex", "Demo", project=project, check=False)
    assert in_project.notes == codex.project_steps != ()
    assert paddock.install("gemini-cli", "Demo", check=False).notes == gemini.steps != ()


def test_all_clients_that_are_here_get_the_server_and_one_that_fails_stops_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name in (".cursor", ".gemini", ".codex"):
        (home / name).mkdir()
    (home / ".gemini" / "settings.json").write_text("{ broken")
    outcomes = {one.client: one for one in paddock.install_all("Demo", check=False)}
    errors = {client: one.error.code for client, one in outcomes.items() if one.error}
    assert errors == {"gemini-cli": "invalid-configuration"}
    assert entry(home / ".cursor" / "mcp.json")["args"] == STARTS_DEMO
    assert (home / ".codex" / "config.toml").is_file()
    assert (home / ".gemini" / "settings.json").read_text() == "{ broken"


def test_a_link_is_followed_and_a_mode_kept(home: Path) -> None:
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    (home / ".claude.json").symlink_to(real)
    paddock.install("claude-code", "Demo", check=False)
    assert (home / ".claude.json").is_symlink()
    assert entry(real)["args"] == STARTS_DEMO
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_new_file_is_readable_by_its_owner_only(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    assert (home / ".claude.json").stat().st_mode & 0o777 == 0o600


def test_damaged_records_are_set_aside(home: Path) -> None:
    paddock.install("claude-code", "Demo", check=False)
    records = home / ".paddock" / "installations.json"
    records.write_text("{ broken")
    paddock.install("cursor", "Demo", check=False)
    assert [one.client for one in read_installations()] == ["cursor"]
    (aside,) = records.parent.glob("installations.broken-*")
    assert aside.read_text() == "{ broken"
    assert any(str(aside) == finding.file for finding in paddock.doctor())
    paddock.uninstall("claude-code", "Demo")
    assert json.loads((home / ".claude.json").read_bytes()) == {"mcpServers": {}}


def test_servers_that_share_a_key_take_turns(home: Path) -> None:
    for name in ("One", "Two"):
        paddock.create_server(name, tools=["DemoDice"], key="Shared")
    file = home / ".claude.json"
    file.write_text('{"a": 1}')
    paddock.install("claude-code", "One", check=False)
    paddock.install("claude-code", "Two", check=False)
    assert entry(file, "Shared")["args"][-1] == "Two"
    assert [one.server for one in read_installations()] == ["Two"]
    paddock.uninstall("claude-code", "One")
    assert file.read_text() == '{"a": 1}'
    assert read_installations() == []


def test_a_client_that_reads_anothers_file_shares_the_entry(home: Path) -> None:
    project = home / "project"
    project.mkdir()
    for client in ("claude-code", "copilot-cli"):
        paddock.install(client, "Demo", project=project, check=False)
    assert {one.client for one in read_installations()} == {"claude-code", "copilot-cli"}
    paddock.uninstall("claude-code", "Demo", project=project)
    assert read_installations() == []
    assert not (project / ".mcp.json").exists()


def test_wrong_values_are_named_in_the_error() -> None:
    with pytest.raises(EntryError, match="PORT is of type int, expected a string"):
        paddock.install("claude-code", "Demo", env={"PORT": 1}, check=False)  # type: ignore[dict-item]  # the mistake


def test_the_variable_by_which_paddock_is_imported_goes_along(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = str(Path(paddock.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/elsewhere", source]))
    paddock.install("claude-code", "Demo", check=False)
    assert entry(home / ".claude.json")["env"]["PYTHONPATH"] == source


def test_a_file_is_parsed_before_and_after_the_change_and_no_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {"x": {"command": "/x", "args": []}}}')
    texts: list[str] = []
    decode = json_reader.decode_json

    def counting_decode(text: str, dialect: JsonDialect) -> object:
        texts.append(text)
        return decode(text, dialect)

    monkeypatch.setattr(json_reader, "decode_json", counting_decode)
    paddock.install("claude-code", "Demo", check=False)
    # Previews of the entry alone are parsed too; they do not contain the other server.
    assert len([text for text in texts if '"/x"' in text]) <= 3
