"""Backups, and what comes in from files, in both databases."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from paddock.zoo.errors import ZooFileError, ZooUnavailableError
from paddock.zoo.model import Agent, BrainEntry
from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo


@pytest.fixture(autouse=True)
def data_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backups that are made by themselves stay in the directory of the test."""
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))


def fill(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage", "skills": [{"id": "a", "name": "A"}], "tags": ["x", "y"]})
    zoo.agents.update("sage", {"systemPrompt": "Be wise. \u2028 é"})
    zoo.agents.create({"name": "Old"})
    zoo.agents.delete("old")
    for number in range(3):
        zoo.brain.create_entry("sage", "note", f"note {number}", tags=["t"], pinned=number == 1)
    zoo.library.create_pack({"name": "Proving"})
    zoo.library.create_skill({"name": "Proofs", "packId": "proving"})


def everything(zoo: Zoo) -> dict[str, Any]:
    agents = zoo.agents.list_agents(archived=None).items
    return {
        "agents": agents,
        "summaries": zoo.agents.list_summaries(archived=None).items,
        "bin": zoo.agents.list_deleted(),
        "versions": {one.id: zoo.history.list_versions(one.id) for one in agents},
        "entries": {one.id: zoo.brain.query_entries(one.id).items for one in agents},
        "found": [hit.entry for hit in zoo.brain.search("note")],
        "library": (zoo.library.list_skills(), zoo.library.list_packs()),
    }


@pytest.mark.parametrize("name", ["zoo.jsonl", "zoo.jsonl.gz"])
def test_a_restored_zoo_is_what_it_was(zoo: Zoo, tmp_path: Path, name: str) -> None:
    fill(zoo)
    before = everything(zoo)
    backup = zoo.backups.create(tmp_path / "backups" / name)
    zoo.agents.delete("sage")
    zoo.agents.create({"name": "New"})
    zoo.library.delete_skill("proofs")
    kept = zoo.backups.restore(backup)
    assert everything(zoo) == before
    assert kept is not None
    zoo.backups.restore(kept)
    assert [one.id for one in zoo.agents.list_summaries().items] == ["new"]
    assert zoo.events.list_after(0)[-1].kind == "zoo:restored"


def test_a_backup_of_either_database_goes_into_the_other(zoo: Zoo, tmp_path: Path) -> None:
    fill(zoo)
    backup = zoo.backups.create(tmp_path / "zoo.jsonl.gz")
    with open_zoo(str(tmp_path / "other.db")) as other:
        assert other.backups.restore(backup) is None
        assert everything(other) == everything(zoo)
        again = other.backups.create(tmp_path / "again.db")
    zoo.agents.delete("sage")
    zoo.backups.restore(again)
    zoo.brain.create_entry("sage", "note", "after restoring")
    assert len(zoo.brain.query_entries("sage").items) == 4


def test_only_the_zoo_of_the_owner_is_restored(zoo: Zoo, tmp_path: Path) -> None:
    ada, bob = zoo.for_owner("ada"), zoo.for_owner("bob")
    fill(ada)
    fill(bob)
    before = everything(ada)
    backup = ada.backups.create(tmp_path / "ada.jsonl")
    ada.agents.delete("sage")
    bob.agents.update("sage", {"name": "Bob's"})
    ada.backups.restore(backup)
    assert everything(ada) == before
    assert bob.agents.get("sage").name == "Bob's"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.rpartition(b'{"rows"')[0],
        lambda data: data.replace(b'["entries"', b'["nonsense"'),
        lambda data: b'{"agents": []}',
        lambda data: b"",
        lambda data: gzip.compress(data)[:-20],
        lambda data: gzip.compress(data)[:40] + b"\xff" * 40,
        lambda data: data.replace(b'["entries",{', b'["entries",5]\n["entries",{'),
        lambda data: data.replace(b'["entries",{', b'null\n["entries",{'),
        lambda data: data.replace(b'"content":', b'"contents":'),
        lambda data: data.replace(b'"content":"note 1"', b'"content":null'),
    ],
)
def test_a_backup_that_is_not_whole_changes_nothing(zoo: Zoo, tmp_path: Path, damage: Any) -> None:
    fill(zoo)
    before = everything(zoo)
    backup = zoo.backups.create(tmp_path / "zoo.jsonl")
    backup.write_bytes(damage(backup.read_bytes()))
    with pytest.raises(ZooFileError):
        zoo.backups.restore(backup)
    assert everything(zoo) == before


