"""Clients from the command line: listed, installed into, examined, and left as they were."""

import json
from pathlib import Path

import pytest

from tests.command_line.program import Program

FOREIGN = '{"mcpServers": {"Demo": {"command": "someone-else"}}}\n'


@pytest.fixture
def gemini(paddock: Program) -> Path:
    """The file of another one, with something in it."""
    file = paddock.home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n    // mine\n    "theme": "dark"\n}\n', encoding="utf-8")
    return file


def entries(file: Path) -> set[str]:
    return set(json.loads(file.read_text(encoding="utf-8"))["mcpServers"])


def test_clients_that_are_here_are_listed_with_what_is_in_them(
    paddock: Program, cursor: Path
) -> None:
    paddock("install", "cursor", "Demo")
    said = paddock("clients")
    assert [line.split() for line in said.out.splitlines()] == [
        ["CLIENT", "FOUND", "SCOPE", "FILE", "INSTALLED"],
        ["cursor", "yes", "user", str(cursor), "Demo"],
    ]
    assert said.err.endswith("more are supported: paddock clients --all\n")
    every = paddock("clients", "--all", "--json").json
    assert [one["id"] for one in every if one["is_detected"]] == ["cursor"]
    assert every[0]["id"] == "cursor"
    assert [one["key"] for one in every[0]["installations"]] == ["Demo"]
    assert len(every) > 22


INSTALL = ("install", "gemini-cli", "Demo")


def test_a_dry_run_prints_the_change_and_makes_none(paddock: Program, gemini: Path) -> None:
    before = gemini.read_bytes()
    said = paddock(*INSTALL, "--dry-run", "--env", "TOKEN=secret-text")
    assert said.code == 0
    assert said.out.startswith(f"--- {gemini}\n+++ {gemini}\n@@")
    assert '+  "mcpServers": {\n' in said.out
    assert "secret-text" not in said.out
    shown = paddock(*INSTALL, "--dry-run", "--show-values", "--env", "TOKEN=secret-text")
    assert '+                "TOKEN": "secret-text"\n' in shown.out
    assert "// mine" in shown.out
    assert "\x1b" not in said.out
    assert gemini.read_bytes() == before


def test_what_is_installed_can_be_taken_out_without_a_trace(paddock: Program, gemini: Path) -> None:
    before = gemini.read_bytes()
    made = paddock("install", "gemini-cli", "Demo")
    assert made.code == 0
    assert made.out.splitlines()[0] == "Installed Demo into Gemini CLI"
    assert "// mine" in gemini.read_text(encoding="utf-8")
    again = paddock("install", "gemini", "Demo")
    assert (again.code, again.out) == (0, "Demo is already in Gemini CLI\n")
    gone = paddock("uninstall", "gemini-cli", "Demo")
    assert (gone.code, gone.out.splitlines()[0]) == (0, "Removed Demo from Gemini CLI")
    assert gemini.read_bytes() == before
    nothing = paddock("uninstall", "gemini-cli", "Demo")
    assert (nothing.code, nothing.out) == (1, "")


def test_several_clients_at_once_and_the_json_of_it(
    paddock: Program, cursor: Path, gemini: Path
) -> None:
    said = paddock("install", "cursor", "gemini-cli", "Demo", "--no-check", "--json")
    assert [(one["client"], one["is_applied"]) for one in said.json] == [
        ("cursor", True),
        ("gemini-cli", True),
    ]
    assert entries(cursor) == {"Demo"}
    out = paddock("uninstall", "Demo", "--json").json
    assert sorted(one["client"] for one in out) == ["cursor", "gemini-cli"]
    assert not cursor.exists()


def test_one_of_several_that_fails_does_not_keep_the_others(
    paddock: Program, cursor: Path, gemini: Path
) -> None:
    gemini.write_text("{", encoding="utf-8")
    said = paddock("install", "--all", "Demo", "--no-check")
    assert said.code == 1
    assert said.out.splitlines()[0] == "Installed Demo into Cursor"
    assert f"Error: {gemini}" in said.err
    as_json = paddock("install", "--all", "Demo", "--no-check", "--json")
    assert as_json.code == 1
    failed = [one for one in as_json.json if "error" in one]
    assert [(one["client"], one["error"]["code"]) for one in failed] == [
        ("gemini-cli", "invalid-configuration")
    ]


