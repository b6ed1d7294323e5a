"""Routes for an agent's skills and skill categories. Every change returns the complete agent."""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, patch, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from paddock.zoo.model import Agent, SkillFinding
from paddock.zoo.rest.error_responses import declare_route
from paddock.zoo.rest.parameters import ExpectedVersion, ZooDependency
from paddock.zoo.rest.request_bodies import (
    CategoryChanges,
    NewCategoryBody,
    NewSkillBody,
    OrderBody,
    SkillChanges,
    ToggleBody,
    get_changes,
    get_given_fields,
)

SKILLS_PATH = "/agents/{agent_id:str}/skills"
SKILL_PATH = "/agents/{agent_id:str}/skills/{skill_id:str}"
CATEGORIES_PATH = "/agents/{agent_id:str}/categories"
CATEGORY_PATH = "/agents/{agent_id:str}/categories/{category_id:str}"
SKILL_ERRORS = (400, 404, 412)


@declare_route(post, SKILLS_PATH, "Add a skill", errors=SKILL_ERRORS)
def add_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[NewSkillBody],
    expected: ExpectedVersion,
) -> Agent:
    """Append a skill. Its ID is derived from the given one or from the name."""
    return zoo.skills.add(agent_id, get_given_fields(data), version=expected)


@declare_route(put, f"{SKILLS_PATH}/order", "Reorder the skills", errors=SKILL_ERRORS)
def order_skills(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[OrderBody],
    expected: ExpectedVersion,
) -> Agent:
    """Change the order in which skills are injected."""
    return zoo.skills.reorder(agent_id, data.ids, version=expected)


@declare_route(patch, SKILL_PATH, "Change a skill", errors=SKILL_ERRORS)
def update_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    data: JSONBody[SkillChanges],
    expected: ExpectedVersion,
) -> Agent:
    """Change fields of a skill. Omitted fields stay as they are."""
    return zoo.skills.update(agent_id, skill_id, get_changes(data), version=expected)


@declare_route(delete, SKILL_PATH, "Delete a skill", errors=SKILL_ERRORS, status_code=200)
def delete_skill(
    zoo: ZooDependency, agent_id: FromPath[str], skill_id: FromPath[str], expected: ExpectedVersion
) -> Agent:
    """Delete a skill. Earlier versions of the agent still contain it."""
    return zoo.skills.delete(agent_id, skill_id, version=expected)


@declare_route(
    post, f"{SKILL_PATH}/toggle", "Enable or disable a skill", errors=SKILL_ERRORS, status_code=200
)
def toggle_skill(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    skill_id: FromPath[str],
    expected: ExpectedVersion,
    data: JSONBody[ToggleBody | None] = None,
) -> Agent:
    """Enable or disable a skill. Without `enabled`, invert its state."""
    enabled = None if data is None else data.enabled
    return zoo.skills.toggle(agent_id, skill_id, enabled, version=expected)


@declare_route(post, CATEGORIES_PATH, "Add a category", errors=SKILL_ERRORS)
def add_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    data: JSONBody[NewCategoryBody],
    expected: ExpectedVersion,
) -> Agent:
    """Append a category. By default it gets a color that no other category has."""
    return zoo.skills.add_category(agent_id, get_given_fields(data), version=expected)


@declare_route(patch, CATEGORY_PATH, "Change a category", errors=SKILL_ERRORS)
def update_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    data: JSONBody[CategoryChanges],
    expected: ExpectedVersion,
) -> Agent:
    """Change fields of a category. Omitted fields stay as they are."""
    return zoo.skills.update_category(agent_id, category_id, get_changes(data), version=expected)


@declare_route(delete, CATEGORY_PATH, "Delete a category", errors=SKILL_ERRORS, status_code=200)
def delete_category(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    category_id: FromPath[str],
    expected: ExpectedVersion,
    move_to: Annotated[
        str | None,
        QueryParameter(
            name="moveTo", max_length=200, description="The category that receives the skills."
        ),
    ] = None,
) -> Agent:
    """Delete a category. Its skills move to `moveTo`, or to the first remaining one."""
    return zoo.skills.delete_category(agent_id, category_id, move_to, version=expected)


@declare_route(get, "/agents/{agent_id:str}/skill-findings", "Check the skills", errors=(404,))
def skill_findings(zoo: ZooDependency, agent_id: FromPath[str]) -> list[SkillFinding]:
    """Return duplicates, contradictions, and requirements that are missing or disabled."""
    return zoo.skills.list_findings(agent_id)


SKILL_ROUTES = [
    *(add_skill, order_skills, update_skill, delete_skill, toggle_skill),
    *(add_category, update_category, delete_category, skill_findings),
]
