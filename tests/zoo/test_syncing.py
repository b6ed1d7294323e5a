"""A project's files and the zoo stay in step, and no work of either side is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.directories import get_data_directory
from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo
from paddock.zoo.sync.sync_runner import SyncOptions, SyncPreference, SyncReport, sync_project

FILE = ".claude/agents/sage.md"
TEXT = "---\nname: sage   # ours\ndescription: Explains\nmodel: opus\n---\n\nYou explain.\n"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Zoo]:
    """The zoo of a user, in SQLite."""
    with open_zoo(str(tmp_path / "zoo.db")) as zoo:
        yield zoo


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without agents."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def put(project: Path, text: str, path: str = FILE) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_bytes(text.encode())


def text(project: Path, path: str = FILE) -> str:
    return (project / path).read_bytes().decode()


def steps(report: SyncReport) -> dict[str, str]:
    assert [item.error for item in report.items if item.error] == []
    return {item.path: item.step for item in report.items}


def test_a_file_becomes_an_agent_and_stays_as_it_is(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    assert steps(sync_project(home, project)) == {FILE: "add-to-zoo"}
    assert home.agents.get("sage").system_prompt == "You explain."
    assert steps(sync_project(home, project)) == {FILE: "in-step"}
    assert text(project) == TEXT


def test_a_change_of_either_side_reaches_the_other(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    put(project, TEXT.replace("explain.", "listen."))
    assert steps(sync_project(home, project)) == {FILE: "read"}
    agent = home.agents.get("sage")
    assert agent.system_prompt == "You listen."
    assert home.history.list_versions("sage")[0].source == "sync"
    home.agents.update("sage", {"systemPrompt": "You sing.", "tags": ["x"]})
    assert steps(sync_project(home, project)) == {FILE: "write"}
    assert text(project) == TEXT.replace("explain.", "sing.")
    assert steps(sync_project(home, project)) == {FILE: "in-step"}


def test_what_a_file_cannot_say_does_not_touch_it(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    home.agents.update("sage", {"tags": ["kind"], "contextRefs": ["a"]})
    assert steps(sync_project(home, project)) == {FILE: "in-step"}


@pytest.mark.parametrize(("prefer", "after"), [("zoo", "You sing."), ("file", "You listen.")])
def test_where_both_have_changed_both_are_kept_until_someone_decides(
    home: Zoo, project: Path, prefer: SyncPreference, after: str
) -> None:
    put(project, TEXT)
    sync_project(home, project)
    theirs = TEXT.replace("explain.", "listen.")
    put(project, theirs)
    home.agents.update("sage", {"systemPrompt": "You sing."})
    report = sync_project(home, project)
    assert steps(report) == {FILE: "conflict"}
    assert "-You listen.\n+You sing.\n" in report.items[0].diff
    assert text(project) == theirs
    assert home.agents.get("sage").system_prompt == "You sing."
    sync_project(home, project, SyncOptions(prefer=prefer))
    assert home.agents.get("sage").system_prompt == after
    assert after in text(project)
    assert steps(sync_project(home, project)) == {FILE: "in-step"}


def test_the_same_change_on_both_sides_is_not_a_conflict(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    put(project, TEXT.replace("explain.", "sing."))
    home.agents.update("sage", {"systemPrompt": "You sing."})
    assert steps(sync_project(home, project)) == {FILE: "in-step"}


def test_an_agent_that_exists_already_is_not_overwritten_by_a_new_file(
    home: Zoo, project: Path
) -> None:
    home.agents.create({"id": "sage", "name": "Sage", "systemPrompt": "Mine."})
    put(project, TEXT)
    assert steps(sync_project(home, project)) == {FILE: "conflict"}
    assert home.agents.get("sage").system_prompt == "Mine."
    assert text(project) == TEXT


def test_a_new_file_that_says_what_the_agent_says_is_joined_with_it(
    home: Zoo, project: Path
) -> None:
    new = {"name": "Sage", "description": "Explains", "systemPrompt": "You explain."}
    home.agents.create(new)
    put(project, TEXT)
    assert steps(sync_project(home, project)) == {FILE: "read"}
    assert home.agents.get("sage").extra["claude-code"]["fields"] == {"model": "opus"}
    assert text(project) == TEXT


def test_one_agent_can_have_files_for_several_programs(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    both = SyncOptions(formats=["claude-code", "copilot"])
    copilot = ".github/agents/sage.agent.md"
    assert steps(sync_project(home, project, both)) == {
        FILE: "add-to-zoo",
        copilot: "add-to-project",
    }
    put(project, text(project, copilot).replace("explain.", "listen."), copilot)
    assert steps(sync_project(home, project)) == {FILE: "write", copilot: "read"}
    assert text(project) == TEXT.replace("explain.", "listen.")
    assert steps(sync_project(home, project)) == {FILE: "in-step", copilot: "in-step"}


def test_two_files_of_one_agent_that_have_both_changed_are_a_conflict(
    home: Zoo, project: Path
) -> None:
    put(project, TEXT)
    sync_project(home, project, SyncOptions(formats=["claude-code", "copilot"]))
    copilot = ".github/agents/sage.agent.md"
    put(project, TEXT.replace("explain.", "listen."))
    put(project, text(project, copilot).replace("explain.", "sing."), copilot)
    assert steps(sync_project(home, project)) == {FILE: "read", copilot: "conflict"}
    assert "You sing." in text(project, copilot)
    assert home.agents.get("sage").system_prompt == "You listen."


def test_agents_get_files_when_they_are_named(home: Zoo, project: Path) -> None:
    for name in ("Sage", "Ember"):
        home.agents.create({"name": name, "systemPrompt": "Go."})
    assert steps(sync_project(home, project)) == {}
    assert steps(sync_project(home, project, SyncOptions(agents=["ember"]))) == {
        ".claude/agents/ember.md": "add-to-project"
    }


def test_an_agent_that_a_project_wants_may_be_in_its_files_only(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    report = sync_project(home, project, SyncOptions(agents=["sage", "missing"]))
    assert [(item.path, item.step, item.error) for item in report.items] == [
        (".claude/agents/missing.md", "add-to-project", "the zoo has no agent 'missing'"),
        (FILE, "add-to-zoo", None),
    ]
    assert not report.is_settled
    assert steps(sync_project(home, project, SyncOptions(agents=["sage"]))) == {FILE: "in-step"}


def test_without_what_is_remembered_nothing_is_lost(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    for file in (Path(get_data_directory()) / "zoo" / "projects").iterdir():
        file.write_bytes(b"cut o")
    assert steps(sync_project(home, project)) == {FILE: "in-step"}
    home.agents.update("sage", {"systemPrompt": "You sing."})
    assert steps(sync_project(home, project)) == {FILE: "write"}


def test_a_file_that_is_deleted_leaves_the_agent_in_the_zoo(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    (project / FILE).unlink()
    assert steps(sync_project(home, project)) == {FILE: "forget"}
    assert home.agents.get("sage").name == "Sage"
    assert steps(sync_project(home, project)) == {}


def test_a_file_that_is_deleted_comes_back_when_its_agent_is_named(
    home: Zoo, project: Path
) -> None:
    put(project, TEXT)
    sync_project(home, project)
    (project / FILE).unlink()
    assert steps(sync_project(home, project, SyncOptions(agents=["sage"]))) == {FILE: "write"}
    assert text(project) == TEXT


def test_an_agent_that_is_deleted_takes_its_file_along_unless_that_has_changed(
    home: Zoo, project: Path
) -> None:
    put(project, TEXT)
    sync_project(home, project)
    home.agents.delete("sage")
    put(project, TEXT + "More.\n")
    assert steps(sync_project(home, project)) == {FILE: "conflict"}
    put(project, TEXT)
    assert steps(sync_project(home, project)) == {FILE: "delete-file"}
    assert not (project / FILE).exists()
    assert steps(sync_project(home, project)) == {}


def test_a_zoo_that_has_lost_everything_takes_no_files_along(
    home: Zoo, project: Path, tmp_path: Path
) -> None:
    put(project, TEXT)
    sync_project(home, project)
    home.close()
    for file in tmp_path.glob("zoo.db*"):
        file.unlink()
    with open_zoo(str(tmp_path / "zoo.db")) as empty:
        assert steps(sync_project(empty, project)) == {FILE: "add-to-zoo"}
        assert empty.agents.get("sage").system_prompt == "You explain."


def test_a_dry_run_says_the_same_and_changes_nothing(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    dry = SyncOptions(formats=["claude-code", "cursor"], dry_run=True)
    cursor = ".cursor/agents/sage.md"
    expected = {FILE: "add-to-zoo", cursor: "add-to-project"}
    assert steps(sync_project(home, project, dry)) == expected
    assert steps(sync_project(home, project, dry)) == expected
    assert (home.agents.list_summaries().items, (project / cursor).exists()) == ([], False)


def test_a_file_that_no_agent_can_be_made_of_is_reported_and_left(home: Zoo, project: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    long = TEXT.replace("You", "Y" * 100_001)
    put(project, long)
    (item,) = sync_project(home, project).items
    assert item.step == "read"
    assert "systemPrompt" in (item.error or "")
    assert (text(project), home.agents.get("sage").system_prompt) == (long, "You explain.")


def test_nothing_is_written_through_a_link_that_leads_out(
    home: Zoo, project: Path, tmp_path: Path
) -> None:
    home.agents.create({"name": "Sage", "systemPrompt": "Go."})
    (tmp_path / "outside").mkdir()
    (project / ".claude").symlink_to(tmp_path / "outside")
    (item,) = sync_project(home, project, SyncOptions(agents=["sage"])).items
    assert "a symbolic link leads out of the folder" in (item.error or "")
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_is_remembered_belongs_to_one_zoo(home: Zoo, project: Path, tmp_path: Path) -> None:
    put(project, TEXT)
    sync_project(home, project)
    with open_zoo(str(tmp_path / "other.db")) as other:
        assert steps(sync_project(other, project)) == {FILE: "add-to-zoo"}
    assert steps(sync_project(home, project)) == {FILE: "in-step"}
