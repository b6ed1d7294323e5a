"""Files are written into a folder and nowhere else, and no one's work is lost."""

from pathlib import Path

import pytest

from paddock.zoo.file_plan import apply_file_plan, compute_digest, plan_files
from paddock.zoo.formats.exchange import File

SAGE = File(path=".claude/agents/sage.md", text="---\r\nname: sage\r\n---\r\nGo\r\n")
BLOCK = "<!-- paddock:agent sage -->\nGo\n<!-- /paddock:agent sage -->\n"


def statuses(
    folder: Path, *files: File, ours: dict[str, str] | None = None, replace: bool = False
) -> list[str]:
    plan = plan_files(folder, files, zoo_digests=ours, replace=replace)
    return [one.status for one in plan.files]


def test_a_new_file_is_written_as_it_is(tmp_path: Path) -> None:
    plan = plan_files(tmp_path / "project", [SAGE])
    assert [one.status for one in plan.files] == ["new"]
    assert not (tmp_path / "project").exists()
    assert [one.error for one in apply_file_plan(plan)] == [None]
    written = tmp_path / "project" / SAGE.path
    assert written.read_bytes() == SAGE.text.encode()
    assert written.stat().st_mode & 0o777 == 0o644
    assert statuses(tmp_path / "project", SAGE) == ["unchanged"]


def test_a_file_of_someone_else_is_replaced_only_when_that_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / SAGE.path
    target.parent.mkdir(parents=True)
    target.write_bytes(b"mine\n")
    plan = plan_files(tmp_path, [SAGE])
    assert [one.status for one in plan.files] == ["foreign"]
    assert apply_file_plan(plan) == []
    assert target.read_bytes() == b"mine\n"
    assert statuses(tmp_path, SAGE, ours={SAGE.path: compute_digest("mine\n")}) == ["changed"]
    assert statuses(tmp_path, SAGE, ours={SAGE.path: compute_digest("before\n")}) == ["foreign"]
    apply_file_plan(plan_files(tmp_path, [SAGE], replace={SAGE.path}))
    assert target.read_bytes() == SAGE.text.encode()


def test_the_difference_is_shown_line_by_line(tmp_path: Path) -> None:
    target = tmp_path / "AGENTS.md"
    target.write_text("a\nb", encoding="utf-8")
    (planned,) = plan_files(tmp_path, [File(path="AGENTS.md", text="a\nc\n")]).files
    assert planned.diff() == "--- AGENTS.md\n+++ AGENTS.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_block_leaves_the_rest_of_the_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "AGENTS.md"
    target.write_bytes(b"# Ours\r\n\r\nBe kind.\r\n")
    blocks = [
        File(path="AGENTS.md", text=BLOCK, block="sage"),
        File(path="AGENTS.md", text=BLOCK.replace("sage", "ember"), block="ember"),
    ]
    plan = plan_files(tmp_path, blocks)
    assert [one.status for one in plan.files] == ["changed"]
    apply_file_plan(plan)
    ours = BLOCK.replace("\n", "\r\n").encode()
    both = ours + b"\r\n" + ours.replace(b"sage", b"ember")
    assert target.read_bytes() == b"# Ours\r\n\r\nBe kind.\r\n\r\n" + both
    changed = File(path="AGENTS.md", text=BLOCK.replace("Go", "Stop"), block="sage")
    apply_file_plan(plan_files(tmp_path, [changed]))
    after = both.replace(b"Go", b"Stop", 1)
    assert target.read_bytes() == b"# Ours\r\n\r\nBe kind.\r\n\r\n" + after


@pytest.mark.parametrize("damage", ["no end", "twice"])
def test_a_file_with_damaged_marks_is_refused(tmp_path: Path, damage: str) -> None:
    text = BLOCK * 2 if damage == "twice" else BLOCK.splitlines()[0] + "\nMine\n"
    (tmp_path / "AGENTS.md").write_text(text, encoding="utf-8")
    plan = plan_files(tmp_path, [File(path="AGENTS.md", text=BLOCK, block="sage")], replace=True)
    assert [one.status for one in plan.files] == ["refused"]
    assert apply_file_plan(plan) == []
    assert (tmp_path / "AGENTS.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", ["../out.md", "/out.md", "a/../../out.md", "nul.md", "C:x.md"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    assert statuses(tmp_path / "in", File(path=path, text="x"), replace=True) == ["refused"]


@pytest.mark.parametrize("link", [".claude", ".claude/agents", ".claude/agents/sage.md"])
def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path, link: str) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside"
    (folder / link).parent.mkdir(parents=True)
    if link.endswith(".md"):
        outside.write_text("theirs", encoding="utf-8")
    else:
        outside.mkdir()
    (folder / link).symlink_to(outside)
    plan = plan_files(folder, [SAGE], replace=True)
    assert [(one.status, one.reason) for one in plan.files] == [
        ("refused", "a symbolic link leads out of the folder")
    ]
    assert apply_file_plan(plan) == []
    if outside.is_file():
        assert outside.read_text(encoding="utf-8") == "theirs"
    else:
        assert list(outside.iterdir()) == []


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "agents").symlink_to(tmp_path / "agents")
    apply_file_plan(plan_files(tmp_path, [SAGE]))
    assert (tmp_path / "agents" / "sage.md").read_bytes() == SAGE.text.encode()


def test_what_changes_between_plan_and_writing_is_left_alone(tmp_path: Path) -> None:
    plan = plan_files(tmp_path, [SAGE, File(path="b.md", text="b")])
    target = tmp_path / SAGE.path
    target.parent.mkdir(parents=True)
    target.write_text("just now", encoding="utf-8")
    assert [(one.path, one.error) for one in apply_file_plan(plan)] == [
        (SAGE.path, "the file has changed since it was planned"),
        ("b.md", None),
    ]
    assert target.read_text(encoding="utf-8") == "just now"


def test_a_link_that_is_put_there_after_the_plan_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    plan = plan_files(folder, [SAGE])
    (tmp_path / "outside").mkdir()
    folder.mkdir()
    (folder / ".claude").symlink_to(tmp_path / "outside")
    assert [one.error for one in apply_file_plan(plan)] == [
        "a symbolic link leads out of the folder"
    ]
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_is_not_text_or_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff")
    (tmp_path / "b.md").mkdir()
    files = [File(path="a.md", text="a"), File(path="b.md", text="b")]
    plan = plan_files(tmp_path, files, replace=True)
    assert [(one.status, one.reason) for one in plan.files] == [
        ("refused", "not a text file in UTF-8"),
        ("refused", "Is a directory"),
    ]