def test_a_device_or_a_pipe_is_not_a_backup(zoo: Zoo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path(os.devnull), tmp_path / "pipe", tmp_path):
        with pytest.raises(ZooFileError):
            zoo.backups.restore(path)


def test_a_file_without_line_ends_is_not_read_whole(zoo: Zoo, tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(10**12)  # takes no space
    with pytest.raises(ZooFileError, match="a line has more than"):
        zoo.backups.restore(path)


def test_a_backup_of_a_newer_paddock_is_refused(zoo: Zoo, tmp_path: Path) -> None:
    fill(zoo)
    backup = zoo.backups.create(tmp_path / "zoo.jsonl")
    text = backup.read_text(encoding="utf-8")
    backup.write_text(text.replace('"revision":"0002"', '"revision":"9999"'), encoding="utf-8")
    with pytest.raises(ZooUnavailableError) as refused:
        zoo.backups.restore(backup)
    assert refused.value.where == str(backup)


def test_a_copy_of_another_database_is_not_taken_for_an_empty_zoo(zoo: Zoo, tmp_path: Path) -> None:
    fill(zoo)
    with open_zoo(str(tmp_path / "ada.db")) as other:
        other.for_owner("ada").agents.create({"name": "Ada's"})
        backup = other.backups.create(tmp_path / "copy.db")
    with pytest.raises(ZooFileError):
        zoo.backups.restore(backup)
    assert zoo.agents.get("sage").name == "Sage"


OLD: dict[str, Any] = {
    "currentAgentId": "wizard",
    "agents": [
        {
            "id": "wizard",
            "name": "Code Wizard",
            "personality": "You are concise.",
            "skills": {"code_review": True, "small-talk": False},
        },
        {
            "id": "C++/C#",
            "name": "x" * 120,
            "systemPrompt": "Be exact.",
            "skillCategories": [{"id": "one", "name": "One", "color": "red"}],
            "skills": [{"id": "s", "name": "S", "description": "d", "categoryId": "gone"}],
            "brainEntries": [
                {
                    "id": "e1",
                    "agentId": "C++/C#",
                    "type": "decision",
                    "content": "Use modules",
                    "timestamp": "2026-01-31T10:00:00.000Z",
                    "pinned": True,
                },
            ],
        },
    ],
}


def test_an_old_file_is_imported_whole_and_not_changed(zoo: Zoo, tmp_path: Path) -> None:
    path = tmp_path / "agents.json"
    path.write_text(json.dumps(OLD), encoding="utf-8")
    before = path.read_bytes()
    report = zoo.importer.import_json(path)
    assert path.read_bytes() == before
    assert (report.created, report.entries) == (["wizard", "c-c"], 1)
    assert "agents[1].name" in {note.field for note in report.report}
    wizard, exact = zoo.agents.list_agents().items
    assert wizard.system_prompt == "You are concise."
    assert [(one.id, one.enabled, one.category_id) for one in wizard.skills] == [
        ("code_review", True, "general"),
        ("small-talk", False, "general"),
    ]
    assert (len(exact.name), exact.skills[0].category_id) == (100, "one")
    (entry,) = zoo.brain.query_entries("c-c").items
    assert entry == BrainEntry(
        id="e1",
        agent_id="c-c",
        type="decision",
        content="Use modules",
        timestamp="2026-01-31T10:00:00.000Z",
        updated_at=entry.updated_at,
        pinned=True,
        metadata={"source": "import"},
    )
    assert zoo.importer.import_json(path).created == ["wizard-2", "c-c-2"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"agents": 5}', "\xff", '{"agents": [{"systemPrompt": "\\u0000"}]}']
)
def test_a_file_that_cannot_be_imported_changes_nothing(
    zoo: Zoo, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "agents.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ZooFileError):
        zoo.importer.import_json(path)
    with pytest.raises(ZooFileError):
        zoo.importer.import_json(tmp_path / "missing.json")
    assert zoo.agents.list_summaries().items == []
    assert zoo.events.get_latest_id() == 0


def test_the_file_that_the_variable_names_is_imported_once(
    zoo_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agents.json"
    monkeypatch.setenv("AGENT_ZOO_STORE_PATH", str(path))

    def agents() -> list[Agent]:
        with open_zoo(zoo_address) as zoo:
            return zoo.agents.list_agents().items

    assert agents() == []
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ZooFileError):
        agents()
    path.write_text(json.dumps(OLD), encoding="utf-8")
    assert [one.id for one in agents()] == ["wizard", "c-c"]
    assert [one.id for one in agents()] == ["wizard", "c-c"]