def test_an_entry_of_someone_else_is_replaced_only_when_told(
    paddock: Program, cursor: Path
) -> None:
    cursor.write_text(FOREIGN, encoding="utf-8")
    for words in ([], ["--yes"]):
        refused = paddock("install", "cursor", "Demo", "--no-check", *words)
        assert (refused.code, refused.out) == (2, "")
        assert "--replace" in refused.err.splitlines()[-1]
        assert cursor.read_text(encoding="utf-8") == FOREIGN
    assert paddock("install", "cursor", "Demo", "--no-check", "--replace").code == 0
    assert "someone-else" not in cursor.read_text(encoding="utf-8")
    assert paddock("uninstall", "cursor").code == 0
    assert cursor.read_text(encoding="utf-8") == FOREIGN


def test_a_file_a_project_a_name_and_variables_are_where_they_were_asked_for(
    paddock: Program,
) -> None:
    project = paddock.work / "project"
    project.mkdir()
    said = paddock(
        *("install", "cursor", "Demo", "--project", "project", "--name", "mine", "--no-check"),
        *("--env", "A=1=2", "--option", "roll_dice.most_dice=3"),
    )
    assert (said.code, said.out.splitlines()[0]) == (0, "Installed Demo into Cursor as mine")
    found = json.loads((project / ".cursor" / "mcp.json").read_text(encoding="utf-8"))
    variables = found["mcpServers"]["mine"]["env"]
    assert variables["A"] == "1=2"
    assert json.loads(variables["PADDOCK_TOOL_OPTIONS"]) == {"roll_dice": {"most_dice": "3"}}
    rows = [line.split() for line in paddock("clients").out.splitlines()]
    assert [str(project), str(project / ".cursor" / "mcp.json"), "Demo"] in [
        row[-3:] for row in rows
    ]
    file = paddock.work / "own.json"
    assert paddock("install", "cursor", "Demo", "--file", "own.json", "--no-check").code == 0
    assert entries(file) == {"Demo"}


def test_an_address_is_written_instead_of_a_command(paddock: Program, cursor: Path) -> None:
    said = paddock(
        *("install", "cursor", "Demo", "--http", "http://127.0.0.1:9/mcp", "--no-check"),
        *("--header", "X-Token: abc"),
    )
    assert said.code == 0
    entry = json.loads(cursor.read_text(encoding="utf-8"))["mcpServers"]["Demo"]
    assert (entry["url"], entry["headers"]) == ("http://127.0.0.1:9/mcp", {"X-Token": "abc"})


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["curser", "Demo"], "Hint: did you mean cursor?"),
        (["cursor", "Dmo"], "Hint: did you mean Demo?"),
        (["Demo"], "Error: Name a client to install Demo into"),
        ([], "Error: Name a client"),
        (["Claude", "Code", "Demo"], "Error: 'Claude Code' is the name of one client"),
        (["xyz", "Demo"], "Hint: list the supported clients with `paddock clients --all`, or name"),
        (["cursor", "Demo", "--env", "A B"], "Error: --env: Expected NAME=VALUE"),
        (["cursor", "Demo", "--header", "A"], "Error: --header: Expected NAME:VALUE"),
        (["cursor", "--all"], "Error: --all cannot be combined with a client"),
        (["--all"], "Error: No client was found on this computer"),
    ],
)
def test_what_cannot_be_meant_is_explained(
    paddock: Program, words: list[str], complaint: str
) -> None:
    said = paddock("install", *words)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert len(said.err.splitlines()) <= 2


def test_a_server_with_the_name_of_a_client_is_given_apart(paddock: Program, cursor: Path) -> None:
    paddock("create", "zed", "--tool", "DemoDice")
    unclear = paddock("install", "cursor", "zed")
    assert (unclear.code, unclear.err) == (
        2,
        (
            "Error: 'zed' is the name of a client and of a server\n"
            "Hint: for the server, pass --server zed\n"
        ),
    )
    assert paddock("install", "cursor", "--server", "zed", "--no-check").code == 0
    assert entries(cursor) == {"zed"}


