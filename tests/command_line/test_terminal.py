"""What happens only on a terminal: tables, colours, progress and questions."""

from pathlib import Path

from tests.command_line.program import Program

FOREIGN = '{"mcpServers": {"Demo": {"command": "someone-else"}}}\n'
BOLD_OR_COLOUR = "\x1b[3"


def test_a_list_is_a_table(paddock: Program) -> None:
    with paddock.terminal("servers") as terminal:
        assert terminal.end() == 0
    assert "━" in terminal.text or "─" in terminal.text
    assert "Demo" in terminal.text


def test_json_is_the_same_on_a_terminal(paddock: Program) -> None:
    with paddock.terminal("servers", "--json") as terminal:
        assert terminal.end() == 0
    assert terminal.raw.replace("\r\n", "\n") == paddock("servers", "--json").out


def test_a_diff_is_coloured_unless_colours_are_not_wanted(paddock: Program, cursor: Path) -> None:
    words = ("install", "cursor", "Demo", "--dry-run")
    with paddock.terminal(*words) as terminal:
        assert terminal.end() == 0
    assert '\x1b[32m+    "Demo": {' in terminal.raw
    with paddock.terminal(*words, environment={"NO_COLOR": "1"}) as plain:
        assert plain.end() == 0
    assert BOLD_OR_COLOUR not in plain.raw
    assert '+    "Demo": {' in plain.raw


def test_an_entry_of_someone_else_is_shown_and_asked_about(paddock: Program, cursor: Path) -> None:
    cursor.write_text(FOREIGN, encoding="utf-8")
    with paddock.terminal("install", "cursor", "Demo", "--no-check") as terminal:
        terminal.wait_for("Replace it? [y/N]: ")
        assert "someone-else" in terminal.text
        terminal.type("n")
        assert terminal.end() == 2
    assert cursor.read_text(encoding="utf-8") == FOREIGN
    with paddock.terminal("install", "cursor", "Demo", "--no-check") as terminal:
        terminal.wait_for("Replace it? [y/N]: ")
        terminal.type("y")
        assert terminal.end() == 0
    assert "someone-else" not in cursor.read_text(encoding="utf-8")


def test_installing_everywhere_is_asked_first(paddock: Program, cursor: Path) -> None:
    with paddock.terminal("install", "--all", "Demo", "--no-check") as terminal:
        terminal.wait_for("Install into all of them? [y/N]: ")
        assert "Detected clients: cursor" in terminal.text
        terminal.type("n")
        assert terminal.end() == 1
    assert not cursor.exists()
    with paddock.terminal("install", "--all", "Demo", "--no-check", "--yes") as terminal:
        assert terminal.end() == 0
    assert cursor.exists()


def test_taking_out_several_is_asked_first(paddock: Program, cursor: Path) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    paddock("install", "cursor", "Demo", "--no-check")
    paddock("install", "cursor", "Mine", "--no-check")
    with paddock.terminal("uninstall", "cursor") as terminal:
        terminal.wait_for("Remove them? [y/N]: ")
        assert "2 entries will be removed:" in terminal.text
        terminal.type("")
        assert terminal.end() == 1
    assert cursor.exists()
    with paddock.terminal("uninstall", "cursor", "Mine") as terminal:
        assert terminal.end() == 0
    assert "Mine" not in cursor.read_text(encoding="utf-8")


def test_deleting_asks_about_the_server_and_its_entries(paddock: Program, cursor: Path) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    paddock("install", "cursor", "Mine", "--no-check")
    with paddock.terminal("delete", "Mine") as terminal:
        terminal.wait_for("Delete the server Mine")
        terminal.type("n")
        assert terminal.end() == 1
    with paddock.terminal("delete", "Mine") as terminal:
        terminal.wait_for("Delete the server Mine")
        terminal.type("y")
        terminal.wait_for("Remove it there? [y/N]: ")
        assert f"cursor: {cursor}" in terminal.text
        terminal.type("y")
        assert terminal.end() == 0
    assert not cursor.exists()


def test_what_an_editor_gets_wrong_can_be_edited_again(paddock: Program) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    editor = paddock.work / "editor.sh"
    editor.write_text(
        '#!/bin/sh\nif grep -q toolz "$1"; then sed -i s/toolz/tools/ "$1"; '
        'sed -i s/1.0.0/2.0.0/ "$1"; else sed -i s/^tools/toolz/ "$1"; fi\n',
        encoding="utf-8",
    )
    editor.chmod(0o700)
    with paddock.terminal("edit", "Mine", environment={"EDITOR": str(editor)}) as terminal:
        terminal.wait_for("Edit it again? [y/N]: ")
        assert "unknown property 'toolz'" in terminal.text
        terminal.type("y")
        assert terminal.end() == 0
    assert paddock("show", "Mine", "--property", "version").out == "2.0.0\n"


def test_the_doctor_shows_which_entry_it_is_at(paddock: Program, cursor: Path) -> None:
    paddock("install", "cursor", "Demo", "--no-check")
    with paddock.terminal("doctor") as terminal:
        terminal.wait_for("Starting Demo in Cursor")
        assert terminal.end() == 0
    assert "\x1b[32m" in terminal.raw
