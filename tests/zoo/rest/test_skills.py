"""Skills and categories one by one, so that no one has to send back the whole list."""

from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import fields

from paddock.zoo import model, validation
from paddock.zoo.rest import request_bodies
from tests.app.serving import Client
from tests.zoo.rest.test_agents import code_of, make


def skills_of(api: Client) -> list[tuple[str, bool]]:
    return [(one["id"], one["enabled"]) for one in api.get("/api/agents/ada").json()["skills"]]


@pytest.fixture
def ada(api: Client) -> Client:
    """The API, with an agent that has two skills."""
    make(api)
    for name in ("Sums", "Proofs"):
        assert api.post("/api/agents/ada/skills", json={"name": name}).status_code == 201
    return api


def test_new_skill_is_enabled_and_stands_last(ada: Client) -> None:
    assert skills_of(ada) == [("sums", True), ("proofs", True)]


def test_skill_of_a_taken_name_gets_a_number(ada: Client) -> None:
    answer = ada.post("/api/agents/ada/skills", json={"name": "Sums", "whenToUse": "always"})
    assert [one["id"] for one in answer.json()["skills"]] == ["sums", "proofs", "sums-2"]


def test_skill_is_changed_alone(ada: Client) -> None:
    answer = ada.patch("/api/agents/ada/skills/sums", json={"description": "Add up."})
    assert [one["description"] for one in answer.json()["skills"]] == ["Add up.", ""]


def test_library_skill_of_a_skill_is_changed(ada: Client) -> None:
    answer = ada.patch("/api/agents/ada/skills/sums", json={"libraryId": "arithmetic"})
    assert answer.json()["skills"][0]["libraryId"] == "arithmetic"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (request_bodies.AgentChanges, model.Agent),
        (request_bodies.EntryChanges, model.BrainEntry),
        (request_bodies.SkillChanges, model.AgentSkill),
        (request_bodies.CategoryChanges, model.SkillCategory),
        (request_bodies.LibrarySkillChanges, model.LibrarySkill),
        (request_bodies.PackChanges, model.Pack),
    ],
)
def test_every_accepted_field_is_saved(body: type[Struct], kind: type[Struct]) -> None:
    accepted = {field.encode_name for field in fields(body)}
    editable = {field.encode_name for field in validation.list_editable_fields(kind)}
    assert accepted - request_bodies.IGNORED_FIELDS == editable


def test_toggle_that_says_what_it_wants_can_be_sent_twice(ada: Client) -> None:
    for _ in range(2):
        ada.post("/api/agents/ada/skills/sums/toggle", json={"enabled": False})
    assert skills_of(ada) == [("sums", False), ("proofs", True)]


def test_toggle_silently_turns_round(ada: Client) -> None:
    for expected in (False, True):
        answer = ada.post("/api/agents/ada/skills/sums/toggle")
        assert (answer.status_code, answer.json()["skills"][0]["enabled"]) == (200, expected)


def test_two_changes_of_different_skills_both_count(ada: Client) -> None:
    ada.patch("/api/agents/ada/skills/sums", json={"description": "one"})
    ada.patch("/api/agents/ada/skills/proofs", json={"description": "two"})
    found = ada.get("/api/agents/ada").json()["skills"]
    assert [one["description"] for one in found] == ["one", "two"]


def test_skills_are_arranged(ada: Client) -> None:
    ada.put("/api/agents/ada/skills/order", json={"ids": ["proofs", "sums"]})
    assert [name for name, _ in skills_of(ada)] == ["proofs", "sums"]


def test_deleted_skill_is_gone(ada: Client) -> None:
    answer = ada.delete("/api/agents/ada/skills/sums")
    assert (answer.status_code, [one["id"] for one in answer.json()["skills"]]) == (200, ["proofs"])


def test_old_version_is_refused_for_skills_too(ada: Client) -> None:
    answer = ada.post("/api/agents/ada/skills/sums/toggle", headers={"If-Match": '"1"'})
    assert code_of(answer) == (412, "VERSION_CONFLICT")
    assert skills_of(ada) == [("sums", True), ("proofs", True)]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "skills/none"),
        ("DELETE", "skills/none"),
        ("POST", "skills/none/toggle"),
        ("PATCH", "categories/none"),
        ("DELETE", "categories/none"),
    ],
)
def test_a_missing_skill_or_category_is_reported(ada: Client, method: str, path: str) -> None:
    body: dict[str, Any] | None = {} if method == "PATCH" else None
    status, code = code_of(ada.request(method, f"/api/agents/ada/{path}", json=body))
    assert (status, code) == (
        404,
        "SKILL_NOT_FOUND" if path.startswith("skills") else "CATEGORY_NOT_FOUND",
    )


def test_deleting_a_category_keeps_its_skills(ada: Client) -> None:
    ada.post("/api/agents/ada/categories", json={"name": "Maths", "color": "#123456"})
    ada.patch("/api/agents/ada/skills/sums", json={"categoryId": "maths"})
    ada.patch("/api/agents/ada/categories/maths", json={"name": "Mathematics"})
    left = ada.delete("/api/agents/ada/categories/maths", params={"moveTo": "general"}).json()
    assert [one["categoryId"] for one in left["skills"]] == ["general", "general"]
    assert [one["id"] for one in left["skillCategories"]] == ["general"]


def test_last_category_stays(ada: Client) -> None:
    answer = ada.delete("/api/agents/ada/categories/general")
    assert code_of(answer) == (400, "INVALID_AGENT")


def test_skills_without_what_they_require_are_found(ada: Client) -> None:
    ada.patch("/api/agents/ada/skills/sums", json={"requires": ["nothing"]})
    found = ada.get("/api/agents/ada/skill-findings").json()
    assert [(one["kind"], one["skillIds"][0]) for one in found] == [("missingRequirement", "sums")]


def test_history_tells_and_restores(ada: Client) -> None:
    ada.patch("/api/agents/ada", json={"systemPrompt": "New."})
    versions = ada.get("/api/agents/ada/versions").json()
    assert [one["version"] for one in versions] == [4, 3, 2, 1]
    assert ada.get("/api/agents/ada/versions/1").json()["agent"]["skills"] == []
    differences = ada.get("/api/agents/ada/versions/3/diff/4").json()
    assert differences == [{"field": "systemPrompt", "before": "", "after": "New."}]
    restored = ada.post("/api/agents/ada/versions/1/restore").json()
    assert (restored["version"], restored["skills"]) == (5, [])
    assert code_of(ada.get("/api/agents/ada/versions/99")) == (404, "AGENT_VERSION_NOT_FOUND")
