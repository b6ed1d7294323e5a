"""Agents as files, agents to start with, and the library, over HTTP."""

import io
import zipfile
from typing import Any

import pytest

from paddock.zoo.formats.format_registry import list_file_formats
from tests.app.serving import Client
from tests.zoo.rest.test_agents import code_of, make

CLAUDE = "---\nname: ada\ndescription: Counts.\nmodel: opus\n---\n\nYou count.\n"


def test_formats_are_listed(api: Client) -> None:
    listed = api.get("/api/formats").json()
    assert [one["name"] for one in listed] == [one.name for one in list_file_formats()]


@pytest.mark.parametrize("name", [one.name for one in list_file_formats()])
def test_agent_is_exported_in_every_format(api: Client, name: str) -> None:
    make(api, systemPrompt="You count.", skills=[{"id": "s", "name": "Sums", "description": "+"}])
    answer = api.get("/api/agents/ada/export", params={"format": name})
    assert answer.status_code == 200
    files = answer.json()["files"]
    assert files
    archive = api.get("/api/agents/ada/export.zip", params={"format": name})
    assert archive.headers["Content-Type"] == "application/zip"
    assert f'filename="ada-{name}.zip"' in archive.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(archive.content)) as opened:
        assert opened.namelist() == list(dict.fromkeys(one["path"] for one in files))


def test_format_that_does_not_exist_is_refused(api: Client) -> None:
    make(api)
    answer = api.get("/api/agents/ada/export", params={"format": "claude"})
    assert code_of(answer) == (400, "UNKNOWN_FORMAT")
    assert code_of(api.get("/api/agents/ada/export")) == (400, "INVALID_ARGUMENTS")


def test_preview_of_an_import_keeps_nothing(api: Client) -> None:
    body = {"files": [{"path": ".claude/agents/ada.md", "text": CLAUDE}]}
    preview = api.post("/api/import/preview", json=body).json()
    assert [one["systemPrompt"] for one in preview["agents"]] == ["You count."]
    assert api.get("/api/agents").json() == []


def test_import_makes_agents_and_export_gives_the_same_file_back(api: Client) -> None:
    file = {"path": ".claude/agents/ada.md", "text": CLAUDE}
    answer = api.post("/api/import", json={"files": [file]})
    assert (answer.status_code, answer.json()["created"]) == (201, ["ada"])
    back = api.get("/api/agents/ada/export", params={"format": "claude-code"}).json()["files"]
    assert [(one["path"], one["text"]) for one in back] == [(file["path"], CLAUDE)]


def test_import_of_what_cannot_be_kept_makes_nothing(api: Client) -> None:
    long = {"path": ".claude/agents/eve.md", "text": CLAUDE.replace("You", "Y" * 100_001)}
    body = {"files": [{"path": ".claude/agents/ada.md", "text": CLAUDE}, long]}
    answer = api.post("/api/import", json=body)
    assert code_of(answer)[0] == 400
    assert api.get("/api/agents").json() == []


def test_whole_zoo_goes_out_and_in_again_as_a_bundle(api: Client) -> None:
    make(api)
    api.post("/api/agents/ada/brain", json={"type": "note", "content": "seen"})
    api.post("/api/library/skills", json={"name": "Sums"})
    files = api.get("/api/export").json()["files"]
    api.headers["x-test-owner"] = f"{api.headers['x-test-owner']}-other"
    assert api.post("/api/import", json={"files": files}).json()["created"] == ["ada"]
    assert [one["content"] for one in api.get("/api/agents/ada/brain").json()] == ["seen"]
    assert [one["name"] for one in api.get("/api/library/skills").json()] == ["Sums"]


def test_skill_alone_goes_into_the_library(api: Client) -> None:
    text = "---\nname: sums\ndescription: Add up.\n---\n\nAdd every column.\n"
    body = {"files": [{"path": ".claude/skills/sums/SKILL.md", "text": text}]}
    assert api.post("/api/import", json=body).status_code == 201
    assert len(api.get("/api/library/skills").json()) == 1


