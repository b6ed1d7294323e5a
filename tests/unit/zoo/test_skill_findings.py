"""What is odd about skills, and what is not."""

import pytest

from paddock.zoo.model import Agent, AgentSkill
from paddock.zoo.skills import check_skills


def findings(*skills: AgentSkill) -> list[tuple[str, list[str]]]:
    agent = Agent(id="sage", name="Sage", skills=list(skills))
    return [(one.kind, one.skill_ids) for one in check_skills(agent)]


def said(skill_id: str, description: str, *, enabled: bool = True) -> AgentSkill:
    return AgentSkill(id=skill_id, name=skill_id, description=description, enabled=enabled)


def test_the_same_name_or_text_is_a_duplicate() -> None:
    assert findings(AgentSkill(id="a", name="Proofs"), AgentSkill(id="b", name=" proofs")) == [
        ("duplicate", ["a", "b"])
    ]
    assert findings(said("a", "Prove  it."), said("b", "prove it.")) == [("duplicate", ["a", "b"])]
    assert findings(said("a", ""), said("b", "")) == []


@pytest.mark.parametrize(
    ("one", "other", "is_conflict"),
    [
        ("Always use semicolons in TypeScript.", "Never use semicolons in TypeScript!", True),
        ("Prefer interfaces to type aliases.", "Avoid interfaces to type aliases.", True),
        ("Write tests first.", "Do not write tests first.", True),
        ("Write tests first.", "Write the tests first, please.", False),
        ("Never push to main.", "Always write commit messages.", False),
        ("Be brief.", "Don't panic.", False),
    ],
)
def test_asking_for_what_another_forbids_is_a_conflict(
    one: str, other: str, is_conflict: bool
) -> None:
    found = findings(said("a", one), said("b", other))
    assert found == ([("conflict", ["a", "b"])] if is_conflict else [])
    assert findings(said("a", one), said("b", other, enabled=False)) == []


def test_requirements_have_to_be_there_and_on() -> None:
    needy = AgentSkill(id="needy", name="Needy", requires=["off", "gone", "on"])
    found = findings(needy, said("off", "x", enabled=False), said("on", "y"))
    assert found == [("disabledRequirement", ["needy", "off"]), ("missingRequirement", ["needy"])]
    needy.enabled = False
    assert findings(needy) == []
