"""Agents from the command line: made, changed, injected, backed up."""

import json
import stat
from pathlib import Path

import pytest

from tests.command_line.program import Program


@pytest.fixture
def sage(paddock: Program) -> Program:
    """The program with one agent."""
    made = paddock("zoo", "new", "Sage", "--description", "Explains", "--soul", "You explain.")
    assert (made.code, made.out) == (0, "Created sage: Sage\n")
    return paddock


def editor(paddock: Program, script: str) -> dict[str, str]:
    """An editor that changes a file as a script of sed says."""
    program = paddock.home / "editor"
    program.write_text(f"#!/bin/sh\nsed -i '{script}' \"$1\"\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"EDITOR": str(program), "VISUAL": ""}


def test_the_name_alone_lists_the_commands(paddock: Program) -> None:
    said = paddock("zoo")
    assert (said.code, said.err) == (0, "")
    assert "Subcommands:" in said.out
    wrong = paddock("zoo", "injekt")
    assert wrong.err == "Error: No such command: zoo injekt\nHint: did you mean inject?\n"


def test_an_empty_zoo_says_how_to_begin(paddock: Program) -> None:
    said = paddock("zoo", "list")
    assert (said.code, said.out) == (0, "")
    assert "paddock zoo new --starter bramble" in said.err
    assert paddock("zoo", "list", "--json").json == []


def test_a_new_agent_is_listed_shown_and_injected(sage: Program) -> None:
    assert [one["id"] for one in sage("zoo", "list", "--json").json] == ["sage"]
    assert "Explains" in sage("zoo", "list").out
    shown = sage("zoo", "show", "Sage", "--json").json
    assert shown["agent"]["systemPrompt"] == "You explain."
    assert "Soul\n  You explain.\n" in sage("zoo", "show", "sage").out
    injected = sage("zoo", "inject", "SAGE", "--no-memory")
    assert injected.code == 0
    assert injected.out == (
        "You are now Sage. Use agentId=sage for all agent_zoo tool usage.\n\nYou explain.\n"
    )


def test_an_injection_is_counted_and_a_preview_is_not(sage: Program) -> None:
    assert "You explain." in sage("zoo", "inject", "sage", "--preview").out
    assert sage("zoo", "list", "--json").json[0]["lastInjectedAt"] is None
    sections = sage("zoo", "inject", "sage", "--json").json["sections"]
    assert "soul" in [one["kind"] for one in sections]
    assert sage("zoo", "list", "--json").json[0]["lastInjectedAt"] is not None


def test_an_unknown_agent_is_answered_with_the_nearest(sage: Program) -> None:
    said = sage("zoo", "show", "sag")
    assert (said.code, said.out) == (2, "")
    assert "sage" in said.err


def test_a_starter_and_a_copy_are_agents_to_start_with(paddock: Program) -> None:
    assert [one["id"] for one in paddock("zoo", "starters", "--json").json] == [
        *("bramble", "fern", "quill"),
    ]
    assert paddock("zoo", "new", "--starter", "quill").out == "Created quill: Quill\n"
    copied = paddock("zoo", "new", "Ink", "--copy-of", "Quill", "--tag", "mine", "--json").json
    assert (copied["id"], copied["name"], copied["tags"]) == ("ink", "Ink", ["mine"])
    assert len(copied["skills"]) == 5
    said = paddock("zoo", "new", "--starter", "quil")
    assert (said.code, "did you mean quill?" in said.err) == (2, True)


def test_options_change_what_they_name_and_nothing_else(paddock: Program) -> None:
    paddock("zoo", "new", "--starter", "fern")
    done = paddock(
        *("zoo", "edit", "fern", "--name", "Moss", "--tag", "mine", "--untag", "starter"),
        *("--disable", "prune", "--disable", "Honest tests", "--no-memory"),
    )
    assert (done.code, done.out) == (0, "Changed fern\n")
    agent = paddock("zoo", "show", "fern", "--json").json["agent"]
    assert (agent["name"], agent["tags"], agent["injectsMemory"]) == (
        "Moss",
        ["review", "mine"],
        False,
    )
    assert [one["id"] for one in agent["skills"] if not one["enabled"]] == [
        *("prune", "honest-tests"),
    ]
    assert agent["systemPrompt"].startswith("You are Fern")
    said = paddock("zoo", "edit", "fern", "--enable", "prunes")
    assert (said.code, "did you mean Prune?" in said.err) == (2, True)
    assert paddock("zoo", "edit", "fern", "--name", "Moss").code == 1


def test_an_editor_gets_the_agent_as_text(sage: Program) -> None:
    done = sage("zoo", "edit", "sage", environment=editor(sage, "s/You explain/You sing/"))
    assert (done.code, done.out) == (0, "Changed sage\n")
    assert sage("zoo", "show", "sage", "--json").json["agent"]["systemPrompt"] == "You sing."
    assert sage("zoo", "edit", "sage", environment=editor(sage, "")).code == 1


def test_what_was_written_in_an_editor_is_not_lost_when_it_is_wrong(sage: Program) -> None:
    said = sage("zoo", "edit", "sage", environment=editor(sage, "s/^name = .*/name = 5/"))
    assert said.code == 2
    draft = Path(said.err.rpartition("your draft is kept in ")[2].strip())
    assert "name = 5" in draft.read_text(encoding="utf-8")
    draft.unlink()


def test_a_deleted_agent_is_in_the_bin(sage: Program) -> None:
    assert sage("zoo", "delete", "sage").code == 2
    assert sage("zoo", "delete", "sage", "--yes").code == 0
    assert sage("zoo", "list", "--json").json == []


def test_a_backup_brings_everything_back(sage: Program) -> None:
    assert sage("zoo", "backup", "zoo.jsonl.gz").code == 0
    assert sage("zoo", "backup", "zoo.jsonl.gz").code == 2
    sage("zoo", "edit", "sage", "--soul", "Other.")
    assert sage("zoo", "restore", "zoo.jsonl.gz").code == 2
    restored = sage("zoo", "restore", "zoo.jsonl.gz", "--yes")
    assert (restored.code, restored.out) == (0, "Restored zoo.jsonl.gz\n")
    assert "The previous content is in" in restored.err
    assert sage("zoo", "show", "sage", "--json").json["agent"]["systemPrompt"] == "You explain."


def test_a_project_says_which_agent_works_in_it(sage: Program) -> None:
    assert sage("zoo", "default").code == 1
    assert sage("zoo", "default", "Sage").out == "sage\n"
    file = sage.work / ".paddock" / "zoo.toml"
    assert file.read_text(encoding="utf-8") == 'default = "sage"\n'
    (sage.work / "below").mkdir()
    below = sage.at(sage.work / "below")
    assert below("zoo", "default", "--json").json == {"default": "sage", "project": str(sage.work)}
    assert "You explain." in below("zoo", "inject").out
    assert below("zoo", "default", "--clear").code == 0
    assert below("zoo", "inject").code == 2


def test_agents_are_completed_and_completing_makes_no_zoo(paddock: Program) -> None:
    def completed(*words: str) -> list[str]:
        said = paddock(
            environment={
                "_PADDOCK_COMPLETE": "bash_complete",
                "COMP_WORDS": " ".join(["paddock", *words]),
                "COMP_CWORD": str(len(words)),
            }
        )
        return [line.partition(",")[2] for line in said.out.splitlines() if line]

    assert completed("zoo", "show", "") == []
    assert not (paddock.data / "zoo").exists()
    paddock("zoo", "new", "Sage")
    assert completed("zoo", "show", "s") == ["sage"]
    assert completed("zoo", "ex") == ["export"]


def test_the_zoo_is_where_the_variable_says(paddock: Program, tmp_path: Path) -> None:
    elsewhere = {"PADDOCK_ZOO_DATABASE": str(tmp_path / "other.db")}
    paddock("zoo", "new", "Sage", environment=elsewhere)
    assert paddock("zoo", "list", "--json").json == []
    assert len(paddock("zoo", "list", "--json", environment=elsewhere).json) == 1


def test_a_damaged_zoo_is_reported_and_left_as_it_is(sage: Program) -> None:
    database = sage.data / "zoo" / "zoo.db"
    for rest in database.parent.glob("zoo.db-*"):
        rest.unlink()
    database.write_bytes(b"no database at all" * 1000)
    said = sage("zoo", "list")
    assert (said.code, said.out, said.err.startswith("Error: ")) == (2, "", True)
    assert database.read_bytes() == b"no database at all" * 1000


def test_without_the_extra_the_commands_say_what_to_install(paddock: Program) -> None:
    blocked = paddock.home / "blocked" / "sqlalchemy"
    blocked.mkdir(parents=True)
    text = "raise ModuleNotFoundError(\"No module named 'sqlalchemy'\", name='sqlalchemy')\n"
    (blocked / "__init__.py").write_text(text, encoding="utf-8")
    path = {"PYTHONPATH": str(blocked.parent)}
    said = paddock("zoo", "list", environment=path)
    assert said.err.endswith(
        'module sqlalchemy is not installed\nHint: pip install "paddock[zoo]"\n'
    )
    assert json.loads(paddock("zoo", "starters", "--json", environment=path).out)


def test_skills_of_the_library_are_given_to_an_agent(sage: Program) -> None:
    assert "--add-starters" in sage("zoo", "library").err
    for _ in range(2):  # the second time they are there
        found = sage("zoo", "library", "--add-starters", "--json").json
        assert (len(found["packs"]), len(found["skills"])) == (5, 20)
    given = sage("zoo", "give", "Sage", "proving", "mind-the-edges")
    names = "See the test fail, Measure first, Try to break it, Show your evidence, Mind the edges"
    assert (given.code, given.out) == (0, f"Gave sage: {names}\n")
    assert sage("zoo", "give", "sage", "proving").err == "sage already has these skills\n"
    wrong = sage("zoo", "give", "sage", "prooving")
    assert (wrong.code, "did you mean proving?" in wrong.err) == (2, True)


def test_a_terminal_is_shown_nothing_of_a_soul_that_it_would_obey(paddock: Program) -> None:
    paddock("zoo", "new", "Sly", "--soul", "Be \x1b[2Jnice.")
    assert "Be \x1b[2Jnice." in paddock("zoo", "inject", "sly").out
    with paddock.terminal("zoo", "inject", "sly") as terminal:
        terminal.wait_for("Be \ufffd[2Jnice.")
        assert terminal.end() == 0
