"""Agents' files are found where programs have them, and read from what someone names."""

from pathlib import Path

import pytest

from paddock.zoo.file_plan import make_zip, read_zip
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.project_scan import read_agent_files, scan_project

BLOCK = "<!-- paddock:agent sage -->\nGo\n<!-- /paddock:agent sage -->\n"


def write(folder: Path, *names: str, text: str = "x") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_a_project_is_searched_where_programs_look(tmp_path: Path) -> None:
    expected = {
        *(".claude/agents/a.md", ".claude/agents/deep/b.md", ".claude/skills/c/SKILL.md"),
        *(".claude/agent-memory/a/MEMORY.md", ".cursor/agents/d.md", ".cursor/rules/e.mdc"),
        *(".github/agents/f.agent.md", ".github/chatmodes/g.chatmode.md", ".codex/prompts/h.md"),
        *(".opencode/agent/i.md", ".opencode/agents/j.md"),
    }
    write(tmp_path, *expected)
    write(tmp_path, "README.md", ".cursor/rules/not.md", "AGENTS.md", "src/agents/x.md")
    assert {file.path for file in scan_project(tmp_path).files} == expected
    write(tmp_path, "AGENTS.md", text=BLOCK)
    assert {file.path for file in scan_project(tmp_path).files} == {*expected, "AGENTS.md"}


def test_links_that_lead_out_and_files_that_are_not_text_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write(tmp_path, "secret.md")
    write(folder, ".claude/agents/a.md")
    (folder / ".claude/agents/b.md").symlink_to(tmp_path / "secret.md")
    (folder / ".claude/agents/c.md").write_bytes(b"\xff\xfe")
    found = scan_project(folder)
    assert [file.path for file in found.files] == [".claude/agents/a.md"]
    assert [one.path for one in found.report] == [".claude/agents/b.md", ".claude/agents/c.md"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("home/.claude/agents/a.md", ".claude/agents/a.md"),
        ("home/.claude/skills/b/SKILL.md", "b/SKILL.md"),
        ("home/notes.md", "notes.md"),
        ("home/AGENTS.md", "AGENTS.md"),
    ],
)
def test_a_file_is_known_by_the_end_of_its_path(tmp_path: Path, name: str, path: str) -> None:
    write(tmp_path, name)
    assert read_agent_files(tmp_path / name).files == [File(path=path, text="x")]


def test_a_folder_of_a_skill_is_that_skill(tmp_path: Path) -> None:
    write(tmp_path, "tidy/SKILL.md")
    assert read_agent_files(tmp_path / "tidy").files == [File(path="tidy/SKILL.md", text="x")]


def test_what_is_not_there_or_no_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"\xff")
    with pytest.raises(AgentFilesError, match="no such file"):
        read_agent_files(tmp_path / "a.md")
    with pytest.raises(AgentFilesError, match="not a text file in UTF-8"):
        read_agent_files(tmp_path / "b.md")


def test_an_archive_gives_back_what_was_packed(tmp_path: Path) -> None:
    files = [File(path=".claude/agents/ä.md", text="a\r\n"), File(path="AGENTS.md", text="b")]
    data = make_zip(files)
    assert data == make_zip(files)
    assert read_zip(data) == (files, [])
    (tmp_path / "zoo.zip").write_bytes(data)
    assert read_agent_files(tmp_path / "zoo.zip").files == files


def test_members_that_lead_out_are_left_out() -> None:
    data = make_zip([File(path="../x.md", text="x"), File(path="/y.md", text="y")])
    files, report = read_zip(data)
    assert (files, [one.path for one in report]) == ([], ["../x.md", "/y.md"])


def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    data = make_zip([File(path="x.md", text="x" * 20_000_001)])
    with pytest.raises(AgentFilesError, match="bytes when unpacked"):
        read_zip(data)


def test_what_is_not_an_archive_is_refused() -> None:
    with pytest.raises(AgentFilesError, match="not a readable zip archive"):
        read_zip(b"PK\x03\x04 but not really")
