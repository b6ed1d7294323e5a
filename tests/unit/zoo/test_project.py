"""The small file with which a project says which agent works in it."""

from pathlib import Path

import pytest

from paddock.zoo.project import (
    ProjectFileError,
    ProjectSyncSettings,
    ZooProject,
    find_project,
    get_default_agent,
    read_project,
    set_default_agent,
    set_sync_settings,
)


def test_a_project_without_the_file_says_nothing(tmp_path: Path) -> None:
    assert read_project(tmp_path) == ZooProject()
    assert get_default_agent(tmp_path) is None


def test_what_is_stated_is_found_from_below(tmp_path: Path) -> None:
    path = set_default_agent(tmp_path, "sage")
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    assert path.read_text(encoding="utf-8") == 'default = "sage"\n'
    assert (find_project(below), get_default_agent(below)) == (tmp_path, "sage")


def test_a_change_keeps_comments_and_what_others_have_written(tmp_path: Path) -> None:
    path = set_default_agent(tmp_path, "sage")
    path.write_text('# ours\nmood = "calm"\ndefault = "sage"  # for now\n', encoding="utf-8")
    set_default_agent(tmp_path, "ember")
    set_sync_settings(tmp_path, agents=["ember"], formats=["copilot"])
    assert path.read_text(encoding="utf-8") == (
        '# ours\nmood = "calm"\ndefault = "ember"  # for now\n\n'
        '[sync]\nagents = ["ember"]\nformats = ["copilot"]\n'
    )
    assert read_project(tmp_path) == ZooProject(
        default="ember", sync=ProjectSyncSettings(agents=["ember"], formats=["copilot"])
    )
    set_default_agent(tmp_path, None)
    assert get_default_agent(tmp_path) is None


@pytest.mark.parametrize("text", ["default =", "default = 5", "[sync]\nagents = 'sage'", "\xff"])
def test_a_wrong_file_is_reported_with_its_place_and_not_touched(tmp_path: Path, text: str) -> None:
    path = set_default_agent(tmp_path, "sage")
    path.write_bytes(text.encode("latin-1"))
    for use in (read_project, lambda folder: set_default_agent(folder, "ember")):
        with pytest.raises(ProjectFileError) as told:
            use(tmp_path)
        assert told.value.where == str(path)
    assert path.read_bytes() == text.encode("latin-1")


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / ".paddock").mkdir(parents=True)
    outside = tmp_path / "outside.toml"
    outside.write_text("", encoding="utf-8")
    (folder / ".paddock" / "zoo.toml").symlink_to(outside)
    with pytest.raises(ProjectFileError, match="link leads out"):
        set_default_agent(folder, "sage")
    assert outside.read_text(encoding="utf-8") == ""
