"""An agent comes back from the text in which people edit it."""

import msgspec
import pytest
from hypothesis import given

from paddock.zoo.model import Agent, AgentSkill, SkillCategory
from paddock.zoo.toml_form import AgentTextError, format_agent, parse_changes
from tests.unit.zoo.formats.any_agents import AGENTS


@given(agent=AGENTS)
def test_an_agent_comes_back_from_its_text(agent: Agent) -> None:
    data = parse_changes(format_agent(agent), "sage")
    assert msgspec.convert({**data, "id": agent.id}, Agent) == agent


def test_the_text_is_laid_out_for_people() -> None:
    agent = Agent(
        id="sage",
        name="Sage",
        system_prompt="You explain.\nSlowly.",
        skill_categories=[SkillCategory(id="talk", name="Talk", color="#123456")],
        skills=[AgentSkill(id="ask", name="Ask", description="Ask.", category_id="talk")],
        tags=["kind"],
    )
    assert (
        format_agent(agent)
        == """name = "Sage"
description = ""
tags = ["kind"]
contextRefs = []
injectsMemory = true
archived = false
systemPrompt = \'\'\'
You explain.
Slowly.
\'\'\'

[[skillCategories]]
id = "talk"
name = "Talk"
color = "#123456"

[[skills]]
id = "ask"
name = "Ask"
description = "Ask."
whenToUse = ""
categoryId = "talk"
enabled = true
"""
    )


def test_what_a_text_leaves_out_is_not_changed() -> None:
    assert parse_changes('description = "d"', "sage") == {"description": "d"}


@pytest.mark.parametrize("text", ["name =", "name = 5", "nmae = 'x'", "[[skills]]\nname = 'x'"])
def test_a_text_that_describes_no_agent_is_reported(text: str) -> None:
    with pytest.raises(AgentTextError, match="not the description of an agent"):
        parse_changes(text, "sage")
