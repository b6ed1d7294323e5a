"""Agents taken into files and back from the command line, and kept in step."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.command_line.program import Program

CLAUDE = ".claude/agents/sage.md"
TEXT = "---\nname: sage   # ours\ndescription: Explains\nmodel: opus\n---\n\nYou explain.\n"


@pytest.fixture
def project(paddock: Program) -> Path:
    """A project with an agent of Claude Code, which is the working directory."""
    file = paddock.work / CLAUDE
    file.parent.mkdir(parents=True)
    file.write_bytes(TEXT.encode())
    return paddock.work


@pytest.fixture
def imported(paddock: Program, project: Path) -> Program:
    """The program, with that agent in the zoo."""
    assert paddock("zoo", "import", ".").code == 0
    return paddock


def agent(paddock: Program, name: str = "sage") -> dict[str, object]:
    found = paddock("zoo", "show", name, "--json").json["agent"]
    assert isinstance(found, dict)
    return found


def test_a_project_is_taken_in_with_a_preview_and_a_report(paddock: Program, project: Path) -> None:
    tried = paddock("zoo", "import", str(project), "--dry-run")
    assert tried.code == 0
    assert tried.out.splitlines()[1].split() == ["sage", "Sage", "new", "0", "0"]
    assert f"{CLAUDE}: model: only Claude Code has this field" in tried.err
    assert paddock("zoo", "list", "--json").json == []
    done = paddock("zoo", "import", ".", "--json").json
    assert (done["created"], [one["field"] for one in done["report"]]) == (["sage"], ["model"])
    assert agent(paddock)["systemPrompt"] == "You explain."


def test_a_second_import_makes_another_agent_or_changes_the_first(
    imported: Program, project: Path
) -> None:
    (project / CLAUDE).write_text(TEXT.replace("explain.", "sing."), encoding="utf-8")
    assert imported("zoo", "import", ".", "--update", "--json").json["updated"] == ["sage"]
    assert agent(imported)["systemPrompt"] == "You sing."
    assert "unchanged" in imported("zoo", "import", ".", "--update").out
    assert imported("zoo", "import", ".", "--json").json["created"] == ["sage-2"]


def test_a_person_is_asked_before_agents_are_taken_in(paddock: Program, project: Path) -> None:
    with paddock.terminal("zoo", "import", str(project)) as terminal:
        terminal.wait_for("Import them?")
        terminal.type("n")
        assert terminal.end() == 1
    assert paddock("zoo", "list", "--json").json == []


def test_an_agents_json_legacy_is_taken_in(paddock: Program) -> None:
    old = {
        "currentAgentId": "a",
        "agents": [{"id": "a", "name": "A", "personality": "Kind.", "skills": {"be_brief": True}}],
    }
    (paddock.work / "agents.json").write_text(json.dumps(old), encoding="utf-8")
    assert paddock("zoo", "import", "agents.json").code == 0
    found = agent(paddock, "a")
    assert found["systemPrompt"] == "Kind."
    skills = found["skills"]
    assert isinstance(skills, list)
    assert skills[0]["name"] == "Be Brief"


def test_what_is_pasted_is_taken_in(paddock: Program) -> None:
    said = paddock("zoo", "import", "-", "--format", "copilot", "--json", text="Be kind.\n")
    assert said.json["created"] == ["agent"]
    nothing = paddock("zoo", "import", "-", text="Hello\n")
    assert (nothing.code, "unknown format" in nothing.err) == (1, True)


def test_skills_go_to_an_agent_and_come_out_as_they_were(imported: Program) -> None:
    text = "---\nname: tidy\n# why\ndescription: When it is untidy\nlicense: MIT\n---\nTidy up.\n"
    file = imported.work / "tidy" / "SKILL.md"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    done = imported("zoo", "import", "tidy", "--to-agent", "sage", "--json").json
    assert (done["updated"], done["skills"]) == (["sage"], ["Tidy"])
    imported("zoo", "export", "sage", "--format", "agent-skills", "--to", "out")
    written = imported.work / "out" / ".claude" / "skills" / "tidy" / "SKILL.md"
    assert written.read_text(encoding="utf-8") == text


def test_an_export_writes_each_program_its_file(imported: Program) -> None:
    done = imported(
        *("zoo", "export", "sage", "--format", "copilot", "--format", "agents-md", "--to", "out")
    )
    assert (done.code, done.out.splitlines()) == (
        0,
        ["new        .github/agents/sage.agent.md", "new        AGENTS.md"],
    )
    assert "You explain." in (imported.work / "out" / "AGENTS.md").read_text(encoding="utf-8")
    again = imported("zoo", "export", "--format", "copilot", "--to", "out", "--json").json
    assert [one["status"] for one in again["files"]] == ["unchanged"]


def test_a_dry_run_shows_the_difference_and_writes_nothing(
    imported: Program, project: Path
) -> None:
    imported("zoo", "edit", "sage", "--soul", "You sing.")
    said = imported("zoo", "export", "--format", "claude-code", "--dry-run")
    assert (said.code, "-You explain.\n+You sing.\n" in said.out) == (1, True)
    assert (project / CLAUDE).read_bytes() == TEXT.encode()


def test_a_file_that_is_not_the_zoos_is_replaced_only_on_demand(
    imported: Program, project: Path
) -> None:
    imported("zoo", "edit", "sage", "--soul", "You sing.")
    refused = imported("zoo", "export", "--format", "claude-code")
    assert (refused.code, refused.out) == (1, f"foreign    {CLAUDE}\n")
    assert "--replace" in refused.err
    assert (project / CLAUDE).read_bytes() == TEXT.encode()
    assert imported("zoo", "export", "--format", "claude-code", "--replace").code == 0
    assert (project / CLAUDE).read_bytes() == TEXT.replace("explain.", "sing.").encode()
    imported("zoo", "edit", "sage", "--soul", "You hum.")
    ours = imported("zoo", "export", "--format", "claude-code", "--json").json
    assert [one["status"] for one in ours["files"]] == ["changed"]


def test_a_person_says_which_files_of_others_are_replaced(imported: Program, project: Path) -> None:
    imported("zoo", "edit", "sage", "--soul", "You sing.")
    with imported.terminal("zoo", "export", "--format", "claude-code") as terminal:
        terminal.wait_for(f"Replace {CLAUDE}, which the zoo did not write?")
        terminal.type("y")
        assert terminal.end() == 0
    assert (project / CLAUDE).read_bytes() == TEXT.replace("explain.", "sing.").encode()


def test_secrets_are_reported_and_not_shown(paddock: Program) -> None:
    secret = "ghp_" + "Zx81Qw7Lk2Mn9Bv4Cd6Fg3Hj5"
    paddock("zoo", "new", "Sage", "--soul", f"Push with {secret}")
    said = paddock("zoo", "export", "--format", "cursor")
    assert "sage: systemPrompt: line 1 contains what looks like a GitHub token" in said.err
    assert secret not in said.out + said.err


def test_an_archive_and_a_bundle_carry_a_zoo_to_another(imported: Program, tmp_path: Path) -> None:
    for name in ("zoo.zip", "zoo.json"):
        assert imported("zoo", "export", "--format", "bundle", "--to", name).out == f"{name}\n"
        assert imported("zoo", "export", "--format", "bundle", "--to", name).code == 0
        other = {"PADDOCK_ZOO_DATABASE": str(tmp_path / f"{name}.db")}
        assert imported("zoo", "import", name, environment=other).code == 0
        files = ("zoo", "export", "--format", "claude-code", "--to", "copy.zip", "--replace")
        imported(*files, environment=other)
        with zipfile.ZipFile(imported.work / "copy.zip") as archive:
            assert archive.read(CLAUDE) == TEXT.encode()
    imported("zoo", "edit", "sage", "--soul", "Other.")
    refused = imported("zoo", "export", "--format", "bundle", "--to", "zoo.json")
    assert (refused.code, "add --replace" in refused.err) == (2, True)


def test_memory_is_written_when_that_is_asked_for(paddock: Program) -> None:
    memory = "# Memory\n\n## Note 2026-11-18T10:00:00.000Z (pinned)\n\nRemember this.\n"
    for name, text in ((CLAUDE, TEXT), (".claude/agent-memory/sage/MEMORY.md", memory)):
        file = paddock.work / name
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    assert paddock("zoo", "import", ".").code == 0
    (entry,) = paddock("zoo", "show", "sage", "--json").json["brainEntries"]
    assert (entry["content"], entry["pinned"], entry["timestamp"]) == (
        "Remember this.",
        True,
        "2026-11-18T10:00:00.000Z",
    )
    paddock("zoo", "export", "--format", "claude-code", "--memory", "--to", "out")
    written = paddock.work / "out" / ".claude" / "agent-memory" / "sage" / "MEMORY.md"
    assert written.read_text(encoding="utf-8") == memory


def test_sync_keeps_a_project_in_step(paddock: Program, project: Path) -> None:
    checked = paddock("zoo", "sync", "--check")
    assert (checked.code, checked.out.splitlines()[0]) == (
        1,
        f"{CLAUDE}: would be added to the zoo",
    )
    assert paddock("zoo", "list", "--json").json == []
    assert paddock("zoo", "sync").out == f"{CLAUDE}: added to the zoo\n"
    assert paddock("zoo", "sync", "--check").code == 0
    paddock("zoo", "edit", "sage", "--soul", "You sing.")
    assert paddock("zoo", "sync").out == f"{CLAUDE}: written from the zoo\n"
    assert (project / CLAUDE).read_bytes() == TEXT.replace("explain.", "sing.").encode()
    (project / CLAUDE).write_bytes(TEXT.encode())
    assert paddock("zoo", "sync", "--json").json["items"][0]["step"] == "read"
    assert agent(paddock)["systemPrompt"] == "You explain."


def test_sync_tells_a_conflict_and_takes_the_side_that_is_preferred(
    paddock: Program, project: Path
) -> None:
    paddock("zoo", "sync")
    paddock("zoo", "edit", "sage", "--soul", "You sing.")
    (project / CLAUDE).write_bytes(TEXT.replace("explain.", "hum.").encode())
    said = paddock("zoo", "sync")
    assert said.code == 1
    assert said.out.startswith(f"{CLAUDE}: changed on both sides\n")
    assert "-You hum.\n+You sing.\n" in said.out
    assert "--prefer file" in said.err
    assert paddock("zoo", "sync", "--prefer", "zoo").code == 0
    assert (project / CLAUDE).read_bytes() == TEXT.replace("explain.", "sing.").encode()


def test_a_project_remembers_which_agents_it_wants(imported: Program, project: Path) -> None:
    imported("zoo", "new", "Ember", "--soul", "You build.")
    done = imported("zoo", "sync", "--agent", "Ember", "--format", "cursor", "--save")
    assert done.code == 0
    assert ".cursor/agents/ember.md: added to the project" in done.out
    (project / ".cursor/agents/ember.md").unlink()
    assert ".cursor/agents/ember.md: written from the zoo" in imported("zoo", "sync").out


def test_watching_goes_on_when_either_side_changes(paddock: Program, project: Path) -> None:
    with paddock.terminal("zoo", "sync", "--watch") as terminal:
        terminal.wait_for(f"{CLAUDE}: added to the zoo")
        (project / CLAUDE).write_bytes(TEXT.replace("explain.", "hum.").encode())
        terminal.wait_for(f"{CLAUDE}: read into the zoo")
        paddock("zoo", "edit", "sage", "--soul", "You sing.")
        terminal.wait_for(f"{CLAUDE}: written from the zoo")
    assert (project / CLAUDE).read_bytes() == TEXT.replace("explain.", "sing.").encode()


def test_prompts_of_codex_go_where_it_looks_for_them(imported: Program) -> None:
    done = imported("zoo", "export", "--format", "codex")
    assert (done.code, done.out) == (0, "new        .codex/prompts/sage.md\n")
    written = imported.home / ".codex" / "prompts" / "sage.md"
    assert written.read_text(encoding="utf-8").endswith("\n\nYou explain.\n")
    assert not (imported.work / ".codex").exists()


def test_a_zoo_without_agents_has_nothing_to_export(paddock: Program) -> None:
    done = paddock("zoo", "export", "--format", "cursor")
    assert (done.code, done.out, done.err) == (0, "", "There are no agents to export\n")