def test_large_files_may_be_imported(api: Client) -> None:
    padding = {"path": "notes.bin", "text": "x" * 3_000_000}
    body = {"files": [{"path": ".claude/agents/ada.md", "text": CLAUDE}, padding]}
    assert api.post("/api/import", json=body).json()["created"] == ["ada"]


def test_starters_become_agents_of_the_zoo(api: Client) -> None:
    listed = api.get("/api/starters").json()
    assert len(listed) == 3
    made = api.post("/api/starters", json={"ids": [listed[0]["id"]]}).json()
    assert [one["name"] for one in made] == [listed[0]["name"]]
    rest = api.post("/api/starters").json()
    assert len(rest) == 3
    assert len(api.get("/api/agents").json()) == 4
    answer = api.post("/api/starters", json={"ids": ["none"]})
    assert code_of(answer) == (400, "INVALID_AGENT")


@pytest.fixture
def library(api: Client) -> Client:
    """The API, with a pack of two skills, one of which needs the other, and one skill besides."""
    make(api)
    api.post("/api/library/packs", json={"name": "Numbers"})
    for skill in (
        {"name": "Sums", "packId": "numbers", "description": "Add up."},
        {"name": "Taxes", "packId": "numbers", "requires": ["sums"]},
        {"name": "Prose", "tags": ["words"]},
    ):
        assert api.post("/api/library/skills", json=skill).status_code == 201
    return api


def names(found: Any) -> list[str]:
    return [one["name"] for one in found.json()]


def test_library_is_listed_and_searched(library: Client) -> None:
    assert names(library.get("/api/library/skills")) == ["Sums", "Taxes", "Prose"]
    assert names(library.get("/api/library/skills", params={"packId": "numbers"})) == [
        "Sums",
        "Taxes",
    ]
    assert names(library.get("/api/library/skills", params={"tag": "words"})) == ["Prose"]
    assert names(library.get("/api/library/packs")) == ["Numbers"]


def test_agent_gets_a_copy_with_what_it_requires(library: Client) -> None:
    copied = library.post("/api/library/copy", json={"agentId": "ada", "skillIds": ["taxes"]})
    assert sorted(one["libraryId"] for one in copied.json()["skills"]) == ["sums", "taxes"]
    holders = library.get("/api/library/skills/sums/agents").json()
    assert [one["id"] for one in holders] == ["ada"]


def test_agent_gets_a_whole_pack(library: Client) -> None:
    copied = library.post("/api/library/copy", json={"agentId": "ada", "packId": "numbers"})
    assert len(copied.json()["skills"]) == 2


def test_change_of_the_library_leaves_copies_alone(library: Client) -> None:
    library.post("/api/library/copy", json={"agentId": "ada", "skillIds": ["sums"]})
    changed = library.patch("/api/library/skills/sums", json={"description": "Twice."})
    assert (changed.json()["description"], changed.headers["ETag"]) == ("Twice.", '"2"')
    assert library.get("/api/agents/ada").json()["skills"][0]["description"] == "Add up."
    stale = library.patch("/api/library/skills/sums", json={}, headers={"If-Match": '"1"'})
    assert code_of(stale) == (412, "VERSION_CONFLICT")


def test_pack_can_be_renamed_and_goes_without_its_skills(library: Client) -> None:
    renamed = library.patch("/api/library/packs/numbers", json={"name": "Figures"})
    assert renamed.json()["name"] == "Figures"
    assert library.delete("/api/library/packs/numbers").status_code == 204
    assert names(library.get("/api/library/skills")) == ["Sums", "Taxes", "Prose"]
    assert library.delete("/api/library/skills/prose").status_code == 204
    assert code_of(library.delete("/api/library/skills/prose")) == (404, "LIBRARY_ITEM_NOT_FOUND")