def test_uninstall_says_what_to_name(paddock: Program) -> None:
    assert paddock("uninstall").code == 2
    assert paddock("uninstall", "--all", "cursor").code == 2
    nothing = paddock("uninstall", "--all")
    assert (nothing.code, nothing.err) == (1, "Error: nothing is installed\n")


def test_everything_can_be_taken_out_at_once(paddock: Program, cursor: Path, gemini: Path) -> None:
    paddock("install", "--all", "Demo", "--no-check")
    assert paddock("uninstall", "--all").code == 0
    assert not cursor.exists()
    assert paddock("servers", "--json").json[0]["installations"] == []


def test_the_doctor_starts_what_is_installed(paddock: Program, cursor: Path) -> None:
    idle = paddock("doctor")
    assert (idle.code, idle.out) == (0, "")
    (paddock.work / "tools.py").write_text("def one() -> int:\n    return 1\n", encoding="utf-8")
    paddock("create", "Mine", "--tool", "tools.py:one")
    paddock("install", "cursor", "Mine")
    fine = paddock("doctor", "cursor", "--json")
    assert {one["level"] for one in fine.json} <= {"ok", "note"}
    (paddock.work / "tools.py").unlink()
    ill = paddock("doctor")
    assert ill.code == 1
    assert ill.out.startswith(f"cursor  {cursor}\n")
    assert "  error    Mine: " in ill.out
    assert paddock("doctor", "curser").code == 2


def test_a_server_that_is_deleted_is_taken_out_of_clients(paddock: Program, cursor: Path) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    paddock("install", "cursor", "Mine", "--no-check")
    said = paddock("delete", "Mine", "--yes")
    assert said.out.splitlines()[0] == "Removed Mine from Cursor"
    assert said.out.splitlines()[-1] == "Deleted Mine"
    assert not cursor.exists()


def test_entries_of_a_deleted_server_can_stay_and_go_later(paddock: Program, cursor: Path) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    paddock("install", "cursor", "Mine", "--no-check")
    said = paddock("delete", "Mine", "--yes", "--keep-installed")
    assert said.err.splitlines() == [
        "Warning: it is still in cursor",
        "Hint: paddock uninstall Mine",
    ]
    assert entries(cursor) == {"Mine"}
    assert paddock("uninstall", "Mine").code == 0
    assert not cursor.exists()


def test_a_client_without_a_file_gets_a_text_to_paste_and_a_link(paddock: Program) -> None:
    said = paddock("install", "cherry-studio", "Demo")
    assert said.code == 0
    text, link = said.out.rstrip("\n").rsplit("\n", 1)
    assert json.loads(text)["mcpServers"]["Demo"]["args"][-1] == "Demo"
    assert link.startswith("cherrystudio://mcp/install?")
    assert "Paste this into its settings" in said.err
    (data,) = paddock("install", "cherry-studio", "Demo", "--no-check", "--json").json
    assert (data["paste"], data["link"]) == (json.loads(text), link)
    dry = paddock("install", "cherry-studio", "Demo", "--dry-run")
    assert (dry.code, dry.out) == (0, said.out)
    gone = paddock("uninstall", "cherry-studio", "Demo")
    assert (gone.code, "use its settings" in gone.err) == (2, True)


def test_a_variable_without_a_value_is_written_as_a_reference(
    paddock: Program, cursor: Path
) -> None:
    said = paddock("install", "cursor", "Demo", "--env", "TOKEN", "--env", "CITY=Rome")
    assert said.code == 0
    env = json.loads(cursor.read_text(encoding="utf-8"))["mcpServers"]["Demo"]["env"]
    assert (env["TOKEN"], env["CITY"]) == ("${env:TOKEN}", "Rome")
    assert "TOKEN is not set here" in said.err
    wrong = paddock("install", "cursor", "Demo", "--env", "a secret")
    assert (wrong.code, "a secret" in wrong.err) == (2, False)
