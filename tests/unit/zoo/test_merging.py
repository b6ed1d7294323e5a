"""What a file says becomes changes to an agent, and what it cannot say stays."""

from hypothesis import given

from paddock.zoo.formats.converter import export_agents, import_files
from paddock.zoo.import_plan import compute_changes, merge_skills
from paddock.zoo.model import Agent, AgentSkill, SkillCategory
from tests.unit.zoo.formats.any_agents import AGENTS


def sage() -> Agent:
    return Agent(
        id="sage",
        name="Sage",
        description="Explains",
        system_prompt="You explain.\r\n",
        skill_categories=[SkillCategory(id="talk", name="Talk"), SkillCategory(id="x", name="X")],
        skills=[
            AgentSkill(
                id="ask", name="Ask", description="Ask.  ", category_id="x", requires=["draw"]
            ),
            AgentSkill(id="hum", name="Hum", description="Hum.", enabled=False, category_id="x"),
            AgentSkill(id="draw", name="Draw", description="Draw.", category_id="talk"),
        ],
        tags=["kind"],
    )


def read_back(agent: Agent) -> Agent:
    (found,) = import_files(export_agents([agent], "claude-code").files).agents
    return found


def test_a_file_that_says_the_same_changes_nothing_but_what_is_kept_of_it() -> None:
    assert set(compute_changes(sage(), read_back(sage()))) == {"extra"}


@given(agent=AGENTS)
def test_no_agent_is_changed_by_its_own_file(agent: Agent) -> None:
    assert set(compute_changes(agent, read_back(agent))) == {"extra"}


def test_only_what_the_file_says_otherwise_is_changed() -> None:
    read = read_back(sage())
    read.description = "Explains well"
    assert {**compute_changes(sage(), read), "extra": None} == {
        "description": "Explains well",
        "extra": None,
    }


def test_a_skill_that_is_gone_from_the_file_is_kept_but_not_enabled() -> None:
    read = read_back(sage())
    read.skills = [AgentSkill(id="new", name="Sing", description="La"), read.skills[0]]
    found = merge_skills(sage(), read)
    assert [(one.id, one.enabled, one.category_id) for one in found] == [
        ("new", True, "talk"),
        ("hum", False, "x"),
        ("draw", False, "talk"),
        ("ask", True, "x"),
    ]
    assert (found[3].description, found[3].requires) == ("Ask.  ", ["draw"])


def test_a_skill_that_appears_in_the_file_is_enabled() -> None:
    read = read_back(sage())
    read.skills.append(AgentSkill(id="hum", name="Hum", description="Hum louder."))
    found = {one.id: one for one in merge_skills(sage(), read)}
    assert (found["hum"].enabled, found["hum"].description) == (True, "Hum louder.")
    assert found["hum"].category_id == "x"
