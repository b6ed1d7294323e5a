"""Single skills and categories, history, and the library, in both databases."""

from typing import Any

import pytest

from paddock.zoo.errors import (
    AgentVersionNotFoundError,
    CategoryNotFoundError,
    ConflictError,
    InvalidAgentError,
    LibraryItemNotFoundError,
    SkillNotFoundError,
)
from paddock.zoo.model import Agent, FieldChange, LibrarySkill, Pack
from paddock.zoo.service import Zoo


@pytest.fixture
def sage(zoo: Zoo) -> Zoo:
    """A zoo with one agent that has two skills."""
    zoo.agents.create(
        {"name": "Sage", "skills": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
    )
    return zoo


def skill_ids(agent: Agent) -> list[str]:
    return [skill.id for skill in agent.skills]


def test_a_skill_is_added_with_an_id_of_its_own(sage: Zoo) -> None:
    agent = sage.skills.add("sage", {"name": "Test first!", "description": "Red, green."})
    assert skill_ids(agent) == ["a", "b", "test-first"]
    assert skill_ids(sage.skills.add("sage", {"name": "A"}))[-1] == "a-2"
    assert agent.skills[-1].enabled
    with pytest.raises(InvalidAgentError):
        sage.skills.add("sage", {"name": " "})


def test_a_skill_is_changed_without_touching_the_others(sage: Zoo) -> None:
    before = sage.agents.get("sage")
    agent = sage.skills.update("sage", "b", {"description": "New", "id": "other"})
    assert agent.skills[0] == before.skills[0]
    assert (agent.skills[1].id, agent.skills[1].name) == ("b", "B")
    assert agent.skills[1].description == "New"
    with pytest.raises(SkillNotFoundError):
        sage.skills.update("sage", "missing", {})


def test_toggling_turns_over_or_sets(sage: Zoo) -> None:
    def is_enabled(*given: bool) -> bool:
        return sage.skills.toggle("sage", "a", *given).skills[0].enabled

    assert [is_enabled(), is_enabled(), is_enabled(False), is_enabled(False)] == [
        *(False, True, False, False),
    ]
    assert sage.agents.list_summaries().items[0].skill_names == ["B"]


def test_changes_of_two_skills_are_both_kept(sage: Zoo) -> None:
    sage.skills.toggle("sage", "a", False)
    sage.skills.add("sage", {"name": "C"})
    agent = sage.skills.delete("sage", "b")
    assert [(skill.id, skill.enabled) for skill in agent.skills] == [("a", False), ("c", True)]
    assert agent.version == 4


def test_skills_are_ordered_and_those_not_named_come_last(sage: Zoo) -> None:
    sage.skills.add("sage", {"name": "C"})
    assert skill_ids(sage.skills.reorder("sage", ["c", "a"])) == ["c", "a", "b"]
    with pytest.raises(SkillNotFoundError):
        sage.skills.reorder("sage", ["c", "missing"])


def test_a_new_category_has_a_color_that_is_not_used_yet(sage: Zoo) -> None:
    agent = sage.skills.add_category("sage", {"name": "Proofs"})
    assert [(one.id, one.color) for one in agent.skill_categories] == [
        ("general", "#61988E"),
        ("proofs", "#5B5F97"),
    ]
    agent = sage.skills.update_category("sage", "proofs", {"name": "Logic", "color": "#000000"})
    assert [one.name for one in agent.skill_categories] == ["General", "Logic"]
    with pytest.raises(CategoryNotFoundError):
        sage.skills.update_category("sage", "missing", {})


def test_the_skills_of_a_deleted_category_move_and_the_last_one_stays(sage: Zoo) -> None:
    sage.skills.add_category("sage", {"name": "One"})
    sage.skills.add_category("sage", {"name": "Two"})
    sage.skills.update("sage", "a", {"categoryId": "one"})
    agent = sage.skills.delete_category("sage", "one", "two")
    assert [skill.category_id for skill in agent.skills] == ["two", "general"]
    with pytest.raises(CategoryNotFoundError):
        sage.skills.delete_category("sage", "two", "one")
    agent = sage.skills.delete_category("sage", "two")
    assert [skill.category_id for skill in agent.skills] == ["general", "general"]
    with pytest.raises(InvalidAgentError):
        sage.skills.delete_category("sage", "general")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("add", [{"name": "C"}]),
        ("update", ["a", {"name": "C"}]),
        ("delete", ["a"]),
        ("toggle", ["a"]),
        ("reorder", [["b"]]),
        ("add_category", [{"name": "C"}]),
        ("update_category", ["general", {"name": "C"}]),
    ],
)
def test_every_change_of_a_part_can_be_of_a_version(
    sage: Zoo, method: str, arguments: list[Any]
) -> None:
    before = sage.agents.get("sage")
    with pytest.raises(ConflictError):
        getattr(sage.skills, method)("sage", *arguments, version=7)
    assert sage.agents.get("sage") == before
    assert getattr(sage.skills, method)("sage", *arguments, version=1).version == 2


