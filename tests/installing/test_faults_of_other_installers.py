"""What other installers were seen to do to people's files and servers, and ours does not.

Each test is named for a fault of one of them: fastmcp, mcp, add-mcp, install-mcp, mcpm, Wolfram's
InstallMCPServer, or one that their users have reported.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.installer.apps import find_client, supported_clients
from paddock.installer.config_files.document import ConfigurationError
from paddock.installer.entry_change import ForeignEntryError
from paddock.installer.entry_checks import CheckFailedError
from paddock.installer.file_writer import WriteError, list_backups
from paddock.installer.locations import HostMachine, locate_config_files

OTHER = '"other": {"command": "npx", "args": ["-y", "other"], "env": {"TOKEN": "${TOKEN}"}}'

ZED = """\
// My settings.
{
  "theme": "One Dark", // not too bright
  /* "vim_mode": true, */
  "buffer_font_size": 15,
}
"""

CODEX = """\
# Which model.
model = "o4"   # the newest

[mcp_servers.other]  # mine
startup_timeout_sec = 40
command = 'npx'

# About the projects.
[projects."/home/me"]
trust_level = "trusted"
"""

GOOSE = """\
# Who answers.
GOOSE_PROVIDER: openai   # not the other one

extensions:
  # My own.
  other:
    cmd: npx
    enabled: true
    args: [-y, other]   # quickly
