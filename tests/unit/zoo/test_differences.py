"""In what two versions differ."""

import copy

from paddock.zoo.agents import diff_agents, summarize_changes
from paddock.zoo.model import Agent, AgentSkill, FieldChange


def test_only_what_differs_is_reported_skill_by_skill() -> None:
    before = Agent(
        id="a", name="A", tags=["x"], skills=[AgentSkill(id="one", name="One")], version=1
    )
    after = copy.deepcopy(before)
    after.version, after.updated_at = 2, "later"
    assert diff_agents(before, after) == []
    after.tags = []
    after.skills[0].enabled = False
    after.skills.append(AgentSkill(id="two", name="Two"))
    changes = diff_agents(before, after)
    assert [change.field for change in changes] == ["skills.one.enabled", "skills.two", "tags"]
    assert changes[0] == FieldChange(field="skills.one.enabled", before=True, after=False)
    assert changes[1].before is None
    assert summarize_changes(changes) == "changed skills.one.enabled, skills.two, tags"


def test_another_order_is_a_difference_of_its_own() -> None:
    one, two = AgentSkill(id="one", name="One"), AgentSkill(id="two", name="Two")
    before = Agent(id="a", name="A", skills=[one, two])
    after = Agent(id="a", name="A", skills=[two, one])
    assert diff_agents(before, after) == [
        FieldChange(field="skills.order", before=["one", "two"], after=["two", "one"])
    ]


def test_a_summary_of_many_changes_stays_short() -> None:
    changes = [FieldChange(field=name) for name in ("a", "b", "c", "d", "e")]
    assert summarize_changes(changes) == "changed a, b, c and 2 more"
    assert summarize_changes([]) == "no change"