def test_versions_are_listed_compared_and_restored(sage: Zoo) -> None:
    first = sage.agents.get("sage")
    sage.agents.update("sage", {"systemPrompt": "Be wise."}, source="cli")
    sage.skills.toggle("sage", "a", source="mcp")
    listed = [(one.version, one.source, one.summary) for one in sage.history.list_versions("sage")]
    assert listed == [
        (3, "mcp", "disabled skill A"),
        (2, "cli", "changed systemPrompt"),
        (1, "web", "created"),
    ]
    assert sage.history.get_version("sage", 1).agent == first
    assert sage.history.diff_versions("sage", 1, 3) == [
        FieldChange(field="systemPrompt", before="", after="Be wise."),
        FieldChange(field="skills.a.enabled", before=True, after=False),
    ]
    restored = sage.history.restore_version("sage", 1)
    assert (restored.version, restored.system_prompt, restored.skills) == (4, "", first.skills)
    assert sage.history.list_versions("sage")[0].summary == "restored version 1"
    with pytest.raises(AgentVersionNotFoundError):
        sage.history.get_version("sage", 9)
    with pytest.raises(ConflictError):
        sage.history.restore_version("sage", 2, current=3)


def test_library_skills_are_made_changed_filtered_and_deleted(zoo: Zoo) -> None:
    pack = zoo.library.create_pack({"name": "Proving"})
    assert pack == Pack(id="proving", name="Proving")
    skill = zoo.library.create_skill({"name": "Proofs", "packId": "proving", "tags": ["logic"]})
    zoo.library.create_skill({"name": "Cooking", "whenToUse": "When hungry"})
    assert (
        zoo.library.list_skills(pack_id="proving")
        == zoo.library.list_skills(tag="logic")
        == [skill]
    )
    assert [one.id for one in zoo.library.list_skills(text="HUNGRY")] == ["cooking"]
    changed = zoo.library.update_skill("proofs", {"description": "Prove it."}, version=1)
    assert (changed.description, changed.version) == ("Prove it.", 2)
    with pytest.raises(ConflictError):
        zoo.library.update_skill("proofs", {"description": "No"}, version=1)
    with pytest.raises(LibraryItemNotFoundError):
        zoo.library.create_skill({"name": "Lost", "packId": "nowhere"})
    assert zoo.library.update_pack("proving", {"name": "Logic"}).name == "Logic"
    zoo.library.delete_pack("proving")
    assert zoo.library.list_packs() == []
    assert zoo.library.get_skill("proofs").pack_id is None
    zoo.library.delete_skill("proofs")
    assert [one.id for one in zoo.library.list_skills()] == ["cooking"]
    assert {event.kind for event in zoo.events.list_after(0)} == {"library:changed"}


def test_skills_are_copied_with_what_they_require_and_only_once(sage: Zoo) -> None:
    sage.library.create_pack({"name": "Proving"})
    sage.library.create_skill({"name": "A", "description": "Of the library"})
    sage.library.create_skill({"name": "Proofs", "requires": ["a"], "packId": "proving"})
    agent = sage.library.copy_to_agent("sage", pack_id="proving")
    assert [(one.id, one.requires, one.library_id) for one in agent.skills] == [
        ("a", [], None),
        ("b", [], None),
        ("a-2", [], "a"),
        ("proofs", ["a-2"], "proofs"),
    ]
    assert sage.library.copy_to_agent("sage", ["proofs"]) == agent
    assert [one.id for one in sage.library.list_agents_with_copy("proofs")] == ["sage"]
    sage.library.delete_skill("proofs")
    assert sage.agents.get("sage") == agent
    with pytest.raises(LibraryItemNotFoundError):
        sage.library.copy_to_agent("sage", ["proofs"])


def test_requirements_in_a_circle_are_copied_once_each(sage: Zoo) -> None:
    sage.library.create_skill({"name": "Hen", "requires": ["egg"]})
    sage.library.create_skill({"name": "Egg", "requires": ["hen", "farm"]})
    agent = sage.library.copy_to_agent("sage", ["hen"])
    assert {one.id: one.requires for one in agent.skills[2:]} == {
        "egg": ["hen", "farm"],
        "hen": ["egg"],
    }
    assert sage.library.get_skill("hen") == LibrarySkill(id="hen", name="Hen", requires=["egg"])
    assert [one.kind for one in sage.skills.list_findings("sage")] == ["missingRequirement"]