"""


def install(client: str, **wishes: Any) -> paddock.Plan:
    return paddock.install(client, wishes.pop("server", "Demo"), check=False, **wishes)


def entry(file: Path, *keys: str) -> Any:
    data = json.loads(file.read_bytes())
    for key in keys or ("mcpServers", "Demo"):
        data = data[key]
    return data


def without_our_lines(after: str, before: str) -> str:
    """What is left of a file when the lines that were not in it before are taken away."""
    old = before.splitlines()
    return "\n".join(line for line in after.splitlines() if line in old)


def test_fastmcp_writes_a_bare_command(home: Path) -> None:
    install("claude-desktop")
    command = entry(home / ".config/Claude/claude_desktop_config.json")["command"]
    assert Path(command).is_absolute()
    assert os.access(command, os.X_OK)


@pytest.mark.parametrize("client", [one.id for one in supported_clients().values() if one.has_file])
def test_fastmcp_writes_null_fields(home: Path, client: str) -> None:
    file = home / f"file.{find_client(client).format}"
    install(client, file=file)
    assert not re.search(r"\bnull\b|: *~? *$(?!\n[ -])", file.read_text())


def test_fastmcp_adds_fields_to_other_entries_and_reorders_keys(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    before = f'{{"zebra": 1, "mcpServers": {{{OTHER}}}, "apple": 2}}'
    file.write_text(before)
    install("cursor")
    text = file.read_text()
    assert OTHER in text
    assert list(json.loads(text)) == ["zebra", "mcpServers", "apple"]


def test_fastmcp_takes_a_name_with_a_blank(home: Path) -> None:
    paddock.create_server("My weather", tools=["DemoDice"])
    assert install("claude-code", server="My weather").key == "My-weather"


@pytest.mark.parametrize("client", ["claude-code", "codex", "goose"])
def test_fastmcp_and_add_mcp_keep_no_backup(home: Path, client: str) -> None:
    (file,) = locate_config_files(find_client(client))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    plan = install(client)
    assert plan.changes[0].backup is not None
    assert [place.read_bytes() for place in list_backups(file)] == [b""]


def test_mcp_install_wants_the_directory_to_exist(home: Path) -> None:
    install("claude-desktop")
    assert (home / ".config" / "Claude" / "claude_desktop_config.json").is_file()


def test_mcp_install_misses_the_file_of_the_packaged_application_on_windows(home: Path) -> None:
    local = home / "Local"
    packaged = local / "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude"
    packaged.mkdir(parents=True)
    (home / "Roaming" / "Claude").mkdir(parents=True)
    environment = {"APPDATA": str(home / "Roaming"), "LOCALAPPDATA": str(local)}
    machine = HostMachine("windows", environment, str(home))
    files = locate_config_files(find_client("claude-desktop"), machine=machine)
    assert {file.parent for file in files} == {packaged, home / "Roaming" / "Claude"}


@pytest.mark.parametrize("client", [one.id for one in supported_clients().values() if one.has_file])
def test_add_mcp_leaves_program_and_arguments_in_one_text(home: Path, client: str) -> None:
    row = find_client(client)
    file = home / f"file.{row.format}"
    install(client, file=file)
    text = file.read_text()
    assert f"{sys.executable} -" not in text
    assert "paddock serve" not in text


def test_add_mcp_and_install_mcp_split_arguments_at_blanks(home: Path) -> None:
    file = home / 'my server\'s "files"' / "tools.py"
    file.parent.mkdir()
    file.write_text("from paddock import Server\nserver = Server('mine')\n")
    paddock.install("claude-code", file)  # and it starts
    assert entry(home / ".claude.json", "mcpServers", "tools")["args"][-1] == str(file)


def test_add_mcp_and_install_mcp_lose_comments_in_toml(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(CODEX)
    install("codex")
    assert without_our_lines(file.read_text(), CODEX).split() == CODEX.split()
    data = tomllib.loads(file.read_text())
    assert data["mcp_servers"]["other"] == {"startup_timeout_sec": 40, "command": "npx"}
    assert data["mcp_servers"]["Demo"]["command"] == sys.executable


def test_add_mcp_and_install_mcp_lose_comments_in_yaml(home: Path) -> None:
    file = home / ".config" / "goose" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(GOOSE)
    install("goose")
    assert file.read_text().startswith(GOOSE)


@pytest.mark.parametrize(
    ("client", "broken"),
    [
        ("cursor", "{ bad json"),
        ("gemini-cli", '{"theme": "x",,}'),
        ("zed", '{"a": 1} // and\n more'),
        ("codex", "model = \n[x"),
        ("goose", "a: [1\nb: {"),
    ],
)
def test_add_mcp_and_install_mcp_overwrite_what_they_cannot_read(
    home: Path, client: str, broken: str
) -> None:
    (file,) = locate_config_files(find_client(client))
    file.parent.mkdir(parents=True)
    file.write_text(broken)
    with pytest.raises(ConfigurationError) as caught:
        install(client)
    assert re.search(r":\d+:\d+$", caught.value.where or "")
    assert file.read_text() == broken


def test_install_mcp_replaces_commented_settings_of_zed_by_its_entry(home: Path) -> None:
    file = home / ".config" / "zed" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(ZED)
    install("zed")
    text = file.read_text()
    assert [line for line in ZED.splitlines() if line not in text] == []
    assert '"context_servers"' in text
    paddock.uninstall("zed")
    assert file.read_text() == ZED


def test_install_mcp_writes_the_old_settings_file_of_vs_code(home: Path) -> None:
    plan = install("vscode")
    assert [change.file.name for change in plan.changes] == ["mcp.json"]
    assert list(entry(plan.changes[0].file, "servers")) == ["Demo"]


def test_install_mcp_writes_cmd_and_command_for_goose(home: Path) -> None:
    install("goose")
    text = (home / ".config" / "goose" / "config.yaml").read_text()
    assert "cmd:" in text
    assert "command:" not in text


def test_mcpm_prints_warnings_when_a_server_starts(home: Path) -> None:
    install("claude-code")
    written = entry(home / ".claude.json")
    ran = subprocess.run(
        [written["command"], *written["args"]],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), **written.get("env", {})},
        input=b"",
        capture_output=True,
        cwd="/",
        check=True,
    )
    assert (ran.stdout, ran.stderr) == (b"", b"")


def test_wolfram_replaces_a_value_that_is_not_an_object(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"mcpServers": []}')
    with pytest.raises(ConfigurationError):
        install("claude-code")
    assert file.read_text() == '{"mcpServers": []}'


def test_wolfram_takes_comments_for_errors_where_the_client_allows_them(home: Path) -> None:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "theme": "x"\n}\n')
    install("gemini-cli")
    assert "// mine" in file.read_text()


def test_wolfram_leaves_empty_containers_behind(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"a": 1}')
    install("claude-code")
    paddock.uninstall("claude-code")
    assert file.read_text() == '{"a": 1}'


def test_a_comment_in_a_file_that_allows_none_is_lost(home: Path) -> None:
    file = home / ".claude.json"
    before = '{\n  // mine\n  "a": 1\n}'
    file.write_text(before)
    with pytest.raises(ConfigurationError):  # the client could not read it either
        install("claude-code")
    assert file.read_text() == before


def test_a_graphical_application_does_not_find_the_command(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("claude-code")
    written = entry(home / ".claude.json")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir("/")
    with paddock.connect([written["command"], *written["args"]], env=written["env"]) as peer:
        assert peer.tools()


def test_windows_takes_a_blank_for_the_end_of_the_command(home: Path) -> None:
    install("claude-code")
    written = entry(home / ".claude.json")
    assert not written["command"].endswith((".cmd", ".bat"))
    assert Path(written["command"]).name.startswith("python")
    assert [part for part in written["args"] if " " in part or part in ("/c", "-c")] == []


def test_a_file_is_half_written_when_the_disk_is_full(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(json.dumps({"history": "x" * 2000}))
    before = file.read_bytes()
    program = (
        "import resource, paddock\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2100, 2100))\n"
        "paddock.install('claude-code', 'Demo', check=False)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ran.returncode != 0
    assert WriteError.__name__.encode() in ran.stderr
    assert file.read_bytes() == before


def test_what_a_running_application_writes_in_the_meantime_is_lost(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text("{}")
    plan = install("claude-code", dry_run=True)
    file.write_text('{"written by": "the application"}')
    assert plan.changes[0].before == b"{}"
    install("claude-code")
    assert json.loads(file.read_text())["written by"] == "the application"


def test_the_whole_environment_with_its_secrets_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-123")
    install("claude-code", env={"WANTED": "yes"})
    written = entry(home / ".claude.json")["env"]
    assert written.keys() <= {"PADDOCK_DATA_DIR", "PYTHONPATH", "WANTED"}
    assert "sk-123" not in (home / ".claude.json").read_text()


def test_references_to_variables_of_other_servers_are_expanded(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "sk-123")
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(f'{{"mcpServers": {{{OTHER}}}}}')
    install("gemini-cli")
    assert OTHER in file.read_text()


def test_other_settings_are_dropped(home: Path) -> None:
    file = home / ".config" / "Claude" / "claude_desktop_config.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"globalShortcut": "Ctrl+Space", "unknown": {"deep": [1, 2.50]}}')
    install("claude-desktop")
    assert '"globalShortcut": "Ctrl+Space", "unknown": {"deep": [1, 2.50]}' in file.read_text()


@pytest.mark.parametrize("empty", ["", "\n", "  \n\n"])
def test_an_empty_file_is_an_error(home: Path, empty: str) -> None:
    file = home / ".claude.json"
    file.write_text(empty)
    install("claude-code")
    assert entry(file)["command"] == sys.executable
    paddock.uninstall("claude-code")
    assert file.read_text() == empty


def test_a_server_is_installed_that_never_connects(home: Path) -> None:
    file = home / "mine.py"
    file.write_text("import a_module_that_is_not_there\n")
    with pytest.raises(CheckFailedError, match="a_module_that_is_not_there"):
        paddock.install("claude-code", file)
    assert not (home / ".claude.json").exists()


def test_a_server_of_the_same_name_is_overwritten(home: Path) -> None:
    file = home / ".claude.json"
    before = f'{{"mcpServers": {{{OTHER}}}}}'
    file.write_text(before)
    with pytest.raises(ForeignEntryError):
        install("claude-code", name="other")
    assert file.read_text() == before


def test_variables_are_dropped_when_an_entry_is_rewritten(home: Path) -> None:
    install("claude-code", env={"KEY": "value"})
    install("claude-code")
    assert entry(home / ".claude.json")["env"]["KEY"] == "value"
